"""The commands of seeing the past backwards; what `Simulation` inherits.

Breakpoints stop there at the very steps at which they stop forwards: the reel, which makes the steps forwards, looks at them.
"""

from dataclasses import dataclass

from app.engine.reel import Reel
from app.engine.stopping import Stopping
from physics import BadInput


@dataclass(frozen=True)
class Loop:
    """Steps between which the past is played over and over, and their times [s]."""

    first: int
    last: int
    begin: float
    end: float


class Backwards(Stopping):
    """playing: the past is being seen again; backwards: from its end to its begin, by the reel. loop: over and over."""

    def __init__(self) -> None:
        super().__init__()
        self.playing = self.backwards = False
        self.reel: Reel | None = None
        self.loop: Loop | None = None

    @property
    def in_reverse(self) -> bool:
        """Whether the past is being seen backwards now."""
        return self.backwards and self.playing and not self.paused

    def play_back(self) -> None:
        """See the past backwards, at the pace of time, to its oldest step or through the loop. Once more: pause."""
        if self.in_reverse:
            self.playing, self.paused = False, True
            return
        self.settle()
        if not self.loop and self.world.steps == self.history.first:
            raise BadInput("this is the oldest step that is kept: nothing before it can be played backwards")
        self._leave_present()
        self.playing, self.paused, self.backwards = True, False, True

    def go_back_to(self, step: int) -> None:
        """Pause and go to an earlier step, as playing backwards does: quick where the steps after it were shown just before."""
        self.settle()
        self.paused = True
        self._leave_present()
        while self.world.steps > max(step, self.history.first):
            self._show_before()

    def run_back_to_hit(self) -> None:
        """Go back to the step at which a breakpoint that is on fired last, or to the oldest one."""
        self._need_one()
        self.settle()
        if self.world.steps == self.history.first:
            raise BadInput("this is the oldest step that is kept: no breakpoint can have fired before it")
        self._leave_present()
        self.playing, self.paused = False, True
        self._walk(self.history.first)

    def _on_the_way(self) -> None:
        if self._until >= self.world.steps:
            super()._on_the_way()
        elif self._show_before() and self._stop_for(self.reel.fired):
            self.halt()
        elif self.world.steps == self._until:
            self.halt()
            self.say(f"no breakpoint that is on fired earlier: t = {self.world.time:.3f} s is the oldest step that is kept")

    def _play_back(self) -> bool:
        """The step before, as soon as it is made."""
        if self.world.steps > self._begin():
            if self._show_before():
                self._stop_for(self.reel.fired)
        elif self.loop:
            self._head_for(min(self.loop.last, self.history.last))
        else:
            self.playing, self.paused, self.reel = False, True, None
        return True

    def _show_before(self) -> bool:
        """The step before this one, if it is ready."""
        if self.reel is None:
            self.reel = Reel(self)
        elif self.reel.place != self.world.steps or self.reel.watches != self.watch_for():
            self.reel.begin(self.world.steps)
        moment = self.reel.before()
        if moment is not None:
            self._restore(moment)
            self.held = False
        return moment is not None

    def _leave_present(self) -> None:
        """Nothing of it is lost when the past is shown."""
        if not self.in_past:
            self._keep_present()

    def _begin(self) -> int:
        return max(self.history.first, self.loop.first) if self.loop else self.history.first

