"""Joints closed: by velocities that lead there (linkage.py, 2), beside the push that leaves no velocity, after it (1)."""

import math

import numpy as np

from physics import direct, integrate, sticking
from physics import linkage as linkages
from physics.core import vec
from physics.core.jit import routine
from physics.core.records import Bound
from physics.solvers import _contact_passes, _contacts
from physics.solvers._iterate import solve_together, sweep
from physics.solvers._sweep import solve_equality, solve_one_sided

_EQUALITY, _ONE_SIDED = int(Bound.EQUALITY), int(Bound.ONE_SIDED)

_STILL = 1e-8
"""A position pass ends where no pseudo-velocity changes by more than this [m/s]."""

CLOSED = 1e-9, 1e-7
"""Joints with smaller errors than this are left alone, in the first round of closing and in later ones [m] or [rad]."""

SURE = 1e-6
"""From errors no larger than this one push is enough: Newton's method leaves their square over the length of a lever, and what is
damped cannot be thrown about by so little [m] or [rad]."""

CLOSING_TRIALS = 5
"""Most rounds of closing, with those that are taken back."""

ROUNDS = 4
"""Most rounds in which velocities are made to lead to closed joints; two are enough for most."""

FORESEEN = 0.1
"""Rounds divide the errors by about the same number each time. One that so foresees less than this part of CLOSED is the last,
and its errors are not looked at."""


@routine
def lead_to_closed(bodies, joints, linkage, patches, motion, settings, h, limit, done, end, change, marks):
    """Rounds (linkage.py, 2) after `done` sweeps, which ended with `end` and `change`; bodies stay where they are.

    Returns the sweeps, how the last of them ended, their last change [m/s], and whether the joints will close. A round that
    makes the errors larger, as beside a singular position, is taken back.
    """
    rows, blocks, factors, velocity = linkage.rows, linkage.blocks, linkage.factors, motion.velocity
    exact = patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]
    before, sweeps, bent = math.inf, 0, False
    for n in range(linkage.straight.shape[0]):
        bent = bent or linkage.straight[n] == 0
    if not bent:
        return 0, end, change, False
    closed = False
    integrate.poses(bodies, motion.pos, motion.orientation)
    for trial in range(ROUNDS + 1):
        integrate.place(bodies, motion.pos, motion.orientation, velocity, h, settings.gyroscopic)
        error = linkages.ends(joints, linkage, bodies, h)
        closed = error <= CLOSED[0]
        if error > before:
            velocity[:] = motion.kept
            for i in range(rows.shape[0]):
                rows[i].impulse = motion.impulses[i]
        if closed or error > 0.5 * before or trial == ROUNDS or done + sweeps >= limit:
            break
        motion.kept[:] = velocity
        for i in range(rows.shape[0]):
            motion.impulses[i] = rows[i].impulse
        linkages.aim(joints, linkage, velocity, h)
        if exact:
            direct.solve(rows, blocks, factors, velocity)
            sweeps += 1
        else:
            more, end, change = sweep(rows, blocks, linkage.inverses, factors, patches, velocity, settings,
                                      limit - done - sweeps, 0.0, marks)
            sweeps += more
        closed = error * error <= FORESEEN * CLOSED[0] * before and before < math.inf
        if closed:
            break
        before = error
    stand(bodies, motion.pos, motion.orientation)
    for k in range(blocks.shape[0]):
        closed = closed and blocks[k].bound != _ONE_SIDED       # limits that were passed are closed by positions alone
    return sweeps, end, change, closed and not linkage.straight.any()


@routine
def stand(bodies, pos, orientation):
    """Bodies to pos (n, 3) [m] and orientation (n, 4)."""
    for i in range(bodies.shape[0]):
        vec.assign(bodies[i].pos, pos[i])
        for k in range(4):
            bodies[i].quat[k] = orientation[i, k]


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
    for count in range(1, limit + 1):
        largest = max(push_joints(rows, blocks, inverses, factors, push, marks),
                      _contact_passes.push_sweep(patches, push, _STILL, marks))
        if largest < _STILL * _STILL:
            return count
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
