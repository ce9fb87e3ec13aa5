"""Closing of joints: by velocities that lead there (joint_system.py, 2), and by position changes after the push (1)."""

import math

import numpy as np

from physics.constraints import joint_system
from physics.constraints.contact_batches import IMPULSE_N
from physics.constraints.joint_rows import UNTOUCHED
from physics.core import stack, vec
from physics.core.dense import assign
from physics.core.jit import routine
from physics.core.records import Bound
from physics.dynamics import direct_joint_solver, integrate
from physics.solvers.impulses import contact_sweeps
from physics.solvers.impulses.iterate import CONVERGED, solve_joints_directly, sweep
from physics.solvers.impulses.row_sweeps import solve_equality, solve_one_sided

_EQUALITY, _ONE_SIDED = Bound.EQUALITY, Bound.ONE_SIDED

_PUSH_TOLERANCE = 1e-8
"""A position pass ends when no pseudo-velocity changes by more than this [m/s]."""

CLOSING_TOLERANCES = 1e-9, 1e-7
"""Joint errors below this are ignored, in the first round of closing and in later ones [m] or [rad]."""

ONE_PUSH_ERROR = 1e-6
"""Errors up to this need only one push: Newton's method leaves their square over the length of a lever, and such small ones
cannot excite damped motion [m] or [rad]."""

MAX_STRAY, MAX_OPEN = 0.01, 1e-5
"""A substep of mechanisms with closed loops is too long where its velocities lead to errors above this share of the fastest
body's way before they are led to closed joints, or above this afterwards [m] or [rad]: a linkage stretches. Longer ones lose
energy there, or reach no position that is closed, and closing it later gains many times what there was."""

CLOSING_TRIALS = 5
"""Most rounds of closing, including those undone."""

MAX_ROUNDS = 32
"""Most rounds that make velocities lead to closed joints; two are usually enough. Bodies that spin fast, as a top by half a
radian in a substep, need many: their own rotation turns what a round adds."""

MAX_REMAINDER = 0.8
"""Rounds end where one leaves more than this fraction of the errors, as near a singular position."""

PREDICTED_SHARE = 0.1
"""Rounds reduce errors by a nearly constant factor. A round predicted to leave less than this fraction of CLOSING_TOLERANCES is
the last, and its errors are not computed."""

_work = stack.scratch(6)


@routine
def lead_to_closed(step, substep):
    """Run rounds (joint_system.py, 2) after the sweeps of a substep; bodies stay where they are.

    A round that increases the errors, as near a singular position, is undone. Mechanisms without a contact that are solved
    directly have rounds also where the sweeps do not converge or are used up: closing by positions costs angular momentum.
    """
    bodies, joints, problem, motion = step.bodies, step.joints, step.problem, step.motion
    work, progress = step.work, step.progress[0]
    system, velocity, h, gyroscopic = problem.system, problem.velocity, substep.h, step.settings.options.gyroscopic
    rows, blocks, factors = system.rows, system.blocks, system.factors
    exact = problem.patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]
    before, closed, swept = math.inf, False, progress.end == CONVERGED
    kept, direct = system.in_contact.copy(), _are_direct(blocks, factors)
    if not (swept or direct):
        return
    _mark_touched(system, problem.patches)
    if system.in_contact.all():
        return
    touched = np.zeros(0, np.bool_) if swept else _touched(system, problem.patches, True)
    integrate.poses(bodies, motion.pos, motion.orientation)
    pressed = contact_sweeps.impulses_of(problem.patches)
    for trial in range(MAX_ROUNDS + 1):
        integrate.place(bodies, motion.pos, motion.orientation, velocity, h, gyroscopic)
        error = joint_system.end_errors(joints, system, bodies)
        closed = error <= CLOSING_TOLERANCES[0]
        if trial == 0 and error > ONE_PUSH_ERROR and error > MAX_STRAY * h * _fastest(bodies, velocity):
            progress.strays = 1
        if error > before:
            _undo_round(problem, work, pressed)
            joint_system.forget_closing(joints, system)
        if closed:
            joint_system.add_remaining(joints, system, h)
        spent = swept and progress.done >= substep.sweeps
        if closed or error > MAX_REMAINDER * before or trial == MAX_ROUNDS or (spent and not direct):
            break
        if spent:
            swept, touched = False, _touched(system, problem.patches, True)
        assign(work.velocity, velocity)
        for i in range(rows.shape[0]):
            work.impulses[i] = rows[i].impulse
        pressed = contact_sweeps.impulses_of(problem.patches)
        joint_system.set_targets(joints, system, velocity, h)
        if exact or not swept:
            direct_joint_solver.solve_joints(rows, blocks, factors, velocity)
            progress.done += 1 if swept else 0
            _undo_touched(rows, blocks, velocity, work, touched)
        else:
            more, progress.end, progress.change = sweep(problem, substep.sweeps - progress.done, 0.0)
            progress.done += more
        closed = error * error <= PREDICTED_SHARE * CLOSING_TOLERANCES[0] * before and before < math.inf
        if closed:
            break
        before = error
    if not closed and min(error, before) > MAX_OPEN:
        progress.strays = 1
    set_poses(bodies, motion.pos, motion.orientation)
    for k in range(blocks.shape[0]):
        closed = closed and blocks[k].bound != _ONE_SIDED       # limits that were passed are closed by positions
    progress.closed = 1 if closed and not system.in_contact.any() else 0
    assign(system.in_contact, kept)


@routine
def _are_direct(blocks, factors):
    """Whether all joints are solved directly, whatever becomes of the sweeps."""
    found = True
    for k in range(blocks.shape[0]):
        found = found and (blocks[k].bound != _EQUALITY or factors.together[k] != 0)
    return found


@routine
def _undo_round(problem, work, pressed):
    """Give all bodies and constraints what they had before a round."""
    assign(problem.velocity, work.velocity)
    for i in range(problem.system.rows.shape[0]):
        problem.system.rows[i].impulse = work.impulses[i]
    contact_sweeps.set_impulses(problem.patches, pressed)


@routine
def _fastest(bodies, velocity):
    """Largest speed of a body and, added to it, of its turning at the radius sqrt(tr I / m) [m/s]."""
    largest = 0.0
    for i in range(velocity.shape[0]):
        b, v = bodies[i], velocity[i]
        if b.inv_mass > 0.0:
            radius = math.sqrt((b.inertia[0, 0] + b.inertia[1, 1] + b.inertia[2, 2]) * b.inv_mass)
            largest = max(largest, vec.norm((v[0], v[1], v[2])) + radius * vec.norm((v[3], v[4], v[5])))
    return largest


@routine
def strays(step):
    """Whether the velocities of a substep that began with closed joints do not lead to such: it was too long (MAX_STRAY)."""
    system, largest = step.problem.system, 0.0
    if step.progress[0].strays == 0 or system.loops.shape[0] == 0:
        return False
    for n in range(system.layout.joints.shape[0]):
        largest = max(largest, step.joints[system.layout.joints[n]].error)
    return largest <= MAX_OPEN


@routine
def _mark_touched(system, patches):
    """Let those joints close whose mechanism is in contact although nothing that presses on one hangs on them: after a rebound,
    behind a spring or a slack rope."""
    in_contact, pieces, blocks = system.in_contact, system.layout.pieces, system.blocks
    if not in_contact.any():
        return
    touched = _touched(system, patches, False)
    for k in range(pieces.shape[0]):
        a, b = blocks[k].a, blocks[k].b
        if not ((blocks[k].inv_mass_a > 0.0 and touched[a]) or (blocks[k].inv_mass_b > 0.0 and touched[b])):
            in_contact[pieces[k].place] = UNTOUCHED


@routine
def _touched(system, patches, through_all):
    """Whether each body presses on a contact, or hangs on one that does; through_all: also by a spring or a slack rope."""
    rows, blocks = system.rows, system.blocks
    touched = np.zeros(system.layout.body_group.shape[0], np.bool_)
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] >= 0 and patches.points[p, IMPULSE_N, lane] > 0.0:
                    touched[patches.moved_a[k, lane]] = touched[patches.moved_b[k, lane]] = True
    spreads = True
    while spreads:
        spreads = False
        for k in range(blocks.shape[0]):
            block, row = blocks[k], rows[blocks[k].first]
            if not through_all and (row.softness > 0.0 or (block.bound == _ONE_SIDED and row.impulse == 0.0)):
                continue
            if block.inv_mass_a > 0.0 and block.inv_mass_b > 0.0 and touched[block.a] != touched[block.b]:
                touched[block.a] = touched[block.b] = spreads = True
    return touched


@routine
def presses(system, patches):
    """Whether a mechanism presses on a contact."""
    blocks, found = system.blocks, False
    if patches.first.shape[0] == 0:
        return False
    touched = _touched(system, patches, True)
    for k in range(blocks.shape[0]):
        block = blocks[k]
        found = found or (block.inv_mass_a > 0.0 and touched[block.a]) or (block.inv_mass_b > 0.0 and touched[block.b])
    return found


@routine
def _undo_touched(rows, blocks, velocity, work, touched):
    """Give the mechanisms touched, if there are any, the velocities and impulses that they had."""
    for i in range(touched.shape[0]):
        if touched[i]:
            for k in range(velocity.shape[1]):
                velocity[i, k] = work.velocity[i, k]
    for k in range(blocks.shape[0] if touched.shape[0] > 0 else 0):
        block = blocks[k]
        if (block.inv_mass_a > 0.0 and touched[block.a]) or (block.inv_mass_b > 0.0 and touched[block.b]):
            for i in range(block.first, block.first + block.count):
                rows[i].impulse = work.impulses[i]


@routine
def set_poses(bodies, pos, orientation):
    """Set the bodies to pos (n, 3) [m] and orientation (n, 4)."""
    for i in range(bodies.shape[0]):
        vec.assign(bodies[i].pos, pos[i])
        for k in range(4):
            bodies[i].quat[k] = orientation[i, k]


@routine
def set_push_targets(rows, blocks):
    """Turn a joint table into that of the push: J push = 0; limits do not act and are closed afterwards."""
    for k in range(blocks.shape[0]):
        for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
            rows[i].impulse = 0.0
            rows[i].target = -math.inf if blocks[k].bound == _ONE_SIDED else 0.0


@routine
def push_apart(system, patches, push, limit, marks):
    """Sweep over joints and contact normals of a position pass; returns the number of sweeps. Friction does not act."""
    rows, blocks, inverses, factors = system.rows, system.blocks, system.inverses, system.factors
    contact_sweeps.reset(marks)
    for count in range(1, limit + 1):
        largest = max(push_joints(rows, blocks, inverses, factors, push, marks),
                      contact_sweeps.push_sweep(patches, push, _PUSH_TOLERANCE, marks))
        if largest < _PUSH_TOLERANCE * _PUSH_TOLERANCE:
            return count
    return limit


@routine
def push_joints(rows, blocks, inverses, factors, push, marks):
    """One sweep of a position pass over the joints; returns the square of the largest change [m/s]."""
    work = _work()
    largest, _ = solve_joints_directly(rows, blocks, factors, push, _PUSH_TOLERANCE, marks)
    for k in range(blocks.shape[0]):
        block, size = blocks[k], 0.0
        if block.bound == _EQUALITY and factors.together[k] == 0:
            size = solve_equality(block, rows, inverses, push[block.a], push[block.b], work, 0.0, 1.0)
        elif block.bound == _ONE_SIDED:
            size = solve_one_sided(block, rows, inverses, push[block.a], push[block.b], 0.0, 1.0)
        size /= block.gradient_step * block.gradient_step
        if size > _PUSH_TOLERANCE * _PUSH_TOLERANCE:
            contact_sweeps.note_block(block, marks)
        largest = max(largest, size)
    return largest


@routine
def close_joints(bodies, joints, system, push, h, limit, marks, gyroscopic):
    """Move bodies so that the joints close at the end of the substep (joint_system.py, 1). gyroscopic: of `shift_poses`."""
    rows, blocks, factors = system.rows, system.blocks, system.factors
    exact = factors.blocks.shape[0] == blocks.shape[0]
    before, enough, share = math.inf, CLOSING_TOLERANCES[0], 1.0
    for trial in range(CLOSING_TRIALS + 1):
        integrate.inertias(bodies)
        joint_system.build(joints, system, bodies, h, 1.0, False)
        error = joint_system.set_closing_targets(system)
        if error > before:
            less = 0.25 * share if trial < CLOSING_TRIALS else 0.0
            integrate.shift_poses(bodies, push, less - share, gyroscopic)
            share = less
            continue
        if error <= enough:
            return
        if trial == CLOSING_TRIALS:
            joint_system.store_errors(joints, system, rows)
            return
        direct_joint_solver.release_all(factors)
        direct_joint_solver.factor(rows, blocks, factors)
        push[:] = 0.0
        for _ in range(limit):
            if push_joints(rows, blocks, system.inverses, factors, push, marks) < _PUSH_TOLERANCE * _PUSH_TOLERANCE or exact:
                break
        integrate.shift_poses(bodies, push, 1.0, gyroscopic)
        if error <= ONE_PUSH_ERROR:
            return
        before, enough, share = error, CLOSING_TOLERANCES[1], 1.0
