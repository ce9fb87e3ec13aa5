"""How fast a quantity of the scene converges as the step shrinks: runs at h, h/2, h/4, .. beside the one in the window."""

from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.edits import file_of
from app.gui.controls import flags, style, widgets
from app.gui.speaking import imgui, implot
from app.insight.convergence import Row, Study
from app.session import Session
from physics import BadInput, quantities

TITLE = "Convergence"
PLACE = "bottom"
ORDER = 27
OPEN = False


@dataclass
class State:
    """What was asked for. seconds: simulated time of the study."""

    key: str = ""
    seconds: float = 1.0
    scene: str = ""
    study: Study | None = None
    unit: str = ""


def draw(session: Session) -> None:
    state, simulation = session.memory(State), session.simulation
    keys = tuple(session.scene.plots) if session.scene else ()
    if not keys:
        widgets.dim("This scene plots no quantity whose convergence could be looked at.")
        return
    if state.scene != simulation.scene_name:
        if state.study is not None:
            state.study.cancel()
        state.scene, state.study, state.key = simulation.scene_name, None, keys[0]
        state.seconds = min(2.0, session.scene.check_time)
    left = widgets.px(300.0)
    if imgui.begin_child("asked", imgui.ImVec2(left, 0.0)):
        _ask(session, state, keys)
        _tell(state)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if state.study is not None and len(state.study.rows) > 1:
        _plot(state, state.study.rows)


def _ask(session: Session, state: State, keys: tuple[str, ...]) -> None:
    """Which quantity, how long; run or cancel."""
    chosen = widgets.choice("quantity", state.key, keys, "Compared at the times of the largest step.",
                            lambda key: _label(session, key))
    if chosen is not None:
        state.key = chosen
    seconds = widgets.number("time", state.seconds, lo=0.1, hi=20.0, unit="s",
                             help="Simulated time of each run. Chaotic motion, as a pile's, converges for a short time only.")
    if seconds is not None:
        state.seconds = float(seconds)
    study = state.study
    if study is not None and not study.done:
        if widgets.button("Cancel", "End the study.", name="cancel study", width=widgets.px(90.0)):
            study.cancel()
        imgui.same_line()
        widgets.bar(study.progress, f"{100.0 * study.progress:.0f} %", style.palette().dim)
    elif widgets.button("Run", "Run the scene as built, with this solver and its options, at steps of 4, 2, 1, 1/2, 1/4, 1/8 of "
                               "its own. The scene in the window goes on.", name="run study", accent=True,
                        width=widgets.px(90.0)):
        _start(session, state)


def _start(session: Session, state: State) -> None:
    simulation = session.simulation
    solver = simulation.world.solver
    name = file_of(solver)
    state.study = Study(session.scene, simulation.parameters, name, solver.options, state.key, state.seconds)
    state.unit = _unit(session, state.key)
    state.study.start()


def _tell(state: State) -> None:
    """The numbers, or why there are none."""
    study, p = state.study, style.palette()
    if study is None:
        widgets.wrapped("How much a quantity changes when the step is halved is about the error. It shrinks with the step: "
                        "in proportion if the method is of first order (slope 1), with its square if of second.", p.dim)
        return
    if study.problem:
        widgets.wrapped(study.problem, p.warn)
    if not study.rows:
        return
    widgets.coloured(f"change ~ h^{study.order:.2f}" if np.isfinite(study.order) else "one point: no slope", p.text)
    if imgui.begin_table("rows", 2):
        for row in study.rows:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.dim(f"h = {few(1e3 * row.h, 4)} ms")
            imgui.table_next_column()
            widgets.right(f"{few(row.change)} {state.unit}")
        imgui.end_table()


def _plot(state: State, rows: tuple[Row, ...]) -> None:
    """log change over log h, and the line of the slope through it."""
    p, Axis = style.palette(), implot.ImAxis_
    if not implot.begin_plot("##convergence", imgui.ImVec2(-widgets.px(6.0), -1.0), flags.BARE):
        return
    h, change = 1e3 * np.array([r.h for r in rows]), np.array([r.change for r in rows])
    implot.setup_axis(Axis.x1, "h [ms]")
    implot.setup_axis(Axis.y1, f"change [{state.unit}]" if state.unit else "change")
    implot.setup_axis_scale(Axis.x1, implot.Scale_.log10)
    implot.setup_axis_scale(Axis.y1, implot.Scale_.log10)
    implot.setup_axis_limits(Axis.x1, 0.6 * h.min(), 1.6 * h.max(), imgui.Cond_.always)
    implot.setup_axis_limits(Axis.y1, 0.4 * change.min(), 2.5 * change.max(), imgui.Cond_.always)
    implot.setup_finish()
    middle, slope = np.exp(np.log(change).mean()) / np.exp(np.log(h).mean()) ** state.study.order, state.study.order
    ends = np.array([0.7 * h.min(), 1.4 * h.max()])
    implot.plot_line("slope", ends, middle * ends**slope, implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.px(1.2)))
    implot.plot_scatter("changes", h, change, implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.px(4.0),
                                                        marker_fill_color=style.vec(p.curves[0]),
                                                        marker_line_color=style.vec(p.curves[0])))
    implot.end_plot()


def _label(session: Session, key: str) -> str:
    try:
        return quantities.find(session.simulation.world, key).label
    except BadInput:
        return key


def _unit(session: Session, key: str) -> str:
    try:
        return quantities.find(session.simulation.world, key).unit
    except BadInput:
        return ""
