"""The past of a simulation, so that every step of it can be seen again bit for bit, in bounded memory.

Kept are keyframes (moments), and what a person did between them, by step (deeds). A step that was not kept is made again: from
the moment before it, with the same deeds at the same steps. Steps that the clock cut short (`budget`) cannot be made again; after
these a moment is kept. Where memory runs out every second of the older moments goes, and with it the steps that only it could
give back. So whatever is shown of the past is what was.
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

from physics import Snapshot, measure

BUDGET = 256_000_000
"""Bytes that the past of a simulation may take."""

SPACING = 0.02
"""Wall seconds of steps between two moments: a step back takes half of it on average."""

SHARE = 10.0
"""A moment is kept at most once in so many times what keeping it costs."""

OVERHEAD = 6000
"""Bytes of a moment beside its arrays: options, report, names of few bodies."""

TAPED = -1
"""Gesture of a deed that came with a recording: it is in no list of edits."""


@dataclass(frozen=True)
class Moment:
    """A keyframe. settings: of the simulation, by name; done: deeds that it has in it; size [bytes]."""

    snapshot: Snapshot
    settings: dict[str, Any]
    done: int
    size: int

    @property
    def step(self) -> int:
        return self.snapshot.steps


@dataclass(frozen=True)
class Deed:
    """A command that changed something after that step. gesture: the control that sent it, 0: none."""

    step: int
    command: str
    args: tuple
    kwargs: dict[str, Any]
    gesture: int = 0


class Check(NamedTuple):
    """Of where all bodies are and how they move: of all together, 8 bytes, 0: not known; of each of them, 2 bytes."""

    whole: int = 0
    each: bytes = b""


@dataclass(frozen=True)
class Past:
    """What is kept, for those who show it: steps and times [s] of its ends, moments, bytes now and at most."""

    first: int = 0
    last: int = 0
    begin: float = 0.0
    end: float = 0.0
    moments: int = 0
    size: int = 0
    budget: int = BUDGET


class Listener(Protocol):
    """Hears what becomes of a history, as it does; arguments as of the methods that say it."""

    def began(self, moment: Moment) -> None:
        """The past begins with that moment."""

    def kept(self, moment: Moment) -> None:
        """The present was kept."""

    def noted(self, deed: Deed) -> None:
        """Something was changed in the present."""

    def stepped(self, step: int, now: float, cost: float, cut: bool, check: Check) -> None:
        """A step was made."""

    def parted(self, moment: Moment) -> None:
        """The present does not follow from what was noted."""

    def forgot_after(self, step: int) -> None:
        """The past ends at that step."""

    def continued_from(self, moment: Moment) -> None:
        """The past ends with that moment, however it came about."""


class History:
    """Moments, deeds and times of the steps from `first` to `last`. listener: hears of it."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self.listener: Listener | None = None
        self.moments: list[Moment] = []
        self.deeds: list[Deed] = []
        self.first = 0
        self._times = array("d", [0.0])     # of steps first .. last
        self._checks = [Check()]            # of them, right after each
        self._cuts = array("q")             # steps that cannot be made again
        self._sizes = [0, 0, 0]             # bytes of moments, of deeds, of checks
        self._since, self._cost = 0.0, 0.0  # wall seconds of steps since the last moment; of keeping one

    @property
    def last(self) -> int:
        return self.first + len(self._times) - 1

    @property
    def times(self) -> array:
        """Of the steps from first to last [s]."""
        return self._times

    @property
    def cuts(self) -> array:
        """Steps that cannot be made again, ascending."""
        return self._cuts

    @property
    def checks(self) -> list[Check]:
        """Of the steps from first to last."""
        return self._checks

    def check_of(self, step: int) -> Check:
        """Right after a step."""
        return self._checks[step - self.first] if self.first <= step <= self.last else Check()

    def moment_after(self, step: int) -> Moment | None:
        """The first one of that step or later."""
        i = bisect_left(self.moments, step, key=_step)
        return self.moments[i] if i < len(self.moments) else None

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(self._sizes) + self._times.itemsize * len(self._times) + self._cuts.itemsize * len(self._cuts)

    def past(self) -> Past:
        return Past(self.first, self.last, self._times[0], self._times[-1], len(self.moments), self.size, self.budget)

    # ---- the present

    def begin(self, take: Callable[[int], Moment]) -> None:
        """Forget everything; the past begins here. take(done) makes a moment."""
        self.moments, self.deeds, self._sizes, self._cuts = [], [], [0, 0, 0], array("q")
        self._keep(take)
        self.first, self._times = self.moments[0].step, array("d", [self.moments[0].snapshot.time])
        self._checks = [Check()]
        if self.listener is not None:
            self.listener.began(self.moments[0])

    def refill(self, moments: list[Moment], deeds: list[Deed], times: np.ndarray, cuts: np.ndarray, checks: list[Check]) -> None:
        """Of a recording: times of the steps from the first moment on, float64 [s], steps cut short, checks of all."""
        self.moments, self.deeds, self._checks = moments, deeds, checks
        self.first, self._times, self._cuts = moments[0].step, array("d", times.tolist()), array("q", cuts.tolist())
        self._sizes = [sum(moment.size for moment in moments), sum(map(size_of, deeds)), sum(map(_size_of_check, checks))]

    def keep(self, take: Callable[[int], Moment]) -> None:
        """Keep the present moment, in place of another of this step."""
        self._keep(take)
        if self.listener is not None:
            self.listener.kept(self.moments[-1])

    def _keep(self, take: Callable[[int], Moment]) -> None:
        begin = time.perf_counter()
        moment = take(len(self.deeds))
        if self.moments and self.moments[-1].step == moment.step:
            self._sizes[0] -= self.moments.pop().size
        self.moments.append(moment)
        self._sizes[0] += moment.size
        self._since, self._cost = 0.0, self._cost + 0.2 * (time.perf_counter() - begin - self._cost)
        self._thin()

    def note(self, deed: Deed) -> None:
        """Something was changed in the present."""
        self.deeds.append(deed)
        self._sizes[1] += size_of(deed)
        if self.listener is not None:
            self.listener.noted(deed)

    def stepped(self, now: float, cost: float, cut: bool, take: Callable[[int], Moment], check: Check) -> None:
        """A step was made; now: its time [s], cost: wall [s], cut: by the clock."""
        self.add_step(now, cut, check)
        self._since += cost
        if self.listener is not None:
            self.listener.stepped(self.last, now, cost, cut, check)
        owed = len(self._cuts) > 0 and self._cuts[-1] > self.moments[-1].step
        if (owed or self._since >= SPACING) and self._since >= SHARE * self._cost:
            self.keep(take)

    def add_step(self, now: float, cut: bool, check: Check) -> None:
        """A step that was made, without its moment; arguments as above."""
        self._times.append(now)
        self._checks.append(check)
        self._sizes[2] += _size_of_check(check)
        if cut:
            self._cuts.append(self.last)

    def part(self, take: Callable[[int], Moment]) -> None:
        """The present does not follow from what was noted: keep it as it is."""
        self._part(take)
        if self.listener is not None:
            self.listener.parted(self.moments[-1])

    def _part(self, take: Callable[[int], Moment]) -> None:
        if not self._cuts or self._cuts[-1] < self.last:
            self._cuts.append(self.last)
        self._keep(take)

    def forget_after(self, step: int) -> None:
        """The past ends at that step."""
        self._end(step, bisect_right(self.moments, step, key=_step), bisect_right(self.deeds, step, key=_step))
        if self.listener is not None:
            self.listener.forgot_after(step)

    def continue_from(self, step: int, take: Callable[[int], Moment]) -> None:
        """The past ends at that step, with the present moment, however it came about."""
        self._end(step, bisect_left(self.moments, step, key=_step), bisect_left(self.deeds, step, key=_step))
        self._part(take)
        if self.listener is not None:
            self.listener.continued_from(self.moments[-1])

    def _end(self, step: int, moments: int, deeds: int) -> None:
        self._sizes[0] -= sum(moment.size for moment in self.moments[moments:])
        self._sizes[1] -= sum(map(size_of, self.deeds[deeds:]))
        self._sizes[2] -= sum(map(_size_of_check, self._checks[step - self.first + 1:]))
        del self.moments[moments:], self.deeds[deeds:], self._times[step - self.first + 1:], self._checks[step - self.first + 1:]
        del self._cuts[bisect_right(self._cuts, step):]

    # ---- the past

    def at(self, now: float) -> int:
        """The step nearest to that time [s]."""
        i = bisect_left(self._times, now)
        if i == len(self._times) or (i > 0 and now - self._times[i - 1] <= self._times[i] - now):
            i -= 1
        return self.first + i

    def follows(self, before: int, step: int) -> bool:
        """Whether `step` can be made again from `before`."""
        i = bisect_right(self._cuts, before)
        return i == len(self._cuts) or self._cuts[i] > step

    def way(self, place: int, wanted: int) -> tuple[Moment | None, int]:
        """(moment to begin with, None: go on from `place`; the step to go to) for the step wanted.

        A step that cannot be had gives way to the last one before it; on the way forward to the next that can be had.
        """
        wanted = min(max(wanted, self.first), self.last)
        moment = self.moments[bisect_right(self.moments, wanted, key=_step) - 1]
        if moment.step <= place <= wanted and self.follows(place, wanted):
            return None, wanted
        found = wanted if self.follows(moment.step, wanted) else self._cuts[bisect_right(self._cuts, moment.step)] - 1
        if found <= place < wanted:
            following = bisect_right(self.moments, place, key=_step)
            if following == len(self.moments):
                return None, place
            moment = self.moments[following]
            found = moment.step
        return moment, found

    # ---- memory

    def _thin(self) -> None:
        """Stay within the budget."""
        while self.size > self.budget and len(self.moments) > 2:
            half = max(2, len(self.moments) // 2)
            if self.size - self._sizes[0] > 0.5 * self.budget:
                self._forget_before(half)
                continue
            self._sizes[0] -= sum(moment.size for moment in self.moments[1:half:2])
            del self.moments[1:half:2]

    def _forget_before(self, index: int) -> None:
        """Deeds and times alone have become too many: the past begins with that moment."""
        moment = self.moments[index]
        self._sizes[0] -= sum(older.size for older in self.moments[:index])
        self._sizes[1] -= sum(map(size_of, self.deeds[:moment.done]))
        self.moments = [Moment(m.snapshot, m.settings, m.done - moment.done, m.size) for m in self.moments[index:]]
        count = moment.step - self.first
        self._sizes[2] -= sum(map(_size_of_check, self._checks[:count]))
        del self.deeds[:moment.done], self._times[:count], self._checks[:count]
        del self._cuts[: bisect_right(self._cuts, moment.step)]
        self.first = moment.step


_ODD = np.random.default_rng(0).integers(0, 2**63, measure.MOTION, np.uint64) * np.uint64(2) + np.uint64(1)
"""Factors by which the numbers of a body make its check."""


def checksum(bodies: np.ndarray) -> Check:
    """Of where all bodies are and how they move."""
    motion = np.empty((len(bodies), measure.MOTION))
    measure.keep_motion(bodies, motion)
    mixed = motion.view(np.uint64) @ _ODD
    whole = int.from_bytes(hashlib.blake2b(mixed.tobytes(), digest_size=8).digest(), "little")
    return Check(whole or 1, (mixed >> np.uint64(48)).astype("<u2").tobytes())


def moment_of(snapshot: Snapshot, settings: dict[str, Any], done: int) -> Moment:
    """A moment with its size; geometry and materials are shared with the world."""
    began = snapshot.beginning
    kept = (*(table.room for table in snapshot.tables), snapshot.contacts, snapshot.sleep.rest, snapshot.sleep.joints[1],
            *((began.motion, began.force, began.torque) if began is not None else ()))
    names = 8 * sum(map(len, snapshot.names))
    return Moment(snapshot, settings, done, OVERHEAD + names + sum(array.nbytes for array in kept))


def _step(item: Moment | Deed) -> int:
    return item.step


def size_of(deed: Deed) -> int:
    """Bytes of a deed, about."""
    parts = (*deed.args, *deed.kwargs.values())
    return 300 + sum(sys.getsizeof(part) + (32 * len(part) if isinstance(part, tuple) else 0) for part in parts)


def _size_of_check(check: Check) -> int:
    return 140 + len(check.each)
