"""Status bar in words: real time or not, exact or not; the solver's numbers behind a click. A failed audit has its sentence."""

import time
from dataclasses import dataclass, field

from app.analysis.microscope import exact
from app.analysis.microscope.budget import ENDED_BY_CLOCK, cut_short, fails
from app.console import console
from app.engine.simulation import Simulation
from app.engine.thread import BusyState
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import SPEEDS, slower
from app.gui.output.video_recorder import Shown
from app.gui.shell.first_minute import Instruments
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import joined, message
from app.number_format import rounded
from app.panels.messages import counted
from app.session import RECENT, Session
from physics import Report

TITLE = "Status"
PLACE = "status"

WARNING_RESIDUAL = 1e-3
"""Residuals above this are shown as a warning if the solver stopped early [m/s]."""

FULL_SPEED_SHARE = 0.97
"""Share of the requested speed below which the machine cannot keep up."""

MIN_SHORT_TIME = 1.0
"""Being slower for less than this, as after a start, is not mentioned [s]."""

MIN_SENTENCE = 160.0
"""Least width of an auditor's sentence that is cut short; it is complete in its tooltip [px at scale 1]."""

BUTTON_MARGIN = 50.0
"""Kept free beside the button that shows the numbers: gaps, and what a sentence that is cut short may exceed [px at scale 1]."""

WARNING_TIME = 5.0
"""Time for which dropped time is shown in a warning colour [s]."""
GONE_TIME = 15.0
"""Time after which it is not shown any more [s]."""


@dataclass
class StatusState:
    """When time was last dropped, and how much before this run began; steps that the clock has ended, and the last time; when
    the machine last kept up. run: (build of the world, solver) shown; since: its begin (perf_counter) [s]; failed: steps with
    failures before it, of another solver; warned: warnings since then, and those of all time when they were counted."""

    dropped: float = 0.0
    wall: float = -1e9
    before: float = 0.0
    run: tuple[int, str] = (-1, "")
    since: float = -1e9
    failed: int = 0
    warned: tuple[int, int] = (0, 0)
    short: int = 0
    ended: float = -1e9
    on_time: float = field(default_factory=time.perf_counter)


def draw(session: Session) -> None:
    if (busy := session.busy) is not None:
        _busy(session, busy)
    meet_run(session)
    _console(session)
    instruments = session.state(Instruments)
    sign = icons.text(icons.LEFT, "", "<") if instruments.numbers else icons.text(icons.MORE, "", "...")
    button = imgui.calc_text_size(sign).x + 2.0 * imgui.get_style().frame_padding.x + widgets.scaled(BUTTON_MARGIN)
    shown = items(session)
    _slow_motion(session)
    for text, colour, help in shown:
        room = imgui.get_window_width() - imgui.get_cursor_pos_x() - button
        if imgui.calc_text_size(text).x > room:
            if colour != style.palette().bad or room < widgets.scaled(MIN_SENTENCE):
                break
            text = widgets.cut(text, room)
        widgets.coloured(text, colour)
        widgets.register_area(next((word for word in text.split() if word.isascii()), ""))
        widgets.tooltip(help)
        imgui.same_line(0.0, widgets.scaled(22.0))
    if imgui.small_button(f"{sign}###numbers"):
        instruments.numbers = not instruments.numbers
    widgets.register_area("numbers")
    widgets.tooltip("The solver's numbers: time of a step, sweeps or pivots, residual, contacts. Click to show or hide them.")


def meet_run(session: Session) -> None:
    """Begin to count anew where the world was built anew or another solver was chosen."""
    state, frame = session.state(StatusState), session.frame
    run = frame.setting.build, frame.solver
    if run == state.run:
        return
    if run[0] != state.run[0]:
        state.failed, state.before, state.dropped = 0, frame.pace.dropped, frame.pace.dropped
    else:
        state.failed = frame.energy_totals.audit_failures
    state.run, state.since, state.warned = run, time.perf_counter() - RECENT, (0, -1)


def _warnings(state: StatusState) -> int:
    """Number of warnings of this run."""
    total = console().counts["warning"]
    if total != state.warned[1]:
        state.warned = sum(line.count for line in list(console().lines)
                           if line.level == "warning" and line.wall >= state.since), total
    return state.warned[0]


def _slow_motion(session: Session) -> None:
    """Draw the button that gives the solver more time, while the clock ends steps."""
    ended, pace = session.state(StatusState).ended, session.frame.pace
    if session.frame.paused or time.perf_counter() - ended > WARNING_TIME or pace.asked <= SPEEDS[0]:
        return
    if imgui.small_button("Slow motion###slow motion"):
        session.post(Simulation.set_speed, slower(pace.asked))
    widgets.register_area("slow motion")
    widgets.tooltip("The solver has too little time for this scene in real time. Click to halve the playback speed: friction "
                    "then holds what it must.")
    imgui.same_line(0.0, widgets.scaled(22.0))


def _console(session: Session) -> None:
    """Draw the numbers of errors and warnings; a click shows them."""
    p, counts = style.palette(), {"error": console().counts["error"], "warning": _warnings(session.state(StatusState)), "note": 0}
    for level, colour in (("error", p.bad), ("warning", p.warn)):
        if counts[level]:
            widgets.coloured(icons.text(icons.WARNING, translate.translate(counted(counts)[level]), "!"), colour)
            widgets.register_area(f"{level}s")
            widgets.tooltip("Click to show them in the console." if level == "error" else
                            "Of this run under this solver; the console has the earlier ones, too. Click to show them there.")
            if imgui.is_item_clicked():
                session.window.open_panel("messages")
            imgui.same_line(0.0, widgets.scaled(22.0))


def _busy(session: Session, busy: BusyState) -> None:
    """Draw the note on a long step in progress."""
    seconds = exact.duration(busy.seconds)
    loads = session.frame.step == 0 and not busy.unknowns
    if loads:
        widgets.coloured(message("the first step loads its compiled functions, {seconds}", seconds=seconds), style.palette().dim)
    else:
        widgets.coloured(exact.estimate_text(busy), style.palette().warn)
    widgets.register_area("busy")
    widgets.tooltip(message("Functions that were not needed before are read from the disk.") if loads else
                    message("The current step has been running for {seconds}. The number of pivots cannot be predicted, and "
                            "redundant contacts take several attempts. Reduce the touching bodies or the facets, or choose "
                            "another solver.", seconds=seconds))
    imgui.same_line(0.0, widgets.scaled(8.0))
    if busy.cancels:
        if imgui.small_button("Cancel###cancel"):
            session.cancel()
        widgets.register_area("cancel")
        widgets.tooltip("Cancel this step and pause. The state before it is restored.")
        imgui.same_line(0.0, widgets.scaled(22.0))


def items(session: Session) -> list[tuple[str, style.RGBA, str]]:
    """(text, colour, explanation) from left to right, most important first: words, and if wanted the solver's numbers."""
    return words(session) + (numbers(session) if session.state(Instruments).numbers else [])


def words(session: Session) -> list[tuple[str, style.RGBA, str]]:
    """Whether it runs in real time, and whether its numbers can be trusted."""
    report, p = session.frame.report, style.palette()
    out, short = [_pace(session)], _short(session) if report is not None else []
    if report is not None and not fails(report):
        exactness = _exactness(report)
        if exactness[1] == p.warn or not any(colour == p.warn for _, colour, _ in short):    # one word beside "may be too weak"
            out.append(exactness)
    out += _dropped(session)
    if report is not None:
        out += _audit(session) + short
        if report.asleep:
            out.append((message("{asleep} asleep", asleep=report.asleep), style.palette().text,
                        "Bodies at rest, skipped until a contact or change wakes them. Sleeping can be disabled in the Physics "
                        "panel."))
    return out


def _pace(session: Session) -> tuple[str, style.RGBA, str]:
    """Speed of the simulated time."""
    p, pace, state, now = style.palette(), session.frame.pace, session.state(StatusState), time.perf_counter()
    if session.frame.paused or session.frame.step == 0 or pace.reached >= FULL_SPEED_SHARE * pace.asked:
        state.on_time = now
    if session.frame.paused:
        return "paused", p.dim, "Press Space to run."
    speed = rounded(pace.asked)
    help = message("Simulated seconds per second: {reached:.2f}, requested: {speed}.", reached=pace.reached, speed=speed)
    if now - state.on_time > MIN_SHORT_TIME and session.state(Shown).recording:
        return (message("video: {reached:.2f} of {speed}×", reached=pace.reached, speed=speed), p.text,
                message("{help} The simulation waits for the pictures of the video.", help=help))
    if now - state.on_time > MIN_SHORT_TIME:
        return (message("short of time: {reached:.2f} of {speed}×", reached=pace.reached, speed=speed), p.warn,
                message("{help} The machine cannot keep up, so simulated time slows down.", help=help))
    if speed == "1":
        return "real time", p.text, help
    return (message("slow motion, {speed}×",
                    speed=speed) if pace.asked < 1.0 else message("fast motion, {speed}×", speed=speed)), p.text, help


def _exactness(report: Report) -> tuple[str, style.RGBA, str]:
    """Whether the last step, in which the auditor found nothing, satisfies the laws of contact and joints."""
    p, size = style.palette(), rounded(report.residual, 2)
    if not report.residual <= WARNING_RESIDUAL:
        return ("not exact", p.warn if report.end != "fixed" else p.text,
                message("The laws of contact and joints are violated by {size} m/s (residual): {made}.", size=size,
                        made=_made(report)))
    help = message("The laws of contact and joints hold to {size} m/s (residual): {made}.", size=size, made=_made(report))
    if report.audit is None:
        return "exact, not audited", p.text, message("{help} The auditor is off: nothing else has checked it.", help=help)
    return "exact", p.good, message("{help} The auditor, which does not use the solver's code, has found nothing.", help=help)


def numbers(session: Session) -> list[tuple[str, style.RGBA, str]]:
    """The solver's report of the last step, and the real-time pace of all steps."""
    p, frame, pace, report, out = style.palette(), session.frame, session.frame.pace, session.frame.report, []
    if report is not None:
        took = 1e3 * report.times.get("step", 0.0)
        budget = 1e3 * report.budget
        solve = 1e3 * report.times.get("solve", 0.0)
        over = took > 1e3 * frame.dt / max(pace.asked, 1e-9)
        used = message(", budget {solve:.0f} %", solve=100.0 * solve / budget) if budget > 0.0 else ""
        out.append((message("step {took:.2f} ms{used}", took=took, used=used), p.warn if over else p.text,
                    message("Wall-clock time of the last step: broad phase {broad:.2f} ms, narrow phase {narrow:.2f} ms, "
                            "integration {integrate:.2f} ms, solver {solve:.2f} ms",
                            broad=1e3 * report.times.get("broad", 0.0), narrow=1e3 * report.times.get("narrow", 0.0),
                            integrate=1e3 * report.times.get("integrate", 0.0), solve=solve)
                    + (message(" of its budget of {budget} ms.",
                               budget=rounded(budget)) if budget > 0.0 else ", without a limit.")))
        poor = report.end not in ("converged", "fixed") and report.residual > WARNING_RESIDUAL
        out.append((_made(report), p.warn if poor else p.text,
                    "Sweeps of the last step and termination: converged, iteration limit, budget spent, or a fixed number."))
        out.append((message("residual {residual} m/s", residual=rounded(report.residual, 2)), p.text,
                    "Residual of the solution (natural map), comparable between solvers."))
        out.append((joined(", ", (message("{count} contact", "{count} contacts", count=report.contacts),
                                  message("{count} row", "{count} rows", count=report.rows))), p.text,
                    message("Deepest penetration {penetration} mm, joint error {joint_error} mm.",
                            penetration=rounded(1e3 * report.penetration), joint_error=rounded(1e3 * report.joint_error))))
    out.append((message("late {half:.2f} / {most:.2f} ms", half=1e3 * pace.late_p50, most=1e3 * pace.late_p99), p.dim,
                "Delay of steps after their due time: median and 99th percentile."))
    out.append((message("{fps:.0f} fps", fps=session.fps), p.dim, "Frames per second."))
    return out


def _made(report: Report) -> str:
    """Work of the solver, and why it ended. Whole sentences, since languages differ in word order."""
    n = report.iterations
    if report.iteration_unit == "evaluations":
        return (message("evaluations: {count}, but the audit fails", count=n) if fails(report)
                else message("evaluations: {count}", count=n))
    if report.iteration_unit == "contact laws":
        return (message("contact laws: {count}, but the audit fails", count=n) if fails(report)
                else message("contact laws: {count}", count=n))
    if fails(report):
        if report.iteration_unit == "pivots":
            return message("{count} pivot, but the audit fails", "{count} pivots, but the audit fails", count=n)
        return message("{count} sweep, but the audit fails", "{count} sweeps, but the audit fails", count=n)
    if report.iteration_unit == "pivots":
        return message("{count} pivot, {end}", "{count} pivots, {end}", count=n, end=report.end)
    if report.end == "fixed":
        return message("{count} sweep, as set", "{count} sweeps, as set", count=n)
    return message("{count} sweep, {end}", "{count} sweeps, {end}", count=n, end=report.end)


def _audit(session: Session) -> list[tuple[str, style.RGBA, str]]:
    """Auditor failures in this step, or the number of steps of this run with failures."""
    p, report = style.palette(), session.frame.report
    failed = session.frame.energy_totals.audit_failures - session.state(StatusState).failed
    if fails(report):
        worst = report.audit.worst
        return [(icons.text(icons.WARNING, worst.text, "!"), p.bad,
                 "\n".join(translate.translate(f"{finding.text}.") for finding in report.audit.findings))]
    if failed <= 0:
        return []
    text = message("audit: {count} step failed", "audit: {count} steps failed", count=failed)
    told = ("Steps of this run under this solver in which the auditor found a violation of energy, momentum, joint or contact "
            "laws, independently of the solver's report. See the console for details and the energy plot for the times; a "
            "breakpoint can pause there.")
    if session.scene is not None and session.scene.violations:
        told = f"{translate.translate(told)}\n\n{translate.translate(session.scene.violations)}"
    return [(icons.text(icons.WARNING, text, "!"), p.warn, told)]


def _short(session: Session) -> list[tuple[str, style.RGBA, str]]:
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


def _dropped(session: Session) -> list[tuple[str, style.RGBA, str]]:
    """Dropped time in this run, if any."""
    p, state, now, lost = style.palette(), session.state(StatusState), time.perf_counter(), session.frame.pace.dropped
    if lost > state.dropped:
        state.wall, state.dropped = now, lost
    elif now - state.wall > GONE_TIME:
        state.before = lost
    if lost <= state.before:
        return []
    text = icons.text(icons.WARNING, message("{lost} s dropped", lost=rounded(lost - state.before, 2)), "!")
    return [(text, p.warn if now - state.wall < WARNING_TIME else p.dim,
             "Simulated time skipped because steps were late. Use a larger step size or a smaller budget.")]
