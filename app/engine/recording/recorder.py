"""The recorder of a simulation: the recording in progress, the open recording, and the comparison of a replay with it.

While a recording is open, the checksum of every recomputed step is compared with the recorded one; the first difference is
reported and marked.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.engine.recording import file
from app.engine.recording.file_writer import FileWriter
from app.engine.recording.view_state import ViewState
from app.engine.timeline.history import StepChecksum, checksum
from app.i18n.message import message
from app.number_format import rounded
from physics import BadInput

if TYPE_CHECKING:
    from app.engine.simulation import Simulation


@dataclass(frozen=True)
class Divergence:
    """The first step that differs from the recording, its time [s], and a description; measured: by how much."""

    step: int
    time: float
    text: str
    measured: bool = False


class Recorder:
    """recording: the open one. view_state: that of a restored run. since: the first step of the recording in progress, -1: none;
    since_time: its time [s]. writer: writes files in the background; None: at once.
    """

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.recording: file.Recording | None = None
        self.divergence: Divergence | None = None
        self.since, self.since_time = -1, 0.0
        self.writer: FileWriter | None = None
        self.view_state: ViewState | None = None

    # ---- recording

    def start(self) -> None:
        """Start recording at this step."""
        world = self.simulation.world
        self.since, self.since_time = world.steps, world.time
        self.simulation.notify(message("recording started at t = {time:.3f} s", time=world.time))

    def finish(self, whole: bool) -> file.RecordedPiece:
        """Return the recording in progress and end it; whole: return the whole history instead.

        Raises:
            BadInput: nothing was recorded; the scene cannot be rebuilt.
        """
        simulation, history = self.simulation, self.simulation.history
        if simulation.scene is None:
            raise BadInput("recording needs a scene: load one first")
        if not whole and self.since < 0:
            raise BadInput("no recording is running: start one first, or save the past")
        first, wanted, self.since = history.first, self.since, self.since if whole else -1
        if not whole:
            if wanted < first:
                simulation.notify(message("the recording starts at t = {times:.3f} s: earlier steps are no longer in memory",
                                       times=history.times[0]))
            first = max(first, wanted)
        if history.last <= first:
            raise BadInput("nothing was recorded: no step was made")
        end = None if simulation.timeline.in_past else simulation.moment(len(history.commands))
        return file.extract(simulation.scene_name, simulation.parameters, simulation.world, history, first, end)

    def save(self, piece: file.RecordedPiece, path: Path, write: Callable[[Path, bytes], None],
             failed: Callable[[], None]) -> None:
        """Write a piece, in the background if there is a writer; failed() is called if it cannot be written.

        Raises:
            BadInput: without a writer, the file cannot be written.
        """
        job = partial(_into_file, piece, path, write)
        if self.writer is not None:
            self.writer.submit(path.name, job, self.simulation.notify, failed)
            return
        try:
            self.simulation.notify(job())
        except BadInput:
            failed()
            raise

    def resume(self, first: int) -> None:
        """Resume the recording that began at that step, after its file could not be written; nothing of it is lost."""
        history = self.simulation.history
        if self.since < 0 <= first <= history.last:
            self.since, self.since_time = first, history.times[max(first, history.first) - history.first]

    # ---- branches

    def forget(self) -> None:
        """Close the open recording; the world was replaced."""
        self.recording = self.divergence = None

    def begin_again(self) -> None:
        """Restart the recording in progress at the first step of the new world."""
        if self.since >= 0:
            world = self.simulation.world
            self.since, self.since_time = world.steps, world.time
            self.simulation.notify(message("the recording restarts at t = {time:.3f} s: a file contains one run",
                                           time=world.time))

    def branch(self) -> None:
        """Close the open recording: from here on the history branches off it."""
        if self.divergence is not None:
            if self.simulation.world.steps >= self.divergence.step:
                self.simulation.history.record_break(self.simulation.moment)
            self.divergence = None

    # ---- comparison

    def compare(self) -> None:
        """Compare the step just recomputed with the open recording, if there is one."""
        if self.recording is None:
            return
        step, stored = self.simulation.world.steps, self.simulation.history.check_of(self.simulation.world.steps)
        known = self.divergence
        if known is not None and step >= known.step:
            if not known.measured and (text := self._measure()):
                self.simulation.warn(text)
            return
        now = checksum(self.simulation.world.bodies) if stored.whole else stored
        if now.whole == stored.whole:
            return
        text = (message("the replay differs from the recording from step {step} (t = {time:.4f} s) on{bodies}", step=step,
                        time=self.simulation.world.time, bodies=self._diverged_bodies(stored, now)))
        self.divergence = Divergence(step, self.simulation.world.time, text)
        self._measure()
        self.simulation.warn(self.divergence.text)

    def _diverged_bodies(self, stored: StepChecksum, now: StepChecksum) -> str:
        """Describe which bodies differ, where their checksums are known."""
        if not stored.each:
            return ""
        names = self.simulation.world.body_names
        if len(stored.each) != len(now.each):
            return message(": there are {bodies} bodies, not {expected}", bodies=len(now.each) // 2,
                           expected=len(stored.each) // 2)
        other = np.flatnonzero(np.frombuffer(stored.each, "<u2") != np.frombuffer(now.each, "<u2"))
        if not len(other):
            return ""
        return f": '{names[other[0]]}'" + (message(" and {bodies} more bodies", bodies=len(other) - 1) if len(other) > 1 else "")

    def _measure(self) -> str:
        """Describe the difference at the first step that differs, or at the recording's next keyframe; "" if there is none."""
        step, moment = self.simulation.world.steps, self.simulation.history.moment_after(self.simulation.world.steps)
        if moment is None or moment.step != step:
            return ""
        was, now = moment.snapshot.tables[0].records, self.simulation.world.bodies
        if len(was) != len(now):
            return ""
        far, fast = (np.sqrt(((now[name] - was[name]) ** 2).sum(axis=1)) for name in ("pos", "vel"))
        body = int((far if far.any() else fast).argmax())
        text = (message("at step {step} the largest deviation is '{body}', {far} m and {fast} m/s", step=step,
                        body=self.simulation.world.body_names[body], far=rounded(far[body]), fast=rounded(fast[body])))
        if not far.any() and not fast.any():
            text = message("at step {step} all positions and velocities match", step=step)
        self.divergence = replace(self.divergence, text=f"{self.divergence.text}; {text}", measured=True)
        return text


def _into_file(piece: file.RecordedPiece, path: Path, write: Callable[[Path, bytes], None]) -> str:
    """Make the file; return the message."""
    data = file.pack(piece)
    try:
        write(path, data)
    except OSError as error:
        raise BadInput(message("cannot write {path}; no data is lost: {reason}", path=path,
                               reason=error.strerror or error)) from None
    return message("saved {seconds:.3g} s in {path}, {data:.2f} MB", seconds=piece.seconds, path=path,
                   data=max(len(data), 10000) / 1e6)
