"""Measures of a state: the natural map residual that judges all solvers, energy, momentum, errors.

Natural map of a block with velocity error w = J V - target, impulses p, admissible set K and rate r:

    || p - P_K(p - r w) || / r        [m/s] or [rad/s]

It is zero exactly if w and p satisfy the block's law: equality, complementarity, or maximal dissipation. Contacts and joints
store their own; the largest is the residual of the step, with substeps that of the last one.
"""

import math

from physics.contact.laws import friction_residual, interval_residual, loss_factor, one_sided_residual
from physics.core import mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import MOMENT, Bound, Kind, Owner
from physics.core.row import error_of

_EQUALITY, _ONE_SIDED, _DISC, _INTERVAL = (int(b) for b in (Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.INTERVAL))
_CONE, _POLYGON, _CONTACT = Bound.CONE, Bound.POLYGON, Owner.CONTACT
_DYNAMIC, _FREE = Kind.DYNAMIC, Kind.FREE


SPEED_LIMIT = 1e5
"""Speed limit [m/s] or [rad/s]; beyond it a step counts as diverged."""

DISTANCE_LIMIT = 1e7
"""Largest distance of a body from the origin [m]."""


@kernel
def store_residuals(rows, blocks, velocity, polygon, contacts, joints):
    """Largest natural map residual of all blocks [m/s] or [rad/s], with the solver's targets and impulses; also raise `residual`
    of each contact and joint of the blocks to its own value if that is larger."""
    worst = 0.0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        missed = _block_residual(rows, block, velocity, polygon)
        worst = max(worst, missed)
        if block.owner == _CONTACT:
            contact, part = contacts[block.index], 1 if block.bound == _CONE else 0
            part = 2 if block.role == MOMENT else part
            contact.residual[part] = max(contact.residual[part], missed)
        else:
            joint = joints[block.index]
            joint.residual[block.role] = max(joint.residual[block.role], missed)
    return worst


@kernel
def clear_residuals(contacts, joints, index):
    """Clear the residuals of the contacts and of the joints in `index`."""
    for i in range(contacts.shape[0]):
        contacts[i].residual[:] = 0.0
    for n in range(index.shape[0]):
        joints[index[n]].residual[:] = 0.0


@routine
def _block_residual(rows, block, velocity, polygon):
    """The residual of one block."""
    va, vb = velocity[block.a], velocity[block.b]
    if block.bound == _EQUALITY:
        worst = 0.0
        for i in range(block.first, block.first + block.count):
            worst = max(worst, abs(error_of(rows[i], va, vb)))
        return worst
    if block.bound == _ONE_SIDED:
        row = rows[block.first]
        return one_sided_residual(row.impulse, error_of(row, va, vb), block.gradient_step)
    if block.bound == _INTERVAL:
        row = rows[block.first]
        return interval_residual(row.impulse, error_of(row, va, vb), block.gradient_step, block.lower, block.upper)
    if block.bound == _DISC:
        return _disc_residual(block, rows, va, vb)
    if block.bound == _POLYGON:         # who knows its corners judges it: lcp/joint_polygons.py
        return 0.0
    if block.count == 1:
        row, radius = rows[block.first], max(0.0, block.mu * rows[block.normal].impulse)
        return interval_residual(row.impulse, error_of(row, va, vb), block.gradient_step, -radius, radius)
    p, q = rows[block.first], rows[block.first + 1]
    radius = max(0.0, block.mu * rows[block.normal].impulse)
    return friction_residual(polygon, radius, (p.impulse, q.impulse), (error_of(p, va, vb), error_of(q, va, vb)),
                             block.gradient_step)


@routine
def _disc_residual(block, rows, va, vb):
    size = 0.0
    for i in range(block.first, block.first + block.count):
        moved = rows[i].impulse - block.gradient_step * error_of(rows[i], va, vb)
        size += moved * moved
    shrink = loss_factor(block.limit, block.viscous, block.gradient_step, math.sqrt(size))
    total = 0.0
    for i in range(block.first, block.first + block.count):
        moved = shrink * (rows[i].impulse - block.gradient_step * error_of(rows[i], va, vb)) - rows[i].impulse
        total += moved * moved
    return math.sqrt(total) / block.gradient_step


@kernel
def penetration(contacts):
    """Deepest overlap [m], 0 if none."""
    deepest = 0.0
    for i in range(contacts.shape[0]):
        deepest = max(deepest, -contacts[i].gap)
    return deepest


@kernel
def joint_error(joints):
    """Largest constraint error of a live joint [m] or [rad]."""
    largest = 0.0
    for j in range(joints.shape[0]):
        if joints[j].kind >= 0:
            largest = max(largest, joints[j].error)
    return largest


@routine
def energy_of(b, gravity):
    """(kinetic, potential) energy of a dynamic body at its velocity and pose [J]; potential is zero at the origin."""
    w = quat.rotate(quat.conjugate(b.quat), b.omega)
    return 0.5 * (b.mass * vec.dot(b.vel, b.vel) + vec.dot(w, mat3.apply(b.inertia, w))), -b.mass * vec.dot(gravity, b.pos)


@kernel
def energy(bodies, gravity):
    """(kinetic, potential) energy of the dynamic bodies [J]; potential is zero at the origin.

    Both are taken at the middle of the last drift, to which velocities belong (integrate.py): their sum is then constant along a
    throw; with the pose at the end of the drift it would vary by m g v velocity_lag.
    """
    kinetic, potential = 0.0, 0.0
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC:
            b = bodies[i]
            if b.asleep != 0:           # it has no velocity
                potential -= b.mass * vec.dot(gravity, b.pos)
                continue
            motion, height = energy_of(b, gravity)
            kinetic += motion
            potential += height + b.mass * b.velocity_lag * vec.dot(gravity, b.vel)
    return kinetic, potential


@routine
def potential(bodies, gravity):
    """Potential energy of the dynamic bodies at their poses [J]."""
    total = 0.0
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC:
            total -= bodies[i].mass * vec.dot(gravity, bodies[i].pos)
    return total


@kernel
def momentum(bodies):
    """(linear [kg m/s], angular about the origin [kg m^2/s]) momentum of the dynamic bodies, each a 3-tuple."""
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            p = vec.scale(b.vel, b.mass)
            w = quat.rotate(quat.conjugate(b.quat), b.omega)
            spin = quat.rotate(b.quat, mat3.apply(b.inertia, w))
            linear = vec.add(linear, p)
            angular = vec.add(angular, vec.add(vec.cross(b.pos, p), spin))
    return linear, angular


@kernel
def first_bad_body(bodies, speed_limit, distance_limit):
    """Index of the first body whose state is not finite, too fast or too far away, sleepers included; -1 if none."""
    for i in range(bodies.shape[0]):
        if is_bad(bodies[i], speed_limit, distance_limit):
            return i
    return -1


@inline
def is_bad(b, speed_limit, distance_limit):
    """See `first_bad_body`."""
    if b.kind == _FREE or b.asleep != 0:
        return False
    size = vec.dot(b.vel, b.vel) + vec.dot(b.omega, b.omega)
    far = vec.dot(b.pos, b.pos) + 0.0 * (vec.dot(b.force, b.force) + vec.dot(b.torque, b.torque))
    turn = b.quat[0] * b.quat[0] + b.quat[1] * b.quat[1] + b.quat[2] * b.quat[2] + b.quat[3] * b.quat[3]
    # written so that a NaN fails
    return not (size <= speed_limit * speed_limit and far <= distance_limit * distance_limit and abs(turn - 1.0) < 1e-6)


MOTION, SINCE = 14, 13
"""Number of values per body in `copy_motion`, and the column of `velocity_lag`."""


@kernel
def copy_motion(bodies, kept):
    """Copy pos, quat, vel, omega and velocity_lag of all bodies into kept (n, MOTION)."""
    for i in range(bodies.shape[0]):
        store_motion(bodies[i], kept[i])


@inline
def store_motion(b, kept):
    """`copy_motion` of one body."""
    for k in range(3):
        kept[k], kept[7 + k], kept[10 + k] = b.pos[k], b.vel[k], b.omega[k]
    for k in range(4):
        kept[3 + k] = b.quat[k]
    kept[SINCE] = b.velocity_lag


@kernel
def copy_applied(bodies, force, torque):
    """Copy the applied forces and torques of all bodies into (n, 3) each."""
    for i in range(bodies.shape[0]):
        for k in range(3):
            force[i, k], torque[i, k] = bodies[i].force[k], bodies[i].torque[k]
