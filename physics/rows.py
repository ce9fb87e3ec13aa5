"""Joints and contacts as one table of constraint rows in blocks: what every solver reads.

Contact (normal n from a to b, arms r to the contact point):

    normal     J = [-n, -(r_a x n), n, r_b x n],     J V >= target,   p >= 0
    friction   the same along the tangents t1, t2,   ||p|| <= mu p_n (circle or k-gon)

    target = 0                       touching or overlapping
           = -gap / dt               apart: may close the gap, not more (T08's anticipated contact)
           = rebound, see below      an impact within this step, restitution e > 0

Rebound. Velocities of semi-implicit Euler are those of a parabola in the middle of a step. With u0, u1 the normal velocities
before and after the free motion of this step, a = (u0 - u1) / dt the approaching acceleration:

    speed at the start of the step    s = -u0 + a dt / 2
    speed at the surface              V^2 = s^2 + 2 a gap
    rebound (Newton, energy-exact)    (target + a dt / 2)^2 = e^2 (V^2 - (a dt)^2 / 4) - 2 a gap

so that the apex of the parabola after the impact is e^2 times the drop, less e^2 a dt^2 / 8: never above it. Below the velocity
threshold, and where e^2 times the drop is less than the remaining gap, e = 0.
"""

import math
from typing import NamedTuple

import numpy as np

from physics import joint_rows
from physics.core import mat3, vec
from physics.core.block import fill
from physics.core.jit import kernel, routine
from physics.core.records import BLOCK, ROW, Bound, Case, Owner
from physics.core.row import velocity_of

_EQUALITY, _ONE_SIDED, _DISC, _CONE = (int(b) for b in (Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.CONE))
_JOINT, _CONTACT = int(Owner.JOINT), int(Owner.CONTACT)
_OPEN = int(Case.OPEN)


class Table(NamedTuple):
    """rows: ROW (m,); blocks: BLOCK (n,), joints first; inverses: flat float64, one count x count matrix a block."""

    rows: np.ndarray
    blocks: np.ndarray
    inverses: np.ndarray


def build(world, contacts, start, free, dt, threshold):
    """The table of all joints and contacts of a step.

    Args:
        world: its joints and bodies are read (inv_inertia_world must be fresh).
        contacts: CONTACT (n,); `approach` is written.
        start, free: velocities before and after the free motion, shape (bodies, 6) [m/s, rad/s].
        dt: step [s].
        threshold: approach speed below which contacts do not rebound [m/s].
    """
    plan = world.lists.joints
    table = _with_joints(world, dt, len(contacts))
    joint_rows.errors(world.joints, plan.joints, plan.constraint, plan.friction, table.rows)
    joint_rows.straighten(contacts, plan.body_group, plan.group, plan.constraint + plan.friction, table.rows)
    contact_rows(contacts, world.bodies, start, free, dt, threshold, plan.rows, plan.blocks, table.rows, table.blocks)
    prepare(world.bodies, *table)
    return table


def joints(world, dt):
    """The table of the joints alone, as the bodies are now."""
    table = _with_joints(world, dt, 0)
    prepare(world.bodies, *table)
    return table


def _with_joints(world, dt, contacts):
    """A table with the joints' rows and blocks written and room for the contacts'."""
    plan = world.lists.joints
    table = Table(np.empty(plan.rows + 3 * contacts, ROW), np.empty(plan.blocks + 2 * contacts, BLOCK),
                  np.empty(plan.inverses + 5 * contacts))
    for kind, index, first in plan.kinds:
        kind.write(world.joints, index, first, world.bodies, table.rows, dt)
    joint_rows.blocks(world.joints, plan.joints, plan.constraint, plan.friction, table.rows, table.blocks, dt)
    return table


@kernel
def contact_rows(contacts, bodies, start, free, dt, threshold, first_row, first_block, rows, blocks):
    """Rows and blocks of the contacts: normal, then friction, with last step's impulses."""
    for n in range(contacts.shape[0]):
        c = contacts[n]
        r_a = vec.sub(c.pos, bodies[c.body_a].pos)
        r_b = vec.sub(c.pos, bodies[c.body_b].pos)
        r, k = first_row + 3 * n, first_block + 2 * n
        t1 = vec.copy(c.tangent)
        t2 = vec.cross(c.normal, t1)
        _contact_row(rows[r], c.normal, r_a, r_b)
        _contact_row(rows[r + 1], t1, r_a, r_b)
        _contact_row(rows[r + 2], t2, r_a, r_b)
        u0 = velocity_of(rows[r], start[c.body_a], start[c.body_b])
        u1 = velocity_of(rows[r], free[c.body_a], free[c.body_b])
        c.approach = u0
        c.warm = 1
        rows[r].offset = c.gap
        rows[r].target = -max(c.gap, 0.0) / dt
        if c.restitution > 0.0 and u0 < -threshold and c.gap + dt * u1 < 0.0:
            speed = rebound(u0, u1, max(c.gap, 0.0), c.restitution, dt)
            if speed > 0.0:
                rows[r].target = speed
                c.warm = 0
        rows[r].impulse = c.impulse
        rows[r + 1].impulse = vec.dot(c.friction_impulse, t1)
        rows[r + 2].impulse = vec.dot(c.friction_impulse, t2)
        fill(blocks[k], c.body_a, c.body_b, r, 1, _ONE_SIDED, _CONTACT, n)
        fill(blocks[k + 1], c.body_a, c.body_b, r + 1, 2, _CONE, _CONTACT, n)
        blocks[k + 1].normal = r
        blocks[k + 1].mu = c.friction


@routine
def rebound(u0, u1, gap, e, dt):
    """Target velocity after an impact [m/s], see the head of this file; 0 where there is none."""
    a = (u0 - u1) / dt
    s = -u0 + 0.5 * a * dt
    v2 = s * abs(s) + 2.0 * a * gap
    w2 = e * e * (v2 - 0.25 * (a * dt) * (a * dt)) - 2.0 * a * gap
    if w2 <= 0.0:
        return 0.0
    return math.sqrt(w2) - 0.5 * a * dt


@routine
def _contact_row(row, direction, r_a, r_b):
    vec.assign(row.lin_a, vec.scale(direction, -1.0))
    vec.assign(row.ang_a, vec.cross(direction, r_a))
    vec.assign(row.lin_b, direction)
    vec.assign(row.ang_b, vec.cross(r_b, direction))
    row.target = 0.0
    row.softness = 0.0
    row.offset = 0.0


@kernel
def prepare(bodies, rows, blocks, inverses):
    """M^-1 J^T of each row, (J M^-1 J^T + softness)^-1 and the gradient rate of each block."""
    matrix = np.empty((6, 6))
    inverse = np.empty((6, 6))
    next_inverse = 0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        a, b = bodies[block.a], bodies[block.b]
        block.inv_mass_a = a.inv_mass
        block.inv_mass_b = b.inv_mass
        block.inverse = next_inverse
        n = block.count
        next_inverse += n * n
        for i in range(n):
            row = rows[block.first + i]
            vec.assign(row.spin_a, mat3.apply(a.inv_inertia_world, row.ang_a))
            vec.assign(row.spin_b, mat3.apply(b.inv_inertia_world, row.ang_b))
            for j in range(i + 1):
                matrix[i, j] = _coupling(row, rows[block.first + j], a.inv_mass, b.inv_mass)
                matrix[j, i] = matrix[i, j]
        largest = 0.0
        for i in range(n):
            matrix[i, i] += rows[block.first + i].softness
            total = 0.0
            for j in range(n):
                total += abs(matrix[i, j])
            largest = max(largest, total)
        block.rate = 1.0 / largest
        invert(matrix, inverse, n)
        for i in range(n):
            for j in range(n):
                inverses[block.inverse + i * n + j] = inverse[i, j]


@routine
def _coupling(p, q, inv_mass_a, inv_mass_b):
    """Entry of J M^-1 J^T for two rows of the same pair of bodies."""
    return (inv_mass_a * vec.dot(p.lin_a, q.lin_a) + inv_mass_b * vec.dot(p.lin_b, q.lin_b)
            + vec.dot(p.spin_a, q.ang_a) + vec.dot(p.spin_b, q.ang_b))


@routine
def invert(matrix, inverse, n):
    """Inverse of the leading n x n part of a symmetric positive definite matrix (Gauss-Jordan; matrix is destroyed)."""
    for i in range(n):
        for j in range(n):
            inverse[i, j] = 1.0 if i == j else 0.0
    for i in range(n):
        pivot = 1.0 / matrix[i, i]
        for j in range(n):
            matrix[i, j] *= pivot
            inverse[i, j] *= pivot
        for m in range(n):
            if m != i:
                factor = matrix[m, i]
                for j in range(n):
                    matrix[m, j] -= factor * matrix[i, j]
                    inverse[m, j] -= factor * inverse[i, j]


@kernel
def store(contacts, joints, rows, blocks, velocity):
    """Write impulses, slip and cases back to contacts and joints."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.owner == _JOINT:
            joint_rows.store(joints[block.index], block, rows, velocity)
        elif block.bound == _ONE_SIDED:
            contacts[block.index].impulse = rows[block.first].impulse
        else:
            c = contacts[block.index]
            p, q = rows[block.first], rows[block.first + 1]
            c.case = block.case
            u = velocity_of(p, velocity[block.a], velocity[block.b])
            w = velocity_of(q, velocity[block.a], velocity[block.b])
            vec.assign(c.friction_impulse, vec.madd(vec.scale(p.lin_b, p.impulse), q.lin_b, q.impulse))
            vec.assign(c.slip, vec.madd(vec.scale(p.lin_b, u), q.lin_b, w))
