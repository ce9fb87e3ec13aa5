"""A step of sequential impulses, compiled: batches of contacts, then substeps: free motion, warm start, sweeps, push."""

import math
from typing import NamedTuple

import numpy as np

from physics import direct, integrate, measure, sticking
from physics import linkage as linkages
from physics import patches as batches
from physics.core import clock
from physics.core.jit import kernel, routine
from physics.core.records import Bound
from physics.core.row import apply
from physics.report import SHORT
from physics.solvers import _contact_passes, _contacts, _energy_limit, _ledger
from physics.solvers._sweep import solve_block, solve_equality, solve_one_sided
from physics.stiffness import RESOLVED, swing_rate

_EQUALITY, _ONE_SIDED = int(Bound.EQUALITY), int(Bound.ONE_SIDED)

_STILL = 1e-8
"""A position pass ends where no pseudo-velocity changes by more than this [m/s]."""

_FEW = 4
"""Sweeps that a position pass always has. Beyond them it has as many as the velocities had: so the budget bounds it, too, and a
replay needs to know the velocities' sweeps only."""

CLOSED = 1e-10, 1e-7
"""Joints with smaller errors than this are left alone, in the first round of closing and in later ones [m] or [rad]."""

SURE = 1e-6
"""From errors no larger than this one push is enough: Newton's method leaves their square over the length of a lever, and what is
damped cannot be thrown about by so little [m] or [rad]."""

CLOSING_TRIALS = 5
"""Most rounds of closing, with those that are taken back."""

OUT_OF_BUDGET = 2

ENDS = ("converged", "iteration limit", SHORT)

LONGEST = 0.005
"""Longest substep where their number is left open [s]."""

MOST = 16
"""Most substeps that a loaded mechanism gets where their number is left open."""


class Motion(NamedTuple):
    """Velocities (bodies, 6) at the start of a substep, those that the sweeps work on, and those of the push [m/s, rad/s]."""

    start: np.ndarray
    velocity: np.ndarray
    push: np.ndarray


class Settings(NamedTuple):
    """What the options say, as numbers. polygon: of the friction cone; dt, last_dt: this step and the last [s]; budget: wall time
    for the sweeps of all substeps [s], 0: no limit; until, looked: the step ends in that substep (1 ..) after so many sweeps,
    -1: as it begins; until = 0: it does not; the rest as in the options."""

    polygon: np.ndarray
    dt: float
    last_dt: float
    substeps: int
    iterations: int
    budget: float
    tolerance: float
    gyroscopic: bool
    warm_start: bool
    radial: bool
    acceleration: bool
    restitution_threshold: float
    push_rate: float
    slop: float
    max_push: float
    push_iterations: int
    until: int
    looked: int


class Result(NamedTuple):
    """What a step tells: sweeps, how the last substep ended, its last change and residual [m/s], sweeps of the push, wall time of
    the integration [s], the deepest overlap [m], the joints' largest error [m] or [rad], substeps, and how far loaded joints
    swing in one [rad]."""

    sweeps: int
    end: int
    change: float
    residual: float
    pushes: int
    integrating: float
    penetration: float
    joint_error: float
    parts: int
    swing: float


@routine
def any_restitution(contacts, joints):
    """Whether a contact or a joint's limit may rebound."""
    found = False
    for i in range(contacts.shape[0]):
        found = found or contacts[i].restitution > 0.0
    for j in range(joints.shape[0]):
        found = found or (joints[j].kind >= 0 and joints[j].limit_restitution > 0.0)
    return found


@routine
def position_sweeps(sweeps, limit):
    """Most sweeps of a position pass after that many of the velocities."""
    return min(max(_FEW, sweeps), limit)


@kernel
def advance(bodies, contacts, joints, linkage, pairs, gravity, settings, columns):
    """A whole step; returns the fields of Result. pairs: of materials, see `patches.build`; columns: of physics/ledger.py, to be
    written unless they are none."""
    n = bodies.shape[0]
    integrate.inertias(bodies)
    _ledger.open(bodies, gravity, columns)
    patches = batches.build(contacts, bodies, pairs)
    motion = Motion(np.empty((n, 6)), np.empty((n, 6)), np.zeros((n, 6)))
    marks = _contacts.marks(n, patches.first.shape[0])
    rate = swing_rate(joints, linkage.plan.joints, bodies, settings.last_dt)
    parts = settings.substeps if settings.substeps > 0 else parts_of(settings.dt, rate)
    sweeps, end, change, residual, pushes, integrating = substeps(bodies, contacts, joints, linkage, patches, motion, gravity,
                                                                  settings, parts, marks, columns)
    _ledger.close(bodies, gravity, columns)
    integrate.release(bodies)
    return (sweeps, end, change, residual, pushes, integrating, measure.penetration(contacts), measure.joint_error(joints),
            parts, settings.dt / parts * rate)


@routine
def parts_of(dt, rate):
    """Substeps of at most LONGEST that resolve how fast loaded joints swing [rad/s]."""
    return max(math.ceil(dt / LONGEST - 1e-9), min(math.ceil(dt * rate / RESOLVED), MOST))


@routine
def substeps(bodies, contacts, joints, linkage, patches, motion, gravity, settings, parts, marks, columns):
    """All substeps of a step, `parts`; returns the first fields of Result."""
    start, velocity, push = motion
    rows, blocks, inverses, factors = linkage.rows, linkage.blocks, linkage.inverses, linkage.factors
    h, jointed, budget = settings.dt / parts, linkage.plan.joints.shape[0] > 0, settings.budget
    ticks, kick = np.empty(2, np.int64), _ledger.room(bodies, columns)
    begin = clock.now(ticks)
    sweeps, pushes, end, late, change, residual = 0, 0, 0, False, 0.0, 0.0
    pushed, bounces, integrating = False, any_restitution(contacts, joints), 0.0
    nothing = _energy_limit.nothing()
    if jointed:
        linkages.straighten(linkage, contacts)
        linkages.clear_sums(linkage)
    measure.forget_residuals(contacts, joints, linkage.plan.joints)
    for k in range(parts):
        frozen = k == settings.until - 1
        if frozen and settings.looked < 0:
            break
        last = frozen or k == parts - 1
        integrating += set_out(bodies, contacts, joints, linkage, patches, motion, gravity, settings, h, k > 0, pushed)
        now = clock.now(ticks)
        time = max(1e-9, (budget - (now - begin)) / (parts - k)) if budget > 0.0 else 0.0
        most = settings.looked if frozen else settings.iterations
        done, end, change = iterate(rows, blocks, inverses, factors, patches, velocity, settings, most, time, marks)
        if bounces:
            done += lose_energy(contacts, linkage, patches, start, velocity, settings, h, most, marks, nothing)
        sweeps, late = sweeps + done, late or end == OUT_OF_BUDGET
        if columns.shape[0] > 0:
            _ledger.kicks(bodies, h, kick)
            _ledger.enter(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, h,
                          settings.restitution_threshold, columns)
        push[:] = 0.0
        most = position_sweeps(done, settings.push_iterations)
        if last:
            residual = measure.tell_residuals(rows, blocks, velocity, settings.polygon, contacts, joints)
        if jointed:
            if frozen:
                linkages.clear_sums(linkage)
            linkages.store(joints, linkage, velocity)
            linkages.add_up(joints, linkage, last)
        if frozen:
            _contact_passes.alone(patches)
            residual = max(residual, _contact_passes.store(patches, velocity, settings.polygon, contacts))
            integrate.keep(bodies, velocity)
            break
        pushed = _contact_passes.push_targets(patches, velocity, h, settings.push_rate, settings.slop, settings.max_push)
        if pushed:
            hold(rows, blocks)
            if sticking.let_all_go(factors):
                direct.factor(rows, blocks, factors)
            pushes += push_apart(rows, blocks, inverses, factors, patches, push, most, marks)
        if last:
            residual = max(residual, _contact_passes.store(patches, velocity, settings.polygon, contacts))
        mark = clock.now(ticks)
        integrate.positions(bodies, velocity, push, h, settings.gyroscopic)
        if jointed:
            close(bodies, joints, linkage, push, h, most, marks)
        integrating += clock.now(ticks) - mark
    return sweeps, OUT_OF_BUDGET if late else end, change, residual, pushes, integrating


@routine
def set_out(bodies, contacts, joints, linkage, patches, motion, gravity, settings, h, again, pushed):
    """A substep of h [s] up to its sweeps: free motion, rows, targets, warm start; returns the wall time of the integration [s].

    again: not the first substep; pushed: the one before moved bodies apart.
    """
    start, velocity, push = motion
    ticks, share = np.empty(2, np.int64), 1.0 if again else h / settings.last_dt
    mark = clock.now(ticks)
    integrate.velocities(bodies, gravity, h, start, velocity)
    integrating = clock.now(ticks) - mark
    if linkage.plan.joints.shape[0] > 0:
        linkages.build(joints, linkage, bodies, h, share, True)
    batches.weigh(bodies, patches.mass)
    _contact_passes.aim(contacts, patches, start, velocity, push, pushed, h, settings.restitution_threshold, again)
    if not settings.warm_start:
        share = 0.0
    warm_start(linkage.rows, linkage.blocks, velocity, share)
    _contact_passes.warm_start(patches, velocity, share)
    return integrating


@routine
def warm_start(rows, blocks, velocity, ratio):
    """Start from ratio times last step's impulses (ratio = dt / last dt; 0: forget them)."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        va, vb = velocity[block.a], velocity[block.b]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse *= ratio
            apply(row, block, va, vb, row.impulse)


@routine
def iterate(rows, blocks, inverses, factors, patches, velocity, settings, limit, budget, marks):
    """Sweep until converged (0), at the limit (1) or out of wall-clock budget [s] (2; budget 0: no limit).

    Returns (sweeps, end, largest ||dp|| / rate in the last sweep [m/s]).
    """
    ticks = np.empty(2, np.int64)
    work = np.empty(12)
    begin = clock.now(ticks)
    change, before = 0.0, 0.0
    polygon, tolerance = settings.polygon, settings.tolerance
    _contacts.reset(marks)
    sticking.begin(rows, blocks, factors)
    direct.factor(rows, blocks, factors)
    exact = patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]
    for sweep in range(1, limit + 1):
        largest, changed = solve_together(rows, blocks, factors, velocity, tolerance, marks)
        for k in range(blocks.shape[0]):
            if factors.together[k]:
                continue
            block = blocks[k]
            va, vb = velocity[block.a], velocity[block.b]
            size = solve_block(block, rows, inverses, va, vb, polygon, work, settings.radial, 0.0, 1.0)
            size /= block.rate * block.rate
            if size > tolerance * tolerance:
                _contacts.note_block(block, marks)
            largest = max(largest, size)
        worst, total = _contacts.sweep(patches, velocity, polygon, tolerance, marks)
        largest = max(largest, worst)
        change = math.sqrt(largest)
        if (change <= tolerance and not changed) or (exact and sweep == 2):
            return sweep, 0, change
        if budget > 0.0 and clock.now(ticks) - begin >= budget:
            return sweep, 2, change
        if sweep < sticking.CHOICES:
            changed |= sticking.stick_again(blocks, factors)
        if changed:
            direct.factor(rows, blocks, factors)
        if settings.acceleration and sweep < limit:
            _contacts.accelerate(patches, velocity, min(1.0, total / before) if 0.0 < total <= before else 0.0, marks)
            before = total
    return limit, 1, change


@routine
def lose_energy(contacts, linkage, patches, start, velocity, settings, h, most, marks, before):
    """Impacts that have gained energy get less of their restitution (_energy_limit.py); returns the sweeps of that.

    before: what has been done before in this step.
    """
    rows, blocks, sweeps = linkage.rows, linkage.blocks, 0
    if most == 0 or not _energy_limit.strikes(patches, rows, blocks):
        return 0
    search = _energy_limit.begin(contacts, patches, rows, blocks, start, velocity, before)
    for trial in range(_energy_limit.TRIALS):
        if not _energy_limit.aim(search, contacts, patches, rows, blocks, h, trial == _energy_limit.TRIALS - 1):
            break
        done, _, _ = iterate(rows, blocks, linkage.inverses, linkage.factors, patches, velocity, settings, most, 0.0, marks)
        _energy_limit.judge(search, contacts, patches, rows, blocks, start, velocity)
        _energy_limit.narrow(search)
        sweeps += done
    _energy_limit.tell(search, contacts, patches)
    return sweeps


@routine
def solve_together(rows, blocks, factors, velocity, tolerance, marks):
    """All joints at once, if they are to be.

    Returns the square of the largest velocity error that was left [m/s], and whether friction that stuck has begun to slip.
    """
    if factors.blocks.shape[0] == 0:
        return 0.0, False
    largest = direct.solve(rows, blocks, factors, velocity)
    slips = sticking.let_go(rows, blocks, factors, velocity)
    if slips or largest > tolerance * tolerance:
        for k in range(factors.blocks.shape[0]):
            _contacts.note_block(blocks[factors.blocks[k]], marks)
    return largest, slips


@routine
def hold(rows, blocks):
    """Turn a joint table into that of the push: J push = 0; limits do not act, they are closed afterwards."""
    for k in range(blocks.shape[0]):
        for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
            rows[i].impulse = 0.0
            rows[i].target = -math.inf if blocks[k].bound == _ONE_SIDED else 0.0


@routine
def push_apart(rows, blocks, inverses, factors, patches, push, limit, marks):
    """Sweeps over joints and contact normals of a position pass; returns their number. Friction takes no part in it."""
    _contacts.reset(marks)
    for sweep in range(1, limit + 1):
        largest = max(push_joints(rows, blocks, inverses, factors, push, marks),
                      _contact_passes.push_sweep(patches, push, _STILL, marks))
        if largest < _STILL * _STILL:
            return sweep
    return limit


@routine
def push_joints(rows, blocks, inverses, factors, push, marks):
    """One sweep of a position pass over the joints; returns the square of the largest change [m/s]."""
    work = np.empty(6)
    largest, _ = solve_together(rows, blocks, factors, push, _STILL, marks)
    for k in range(blocks.shape[0]):
        block, size = blocks[k], 0.0
        if block.bound == _EQUALITY and factors.together[k] == 0:
            size = solve_equality(block, rows, inverses, push[block.a], push[block.b], work, 0.0, 1.0)
        elif block.bound == _ONE_SIDED:
            size = solve_one_sided(block, rows, inverses, push[block.a], push[block.b], 0.0, 1.0)
        size /= block.rate * block.rate
        if size > _STILL * _STILL:
            _contacts.note_block(block, marks)
        largest = max(largest, size)
    return largest


@routine
def close(bodies, joints, linkage, push, h, limit, marks):
    """Move bodies so that the joints close at the end of the substep (linkage.py, 1)."""
    rows, blocks, factors = linkage.rows, linkage.blocks, linkage.factors
    exact = factors.blocks.shape[0] == blocks.shape[0]
    before, enough, share = math.inf, CLOSED[0], 1.0
    for trial in range(CLOSING_TRIALS + 1):
        integrate.inertias(bodies)
        linkages.build(joints, linkage, bodies, h, 1.0, False)
        error = linkages.aim_to_close(linkage)
        if error > before:
            less = 0.25 * share if trial < CLOSING_TRIALS else 0.0
            integrate.shift(bodies, push, less - share)
            share = less
            continue
        if error <= enough or trial == CLOSING_TRIALS:
            return
        sticking.let_all_go(factors)
        direct.factor(rows, blocks, factors)
        push[:] = 0.0
        for _ in range(limit):
            if push_joints(rows, blocks, linkage.inverses, factors, push, marks) < _STILL * _STILL or exact:
                break
        integrate.shift(bodies, push, 1.0)
        if error <= SURE:
            return
        before, enough, share = error, CLOSED[1], 1.0
