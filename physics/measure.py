"""The judge of all solvers, and what a person wants to know of a state: energy, momentum, errors.

Natural map of a block with velocity error w = J V - target, impulses p, allowed set K and rate r:

    || p - P_K(p - r w) || / r        [m/s] or [rad/s]

It is zero exactly where w and p satisfy the block's law: equality, complementarity, or maximal dissipation. Contacts and joints
keep their own, and the largest of all is the residual of the step. Of a step in substeps it is that of the last one.
"""

import math

from physics.core import mat3, quat, vec
from physics.core.jit import kernel, routine
from physics.core.records import Bound, Kind, Owner
from physics.core.row import error_of
from physics.friction import kept, project

_EQUALITY, _ONE_SIDED, _DISC, _INTERVAL = (int(b) for b in (Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.INTERVAL))
_CONE, _CONTACT = int(Bound.CONE), int(Owner.CONTACT)
_DYNAMIC, _FREE = int(Kind.DYNAMIC), int(Kind.FREE)


def natural_map(table, velocity, polygon) -> float:
    """Largest natural-map residual over all blocks; target and impulses as the solver left them."""
    return float(residual_of(table.rows, table.blocks, velocity, polygon))


@kernel
def residual_of(rows, blocks, velocity, polygon):
    """The same from the parts of a table."""
    worst = 0.0
    for k in range(blocks.shape[0]):
        worst = max(worst, _missed(rows, blocks[k], velocity, polygon))
    return worst


@kernel
def tell_residuals(rows, blocks, velocity, polygon, contacts, joints):
    """The same; each contact and joint of the blocks keeps its own (`residual`) where that is larger than what it has."""
    worst = 0.0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        missed = _missed(rows, block, velocity, polygon)
        worst = max(worst, missed)
        if block.owner == _CONTACT:
            contact, part = contacts[block.index], 1 if block.bound == _CONE else 0
            contact.residual[part] = max(contact.residual[part], missed)
        else:
            joint = joints[block.index]
            joint.residual[block.role] = max(joint.residual[block.role], missed)
    return worst


@kernel
def forget_residuals(contacts, joints, index):
    """Nothing has been told yet of the contacts and of the joints of the index."""
    for i in range(contacts.shape[0]):
        contacts[i].residual[:] = 0.0
    for n in range(index.shape[0]):
        joints[index[n]].residual[:] = 0.0


@routine
def _missed(rows, block, velocity, polygon):
    """The residual of one block."""
    va, vb = velocity[block.a], velocity[block.b]
    if block.bound == _EQUALITY:
        worst = 0.0
        for i in range(block.first, block.first + block.count):
            worst = max(worst, abs(error_of(rows[i], va, vb)))
        return worst
    if block.bound == _ONE_SIDED:
        row = rows[block.first]
        w = error_of(row, va, vb)
        return abs(min(row.impulse / block.rate, w))
    if block.bound == _INTERVAL:
        row = rows[block.first]
        moved = row.impulse - block.rate * error_of(row, va, vb)
        return abs(max(block.lower, min(block.upper, moved)) - row.impulse) / block.rate
    if block.bound == _DISC:
        return _disc_residual(block, rows, va, vb)
    p, q = rows[block.first], rows[block.first + 1]
    u, w = error_of(p, va, vb), error_of(q, va, vb)
    radius = max(0.0, block.mu * rows[block.normal].impulse)
    x, y = project(polygon, radius, p.impulse - block.rate * u, q.impulse - block.rate * w)
    x, y = x - p.impulse, y - q.impulse
    return math.sqrt(x * x + y * y) / block.rate


@routine
def _disc_residual(block, rows, va, vb):
    size = 0.0
    for i in range(block.first, block.first + block.count):
        moved = rows[i].impulse - block.rate * error_of(rows[i], va, vb)
        size += moved * moved
    shrink = kept(block, math.sqrt(size))
    total = 0.0
    for i in range(block.first, block.first + block.count):
        moved = shrink * (rows[i].impulse - block.rate * error_of(rows[i], va, vb)) - rows[i].impulse
        total += moved * moved
    return math.sqrt(total) / block.rate


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
    """(kinetic, potential) energy of a dynamic body, of its velocity and its pose [J]; potential is zero at the origin."""
    w = quat.rotate(quat.conjugate(b.quat), b.omega)
    return 0.5 * (b.mass * vec.dot(b.vel, b.vel) + vec.dot(w, mat3.apply(b.inertia, w))), -b.mass * vec.dot(gravity, b.pos)


@kernel
def energy(bodies, gravity):
    """(kinetic, potential) energy of the dynamic bodies [J]; potential is zero at the origin.

    Both in the middle of the last drift, to which velocities belong (integrate.py): their sum is the same all along a throw,
    where that of the velocity there and the pose at its end would waver by m g v since.
    """
    kinetic, potential = 0.0, 0.0
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC:
            b = bodies[i]
            motion, height = energy_of(b, gravity)
            kinetic += motion
            potential += height + b.mass * b.since * vec.dot(gravity, b.vel)
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
def worst_body(bodies, speed_limit, distance_limit):
    """Index of the first body whose state is not finite, too fast or too far away; -1 if all are well, sleepers among them."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _FREE or b.asleep != 0:
            continue
        size = vec.dot(b.vel, b.vel) + vec.dot(b.omega, b.omega)
        far = vec.dot(b.pos, b.pos) + 0.0 * (vec.dot(b.force, b.force) + vec.dot(b.torque, b.torque))
        turn = b.quat[0] * b.quat[0] + b.quat[1] * b.quat[1] + b.quat[2] * b.quat[2] + b.quat[3] * b.quat[3]
        # written so that a NaN fails
        if not (size <= speed_limit * speed_limit and far <= distance_limit * distance_limit and abs(turn - 1.0) < 1e-6):
            return i
    return -1


MOTION = 14
"""Numbers of a body that `keep_motion` keeps."""


@kernel
def keep_motion(bodies, kept):
    """Copy pos, quat, vel, omega and since of all bodies into kept (n, MOTION)."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            kept[i, k], kept[i, 7 + k], kept[i, 10 + k] = b.pos[k], b.vel[k], b.omega[k]
        for k in range(4):
            kept[i, 3 + k] = b.quat[k]
        kept[i, 13] = b.since
