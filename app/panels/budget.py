"""Budget against accuracy: what the wall-clock time per step buys, and what ten times as many sweeps would give."""

import time
from dataclasses import dataclass

import numpy as np

from app.digits import few, signed
from app.engine.handing import State as Handed
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.gui.speaking import imgui, implot
from app.insight.budget import TIMES, Comparison, cut_short, displaced, ended, magnification, reached
from app.insight.sweeps import effort_of
from app.session import Echo, Session
from physics import fields

TITLE = "Budget"
PLACE = "bottom"
ORDER = 29
OPEN = False

REFRESH = 0.25
"""Numbers of the running simulation change once in this time [s]."""

AGAIN = 1.5
"""While it runs, a step is compared once in this time [s]."""

QUICK = 0.02
"""Steps that take no longer than this are compared without being asked for [s]."""

FLOOR = 1e-17
"""Nothing, on a logarithmic scale [m/s]."""

Line = tuple[str, str, str]


@dataclass
class State:
    """What is shown. shown: the last comparison that is complete; seen: what was compared last without being asked for."""

    comparison: Comparison | None = None
    shown: Comparison | None = None
    handed: Handed | None = None
    asked: bool = False
    ghosts: bool = False
    begun: float = -1e9
    seen: tuple = ()
    live: tuple[Line, ...] = ()
    refreshed: float = -1e9

    def receive(self, handed: Handed) -> None:
        """From the physics thread."""
        self.handed = handed


def draw(session: Session) -> None:
    state, solver = session.memory(State), session.simulation.world.solver
    if not effort_of(solver):
        widgets.wrapped(f"{solver.name} makes no sweeps: no budget ends it early. Choose sequential impulses in the panel "
                        "Physics.", style.palette().dim)
        return
    _follow(session, state)
    _echo(session, state)
    room = imgui.get_content_region_avail().x
    left, middle = widgets.px(270.0), widgets.px(270.0)
    if room < left + middle + widgets.px(220.0):
        _live(session, state)
        _compared(session, state)
        _curve(state, widgets.px(180.0))
        return
    for name, width, part in (("live", left, _live), ("compared", middle, _compared)):
        if imgui.begin_child(name, imgui.ImVec2(width, 0.0)):
            part(session, state)
        imgui.end_child()
        imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("curve", imgui.ImVec2(0.0, 0.0)):
        _curve(state, -1.0)
    imgui.end_child()


def _follow(session: Session, state: State) -> None:
    """Compare the present step, again and again while the simulation runs."""
    if state.handed is not None:
        state.comparison, state.handed = Comparison(state.handed, reached(state.handed.snapshot.report)), None
        state.comparison.start()
        state.asked = False
    if state.comparison is not None and state.comparison.done:
        state.shown = state.comparison
    frame, solver, now = session.frame, session.simulation.world.solver, time.perf_counter()
    report = frame.report
    if report is None or report.times.get("step", 0.0) > QUICK or session.busy is not None or state.asked:
        return
    seen = (frame.scene, frame.revision, frame.step, repr(solver.options))
    waits = frame.paused or now - state.begun > AGAIN
    if seen != state.seen and waits and (state.comparison is None or state.comparison.done):
        state.seen, state.begun, state.asked = seen, now, True
        session.post("hand_state", state.receive)


def _echo(session: Session, state: State) -> None:
    """Where ten times the sweeps would have the bodies, enlarged, translucent in the scene."""
    shown = state.shown
    if not state.ghosts or shown is None or shown.difference is None:
        return
    pos, quat = session.frame.poses(session.frame.blend(time.perf_counter()))
    if shown.state.scene == session.frame.scene and len(pos) == len(shown.there.pos):
        times = magnification(shown.difference, session.camera.seen_distance)
        colour = style.palette().accent_strong[:3]
        session.echoes = (*session.echoes, Echo(*displaced(shown.here, shown.there, times, pos, quat), colour))


def _live(session: Session, state: State) -> None:
    """The slider, and what it buys now."""
    options = session.simulation.world.solver.options
    found = {f.name: f for f in fields(options)}.get("budget")
    if found is not None:
        new = widgets.option_control(found, options.budget)
        if new is not None:
            session.post("set_option", "budget", new)
    else:
        widgets.wrapped("This solver makes as many sweeps as its options say, in whatever time.", style.palette().dim)
    now = time.perf_counter()
    if now - state.refreshed > REFRESH:
        state.refreshed, state.live = now, _facts(session)
    tables.facts("live", state.live)


def _facts(session: Session) -> tuple[Line, ...]:
    """What the newest step tells."""
    frame, report = session.frame, session.frame.report
    if report is None:
        return (("no step yet", "", "Run the scene."),)
    pace, energy = frame.pace, sum(report.energy.values())
    parts, short = f" in {report.parts} substeps" if report.parts > 1 else "", frame.account.short
    return (
        ("sweeps", f"{report.iterations}{parts}", f"That the newest step had. It ended by: {ended(report)}."),
        ("ended by", ended(report), "Converged: nothing moved by more than the tolerance. Budget: the clock. Iteration limit: "
                                    "the most sweeps of the options."),
        ("residual", f"{few(report.residual)} m/s", "By how much the step violates its laws (natural map)."),
        *((("short of time", "friction may hold less", cut_short(short)),) if short else ()),
        ("penetration", f"{few(1e3 * report.penetration)} mm", "Deepest overlap at the start of the step."),
        ("late, half", f"{1e3 * pace.late_p50:.2f} ms", "Half of the steps began later than this after they were due."),
        ("late, 1 in 100", f"{1e3 * pace.late_p99:.2f} ms", "One step in a hundred began later than this."),
        ("energy", f"{few(energy, 5)} J", "Kinetic and potential energy together."))


def _compared(session: Session, state: State) -> None:
    """What ten times as many sweeps would give."""
    shown, p = state.shown, style.palette()
    help = (f"Solve the next step twice beside the simulation: with as many sweeps as the newest had, and with {TIMES} times as "
            "many. Quick steps are compared without asking.")
    if widgets.button("Compare now", help, name="compare"):
        session.post("hand_state", state.receive)
    imgui.same_line()
    new = widgets.toggle("ghosts", state.ghosts, f"In the scene: what {TIMES} times the sweeps would change, enlarged.")
    state.ghosts = state.ghosts if new is None else new
    if shown is None:
        widgets.dim("Nothing compared yet.")
        return
    if shown.problem or shown.difference is None:
        widgets.wrapped(shown.problem, p.warn)
        return
    d, here, there, names = shown.difference, shown.here, shown.there, shown.state.snapshot.names[0]
    who = names[d.body] if d.body >= 0 else ""
    tables.facts("compared", (
        ("sweeps", f"{here.sweeps} \u2192 {there.sweeps}", "At most, in each substep; as the newest step had, and "
                                                         f"{TIMES} times as many."),
        ("residual", f"{few(here.report.residual, 2)} \u2192 {few(there.report.residual, 2)} m/s",
         "Of the same step with either."),
        ("velocity", f"{few(d.speed)} m/s", f"Largest difference of a velocity: {who}."),
        ("turning", f"{few(d.turn)} rad/s", "Largest difference of an angular velocity."),
        ("position", f"{few(1e3 * d.way)} mm", "Largest difference of a position after this one step."),
        ("energy", f"{signed(d.energy)} J", "Energy that the smaller number of sweeps has too much."),
        *((("ghosts", f"\u00d7 {few(magnification(d, session.camera.seen_distance), 1)}",
            "So many times the differences are enlarged in the scene."),) if state.ghosts else ()),
        ("bodies", f"{int(np.count_nonzero(d.moved))} of {d.bodies}",
         "Whose pose differs at all.")))


def _curve(state: State, height: float) -> None:
    """Residual over sweeps, both logarithmic; where the budget is."""
    p, Axis, shown = style.palette(), implot.ImAxis_, state.shown
    if shown is None or not shown.curve:
        return
    room = imgui.get_content_region_avail()
    if not implot.begin_plot("##budget", imgui.ImVec2(-widgets.px(4.0), height), flags.BARE):
        return
    widgets.mark("curve")
    n, residual = (np.array(column, float) for column in zip(*shown.curve))
    residual = np.maximum(residual, FLOOR)
    axes.decades(Axis.x1, "sweeps in a substep", "", 0.8, 1.3 * n.max(), room.x)
    axes.decades(Axis.y1, "residual", "m/s", 0.2 * residual.min(), 8.0 * residual.max(),
                 height if height > 0.0 else room.y)
    implot.setup_finish()
    implot.plot_line("residual", n, residual, implot.Spec(line_color=style.vec(p.curves[0]), line_weight=widgets.px(1.6)))
    for sweeps, colour in ((shown.here.sweeps, p.curves[1]), (shown.there.sweeps, p.curves[2])):
        at = n == sweeps
        implot.plot_scatter(f"{sweeps}", n[at], residual[at],
                            implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.px(4.5),
                                        marker_fill_color=style.vec(colour), marker_line_color=style.vec(colour)))
        implot.annotation(float(sweeps), float(residual[at][0]), style.vec(colour), imgui.ImVec2(0.0, -widgets.px(14.0)), True,
                          f"{sweeps}")
    implot.end_plot()
