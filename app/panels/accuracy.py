"""Panel of cost against accuracy: all solvers on this scene, over numbers of sweeps and step sizes; lower left is better."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.analysis.studies.cost_vs_accuracy import Accuracy, Point, label, name_of
from app.gui.controls import flags, style, widgets
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.panels import _background_run
from app.session import Session
from physics import solvers

TITLE = "Speed and accuracy"
PLACE = "bottom"
ORDER = 28
OPEN = False
GROUP = "Solver"
ABOUT = "cost of an accuracy, by solver"

SOLVER_MARKERS = (implot.Marker_.circle, implot.Marker_.square, implot.Marker_.diamond, implot.Marker_.up, implot.Marker_.down,
                  implot.Marker_.cross)
MIN_DRAWN_ERROR = 1e-15
"""Zero errors are drawn here, as a share of the largest."""
HOVER_DISTANCE = 9.0
"""Distance within which the mouse picks a point [px]."""

RUN_HELP = ("Run the scene as built with every supported solver: with increasing numbers of sweeps (or substeps or rounds) at "
            "its own step size, and with its own options at step sizes of 4, 2, 1, 1/2 and 1/4. Takes seconds, or minutes for "
            "large scenes. The scene in the window is not affected.")


@dataclass
class AccuracyState(_background_run.StudySettings):
    """Settings of the study."""


def draw(session: Session) -> None:
    asked = session.state(AccuracyState)

    def make() -> Accuracy:
        return Accuracy(session.scene, session.parameters, asked.key, asked.seconds)

    drawn = _background_run.draw(session, asked, "accuracy", RUN_HELP, make, lambda: _draw_text(asked.study))
    if drawn and asked.study is not None and asked.study.points:
        _plot(asked.study.points, asked.unit)


def _draw_text(study: Accuracy | None) -> None:
    p = style.palette()
    if study is None:
        widgets.wrapped("Accuracy and cost of each solver; each point is a run of this scene. Lower left is better.", p.dim)
        return
    if study.against:
        widgets.wrapped(message("Errors are relative to {against}.", against=study.against), p.dim)
    for place, solver in enumerate(solvers.available()):
        if any(point.solver == solver for point in study.points):
            widgets.swatch(colour_of(place))
            imgui.text_unformatted(name_of(solver))
    widgets.dim_text("filled: more sweeps; hollow: smaller steps")
    for sentence in study.left_out:
        widgets.wrapped(sentence, p.warn)


def colour_of(place: int) -> style.RGBA:
    """Colour of the solver with that index."""
    curves = style.palette().curves
    return curves[place % len(curves)]


def _families(points: tuple[Point, ...]) -> Iterator[tuple[int, str, list[Point]]]:
    """Points of one solver with one setting varied, and the solver's index."""
    for place, solver in enumerate(solvers.available()):
        for knob in dict.fromkeys(point.knob for point in points if point.solver == solver):
            yield place, knob, [point for point in points if (point.solver, point.knob) == (solver, knob)]


def _height(point: Point, largest: float) -> float:
    """Height of the point's error on a logarithmic axis. largest: of all errors."""
    return max(point.error, MIN_DRAWN_ERROR * largest)


def _plot(points: tuple[Point, ...], unit: str) -> None:
    """Plot log error over log cost."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##accuracy", imgui.ImVec2(-widgets.scaled(6.0), -1.0), flags.WITHOUT_LEGEND):
        return
    cost = np.array([1e3 * point.cost for point in points])
    largest = max(point.error for point in points) or 1.0
    error = np.array([_height(point, largest) for point in points])
    for axis, name, of, values, length in ((Axis.x1, "CPU time per simulated second", "ms", cost, room.x),
                                           (Axis.y1, "error", unit, error, room.y)):
        air = 1.4 * (values.max() / values.min()) ** 0.05
        axes.decades(axis, name, of, values.min() / air, values.max() * air, length)
    implot.setup_finish()
    for place, knob, family in _families(points):
        colour, step = style.vec(colour_of(place)), knob == "step"
        x = np.array([1e3 * point.cost for point in family])
        y = np.array([_height(point, largest) for point in family])
        implot.plot_line(f"{name_of(family[0].solver)}##{knob}", x, y, implot.Spec(
            line_color=colour, line_weight=widgets.scaled(0.8 if step else 1.6),
            marker=SOLVER_MARKERS[place % len(SOLVER_MARKERS)], marker_size=widgets.scaled(4.5), marker_line_color=colour,
            marker_fill_color=style.vec(p.panel) if step else colour))
    _read(points, unit, largest)
    implot.end_plot()


def _read(points: tuple[Point, ...], unit: str, largest: float) -> None:
    """Show the values of the point under the mouse."""
    if not implot.is_plot_hovered():
        return
    mouse = imgui.get_mouse_pos()

    def away(point: Point) -> float:
        at = implot.plot_to_pixels(1e3 * point.cost, _height(point, largest))
        return float(np.hypot(at.x - mouse.x, at.y - mouse.y))

    point = min(points, key=away)
    if away(point) <= widgets.scaled(HOVER_DISTANCE):
        imgui.set_tooltip(message("{solver} with {knob}\n{cost} ms per second, error {error} {unit}",
                                  solver=name_of(point.solver), knob=label(point.knob, point.value),
                                  cost=rounded(1e3 * point.cost), error=rounded(point.error), unit=unit).rstrip())
