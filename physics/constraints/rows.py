"""Joints and contacts as constraint rows in blocks, the layout of the exact solver; others: constraints/__init__.py.

Contact (normal n from a to b, arms r to the contact point):

    normal     J = [-n, -(r_a x n), n, r_b x n],     J V >= target,   p >= 0
    friction   the same along the tangents t1, t2,   ||p|| <= mu p_n (circle or k-gon)
"""

import numpy as np

from physics.constraints import joint_system
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import BLOCK, ROW, Bound, Owner
from physics.core.row import fill

_ONE_SIDED, _CONE, _CONTACT = int(Bound.ONE_SIDED), int(Bound.CONE), int(Owner.CONTACT)


def joint_rows(world, dt):
    """(rows [ROW], blocks [BLOCK]) of the joints at the present poses, of a step of dt [s] without contacts."""
    layout = world.layout.joints
    rows, blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
    write_joints(world, dt, world.contacts[:0], rows, blocks)
    return rows, blocks


def write_joints(world, dt, contacts, rows, blocks):
    """Write the joints' rows and blocks at the start of a step, with the last step's impulses; store the joints' errors."""
    system = world.layout.joint_system
    joint_system.drop_curvature(system, contacts)
    joint_system.write(world.joints, system, world.bodies, rows, blocks, dt, dt / world.impulse_duration, True)
    joint_system.store_errors(world.joints, system, rows)


@kernel
def contact_rows(contacts, bodies, first_row, first_block, rows, blocks):
    """Write rows and blocks of the contacts: normal, then friction, with the last step's impulses."""
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
        rows[r].position_error = c.gap
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
    row.position_error = 0.0
