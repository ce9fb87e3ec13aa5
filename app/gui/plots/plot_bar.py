"""The line above the plots: what is recorded, the view, freeze, measure, kept runs, files; a chip with a menu for every curve."""

import itertools
from typing import NamedTuple

import numpy as np

from app import language
from app.gui.controls import icons, style, widgets
from app.gui.fields import quantity_picker
from app.gui.plots import plot_part, plot_saving
from app.gui.speaking import imgui
from app.insight import curves, runs
from app.insight.board import SPANS, TIME, Board
from app.insight.curves import Picture
from app.session import Session

PATTERNS = ("\u2014 \u2014", "\u2014 \u00b7", "\u00b7 \u00b7 \u00b7")
"""The dashes of compared solvers (plot_part.SOLVERS) as text."""

NARROW = 720.0
"""Below this width controls are signs without words [px at scale 1]."""


def take(session: Session, board: Board, start: float, end: float) -> Picture:
    """The curves of this moment between two times [s]."""
    followers = session.thread.comparison.followers
    others = [(follower.solver.name, follower.simulation.traces) for follower in followers]
    return curves.take(session.traces, others, board.runs.kept, board.minus, start, end)


def draw(session: Session, board: Board, picture: Picture) -> None:
    """One line; what finds no room in it is in the menu at its end."""
    wide = imgui.get_content_region_avail().x > widgets.px(NARROW)
    word = (lambda text: text) if wide else (lambda text: "")
    if widgets.button(icons.text(icons.PLUS, word("Quantity"), "+"), "Record and draw another number of any body, joint, contact "
                      "or the solver.", name="add quantity"):
        imgui.open_popup(quantity_picker.NAME)
    quantity_picker.draw(session, board)
    imgui.same_line()
    imgui.set_next_item_width(widgets.px(76.0))
    if imgui.begin_combo("##span", board.span if board.follow else "free"):
        for span in SPANS:
            if imgui.selectable(span, board.follow and span == board.span)[0]:
                board.choose_span(span)
            widgets.mark(f"span={span}")
        imgui.end_combo()
    widgets.mark("span of time")
    widgets.tooltip("How much of the past is shown while the view follows the newest samples. Drag or zoom in the plot to look "
                    "around freely; a double click there follows again.")
    imgui.same_line()
    if _switch(icons.FREEZE, word("Freeze"), "freeze", board.frozen is not None, "Let the picture stand while the simulation "
               "goes on."):
        board.frozen = take(session, board, -np.inf, np.inf) if board.frozen is None else None
    imgui.same_line()
    if _switch(icons.RULER, word("Measure"), "measure", board.measured is not None, "Two lines to drag: mean, extremes, gradient "
               "and area between them. Or hold Shift and drag in a plot."):
        start, end = board.window(picture.present, picture.end)
        board.measured = None if board.measured else (start + 0.25 * (end - start), start + 0.75 * (end - start))
    imgui.same_line()
    if widgets.button(icons.text(icons.COPY, word("Runs"), "Runs"), "Keep this run and compare others with it.", name="runs"):
        imgui.open_popup("kept runs")
    _runs(session, board)
    imgui.same_line()
    if widgets.button(icons.text(icons.SAVE, word("Save"), "Save"), "The numbers or the picture, as a file.", name="save"):
        imgui.open_popup("save as")
    plot_saving.menu(session)
    imgui.same_line()
    if widgets.button(icons.text(icons.MORE, "", "..."), "More plots, and everything as it was at first.", name="plots"):
        imgui.open_popup("parts")
    _parts(session, board)
    _chips(session, board, [other.solver for other in session.frame.others])


def _switch(icon: str, word: str, name: str, on: bool, help: str) -> bool:
    return widgets.button(icons.text(icon, word, name.capitalize()), help, name=name, accent=on)


# ---- menus


def _runs(session: Session, board: Board) -> None:
    if not imgui.begin_popup("kept runs"):
        return
    if imgui.menu_item("Keep this run", "", False)[0]:
        run = board.runs.keep(session.traces, told(session))
        session.say(f"{run.name}: {run.told}" if run else "there is no run to keep yet: let the scene run first")
    widgets.mark("keep run")
    widgets.tooltip(f"Its samples are drawn dashed behind the next runs: change something, reset, run. At most {runs.MOST}; the "
                    "oldest one goes.")
    for run in tuple(board.runs.kept):
        imgui.separator()
        widgets.dim(f"{run.name}: {run.told}")
        run.shown = imgui.menu_item("draw it", "", run.shown)[1]
        widgets.mark(f"show {run.name}")
        if imgui.menu_item("difference to it", "", board.minus == run.name)[0]:
            board.minus = "" if board.minus == run.name else run.name
        widgets.mark(f"minus {run.name}")
        widgets.tooltip("The present run less this one, in a plot of its own.")
        if imgui.menu_item("forget it", "", False)[0]:
            board.runs.drop(run.name)
            board.minus = "" if board.minus == run.name else board.minus
        widgets.mark(f"drop {run.name}")
    imgui.end_popup()


def told(session: Session) -> str:
    """Scene, solver and what was set."""
    simulation, scene = session.simulation, session.scene
    own = scene.parameters() if scene else None
    return runs.told(scene.title if scene else session.frame.scene, simulation.world, simulation.dt, session.parameters, own)


def _parts(session: Session, board: Board) -> None:
    if not imgui.begin_popup("parts"):
        return
    if imgui.menu_item("One more plot", "", False)[0]:
        board.add()
    widgets.mark("add plot")
    widgets.tooltip("Below the others; the next quantities go there.")
    for part in tuple(board.parts) if len(board.parts) > 1 else ():
        if imgui.menu_item(f"Remove plot {part.number}", "", False)[0]:
            board.remove(part.number)
        widgets.mark(f"remove plot {part.number}")
    imgui.separator()
    if imgui.menu_item("Follow the newest samples", "", board.follow)[0]:
        board.follow = not board.follow
    widgets.mark("follow")
    if imgui.menu_item("As it was at first", "", False)[0]:
        board.reset()
    widgets.mark("reset view")
    widgets.tooltip("One plot over time that follows, nothing frozen or measured; kept runs stay.")
    imgui.end_popup()


# ---- chips


class Chip(NamedTuple):
    """A followed quantity as the bar shows it. tint: number of its colour."""

    tint: int
    key: str
    text: str


def _chips(session: Session, board: Board, others: list[str]) -> None:
    """As many as find room in the rest of the line, or in one below it; the others in a menu."""
    keys = session.traces.keys      # asked once: another scene may be loaded at any moment
    chips = [Chip(k, key, _name(session, key) + _points(session, key)) for k, key in enumerate(keys)]
    more = _width(f"{len(chips)} curves")
    room = imgui.get_content_region_avail().x - (imgui.get_item_rect_max().x - imgui.get_cursor_screen_pos().x)
    signs = [f"{PATTERNS[i % len(PATTERNS)]} {language.text(other)}" for i, other in enumerate(others)]
    gap = imgui.get_style().item_spacing.x
    fits = sum(map(_width, (*(chip.text for chip in chips), *signs))) <= room
    if not fits:
        chips = [Chip(k, key, _name(session, key)) for k, key in enumerate(keys)]
        fits = sum(map(_width, (*(chip.text for chip in chips), *signs))) <= room
    if fits or (imgui.get_content_region_avail().y < widgets.px(200.0) and room > gap + more):
        imgui.same_line()
        room -= gap
    else:
        room = imgui.get_content_region_avail().x
    if not fits:
        room -= more
    for i, chip in enumerate(chips):
        room -= _width(chip.text)
        if room < 0.0:
            _rest(session, board, chips[i:], signs, i == 0)
            return
        if i:
            imgui.same_line()
        _chip(session, board, chip)
    for i, sign in enumerate(signs):
        room -= _width(sign)
        if room < 0.0:
            _rest(session, board, [], signs[i:], False)
            return
        imgui.same_line()
        _solver(sign)


def _solver(sign: str) -> None:
    """A compared solver's name after the dashes of its curves."""
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(sign)
    widgets.mark(f"solver {sign}")
    widgets.tooltip("The same quantities of the same scene under this solver (panel Compare), in the same colours and with such "
                    "dashes.")


def _width(text: str) -> float:
    return imgui.calc_text_size(text).x + 2.0 * imgui.get_style().frame_padding.x + imgui.get_style().item_spacing.x


def _name(session: Session, key: str) -> str:
    return curves.name_of(session.traces, key)[0]


def _points(session: Session, key: str) -> str:
    """The marks of a curve's published points."""
    return "".join(f", {mark} {language.text(c.label)}" for (mark, _), c in zip(itertools.cycle(plot_part.MARKS),
                                                                plot_part.references(session, key)))


def _chip(session: Session, board: Board, chip: Chip) -> None:
    colours, key = style.palette().curves, chip.key
    imgui.push_style_color(imgui.Col_.text, style.vec(colours[chip.tint % len(colours)]))
    if imgui.button(f"{chip.text}###chip {key}"):
        imgui.open_popup(f"menu {key}")
    imgui.pop_style_color()
    widgets.mark(f"chip {key}")
    widgets.tooltip(f"{key}{_points(session, key)}\nClick: where it is drawn, over what, or not any more.")
    if imgui.begin_popup(f"menu {key}"):
        _chip_menu(session, board, key)
        imgui.end_popup()


def _rest(session: Session, board: Board, chips: list[Chip], signs: list[str], all_of_them: bool) -> None:
    """A button for the curves that find no room, and for the names of compared solvers."""
    if not all_of_them:
        imgui.same_line()
    label = f"{len(chips)} {'curves' if all_of_them else 'more'}" if chips else f"{len(signs)} more"
    if widgets.button(label, "The curves that find no room here.", name="more curves"):
        imgui.open_popup("more curves")
    if imgui.begin_popup("more curves"):
        for chip in chips:
            _chip(session, board, chip)
        for sign in signs:
            _solver(sign)
        imgui.end_popup()


def _chip_menu(session: Session, board: Board, key: str) -> None:
    widgets.dim(key)
    imgui.separator()
    at = board.where.get(key)
    part = next((part for part in board.parts if part.number == at), None)
    if part is not None and part.x and _item("Over time"):
        board.put(key, None)
    others = [other for other in session.traces.keys if other not in (key, part.x if part else TIME)]
    opened = bool(others) and imgui.begin_menu("Over another quantity")
    if not opened:
        widgets.mark("Over another quantity")
    if opened:
        for other in others:
            if _item(session.traces.label(other), f"over {other}"):
                board.against(key, other)
        imgui.end_menu()
    for other in board.parts:
        if len(board.parts) > 1 and other.number != at and not other.x and _item(f"Into plot {other.number}"):
            board.put(key, other.number)
    if _item("Into a plot of its own"):
        board.put(key, board.add().number)
    if _item("Stop recording it", f"drop {key}"):
        session.post("unfollow", key)
        board.put(key, None)


def _item(label: str, name: str = "") -> bool:
    pressed = imgui.menu_item(label, "", False)[0]
    widgets.mark(name or label)
    return pressed
