"""Convergence of a quantity of the scene as the step shrinks: background runs at h, h/2, h/4, .."""

from dataclasses import dataclass

import numpy as np

from app.analysis.studies.convergence import ConvergenceRow, Study
from app.engine.undo.difference import file_of
from app.gui.controls import flags, style, widgets
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.panels import _background_run
from app.session import Session

TITLE = "Convergence"
PLACE = "bottom"
ORDER = 27
OPEN = False
GROUP = "Solver"
ABOUT = "what smaller steps change"

RUN_HELP = ("Run the scene as built with this solver and its options, at step sizes of 4, 2, 1, 1/2, 1/4 and 1/8 of its own. The "
            "scene in the window is not affected.")


@dataclass
class ConvergenceState(_background_run.StudySettings):
    """Settings of the study."""


def draw(session: Session) -> None:
    state = session.state(ConvergenceState)

    def make() -> Study:
        solver = session.frame.solver_state
        return Study(session.scene, session.parameters, file_of(solver), solver.options, state.key, state.seconds)

    if _background_run.draw(session, state, "study", RUN_HELP, make, lambda: _draw_text(state)) and state.study is not None \
            and len(state.study.rows) > 1:
        _plot(state, state.study.rows)


def _draw_text(state: ConvergenceState) -> None:
    """Draw the numbers, or the reason why there are none."""
    study, p = state.study, style.palette()
    if study is None:
        widgets.wrapped("The change of a quantity when the step size is halved estimates its error. It is proportional to the "
                        "step size for a first-order method (slope 1) and to its square for a second-order method (slope "
                        "2).", p.dim)
        return
    if not study.rows:
        return
    widgets.coloured(message("change ~ h^{order:.2f}",
                             order=study.order) if np.isfinite(study.order) else "one point: no slope", p.text)
    if imgui.begin_table("rows", 2):
        for row in study.rows:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.dim_text(message("h = {h} ms", h=rounded(1e3 * row.h, 4)))
            imgui.table_next_column()
            widgets.right(f"{rounded(row.change)} {state.unit}")
        imgui.end_table()


def _plot(state: ConvergenceState, rows: tuple[ConvergenceRow, ...]) -> None:
    """Plot log change over log h, with the fitted line."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##convergence", imgui.ImVec2(-widgets.scaled(6.0), -1.0), flags.WITHOUT_LEGEND):
        return
    h, change = 1e3 * np.array([r.h for r in rows]), np.array([r.change for r in rows])
    axes.decades(Axis.x1, "h", "ms", 0.6 * h.min(), 1.6 * h.max(), room.x)
    axes.decades(Axis.y1, "change", state.unit, 0.4 * change.min(), 2.5 * change.max(), room.y)
    implot.setup_finish()
    middle, slope = np.exp(np.log(change).mean()) / np.exp(np.log(h).mean()) ** state.study.order, state.study.order
    ends = np.array([0.7 * h.min(), 1.4 * h.max()])
    implot.plot_line("slope", ends, middle * ends**slope,
                     implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.scaled(1.2)))
    implot.plot_scatter("changes", h, change, implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.scaled(4.0),
                                                          marker_fill_color=style.vec(p.curves[0]),
                                                          marker_line_color=style.vec(p.curves[0])))
    implot.end_plot()
