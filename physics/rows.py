"""Joints and contacts as one table of constraint rows in blocks: what every solver reads.

Contact (normal n from a to b, arms r to the contact point):

    normal     J = [-n, -(r_a x n), n, r_b x n],     J V >= target,   p >= 0
    friction   the same along the tangents t1, t2,   ||p|| <= mu p_n (circle or k-gon)

The targets are those of contact_law.py. Solvers that do several contacts at once read them from patches.py instead.
"""

from typing import NamedTuple

import numpy as np

from physics import contact_law, joint_rows
from physics.core import mat3, vec
from physics.core.block import fill
from physics.core.dense import invert
from physics.core.jit import kernel, routine
from physics.core.records import BLOCK, ROW, Bound, Case, Owner

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
        contacts: CONTACT (n,); `approach`, `target` and `warm` are written.
        start, free: velocities before and after the free motion, shape (bodies, 6) [m/s, rad/s].
        dt: step [s].
        threshold: approach speed below which contacts do not rebound [m/s].
    """
    plan = world.lists.joints
    table = _with_joints(world, dt, contacts, len(contacts), dt / world.last_dt)
    joint_rows.errors(world.joints, plan.joints, plan.pieces, table.rows)
    contact_law.targets(contacts, world.bodies, start, free, dt, threshold)
    contact_rows(contacts, world.bodies, plan.rows, plan.blocks, table.rows, table.blocks)
    prepare(world.bodies, *table)
    return table


def joints(world, dt, contacts, ratio):
    """The table of the joints alone, at the start of a step with these contacts; ratio: dt over that of the last impulses."""
    plan = world.lists.joints
    table = _with_joints(world, dt, contacts, 0, ratio)
    joint_rows.errors(world.joints, plan.joints, plan.pieces, table.rows)
    prepare(world.bodies, *table)
    return table


def closing(world, dt):
    """The table of the joints alone, as the bodies are now: for closing them."""
    table = _with_joints(world, dt, world.contacts[:0], 0, 1.0, moving=False)
    prepare(world.bodies, *table)
    return table


def _with_joints(world, dt, contacts, room, ratio, moving=True):
    """A table with the joints' rows and blocks written, and room for that many contacts."""
    plan = world.lists.joints
    table = Table(np.empty(plan.rows + 3 * room, ROW), np.empty(plan.blocks + 2 * room, BLOCK),
                  np.empty(plan.inverses + 5 * room))
    written = np.empty(plan.written, ROW)
    for kind, index, first in plan.kinds:
        kind.write(world.joints, index, first, world.bodies, written, dt)
    straight = joint_rows.straightened(contacts, plan.body_group, plan.group)
    joint_rows.blocks(world.joints, plan.pieces, plan.sources, written, straight, world.bodies, table.rows, table.blocks, dt,
                      ratio, moving)
    return table


@kernel
def contact_rows(contacts, bodies, first_row, first_block, rows, blocks):
    """Rows and blocks of the contacts: normal, then friction, with last step's impulses."""
    for n in range(contacts.shape[0]):
        c = contacts[n]
        r_a = vec.sub(c.pos, bodies[c.body_a].pos)
        r_b = vec.sub(vec.add(c.pos, c.shift), bodies[c.body_b].pos)
        r, k = first_row + 3 * n, first_block + 2 * n
        t1 = vec.copy(c.tangent)
        t2 = vec.scale(vec.cross(c.normal, t1), c.anisotropy)
        _contact_row(rows[r], c.normal, r_a, r_b)
        _contact_row(rows[r + 1], t1, r_a, r_b)
        _contact_row(rows[r + 2], t2, r_a, r_b)
        rows[r].offset = c.gap
        rows[r].target, rows[r + 1].target, rows[r + 2].target = c.target[0], c.target[1], c.anisotropy * c.target[2]
        rows[r].impulse = c.impulse
        rows[r + 1].impulse = vec.dot(c.friction_impulse, t1)
        rows[r + 2].impulse = vec.dot(c.friction_impulse, t2) / (c.anisotropy * c.anisotropy)
        fill(blocks[k], c.body_a, c.body_b, r, 1, _ONE_SIDED, _CONTACT, n)
        fill(blocks[k + 1], c.body_a, c.body_b, r + 1, 2, _CONE, _CONTACT, n)
        blocks[k + 1].normal = r
        blocks[k + 1].mu = c.friction


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


@kernel
def store(joints, rows, blocks, velocity):
    """Write impulses, slip and cases of the joints back (`joint_rows.forget` comes before)."""
    for k in range(blocks.shape[0]):
        joint_rows.store(joints[blocks[k].index], blocks[k], rows, velocity)
