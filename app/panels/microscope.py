"""Microscope: one frozen step, its sweeps or pivots one by one, while the simulation continues."""

import time
from dataclasses import dataclass, field

from app.analysis.microscope.microscope import Microscope
from app.engine import commands
from app.engine.commands.observation import ExportedState as ExportedState
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.panels import _pivots, _sweeps
from app.session import Session

TITLE = "Microscope"
PLACE = "bottom"
ORDER = 28
OPEN = False
GROUP = "Solver"
ABOUT = "one step, iteration by iteration"

AUTO_RUN_LIMIT = 0.25
"""Steps that take no longer than this are frozen automatically [s]."""

WORD_MEANINGS = {"sweep": "A sweep corrects the impulse of each contact once.",
                 "pivot": "A pivot lets one unknown grow until another one reaches zero."}

PLAYBACK_INTERVAL = 0.12
"""Time per frame of playback [s]."""


@dataclass
class MicroscopeState:
    """The frozen step and the position in it. substep: 1 .. parts; at: sweep, or pivot of `path`; contact: of the
    frozen step, -1: the most loaded one; frozen_for: the state that was last frozen automatically."""

    scope: Microscope | None = None
    received: ExportedState | None = None
    substep: int = 1
    parts: int = 1
    at: int = 0
    path: int = 0
    contact: int = -1
    playing: bool = False
    played: float = 0.0
    frozen_for: tuple = ()
    asked: bool = False
    curves: dict = field(default_factory=dict)

    def receive(self, received: ExportedState) -> None:
        """Receive data from the physics thread."""
        self.received = received


def draw(session: Session) -> None:
    state = session.state(MicroscopeState)
    _follow(session, state)
    _head(session, state)
    scope = state.scope
    if scope is None:
        widgets.wrapped("Freeze a step to see how the solver found its forces: sweep by sweep over all contacts, or pivot by "
                        "pivot in Lemke's algorithm.", style.palette().dim)
        return
    if scope.problem:
        widgets.wrapped(scope.problem, style.palette().warn)
    if scope.warm is not None:
        _sweeps.draw(session, state)
    elif scope.paths:
        _pivots.draw(session, state)
    elif not scope.done:
        widgets.dim_text("Recomputing the step \u2026")


def last_of(state: MicroscopeState) -> int:
    """Index of the last sweep, or pivot of the path."""
    scope = state.scope
    if scope is None:
        return 0
    if scope.warm is not None:
        return scope.warm.last
    return len(scope.paths[min(state.path, len(scope.paths) - 1)].pivots) if scope.paths else 0


def _follow(session: Session, state: MicroscopeState) -> None:
    """Process received data; freeze the newest step while the simulation is paused."""
    frame, report = session.frame, session.frame.report
    if state.received is not None and (state.scope is None or state.received is not state.scope.state):
        _start_microscope(state)
        state.at, state.path, state.contact, state.asked = 10**9, 0, -1, False
    if state.scope is not None and state.scope.warm is not None:
        state.parts, state.substep = state.scope.warm.start.parts, state.scope.warm.start.substep
    solver = frame.solver_state
    seen = (frame.scene, frame.revision, frame.step, frame.dt, solver.name, repr(solver.options))
    quick = report is None or report.times.get("step", 0.0) < AUTO_RUN_LIMIT
    if frame.paused and session.busy is None and quick and seen != state.frozen_for and not state.asked:
        state.frozen_for = seen
        _freeze(session, state)
    if state.playing and time.perf_counter() - state.played > PLAYBACK_INTERVAL:
        state.played, state.at = time.perf_counter(), state.at + 1
        state.playing = state.at < last_of(state)


def _start_microscope(state: MicroscopeState) -> None:
    """Start the microscope on a substep of the received step."""
    if state.scope is not None:
        state.scope.cancel()
    state.scope, state.curves = Microscope(state.received, state.substep), {}
    state.scope.start()


def _freeze(session: Session, state: MicroscopeState) -> None:
    state.asked = True
    session.post(commands.export_state, state.receive)


def _head(session: Session, state: MicroscopeState) -> None:
    """Draw freeze, play, slider, save, and the identity of the step."""
    help = ("Solve the next step again in the background and inspect it. While the simulation is paused, the last step is frozen "
            "automatically.")
    if widgets.button("Freeze this step", help, name="freeze", accent=state.scope is None):
        _freeze(session, state)
    scope, last = state.scope, last_of(state)
    if scope is None:
        return
    word = "sweep" if scope.warm is not None else "pivot"
    widgets.same_line("")
    if widgets.button(icons.text(icons.PAUSE if state.playing else icons.PLAY, "", "||" if state.playing else ">"),
                      message("Play through every {word}.", word=word), name="play"):
        state.playing, state.played = not state.playing, 0.0
        if state.playing and state.at >= last:
            state.at = -1
    widgets.same_line("", 60.0)
    shown, parted = min(max(state.at, 0), last), word == "sweep" and state.parts > 1
    behind = widgets.scaled(70.0) + parted * (widgets.scaled(100.0) + imgui.calc_text_size("substep").x)
    width = min(widgets.scaled(260.0), max(widgets.scaled(60.0), imgui.get_content_region_avail().x - behind))
    new = widgets.number(word, shown, lo=0, hi=max(last, 1), inline=True, width=width,
                         help=message("Displayed {word}: 0 is the start, {last} the last. {meaning}", word=word, last=last,
                                      meaning=WORD_MEANINGS[word]))
    if new is not None:
        state.at, state.playing = int(new), False
    if parted:
        widgets.same_line("substep", 90.0)
        _substep(state)
    widgets.same_line("")
    if widgets.button(icons.text(icons.SAVE, "", "CSV"),
                      message("Save all values of every {word} as CSV.", word=word), name="save"):
        _save(session, scope)
    text = _words(state, word, shown, last)
    if imgui.calc_text_size(text).x + widgets.scaled(300.0) < imgui.get_content_region_avail().x:
        imgui.same_line()
    widgets.wrapped(text, style.palette().dim)


def _substep(state: MicroscopeState) -> None:
    """Draw the choice of substep."""
    imgui.align_text_to_frame_padding()
    widgets.dim_text("substep")
    imgui.same_line()
    new = widgets.number("substep", state.substep, lo=1, hi=state.parts, inline=True, width=widgets.scaled(70.0), live=False,
                         help=message("The step consists of {parts} substeps. Select the one to inspect; those before it are "
                                      "computed as in the simulation.", parts=state.parts))
    if new is not None and int(new) != state.substep:
        state.substep = int(new)
        _start_microscope(state)


def _words(state: MicroscopeState, word: str, shown: int, last: int) -> str:
    scope, snapshot = state.scope, state.scope.state.snapshot
    text = message("{word} {shown} of {last}, step {steps}, t = {time:.4g} s, {solver}", word=word, shown=shown, last=last,
                   steps=snapshot.steps + 1, time=snapshot.time, solver=scope.solver)
    if scope.warm is not None and scope.warm.start.parts > 1:
        text = message("{text}, substep {substep} of {parts}", text=text, substep=scope.warm.start.substep,
                       parts=scope.warm.start.parts)
    return text if not scope.warm or not scope.warm.note else f"{text}; {scope.warm.note}"


def _save(session: Session, scope: Microscope) -> None:
    path = folders.documents() / f"{scope.state.scene or 'step'}-{scope.state.snapshot.steps + 1}-{time.strftime('%H%M%S')}.csv"
    try:
        write(path, scope.csv().encode())
    except OSError as error:
        session.notify(folders.not_saved(path, error))
    else:
        session.notify(message("saved {path}", path=path))
