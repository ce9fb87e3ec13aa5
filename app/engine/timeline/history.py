"""The history of a simulation: any past step can be shown bit for bit, in bounded memory.

It stores keyframes (moments) and the commands between them, by step. Other steps are recomputed from the keyframe before them,
with the same commands at the same steps. Steps that the time budget cut short cannot be recomputed, so keyframes are stored
after them. When memory runs out, every other one of the older keyframes is dropped, with the steps that only it could
reproduce. So every step shown of the past is exact.
"""

import hashlib
import sys
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from physics import Snapshot
from physics.dynamics import measure

MEMORY_BUDGET = 256_000_000
"""Largest memory of a history [bytes]."""

KEYFRAME_INTERVAL = 0.02
"""Wall time of steps between two keyframes [s]: a step back takes half of it on average."""

KEYFRAME_COST_FACTOR = 10.0
"""The interval between keyframes is at least this multiple of the cost of storing one."""

KEYFRAME_OVERHEAD = 6000
"""Size of a keyframe beside its arrays [bytes]: options, report, names of few bodies."""

FROM_RECORDING = -1
"""Gesture of a command that came from a recording: it is in no edit list."""

KEYFRAME_SETTINGS = ("dt", "friction", "restitution", "joint_bounds", "pairs", "gravity", "dragged", "drag_stiffness", "_thrown",
                     "edits")
"""Attributes of a simulation that belong to a keyframe, beside its world."""


@dataclass(frozen=True)
class Keyframe:
    """A keyframe. settings: of the simulation, by name; done: number of recorded commands that it contains; size [bytes]."""

    snapshot: Snapshot
    settings: dict[str, Any]
    done: int
    size: int

    @property
    def step(self) -> int:
        return self.snapshot.steps


@dataclass(frozen=True)
class CommandRecord:
    """A command that changed something after that step. gesture: number of the gesture that sent it, 0: none."""

    step: int
    command: str
    args: tuple
    kwargs: dict[str, Any]
    gesture: int = 0


class StepChecksum(NamedTuple):
    """Checksum of positions, orientations and velocities: of all bodies, 8 bytes, 0: unknown; of each body, 2 bytes."""

    whole: int = 0
    each: bytes = b""


@dataclass(frozen=True)
class PastSummary:
    """Summary of a history for display: steps and times [s] of its ends, number of keyframes, bytes used and allowed."""

    first: int = 0
    last: int = 0
    begin: float = 0.0
    end: float = 0.0
    moments: int = 0
    size: int = 0
    budget: int = MEMORY_BUDGET


class HistoryListener(Protocol):
    """Notified of every change of a history; arguments as of the methods that cause it."""

    def on_begin(self, moment: Keyframe) -> None:
        """The history begins with this keyframe."""

    def on_keyframe(self, moment: Keyframe) -> None:
        """The present was stored."""

    def on_command(self, command: CommandRecord) -> None:
        """A command was recorded."""

    def on_step(self, step: int, now: float, cost: float, cut: bool, check: StepChecksum) -> None:
        """A step was made."""

    def on_break(self, moment: Keyframe) -> None:
        """The present does not follow from the recorded commands."""

    def on_forget_after(self, step: int) -> None:
        """The history ends at that step."""

    def on_continue_from(self, moment: Keyframe) -> None:
        """The history ends with this keyframe, whatever led to it."""


class SimulationHistory:
    """Keyframes, commands and times of the steps from `first` to `last`. listener: notified of changes."""

    def __init__(self, budget: int = MEMORY_BUDGET) -> None:
        self.budget = budget
        self.listener: HistoryListener | None = None
        self.moments: list[Keyframe] = []
        self.commands: list[CommandRecord] = []
        self.first = 0
        self._times = array("d", [0.0])     # of steps first .. last
        self._checks = [StepChecksum()]            # right after each of these steps
        self._unrepeatable = array("q")     # steps that cannot be recomputed
        self._sizes = [0, 0, 0]             # bytes of keyframes, of commands, of checksums
        self._since, self.storing_cost = 0.0, 0.0  # wall time of steps since the last keyframe; of storing one

    @property
    def last(self) -> int:
        return self.first + len(self._times) - 1

    @property
    def times(self) -> array:
        """Times of the steps from first to last [s]."""
        return self._times

    @property
    def unrepeatable_steps(self) -> array:
        """Steps that cannot be recomputed, ascending."""
        return self._unrepeatable

    @property
    def checks(self) -> list[StepChecksum]:
        """Checksums of the steps from first to last."""
        return self._checks

    def check_of(self, step: int) -> StepChecksum:
        """Return the checksum of a step."""
        return self._checks[step - self.first] if self.first <= step <= self.last else StepChecksum()

    def moment_after(self, step: int) -> Keyframe | None:
        """Return the first keyframe at that step or later."""
        i = bisect_left(self.moments, step, key=_step)
        return self.moments[i] if i < len(self.moments) else None

    @property
    def size(self) -> int:
        """Memory used [bytes]."""
        return sum(self._sizes) + self._times.itemsize * len(self._times) + self._unrepeatable.itemsize * len(self._unrepeatable)

    def past(self) -> PastSummary:
        return PastSummary(self.first, self.last, self._times[0], self._times[-1], len(self.moments), self.size, self.budget)

    # ---- the present

    def begin(self, make: Callable[[int], Keyframe]) -> None:
        """Discard everything; the history begins here. make(done) makes a keyframe."""
        self.moments, self.commands, self._sizes, self._unrepeatable = [], [], [0, 0, 0], array("q")
        self._store_keyframe(make)
        self.first, self._times = self.moments[0].step, array("d", [self.moments[0].snapshot.time])
        self._checks = [StepChecksum()]
        if self.listener is not None:
            self.listener.on_begin(self.moments[0])

    def load(self, moments: list[Keyframe], commands: list[CommandRecord], times: np.ndarray, unrepeatable: np.ndarray,
             checks: list[StepChecksum]) -> None:
        """Load a recording: times of the steps from the first keyframe on, float64 [s], steps cut short, checksums of all."""
        self.moments, self.commands, self._checks = moments, commands, checks
        self.first, self._times = moments[0].step, array("d", times.tolist())
        self._unrepeatable = array("q", unrepeatable.tolist())
        self._sizes = [sum(moment.size for moment in moments), sum(map(size_of, commands)), sum(map(_size_of_check, checks))]

    def store_keyframe(self, make: Callable[[int], Keyframe]) -> None:
        """Store the present as a keyframe, replacing another one of this step."""
        self._store_keyframe(make)
        if self.listener is not None:
            self.listener.on_keyframe(self.moments[-1])

    def _store_keyframe(self, make: Callable[[int], Keyframe]) -> None:
        begin = time.perf_counter()
        moment = make(len(self.commands))
        if self.moments and self.moments[-1].step == moment.step:
            self._sizes[0] -= self.moments.pop().size
        self.moments.append(moment)
        self._sizes[0] += moment.size
        self._since, self.storing_cost = 0.0, self.storing_cost + 0.2 * (time.perf_counter() - begin - self.storing_cost)
        self._thin()

    def record_command(self, command: CommandRecord) -> None:
        """Record a command."""
        self.commands.append(command)
        self._sizes[1] += size_of(command)
        if self.listener is not None:
            self.listener.on_command(command)

    def record_step(self, now: float, cost: float, cut: bool, make: Callable[[int], Keyframe], check: StepChecksum) -> None:
        """Record a step; now: its time [s], cost: wall time [s], cut: cut short by the time budget."""
        self.add_step(now, cut, check)
        self._since += cost
        if self.listener is not None:
            self.listener.on_step(self.last, now, cost, cut, check)
        owed = len(self._unrepeatable) > 0 and self._unrepeatable[-1] > self.moments[-1].step
        if (owed or self._since >= KEYFRAME_INTERVAL) and self._since >= KEYFRAME_COST_FACTOR * self.storing_cost:
            self.store_keyframe(make)

    def add_step(self, now: float, cut: bool, check: StepChecksum) -> None:
        """Record a step without storing a keyframe; arguments as of `record_step`."""
        self._times.append(now)
        self._checks.append(check)
        self._sizes[2] += _size_of_check(check)
        if cut:
            self._unrepeatable.append(self.last)

    def record_break(self, make: Callable[[int], Keyframe]) -> None:
        """Store the present, which does not follow from the recorded commands."""
        self._break(make)
        if self.listener is not None:
            self.listener.on_break(self.moments[-1])

    def _break(self, make: Callable[[int], Keyframe]) -> None:
        if not self._unrepeatable or self._unrepeatable[-1] < self.last:
            self._unrepeatable.append(self.last)
        self._store_keyframe(make)

    def forget_after(self, step: int) -> None:
        """Discard everything after that step."""
        self._end(step, bisect_right(self.moments, step, key=_step), bisect_right(self.commands, step, key=_step))
        if self.listener is not None:
            self.listener.on_forget_after(step)

    def continue_from(self, step: int, make: Callable[[int], Keyframe]) -> None:
        """End the history at that step with the present state, whatever led to it."""
        self._end(step, bisect_left(self.moments, step, key=_step), bisect_left(self.commands, step, key=_step))
        self._break(make)
        if self.listener is not None:
            self.listener.on_continue_from(self.moments[-1])

    def _end(self, step: int, moments: int, commands: int) -> None:
        self._sizes[0] -= sum(moment.size for moment in self.moments[moments:])
        self._sizes[1] -= sum(map(size_of, self.commands[commands:]))
        self._sizes[2] -= sum(map(_size_of_check, self._checks[step - self.first + 1:]))
        del self.moments[moments:], self.commands[commands:]
        del self._times[step - self.first + 1:], self._checks[step - self.first + 1:]
        del self._unrepeatable[bisect_right(self._unrepeatable, step):]

    # ---- the past

    def at(self, now: float) -> int:
        """Return the step nearest to a time [s]."""
        i = bisect_left(self._times, now)
        if i == len(self._times) or (i > 0 and now - self._times[i - 1] <= self._times[i] - now):
            i -= 1
        return self.first + i

    def is_repeatable_from(self, before: int, step: int) -> bool:
        """Return whether `step` can be recomputed from `before`."""
        i = bisect_right(self._unrepeatable, before)
        return i == len(self._unrepeatable) or self._unrepeatable[i] > step

    def route_to(self, place: int, wanted: int) -> tuple[Keyframe | None, int]:
        """Return (keyframe to restore, None: continue from `place`; reachable step) for a wanted step.

        A step that cannot be recomputed is replaced by the last reachable one before it; on the way forward, by the next one.
        """
        wanted = min(max(wanted, self.first), self.last)
        moment = self.moments[bisect_right(self.moments, wanted, key=_step) - 1]
        if moment.step <= place <= wanted and self.is_repeatable_from(place, wanted):
            return None, wanted
        found = wanted
        if not self.is_repeatable_from(moment.step, wanted):
            found = self._unrepeatable[bisect_right(self._unrepeatable, moment.step)] - 1
        if found <= place < wanted:
            following = bisect_right(self.moments, place, key=_step)
            if following == len(self.moments):
                return None, place
            moment = self.moments[following]
            found = moment.step
        return moment, found

    # ---- memory

    def _thin(self) -> None:
        """Drop keyframes until the history fits its budget."""
        while self.size > self.budget and len(self.moments) > 2:
            half = max(2, len(self.moments) // 2)
            if self.size - self._sizes[0] > 0.5 * self.budget:
                self._forget_before(half)
                continue
            self._sizes[0] -= sum(moment.size for moment in self.moments[1:half:2])
            del self.moments[1:half:2]

    def _forget_before(self, index: int) -> None:
        """Let the history begin with that keyframe, since commands and times alone take too much memory."""
        moment = self.moments[index]
        self._sizes[0] -= sum(older.size for older in self.moments[:index])
        self._sizes[1] -= sum(map(size_of, self.commands[:moment.done]))
        self.moments = [Keyframe(m.snapshot, m.settings, m.done - moment.done, m.size) for m in self.moments[index:]]
        count = moment.step - self.first
        self._sizes[2] -= sum(map(_size_of_check, self._checks[:count]))
        del self.commands[:moment.done], self._times[:count], self._checks[:count]
        del self._unrepeatable[: bisect_right(self._unrepeatable, moment.step)]
        self.first = moment.step


_ODD = np.random.default_rng(0).integers(0, 2**63, measure.MOTION, np.uint64) * np.uint64(2) + np.uint64(1)
"""Odd factors that mix the numbers of a body into its checksum."""


def checksum(bodies: np.ndarray) -> StepChecksum:
    """Return the checksum of positions, orientations and velocities."""
    motion = np.empty((len(bodies), measure.MOTION))
    measure.copy_motion(bodies, motion)
    mixed = motion.view(np.uint64) @ _ODD
    whole = int.from_bytes(hashlib.blake2b(mixed.tobytes(), digest_size=8).digest(), "little")
    return StepChecksum(whole or 1, (mixed >> np.uint64(48)).astype("<u2").tobytes())


def moment_of(snapshot: Snapshot, settings: dict[str, Any], done: int) -> Keyframe:
    """Return a keyframe with its size; geometry and materials are shared with the world."""
    began = snapshot.step_start
    kept = (*(table.storage for table in snapshot.tables), snapshot.contacts, snapshot.kept_manifolds, snapshot.sleep.rest,
            snapshot.sleep.joints[1], *((began.motion, began.force, began.torque) if began is not None else ()))
    names = 8 * sum(map(len, snapshot.names))
    return Keyframe(snapshot, settings, done, KEYFRAME_OVERHEAD + names + sum(array.nbytes for array in kept))


def _step(item: Keyframe | CommandRecord) -> int:
    return item.step


def size_of(command: CommandRecord) -> int:
    """Estimate the memory of a command [bytes]."""
    parts = (*command.args, *command.kwargs.values())
    return 300 + sum(sys.getsizeof(part) + (32 * len(part) if isinstance(part, tuple) else 0) for part in parts)


def _size_of_check(check: StepChecksum) -> int:
    return 140 + len(check.each)
