"""Commands of recordings, and of the journal for recovery after a crash."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.engine.command import COMMANDS, command
from app.engine.recording import file, journal_file
from app.engine.scene_files import scene_file
from app.engine.scene_files.document import Document, stamp_of
from app.engine.simulation import Simulation, Start
from app.engine.undo.edit_list import EditList
from app.i18n.message import joined, message
from physics import BadInput, World


@command
def start_recording(simulation: Simulation) -> None:
    """Start recording at this step."""
    simulation.timeline.go_to_goal()
    simulation.recorder.start()


@command
def save_recording(simulation: Simulation, path: str | Path, write: Callable[[Path, bytes], None], whole: bool = False) -> None:
    """Write what was recorded; whole: the whole history. write: (path, bytes), atomic.

    With a writer (`recorder.writer`) the file is written in the background.

    Raises:
        BadInput: nothing was recorded; the scene cannot be rebuilt; without a writer: the file cannot be written.
    """
    simulation.timeline.go_to_goal()
    recorder, world, first = simulation.recorder, simulation.world, simulation.recorder.since
    piece = recorder.finish(whole)
    if recorder.writer is None:
        failed = partial(resume_recording, simulation, first, world)
    else:       # reported on the writer's thread
        failed = partial(recorder.writer.post, resume_recording, first, world)
    recorder.save(piece, Path(path), write, failed)


@command
def resume_recording(simulation: Simulation, first: int, world: World) -> None:
    """Resume the recording of that world that began at that step, after its file could not be written; nothing of it is lost."""
    if simulation.world is world:
        simulation.recorder.resume(first)


@command
def open_recording(simulation: Simulation, path: str | Path) -> None:
    """Load a recording and show its start; `run` plays it.

    Raises:
        BadInput: it cannot be read; nothing was changed.
    """
    opened = file.read(path, COMMANDS)
    simulation.load(opened.scene, opened.parameters)
    opened.history.listener = simulation.history.listener
    simulation.recorder.recording, simulation.history = opened, opened.history
    simulation.timeline.restore(opened.history.moments[0])
    simulation.traces.clear()
    simulation.traces.record(simulation.world)
    simulation.paused, simulation.recorder.divergence = True, None
    differs = [message("{name} {made} (here {value})", name=name, made=opened.made.get(name, "?"),
                       value=value) for name, value in file.library_versions().items()
               if opened.made.get(name) != value]
    seconds = opened.history.past().end - simulation.world.time
    made = message("; it was made with {differs}", differs=joined(", ", differs)) if differs else ""
    simulation.notify(message("opened {path}: {seconds:.3g} s; running it compares every step", path=Path(path).name,
                           seconds=seconds) + made)


def _adopt_document(simulation: Simulation, path: str) -> None:
    """Continue with the file of a session that ended: a save goes there, a reset to its state."""
    with contextlib.suppress(BadInput):
        simulation.start = Start(scene_file.opened[scene_file.admit(path)].world.snapshot())
    simulation.document = Document(path, None, stamp_of(path))


@command
def recover(simulation: Simulation, path: str | Path, done: Callable[[], None] = lambda: None) -> None:
    """Continue where a journal ends: the scene with its history and edits, at the step that was shown, paused. Calls done() once
    the file can be removed safely.

    Raises:
        BadInput: it cannot be read; nothing was changed.
    """
    left = journal_file.read(Path(path), COMMANDS)
    timeline, recorder = simulation.timeline, simulation.recorder
    simulation.load(left.scene, left.parameters)
    listener = left.history.listener = simulation.history.listener
    simulation.history, simulation.paused = left.history, True
    timeline.restore(left.history.moments[-1])
    if left.view_state is not None:
        left.view_state.restore(simulation)
    simulation.traces.clear()
    simulation.traces.record(simulation.world)
    timeline.goal, recorder.recording = left.history.last, file.Recording(left.scene, left.parameters, left.history, left.made)
    timeline.go_to_goal()       # comparing every step
    step, good = simulation.world.steps, recorder.divergence is None and simulation.world.steps == left.history.last
    recorder.forget()
    if not good:
        left.history.continue_from(step, simulation.moment)
    simulation.edits = EditList(*(tuple(replace(edit, gesture=0) for edit in edits)
                                  for edits in (simulation.edits.done, simulation.edits.undone)))
    if listener is not None:
        listener.on_begin(simulation.moment(len(left.history.commands)))
        listener.after(done)
    else:
        done()
    if left.place < step:
        timeline.seek(left.place)
    recorder.view_state = left.view_state
    if left.view_state is not None and left.view_state.file:
        _adopt_document(simulation, left.view_state.file)
    shown = left.history.times[min(left.place, step) - left.history.first]
    simulation.notify(message("restored '{scene}' at t = {shown:.3f} s", scene=simulation.scene.title, shown=shown))
