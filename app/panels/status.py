"""One line: does it hold its speed, how long does a step take, how good is its answer."""

import time
from dataclasses import dataclass

from app import language
from app.digits import few
from app.engine.thread import Busy
from app.gui.controls import icons, style, widgets
from app.gui.speaking import imgui
from app.insight import exact
from app.insight.budget import SHORT_OF_TIME, cut_short, fails
from app.insight.console import console
from app.session import Session
from physics import Report

TITLE = "Status"
PLACE = "status"

POOR = 1e-3
"""A residual above this is worth a warning when the solver stopped early [m/s]."""

RECENT = 5.0
"""How long a loss of time is shown in a warning colour [s]."""


@dataclass
class State:
    """When time was last dropped, and how much before this scene began; steps that the clock has ended, and when it did last."""

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
            imgui.same_line(0.0, widgets.px(22.0))
        if imgui.get_cursor_pos_x() + imgui.calc_text_size(text).x > imgui.get_window_width():
            return
        widgets.coloured(text, colour)
        widgets.mark(text.split(" ")[0])
        widgets.tooltip(help)


def _console(session: Session) -> None:
    """How many errors and warnings there are; a click shows them."""
    p, counts = style.palette(), console().counts
    for level, colour in (("error", p.bad), ("warning", p.warn)):
        if counts[level]:
            widgets.coloured(icons.text(icons.WARNING, f"{counts[level]} {level}{'s' if counts[level] > 1 else ''}", "!"), colour)
            widgets.mark(f"{level}s")
            widgets.tooltip("Click to read them in the console.")
            if imgui.is_item_clicked():
                session.request("open:messages")
            imgui.same_line(0.0, widgets.px(22.0))


def _busy(session: Session, busy: Busy) -> None:
    """The step that is being made takes long."""
    widgets.coloured(exact.waiting(busy), style.palette().warn)
    widgets.mark("busy")
    widgets.tooltip(f"The step has been going on for {exact.duration(busy.seconds)}. Nothing tells beforehand how many pivots "
                    "it takes, and redundant contacts take several trials. Fewer bodies that touch, "
                    "fewer facets or another solver are faster.")
    imgui.same_line(0.0, widgets.px(8.0))
    if busy.cancels:
        if imgui.small_button("Cancel###cancel"):
            session.cancel()
        widgets.mark("cancel")
        widgets.tooltip("Give up this step and pause. The state before it is kept.")
        imgui.same_line(0.0, widgets.px(22.0))


def items(session: Session) -> list[tuple[str, style.Colour, str]]:
    """(text, colour, explanation) from left to right, the most important first."""
    p = style.palette()
    frame, pace, report = session.frame, session.frame.pace, session.frame.report
    out = []
    if frame.paused:
        out.append(("paused", p.dim, "Space runs it."))
    else:
        slow = pace.reached < 0.97 * pace.asked
        out.append((f"speed {pace.reached:.2f} of {few(pace.asked)}\u00d7", p.warn if slow else p.text,
                    "Simulated seconds per second: reached, and asked for. When the machine cannot hold the rate, "
                    "simulated time slows down."))
    out += _dropped(session)
    if report is not None:
        took = 1e3 * report.times.get("step", 0.0)
        budget = 1e3 * report.budget
        solve = 1e3 * report.times.get("solve", 0.0)
        over = took > 1e3 * frame.dt / max(pace.asked, 1e-9)
        used = f", budget {100.0 * solve / budget:.0f} %" if budget > 0.0 else ""
        out.append((f"step {took:.2f} ms{used}", p.warn if over else p.text,
                    f"Wall time of the last step: broad phase {1e3 * report.times.get('broad', 0.0):.2f} ms, "
                    f"narrow {1e3 * report.times.get('narrow', 0.0):.2f} ms, "
                    f"integration {1e3 * report.times.get('integrate', 0.0):.2f} ms, solver {solve:.2f} ms"
                    + (f" of its budget of {few(budget)} ms." if budget > 0.0 else ", without a limit.")))
        out += _short(session)
        out += _audit(session)
        poor = report.end not in ("converged", "fixed") and report.residual > POOR
        out.append((_made(report), p.warn if poor else p.text,
                    "Sweeps of the last step and why they ended: converged, iteration limit, budget spent, or a fixed number."))
        out.append((f"residual {few(report.residual, 2)} m/s", p.text,
                    "By how much the answer violates its own laws (natural map): the judge of all solvers."))
        if report.asleep:
            out.append((f"{report.asleep} asleep", p.text,
                        "Bodies at rest that are left out of the steps until something touches or changes them. "
                        "The panel Physics switches sleeping off."))
        out.append((f"{report.contacts} contact{'s' if report.contacts != 1 else ''}, {report.rows} rows", p.text,
                    f"Deepest overlap {few(1e3 * report.penetration)} mm, joint error {few(1e3 * report.joint_error)} mm."))
    out.append((f"late {1e3 * pace.late_p50:.2f} / {1e3 * pace.late_p99:.2f} ms", p.dim,
                "Lateness of steps against the clock: half of them, and 99 % of them, are better than this."))
    out.append((f"{session.fps:.0f} fps", p.dim, "Pictures a second."))
    return out


def _made(report: Report) -> str:
    """How much the solver did, and why it ended. Sentences of their own: no language can put the words together."""
    n, s = report.iterations, "" if report.iterations == 1 else "s"
    if fails(report):
        return f"{n:d} pivot{s}, but the audit fails" if report.counted == "pivots" else f"{n:d} sweep{s}, but the audit fails"
    if report.counted == "pivots":
        return f"{n:d} pivot{s}, {report.end}"
    return f"{n:d} sweep{s}, as set" if report.end == "fixed" else f"{n:d} sweep{s}, {report.end}"


def _audit(session: Session) -> list[tuple[str, style.Colour, str]]:
    """What the auditor found in this step, or how many steps of this run it found something in."""
    p, report, failed = style.palette(), session.frame.report, session.frame.account.failed
    if fails(report):
        worst = report.audit.worst
        return [(icons.text(icons.WARNING, f"audit: {language.text(worst.title)}", "!"), p.bad,
                 "\n".join(language.text(f"{finding.text}.") for finding in report.audit.findings))]
    if not failed:
        return []
    return [(icons.text(icons.WARNING, f"audit: {failed} step{'s' if failed > 1 else ''} failed", "!"), p.warn,
             "Steps of this run in which the auditor found energy, momentum or a law of joints and contacts broken, whatever the "
             "solver said of itself. The console tells what, the plot of energy when; a breakpoint can stop there.")]


def _short(session: Session) -> list[tuple[str, style.Colour, str]]:
    """That the clock has ended steps of this run, if it has."""
    p, state, now, short = style.palette(), session.memory(State), time.perf_counter(), session.frame.account.short
    if short > state.short:
        state.ended = now
    state.short = short
    if not short:
        return []
    return [(icons.text(icons.WARNING, SHORT_OF_TIME, "!"), p.warn if now - state.ended < RECENT else p.dim, cut_short(short))]


def _dropped(session: Session) -> list[tuple[str, style.Colour, str]]:
    """The loss of time in this scene, if there is one."""
    p, state, now, lost = style.palette(), session.memory(State), time.perf_counter(), session.frame.pace.dropped
    if session.frame.scene != state.scene:
        state.scene, state.before, state.dropped = session.frame.scene, lost, lost
    if lost > state.dropped:
        state.wall, state.dropped = now, lost
    if lost <= state.before:
        return []
    text = icons.text(icons.WARNING, f"{few(lost - state.before, 2)} s dropped", "!")
    return [(text, p.warn if now - state.wall < RECENT else p.dim,
             "Simulated seconds given up so far because steps came too late. A larger step or a smaller budget helps.")]
