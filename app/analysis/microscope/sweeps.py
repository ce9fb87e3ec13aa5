"""Record of one substep of an iterative solver, sweep by sweep: the impulses after 0, 1, 2, .. n sweeps.

    x_k = the step, ended in that substep after at most k sweeps, each from the same start,   k = 0 .. n                 (1)

A solver is deterministic, so x_k is bit for bit what the real step passes through after k sweeps, and nothing has to be recorded
inside of it: any solver that has a number of sweeps (`Solver.sweep_option`) and can be ended early (`Solver.stop_at`) can be
inspected. The price is n^2 / 2 sweeps and n times the substeps before, beside the simulation.

A sweep goes from the state before it towards the targets of that state: those of soft steps change after the first.
"""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.engine.commands.observation import ExportedState
from app.i18n.message import message
from physics import Report, step
from physics.core.records import copy_of
from physics.observe.report import RUN_TO_END
from physics.solvers.sequential_impulses import SequentialImpulses

MAX_SWEEPS = 400
"""Largest number of recorded sweeps."""

MIN_SWEEPS = 20
"""Number of sweeps recorded even if the solver's own limit is lower."""

SECONDS = 4.0
"""Wall time after which recording ends."""


class ReplayCancelled(Exception):
    """The result is no longer wanted."""


@dataclass(frozen=True)
class Start:
    """Input of the solver. solver: its name; bodies, contacts, joints: copies of the tables at the start of the step; moved: the
    bodies at the start of the substep; h: substep [s]; part: what the solver was given of the step [s]; substep: which one of the
    step, 1 .. parts; ratio: share of the last impulses in a warm start, by how long forces act now and did then; pairs: PAIR, of
    the world's materials; last_dt: time since the last contact detection [s]; options: the solver's own."""

    solver: str
    bodies: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray
    moved: np.ndarray
    h: float
    part: float
    substep: int
    parts: int
    ratio: float
    pairs: np.ndarray
    last_dt: float
    options: Any


@dataclass(frozen=True)
class SweepSequence:
    """Joint rows after each sweep, (n + 1, rows) ROW, and their blocks, (n + 1, b) BLOCK, in the order in which the solver visits
    them before the contacts; both empty where all are solved at once. Soft steps relax along rows of the end of a substep."""

    rows: np.ndarray
    blocks: np.ndarray

    @property
    def visited(self) -> int:
        """Number of blocks."""
        return self.blocks.shape[1]


@dataclass(frozen=True)
class Sweeps:
    """The states of (1), n + 1 of them.

    contacts: (n + 1, c) [CONTACT]; velocity: (n + 1, bodies, 6) [m/s, rad/s]; reaction: (n + 1, joints, 6) [N s, N m s];
    change, residual: (n + 1,) [m/s], see Report; own: the last k within the solver's own options, at most n;
    converged: whether the last state is; chain: of the joints; note: why the record ends early, "" if it does not.
    """

    start: Start
    contacts: np.ndarray
    velocity: np.ndarray
    reaction: np.ndarray
    change: np.ndarray
    residual: np.ndarray
    own: int
    converged: bool
    chain: SweepSequence
    note: str = ""

    @property
    def last(self) -> int:
        return len(self.change) - 1


class StoppedSolver:
    """Stands in the world in place of its solver for one step, and does something else with what the solver was to be given: the
    step is divided as for the solver itself."""

    def __init__(self, solver: Any, work: Callable[["StoppedSolver", Any, np.ndarray, float], Report]) -> None:
        self.solver, self.work, self.options = solver, work, solver.options

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    def step(self, world: Any, contacts: np.ndarray, dt: float) -> Report:
        self.start = copy_of(world.bodies), copy_of(world.joints), copy_of(contacts)
        self.memory = world.sweeps_stalled, world.pace
        return self.work(self, world, contacts, dt)

    def again(self, world: Any, dt: float, options: Any) -> tuple[Report, np.ndarray]:
        """The solver's step from the start, with other options; (its report, the contacts with their impulses)."""
        bodies, joints, contacts = self.start
        world.sweeps_stalled, world.pace = self.memory
        world.bodies[:], world.joints[:], contacts = bodies, joints, copy_of(contacts)
        self.solver.options = options
        report = self.solver.step(world, contacts, dt)
        return report, contacts


def record(state: ExportedState, *, substep: int = 1, warm: bool = True, most: int = MAX_SWEEPS, seconds: float = SECONDS,
           wanted: Callable[[], bool] = lambda: True) -> Sweeps:
    """Record a substep of the next step from that state, sweep by sweep. substep: 1 .., at most their number; warm: False: every
    substep starts from zero impulses; wanted: polled after each state.

    Raises:
        BadInput, Diverged: as in a step. ReplayCancelled: `wanted` returned False. ValueError: the solver has no sweeps.
    """
    world, found, done = state.world(), [], 0
    name = world.solver.sweep_option
    if not name:
        raise ValueError(message("{solver} makes no sweeps", solver=world.solver.name))

    def work(instead: StoppedSolver, world: Any, contacts: np.ndarray, dt: float) -> Report:
        nonlocal done
        own = copy.copy(instead.solver.options)
        if hasattr(own, "warm_start"):
            own.warm_start = own.warm_start and warm
        report, _ = instead.again(world, dt, own)
        which, done = max(substep, 1) - done, done + report.substeps
        if found or which > report.substeps:
            return report
        limit = report.iterations // report.substeps if report.end == "fixed" else getattr(own, name)
        try:
            found.append(_states(instead, world, dt, own, which, report.substeps, limit=limit, most=most, seconds=seconds,
                                 wanted=wanted))
        finally:
            instead.solver.stop_at = RUN_TO_END
        return instead.again(world, dt, own)[0]

    world.solver = StoppedSolver(world.solver, work)
    step(world, state.dt)
    if not found:
        return record(state, substep=done, warm=warm, most=most, seconds=seconds, wanted=wanted)
    return replace(found[0], start=replace(found[0].start, substep=max(substep, 1), parts=done))


def _states(instead: StoppedSolver, world: Any, dt: float, own: Any, substep: int, parts: int, *, limit: int, most: int,
            seconds: float, wanted: Callable[[], bool]) -> Sweeps:
    """Compute the states of (1)."""
    solver, rest, end = instead.solver, getattr(own, "tolerance", 1e-9), time.perf_counter() + seconds
    system = solver.system(world.layout)
    solver.stop_at = substep, -1
    instead.again(world, dt, own)
    bodies, joints, contacts = instead.start
    start = Start(solver.name, *(copy_of(table) for table in (bodies, contacts, joints, world.bodies)),
                  dt / parts, dt, substep, parts, _ratio(instead, world, dt / parts, substep), world.materials.pairs.copy(),
                  world.last_part_dt, own)
    contacts, velocity, reaction, change, residual, rows, blocks = [], [], [], [], [], [], []
    together = system.factors.blocks.shape[0] > 0
    visited = [table[: 0 if together else len(table)] for table in (system.rows, system.blocks)]
    note, converged = "", False
    for k in range(min(most, max(limit, MIN_SWEEPS)) + 1):
        solver.stop_at = substep, k
        report, touching = instead.again(world, dt, own)
        contacts.append(touching)
        velocity.append(np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1))
        reaction.append(world.joints["reaction"].copy())
        change.append(report.change)
        residual.append(report.residual)
        rows.append(copy_of(visited[0]))
        blocks.append(copy_of(visited[1]))
        converged = report.end == "converged" or (report.end == "fixed" and k > 0 and report.change <= rest)
        if converged or report.end == "slow":
            break
        if not wanted():
            raise ReplayCancelled
        if time.perf_counter() > end:
            note = message("the record ends after {sweeps} sweeps: the cost grows with their square", sweeps=k)
            break
    else:
        if limit > most:
            note = message("the record ends after {sweeps} sweeps; the solver may make {limit}", sweeps=most, limit=limit)
    chain = SweepSequence(np.array(rows), np.array(blocks))
    return Sweeps(start, np.array(contacts), np.array(velocity), np.array(reaction), np.array(change), np.array(residual),
                  min(limit, len(change) - 1), converged, chain, note)


def _ratio(instead: StoppedSolver, world: Any, h: float, substep: int) -> float:
    """Share of the last impulses in a warm start: a kick lasts from the velocities to the middle of the substep."""
    first = instead.start[0]["velocity_lag"].max() + 0.5 * h
    if substep == 1:
        return first / world.impulse_duration
    return h / first if substep == 2 and instead.solver.name == SequentialImpulses.name else 1.0
