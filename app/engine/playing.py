"""The commands of recordings and of seeing the past again; what `Simulation` inherits.

Playing makes the recorded steps again, one by one at the pace of time, and branches nothing off; breakpoints stop it as they stop
the present. With a recording open, the check of every step that is made again is compared with the recorded one; the first
difference is told and marked.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from app.digits import few
from app.engine import journal_file, recording
from app.engine.backwards import Backwards, Loop
from app.engine.history import Check, checksum
from app.engine.undoing import Edits
from app.engine.writing import Clerk
from physics import BadInput, World


@dataclass(frozen=True)
class Divergence:
    """The first step that came out otherwise than recorded, its time [s], and in words; measured: with how much."""

    step: int
    time: float
    text: str
    measured: bool = False


class Playing(Backwards):
    """tape: the recording that is open.

    since: the step from which on is being recorded, -1: nothing is; since_time: its time [s]. clerk: writes files; None: they
    are written at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tape: recording.Recording | None = None
        self.divergence: Divergence | None = None
        self.since, self.since_time = -1, 0.0
        self.clerk: Clerk | None = None

    # ---- recording

    def start_recording(self) -> None:
        """What comes from this step on is to go into a file."""
        self.settle()
        self.since, self.since_time = self.world.steps, self.world.time
        self.say(f"recording from t = {self.world.time:.3f} s on")

    def save_recording(self, path: str | Path, write: Callable[[Path, bytes], None], whole: bool = False) -> None:
        """Write what was recorded; whole: all that is kept of the past. write: (path, bytes), whole or not at all.

        With a clerk the file is made while the simulation goes on.

        Raises:
            BadInput: nothing was recorded; the scene cannot be made again; without a clerk: the file cannot be written.
        """
        self.settle()
        if self.scene is None:
            raise BadInput("only what happens in a scene can be recorded: load one first")
        if not whole and self.since < 0:
            raise BadInput("nothing is being recorded: start recording first, or save the past")
        first, wanted, self.since = self.history.first, self.since, self.since if whole else -1
        if not whole:
            if wanted < first:
                self.say(f"the recording begins at t = {self.history.times[0]:.3f} s: what was before it is no longer in memory")
            first = max(first, wanted)
        if self.history.last <= first:
            raise BadInput("nothing was recorded: not a step was made")
        path, end = Path(path), None if self.in_past else self._moment(len(self.history.deeds))
        piece = recording.taken(self.scene_name, self.parameters, self.world, self.history, first, end)
        job = partial(_into_file, piece, path, write)
        if self.clerk is not None:
            self.clerk.give(path.name, job, self.say, partial(self.clerk.post, "record_on", wanted, self.world))
            return
        try:
            self.say(job())
        except BadInput:
            self.record_on(wanted, self.world)
            raise

    def record_on(self, first: int, world: World) -> None:
        """What was recorded from that step on could not be written: it is not lost, and goes on."""
        if self.since < 0 <= first and self.world is world and first <= self.history.last:
            self.since, self.since_time = first, self.history.times[max(first, self.history.first) - self.history.first]

    def open_recording(self, path: str | Path) -> None:
        """Load a recording; it stands at its start, and `run` shows it.

        Raises:
            BadInput: it cannot be read; nothing was changed.
        """
        tape = recording.read(path, type(self))
        self.load(tape.scene, tape.parameters)
        tape.history.listener = self.history.listener
        self.tape, self.history = tape, tape.history
        self._restore(self.history.moments[0])
        self.traces.clear()
        self.traces.record(self.world)
        self.paused, self.divergence = True, None
        differs = [f"{name} {tape.made.get(name, '?')} (here {value})" for name, value in recording.here().items()
                   if tape.made.get(name) != value]
        self.say(f"opened {Path(path).name}: {self.history.past().end - self.world.time:.3g} s; Run shows it again and compares "
                 "every step" + (f"; it was made with {', '.join(differs)}" if differs else ""))

    def recover(self, path: str | Path, done: Callable[[], None] = lambda: None) -> None:
        """Go on where a journal ends: the scene with its past, its edits, at the step that was shown, paused. done() is called
        once it is safe to remove the file.

        Raises:
            BadInput: it cannot be read; nothing was changed.
        """
        left = journal_file.read(Path(path), type(self))
        self.load(left.scene, left.parameters)
        listener = left.history.listener = self.history.listener
        self.history, self.paused = left.history, True
        self._restore(self.history.moments[-1])
        self.traces.clear()
        self.traces.record(self.world)
        self.goal, self.tape = self.history.last, recording.Recording(left.scene, left.parameters, left.history, left.made)
        self.settle()       # and compare every step
        step, good = self.world.steps, self.divergence is None and self.world.steps == self.history.last
        self.tape = self.divergence = None
        if not good:
            self.history.continue_from(step, self._moment)
        self.edits = Edits(*(tuple(replace(edit, gesture=0) for edit in edits) for edits in (self.edits.done, self.edits.undone)))
        if listener is not None:
            listener.began(self._moment(len(self.history.deeds)))
            listener.after(done)
        else:
            done()
        if left.place < step:
            self._head_for(left.place)
        self.say(f"restored '{self.scene.title}' at t = {self.history.times[min(left.place, step) - self.history.first]:.3f} s")

    # ---- playing

    def play_past(self) -> None:
        """See the recorded steps ahead again, at the pace of time, or all of them; nothing is forgotten. Once more: pause."""
        if self.playing and not self.paused and not self.backwards:
            self.playing, self.paused = False, True
            return
        self.settle()
        if self.history.last == self.history.first:
            raise BadInput("there is no past yet to be played: let it run first")
        if not self.in_past:
            self._head_for(self._begin())
        self.playing, self.paused, self.backwards, self.reel = True, False, False, None

    def set_loop(self, begin: float, end: float) -> None:
        """Play from one time to the other [s], over and over; no loop where there is no step between them."""
        first, last = self.history.at(begin), self.history.at(end)
        times, base = self.history.times, self.history.first
        self.loop = Loop(first, last, times[first - base], times[last - base]) if first < last else None

    def play_step(self) -> bool:
        """The next recorded step; False: it is not to be had."""
        self.settle()
        if self.in_reverse:
            return self._play_back()
        if self.world.steps >= (min(self.loop.last, self.history.last) if self.loop else self.history.last):
            if self.loop:
                self._head_for(self._begin())
            else:
                self.playing, self.paused = False, True
            return True
        self._do_again()
        watched = self.watch()
        if not self.make_next():
            self.playing, self.paused = False, True
            self._lost()
            return False
        self.stop_at(watched)
        return True

    def make_next(self) -> bool:
        """The next step is made again, or fetched where the clock had cut it short; False: it is not to be had."""
        self._do_again()
        step = self.world.steps + 1
        if self.history.follows(step - 1, step):
            good = self._make_again()
        else:
            moment = self.history.moment_after(step)
            good = moment is not None
            if good:
                self._restore(moment)
        if good:
            self._do_again()
        self.held = False
        return good

    # ---- comparing

    def _make_again(self) -> bool:
        good = super()._make_again()
        if good and self.tape is not None:
            self._compare()
        return good

    def _compare(self) -> None:
        step, told = self.world.steps, self.history.check_of(self.world.steps)
        known = self.divergence
        if known is not None and step >= known.step:
            if not known.measured and (text := self._measure()):
                self.warn(text)
            return
        now = checksum(self.world.bodies) if told.whole else told
        if now.whole == told.whole:
            return
        text = f"the replay differs from the recording from step {step}, t = {self.world.time:.4f} s, on{self._who(told, now)}"
        self.divergence = Divergence(step, self.world.time, text)
        self._measure()
        self.warn(self.divergence.text)

    def _who(self, told: Check, now: Check) -> str:
        """Which bodies are not what they were, where that is known."""
        if not told.each:
            return ""
        if len(told.each) != len(now.each):
            return f": there are {len(now.each) // 2} bodies, not {len(told.each) // 2}"
        other = np.flatnonzero(np.frombuffer(told.each, "<u2") != np.frombuffer(now.each, "<u2"))
        if not len(other):
            return ""
        return f": '{self.world.body_names[other[0]]}'" + (f" and {len(other) - 1} more bodies" if len(other) > 1 else "")

    def _measure(self) -> str:
        """By how much, at the first step that differs or the next one that the recording holds as a whole; else ""."""
        step, moment = self.world.steps, self.history.moment_after(self.world.steps)
        if moment is None or moment.step != step:
            return ""
        was, now = moment.snapshot.tables[0].records, self.world.bodies
        if len(was) != len(now):
            return ""
        far, fast = (np.sqrt(((now[name] - was[name]) ** 2).sum(axis=1)) for name in ("pos", "vel"))
        body = int((far if far.any() else fast).argmax())
        text = f"at step {step} '{self.world.body_names[body]}' is farthest off, by {few(far[body])} m and {few(fast[body])} m/s"
        if not far.any() and not fast.any():
            text = f"at step {step} all bodies are where they were, with the same velocities"
        self.divergence = replace(self.divergence, text=f"{self.divergence.text}; {text}", measured=True)
        return text

    # ---- inside

    def _keep_present(self) -> None:
        if self.divergence is None:
            super()._keep_present()

    def _branch(self) -> None:
        self.playing, self.reel = False, None
        super()._branch()
        if self.divergence is not None:
            if self.world.steps >= self.divergence.step:
                self.history.part(self._moment)     # from here on the past is this one
            self.divergence = None

    def _continue_from_kept(self) -> None:
        self.reel = None
        super()._continue_from_kept()

    def _begin_history(self) -> None:
        self.tape, self.divergence, self.playing, self.loop, self.reel = None, None, False, None, None
        super()._begin_history()
        if self.since >= 0:
            self.since, self.since_time = self.world.steps, self.world.time
            self.say(f"the recording begins again at t = {self.world.time:.3f} s: a file holds one run")


def _into_file(piece: recording.Piece, path: Path, write: Callable[[Path, bytes], None]) -> str:
    """Make the file; returns what to say."""
    data = recording.pack(piece)
    try:
        write(path, data)
    except OSError as error:
        raise BadInput(f"{path} cannot be written, nothing is lost: {error.strerror or error}") from None
    return f"saved {piece.seconds:.3g} s in {path}, {max(len(data), 10_000) / 1e6:.2f} MB"
