"""The toolbar above the plots: add, view, freeze, measure, kept runs, files; and a chip with a menu for every curve."""

import itertools
from typing import NamedTuple

import numpy as np

from app.analysis.curves import curves, saved_runs
from app.analysis.curves.curves import CurveSet
from app.analysis.curves.plot_layout import FOLLOWED_SPANS, TIME, PlotLayout
from app.engine import commands
from app.gui.controls import icons, style, widgets
from app.gui.fields import quantity_picker
from app.gui.plots import plot_saving, published_marks
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

PATTERNS = ("\u2014 \u2014", "\u2014 \u00b7", "\u00b7 \u00b7 \u00b7")
"""The dashes of compared solvers (plot_area.SOLVERS) as text."""

NARROW_WIDTH = 720.0
"""Below this width controls are icons without words [px at scale 1]."""


def add_curve(session: Session, layout: PlotLayout, start: float, end: float) -> CurveSet:
    """The present curves between two times [s]."""
    followers = session.thread.comparison.followers
    others = [(follower.solver.name, follower.simulation.traces) for follower in followers]
    return curves.collect(session.traces, others, layout.runs.saved, layout.minus, start, end)


def draw(session: Session, layout: PlotLayout, picture: CurveSet) -> None:
    """Draw one line, or more where the panel is narrow; curves that do not fit are in the menu at its end."""
    wide = imgui.get_content_region_avail().x > widgets.scaled(NARROW_WIDTH)
    word = (lambda text: text) if wide else (lambda text: "")
    if widgets.button(icons.text(icons.PLUS, word("Quantity"), "+"), "Record and plot another quantity of a body, joint, contact "
                                                                     "or the solver.", name="add quantity"):
        imgui.open_popup(quantity_picker.POPUP_NAME)
    quantity_picker.draw(session, layout)
    imgui.same_line()
    imgui.set_next_item_width(widgets.scaled(76.0))
    if imgui.begin_combo("##span", layout.span if layout.follow else "free"):
        for span in FOLLOWED_SPANS:
            if imgui.selectable(span, layout.follow and span == layout.span)[0]:
                layout.choose_span(span)
            widgets.register_area(f"span={span}")
        imgui.end_combo()
    widgets.register_area("span of time")
    widgets.tooltip("Time span shown while following the newest samples. Drag or zoom to inspect; double-click to follow again.")
    widgets.same_line(word("Freeze"))
    if _switch(icons.FREEZE, word("Freeze"), "freeze", layout.frozen is not None, "Freeze the plot while the simulation "
                                                                                 "continues."):
        layout.frozen = add_curve(session, layout, -np.inf, np.inf) if layout.frozen is None else None
    widgets.same_line(word("Measure"))
    if _switch(icons.RULER, word("Measure"), "measure", layout.measured is not None, "Measure mean, extremes, slope and area "
                                                                                    "between two draggable lines. Or hold Shift "
                                                                                    "and drag in a plot."):
        start, end = layout.window(picture.present, picture.end)
        layout.measured = None if layout.measured else (start + 0.25 * (end - start), start + 0.75 * (end - start))
    widgets.same_line(word("Runs"))
    if widgets.button(icons.text(icons.COPY, word("Runs"), "Runs"), "Keep this run to compare later runs with it.", name="runs"):
        imgui.open_popup("kept runs")
    _runs(session, layout)
    widgets.same_line(word("Save"))
    if widgets.button(icons.text(icons.SAVE, word("Save"), "Save"), "Save the data or the picture to a file.", name="save"):
        imgui.open_popup("save as")
    plot_saving.menu(session)
    widgets.same_line("")
    if widgets.button(icons.text(icons.MORE, "", "..."), "Add plots, or restore the initial state.", name="plots"):
        imgui.open_popup("parts")
    _parts(session, layout)
    _chips(session, layout, [other.solver for other in session.frame.followers])


def _switch(icon: str, word: str, name: str, on: bool, help: str) -> bool:
    return widgets.button(icons.text(icon, word, name.capitalize()), help, name=name, accent=on)


# ---- menus


def _runs(session: Session, layout: PlotLayout) -> None:
    if not imgui.begin_popup("kept runs"):
        return
    if imgui.menu_item("Keep this run", "", False)[0]:
        run = layout.runs.save(session.traces, describe_run(session))
        session.notify(f"{run.name}: {run.description}" if run else "no run to keep yet: run the scene first")
    widgets.register_area("keep run")
    widgets.tooltip(message("Its samples are drawn dashed behind later runs: change something, reset, run. At most {max_runs}; "
                            "the oldest is replaced.", max_runs=saved_runs.MAX_RUNS))
    for run in tuple(layout.runs.saved):
        imgui.separator()
        widgets.dim_text(f"{run.name}: {run.description}")
        run.shown = imgui.menu_item("show", "", run.shown)[1]
        widgets.register_area(f"show {run.name}")
        if imgui.menu_item("show difference", "", layout.minus == run.name)[0]:
            layout.minus = "" if layout.minus == run.name else run.name
        widgets.register_area(f"minus {run.name}")
        widgets.tooltip("Plot the current run minus this one separately.")
        if imgui.menu_item("delete", "", False)[0]:
            layout.runs.drop(run.name)
            layout.minus = "" if layout.minus == run.name else layout.minus
        widgets.register_area(f"drop {run.name}")
    imgui.end_popup()


def describe_run(session: Session) -> str:
    """Scene, solver and what was set."""
    frame, scene = session.frame, session.scene
    own = scene.parameters() if scene else None
    return saved_runs.describe_run(scene.title if scene else frame.scene, frame.as_world, frame.dt,
                                   session.parameters, own)


def _parts(session: Session, layout: PlotLayout) -> None:
    if not imgui.begin_popup("parts"):
        return
    if imgui.menu_item("One more plot", "", False)[0]:
        layout.add()
    widgets.register_area("add plot")
    widgets.tooltip("Add a plot below the others; new quantities go there.")
    for part in tuple(layout.parts) if len(layout.parts) > 1 else ():
        if imgui.menu_item(message("Remove plot {part}", part=part.number), "", False)[0]:
            layout.remove(part.number)
        widgets.register_area(f"remove plot {part.number}")
    imgui.separator()
    if imgui.menu_item("Follow the newest samples", "", layout.follow)[0]:
        layout.follow = not layout.follow
    widgets.register_area("follow")
    if imgui.menu_item("Restore the initial state", "", False)[0]:
        layout.reset()
    widgets.register_area("reset view")
    widgets.tooltip("One plot over time, following, without freeze or measurement; kept runs stay.")
    imgui.end_popup()


# ---- chips


class CurveChip(NamedTuple):
    """A recorded quantity as a button of the toolbar. tint: number of its colour."""

    tint: int
    key: str
    text: str


def _chips(session: Session, layout: PlotLayout, others: list[str]) -> None:
    """Draw as many chips as fit into the rest of the line, or into one below it; the others, and what is not drawn, in a menu."""
    keys = session.traces.keys      # read once: another scene may be loaded at any moment
    chips = [CurveChip(k, key, _name(session, key) + _points(session, key)) for k, key in enumerate(keys)
             if key not in layout.not_drawn]
    recorded = [key for key in keys if key in layout.not_drawn]
    more = _width(message("{count} curve", "{count} curves", count=len(keys)))
    room = imgui.get_content_region_avail().x - (imgui.get_item_rect_max().x - imgui.get_cursor_screen_pos().x)
    signs = [f"{PATTERNS[i % len(PATTERNS)]} {translate.translate(other)}" for i, other in enumerate(others)]
    gap = imgui.get_style().item_spacing.x
    fits = sum(map(_width, (*(chip.text for chip in chips), *signs))) <= room - (more if recorded else 0.0)
    if not fits:
        chips = [chip._replace(text=_name(session, chip.key)) for chip in chips]
        fits = sum(map(_width, (*(chip.text for chip in chips), *signs))) <= room - (more if recorded else 0.0)
    if fits or (imgui.get_content_region_avail().y < widgets.scaled(200.0) and room > gap + more):
        imgui.same_line()
        room -= gap
    else:
        room = imgui.get_content_region_avail().x
    if not fits or recorded:
        room -= more
    for i, chip in enumerate(chips):
        room -= _width(chip.text)
        if room < 0.0:
            _rest(session, layout, chips[i:], recorded, signs, i == 0)
            return
        if i:
            imgui.same_line()
        draw_chip(session, layout, chip)
    for i, sign in enumerate(signs):
        room -= _width(sign)
        if room < 0.0:
            _rest(session, layout, [], recorded, signs[i:], False)
            return
        imgui.same_line()
        _solver(sign)
    if recorded:
        _rest(session, layout, [], recorded, [], not chips)


def _solver(sign: str) -> None:
    """A compared solver's name after the dashes of its curves."""
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(sign)
    widgets.register_area(f"solver {sign}")
    widgets.tooltip("The same quantities with this solver (Compare panel), in the same colours and this line style.")


def _width(text: str) -> float:
    return imgui.calc_text_size(text).x + 2.0 * imgui.get_style().frame_padding.x + imgui.get_style().item_spacing.x


def _name(session: Session, key: str) -> str:
    return curves.name_of(session.traces, key)[0]


def _points(session: Session, key: str) -> str:
    """Markers of a curve's published points."""
    markers = itertools.cycle(published_marks.POINT_MARKERS)
    return "".join(f", {mark} {translate.translate(c.label)}"
                   for (mark, _), c in zip(markers, published_marks.references(session, key)))


def draw_chip(session: Session, layout: PlotLayout, chip: CurveChip) -> None:
    colours, key = style.palette().curves, chip.key
    imgui.push_style_color(imgui.Col_.text, style.vec(colours[chip.tint % len(colours)]))
    if imgui.button(f"{chip.text}###chip {key}"):
        imgui.open_popup(f"menu {key}")
    imgui.pop_style_color()
    widgets.register_area(f"chip {key}")
    widgets.tooltip(message("{key}{points}\nClick to change where it is plotted, over what, or to stop recording it.", key=key,
                            points=_points(session, key)))
    if imgui.begin_popup(f"menu {key}"):
        _chip_menu(session, layout, key)
        imgui.end_popup()


def _rest(session: Session, layout: PlotLayout, chips: list[CurveChip], recorded: list[str], signs: list[str],
          all_of_them: bool) -> None:
    """A button for the curves, and for the names of compared solvers, that do not fit, and for what is recorded and not drawn."""
    if not all_of_them:
        imgui.same_line()
    hidden = len(chips) + len(recorded) or len(signs)
    label = message("{count} curve", "{count} curves", count=hidden) if all_of_them else message("{signs} more",
                                                                                                           signs=hidden)
    if widgets.button(label, "Curves that do not fit here, and quantities that are recorded and not drawn.", name="more curves"):
        imgui.open_popup("more curves")
    if imgui.begin_popup("more curves"):
        for chip in chips:
            draw_chip(session, layout, chip)
        for key in recorded:
            if _item(_name(session, key), f"draw {key}"):
                layout.move_curve(key, None)
            widgets.tooltip(message("{key}\nRecorded, not drawn. Click to draw it.", key=key))
        for sign in signs:
            _solver(sign)
        imgui.end_popup()


def _chip_menu(session: Session, layout: PlotLayout, key: str) -> None:
    widgets.dim_text(key)
    imgui.separator()
    at = layout.where.get(key)
    part = next((part for part in layout.parts if part.number == at), None)
    if part is not None and part.x and _item("Over time"):
        layout.move_curve(key, None)
    others = [other for other in session.traces.keys if other not in (key, part.x_of(key) if part else TIME)]
    opened = bool(others) and imgui.begin_menu("Over another quantity")
    if not opened:
        widgets.register_area("Over another quantity")
    if opened:
        for other in others:
            if _item(session.traces.label(other), f"over {other}"):
                layout.against(key, other)
        imgui.end_menu()
    for other in layout.parts:
        if len(layout.parts) > 1 and other.number != at and not other.x and _item(message("Into plot {other}",
                other=other.number)):
            layout.move_curve(key, other.number)
    if _item("Into a plot of its own"):
        layout.move_curve(key, layout.add().number)
    if _item("Do not draw it", f"hide {key}"):
        layout.only_record(key)
    if _item("Stop recording it", f"drop {key}"):
        session.post(commands.unfollow, key)
        layout.move_curve(key, None)


def _item(label: str, name: str = "") -> bool:
    pressed = imgui.menu_item(label, "", False)[0]
    widgets.register_area(name or label)
    return pressed
