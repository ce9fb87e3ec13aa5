"""One substep of an iterative solver, sweep by sweep: what the impulses are after 0, 1, 2, .. n sweeps.

    x_k = the step, ended in that substep after at most k sweeps, each from the same start,   k = 0 .. n                 (1)

A solver is deterministic, so x_k is bit for bit what the real step passes through after k sweeps, and nothing has to be recorded
inside of it: any solver that names its number of sweeps (`effort`) and can be ended early (`frozen`, solvers/__init__.py) can be
looked into. The price is n^2 / 2 sweeps and n times the substeps before, beside the simulation.

A sweep goes from the state before it towards the targets that are told in that state: those of soft steps change after the first.
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
from physics.report import NEVER
from physics.solvers.sequential_impulses import TOGETHER, SequentialImpulses

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
    """What the solver was given. solver: its name; bodies, contacts, joints: copies of the tables as the step begins; moved: the
    bodies as the substep begins; h: substep [s]; substep: which one, 1 .. parts; ratio: the share of the last impulses that a
    warm start takes, by how long forces act now and did then; pairs: PAIR, of the world's materials; last_dt: since the contacts
    were seen last [s]; options: the solver's own."""

    solver: str
    bodies: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray
    moved: np.ndarray
    h: float
    substep: int
    parts: int
    ratio: float
    pairs: np.ndarray
    last_dt: float
    options: Any


@dataclass(frozen=True)
class Chain:
    """The joints' rows of the substep, ROW, and their blocks, BLOCK, as the solver visits them one after the other before the
    contacts; none where they are solved all at once. impulses: (n + 1, rows) after each sweep [N s] or [N m s]."""

    rows: np.ndarray
    blocks: np.ndarray
    impulses: np.ndarray


@dataclass(frozen=True)
class Sweeps:
    """The states of (1), n + 1 of them.

    contacts: (n + 1, c) [CONTACT]; velocity: (n + 1, bodies, 6) [m/s, rad/s]; reaction: (n + 1, joints, 6) [N s, N m s];
    change, residual: (n + 1,) [m/s], see Report; own: the last k that the solver's own options reach, n if they reach farther;
    converged: whether the last one is; chain: of the joints; told: why the record ends early, "" if it does not.
    """

    start: Start
    contacts: np.ndarray
    velocity: np.ndarray
    reaction: np.ndarray
    change: np.ndarray
    residual: np.ndarray
    own: int
    converged: bool
    chain: Chain
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


def record(state: State, *, substep: int = 1, warm: bool = True, most: int = MOST, seconds: float = SECONDS,
           wanted: Callable[[], bool] = lambda: True) -> Sweeps:
    """A substep of the next step from that state, sweep by sweep. substep: 1 .., no more than there are; warm: False: no substep
    begins with the last impulses; wanted: asked after each state.

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
        which = min(max(substep, 1), report.parts)
        limit = report.iterations // report.parts if report.end == "fixed" else getattr(own, name)
        try:
            found.append(_states(instead, world, dt, own, which, report.parts, limit, most, seconds, wanted))
        finally:
            instead.solver.frozen = NEVER
        return instead.again(world, dt, own)[0]

    world.solver = Instead(world.solver, work)
    step(world, state.dt)
    return found[0]


def _states(instead: Instead, world: Any, dt: float, own: Any, substep: int, parts: int, limit: int, most: int, seconds: float,
            wanted: Callable[[], bool]) -> Sweeps:
    """The states of (1)."""
    solver, rest, end = instead.solver, getattr(own, "tolerance", 1e-9), time.perf_counter() + seconds
    linkage = world.lists.linkage if getattr(own, "joints", "") == TOGETHER else world.lists.one_by_one
    solver.frozen = substep, -1
    instead.again(world, dt, own)
    start = Start(solver.name, *(copy_of(table) for table in (instead.kept[0], instead.kept[2], instead.kept[1], world.bodies)),
                  dt / parts, substep, parts, _ratio(instead, world, dt / parts, substep), world.materials.pairs.copy(),
                  world.last_part, own)
    contacts, velocity, reaction, change, residual, impulses = [], [], [], [], [], []
    told, converged = "", False
    for k in range(min(most, max(limit, LEAST)) + 1):
        solver.frozen = substep, k
        report, touching = instead.again(world, dt, own)
        contacts.append(touching)
        velocity.append(np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1))
        reaction.append(world.joints["reaction"].copy())
        change.append(report.change)
        residual.append(report.residual)
        impulses.append(linkage.rows["impulse"].copy())
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
    alone = 0 if linkage.factors.blocks.shape[0] else len(linkage.blocks)
    chain = Chain(copy_of(linkage.rows), copy_of(linkage.blocks[:alone]), np.array(impulses))
    return Sweeps(start, np.array(contacts), np.array(velocity), np.array(reaction), np.array(change), np.array(residual),
                  min(limit, len(change) - 1), converged, chain, told)


def _ratio(instead: Instead, world: Any, h: float, substep: int) -> float:
    """Share of the last impulses that a warm start takes: a kick lasts from the velocities to the middle of the substep."""
    first = instead.kept[0]["since"].max() + 0.5 * h
    if substep == 1:
        return first / world.acting
    return h / first if substep == 2 and instead.solver.name == SequentialImpulses.name else 1.0
