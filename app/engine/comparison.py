"""The same scene under several solvers: followers repeat the commands of their leader and stay at its step.

A follower is a simulation with a solver, options and history of its own. It starts as a copy of the leader's present; it has no
state before its start, nor after a step that its solver could not make.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.engine import commands
from app.engine.command import is_undoable
from app.engine.frame import poses, to_body, to_world
from app.engine.simulation import Simulation
from app.engine.undo.difference import file_of
from physics import BadInput, fields, solvers

MAX_FOLLOWERS = 3
"""Largest number of followers."""

OWN_COMMANDS = frozenset((commands.use_solver, commands.set_option))
"""Commands that concern the leader's solver only."""

RESTARTING_COMMANDS = frozenset((Simulation.load, Simulation.reset, commands.rebuild_changed_scene, commands.return_to_state,
                                 commands.set_parameter))
"""Commands that replace the world."""

SHARED_COMMANDS = RESTARTING_COMMANDS | {commands.undo, commands.redo, commands.set_gesture, commands.bookmark_state,
                                         commands.follow, commands.unfollow, commands.record_energy}
"""Commands for all simulations, besides those that change the world; the others concern the leader only: its clock, its
breakpoints."""

LEADER_COMMANDS = frozenset((commands.open_recording, commands.recover))
"""Commands that load a history made by one solver."""


class Follower:
    """A simulation of the leader's scene under another solver.

    solver: with its chosen options. stopped_because: why it has stopped, "" if it has not.
    before: (pos (n, 3), quat (n, 4)) one step earlier, for interpolation.
    """

    def __init__(self, leader: Simulation, solver: Any) -> None:
        self.solver, self.stopped_because = solver, ""
        self.simulation = leader.fork()
        copy_solver(self.simulation, solver)
        self.before = poses(self.simulation.world)

    def is_at(self, step: int) -> bool:
        """Return whether its world is at that step of the leader."""
        return self.simulation.world.steps == step and not self.stopped_because

    def apply_command(self, leader: Simulation, command: Callable, args: tuple, kwargs: dict) -> None:
        """Repeat a command of the leader in its own world."""
        own = self.simulation
        if command is commands.drag_begin:
            body, point = args
            args = (body, tuple(map(float, moved(point, leader.world.bodies[body], own.world.bodies[body]))))
        if not self.stopped_because:
            self.solver = own.world.solver
        command(own, *args, **kwargs)
        if command in RESTARTING_COMMANDS:
            self.stopped_because = ""
            if command is Simulation.load or type(own.world.solver) is not type(self.solver):
                copy_solver(own, self.solver)

    def align(self, leader: Simulation) -> None:
        """Go to the leader's step, within its own history and on from its end."""
        own, goal, timeline = self.simulation, leader.timeline.place, self.simulation.timeline
        if timeline.place == goal:
            return
        if goal <= own.history.last:
            self.stopped_because = ""
            if leader.player.is_reversed and goal < timeline.place:
                own.player.go_back_to(goal)
            else:
                commands.go_to_step(own, goal)
            return
        if timeline.place < own.history.last:    # seeking releases the dragged body
            commands.go_to_step(own, own.history.last)
            timeline.go_to_goal()
        while own.world.steps < goal and self.advance():
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
    """A leader and its followers, driven by the physics thread."""

    def __init__(self, leader: Simulation) -> None:
        self.leader = leader
        self.followers: tuple[Follower, ...] = ()

    @property
    def simulations(self) -> tuple[Simulation, ...]:
        """The leader, then the followers."""
        return self.leader, *(follower.simulation for follower in self.followers)

    # ---- commands

    def compare_with(self, solver: str) -> None:
        """Add a follower that continues from the present under a solver, by file name."""
        known = solvers.available()
        if solver not in known:
            raise BadInput(f"unknown solver '{solver}'; available: {', '.join(known)}")
        if self.leader.recorder.recording is not None and self.leader.timeline.in_past:
            raise BadInput("a recording contains one solver: go to its end, or change something in it, before comparing")
        if len(self.followers) == MAX_FOLLOWERS:
            raise BadInput(f"{MAX_FOLLOWERS + 1} solvers are already compared: remove one first")
        self.leader.timeline.go_to_goal()
        self.followers = (*self.followers, Follower(self.leader, known[solver]()))

    def stop_comparing(self, index: int | None = None) -> None:
        """Remove one follower, or all."""
        self.followers = tuple(f for i, f in enumerate(self.followers) if index is not None and i != index)

    def set_follower_option(self, index: int, name: str, value: Any) -> None:
        """Set an option of a follower's solver."""
        if 0 <= index < len(self.followers):
            commands.set_option(self.followers[index].simulation, name, value)

    def swap_leader(self, index: int) -> None:
        """Exchange the solvers, with all options, of a follower and the leader."""
        follower = self.followers[index]
        ours, theirs = self.leader.world.solver, follower.simulation.world.solver
        copy_solver(self.leader, theirs)
        copy_solver(follower.simulation, ours)
        follower.solver = follower.simulation.world.solver

    def apply_command(self, command: Callable, args: tuple, kwargs: dict) -> None:
        """Run a command of this class, or of the leader and, if shared, of all followers."""
        if command in COMPARISON_COMMANDS:
            command(self, *args, **kwargs)
            return
        if command in LEADER_COMMANDS:
            self._open(command, *args)
            return
        shared = is_shared(command)
        if shared or command in OWN_COMMANDS:
            self._join()
        command(self.leader, *args, **kwargs)
        for follower in self.followers:
            if shared:
                self._pass_on(follower, command, args, kwargs)
            follower.align(self.leader)

    def _open(self, command: Callable, *args: Any) -> None:
        """Open a recording or journal, which is of one solver: a recording ends all comparisons, a journal restores its own."""
        command(self.leader, *args)
        if self.followers:
            names = ", ".join(follower.solver.name for follower in self.followers)
            self.leader.say(f"comparison with {names} ended: a recording contains one solver")
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
                self.leader.warn(f"{follower.solver.name}: {error}")

    def _join(self) -> None:
        """Restart followers that begin after this step, as copies of the present: the leader branches before their start."""
        step = self.leader.timeline.place
        if any(follower.simulation.history.first > step for follower in self.followers):
            self.leader.timeline.go_to_goal()
            self.followers = tuple(Follower(self.leader, f.solver) if f.simulation.history.first > step else f
                                   for f in self.followers)

    # ---- time

    def step(self) -> bool:
        """Make a step of all simulations; returns whether the leader made it."""
        if self.leader.player.playing:
            return self._play()
        self._join()
        good = self.leader.step()
        if good:
            for follower in self.followers:
                if follower.simulation.world.steps < self.leader.world.steps:
                    follower.advance()
        return good

    def _play(self) -> bool:
        """Play one recorded step of the leader."""
        good = self.leader.step()
        for follower in self.followers:
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
            for follower in self.followers:
                follower.align(self.leader)

    @property
    def stepping_simulation(self) -> Simulation:
        """Return the simulation that is making a step now; the leader if none is."""
        makers = (*self.simulations, *(one.player.reel.replica for one in self.simulations if one.player.reel is not None))
        return next((simulation for simulation in makers if simulation.began), self.leader)


COMPARISON_COMMANDS = frozenset((Comparison.compare_with, Comparison.stop_comparing, Comparison.set_follower_option,
                                 Comparison.swap_leader))


def is_shared(command: Callable) -> bool:
    """Return whether followers run the command, too."""
    return command in SHARED_COMMANDS or (is_undoable(command) and command not in OWN_COMMANDS)


def copy_solver(simulation: Simulation, solver: Any) -> None:
    """Give the simulation a solver of that kind with the same options."""
    commands.use_solver(simulation, file_of(solver))
    for field in fields(solver.options):
        commands.set_option(simulation, field.name, getattr(solver.options, field.name))


def moved(point: Any, one: np.void, other: np.void) -> np.ndarray:
    """Map a point [m, world] of one body to the same body of another world."""
    return to_world(other["pos"], other["quat"], to_body(one["pos"], one["quat"], point))
