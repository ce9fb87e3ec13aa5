"""The past backwards, step by step: making each step again from the keyframe before it would cost as much as all between them.

A stretch goes from one keyframe to the next. A second simulation on the same past, the shadow, makes its steps once, forwards,
and keeps each as a whole state; then they are given back from the last to the first. While one stretch is shown the one before it
is made, some steps at a time, so that it is ready when it is needed. A stretch that is too long for memory is first passed
through with a few of its states kept, as keyframes more. So whatever is shown is the step that was, to the bit.
"""

import time
from typing import Any

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

    shadow: makes the steps. place: the step that was given last.
    """

    def __init__(self, simulation: Any) -> None:
        self.shadow, self._history = _shadow(simulation), simulation.history
        self.begin(simulation.world.steps)

    def begin(self, step: int) -> None:
        """What is given next comes before that step."""
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
        moment = self._shown.pop()
        self.place = moment.step
        for _ in range(self._due()):
            if time.perf_counter() >= end:
                break
            self._work()
        return moment

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
        elif shadow._make_again():
            shadow._do_again()
            if (shadow.world.steps - self._start) % self._every == 0:
                self._made.append(shadow._moment(shadow._done))
        else:
            self._last = shadow.world.steps     # what comes after it cannot be had
        if shadow.world.steps >= self._last:
            self._close()

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
        self._made, self._every = [], 0


def _shadow(simulation: Any) -> Any:
    """Another simulation on the same past, which only ever reads it. It plots nothing and says nothing: that was said."""
    shadow = simulation.twin()
    shadow.audited = simulation._tells_of_energy(simulation.traces.keys)
    shadow.traces.follow_only(())
    shadow.history, shadow.say = simulation.history, lambda text: None
    return shadow
