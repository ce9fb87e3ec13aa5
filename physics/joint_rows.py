"""The joints' part of the row table: their blocks, their errors, and how their impulses come back.

A joint has one EQUALITY block (its constraint) and one DISC block (its dry friction), MS16 eq 4, 6, 12.
"""

import numpy as np

from physics.core.block import fill
from physics.core.jit import kernel, routine
from physics.core.records import Bound, Owner
from physics.core.row import velocity_of

_EQUALITY, _DISC = int(Bound.EQUALITY), int(Bound.DISC)
_JOINT = int(Owner.JOINT)


@kernel
def blocks(joints, index, constraint, friction, rows, table, dt):
    """Blocks of the listed joints, in order, with last step's impulses."""
    r, k = 0, 0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        if constraint[n] > 0:
            fill(table[k], joint.body_a, joint.body_b, r, constraint[n], _EQUALITY, _JOINT, index[n])
            for i in range(constraint[n]):
                rows[r + i].impulse = joint.impulse[i]
            r += constraint[n]
            k += 1
        if friction[n] > 0:
            fill(table[k], joint.body_a, joint.body_b, r, friction[n], _DISC, _JOINT, index[n])
            table[k].limit = joint.max_friction * dt
            for i in range(friction[n]):
                rows[r + i].impulse = joint.friction_impulse[i]
            r += friction[n]
            k += 1


@kernel
def errors(joints, index, constraint, friction, rows):
    """Largest constraint error of each of the listed joints, as the bodies are at the start of the step."""
    r = 0
    for n in range(index.shape[0]):
        joints[index[n]].error = 0.0
        for i in range(r, r + constraint[n]):
            joints[index[n]].error = max(joints[index[n]].error, abs(rows[i].offset))
        r += constraint[n] + friction[n]


@kernel
def straighten(contacts, body_group, group, counts, rows):
    """Take the bend (joints/_parts.py) out of mechanisms in contact.

    Contact rows are straight; a mechanism that a contact locks while it turns could not satisfy both, and the impulses would grow
    without bound. `rows` begins with the joints' rows, `counts` of each joint.
    """
    touched = np.zeros(body_group.shape[0], np.bool_)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        if c.impulse > 0.0:
            for body in (c.body_a, c.body_b):
                if body_group[body] >= 0:
                    touched[body_group[body]] = True
    r = 0
    for n in range(group.shape[0]):
        for i in range(r, r + counts[n]):
            if touched[group[n]] and rows[i].softness == 0.0:
                rows[i].target = 0.0
        r += counts[n]


@routine
def store(joint, block, rows, velocity):
    """Write impulses, slip and case of one of its blocks back to a joint."""
    for i in range(block.count):
        row = rows[block.first + i]
        if block.bound == _EQUALITY:
            joint.impulse[i] = row.impulse
        else:
            joint.friction_impulse[i] = row.impulse
            joint.slip[i] = velocity_of(row, velocity[block.a], velocity[block.b]) - row.target
            joint.case = block.case
