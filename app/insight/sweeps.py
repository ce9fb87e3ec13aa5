"""One step of an iterative solver, sweep by sweep: what the impulses are after 0, 1, 2, .. n sweeps.

    x_k = the step with at most k sweeps, each from the same start,   k = 0 .. n                        (1)

A solver is deterministic, so x_k is bit for bit what the real step passes through after k sweeps, and nothing has to be recorded
inside of it: any solver that names its number of sweeps (`effort`, solvers/__init__.py) can be looked into. The price is n^2 / 2
sweeps, beside the simulation.

A step may be cut into substeps. What is looked into is the first: it is the step of dt / parts with the same contacts.
"""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.handing import State
from physics import Report, step
from physics.core.records import copy_of

MOST = 400
"""Most sweeps that are looked into."""

LEAST = 20
"""As many are looked into even if the solver's own limit is lower."""

SECONDS = 4.0
"""Wall time after which the record ends."""


class Cancelled(Exception):
    """Nobody wants to know any more."""


@dataclass(frozen=True)
class Start:
    """What the solver was given. bodies, contacts, joints: copies of the tables; h: step [s], the first of `parts`; ratio: h over
    the last step, the share of the last impulses that a warm start takes; options: the solver's own."""

    bodies: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray
    h: float
    parts: int
    ratio: float
    options: Any


@dataclass(frozen=True)
class Sweeps:
    """The states of (1), n + 1 of them.

    contacts: (n + 1, c) [CONTACT]; velocity: (n + 1, bodies, 6) [m/s, rad/s]; reaction: (n + 1, joints, 6) [N s, N m s];
    change, residual: (n + 1,) [m/s], see Report; own: the last k that the solver's own options reach, n if they reach farther;
    converged: whether the last one is; told: why the record ends early, "" if it does not.
    """

    start: Start
    contacts: np.ndarray
    velocity: np.ndarray
    reaction: np.ndarray
    change: np.ndarray
    residual: np.ndarray
    own: int
    converged: bool
    told: str = ""

    @property
    def last(self) -> int:
        return len(self.change) - 1


def effort_of(solver: Any) -> str:
    """The option that says how many sweeps a solver makes; "" if it has none."""
    return getattr(type(solver), "effort", "")


class Instead:
    """Stands in the world in place of its solver for one step, and does something else with what the solver was to be given."""

    def __init__(self, solver: Any, work: Callable[["Instead", Any, np.ndarray, float], Report]) -> None:
        self.solver, self.work = solver, work
        self.name, self.options = solver.name, solver.options

    def unsupported(self, world: Any) -> str:
        return self.solver.unsupported(world)

    def step(self, world: Any, contacts: np.ndarray, dt: float) -> Report:
        self.kept = copy_of(world.bodies), copy_of(world.joints), copy_of(contacts)
        return self.work(self, world, contacts, dt)

    def again(self, world: Any, dt: float, options: Any) -> tuple[Report, np.ndarray]:
        """The solver's step from the start, with other options; (its report, the contacts with their impulses)."""
        bodies, joints, contacts = self.kept
        world.bodies[:], world.joints[:], contacts = bodies, joints, copy_of(contacts)
        self.solver.options = options
        report = self.solver.step(world, contacts, dt)
        return report, contacts


def record(state: State, *, warm: bool = True, most: int = MOST, seconds: float = SECONDS,
           wanted: Callable[[], bool] = lambda: True) -> Sweeps:
    """The next step from that state, sweep by sweep. warm: False leaves the last step's impulses out; wanted: asked after each
    state.

    Raises:
        BadInput, Diverged: what a step may raise. Cancelled: it was not wanted any more. ValueError: a solver without sweeps.
    """
    world, found = state.world(), []
    name = effort_of(world.solver)
    if not name:
        raise ValueError(f"{world.solver.name} makes no sweeps")

    def work(instead: Instead, world: Any, contacts: np.ndarray, dt: float) -> Report:
        own = copy.copy(instead.solver.options)
        if hasattr(own, "warm_start"):
            own.warm_start = own.warm_start and warm
        report, _ = instead.again(world, dt, own)
        found.append(_states(instead, world, dt, own, name, report.parts, most, seconds, wanted))
        return instead.again(world, dt, own)[0]

    world.solver = Instead(world.solver, work)
    step(world, state.dt)
    return found[0]


def _states(instead: Instead, world: Any, dt: float, own: Any, name: str, parts: int, most: int, seconds: float,
            wanted: Callable[[], bool]) -> Sweeps:
    """The states of (1)."""
    h = dt / parts
    options = copy.copy(own)
    options.substeps = 1
    start = Start(*(copy_of(table) for table in (instead.kept[0], instead.kept[2], instead.kept[1])), h, parts,
                  h / world.last_dt, own)
    limit = getattr(own, name)
    rest = getattr(own, "tolerance", 1e-9)
    contacts, velocity, reaction, change, residual = [], [], [], [], []
    end, told, converged = time.perf_counter() + seconds, "", False
    for k in range(min(most, max(limit, LEAST)) + 1):
        setattr(options, name, k)
        report, touching = instead.again(world, h, options)
        contacts.append(touching)
        velocity.append(np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1))
        reaction.append(world.joints["reaction"].copy())
        change.append(report.change)
        residual.append(report.residual)
        converged = report.end == "converged" or (report.end == "fixed" and k > 0 and report.change <= rest)
        if converged:
            break
        if not wanted():
            raise Cancelled
        if time.perf_counter() > end:
            told = f"the record ends after {k} sweeps: more would take too long, as the work grows with their square"
            break
    else:
        if limit > most:
            told = f"the record ends after {most} sweeps, the solver may make {limit}"
    own = min(limit, len(change) - 1)
    return Sweeps(start, np.array(contacts), np.array(velocity), np.array(reaction), np.array(change), np.array(residual),
                  own, converged, told)
