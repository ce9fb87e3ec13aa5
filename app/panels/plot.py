"""Any quantity over time: several curves, a scene's published points over them, the value under the cursor, CSV."""

import csv
import io
import itertools
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from imgui_bundle import imgui, implot

from app.gui import files, icons, law_lines, style, widgets
from app.gui.values import pretty
from app.insight.reading import cut, span, thin, value_at
from app.session import Session
from physics import BadInput, quantities
from scenes import Curve

TITLE = "Plot"
PLACE = "bottom"
ORDER = 10

MARKS = (("o", implot.Marker_.circle), ("x", implot.Marker_.cross), ("+", implot.Marker_.plus))
"""Of a scene's points, those of several curves over one key in turn: as text and in the plot."""

SPANS = ("2 s", "5 s", "10 s", "30 s", "all")


@dataclass
class State:
    """The picker's text and the plot's mode."""

    text: str = ""
    fit: bool = True
    span: str = "10 s"
    keys: quantities.Keys | None = None
    revision: tuple[str, int] = ("", -1)
    found: list[str] = field(default_factory=list)
    asked: str = "\0"


def draw(session: Session) -> None:
    state = session.memory(State)
    _toolbar(session, state)
    keys = session.traces.keys
    if not keys:
        widgets.dim("Nothing is recorded. Add a quantity.")
        return
    _plot(session, state, keys)


def _toolbar(session: Session, state: State) -> None:
    if widgets.button(icons.text(icons.PLUS, "Quantity", "+"), "Record and draw another number", name="add quantity"):
        imgui.open_popup("quantities")
    _picker(session, state)
    imgui.same_line()
    imgui.set_next_item_width(widgets.px(76.0))
    if imgui.begin_combo("##span", state.span):
        for span in SPANS:
            if imgui.selectable(span, span == state.span)[0]:
                state.span, state.fit = span, True
        imgui.end_combo()
    widgets.tooltip("How much of the past is shown while the view follows.")
    imgui.same_line()
    new = widgets.toggle("follow", state.fit, "Keep the newest samples in view. Drag or zoom in the plot to look around freely; "
                                              "double-click in it to follow again.")
    state.fit = state.fit if new is None else new
    imgui.same_line()
    if widgets.button(icons.text(icons.SAVE, "CSV"), "Save every sample of every recorded quantity", name="csv"):
        _save(session)
    for i, key in enumerate(session.traces.keys):
        _chip(session, key, style.palette().curves[i % len(style.palette().curves)])


def _chip(session: Session, key: str, colour: style.Colour) -> None:
    """A curve's name in its colour, with its published points; a click stops recording it."""
    points = "".join(f", {mark} {c.label}" for (mark, _), c in zip(itertools.cycle(MARKS), _references(session, key)))
    text = f"{_label(session, key)}{points}  {icons.text(icons.CLOSE, '', 'x')}"
    width = imgui.calc_text_size(text).x + 2.0 * imgui.get_style().frame_padding.x
    imgui.same_line()
    if width > imgui.get_content_region_avail().x:
        imgui.new_line()
    imgui.push_style_color(imgui.Col_.text, style.vec(colour))
    if imgui.button(f"{text}###drop {key}"):
        session.post("unfollow", key)
    imgui.pop_style_color()
    widgets.mark(f"drop {key}")
    widgets.tooltip(f"{key}\nClick to stop recording it.")


def _picker(session: Session, state: State) -> None:
    imgui.set_next_window_size(imgui.ImVec2(widgets.px(340.0), widgets.px(320.0)))
    if not imgui.begin_popup("quantities"):
        state.asked = "\0"
        return
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
    state.text = widgets.search("search quantities", state.text, "body, joint, energy ...")
    at = (session.frame.scene, session.frame.revision)
    if state.keys is None or state.revision != at:
        state.keys, state.revision, state.asked = quantities.all_keys(session.simulation.world), at, "\0"
    if state.text != state.asked:
        state.asked, state.found = state.text, list(state.keys.matching(state.text)) if state.text.strip() else []
    shown = state.found if state.text.strip() else state.keys
    followed = set(session.traces.keys)
    if imgui.begin_child("keys"):
        clipper = imgui.ListClipper()
        clipper.begin(len(shown))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                key = shown[i]
                if imgui.selectable(key, key in followed, imgui.SelectableFlags_.no_auto_close_popups)[0]:
                    session.post("unfollow" if key in followed else "follow", key)
                widgets.mark(f"quantity {key}")
    imgui.end_child()
    imgui.end_popup()


def _plot(session: Session, state: State, keys: tuple[str, ...]) -> None:
    p = style.palette()
    data = {key: session.traces.read(key) for key in keys}
    units = list(dict.fromkeys(_unit(session, key) for key in keys))[:3]
    now = max((float(t[-1]) for t, _ in data.values() if len(t)), default=0.0)
    flags = implot.Flags_.no_title | implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend
    if not implot.begin_plot("##plot", imgui.ImVec2(-1.0, max(widgets.px(130.0), imgui.get_content_region_avail().y)), flags):
        return
    start = 0.0 if state.span == "all" else max(0.0, now - float(state.span.split()[0]))
    _axes(state, units, start, max(now, start + 0.5), data, session)
    hovered = implot.is_plot_hovered()
    for i, key in enumerate(keys):
        axis = units.index(_unit(session, key)) if _unit(session, key) in units else 0
        implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y1 + axis)
        colour = style.vec(p.curves[i % len(p.curves)])
        limits = implot.get_plot_limits()
        times, values = thin(*cut(*data[key], limits.x.min, limits.x.max))
        implot.plot_line(_label(session, key), times, values, implot.Spec(line_color=colour, line_weight=widgets.px(1.6)))
        _reference(session, key, colour)
        law_lines.draw(session, key)
    if hovered:
        _cursor(session, keys, data)
        if imgui.is_mouse_dragging(0) or imgui.is_mouse_dragging(1) or imgui.get_io().mouse_wheel != 0.0:
            state.fit = False
        if imgui.is_mouse_double_clicked(0):
            state.fit = True
    implot.end_plot()


def _axes(state: State, units: list[str], start: float, end: float, data: dict, session: Session) -> None:
    Axis, Flags = implot.ImAxis_, implot.AxisFlags_
    cond = imgui.Cond_.always if state.fit else imgui.Cond_.once
    implot.setup_axis(Axis.x1, "t [s]", Flags.none)
    implot.setup_axis_limits(Axis.x1, start, end, cond)
    for i, unit in enumerate(units):
        side = Flags.none if i == 0 else Flags.opposite | Flags.no_grid_lines
        implot.setup_axis(Axis.y1 + i, pretty(unit), side)
        lo, hi = span([value for key, (t, value) in data.items() if _unit(session, key) == unit
                       for value in (cut(t, value, start, end)[1], *_reference_values(session, key), *law_lines.levels(session,
                           key))])
        implot.setup_axis_limits(Axis.y1 + i, lo, hi, cond)
    implot.setup_finish()


def _reference(session: Session, key: str, colour: imgui.ImVec4) -> None:
    for (_, marker), curve in zip(itertools.cycle(MARKS), _references(session, key)):
        implot.plot_scatter(curve.label, np.array(curve.times, float), np.array(curve.values, float),
                            implot.Spec(marker=marker, marker_size=widgets.px(3.0), marker_line_color=colour,
                                        marker_fill_color=imgui.ImVec4(colour.x, colour.y, colour.z, 0.35)))


def _reference_values(session: Session, key: str) -> list[np.ndarray]:
    return [np.array(c.values, float) for c in _references(session, key)]


def _references(session: Session, key: str) -> list[Curve]:
    return [c for c in (session.scene.curves if session.scene else ()) if c.key == key]


def _cursor(session: Session, keys: tuple[str, ...], data: dict) -> None:
    """A line at the cursor and the value of every curve there."""
    at = implot.get_plot_mouse_pos(implot.ImAxis_.x1, implot.ImAxis_.y1).x
    implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y1)
    p = style.palette()
    implot.plot_inf_lines("##cursor", np.array([at]), implot.Spec(line_color=style.vec(p.dim, 0.6)))
    imgui.begin_tooltip()
    widgets.dim(f"t = {at:.4f} s")
    for i, key in enumerate(keys):
        value = value_at(*data[key], at)
        if value is not None:
            widgets.coloured(f"{_label(session, key)}  {value:.6g} {_unit(session, key)}", p.curves[i % len(p.curves)])
    imgui.end_tooltip()


def _label(session: Session, key: str) -> str:
    return session.traces.label(key).split(" [")[0]


def _unit(session: Session, key: str) -> str:
    _, bracket, unit = session.traces.label(key).partition(" [")
    return unit.rstrip("]") if bracket else ""


def _save(session: Session) -> None:
    path = files.documents() / f"{session.frame.scene or 'record'}-{time.strftime('%Y%m%d-%H%M%S')}.csv"
    try:
        save_csv(session, path)
    except (OSError, BadInput) as error:
        session.say(f"the numbers could not be saved: {error}")
    else:
        session.say(f"saved {path}")


def save_csv(session: Session, path: Path) -> None:
    """All samples, header "name [unit]", time first; whole or not at all."""
    table = session.traces.table()
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["time [s]", *(session.traces.label(key) for key in table if key != "time")])
    writer.writerows(zip(*(column.tolist() for column in table.values())))
    files.write(path, text.getvalue().encode())
