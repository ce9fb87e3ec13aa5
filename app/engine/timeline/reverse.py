"""Backward playback, step by step: recomputing each step from the keyframe before it would repeat all steps between them.

A section reaches from one keyframe to the next. A second simulation on the same history, the replica, recomputes its steps once,
forwards, and stores the whole state of each; they are then returned from last to first. While a section is shown the one before
it is prepared, some steps at a time, to be ready in time. A section too large for memory is first traversed with a few of its
states stored as additional keyframes. So every step shown is exact to the bit.

The replica evaluates the breakpoints in every step that it makes, and for that makes one step beyond each section: the last step
of a section is followed by the first of the next.
"""

import time
from typing import Any

from app.engine.breakpoints.base import BreakpointCause
from app.engine.timeline.history import Keyframe
from app.engine.timeline.timeline import REWIND_SLICE

MAX_STATES = 240
"""Largest number of states stored of a section."""

MAX_BYTES = 48_000_000
"""Largest memory of these states [bytes], unless MIN_STATES need more."""

MIN_STATES = 8
"""Least number of states stored of a section, however large they are."""


class ReversePlayback:
    """Returns the states before a step, backwards; the history must not change meanwhile.

    replica: recomputes the steps. place: the step returned last. watches: what its breakpoints depend on (`watch_list`).
    """

    def __init__(self, simulation: Any) -> None:
        self._shows, self.replica, self._history = simulation, replica(simulation), simulation.history
        self.begin(simulation.world.steps)

    def begin(self, step: int) -> None:
        """Restart before that step."""
        self.watches = self._shows.breakpoints.watch_list()
        self.replica.breakpoints.copy_watch_list(self._shows.breakpoints)
        self._fired: dict[int, list[tuple[int, BreakpointCause]]] = {}
        self._evaluated_after = step - 1                 # breakpoints were evaluated in the steps after it
        self.place = self._floor = step         # the steps from the floor up were returned, or are stored
        self._shown: list[Keyframe] = []          # in ascending order
        self._ready: list[Keyframe] = []
        self._rungs: list[Keyframe] = []          # additional keyframes below the floor
        self._made: list[Keyframe] = []           # of the section in preparation:
        self._start, self._last, self._every = -1, -1, 0      # its first and last step, interval of stored states; 0: no section

    def before(self, seconds: float = REWIND_SLICE) -> Keyframe | None:
        """Return the state before the one returned last, after the commands of its step; None: it is not ready after `seconds` of
        wall time, call again. Not allowed at the first step of the history."""
        end = time.perf_counter() + seconds
        while not self._shown and not self._ready:
            self._work()
            if time.perf_counter() >= end:
                return None
        if not self._shown:
            self._shown, self._ready = self._ready, []
        while self.watches and self._history.first < self._shown[-1].step <= self._evaluated_after:
            self._work()
            if time.perf_counter() >= end:
                return None
        moment = self._shown.pop()
        self.place = moment.step
        for _ in range(self._steps_due()):
            if time.perf_counter() >= end:
                break
            self._work()
        return moment

    @property
    def breakpoints_hit(self) -> list[tuple[int, BreakpointCause]]:
        """Number and cause of the breakpoints that fired at the step returned last."""
        return self._fired.get(self.place, [])

    def _steps_due(self) -> int:
        """Return how many steps to make now, so that the next section is ready when this one ends."""
        if self._ready or self._floor <= self._history.first:
            return 0
        left = self._last - self.replica.world.steps + (self._every if self._every > 1 else 0) if self._every else 1
        return -(-left // (len(self._shown) + 1))

    def _work(self) -> None:
        """Begin a section, or make one step of it."""
        replica = self.replica
        if not self._every:
            self._choose_stretch()
        elif self._next():
            if (replica.world.steps - self._start) % self._every == 0:
                self._made.append(replica.moment(replica.timeline.done))
        else:
            self._last = replica.world.steps     # the steps after it are unavailable
        if replica.world.steps >= self._last:
            if self.watches and replica.world.steps + 1 == self._floor <= self._evaluated_after:
                self._next()
            self._close()

    def _next(self) -> bool:
        """Make the next step and store which breakpoints fired; False: it is unavailable."""
        replica, step = self.replica, self.replica.world.steps + 1
        watched = replica.breakpoints.watch()
        if self._history.is_repeatable_from(step - 1, step):
            good = replica.timeline.recompute_step()
        else:
            moment = self._history.moment_after(step)
            good = moment is not None and moment.step == step
            if good:
                replica.timeline.restore(moment)
        if good:
            if watched and (fired := replica.breakpoints.breakpoints_hit(watched)):
                self._fired[step] = fired
            replica.timeline.repeat_commands()
        return good

    def _choose_stretch(self) -> None:
        """Choose the section before the floor and restore its keyframe."""
        moment, last = self._history.route_to(self._floor, self._floor - 1)
        if self._rungs:
            moment, last = self._rungs[-1], self._floor - 1
        replica = self.replica
        replica.timeline.restore(moment)
        replica.timeline.repeat_commands()
        length, most = last - moment.step + 1, max(MIN_STATES, min(MAX_STATES, MAX_BYTES // moment.size))
        self._start, self._last, self._every = moment.step, last, 1 if length <= most else -(-length // most)
        self._made = [replica.moment(replica.timeline.done)]

    def _close(self) -> None:
        """Finish a section, or the keyframes that divide it."""
        if self._every > 1:
            self._rungs.extend(self._made[1:])
            self._floor = self._last + 1
        else:
            self._ready, self._floor = self._made, self._start
            while self._rungs and self._rungs[-1].step >= self._floor:
                self._rungs.pop()
        self._made, self._every, self._evaluated_after = [], 0, min(self._evaluated_after, self._start)


def replica(simulation: Any) -> Any:
    """Return another simulation that only reads the same history. It records no traces and reports nothing a second time."""
    replica = simulation.fork()
    replica.audited = simulation.needs_ledger(simulation.traces.keys)
    replica.traces.record_only(())
    replica.history, replica.notify = simulation.history, lambda text: None
    return replica
