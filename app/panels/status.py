"""Status bar: real-time factor, time per step, quality of the solution."""

import time
from dataclasses import dataclass

from app.analysis.microscope import exact
from app.analysis.microscope.budget import ENDED_BY_CLOCK, cut_short, fails
from app.console import console
from app.engine.thread import BusyState
from app.gui.controls import icons, style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.number_format import rounded
from app.session import Session
from physics import Report

TITLE = "Status"
PLACE = "status"

WARNING_RESIDUAL = 1e-3
"""Residuals above this are shown as a warning if the solver stopped early [m/s]."""

WARNING_TIME = 5.0
"""Time for which dropped time is shown in a warning colour [s]."""
GONE_TIME = 15.0
"""Time after which it is not shown any more [s]."""


@dataclass
class StatusState:
    """When time was last dropped, and how much before this scene began; steps that the clock has ended, and the last time."""

    dropped: float = 0.0
    wall: float = -1e9
    before: float = 0.0
    scene: str = ""
    short: int = 0
    ended: float = -1e9


def draw(session: Session) -> None:
    if (busy := session.busy) is not None:
        _busy(session, busy)
    _console(session)
    for i, (text, colour, help) in enumerate(items(session)):
        if i:
            imgui.same_line(0.0, widgets.scaled(22.0))
        if imgui.get_cursor_pos_x() + imgui.calc_text_size(text).x > imgui.get_window_width():
            return
        widgets.coloured(text, colour)
        widgets.register_area(text.split(" ")[0])
        widgets.tooltip(help)


def _console(session: Session) -> None:
    """Draw the numbers of errors and warnings; a click shows them."""
    p, counts = style.palette(), console().counts
    for level, colour in (("error", p.bad), ("warning", p.warn)):
        if counts[level]:
            widgets.coloured(icons.text(icons.WARNING, f"{counts[level]} {level}{'s' if counts[level] > 1 else ''}", "!"), colour)
            widgets.register_area(f"{level}s")
            widgets.tooltip("Click to show them in the console.")
            if imgui.is_item_clicked():
                session.window.open_panel("messages")
            imgui.same_line(0.0, widgets.scaled(22.0))


def _busy(session: Session, busy: BusyState) -> None:
    """Draw the note on a long step in progress."""
    widgets.coloured(exact.estimate_text(busy), style.palette().warn)
    widgets.register_area("busy")
    widgets.tooltip(f"The current step has been running for {exact.duration(busy.seconds)}. The number of pivots cannot be "
                    "predicted, and redundant contacts take several attempts. Reduce the touching bodies or the facets, or "
                    "choose another solver.")
    imgui.same_line(0.0, widgets.scaled(8.0))
    if busy.cancels:
        if imgui.small_button("Cancel###cancel"):
            session.cancel()
        widgets.register_area("cancel")
        widgets.tooltip("Cancel this step and pause. The state before it is restored.")
        imgui.same_line(0.0, widgets.scaled(22.0))


def items(session: Session) -> list[tuple[str, style.Colour, str]]:
    """(text, colour, explanation) from left to right, most important first."""
    p = style.palette()
    frame, pace, report = session.frame, session.frame.pace, session.frame.report
    out = []
    if frame.paused:
        out.append(("paused", p.dim, "Press Space to run."))
    else:
        slow = pace.reached < 0.97 * pace.asked
        out.append((f"speed {pace.reached:.2f} of {rounded(pace.asked)}\u00d7", p.warn if slow else p.text,
                    "Simulated seconds per second: actual and requested. If the machine cannot keep up, simulated time slows "
                    "down."))
    out += _dropped(session)
    if report is not None:
        took = 1e3 * report.times.get("step", 0.0)
        budget = 1e3 * report.budget
        solve = 1e3 * report.times.get("solve", 0.0)
        over = took > 1e3 * frame.dt / max(pace.asked, 1e-9)
        used = f", budget {100.0 * solve / budget:.0f} %" if budget > 0.0 else ""
        out.append((f"step {took:.2f} ms{used}", p.warn if over else p.text,
                    f"Wall-clock time of the last step: broad phase {1e3 * report.times.get('broad', 0.0):.2f} ms, narrow phase "
                    f"{1e3 * report.times.get('narrow', 0.0):.2f} ms, integration {1e3 * report.times.get('integrate', 0.0):.2f} "
                    f"ms, solver {solve:.2f} ms"
                    + (f" of its budget of {rounded(budget)} ms." if budget > 0.0 else ", without a limit.")))
        out += _short(session)
        out += _audit(session)
        poor = report.end not in ("converged", "fixed") and report.residual > WARNING_RESIDUAL
        out.append((_made(report), p.warn if poor else p.text,
                    "Sweeps of the last step and termination: converged, iteration limit, budget spent, or a fixed number."))
        out.append((f"residual {rounded(report.residual, 2)} m/s", p.text,
                    "Residual of the solution (natural map), comparable between solvers."))
        if report.asleep:
            out.append((f"{report.asleep} asleep", p.text,
                        "Bodies at rest, skipped until a contact or change wakes them. Sleeping can be disabled in the Physics "
                        "panel."))
        out.append((f"{report.contacts} contact{'s' if report.contacts != 1 else ''}, {report.rows} rows", p.text,
                    f"Deepest penetration {rounded(1e3 * report.penetration)} mm, joint error "
                    f"{rounded(1e3 * report.joint_error)} mm."))
    out.append((f"late {1e3 * pace.late_p50:.2f} / {1e3 * pace.late_p99:.2f} ms", p.dim,
                "Delay of steps after their due time: median and 99th percentile."))
    out.append((f"{session.fps:.0f} fps", p.dim, "Frames per second."))
    return out


def _made(report: Report) -> str:
    """Work of the solver, and why it ended. Whole sentences, since languages differ in word order."""
    n, s = report.iterations, "" if report.iterations == 1 else "s"
    if report.iteration_unit == "evaluations":
        return f"evaluations: {n:d}, but the audit fails" if fails(report) else f"evaluations: {n:d}"
    if report.iteration_unit == "contact laws":
        return f"contact laws: {n:d}, but the audit fails" if fails(report) else f"contact laws: {n:d}"
    if fails(report):
        if report.iteration_unit == "pivots":
            return f"{n:d} pivot{s}, but the audit fails"
        return f"{n:d} sweep{s}, but the audit fails"
    if report.iteration_unit == "pivots":
        return f"{n:d} pivot{s}, {report.end}"
    return f"{n:d} sweep{s}, as set" if report.end == "fixed" else f"{n:d} sweep{s}, {report.end}"


def _audit(session: Session) -> list[tuple[str, style.Colour, str]]:
    """Auditor failures in this step, or the number of steps of this run with failures."""
    p, report, failed = style.palette(), session.frame.report, session.frame.energy_totals.audit_failures
    if fails(report):
        worst = report.audit.worst
        return [(icons.text(icons.WARNING, f"audit: {translate.translate(worst.short_name)}", "!"), p.bad,
                 "\n".join(translate.translate(f"{finding.text}.") for finding in report.audit.findings))]
    if not failed:
        return []
    return [(icons.text(icons.WARNING, f"audit: {failed} step{'s' if failed > 1 else ''} failed", "!"), p.warn,
             "Steps of this run in which the auditor found a violation of energy, momentum, joint or contact laws, independently "
             "of the solver's report. See the console for details and the energy plot for the times; a breakpoint can pause "
             "there.")]


def _short(session: Session) -> list[tuple[str, style.Colour, str]]:
    """Number of steps of this run that the clock has ended, if any."""
    p, state, now = style.palette(), session.state(StatusState), time.perf_counter()
    short = session.frame.energy_totals.budget_ended_steps
    if short > state.short:
        state.ended = now
    state.short = short
    if not short:
        return []
    return [(icons.text(icons.WARNING, ENDED_BY_CLOCK, "!"), p.warn if now - state.ended < WARNING_TIME else p.dim,
             cut_short(short))]


def _dropped(session: Session) -> list[tuple[str, style.Colour, str]]:
    """Dropped time in this scene, if any."""
    p, state, now, lost = style.palette(), session.state(StatusState), time.perf_counter(), session.frame.pace.dropped
    if session.frame.scene != state.scene:
        state.scene, state.before, state.dropped = session.frame.scene, lost, lost
    if lost > state.dropped:
        state.wall, state.dropped = now, lost
    elif now - state.wall > GONE_TIME:
        state.before = lost
    if lost <= state.before:
        return []
    text = icons.text(icons.WARNING, f"{rounded(lost - state.before, 2)} s dropped", "!")
    return [(text, p.warn if now - state.wall < WARNING_TIME else p.dim,
             "Simulated time skipped because steps were late. Use a larger step size or a smaller budget.")]
