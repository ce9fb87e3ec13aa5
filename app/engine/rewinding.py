"""The commands that go about in the past; what `Simulation` inherits.

Going on from the past makes another future: the one that was recorded is forgotten.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

from app.engine.history import TAPED, Deed, History, Moment, checksum, moment_of

SLICE = 0.004
"""Wall seconds that a command may spend on making steps again; the thread goes on with it between commands."""

SETTINGS = ("dt", "friction", "restitution", "joint_bounds", "pairs", "gravity", "dragged", "drag_stiffness", "_thrown", "edits")
"""What belongs to a moment beside the world."""


def changes(method: Callable) -> Callable:
    """A command that changes the world or how it goes on: done in the present, and noted for when steps are made again."""
    @functools.wraps(method)
    def changed(self: "Rewinding", *args: Any, **kwargs: Any) -> Any:
        if not self._noting:
            return self._once_more(method, args, kwargs)
        self.settle()
        self._branch()
        self._noting = False
        try:
            result = self._as_edit(method, args, kwargs)
        except Exception:
            self.history.part(self._moment)     # it may have been half done
            raise
        finally:
            self._noting = True
        self.history.note(Deed(self.world.steps, method.__name__, args, kwargs, self.gesture))
        return result
    return changed


def of_the_hand(method: Callable) -> Callable:
    """A command that means nothing unless the mouse holds a body: it has let go of those of the past."""
    @functools.wraps(method)
    def moved(self: "Rewinding", *args: Any, **kwargs: Any) -> Any:
        return method(self, *args, **kwargs) if self.held or not self._noting else None
    return moved


class Rewinding:
    """The past of a simulation and the way about in it.

    goal: the step that is being gone to, None: there. held: the mouse holds the body that is dragged. gesture: number of the
    control that a person holds, 0: none.
    """

    def __init__(self) -> None:
        self.history = History()
        self.goal: int | None = None
        self.held = False
        self.gesture = 0
        self._noting = True
        self._again = False         # a deed of the past is being done again
        self._done = 0              # deeds in the state of the past that is shown
        self._kept_follows = True   # the moment that a person kept is on the line of the past
        self._told = False

    # ---- commands

    def touch(self, gesture: int) -> None:
        """A person holds the control of that number from now on, 0: none; what it sends is one edit (undoing.py)."""
        self.gesture = int(gesture)

    def step_back(self, count: int = 1) -> None:
        """Pause and go back by `count` steps."""
        self.paused = True
        self._head_for(self.place - int(count))

    def go_to_step(self, step: int) -> None:
        """Pause and go to a step of the past; beyond its ends: to these."""
        self.paused = True
        self._head_for(int(step))

    def go_to_time(self, now: float) -> None:
        """Pause and go to the step nearest to that time [s]."""
        self.paused = True
        self._head_for(self.history.at(now))

    # ---- the way there

    @property
    def in_past(self) -> bool:
        """Whether there is a recorded future."""
        return self.goal is not None or self.world.steps < self.history.last

    @property
    def place(self) -> int:
        """The step that is shown, or gone to."""
        return self.world.steps if self.goal is None else self.goal

    def catch_up(self, seconds: float = SLICE) -> None:
        """Make steps again on the way to the goal for so long [wall s]."""
        end = time.perf_counter() + seconds
        while self.goal is not None:
            self._approach()
            if time.perf_counter() >= end:
                break
        self.held = False

    def _approach(self) -> None:
        """One step towards the goal, or the end of the way."""
        self._do_again()
        if self.world.steps == self.goal:
            self.goal = None
        elif not self._make_again():
            self.goal = None
            self._lost()

    def _lost(self) -> None:
        self.warn(f"the past could not be made again beyond t = {self.world.time:.3f} s")

    def settle(self) -> None:
        """Go all the way to the goal."""
        while self.goal is not None:
            self.catch_up(1.0)

    def _head_for(self, step: int) -> None:
        if not self.in_past:
            self._keep_present()
        moment, self.goal = self.history.way(self.world.steps, step)
        if moment is not None:
            self._restore(moment)
        self.catch_up()

    def _keep_present(self) -> None:
        self.history.keep(self._moment)
        self._done = len(self.history.deeds)

    def _restore(self, moment: Moment) -> None:
        self.world.restore(moment.snapshot)
        self._done = moment.done
        for name, value in moment.settings.items():
            setattr(self, name, dict(value) if isinstance(value, dict) else value)
        self.traces.seek(self.world.time)

    def _do_again(self) -> None:
        """What was done after this step."""
        deeds, self._noting, held = self.history.deeds, False, self.gesture
        try:
            while self._done < len(deeds) and deeds[self._done].step == self.world.steps:
                deed = deeds[self._done]
                self.gesture, self._again = deed.gesture, True
                self._done += 1
                self._do(deed)
        finally:
            self._noting, self._again, self.gesture = True, False, held

    def _do(self, deed: Deed) -> None:
        """A deed of the past. What a recording holds may be refused here, and the rest of it is shown all the same."""
        try:
            getattr(self, deed.command)(*deed.args, **deed.kwargs)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if deed.gesture != TAPED:
                raise
            self.warn(f"what was done after step {deed.step}, '{deed.command}', cannot be done again: {error}")

    def _once_more(self, method: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A command within another one, or a deed of the past."""
        if not self._again:
            return method(self, *args, **kwargs)
        self._again = False
        return self._as_edit(method, args, kwargs)

    def _as_edit(self, method: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A command that was given by a person."""
        return method(self, *args, **kwargs)

    def _make_again(self) -> bool:
        """The step that followed, whatever the clock says; its warnings were said."""
        solver = self.world.solver
        clocked = hasattr(solver, "patient")
        if clocked:
            solver.patient = True
        try:
            good = self._step()
        finally:
            if clocked:
                solver.patient = False
        self.world.warnings.take()
        return good

    def _branch(self) -> None:
        """Something new happens: the recorded future is forgotten, and the mouse of the past lets go."""
        now, history = self.world, self.history
        if now.steps < history.last:
            lost = history.past().end - now.time
            history.forget_after(now.steps)
            if history.listener is not None:
                history.keep(self._moment)      # what it knows may not go back so far
            self._kept_follows = self._kept_follows and (self.kept is None or self.kept.steps <= now.steps)
            self.traces.cut(now.time)
            if not self._told:
                self._told = True
                self.say(f"going on from t = {now.time:.3f} s: the {lost:.3g} s that were recorded after it are forgotten")
        if self.dragged >= 0 and not self.held:
            self.held = True
            self.drag_end()

    def _moment(self, done: int) -> Moment:
        return moment_of(self.world.snapshot(), self._settings(), done)

    def _settings(self) -> dict[str, Any]:
        return {name: dict(value) if isinstance(value := getattr(self, name), dict) else value for name in SETTINGS}

    def _begin_history(self) -> None:
        """The world is new."""
        self.goal, self.held, self._told = None, False, False
        self._kept_follows = self.kept is None
        self.history.begin(self._moment)

    def _record_step(self) -> None:
        """A step was made in the present."""
        report = self.world.report
        self.history.stepped(self.world.time, report.times["step"], report.end == "budget", self._moment,
                             checksum(self.world.bodies))

    def _continue_from_kept(self) -> None:
        """The present has become the moment that a person kept."""
        step, history = self.world.steps, self.history
        self.goal, self.held = None, False
        if self._kept_follows and history.first <= step <= history.last:
            history.continue_from(step, self._moment)
        else:
            self._begin_history()
            self._kept_follows = True
