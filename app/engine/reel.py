"""The past backwards, step by step: making each step again from the keyframe before it would cost as much as all between them.

A stretch goes from one keyframe to the next. A second simulation on the same past, the shadow, makes its steps once, forwards,
and keeps each as a whole state; then they are given back from the last to the first. While one stretch is shown the one before it
is made, some steps at a time, so that it is ready when it is needed. A stretch that is too long for memory is first passed
through with a few of its states kept, as keyframes more. So whatever is shown is the step that was, to the bit.

The shadow looks at the breakpoints in every step that it makes, and makes one step beyond each stretch for that: its last step
is followed by the first of the stretch above.
"""

import time
from typing import Any

from app.engine.breakpoints import Cause
from app.engine.history import Moment
from app.engine.rewinding import SLICE

STEPS = 240
"""Whole states of a stretch, at most."""

BYTES = 48_000_000
"""What they may take, but for the least number of them."""

FEWEST = 8
"""Whole states of a stretch, however large they are."""


class Reel:
    """Gives the states before a step, backwards; whoever takes them changes nothing of the past meanwhile.

    shadow: makes the steps. place: the step that was given last. watches: what its breakpoints look for (`watch_for`).
    """

    def __init__(self, simulation: Any) -> None:
        self._shows, self.shadow, self._history = simulation, _shadow(simulation), simulation.history
        self.begin(simulation.world.steps)

    def begin(self, step: int) -> None:
        """What is given next comes before that step."""
        self.watches = self._shows.watch_for()
        self.shadow.watch_as(self._shows)
        self._fired: dict[int, list[tuple[int, Cause]]] = {}
        self._looked = step - 1                 # the steps after it were looked at
        self.place = self._floor = step         # all from the floor up was given, or is made
        self._shown: list[Moment] = []          # the next one last
        self._ready: list[Moment] = []
        self._rungs: list[Moment] = []          # keyframes of our own, below the floor
        self._made: list[Moment] = []           # of the stretch that is being made,
        self._start, self._last, self._every = -1, -1, 0      # its first and last step; kept is one in so many, 0: none is made

    def before(self, seconds: float = SLICE) -> Moment | None:
        """The state before the one that was given last, with what was done after its step; None: it is not ready after so
        many wall seconds, ask again. Not to be asked at the first step of the past."""
        end = time.perf_counter() + seconds
        while not self._shown and not self._ready:
            self._work()
            if time.perf_counter() >= end:
                return None
        if not self._shown:
            self._shown, self._ready = self._ready, []
        while self.watches and self._history.first < self._shown[-1].step <= self._looked:
            self._work()
            if time.perf_counter() >= end:
                return None
        moment = self._shown.pop()
        self.place = moment.step
        for _ in range(self._due()):
            if time.perf_counter() >= end:
                break
            self._work()
        return moment

    @property
    def fired(self) -> list[tuple[int, Cause]]:
        """Which breakpoints stop at the step that was given last, by number, and why."""
        return self._fired.get(self.place, [])

    def _due(self) -> int:
        """Steps to be made now, so that the next stretch is ready when this one is through."""
        if self._ready or self._floor <= self._history.first:
            return 0
        left = self._last - self.shadow.world.steps + (self._every if self._every > 1 else 0) if self._every else 1
        return -(-left // (len(self._shown) + 1))

    def _work(self) -> None:
        """Begin a stretch, or make one step of it."""
        shadow = self.shadow
        if not self._every:
            self._choose()
        elif self._next():
            if (shadow.world.steps - self._start) % self._every == 0:
                self._made.append(shadow._moment(shadow._done))
        else:
            self._last = shadow.world.steps     # what comes after it cannot be had
        if shadow.world.steps >= self._last:
            if self.watches and shadow.world.steps + 1 == self._floor <= self._looked:
                self._next()
            self._close()

    def _next(self) -> bool:
        """The step that follows is made, and what fired in it noted; False: it cannot be had."""
        shadow, step = self.shadow, self.shadow.world.steps + 1
        watched = shadow.watch()
        if self._history.follows(step - 1, step):
            good = shadow._make_again()
        else:
            moment = self._history.moment_after(step)
            good = moment is not None and moment.step == step
            if good:
                shadow._restore(moment)
        if good:
            if watched and (fired := shadow.caught(watched)):
                self._fired[step] = fired
            shadow._do_again()
        return good

    def _choose(self) -> None:
        """The stretch before the floor, from its keyframe on."""
        moment, last = self._history.way(self._floor, self._floor - 1)
        if self._rungs:
            moment, last = self._rungs[-1], self._floor - 1
        shadow = self.shadow
        shadow._restore(moment)
        shadow._do_again()
        length, most = last - moment.step + 1, max(FEWEST, min(STEPS, BYTES // moment.size))
        self._start, self._last, self._every = moment.step, last, 1 if length <= most else -(-length // most)
        self._made = [shadow._moment(shadow._done)]

    def _close(self) -> None:
        """A stretch is made, or the keyframes that divide it."""
        if self._every > 1:
            self._rungs.extend(self._made[1:])
            self._floor = self._last + 1
        else:
            self._ready, self._floor = self._made, self._start
            while self._rungs and self._rungs[-1].step >= self._floor:
                self._rungs.pop()
        self._made, self._every, self._looked = [], 0, min(self._looked, self._start)


def _shadow(simulation: Any) -> Any:
    """Another simulation on the same past, which only ever reads it. It plots nothing and says nothing: that was said."""
    shadow = simulation.twin()
    shadow.audited = simulation._tells_of_energy(simulation.traces.keys)
    shadow.traces.follow_only(())
    shadow.history, shadow.say = simulation.history, lambda text: None
    return shadow
