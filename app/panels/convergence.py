"""How fast a quantity of the scene converges as the step shrinks: runs at h, h/2, h/4, .. beside the one in the window."""

from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.edits import file_of
from app.gui.controls import flags, style, widgets
from app.gui.plots import axes
from app.gui.speaking import imgui, implot
from app.insight.convergence import Row, Study
from app.panels import _beside
from app.session import Session

TITLE = "Convergence"
PLACE = "bottom"
ORDER = 27
OPEN = False

HELP = ("Run the scene as built, with this solver and its options, at steps of 4, 2, 1, 1/2, 1/4, 1/8 of its own. The scene in "
        "the window goes on.")


@dataclass
class State(_beside.Asked):
    """As asked."""


def draw(session: Session) -> None:
    state, simulation = session.memory(State), session.simulation

    def make() -> Study:
        solver = simulation.world.solver
        return Study(session.scene, session.parameters, file_of(solver), solver.options, state.key, state.seconds)

    if _beside.draw(session, state, "study", HELP, make, lambda: _tell(state)) and state.study is not None \
            and len(state.study.rows) > 1:
        _plot(state, state.study.rows)


def _tell(state: State) -> None:
    """The numbers, or why there are none."""
    study, p = state.study, style.palette()
    if study is None:
        widgets.wrapped("How much a quantity changes when the step is halved is about the error. It shrinks with the step: "
                        "in proportion if the method is of first order (slope 1), with its square if of second.", p.dim)
        return
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
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##convergence", imgui.ImVec2(-widgets.px(6.0), -1.0), flags.BARE):
        return
    h, change = 1e3 * np.array([r.h for r in rows]), np.array([r.change for r in rows])
    axes.decades(Axis.x1, "h", "ms", 0.6 * h.min(), 1.6 * h.max(), room.x)
    axes.decades(Axis.y1, "change", state.unit, 0.4 * change.min(), 2.5 * change.max(), room.y)
    implot.setup_finish()
    middle, slope = np.exp(np.log(change).mean()) / np.exp(np.log(h).mean()) ** state.study.order, state.study.order
    ends = np.array([0.7 * h.min(), 1.4 * h.max()])
    implot.plot_line("slope", ends, middle * ends**slope, implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.px(1.2)))
    implot.plot_scatter("changes", h, change, implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.px(4.0),
                                                        marker_fill_color=style.vec(p.curves[0]),
                                                        marker_line_color=style.vec(p.curves[0])))
    implot.end_plot()
