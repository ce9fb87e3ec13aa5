"""One of the stacked plots: its axes, curves, published points, laws, and mouse interaction."""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.curves.curve_statistics import CurveCache, dashed, every_nth, nearest_point, span, thinned
from app.analysis.curves.curves import COMPARED, LIVE, MINUS, SAVED_RUN, CurveLine, CurveSet
from app.analysis.curves.plot_layout import MAX_UNITS_PER_PLOT, Plot, PlotLayout
from app.engine import commands
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import pretty
from app.gui.output.panel_image import PanelImage
from app.gui.plots import axes, law_lines, plot_readout, published_marks
from app.i18n.imgui_translated import imgui, implot
from app.session import Session

DASH_AND_GAP = (5.0, 5.0)
"""Dash and gap of a kept run's curve [px at scale 1]."""
SOLVERS = ((), (14.0, 5.0), (9.0, 4.0, 2.0, 4.0), (2.0, 4.0))
"""As DASH_AND_GAP, of compared solvers by their number: a quantity has one colour under all of them."""

MAX_HOVER_DISTANCE = 14.0
"""Distance from a path at which the mouse reads it [px at scale 1]."""

MIN_NAMED_HEIGHT = 170.0
"""Plot height from which its time axis has a name [px at scale 1]."""

MAX_CLICK_MOTION = 4.0
"""Largest motion between press and release of a click [px at scale 1]."""

DIFFERENCE_PLOT = Plot(0)
"""The plot of differences from a kept run."""


@dataclass
class PlotMouse:
    """State of the mouse in the plots. leading: the part whose time axis was moved last; pressed: (part, time) of the press;
    measuring: (part, time) where a span was begun; clicked: (when, time [s]) of a click that may become a double click;
    line_held: a line of the span is dragged; limits: limits of the axes in the last picture, by part."""

    leading: int = 1
    pressed: tuple[int, float] | None = None
    measuring: tuple[int, float] | None = None
    clicked: tuple[float, float] | None = None
    line_held: bool = False
    limits: dict[int, dict[int, tuple[float, float]]] = field(default_factory=dict)


def draw(session: Session, layout: PlotLayout, picture: CurveSet, part: Plot, keys: tuple[str, ...], height: float) -> None:
    """Draw a plot as wide as the panel."""
    kinds = (MINUS,) if part is DIFFERENCE_PLOT else (LIVE, COMPARED, SAVED_RUN)
    lines = [line for line in picture.over(keys, part.x_of) if line.kind in kinds]
    units = list(dict.fromkeys(line.unit for line in lines))[:MAX_UNITS_PER_PLOT]
    posing = session.state(PanelImage).of == "plot"
    if not implot.begin_plot(f"##part {part.number}", imgui.ImVec2(-1.0, height), flags.PLOT if posing else flags.WITHOUT_LEGEND):
        return
    if posing:
        implot.setup_legend(implot.Location_.north_west)
    touch = session.state(PlotMouse)
    _axes(session, layout, touch, picture, part, lines, units, height=height,
          named=posing or height > widgets.scaled(MIN_NAMED_HEIGHT))
    for i, line in enumerate(lines):
        if line.unit in units:
            implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y1 + units.index(line.unit))
            _curve(session.state(CurveCache), (part.number, i), line, picture.present)
            if line.kind == LIVE and not part.x:
                published_marks.draw(session, line)
                law_lines.draw(session, line.key)
    implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y1)
    if not part.x and part is not DIFFERENCE_PLOT:
        published_marks.draw_times(session, keys)
    if not lines:
        limits = implot.get_plot_limits()
        implot.plot_text("+ Quantity, to draw something here", 0.5 * (limits.x.min + limits.x.max),
                         0.5 * (limits.y.min + limits.y.max))
    (_path_mouse if part.x else _time_mouse)(session, layout, touch, picture, part, lines, units)
    _pan_and_zoom(layout, touch, part)
    corner, size = implot.get_plot_pos(), implot.get_plot_size()
    implot.end_plot()
    if widgets.clickable_areas is not None:
        widgets.clickable_areas[f"plot/part {part.number}"] = (corner.x, corner.y, corner.x + size.x, corner.y + size.y)


# ---- axes


def _axes(session: Session, layout: PlotLayout, touch: PlotMouse, picture: CurveSet, part: Plot, lines: list[CurveLine],
          units: list[str], *, height: float, named: bool) -> None:
    """Set up the axes. height: of the plot [px]; named: whether the time axis has its name."""
    Axis, Flags = implot.ImAxis_, implot.AxisFlags_
    still = Flags.lock if imgui.get_io().key_shift else Flags.none     # while a span is measured, nothing moves
    fit = imgui.Cond_.always if layout.follow else imgui.Cond_.once
    seen = {} if layout.follow else touch.limits.get(part.number, {})
    width = imgui.get_content_region_avail().x
    if part.x:
        label, unit = dict(picture.names).get(part.x, (part.x, ""))
        label = component(part.x) if len({x for _, x in part.pairs}) > 1 else label     # the same of several bodies
        axes.even(Axis.x1, label, unit, *span([line.x for line in lines], unit), width, still, cond=fit, shown=seen.get(Axis.x1))
    else:
        start, end = layout.window(picture.present, picture.end)
        led = layout.follow or touch.leading != part.number
        axes.even(Axis.x1, "t" if named else "", "s" if named else "", start, max(end, start + 1e-6), width, still,
                  cond=imgui.Cond_.always if led else imgui.Cond_.once, shown=None if led else seen.get(Axis.x1))
    for i, unit in enumerate(units):
        side = Flags.none if i == 0 else Flags.opposite | Flags.no_grid_lines
        shown = [line for line in lines if line.unit == unit]
        lo, hi = span([values for line in shown for values in _levels(session, line, part)], unit)
        name = component(part.pairs[0][0]) if part.pairs and i == 0 else ""
        tints, colours = {line.tint for line in shown} if len(units) > 1 else set(), style.palette().curves
        if len(tints) == 1:     # an axis of one quantity has its colour
            implot.push_style_color(implot.Col_.axis_text, style.vec(colours[min(tints) % len(colours)]))
        axes.even(Axis.y1 + i, name, unit, lo, hi, height, side | still, cond=fit, shown=seen.get(Axis.y1 + i))
        if len(tints) == 1:
            implot.pop_style_color()
    implot.setup_finish()
    touch.limits[part.number] = {axis: axes.limits(axis) for axis in (Axis.x1, *(Axis.y1 + i for i in range(len(units))))}


def component(key: str) -> str:
    """Name of a quantity without its owner."""
    return key.rpartition(".")[2]


def _levels(session: Session, line: CurveLine, part: Plot) -> list[np.ndarray]:
    """Values that the axis of a curve must show."""
    if line.kind != LIVE or part.x:
        return [line.values]
    points = (np.array(c.values, float) for c in published_marks.references(session, line.key))
    return [line.values, *points, *law_lines.levels(session, line.key)]


def _pan_and_zoom(layout: PlotLayout, touch: PlotMouse, part: Plot) -> None:
    """Stop following on drag or zoom; follow again on a double click."""
    io = imgui.get_io()
    moved = implot.is_plot_hovered() or implot.is_axis_hovered(implot.ImAxis_.x1)
    dragged = imgui.is_mouse_dragging(0) or imgui.is_mouse_dragging(1)
    if moved and not touch.line_held and ((dragged and not io.key_shift and touch.measuring is None) or io.mouse_wheel != 0.0):
        layout.follow = False
        touch.leading = part.number if not part.x else touch.leading
    if implot.is_plot_hovered() and imgui.is_mouse_double_clicked(0):
        layout.follow, touch.clicked, touch.pressed = True, None, None
    if not part.x and (layout.follow or touch.leading == part.number):
        limits = implot.get_plot_limits(implot.ImAxis_.x1, implot.ImAxis_.y1)
        layout.limits = limits.x.min, limits.x.max


# ---- curves


def _curve(ready: CurveCache, place: tuple[int, int], line: CurveLine, present: float) -> None:
    """Draw a curve. place: its number among those drawn."""
    p, number = style.palette(), place[1]
    colour = p.curves[line.tint % len(p.curves)]
    x = line.times if line.x is None else line.x
    name = f"{line.name} [{pretty(line.unit)}]##{number}" if line.unit else f"{line.name}##{number}"
    pattern = DASH_AND_GAP if line.kind == SAVED_RUN else SOLVERS[line.solver % len(SOLVERS)]
    pixel, flags = (_pixel(), implot.LineFlags_.segments) if pattern else ((1.0, 1.0), 0)
    lengths = tuple(map(widgets.scaled, pattern))

    def made(name: str, part: slice) -> tuple[np.ndarray, np.ndarray]:
        return ready.of((*place, name), x[part], line.values[part], _drawn, line.x is None, pixel, lengths)

    if line.kind == SAVED_RUN:
        _stroke(name, *made("all", slice(None)), colour, 0.8, 1.2, flags)
        return
    now = int(np.searchsorted(line.times, present, side="right"))
    weight = 1.6 if line.kind == LIVE else 1.3
    _stroke(name, *made("now", slice(now)), colour, 1.0, weight, flags)
    if now < len(x):    # the recorded future, after the shown moment
        _stroke(f"##ahead {number}", *made("ahead", slice(max(0, now - 1), None)), colour, 0.4, weight, flags)
    if line.x is not None and now:
        implot.plot_scatter(f"##now {number}", x[now - 1 : now].copy(), line.values[now - 1 : now].copy(), implot.Spec(
            marker=implot.Marker_.circle, marker_size=widgets.scaled(3.5), marker_fill_color=style.vec(colour),
            marker_line_color=style.vec(p.text)))


def _pixel() -> tuple[float, float]:
    """Size of a pixel on both axes."""
    limits, size = implot.get_plot_limits(), implot.get_plot_size()
    return (limits.x.max - limits.x.min) / size.x, (limits.y.max - limits.y.min) / size.y


def _drawn(x: np.ndarray, y: np.ndarray, over_time: bool, pixel: tuple[float, float],
           pattern: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The points of a curve, or the ends of its dashes."""
    x, y = (thinned if over_time else every_nth)(x, y)
    return dashed(x, y, pixel, pattern) if pattern else (x, y)


def _stroke(name: str, x: np.ndarray, y: np.ndarray, colour: style.RGBA, alpha: float, weight: float, flags: int = 0) -> None:
    implot.plot_line(name, np.ascontiguousarray(x), np.ascontiguousarray(y), implot.Spec(
        line_color=style.vec(colour, alpha), line_weight=widgets.scaled(weight), flags=flags))


# ---- the mouse


def _time_mouse(session: Session, layout: PlotLayout, touch: PlotMouse, picture: CurveSet, part: Plot, lines: list[CurveLine],
                units: list[str]) -> None:
    """Show the present, the ends of a measured span and the values under the cursor; a click goes to that time."""
    p = style.palette()
    implot.plot_inf_lines("##present", np.array([picture.present]), implot.Spec(line_color=style.vec(p.text, 0.55),
                                                                               line_weight=widgets.scaled(1.0)))
    hovered = implot.is_plot_hovered()
    at = implot.get_plot_mouse_pos(implot.ImAxis_.x1, implot.ImAxis_.y1).x
    over_line = _span_lines(layout, touch)
    if hovered and imgui.get_io().key_shift and imgui.is_mouse_clicked(0):
        touch.measuring = part.number, at
    if touch.measuring is not None and touch.measuring[0] == part.number:
        layout.measured = touch.measuring[1], at
        if not imgui.is_mouse_down(0):
            touch.measuring = None
            if abs(layout.measured[1] - layout.measured[0]) < 1e-9:
                layout.measured = None
    elif hovered and not over_line:
        _click(session, touch, part, at)
    if hovered:
        implot.plot_inf_lines("##cursor", np.array([at]), implot.Spec(line_color=style.vec(p.dim, 0.6)))
        plot_readout.cursor([line for line in lines if line.unit in units], at, lambda: published_marks.read_times(session, at))


def _span_lines(layout: PlotLayout, touch: PlotMouse) -> bool:
    """Draw two draggable lines with the span between them tinted; True while the mouse is on one of them."""
    touch.line_held = False
    if layout.measured is None:
        return False
    p, limits = style.palette(), implot.get_plot_limits()
    (a, b), top, bottom = sorted(layout.measured), limits.y.max, limits.y.min
    implot.push_plot_clip_rect()
    implot.get_plot_draw_list().add_rect_filled(implot.plot_to_pixels(a, top), implot.plot_to_pixels(b, bottom),
                                                style.u32(p.accent, 0.16))
    implot.pop_plot_clip_rect()
    ends, hovered = list(layout.measured), False
    for k in range(2):
        _, ends[k], _, over, held = implot.drag_line_x(21 + k, ends[k], style.vec(p.accent_strong), widgets.scaled(1.5),
                                                       implot.DragToolFlags_.no_fit, False, False, False)
        hovered, touch.line_held = hovered or bool(over) or bool(held), touch.line_held or bool(held)
    layout.measured = ends[0], ends[1]
    return hovered


def _path_mouse(session: Session, layout: PlotLayout, touch: PlotMouse, picture: CurveSet, part: Plot, lines: list[CurveLine],
                units: list[str]) -> None:
    """Over another quantity: show the nearest point of a curve; a click goes to its time."""
    if not implot.is_plot_hovered():
        return
    best: tuple[float, CurveLine, int, int] | None = None
    size = implot.get_plot_size()
    for line in lines:
        if line.unit in units:
            axis = implot.ImAxis_.y1 + units.index(line.unit)
            limits, mouse = implot.get_plot_limits(implot.ImAxis_.x1, axis), implot.get_plot_mouse_pos(implot.ImAxis_.x1, axis)
            pixel = (limits.x.max - limits.x.min) / size.x, (limits.y.max - limits.y.min) / size.y
            i, distance = nearest_point(line.x, line.values, (mouse.x, mouse.y), pixel)
            if i >= 0 and distance < widgets.scaled(MAX_HOVER_DISTANCE) and (best is None or distance < best[0]):
                best = distance, line, i, axis
    if best is None:
        return
    _, line, i, axis = best
    implot.set_axes(implot.ImAxis_.x1, axis)
    implot.plot_scatter("##read", line.x[i : i + 1].copy(), line.values[i : i + 1].copy(), implot.Spec(
        marker=implot.Marker_.circle, marker_size=widgets.scaled(4.5), marker_fill_color=style.vec(style.palette().panel),
        marker_line_color=style.vec(style.palette().text)))
    plot_readout.point(line, i, dict(picture.names).get(part.x_of(line.key), (part.x, "")))
    _click(session, touch, part, float(line.times[i]))


def _click(session: Session, touch: PlotMouse, part: Plot, at: float) -> None:
    """Detect a click: released where pressed. It waits until it cannot become a double click."""
    io = imgui.get_io()
    if imgui.is_mouse_clicked(0) and not io.key_shift:
        touch.pressed = part.number, at
    if imgui.is_mouse_released(0) and touch.pressed is not None and touch.pressed[0] == part.number:
        moved = imgui.get_mouse_drag_delta(0, 0.0)
        if moved.x**2 + moved.y**2 <= widgets.scaled(MAX_CLICK_MOTION) ** 2:
            touch.clicked = imgui.get_time(), touch.pressed[1]
        touch.pressed = None


def follow_click(session: Session, touch: PlotMouse, first: float, last: float) -> None:
    """Call once per picture: go to the clicked time once it is certain to be a single click."""
    if touch.clicked is not None and imgui.get_time() - touch.clicked[0] > imgui.get_io().mouse_double_click_time:
        session.post(commands.go_to_time, min(max(touch.clicked[1], first), last))
        touch.clicked = None
