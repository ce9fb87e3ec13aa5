"""Sequential impulses with friction in joints and contacts (MS16, section 2).

One step, from (X0, V0) to (X1, V1):

    1  V <- V0 + M^-1 p_ext                                  external forces                     (eq 10)
    2  V <- V + sum M^-1 J^T p                               last step's impulses: warm start
    3  sweeps over all blocks, see _sweep.py                 until max ||dp|| / rate < eps       (eq 15 - 17)
                                                             or the wall-clock budget is spent
    4  X1 <- X0 + dt (V1 + push)                             push: contacts, on positions alone   (eq 11)
    5  X1 <- X1 + projection on the joints                   removes drift, leaves no velocity

Departures from the paper. Eq 17 measures ||dp|| by the velocity that it causes, ||dp|| / rate, where 1 / rate bounds the largest
eigenvalue of the block's J M^-1 J^T. Contacts (one-sided rows and cones) are blocks like any other. A slipping block is projected
for maximal dissipation (the paper's scaling, eq 16, is an option). Gyroscopic torque is in. Joint rows aim at the chord of the
step (physics/joints/_parts.py).
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from physics import direct, integrate, joint_rows, measure, rows
from physics import patches as batches
from physics.core import clock, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Bound
from physics.friction import polygon
from physics.options import option
from physics.report import Report
from physics.solvers import _contact_passes, _contacts
from physics.solvers._sweep import solve_block, solve_equality, solve_one_sided

_EQUALITY, _ONE_SIDED = int(Bound.EQUALITY), int(Bound.ONE_SIDED)

LONGEST = 0.005
"""Longest substep where their number is left open [s]."""

_STILL = 1e-8
"""A position pass ends where no pseudo-velocity changes by more than this [m/s]."""

_CLOSED = 1e-10, 1e-7
"""Joints with smaller errors than this are left alone in the first and in the second round of closing [m] or [rad]."""

_FEW = 4
"""Sweeps that a position pass always has. Beyond them it has as many as the velocities had: so the budget bounds it, too, and a
replay needs to know the velocities' sweeps only."""

RADIAL = "radial (MS16 eq 16)"
TOGETHER = "together"

OUT_OF_BUDGET = 2
ENDS = ("converged", "iteration limit", "budget")


@dataclass
class Options:
    """Options of sequential impulses."""

    iterations: int = option(200, lo=1, hi=100_000, log=True,
                             help="Most sweeps over all constraints in one step. More sweeps, less residual.")
    budget: float = option(2.0, unit="ms", lo=0.0, hi=100.0,
                           help="Wall-clock time after which the sweeps stop, whatever the residual. 0: no limit.")
    tolerance: float = option(1e-9, unit="m/s", lo=0.0, hi=1.0, log=True,
                              help="The sweeps stop when no impulse changes any more than this (MS16 eq 17), measured by "
                                   "the velocity that the change causes, so that light and heavy bodies are equally exact.")
    substeps: int = option(0, lo=0, hi=64,
                           help="Parts into which a step is cut; 0: as many as make them 5 ms or less. Contacts are found once "
                                "and followed through them. Tall stacks and chains gain more from substeps than from sweeps.")
    joints: str = option(TOGETHER, choices=(TOGETHER, "one by one"),
                         help="Joints are solved all at once by elimination, exactly even in long chains with heavy ends, or "
                              "one after the other as the paper does.")
    acceleration: bool = option(True, help="Between two sweeps contact impulses go on as they have moved (conjugate "
                                           "gradients): a half to a tenth of the sweeps in piles.")
    cone: str = option("polygon", choices=("polygon", "circle"),
                       help="Shape of the friction cone's section: a regular polygon (ST96) or the exact circle.")
    facets: int = option(8, lo=3, hi=64,
                         help="Corners of the polygon. Friction loses up to 1 - cos(pi/k) between two corners.")
    joint_friction: str = option("maximal dissipation", choices=("maximal dissipation", RADIAL),
                                 help="How a slipping joint's impulse is found: exactly against the relative motion, "
                                      "or by scaling the sticking impulse as the paper prints it.")
    warm_start: bool = option(True, help="Start from last step's impulses. Without it stacks need many more sweeps.")
    gyroscopic: bool = option(True, help="Torque by which a spinning asymmetric body wobbles (MS16 leaves it out).")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not bounce.")
    push_rate: float = option(0.3, lo=0.0, hi=1.0,
                              help="Share of an overlap that one step removes (no velocity is left).")
    push_iterations: int = option(20, lo=0, hi=1000, help="Most sweeps of each position pass; no more than the velocities had.")
    slop: float = option(0.0002, unit="m", lo=0.0, hi=0.1, help="Overlap that is left alone, so that contacts stay.")
    max_push: float = option(3.0, unit="m/s", lo=0.0, hi=1000.0,
                             help="Speed limit of the push between contacts, so that deep overlaps do not explode.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section; 0 for the circle."""
        return 0 if self.cone == "circle" else self.facets


class SequentialImpulses:
    """Sequential impulses under a wall-clock budget."""

    name: ClassVar[str] = "sequential impulses"
    doc: ClassVar[str] = (
        "Visits joints and contacts one after the other and corrects each impulse within its bound, again and again, "
        "until nothing changes or the time budget is spent. Fast, always gives an answer, good for large scenes; "
        "tall stacks and long chains need many sweeps.")

    def __init__(self) -> None:
        self.options = Options()

    def unsupported(self, world) -> str:
        return ""

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s] in substeps, each: velocities, then positions."""
        o = self.options
        parts = o.substeps or math.ceil(dt / LONGEST - 1e-9)
        h = dt / parts
        motion = _Motion(*(np.zeros((len(world.bodies), 6)) for _ in range(3)), np.zeros((len(world.bodies), 3)))
        integrate.inertias(world.bodies)
        patches = batches.build(contacts, world.bodies, world.materials.pairs)
        totals = {name: np.zeros_like(world.joints[name]) for name in joint_rows.IMPULSES}
        deadline = 1e-3 * o.budget + time.perf_counter()
        sweeps, pushes, late = 0, 0, False
        for k in range(parts):
            budget = (deadline - time.perf_counter()) / (parts - k) if o.budget else 0.0
            result = self._substep(world, contacts, patches, motion, h, k, k == parts - 1, budget)
            sweeps, pushes, late = sweeps + result.sweeps, pushes + result.pushes, late or result.end == OUT_OF_BUDGET
            for name, total in totals.items():
                total += world.joints[name]
        for name, total in totals.items():
            world.joints[name] = total
        integrate.release(world.bodies)
        return Report(solver=self.name, iterations=sweeps, end=ENDS[OUT_OF_BUDGET if late else result.end],
                      change=result.change, residual=result.residual, contacts=len(contacts),
                      rows=world.lists.joints.rows + 3 * len(contacts), penetration=measure.penetration(contacts),
                      joint_error=measure.joint_error(world.joints), position_iterations=pushes, budget=1e-3 * o.budget)

    def _substep(self, world, contacts, patches, motion, dt, k, last, budget):
        """Substep k: free motion, warm start, sweeps, push, positions, joints closed."""
        o = self.options
        start, velocity, push, spin = motion
        integrate.velocities(world.bodies, world.gravity, dt, o.gyroscopic, start, velocity)
        batches.weigh(world.bodies, patches.mass)
        _contact_passes.aim(contacts, patches, start, velocity, push, dt, o.restitution_threshold, k > 0)
        ratio = 1.0 if k else dt / world.last_dt
        table = rows.joints(world, dt, contacts, ratio)
        ratio *= o.warm_start
        spin[:] = 0.0
        warm_start(table.rows, table.blocks, velocity, spin, ratio)
        _contact_passes.warm_start(patches, velocity, spin, ratio)
        integrate.spins(world.bodies, spin, dt, o.gyroscopic, velocity)
        section = polygon(o.polygon_facets)
        together = o.joints == TOGETHER
        factors = direct.factors(table.rows, table.blocks, world.lists.elimination) if together else direct.none()
        count, end, change = iterate(*table, factors, patches, velocity, section, o.iterations, budget, o.tolerance,
                                     o.joint_friction == RADIAL, o.acceleration, _contacts.marks(len(start), len(patches.first)))
        joint_rows.forget(world.joints, world.lists.joints.joints)
        rows.store(world.joints, table.rows, table.blocks, velocity)
        residual = 0.0
        most = max(_FEW, min(count, o.push_iterations)) if o.push_iterations else 0
        push[:] = 0.0
        pushes = 0
        if _contact_passes.push_targets(patches, velocity, dt, o.push_rate, o.slop, o.max_push):
            hold(table.rows, table.blocks)
            pushes = push_apart(*table, factors, patches, push, most, _contacts.marks(len(start), len(patches.first)))
        if last:
            residual = max(measure.natural_map(table, velocity, section),
                           _contact_passes.store(patches, velocity, section, contacts))
        integrate.positions(world.bodies, velocity, push, dt)
        pushes += project_joints(world, dt, most, together)
        return _Result(count, end, change, residual, pushes)


class _Motion(NamedTuple):
    """Velocities (bodies, 6) at the start of a substep, those that the sweeps work on, and those of the push [m/s, rad/s]; torque
    impulses of the warm start (bodies, 3) [N m s]."""

    start: np.ndarray
    velocity: np.ndarray
    push: np.ndarray
    spin: np.ndarray


class _Result(NamedTuple):
    """What a substep tells."""

    sweeps: int
    end: int
    change: float
    residual: float
    pushes: int


@kernel
def warm_start(rows, blocks, velocity, spin, ratio):
    """Start from ratio times last step's impulses (ratio = dt / last dt; 0: forget them).

    Their forces go into velocity, their torques [N m s] are summed in spin (n, 3).
    """
    for k in range(blocks.shape[0]):
        block = blocks[k]
        va, vb = velocity[block.a], velocity[block.b]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse *= ratio
            vec.add_scaled(va, row.lin_a, block.inv_mass_a * row.impulse)
            vec.add_scaled(vb, row.lin_b, block.inv_mass_b * row.impulse)
            vec.add_scaled(spin[block.a], row.ang_a, row.impulse)
            vec.add_scaled(spin[block.b], row.ang_b, row.impulse)


@inline
def is_exact(blocks, factors, patches):
    """True if there is nothing to sweep over: joints alone, all of them solved together."""
    return patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]


@kernel
def iterate(rows, blocks, inverses, factors, patches, velocity, polygon, limit, budget, tolerance, radial, accelerated, marks):
    """Sweep until converged (0), at the iteration limit (1) or out of wall-clock budget [s] (2; budget 0: no limit).

    Returns (sweeps, end, largest ||dp|| / rate in the last sweep [m/s]).
    """
    ticks = np.empty(2, np.int64)
    work = np.empty(12)
    begin = clock.now(ticks)
    change = 0.0
    before = 0.0
    exact = is_exact(blocks, factors, patches)
    for sweep in range(1, limit + 1):
        largest = solve_together(rows, blocks, factors, velocity, tolerance, marks)
        for k in range(blocks.shape[0]):
            block = blocks[k]
            va, vb = velocity[block.a], velocity[block.b]
            if block.bound == _EQUALITY and factors.blocks.shape[0] > 0:
                continue
            size = solve_block(block, rows, inverses, va, vb, polygon, work, radial, 0.0, 1.0)
            size /= block.rate * block.rate
            if size > tolerance * tolerance:
                _contacts.note_block(block, marks)
            largest = max(largest, size)
        worst, total = _contacts.sweep(patches, velocity, polygon, tolerance, marks)
        largest = max(largest, worst)
        change = math.sqrt(largest)
        if change <= tolerance or (exact and sweep == 2):
            return sweep, 0, change
        if budget > 0.0 and clock.now(ticks) - begin >= budget:
            return sweep, 2, change
        if accelerated and sweep < limit:
            _contacts.accelerate(patches, velocity, min(1.0, total / before) if 0.0 < total <= before else 0.0, marks)
            before = total
    return limit, 1, change


@routine
def solve_together(rows, blocks, factors, velocity, tolerance, marks):
    """All joints at once, if they are to be; returns the square of the largest change of velocity [m/s]."""
    if factors.blocks.shape[0] == 0:
        return 0.0
    largest = direct.solve(rows, blocks, factors, velocity)
    if largest > tolerance * tolerance:
        for k in range(factors.blocks.shape[0]):
            _contacts.note_block(blocks[factors.blocks[k]], marks)
    return largest


@kernel
def hold(rows, blocks):
    """Turn a joint table into that of the push: J push = 0; limits do not act, they are closed afterwards."""
    for k in range(blocks.shape[0]):
        for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
            rows[i].impulse = 0.0
            rows[i].target = -math.inf if blocks[k].bound == _ONE_SIDED else 0.0


@kernel
def push_apart(rows, blocks, inverses, factors, patches, push, limit, marks):
    """Sweeps over joints and contact normals of a position pass; returns their number. Friction takes no part in it."""
    work = np.empty(6)
    for sweep in range(1, limit + 1):
        largest = solve_together(rows, blocks, factors, push, _STILL, marks)
        for k in range(blocks.shape[0]):
            block, size = blocks[k], 0.0
            if block.bound == _EQUALITY and factors.blocks.shape[0] == 0:
                size = solve_equality(block, rows, inverses, push[block.a], push[block.b], work, 0.0, 1.0)
            elif block.bound == _ONE_SIDED:
                size = solve_one_sided(block, rows, inverses, push[block.a], push[block.b], 0.0, 1.0)
            size /= block.rate * block.rate
            if size > _STILL * _STILL:
                _contacts.note_block(block, marks)
            largest = max(largest, size)
        largest = max(largest, _contact_passes.push_sweep(patches, push, _STILL, marks))
        if largest < _STILL * _STILL or is_exact(blocks, factors, patches):
            return sweep
    return limit


def project_joints(world, dt, limit, together):
    """Move bodies so that the joints close at the end of the step (two rounds of Newton's method); returns the sweeps.

    At the new poses, not the old ones: a link that turned by a radian needs another push than at the start of the step.
    """
    sweeps = 0
    for closed in _CLOSED if world.lists.joints.rows else ():
        integrate.inertias(world.bodies)
        table = rows.closing(world, dt)
        if not joint_targets(table.rows, table.blocks, closed):
            break
        push = np.zeros((len(world.bodies), 6))
        alone = batches.build(world.contacts[:0], world.bodies)
        factors = direct.factors(table.rows, table.blocks, world.lists.elimination) if together else direct.none()
        sweeps += push_apart(*table, factors, alone, push, limit, _contacts.marks(len(push), 0))
        integrate.shift(world.bodies, push)
    return sweeps


@kernel
def joint_targets(rows, blocks, closed):
    """Turn a joint table into that of the projection, J push = -C, >= for limits. True if an error is worth it."""
    needed = False
    for k in range(blocks.shape[0]):
        block = blocks[k]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse = 0.0
            row.target = -row.offset
            if block.bound == _EQUALITY:
                needed = needed or abs(row.offset) > closed
            elif block.bound == _ONE_SIDED:
                needed = needed or row.offset < -closed
    return needed


SOLVER = SequentialImpulses
