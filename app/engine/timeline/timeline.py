"""Navigation in the history of a simulation: steps back, seeking, searches that stop at breakpoints, repeated commands.

A past step is recomputed from the keyframe before it (history.py). Continuing from the past branches: the recorded future is
discarded.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.engine.command import COMMANDS
from app.engine.mouse_spring import drag_end
from app.engine.timeline.history import FROM_RECORDING, CommandRecord, Keyframe, checksum
from app.i18n.message import message

if TYPE_CHECKING:
    from app.engine.simulation import Simulation

REWIND_SLICE = 0.004
"""Wall time that a command may spend on recomputing steps [s]; the thread continues between commands."""


class Timeline:
    """Position of a simulation in its history.

    goal: the step being sought, None: it is reached. held: the mouse holds the body that is dragged. gesture: number
    of the present gesture, from pressing a control to its release, 0: none. nested: a command is running; commands that it calls
    are part of it. done: number of recorded commands contained in the state shown.
    """

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.goal: int | None = None
        self.held = False
        self.gesture = 0
        self.nested = False
        self.done = 0
        self._repeats = False           # the next command is a recorded one
        self._bookmark_follows = True   # the bookmarked state is on this branch
        self._forgetting_reported = False
        self._until = -1                # the end of a search step by step, -1: none
        self._run_after_search = False

    @property
    def in_past(self) -> bool:
        """Return whether there is a recorded future."""
        return self.goal is not None or self.simulation.world.steps < self.simulation.history.last

    @property
    def place(self) -> int:
        """The step shown, or the one being sought; during a search the step shown."""
        return self.simulation.world.steps if self.goal is None or self._until >= 0 else self.goal

    # ---- recorded commands

    def run_edit(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run an undoable command in the present and record it."""
        simulation = self.simulation
        if self.nested:
            repeats, self._repeats = self._repeats, False
            return simulation.undo.run(function, args, kwargs) if repeats else function(simulation, *args, **kwargs)
        self.go_to_goal()
        self.branch()
        self.nested = True
        try:
            result = simulation.undo.run(function, args, kwargs)
        except Exception:
            simulation.history.record_break(simulation.moment)     # it may be incomplete
            raise
        finally:
            self.nested = False
        simulation.history.record_command(CommandRecord(simulation.world.steps, function.__name__, args, kwargs, self.gesture))
        return result

    def repeat_commands(self) -> None:
        """Repeat the commands recorded after this step."""
        simulation, held = self.simulation, self.gesture
        records, self.nested = simulation.history.commands, True
        try:
            while self.done < len(records) and records[self.done].step == simulation.world.steps:
                record = records[self.done]
                self.gesture, self._repeats = record.gesture, True
                self.done += 1
                self._repeat(record)
        finally:
            self.nested, self._repeats, self.gesture = False, False, held

    def _repeat(self, record: CommandRecord) -> None:
        """Repeat a command. One from a recording may fail; the rest of the recording is shown nevertheless."""
        simulation = self.simulation
        try:
            COMMANDS[record.command](simulation, *record.args, **record.kwargs)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if record.gesture != FROM_RECORDING:
                raise
            simulation.warn(message("the command after step {step}, '{command}', cannot be repeated: {error}", step=record.step,
                                    command=record.command, error=error))

    # ---- navigation

    def seek(self, step: int) -> None:
        """Seek a step; one outside the history is clamped to its ends."""
        simulation = self.simulation
        self.end_search()
        if not self.in_past:
            self.store_present()
        moment, self.goal = simulation.history.route_to(simulation.world.steps, step)
        if moment is not None:
            self.restore(moment)
        self.catch_up()

    def search(self, step: int, run_after: bool = False) -> None:
        """Go to a step one by one, forwards or backwards; breakpoints stop the search. run_after: start the clock there."""
        self._until, self._run_after_search, self.goal = step, run_after, step
        self.catch_up()

    def seek_forward(self, step: int) -> None:
        """Go to a later recorded step; breakpoints stop on the way."""
        if self.simulation.breakpoints.any_on:
            self.go_to_goal()
            self.search(step)
        else:
            self.seek(step)

    def end_search(self) -> None:
        """End a search."""
        if self._until >= 0:
            self.goal, self._until = None, -1

    def catch_up(self, seconds: float = REWIND_SLICE) -> None:
        """Recompute steps towards the goal for at most `seconds` [wall s]."""
        end = time.perf_counter() + seconds
        while self.goal is not None:
            if self._until >= 0:
                self._search_step()
            else:
                self._approach()
            if time.perf_counter() >= end:
                break
        self.held = False

    def go_to_goal(self) -> None:
        """Recompute all steps to the goal."""
        while self.goal is not None:
            self.catch_up(1.0)

    def _approach(self) -> None:
        """Make one step towards the goal; reset the goal if it is reached or unavailable."""
        self.repeat_commands()
        if self.simulation.world.steps == self.goal:
            self.goal = None
        elif not self.recompute_step():
            self.goal = None
            self.warn_step_unavailable()

    def _search_step(self) -> None:
        simulation, player = self.simulation, self.simulation.player
        if self._until >= simulation.world.steps:
            self._search_forward()
        elif player.show_previous() and simulation.breakpoints.stop_for(player.reverse.breakpoints_hit):
            self.end_search()
        elif simulation.world.steps == self._until:
            self.end_search()
            simulation.notify(message("no enabled breakpoint was hit earlier: t = {time:.3f} s is the oldest stored step",
                                   time=simulation.world.time))

    def _search_forward(self) -> None:
        simulation, step = self.simulation, self.simulation.world.steps + 1
        self.repeat_commands()
        watched = simulation.breakpoints.watch()
        moment, found = simulation.history.route_to(step - 1, step)
        if moment is not None:
            self.restore(moment)
        elif found < step or not self.recompute_step():
            self.warn_step_unavailable()
            self.end_search()
            return
        fired = simulation.world.steps == step and simulation.breakpoints.stop_at(watched)
        self.repeat_commands()
        if fired:
            self.end_search()
        elif simulation.world.steps >= self._until:
            simulation.paused = simulation.paused and not self._run_after_search
            self.end_search()

    def recompute_step(self) -> bool:
        """Recompute the next step without a time limit; its warnings were reported before. False: it is unavailable."""
        simulation = self.simulation
        with simulation.world.solver.without_budget():
            good = simulation.compute_step()
        simulation.world.warnings.pop_new()
        if good:
            simulation.recorder.compare()
        return good

    def warn_step_unavailable(self) -> None:
        """Warn that the following step is unavailable."""
        self.simulation.warn(message("the past could not be recomputed beyond t = {time:.3f} s", time=self.simulation.world.time))

    # ---- keyframes

    def store_present(self) -> None:
        """Store the present, so that nothing of it is lost while the past is shown."""
        if self.simulation.recorder.divergence is None:
            self.simulation.history.store_keyframe(self.simulation.moment)
            self.done = len(self.simulation.history.commands)

    def restore(self, moment: Keyframe) -> None:
        """Restore a keyframe."""
        self.simulation.world.restore(moment.snapshot)
        self.done = moment.done
        self.simulation.restore_settings(moment.settings)
        self.simulation.traces.show_until(self.simulation.world.time)

    def record_step(self) -> None:
        """Record a new step."""
        simulation = self.simulation
        report = simulation.world.report
        simulation.history.record_step(simulation.world.time, report.times["step"], report.end == "budget", simulation.moment,
                                       checksum(simulation.world.bodies))

    # ---- branches

    def branch(self) -> None:
        """Branch here: discard the recorded future; a mouse spring of the past is removed."""
        simulation = self.simulation
        now, history = simulation.world, simulation.history
        simulation.player.stop()
        if now.steps < history.last:
            simulation.observers.forget_after(now.steps)
            lost = history.past().end - now.time
            history.forget_after(now.steps)
            if history.listener is not None:
                history.store_keyframe(simulation.moment)      # the listener may not have this state
            kept = simulation.bookmarked
            self._bookmark_follows = self._bookmark_follows and (kept is None or kept.steps <= now.steps)
            simulation.traces.cut(now.time)
            if not self._forgetting_reported:
                self._forgetting_reported = True
                simulation.notify(message("continuing from t = {time:.3f} s: the {lost:.3g} s recorded after it are discarded",
                                       time=now.time, lost=lost))
        if simulation.dragged >= 0 and not self.held:
            self.held = True
            drag_end(simulation)
        simulation.recorder.branch()

    def begin(self) -> None:
        """Start a new history; the world was replaced."""
        simulation = self.simulation
        simulation.player.begin()
        simulation.recorder.forget()
        self.goal, self.held, self._forgetting_reported = None, False, False
        self._bookmark_follows = simulation.bookmarked is None
        simulation.history.begin(simulation.moment)
        simulation.recorder.begin_again()
        simulation.observers.forget()

    def bookmarked(self) -> None:
        """Note that the present state was bookmarked."""
        self._bookmark_follows = True

    def continue_from_bookmark(self) -> None:
        """Continue the history from the bookmarked state, which is the present now."""
        simulation, history = self.simulation, self.simulation.history
        step, simulation.player.reverse = simulation.world.steps, None
        self.goal, self.held = None, False
        if self._bookmark_follows and history.first <= step <= history.last:
            history.continue_from(step, simulation.moment)
        else:
            self.begin()
            self._bookmark_follows = True
        simulation.observers.forget_after(step)
