"""Recordings: record, open, loop over the past, and results of a replay."""

import time

from app.engine import commands
from app.gui.commands import actions
from app.gui.controls import flags, icons, style, widgets
from app.gui.output import recording_list
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

TITLE = "Recordings"
PLACE = "left"
ORDER = 45
OPEN = False
GROUP = "Scene and lesson"
ABOUT = "record the motion, open, repeat"


def draw(session: Session) -> None:
    simulation = session.simulation
    recording = simulation.recorder.since >= 0
    label = icons.text(icons.STOP, "Stop and save", "[]") if recording else icons.text(icons.RECORD, "Record", "o")
    if widgets.button(label, actions.tip("record_motion"), name="record", accent=recording):
        recording_list.toggle(session)
    widgets.same_line("Save the past")
    if widgets.button(icons.text(icons.SAVE, "Save the past"), actions.tip("save_past"), name="save past"):
        recording_list.save_history(session)
    playing = simulation.player.playing and not session.frame.paused and not simulation.player.backwards
    if widgets.button(icons.text(icons.REPLAY, "Pause" if playing else "Play the past", "<>"), actions.tip("replay"),
                      name="play past", accent=playing):
        session.post(commands.replay)
    widgets.same_line("Backwards")
    if widgets.button(icons.text(icons.BACKWARD, "Backwards", "<<"), actions.tip("play_back"), name="play back",
                      accent=simulation.player.is_reversed):
        session.post(commands.play_back)
    widgets.same_line("Loop")
    if widgets.toggle("Loop", simulation.player.loop is not None, actions.tip("loop")) is not None:
        recording_list.loop(session)
    for name in session.thread.writer.writing:
        widgets.wrapped(message("Saving {name} ..", name=name), style.palette().dim)
    _found(session)
    place = recording_list.folder()
    widgets.heading(message("in {folder}", folder=place.relative_to(place.parents[1])))
    _list(session)


def _found(session: Session) -> None:
    """Draw the result so far of comparing the replay with the recording."""
    simulation, p = session.simulation, style.palette()
    recorded, divergence = simulation.recorder.recording, simulation.recorder.divergence
    if recorded is None:
        return
    if divergence is not None:
        widgets.wrapped(f"{divergence.text[0].upper()}{divergence.text[1:]}.", p.bad)
        widgets.register_area("divergence")
    else:
        widgets.wrapped("All recomputed steps of the recording match bit for bit.", p.good)
        widgets.register_area("same")
    made = ", ".join(f"{name} {value}" for name, value in recorded.made.items() if name in ("stiction", "platform"))
    widgets.wrapped(message("Made with {made}.", made=made), p.dim)


def _list(session: Session) -> None:
    found = session.state(recording_list.RecordingList).list(time.perf_counter())
    if not found:
        widgets.wrapped("No recordings yet. Drop recordings (.stiction) onto the window to open them.", style.palette().dim)
        return
    if imgui.begin_child("list", child_flags=flags.WITHIN):
        for i, recorded in enumerate(found):
            if imgui.selectable(f"{recorded.path.stem}##{i}", False)[0]:
                session.post(commands.open_recording, str(recorded.path))
            widgets.register_area(f"entry {i}")
            widgets.tooltip(message("{path}\n{when}, {size:.2f} MB. Click to open; the simulation is paused at its start.",
                                    path=recorded.path, when=time.strftime("%d %b %Y, %H:%M", time.localtime(recorded.when)),
                                    size=max(recorded.size, 10000) / 1e6))
    imgui.end_child()
