"""Recordings: make one, open one, play the past over and over, and what a replay found."""

import time

from app.gui import actions
from app.gui.controls import flags, icons, style, widgets
from app.gui.output import tapes
from app.gui.speaking import imgui
from app.session import Session

TITLE = "Recordings"
PLACE = "left"
ORDER = 45
OPEN = False


def draw(session: Session) -> None:
    simulation = session.simulation
    recording = simulation.since >= 0
    label = icons.text(icons.STOP, "Stop and save", "[]") if recording else icons.text(icons.RECORD, "Record", "o")
    if widgets.button(label, actions.tip("tape"), name="record", accent=recording):
        tapes.toggle(session)
    widgets.beside("Save the past")
    if widgets.button(icons.text(icons.SAVE, "Save the past"), actions.tip("save_past"), name="save past"):
        tapes.save_past(session)
    playing = simulation.playing and not session.frame.paused and not simulation.backwards
    if widgets.button(icons.text(icons.REPLAY, "Pause" if playing else "Play the past", "<>"), actions.tip("play_past"),
                      name="play past", accent=playing):
        session.post("play_past")
    widgets.beside("Backwards")
    if widgets.button(icons.text(icons.BACKWARD, "Backwards", "<<"), actions.tip("play_back"), name="play back",
                      accent=simulation.in_reverse):
        session.post("play_back")
    widgets.beside("Loop")
    if widgets.toggle("Loop", simulation.loop is not None, actions.tip("loop")) is not None:
        tapes.loop(session)
    for name in session.thread.clerk.writing:
        widgets.wrapped(f"Saving {name} ..", style.palette().dim)
    _found(session)
    widgets.heading(f"in {tapes.folder().parent.name}/{tapes.folder().name}")
    _list(session)


def _found(session: Session) -> None:
    """What comparing the replay with the recording told so far."""
    simulation, p = session.simulation, style.palette()
    tape, divergence = simulation.tape, simulation.divergence
    if tape is None:
        return
    if divergence is not None:
        widgets.wrapped(f"{divergence.text[0].upper()}{divergence.text[1:]}.", p.bad)
        widgets.mark("divergence")
    else:
        widgets.wrapped("Every step of the recording that was made again is what it was, bit for bit.", p.good)
        widgets.mark("same")
    made = ", ".join(f"{name} {value}" for name, value in tape.made.items() if name in ("stiction", "platform"))
    widgets.wrapped(f"Made with {made}.", p.dim)


def _list(session: Session) -> None:
    found = session.memory(tapes.Tapes).list(time.perf_counter())
    if not found:
        widgets.wrapped("No recordings yet. Files (.stiction) from elsewhere can be dropped on the window.", style.palette().dim)
        return
    if imgui.begin_child("list", child_flags=flags.WITHIN):
        for i, tape in enumerate(found):
            if imgui.selectable(f"{tape.path.stem}##{i}", False)[0]:
                session.post("open_recording", str(tape.path))
            widgets.mark(f"tape {i}")
            widgets.tooltip(f"{tape.path}\n{time.strftime('%d %b %Y, %H:%M', time.localtime(tape.when))}, "
                            f"{max(tape.size, 10_000) / 1e6:.2f} MB. Click to open it; it stands at its start.")
    imgui.end_child()
