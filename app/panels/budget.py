"""Budget against accuracy: the effect of the wall-clock time per step, and of ten times as many sweeps."""

import time
from dataclasses import dataclass

import numpy as np

from app.analysis.microscope.budget import (
    BUDGET_FACTORS,
    BudgetComparison,
    cut_short,
    displaced,
    ended,
    magnification,
    sweeps_reached,
)
from app.engine import commands
from app.engine.commands.observation import ExportedState as ExportedState
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded, signed
from app.session import Ghost, Session
from physics import fields

TITLE = "Budget"
PLACE = "bottom"
ORDER = 29
OPEN = False
GROUP = "Solver"
ABOUT = "what more time would change"

REFRESH_INTERVAL = 0.25
"""Interval at which numbers are updated while running [s]."""

COMPARE_INTERVAL = 1.5
"""Interval at which steps are compared while running [s]."""

AUTO_RUN_LIMIT = 0.02
"""Steps that take no longer than this are compared automatically [s]."""

LOG_ZERO = 1e-17
"""Stands for zero on a logarithmic scale [m/s]."""

Line = tuple[str, str, str]


@dataclass
class BudgetState:
    """State of the panel. shown: the last complete comparison; started_for: the last one started automatically."""

    comparison: BudgetComparison | None = None
    shown: BudgetComparison | None = None
    received: ExportedState | None = None
    asked: bool = False
    ghosts: bool = False
    begun: float = -1e9
    started_for: tuple = ()
    live: tuple[Line, ...] = ()
    refreshed: float = -1e9

    def receive(self, received: ExportedState) -> None:
        """Receive data from the physics thread."""
        self.received = received


def draw(session: Session) -> None:
    state, solver = session.state(BudgetState), session.frame.solver_state
    if not solver.sweep_option:
        widgets.wrapped(message("{solver} has no sweeps, so a time budget does not apply. Choose sequential impulses in the "
                                "Physics panel.", solver=solver.name),
                        style.palette().dim)
        return
    _follow(session, state)
    _show_ghosts(session, state)
    room = imgui.get_content_region_avail().x
    left, middle = widgets.scaled(270.0), widgets.scaled(270.0)
    if room < left + middle + widgets.scaled(220.0):
        _live(session, state)
        _compared(session, state)
        _curve(state, widgets.scaled(180.0))
        return
    for name, width, part in (("live", left, _live), ("compared", middle, _compared)):
        if imgui.begin_child(name, imgui.ImVec2(width, 0.0)):
            part(session, state)
        imgui.end_child()
        imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("curve", imgui.ImVec2(0.0, 0.0)):
        _curve(state, -1.0)
    imgui.end_child()


def _follow(session: Session, state: BudgetState) -> None:
    """Compare the present step, repeatedly while the simulation runs."""
    if state.received is not None:
        state.comparison, state.received = BudgetComparison(state.received, sweeps_reached(state.received.snapshot.report)), None
        state.comparison.start()
        state.asked = False
    if state.comparison is not None and state.comparison.done:
        state.shown = state.comparison
    frame, solver, now = session.frame, session.frame.solver_state, time.perf_counter()
    report = frame.report
    if report is None or report.times.get("step", 0.0) > AUTO_RUN_LIMIT or session.busy is not None or state.asked:
        return
    seen = (frame.scene, frame.revision, frame.step, repr(solver.options))
    waits = frame.paused or now - state.begun > COMPARE_INTERVAL
    if seen != state.started_for and waits and (state.comparison is None or state.comparison.done):
        state.started_for, state.begun, state.asked = seen, now, True
        session.post(commands.export_state, state.receive)


def _show_ghosts(session: Session, state: BudgetState) -> None:
    """Draw the bodies' positions after ten times the sweeps in the scene, magnified and translucent."""
    shown = state.shown
    if not state.ghosts or shown is None or shown.difference is None:
        return
    pos, quat = session.frame.poses(session.frame.blend(time.perf_counter()))
    if shown.state.scene == session.frame.scene and len(pos) == len(shown.there.pos):
        times = magnification(shown.difference, session.camera.shown_distance)
        colour = style.palette().accent_strong[:3]
        session.ghosts = (*session.ghosts, Ghost(*displaced(shown.here, shown.there, times, pos, quat), colour))


def _live(session: Session, state: BudgetState) -> None:
    """The slider, and what it buys now."""
    options = session.frame.solver_state.options
    found = {f.name: f for f in fields(options)}.get("budget")
    if found is not None:
        new = widgets.option_control(found, options.budget)
        if new is not None:
            session.post(commands.set_option, "budget", new)
    else:
        widgets.wrapped("This solver runs a fixed number of sweeps, independent of time.", style.palette().dim)
    now = time.perf_counter()
    if now - state.refreshed > REFRESH_INTERVAL:
        state.refreshed, state.live = now, facts(session)
    tables.facts("live", state.live)


def facts(session: Session) -> tuple[Line, ...]:
    """Facts on the newest step."""
    frame, report = session.frame, session.frame.report
    if report is None:
        return (("no step yet", "", "Run the scene."),)
    pace, energy = frame.pace, sum(report.energy.values())
    sweeps, short = f"{report.iterations}", frame.energy_totals.budget_ended_steps
    if report.substeps > 1:
        sweeps = message("{sweeps} in {substeps} substeps", sweeps=sweeps, substeps=report.substeps)
    return (
        ("sweeps", sweeps, message("Used by the last step. Termination: {ended}.", ended=ended(report))),
        ("ended by", ended(report), "Converged: all changes below the tolerance. Budget: time limit reached. Iteration limit: "
                                    "maximum number of sweeps reached."),
        ("residual", f"{rounded(report.residual)} m/s", "Residual of the step (natural map)."),
        *((("time budget exceeded", "friction may be too weak", cut_short(short)),) if short else ()),
        ("penetration", f"{rounded(1e3 * report.penetration)} mm", "Deepest penetration at the start of the step."),
        ("lateness, median", f"{1e3 * pace.late_p50:.2f} ms", "Median delay of steps after their due time."),
        ("lateness, 99 %", f"{1e3 * pace.late_p99:.2f} ms", "99th percentile of the delay of steps after their due time."),
        ("energy", f"{rounded(energy, 5)} J", "Sum of kinetic and potential energy."))


def _compared(session: Session, state: BudgetState) -> None:
    """Draw the effect of ten times as many sweeps."""
    shown, p = state.shown, style.palette()
    help = (message("Solve the next step twice in the background: with the sweeps of the last step, and with {factors} times as "
                    "many. Fast steps are compared automatically.", factors=BUDGET_FACTORS))
    if widgets.button("Compare now", help, name="compare"):
        session.post(commands.export_state, state.receive)
    imgui.same_line()
    new = widgets.toggle("ghosts", state.ghosts,
                         message("Show in the scene, magnified, what {factors} times the sweeps would change.",
                                 factors=BUDGET_FACTORS))
    state.ghosts = state.ghosts if new is None else new
    if shown is None:
        widgets.dim_text("No comparison yet.")
        return
    if shown.problem or shown.difference is None:
        widgets.wrapped(shown.problem, p.warn)
        return
    d, here, there, names = shown.difference, shown.here, shown.there, shown.state.snapshot.names[0]
    who = names[d.body] if d.body >= 0 else ""
    tables.facts("compared", (
        ("sweeps", f"{here.sweeps} \u2192 {there.sweeps}",
         message("Maximum per substep: as in the last step, and {factors} times as many.", factors=BUDGET_FACTORS)),
        ("residual", f"{rounded(here.report.residual, 2)} \u2192 {rounded(there.report.residual, 2)} m/s",
         "Residual of the same step with each number of sweeps."),
        ("velocity", f"{rounded(d.speed)} m/s", message("Largest velocity difference: {who}.", who=who)),
        ("turning", f"{rounded(d.turn)} rad/s", "Largest angular velocity difference."),
        ("position", f"{rounded(1e3 * d.distance)} mm", "Largest position difference after this step."),
        ("energy", f"{signed(d.energy)} J", "Excess energy with the smaller number of sweeps."),
        *((("ghosts", f"\u00d7 {rounded(magnification(d, session.camera.shown_distance), 1)}",
            "Magnification of the differences in the scene."),) if state.ghosts else ()),
        ("bodies", message("{what} of {whole}", what=int(np.count_nonzero(d.moved)), whole=d.bodies),
         "Bodies whose pose differs.")))


def _curve(state: BudgetState, height: float) -> None:
    """Plot the residual over sweeps, both logarithmic, with the budget."""
    p, Axis, shown = style.palette(), implot.ImAxis_, state.shown
    if shown is None or not shown.curve:
        return
    room = imgui.get_content_region_avail()
    if not implot.begin_plot("##budget", imgui.ImVec2(-widgets.scaled(4.0), height), flags.WITHOUT_LEGEND):
        return
    widgets.register_area("curve")
    n, residual = (np.array(column, float) for column in zip(*shown.curve))
    residual = np.maximum(residual, LOG_ZERO)
    axes.decades(Axis.x1, "sweeps per substep", "", 0.8, 1.3 * n.max(), room.x)
    axes.decades(Axis.y1, "residual", "m/s", 0.2 * residual.min(), 8.0 * residual.max(),
                 height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.plot_line("residual", n, residual, implot.Spec(line_color=style.vec(p.curves[0]), line_weight=widgets.scaled(1.6)))
    for sweeps, colour in ((shown.here.sweeps, p.curves[1]), (shown.there.sweeps, p.curves[2])):
        at = n == sweeps
        implot.plot_scatter(f"{sweeps}", n[at], residual[at],
                            implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.scaled(4.5),
                                        marker_fill_color=style.vec(colour), marker_line_color=style.vec(colour)))
        implot.annotation(float(sweeps), float(residual[at][0]), style.vec(colour), imgui.ImVec2(0.0, -widgets.scaled(14.0)),
                          True, f"{sweeps}")
    implot.end_plot()
