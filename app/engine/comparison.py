"""The same scene under several solvers, or as a fan over one setting: followers repeat the commands of their leader and stay at
its time.

A follower is a simulation with a solver, options and history of its own. It starts as a copy of the leader's present; it has no
state before its start, nor after a step that its solver could not make. Started in the past, it repeats the commands that the
leader's history has after its start.

Compared solvers are at the leader's step. A member of a fan with a step size of its own is at its last step before the leader's
time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from app.engine import commands
from app.engine.command import COMMANDS, is_undoable
from app.engine.frame import poses, to_body, to_world
from app.engine.simulation import Simulation
from app.engine.timeline.history import FROM_RECORDING, CommandRecord
from app.engine.timeline.reverse import replica
from app.engine.undo.difference import file_of
from app.engine.undo.edit_list import Edit, WholeStateEdit
from app.engine.variation import Variation, variations
from app.i18n.message import message
from physics import BadInput, solvers
from physics.core.options import option_values

MAX_FOLLOWERS = 3
"""Largest number of compared solvers."""

OWN_COMMANDS = frozenset((commands.use_solver, commands.set_option))
"""Commands that concern the leader's solver only."""

RESTARTING_COMMANDS = frozenset((Simulation.load, Simulation.reset, commands.rebuild_changed_scene, commands.return_to_state,
                                 commands.set_parameter))
"""Commands that replace the world."""

LIST_COMMANDS = frozenset((commands.undo, commands.redo))
"""Commands that navigate the edit list."""

SHARED_COMMANDS = RESTARTING_COMMANDS | LIST_COMMANDS | {commands.set_gesture, commands.bookmark_state, commands.follow,
                                                         commands.unfollow, commands.record_energy}
"""Commands for all simulations, besides those that change the world; the others concern the leader only: its clock, its
breakpoints."""

LEADER_COMMANDS = frozenset((commands.open_recording, commands.recover))
"""Commands that load a history made by one solver."""

SAME_TIME = 1e-6
"""Times closer than this share of a step are equal."""


class Follower:
    """A simulation of the leader's scene under another solver, or with another value of a setting.

    solver: with its chosen options, of a compared solver. variation: what a member of a fan has other than the leader, None: a
    compared solver. stopped_because: why it has stopped, "" if it has not. before: (pos (n, 3), quat (n, 4)) one step earlier,
    for interpolation. pending: the leader's recorded future (`recorded_future`).
    """

    def __init__(self, leader: Simulation, solver: Any, variation: Variation | None = None) -> None:
        self.solver, self.variation, self.stopped_because = solver, variation, ""
        self.pending = recorded_future(leader)
        self.simulation = leader.fork()
        self._settle()
        self.before = poses(self.simulation.world)

    @property
    def has_own_solver(self) -> bool:
        """Return whether its solver is independent of the leader's."""
        return self.variation is None or self.variation.variable == "solver"

    @property
    def unshared(self) -> frozenset[Callable]:
        """Commands of the leader that it does not repeat."""
        return OWN_COMMANDS if self.variation is None else frozenset(self.variation.unshared)

    def _settle(self) -> None:
        """Set what it has other than the leader; no edit that could be undone."""
        with unlisted(self.simulation):
            if self.variation is not None:
                self.variation.apply(self.simulation)
            else:
                copy_solver(self.simulation, self.solver)

    def is_at(self, step: int) -> bool:
        """Return whether its world is at that step of the leader."""
        return self.simulation.world.steps == step and not self.stopped_because

    # ---- commands

    def shares(self, leader: Simulation, command: Callable) -> bool:
        """Return whether it repeats a command that the leader is about to run."""
        if command in LIST_COMMANDS:
            edit = next_edit(leader, command)
            return edit is None or COMMANDS.get(edit.command) not in self.unshared or edit is next_edit(self.simulation, command)
        return is_shared(command, self.unshared)

    def apply_command(self, leader: Simulation, command: Callable, args: tuple, kwargs: dict) -> None:
        """Repeat a command of the leader in its own world."""
        own = self.simulation
        if command is commands.drag_begin:
            body, point = args
            args = (body, tuple(map(float, moved(point, leader.world.bodies[body], own.world.bodies[body]))))
        if self.has_own_solver and not self.stopped_because:
            self.solver = own.world.solver
        edit = next_edit(own, command) if command in LIST_COMMANDS else None
        command(own, *args, **kwargs)
        if command in RESTARTING_COMMANDS:
            self.stopped_because, self.pending = "", []
            if command is Simulation.load or (self.has_own_solver and type(own.world.solver) is not type(self.solver)):
                with unlisted(own):
                    copy_solver(own, self.solver)
        replaced = edit is not None and (isinstance(edit.change, WholeStateEdit) or COMMANDS.get(edit.command) in self.unshared)
        if self.variation is not None and (replaced or command in RESTARTING_COMMANDS):
            self._settle()

    def _repeat_recorded(self) -> None:
        """Repeat the commands that the leader's history has at this time."""
        own = self.simulation
        while self.pending and self.pending[0][0] <= own.world.time + SAME_TIME * own.dt:
            _, record, held = self.pending.pop(0)
            command, args = COMMANDS[record.command], record.args
            if is_shared(command, self.unshared):
                if held is not None:
                    args = (args[0], tuple(map(float, moved(args[1], held, own.world.bodies[args[0]]))))
                try:
                    command(own, *args, **record.kwargs)
                except BadInput as error:
                    own.warn(str(error))

    # ---- time

    def is_behind(self, leader: Simulation) -> bool:
        """Return whether another of its steps ends at the leader's place or before it."""
        own = self.simulation
        if own.dt == leader.dt:
            return own.history.last < leader.timeline.place
        return own.history.past().end + own.dt * (1.0 - SAME_TIME) <= time_at(leader)

    def begins_after(self, leader: Simulation) -> bool:
        """Return whether it has no state at the leader's place."""
        own = self.simulation
        return own.history.past().begin > time_at(leader) + SAME_TIME * leader.dt

    def _step_for(self, leader: Simulation) -> int:
        """Return its own recorded step at the leader's place."""
        own = self.simulation
        if own.dt == leader.dt:
            return leader.timeline.place
        return own.history.at(time_at(leader) - own.dt * (0.5 - SAME_TIME))

    def align(self, leader: Simulation) -> None:
        """Go to the leader's time, within its own history and on from its end."""
        own, timeline = self.simulation, self.simulation.timeline
        if self.is_behind(leader):
            if timeline.place < own.history.last:    # seeking releases the dragged body
                commands.go_to_step(own, own.history.last)
                timeline.go_to_goal()
            timeline.held |= own.dragged >= 0 and bool(self.pending)
            self._repeat_recorded()
            while self.is_behind(leader) and self.advance():
                self._repeat_recorded()
            return
        goal = self._step_for(leader)
        if timeline.place == goal:
            return
        self.stopped_because = ""
        if leader.player.is_reversed and goal < timeline.place:
            own.player.go_back_to(goal)
        else:
            commands.go_to_step(own, goal)

    def follow(self, leader: Simulation) -> None:
        """Make the steps that the leader has just made beyond all that was recorded."""
        self.simulation.timeline.go_to_goal()
        self.simulation.timeline.branch()
        self.pending = []
        while self.is_behind(leader) and self.advance():
            pass

    def advance(self) -> bool:
        """Make a step; returns whether it was made."""
        if self.stopped_because:
            return False
        self.before = poses(self.simulation.world)
        if not self.simulation.step():
            self.stopped_because = self.simulation.messages[-1] if self.simulation.messages else "a step was cancelled"
        return not self.stopped_because


class Comparison:
    """A leader and its followers, driven by the physics thread. followers: compared solvers; members: of a fan."""

    def __init__(self, leader: Simulation) -> None:
        self.leader = leader
        self.followers: tuple[Follower, ...] = ()
        self.members: tuple[Follower, ...] = ()

    @property
    def everyone(self) -> tuple[Follower, ...]:
        """Compared solvers, then the members of the fan."""
        return self.followers + self.members

    @property
    def simulations(self) -> tuple[Simulation, ...]:
        """The leader, then the followers."""
        return self.leader, *(follower.simulation for follower in self.everyone)

    # ---- commands

    def compare_with(self, solver: str, **options: Any) -> None:
        """Add a follower that continues from the present under a solver, by file name, with these options."""
        known = solvers.available()
        if solver not in known:
            raise BadInput(message("unknown solver '{solver}'; available: {known}", solver=solver, known=", ".join(known)))
        self._may_follow()
        if len(self.followers) == MAX_FOLLOWERS:
            raise BadInput(message("{max_followers} solvers are already compared: remove one first",
                                   max_followers=MAX_FOLLOWERS + 1))
        self.leader.timeline.go_to_goal()
        (compared := known[solver]()).set(**options)
        self.followers = (*self.followers, Follower(self.leader, compared))

    def _may_follow(self) -> None:
        if self.leader.recorder.recording is not None and self.leader.timeline.in_past:
            raise BadInput("a recording contains one solver: go to its end, or change something in it, before comparing")

    def stop_comparing(self, index: int | None = None) -> None:
        """Remove one follower, or all."""
        self.followers = tuple(f for i, f in enumerate(self.followers) if index is not None and i != index)

    def set_follower_option(self, index: int, name: str, value: Any) -> None:
        """Set an option of a follower's solver."""
        if 0 <= index < len(self.followers):
            with unlisted(self.followers[index].simulation):
                commands.set_option(self.followers[index].simulation, name, value)

    def swap_leader(self, index: int) -> None:
        """Exchange the solvers, with all options, of a follower and the leader."""
        follower = self.followers[index]
        ours, theirs = self.leader.world.solver, follower.simulation.world.solver
        copy_solver(self.leader, theirs)
        with unlisted(follower.simulation):
            copy_solver(follower.simulation, ours)
        follower.solver = follower.simulation.world.solver

    def start_fan(self, variable: str, values: tuple[float | str, ...]) -> None:
        """Continue from the state shown in 3 to 9 worlds that differ in one setting (VARIABLES); replaces another fan."""
        wanted = variations(variable, values)
        self._may_follow()
        self.leader.timeline.go_to_goal()
        self.members = tuple(Follower(self.leader, self.leader.world.solver, one) for one in wanted)

    def end_fan(self) -> None:
        """Remove the members of the fan."""
        self.members = ()

    def apply_command(self, command: Callable, args: tuple, kwargs: dict) -> None:
        """Run a command of this class, or of the leader and of all followers that share it."""
        if command in COMPARISON_COMMANDS:
            command(self, *args, **kwargs)
        elif command in LEADER_COMMANDS:
            self._open(command, *args)
        elif command in LIST_COMMANDS:
            for _ in range(int(kwargs.get("count", args[0] if args else 1))):
                self.leader.timeline.go_to_goal()
                self._apply(command, (), {})
        else:
            self._apply(command, args, kwargs)

    def _apply(self, command: Callable, args: tuple, kwargs: dict) -> None:
        if is_undoable(command) or command in SHARED_COMMANDS:
            self._join()
        if command is Simulation.load:
            self.members = ()
        sharing = [follower for follower in self.everyone if follower.shares(self.leader, command)]
        command(self.leader, *args, **kwargs)
        for follower in self.everyone:
            if is_undoable(command):    # the leader branches
                follower.pending = []
            if follower in sharing:
                self._pass_on(follower, command, args, kwargs)
            follower.align(self.leader)
        if command is Simulation.load and self.leader.recorder.view_state is not None:
            self.followers = ()
            self.leader.recorder.view_state.compare(self)

    def _open(self, command: Callable, *args: Any) -> None:
        """Open a recording or journal, which is of one solver: a recording ends all comparisons, a journal restores its own."""
        command(self.leader, *args)
        self.members = ()
        if self.followers:
            names = ", ".join(follower.solver.name for follower in self.followers)
            self.leader.notify(message("comparison with {names} ended: a recording contains one solver", names=names))
            self.followers = ()
        if command is commands.recover and self.leader.recorder.view_state is not None:
            self.leader.recorder.view_state.compare(self)

    def _pass_on(self, follower: Follower, command: Callable, args: tuple, kwargs: dict) -> None:
        try:
            follower.apply_command(self.leader, command, args, kwargs)
        except BadInput as error:
            if command in RESTARTING_COMMANDS:
                follower.stopped_because = str(error)
            else:
                self.leader.warn(f"{follower.simulation.world.solver.name}: {error}")

    def _join(self) -> None:
        """Restart followers that begin after this step, as copies of the present: the leader branches before their start."""
        if any(follower.begins_after(self.leader) for follower in self.everyone):
            self.leader.timeline.go_to_goal()
            self.followers, self.members = (
                tuple(Follower(self.leader, f.solver, f.variation) if f.begins_after(self.leader) else f for f in some)
                for some in (self.followers, self.members))

    # ---- time

    def step(self) -> bool:
        """Make a step of all simulations; returns whether the leader made it."""
        if self.leader.player.playing:
            return self._play()
        self._join()
        good = self.leader.step()
        if good:
            for follower in self.everyone:
                follower.follow(self.leader)
        return good

    def _play(self) -> bool:
        """Play one recorded step of the leader."""
        good = self.leader.step()
        for follower in self.everyone:
            follower.before = poses(follower.simulation.world)
            follower.align(self.leader)
        return good

    @property
    def is_seeking(self) -> bool:
        """Return whether one of them is seeking in its history."""
        return any(simulation.timeline.goal is not None for simulation in self.simulations)

    def catch_up(self) -> None:
        """Continue seeking for a short time; followers go where a search of the leader ends."""
        walked = self.leader.timeline.goal is not None
        for simulation in self.simulations:
            if simulation.timeline.goal is not None:
                simulation.timeline.catch_up()
        if walked and self.leader.timeline.goal is None:
            for follower in self.everyone:
                follower.align(self.leader)

    @property
    def stepping_simulation(self) -> Simulation:
        """Return the simulation that is making a step now; the leader if none is."""
        makers = (*self.simulations, *(one.player.reverse.replica for one in self.simulations if one.player.reverse is not None))
        return next((simulation for simulation in makers if simulation.began), self.leader)


COMPARISON_COMMANDS = frozenset((Comparison.compare_with, Comparison.stop_comparing, Comparison.set_follower_option,
                                 Comparison.swap_leader, Comparison.start_fan, Comparison.end_fan))


def is_shared(command: Callable, unshared: frozenset[Callable] = OWN_COMMANDS) -> bool:
    """Return whether followers run the command, too. unshared: those that concern the leader only."""
    return command in SHARED_COMMANDS or (is_undoable(command) and command not in unshared)


def next_edit(simulation: Simulation, command: Callable) -> Edit | None:
    """Return the edit that undo or redo would treat next."""
    waiting = simulation.edits.done if command is commands.undo else simulation.edits.undone
    return waiting[-1] if waiting else None


def time_at(simulation: Simulation) -> float:
    """Return the time of the step shown or sought [s]."""
    history = simulation.history
    return float(history.times[simulation.timeline.place - history.first])


def recorded_future(leader: Simulation) -> list[tuple[float, CommandRecord, np.void | None]]:
    """Return (time [s], command, the body as it was when a drag began) of each recorded command after the state shown."""
    history, found, scout = leader.history, [], None
    if not leader.timeline.in_past:
        return found
    for record in history.commands[leader.timeline.done:]:
        held = None
        if record.command == commands.drag_begin.__name__:
            scout = scout or replica(leader)
            scout.timeline.seek(record.step)
            scout.timeline.go_to_goal()
            held = scout.world.bodies[record.args[0]].copy()
        found.append((float(history.times[record.step - history.first]), record, held))
    return found


@contextmanager
def unlisted(simulation: Simulation) -> Iterator[None]:
    """Commands of the block are recorded in the history, and are no edits that could be undone."""
    held, simulation.timeline.gesture = simulation.timeline.gesture, FROM_RECORDING
    try:
        yield
    finally:
        simulation.timeline.gesture = held


def copy_solver(simulation: Simulation, solver: Any) -> None:
    """Give the simulation a solver of that kind with the same options."""
    commands.use_solver(simulation, file_of(solver), **option_values(solver.options))


def moved(point: Any, one: np.void, other: np.void) -> np.ndarray:
    """Map a point [m, world] of one body to the same body of another world; at the same pose it is the same to the bit."""
    if np.array_equal(one["pos"], other["pos"]) and np.array_equal(one["quat"], other["quat"]):
        return np.asarray(point, float)
    return to_world(other["pos"], other["quat"], to_body(one["pos"], one["quat"], point))
