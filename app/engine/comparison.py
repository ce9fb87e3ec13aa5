"""The same scene under several solvers at once: followers do what a person does to their leader, and are at its step.

A follower is a simulation with a solver, options and a past of its own. It begins as a copy of the leader's present; in the
time before that, and after a step that its solver could not make, it is not there.
"""

from typing import Any

import numpy as np

from app.engine.edits import file_of
from app.engine.poses import inside, outside, poses
from app.engine.simulation import Simulation
from physics import BadInput, fields, solvers

MOST = 3
"""Followers beside the leader."""

OWN = frozenset(("use_solver", "set_option"))
"""Commands that mean the leader's solver alone."""

ANEW = frozenset(("load", "reset", "renew", "return_to_state", "set_parameter"))
"""Commands after which the world is another one."""

SHARED = ANEW | {"undo", "redo", "touch", "keep_state", "follow", "unfollow", "keep_ledger"}
"""Commands for all, beside those that change the world; others are the leader's: its clock, its breakpoints."""

ALONE = frozenset(("open_recording", "recover"))
"""Commands that bring a past of one solver."""

COMMANDS = frozenset(("compare_with", "stop_comparing", "set_follower_option", "lead_with"))


class Follower:
    """One other solver on the leader's scene.

    solver: with the options a person chose. trouble: why it stands still, "" if it does not.
    before: (pos (n, 3), quat (n, 4)) one step earlier, for drawing between two steps.
    """

    def __init__(self, leader: Simulation, solver: Any) -> None:
        self.solver, self.trouble = solver, ""
        self.simulation = leader.twin()
        give(self.simulation, solver)
        self.before = poses(self.simulation.world)

    def is_at(self, step: int) -> bool:
        """Whether its world is at that step of the leader."""
        return self.simulation.world.steps == step and not self.trouble

    def obey(self, leader: Simulation, name: str, args: tuple, kwargs: dict) -> None:
        """What was just done to the leader, in its own world."""
        own = self.simulation
        if name == "drag_begin":
            body, point = args
            args = (body, tuple(map(float, moved(point, leader.world.bodies[body], own.world.bodies[body]))))
        if not self.trouble:
            self.solver = own.world.solver
        getattr(own, name)(*args, **kwargs)
        if name in ANEW:
            self.trouble = ""
            if name == "load" or type(own.world.solver) is not type(self.solver):
                give(own, self.solver)

    def align(self, leader: Simulation) -> None:
        """Go to the leader's step, as far as this past goes back, and on from its end."""
        own, goal = self.simulation, leader.place
        if own.place == goal:
            return
        if goal <= own.history.last:
            self.trouble = ""
            (own.go_back_to if leader.in_reverse and goal < own.place else own.go_to_step)(goal)
            return
        if own.place < own.history.last:    # going about in the past lets go of what the hand holds
            own.go_to_step(own.history.last)
            own.settle()
        while own.world.steps < goal and self.advance():
            pass

    def advance(self) -> bool:
        """One step; False if there can be none."""
        if self.trouble:
            return False
        self.before = poses(self.simulation.world)
        if not self.simulation.step():
            self.trouble = self.simulation.messages[-1] if self.simulation.messages else "a step was given up"
        return not self.trouble


class Comparison:
    """A leader and its followers; what the physics thread drives."""

    def __init__(self, leader: Simulation) -> None:
        self.leader = leader
        self.followers: tuple[Follower, ...] = ()

    @property
    def simulations(self) -> tuple[Simulation, ...]:
        """The leader, then the followers."""
        return self.leader, *(follower.simulation for follower in self.followers)

    # ---- commands

    def compare_with(self, solver: str) -> None:
        """Add a follower that goes on from the present under that solver, by file name."""
        known = solvers.available()
        if solver not in known:
            raise BadInput(f"there is no solver '{solver}'; there are: {', '.join(known)}")
        if self.leader.tape is not None and self.leader.in_past:
            raise BadInput("a recording is of one solver: go to its end, or change something in it, before you compare")
        if len(self.followers) == MOST:
            raise BadInput(f"{MOST + 1} solvers are compared already: remove one first")
        self.leader.settle()
        self.followers = (*self.followers, Follower(self.leader, known[solver]()))

    def stop_comparing(self, index: int | None = None) -> None:
        """Remove one follower, or all."""
        self.followers = tuple(f for i, f in enumerate(self.followers) if index is not None and i != index)

    def set_follower_option(self, index: int, name: str, value: Any) -> None:
        """An option of a follower's solver."""
        if 0 <= index < len(self.followers):
            self.followers[index].simulation.set_option(name, value)

    def lead_with(self, index: int) -> None:
        """A follower and the leader change their solvers, with all options."""
        follower = self.followers[index]
        ours, theirs = self.leader.world.solver, follower.simulation.world.solver
        give(self.leader, theirs)
        give(follower.simulation, ours)
        follower.solver = follower.simulation.world.solver

    def obey(self, command: str, args: tuple, kwargs: dict) -> None:
        """A command of this class, or of the leader and then of all followers."""
        if command in COMMANDS:
            getattr(self, command)(*args, **kwargs)
            return
        if command in ALONE:
            self._open(command, *args)
            return
        shared = is_shared(command)
        if shared or command in OWN:
            self._join()
        getattr(self.leader, command)(*args, **kwargs)
        for follower in self.followers:
            if shared:
                self._pass_on(follower, command, args, kwargs)
            follower.align(self.leader)

    def _open(self, command: str, *args: Any) -> None:
        """A recording is of one solver: nothing is compared with it."""
        getattr(self.leader, command)(*args)
        if self.followers:
            names = ", ".join(follower.solver.name for follower in self.followers)
            self.leader.say(f"no longer compared with {names}: a recording is of one solver")
            self.followers = ()

    def _pass_on(self, follower: Follower, command: str, args: tuple, kwargs: dict) -> None:
        try:
            follower.obey(self.leader, command, args, kwargs)
        except BadInput as error:
            if command in ANEW:
                follower.trouble = str(error)
            else:
                self.leader.warn(f"{follower.solver.name}: {error}")

    def _join(self) -> None:
        """Something new happens before a follower began: it begins anew, as a copy of this moment."""
        step = self.leader.place
        if any(follower.simulation.history.first > step for follower in self.followers):
            self.leader.settle()
            self.followers = tuple(Follower(self.leader, f.solver) if f.simulation.history.first > step else f
                                   for f in self.followers)

    # ---- time

    def step(self) -> bool:
        """One step of all; False if the leader could not make it."""
        if self.leader.playing:
            return self._play()
        self._join()
        good = self.leader.step()
        if good:
            for follower in self.followers:
                if follower.simulation.world.steps < self.leader.world.steps:
                    follower.advance()
        return good

    def _play(self) -> bool:
        """One step of the leader's past."""
        good = self.leader.step()
        for follower in self.followers:
            follower.before = poses(follower.simulation.world)
            follower.align(self.leader)
        return good

    @property
    def on_the_way(self) -> bool:
        """Whether one of them goes about in the past."""
        return any(simulation.goal is not None for simulation in self.simulations)

    def catch_up(self) -> None:
        """Go on the way there for a moment; followers go where a walk of the leader ends."""
        walked = self.leader.goal is not None
        for simulation in self.simulations:
            if simulation.goal is not None:
                simulation.catch_up()
        if walked and self.leader.goal is None:
            for follower in self.followers:
                follower.align(self.leader)

    @property
    def at_work(self) -> Simulation:
        """The one that makes a step this moment; the leader if none does."""
        makers = (*self.simulations, *(simulation.reel.shadow for simulation in self.simulations if simulation.reel is not None))
        return next((simulation for simulation in makers if simulation.began), self.leader)


def is_shared(command: str) -> bool:
    """Whether followers do it, too."""
    changing = hasattr(getattr(Simulation, command, None), "__wrapped__")      # by `changes`, in rewinding.py
    return command in SHARED or (changing and command not in OWN)


def give(simulation: Simulation, solver: Any) -> None:
    """The solver of that kind with the same options."""
    simulation.use_solver(file_of(solver))
    for field in fields(solver.options):
        simulation.set_option(field.name, getattr(solver.options, field.name))


def moved(point: Any, one: np.void, other: np.void) -> np.ndarray:
    """Where a point [m, world] of one body is on the same body of another world."""
    return outside(other["pos"], other["quat"], inside(one["pos"], one["quat"], point))
