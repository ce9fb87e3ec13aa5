"""Playback of the history: forwards in real time, backwards, and in a loop.

Playback recomputes the recorded steps one by one and does not branch. Breakpoints stop it, in both directions at the same
steps: for backward playback they are evaluated while its steps are recomputed in forward order (reverse.py).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.timeline.reverse import ReversePlayback
from physics import BadInput

if TYPE_CHECKING:
    from app.engine.simulation import Simulation


@dataclass(frozen=True)
class Loop:
    """The steps between which playback repeats, and their times [s]."""

    first: int
    last: int
    begin: float
    end: float


class Player:
    """playing: playback is on; backwards: in reverse, by `reverse`. loop: steps to repeat."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.playing = self.backwards = False
        self.reverse: ReversePlayback | None = None
        self.loop: Loop | None = None

    @property
    def is_reversed(self) -> bool:
        """Return whether playback runs backwards now."""
        return self.backwards and self.playing and not self.simulation.paused

    def begin(self) -> None:
        """Stop and remove the loop; the world was replaced."""
        self.playing, self.loop, self.reverse = False, None, None

    def stop(self) -> None:
        """Stop playback, since the history branches."""
        self.playing, self.reverse = False, None

    def end(self) -> None:
        """Stop and pause."""
        self.playing, self.simulation.paused = False, True

    def play(self) -> None:
        """Play forwards from here; from the start of the history or the loop if there is no recorded future."""
        simulation = self.simulation
        if simulation.history.last == simulation.history.first:
            raise BadInput("there is no past to play yet: run the scene first")
        if not simulation.timeline.in_past:
            simulation.timeline.seek(self._begin())
        self.playing, simulation.paused, self.backwards, self.reverse = True, False, False, None

    def play_backwards(self) -> None:
        """Play backwards to the oldest step or through the loop."""
        simulation = self.simulation
        if not self.loop and simulation.world.steps == simulation.history.first:
            raise BadInput("this is the oldest stored step: reverse playback ends here")
        self._leave_present()
        self.playing, simulation.paused, self.backwards = True, False, True

    def set_loop(self, begin: float, end: float) -> None:
        """Loop between two times [s]; no loop if there is no step between them."""
        history = self.simulation.history
        first, last = history.at(begin), history.at(end)
        times, base = history.times, history.first
        self.loop = Loop(first, last, times[first - base], times[last - base]) if first < last else None

    def step(self) -> bool:
        """Show the next recorded step in the direction of playback; False: it is unavailable."""
        simulation, timeline = self.simulation, self.simulation.timeline
        timeline.go_to_goal()
        if self.is_reversed:
            return self._step_backwards()
        last = simulation.history.last
        if simulation.world.steps >= (min(self.loop.last, last) if self.loop else last):
            if self.loop:
                timeline.seek(self._begin())
            else:
                self.end()
            return True
        timeline.repeat_commands()
        watched = simulation.breakpoints.watch()
        if not self.recompute_next():
            self.end()
            timeline.warn_step_unavailable()
            return False
        simulation.breakpoints.stop_at(watched)
        return True

    def recompute_next(self) -> bool:
        """Recompute the next step, or restore its keyframe if the time budget cut it short; False: it is unavailable."""
        simulation, timeline = self.simulation, self.simulation.timeline
        timeline.repeat_commands()
        step = simulation.world.steps + 1
        if simulation.history.is_repeatable_from(step - 1, step):
            good = timeline.recompute_step()
        else:
            moment = simulation.history.moment_after(step)
            good = moment is not None
            if good:
                timeline.restore(moment)
        if good:
            timeline.repeat_commands()
        timeline.held = False
        return good

    def go_back_to(self, step: int) -> None:
        """Pause and go to an earlier step by backward playback: quick if the steps after it were shown just before."""
        simulation = self.simulation
        simulation.timeline.go_to_goal()
        simulation.paused = True
        self._leave_present()
        while simulation.world.steps > max(step, simulation.history.first):
            self.show_previous()

    def seek_back(self) -> None:
        """Go back to the latest step at which a breakpoint that is on fired, or to the oldest step."""
        simulation = self.simulation
        if simulation.world.steps == simulation.history.first:
            raise BadInput("this is the oldest stored step: no earlier breakpoint hit is stored")
        self._leave_present()
        self.end()
        simulation.timeline.search(simulation.history.first)

    def show_previous(self) -> bool:
        """Show the previous step; False: it is not ready yet."""
        simulation = self.simulation
        if self.reverse is None:
            self.reverse = ReversePlayback(simulation)
        elif self.reverse.place != simulation.world.steps or self.reverse.watches != simulation.breakpoints.watch_list():
            self.reverse.begin(simulation.world.steps)
        moment = self.reverse.before()
        if moment is not None:
            simulation.timeline.restore(moment)
            simulation.timeline.held = False
        return moment is not None

    def _step_backwards(self) -> bool:
        """Show the previous step if it is ready; at the start of the loop jump to its end, else stop."""
        simulation = self.simulation
        if simulation.world.steps > self._begin():
            if self.show_previous():
                simulation.breakpoints.stop_for(self.reverse.breakpoints_hit)
        elif self.loop:
            simulation.timeline.seek(min(self.loop.last, simulation.history.last))
        else:
            self.end()
            self.reverse = None
        return True

    def _leave_present(self) -> None:
        if not self.simulation.timeline.in_past:
            self.simulation.timeline.store_present()

    def _begin(self) -> int:
        first = self.simulation.history.first
        return max(first, self.loop.first) if self.loop else first
