"""A step of sequential impulses, compiled: batches of contacts, then substeps: free motion, warm start, sweeps, push."""

from typing import NamedTuple

import numpy as np

from physics import direct, integrate, measure, ramp, sticking
from physics import linkage as linkages
from physics import patches as batches
from physics.core import clock
from physics.core.jit import kernel, routine
from physics.core.row import apply
from physics.report import SHORT
from physics.solvers import _contact_passes, _contacts, _energy_limit, _ledger
from physics.solvers._closing import close, hold, lead_to_closed, push_apart
from physics.solvers._iterate import CONVERGED, OUT_OF_BUDGET, iterate
from physics.solvers._lengths import divisions, jerks, next_units
from physics.stiffness import AHEAD, CALM, calm, swing_rate, turn_rate

_FEW = 4
"""Sweeps that a position pass always has. Beyond them it has as many as the velocities had: so the budget bounds it, too, and a
replay needs to know the velocities' sweeps only."""

ENDS = ("converged", "iteration limit", SHORT)


class Motion(NamedTuple):
    """Velocities (bodies, 6) at the start of a substep, those that the sweeps work on, and those of the push [m/s, rad/s];
    positions (bodies, 3) and orientations (bodies, 4) at its start; velocities and joint impulses before a round; room for
    stiffness.py."""

    start: np.ndarray
    velocity: np.ndarray
    push: np.ndarray
    pos: np.ndarray
    orientation: np.ndarray
    kept: np.ndarray
    impulses: np.ndarray
    squares: np.ndarray
    stiffness: np.ndarray


class Pace(NamedTuple):
    """A substep of h [s]. share: the time of its kick over that of the last; rate: at which loaded joints swing [rad/s]; before:
    length of the substep before [s], 0: it is the first; elapsed: since contacts were found [s]; pushed: the one before moved
    bodies apart; bounces: something may rebound; most: sweeps; allowed: wall time for them [s], 0: no limit."""

    h: float
    share: float
    rate: float
    before: float
    elapsed: float
    pushed: bool
    bounces: bool
    most: int
    allowed: float


class Settings(NamedTuple):
    """What the options say, as numbers. polygon: of the friction cone; dt, last_dt: this step and the last [s]; acting: time for
    which the forces of the last impulses acted [s]; budget: wall time for the sweeps of all substeps [s], 0: no limit; until,
    looked: the step ends in that substep (1 ..) after so many sweeps, -1: as it begins; until = 0: it does not; the rest as in
    the options."""

    polygon: np.ndarray
    dt: float
    last_dt: float
    acting: float
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
def lag(bodies):
    """By how much velocities lag behind poses [s], of the bodies that move on."""
    longest = 0.0
    for i in range(bodies.shape[0]):
        longest = max(longest, bodies[i].since)
    return longest


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
    patches = batches.build(contacts, bodies, pairs, settings.last_dt, settings.gyroscopic)
    motion = Motion(np.empty((n, 6)), np.empty((n, 6)), np.zeros((n, 6)), np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6)),
                    np.empty(linkage.rows.shape[0]), np.empty((n, 3)), np.empty((n, 3, 3)))
    marks = _contacts.marks(n, patches.first.shape[0])
    sweeps, end, change, residual, pushes, integrating, parts, swing = substeps(
        bodies, contacts, joints, linkage, patches, motion, gravity, settings, marks, columns)
    _ledger.close(bodies, gravity, columns)
    integrate.release(bodies)
    return (sweeps, end, change, residual, pushes, integrating, measure.penetration(contacts), measure.joint_error(joints),
            parts, swing)


@routine
def substeps(bodies, contacts, joints, linkage, patches, motion, gravity, settings, marks, columns):
    """All substeps of a step; returns the first fields of Result, their number, and the largest way that loaded joints swing in
    one [rad]."""
    velocity, jointed, budget = motion.velocity, linkage.plan.joints.shape[0] > 0, settings.budget
    units, longest = divisions(settings)
    left, take, k, swing, time, made = units, longest, 0, 0.0, settings.acting, 2.0 * lag(bodies)
    ramps, given = np.empty(linkage.plan.joints.shape[0]), np.empty_like(velocity)
    ticks, kicks = np.empty(2, np.int64), _ledger.room(bodies, columns)
    begin = clock.now(ticks)
    sweeps, pushes, end, late, change, residual = 0, 0, 0, False, 0.0, 0.0
    pushed, bounces, integrating = False, any_restitution(contacts, joints), 0.0
    if jointed:
        linkages.straighten(linkage, contacts)
        linkages.clear_sums(linkage)
    measure.forget_residuals(contacts, joints, linkage.plan.joints)
    integrate.read(bodies, given)
    sloped = ramp.ramps(bodies, given)
    while left > 0:
        frozen = k == settings.until - 1
        if frozen and settings.looked < 0:
            break
        rate = swing_rate(joints, linkage.plan.joints, bodies, time, motion.squares) if jointed else 0.0
        turning = turn_rate(joints, linkage.plan.joints, bodies) if jointed else 0.0
        take = next_units(longest, take, left, AHEAD * max(rate, turning) * settings.dt / units)
        h, last = settings.dt * take / units, frozen or take == left
        spent, time = time, 0.5 * (made + h)
        fade(joints, linkage.plan.joints, ramps)
        if sloped:
            ramp.give(bodies, given, (units - left + 0.5 * take) / units)
        pace = Pace(h, time / spent, rate, made if k > 0 else 0.0, settings.dt * (units - left) / units, pushed, bounces,
                    settings.looked if frozen else settings.iterations,
                    max(1e-9, (budget - (clock.now(ticks) - begin)) * take / left) if budget > 0.0 else 0.0)
        done, end, change, closed, wall = kick(bodies, contacts, joints, linkage, patches, motion, gravity, settings, pace, marks)
        integrating += wall
        if take > 1 and patches.first.shape[0] == 0 and jerks(joints, linkage, velocity, bodies, h, time, motion.squares):
            unfade(joints, linkage.plan.joints, ramps)
            continue
        left, k, made, swing = left - take, k + 1, h, max(swing, h * rate)
        sweeps, late = sweeps + done, late or end == OUT_OF_BUDGET
        if columns.shape[0] > 0:
            _ledger.kicks(bodies, h, kicks)
            _ledger.enter(bodies, joints, contacts, linkage, patches, motion.start, velocity, kicks, gravity, h,
                          settings.restitution_threshold, columns)
        if last:
            residual = measure.tell_residuals(linkage.rows, linkage.blocks, velocity, settings.polygon, contacts, joints)
        if jointed:
            tell(joints, linkage, velocity, frozen, last)
        if frozen:
            _contact_passes.alone(patches)
            residual = max(residual, _contact_passes.store(patches, velocity, settings.polygon, contacts))
            integrate.keep(bodies, velocity)
            break
        more, pushed, missed, wall = drift(bodies, contacts, joints, linkage, patches, motion, settings, pace, done, closed, last,
                                           marks)
        pushes, residual, integrating = pushes + more, max(residual, missed), integrating + wall
    if sloped:
        ramp.give(bodies, given, 0.5)
    return sweeps, OUT_OF_BUDGET if late else end, change, residual, pushes, integrating, k, swing


@routine
def tell(joints, linkage, velocity, alone, last):
    """The joints get the impulses of a substep: summed up, or alone."""
    if alone:
        linkages.clear_sums(linkage)
    linkages.store(joints, linkage, velocity)
    linkages.add_up(joints, linkage, last)


@routine
def fade(joints, index, ramps):
    """Keep how far the errors of the joints of the index have faded."""
    for n in range(index.shape[0]):
        ramps[n] = joints[index[n]].ramp


@routine
def unfade(joints, index, ramps):
    """Put that back."""
    for n in range(index.shape[0]):
        joints[index[n]].ramp = ramps[n]


@routine
def kick(bodies, contacts, joints, linkage, patches, motion, gravity, settings, pace, marks):
    """The velocities of a substep; bodies stay where they are. Returns sweeps, how they ended, the last change [m/s], whether the
    joints will close, and wall time of the integration [s]."""
    rows, blocks, velocity = linkage.rows, linkage.blocks, motion.velocity
    wall = set_out(bodies, contacts, joints, linkage, patches, motion, gravity, settings, pace)
    done, end, change = iterate(rows, blocks, linkage.inverses, linkage.factors, patches, velocity, settings, pace.most,
                                pace.allowed, marks)
    if pace.bounces and pace.most > 0:
        more = lose_energy(contacts, linkage, patches, motion.start, velocity, settings, pace.h, marks, _energy_limit.nothing())
        done += more if end == CONVERGED else 0     # a run that the clock ended is made again with so many sweeps before
    closed = False
    if linkage.plan.joints.shape[0] > 0 and end == CONVERGED:
        more, end, change, closed = lead_to_closed(bodies, joints, linkage, patches, motion, settings, pace.h, pace.most, done,
                                                   end, change, marks)
        done += more
    return done, end, change, closed, wall


@routine
def drift(bodies, contacts, joints, linkage, patches, motion, settings, pace, done, closed, last, marks):
    """The motion of a substep. Returns sweeps of the push, whether bodies were pushed, the contacts' residual if it is the last
    substep [m/s], and wall time of the integration [s]."""
    rows, blocks, factors, velocity, push = linkage.rows, linkage.blocks, linkage.factors, motion.velocity, motion.push
    ticks, pushes, missed, h = np.empty(2, np.int64), 0, 0.0, pace.h
    push[:] = 0.0
    most = position_sweeps(done, settings.push_iterations)
    pushed = _contact_passes.push_targets(patches, velocity, h, pace.elapsed, settings.push_rate, settings.slop,
                                           settings.max_push)
    if pushed:
        hold(rows, blocks)
        if sticking.let_all_go(factors):
            direct.factor(rows, blocks, factors)
        pushes = push_apart(rows, blocks, linkage.inverses, factors, patches, push, most, marks)
    if last:
        missed = _contact_passes.store(patches, velocity, settings.polygon, contacts)
    mark = clock.now(ticks)
    integrate.positions(bodies, velocity, push, h, settings.gyroscopic)
    if linkage.plan.joints.shape[0] > 0 and (pushed or not closed):
        close(bodies, joints, linkage, push, h, most, marks)
    return pushes, pushed, missed, clock.now(ticks) - mark


@routine
def set_out(bodies, contacts, joints, linkage, patches, motion, gravity, settings, pace):
    """A substep up to its sweeps: free motion, rows, targets, warm start; returns the wall time of the integration [s]."""
    start, velocity, push, h, share = motion.start, motion.velocity, motion.push, pace.h, pace.share
    ticks = np.empty(2, np.int64)
    mark = clock.now(ticks)
    integrate.velocities(bodies, gravity, h, start, velocity)
    integrating = clock.now(ticks) - mark
    if linkage.plan.joints.shape[0] > 0:
        if h * pace.rate > CALM:
            calm(joints, linkage.plan.joints, bodies, h / share, h, motion.squares, motion.stiffness, velocity)
        linkages.build(joints, linkage, bodies, h, share, True)
    batches.weigh(bodies, patches.mass)
    _contact_passes.aim(contacts, patches, start, velocity, push, pace.pushed, h, settings.restitution_threshold, pace.before,
                        pace.elapsed)
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
def lose_energy(contacts, linkage, patches, start, velocity, settings, h, marks, before):
    """Impacts that have gained energy get less of their restitution (_energy_limit.py); returns the sweeps of that.

    before: what has been done before in this step.
    """
    rows, blocks, sweeps = linkage.rows, linkage.blocks, 0
    if not _energy_limit.strikes(patches, rows, blocks):
        return 0
    search = _energy_limit.begin(contacts, patches, rows, blocks, start, velocity, before)
    for trial in range(_energy_limit.TRIALS):
        if not _energy_limit.aim(search, contacts, patches, rows, blocks, h, trial == _energy_limit.TRIALS - 1):
            break
        done, _, _ = iterate(rows, blocks, linkage.inverses, linkage.factors, patches, velocity, settings,
                             _energy_limit.SWEEPS, 0.0, marks)
        _energy_limit.judge(search, contacts, patches, rows, blocks, start, velocity)
        _energy_limit.narrow(search)
        sweeps += done
    _energy_limit.tell(search, contacts, patches)
    return sweeps


