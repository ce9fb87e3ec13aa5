"""ST96's particle in a potential (20): a step as a problem of two unknowns on the map of its potential, and a run's energy.

A study of its own, like a page of the paper: it shares no world with the scene.
"""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.energy import potential_step
from app.analysis.energy.potential_step import EXTENT, Curvature, PotentialStep
from app.gui.controls import flags, style, widgets
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded, signed
from app.session import Session
from physics.complementarity.copositive import Verdict

TITLE = "Potential"
PLACE = "bottom"
ORDER = 31
OPEN = False
GROUP = "Solver"
ABOUT = "map of the potential of a step"

CELLS = 60
"""Cells of the map on each side."""

TOP_COLOUR = 0.66
"""Share of the colours that the map uses: the path, which is white, cannot be seen on the brightest ones."""

STEP, FIELD = "potential of the step", "potential"
"""What the map shows: Phi, whose stationary point a step ends at, or V."""

CONTROLS_WIDTH = 300.0
"""Largest width of the controls beside the plots [px at scale 1]."""

NARROW_WIDTH = 480.0
"""Width of the panel below which everything is one below the other [px at scale 1]."""

MAX_STEPS = 200


@dataclass
class PotentialState:
    """Choices, and what follows from them, until the next change. stiffness [N/m] along x and y; h [s]; start: where the run
    starts [m], with the velocity [m/s]; count: steps of the run; shown: number of the step on the map, 1 is the first; mapped:
    STEP or FIELD."""

    stiffness: tuple[float, float] = (6.0, 2.0)
    h: float = 0.2
    start: tuple[float, float] = (1.9, 1.3)
    velocity: tuple[float, float] = (0.0, 1.0)
    count: int = 40
    shown: int = 1
    mapped: str = STEP
    made_for: tuple = ()
    steps: list[PotentialStep] = field(default_factory=list)
    map: np.ndarray = field(default_factory=lambda: np.zeros((CELLS, CELLS)))
    solutions: tuple[np.ndarray, ...] = ()


def draw(session: Session) -> None:
    state = session.state(PotentialState)
    room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x
    _update(state)
    if room.x < widgets.scaled(NARROW_WIDTH):
        _controls(state)
        _map(state, widgets.scaled(220.0))
        _energy(state, widgets.scaled(150.0))
        return
    if imgui.begin_child("choices", imgui.ImVec2(min(widgets.scaled(CONTROLS_WIDTH), 0.37 * room.x), 0.0)):
        _controls(state)
    imgui.end_child()
    imgui.same_line(0.0, gap)
    if imgui.begin_child("map", imgui.ImVec2(0.5 * imgui.get_content_region_avail().x, 0.0)):
        _map(state, -1.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("energy", imgui.ImVec2(0.0, 0.0)):
        _energy(state, -1.0)
    imgui.end_child()


def _update(state: PotentialState) -> None:
    """Compute the run and the map again after a change."""
    key = (state.stiffness, state.h, state.start, state.velocity, state.count, state.mapped, state.shown)
    if key == state.made_for:
        return
    first = PotentialStep(np.array(state.stiffness), state.h, np.array(state.start), np.array(state.velocity))
    state.steps = potential_step.run(first, state.count)
    state.shown = min(state.shown, max(1, len(state.steps) - 1))
    state.made_for = (*key[:-1], state.shown)
    one = state.steps[state.shown - 1]
    middles = (np.arange(CELLS) + 0.5) * EXTENT / CELLS
    places = np.stack(np.meshgrid(middles, middles[::-1]), axis=-1)
    values = one.step_potential(places) if state.mapped == STEP else one.potential(places)
    values = values - values.min()
    state.map = np.sqrt(values / max(float(values.max()), 1e-300))
    state.solutions = tuple(one.solutions())


def _controls(state: PotentialState) -> None:
    """Draw the choices and what the step and the run are like."""
    widgets.wrapped(energy_text(state.steps))
    widgets.register_area("energy text")
    widgets.wrapped(problem_text(state.steps[state.shown - 1], len(state.solutions)), style.palette().dim)
    widgets.register_area("problem text")
    stiffness, usual = list(state.stiffness), PotentialState()
    for k, label in enumerate(("stiffness x", "stiffness y")):
        new = widgets.number(label, stiffness[k], lo=-20.0, hi=20.0, unit="N/m", default=usual.stiffness[k],
                             help="Second derivative of the potential in this direction. Both positive: convex, a well; both "
                                  "negative: concave, a hill.")
        stiffness[k] = stiffness[k] if new is None else new
    state.stiffness = stiffness[0], stiffness[1]
    new = widgets.number("step size", state.h, lo=0.01, hi=1.5, unit="s", default=usual.h, help="Step size h of the run.")
    state.h = state.h if new is None else new
    new = widgets.number("steps", state.count, lo=1, hi=MAX_STEPS, default=usual.count, help="Number of steps of the run.")
    state.count = state.count if new is None else new
    new = widgets.number("shown step", state.shown, lo=1, hi=max(1, len(state.steps) - 1),
                         help="The step whose potential the map shows. Click on the map to start elsewhere.")
    state.shown = state.shown if new is None else new
    mapped = widgets.choice("map", state.mapped, (STEP, FIELD), "The potential of the step has its stationary point where the "
                            "step ends; the potential itself pulls the particle.")
    state.mapped = mapped or state.mapped


def energy_text(steps: list[PotentialStep]) -> str:
    """The statement of ST96 3.3 about this potential, and the result of the run."""
    change = signed(steps[-1].energy - steps[0].energy)
    if steps[0].curvature is Curvature.CONVEX:
        return message("Convex: no step gains energy. The run changes it by {change} J.", change=change)
    if steps[0].curvature is Curvature.CONCAVE:
        return message("Concave: no step loses energy, except at a wall. The run changes it by {change} J.", change=change)
    return message("Neither convex nor concave: gain or loss depends on the step. The run changes it by {change} J.",
                   change=change)


def problem_text(one: PotentialStep, solutions: int) -> str:
    """Whether the problem of a step is copositive, with the vector that proves it, and how many solutions it has."""
    found = one.copositivity()
    if found.verdict is Verdict.NOT:
        parts = " + ".join(f"{rounded(share)} {axis}" for share, axis in zip(found.witness, "xy") if share > 0.0)
        return message("Not copositive: z'Mz = {value} N/m for z = {parts}. This step has {solutions} solutions.",
                       value=rounded(found.value), parts=parts, solutions=solutions)
    return message("Copositive with smallest eigenvalue {least} N/m: this step has a solution.",
                   least=rounded(np.diag(one.matrix).min()))


def _map(state: PotentialState, height: float) -> None:
    """Draw the potential of the shown step over its two unknowns, its solutions, and the path of the run."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##step potential", imgui.ImVec2(-widgets.scaled(4.0), height), flags.WITHOUT_LEGEND):
        return
    axes.even(Axis.x1, "x", "m", 0.0, EXTENT, room.x)
    axes.even(Axis.y1, "y", "m", 0.0, EXTENT, height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.push_colormap(implot.Colormap_.viridis)
    implot.plot_heatmap("##map", state.map, 0.0, 1.0 / TOP_COLOUR, "", implot.Point(0.0, 0.0), implot.Point(EXTENT, EXTENT))
    implot.pop_colormap()
    places = np.array([one.pos for one in state.steps])
    white = imgui.ImVec4(1.0, 1.0, 1.0, 0.9)
    implot.plot_line("##path", places[:, 0].copy(), places[:, 1].copy(),
                     implot.Spec(line_color=white, line_weight=widgets.scaled(1.2)))
    _mark("##places", places, implot.Marker_.circle, 1.8, (1.0, 1.0, 1.0, 0.9))
    _mark("##start", places[state.shown - 1 : state.shown], implot.Marker_.square, 5.0, p.curves[1])
    if state.solutions:
        _mark("##all cases", np.array(state.solutions), implot.Marker_.diamond, 5.0, p.curves[5])
    if state.shown < len(places):
        _mark("##solved", places[state.shown : state.shown + 1], implot.Marker_.circle, 7.5, (1.0, 1.0, 1.0, 0.35))
    if implot.is_plot_hovered():
        at = implot.get_plot_mouse_pos(Axis.x1, Axis.y1)
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(widgets.scaled(320.0))
        imgui.text_unformatted(read(state, at.x, at.y))
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
        if imgui.is_mouse_clicked(0):
            state.start, state.shown = (max(0.0, at.x), max(0.0, at.y)), 1
    implot.end_plot()
    widgets.register_area("step potential")


def _mark(name: str, places: np.ndarray, marker: int, size: float, colour: style.RGBA) -> None:
    """Draw marks at places (n, 2), edged in white: they lie on a map of many colours."""
    implot.plot_scatter(name, places[:, 0].copy(), places[:, 1].copy(), implot.Spec(
        marker=marker, marker_size=widgets.scaled(size), marker_fill_color=style.vec(colour),
        marker_line_color=imgui.ImVec4(1.0, 1.0, 1.0, 1.0), line_weight=widgets.scaled(1.4)))


def read(state: PotentialState, x: float, y: float) -> str:
    """Both potentials at a place of the map, and what the marks on it are."""
    one, at = state.steps[state.shown - 1], np.array([x, y])
    return (message("At x = {x} m, y = {y} m: potential {potential} J, potential of the step {step_potential} J. Square: where "
                    "the step starts. Ring: where it ends by Lemke's algorithm. Diamond: solutions by trying all cases.",
                    x=rounded(x), y=rounded(y), potential=rounded(float(one.potential(at))),
                    step_potential=rounded(float(one.step_potential(at)))))


def _energy(state: PotentialState, height: float) -> None:
    """Plot the energy of the run against its steps."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##energy", imgui.ImVec2(-widgets.scaled(4.0), height), flags.WITHOUT_LEGEND):
        return
    energy = np.array([one.energy for one in state.steps])
    low, high = float(energy.min()), float(energy.max())
    spare = 0.08 * (high - low) or 0.1 * max(abs(high), 1.0)
    axes.even(Axis.x1, "steps", "", 0.0, float(max(1, len(energy) - 1)), room.x, whole=True)
    axes.even(Axis.y1, "energy", "J", low - spare, high + spare, height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.plot_inf_lines("##shown", np.array([float(state.shown)]),
                          implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.scaled(1.0)))
    colour = style.vec(p.bad if energy[-1] > energy[0] else p.curves[0])
    implot.plot_line("energy", np.arange(len(energy), dtype=float), energy,
                     implot.Spec(line_color=colour, line_weight=widgets.scaled(1.6)))
    implot.end_plot()
    widgets.register_area("energy")
