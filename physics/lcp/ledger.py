"""Where a step's kinetic energy went: ST96 eq 21 to 24, row by row.

    T1 - T0 = v1'M (v1 - v0) - 1/2 (v1 - v0)'M (v1 - v0)                                             (1)  (21)
    v1'M (v1 - v0) = sum_i p_i w1_i + h k'v1,   w1 = J v1                                            (2)  (22)
    friction of a contact:  p_t . w1_t = - lambda mu c_n                                             (3)  (23)
    1/2 (v1 - v0)'M (v1 - v0)               lost to impacts and to the integration                   (4)  (24)

(4) is a sum over bodies. In flight it is numerical dissipation, in an impact about the energy that the collision takes, says the
paper. So it is the impact's for the bodies of islands in which a contact was closing fast, with the work of their normal impulses
in (2), which a rebound gives back; and numerical for all others.
"""

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import kernel, routine
from physics.core.records import Bound, Kind, Owner, Role
from physics.core.row import velocity_of

COLUMNS = ("gravity", "applied", "joints", "drives", "contact", "friction", "joint friction", "impact", "numerical")
"""What the kinetic energy gained in a step by each [J]; they add up to its change. applied: forces from outside; joints:
reactions of constraints and limits; drives: motors and springs; contact: normal forces that move something, such as a wall's."""

GRAVITY, APPLIED, JOINTS, DRIVES, CONTACT, FRICTION, JOINT_FRICTION, IMPACT, NUMERICAL = range(len(COLUMNS))

_DYNAMIC = int(Kind.DYNAMIC)
_CONE, _CONTACT = int(Bound.CONE), int(Owner.CONTACT)
_MOTOR, _FRICTION, _CONSTRAINT = int(Role.MOTOR), int(Role.FRICTION), int(Role.CONSTRAINT)


@kernel
def enter(bodies, gravity, dt, rows, blocks, contacts, of_body, start, end, threshold, columns):
    """Write the columns of a step but for NUMERICAL, which the caller closes with the change of the kinetic energy.

    contacts: with the impulses of the step. of_body: island of each body, -1: none. start, end: v0, v1 (n, 6). threshold:
    contacts that closed faster were impacts [m/s]. Returns the part of (4) that is not an impact's:
    NUMERICAL is its opposite where M does not change [J].
    """
    columns[:] = 0.0
    numerical = 0.0
    struck = np.zeros(bodies.shape[0] + 1, np.bool_)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        if c.approach < -threshold and c.impulse > 0.0:
            struck[max(of_body[c.body_a], of_body[c.body_b])] = True
    struck[-1] = False
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            w = (end[i, 3], end[i, 4], end[i, 5])
            columns[GRAVITY] += dt * b.mass * vec.dot(gravity, end[i])
            columns[APPLIED] += dt * (vec.dot(b.force, end[i]) + vec.dot(b.torque, w))
            dv = vec.sub(end[i], start[i])
            dw = quat.rotate(quat.conjugate(b.quat), vec.sub(w, (start[i, 3], start[i, 4], start[i, 5])))
            lost = 0.5 * (b.mass * vec.dot(dv, dv) + vec.dot(dw, mat3.apply(b.inertia, dw)))
            if struck[of_body[i]]:
                columns[IMPACT] -= lost
            else:
                numerical += lost
    for k in range(blocks.shape[0]):
        block = blocks[k]
        column = column_of(block, rows[block.first].softness)
        if column == CONTACT and struck[max(of_body[block.a], of_body[block.b])]:
            column = IMPACT
        for i in range(block.first, block.first + block.count):
            if rows[i].impulse != 0.0:
                columns[column] += rows[i].impulse * velocity_of(rows[i], end[block.a], end[block.b])
    return numerical


@routine
def column_of(block, softness):
    """Where the work of a block's impulses at the end of the step belongs."""
    if block.owner == _CONTACT:
        return FRICTION if block.bound == _CONE else CONTACT
    if block.role == _FRICTION:
        return JOINT_FRICTION
    if block.role == _MOTOR or (block.role == _CONSTRAINT and softness > 0.0):
        return DRIVES
    return JOINTS
