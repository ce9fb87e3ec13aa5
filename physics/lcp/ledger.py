"""Where a step's kinetic energy went: ST96 eq 21 to 24, row by row.

    T1 - T0 = v1'M (v1 - v0) - 1/2 (v1 - v0)'M (v1 - v0)                                             (1)  (21)
    v1'M (v1 - v0) = sum_i p_i w1_i + h k'v1,   w1 = J v1                                            (2)  (22)
    friction of a contact:  p_t . w1_t = - lambda mu c_n                                             (3)  (23)
    1/2 (v1 - v0)'M (v1 - v0) = sum_i 1/2 p_i (w1_i - wf_i) + h k'(v1 - vf) + 1/2 h^2 k'M^-1 k       (4)  (24)
    vf = v0 + h M^-1 k,   wf = J vf:  what was there just before the impulses

(4) is the loss of impacts and of the integration in one number. The sum in it is the impact's where a contact of the island was
closing fast; with (2) its normal row then counts p (wf + w1) / 2, Kelvin's theorem. All else in (4) is numerical: in free flight
the loss 1/2 h^2 k'M^-1 k a step, in an impact what gravity does in a step that was not all fall.
"""

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import kernel, routine
from physics.core.records import Bound, Kind, Owner, Role
from physics.core.row import velocity_of

COLUMNS = ("gravity", "applied", "joints", "drives", "contact", "friction", "joint friction", "impact", "numerical")
"""What the kinetic energy gained in a step by each [J]; they add up to its change. applied: forces from outside; joints: reactions
of constraints and limits; drives: motors and springs; contact: normal forces that move something, such as a moving wall's."""

GRAVITY, APPLIED, JOINTS, DRIVES, CONTACT, FRICTION, JOINT_FRICTION, IMPACT, NUMERICAL = range(len(COLUMNS))

_DYNAMIC = int(Kind.DYNAMIC)
_CONE, _CONTACT = int(Bound.CONE), int(Owner.CONTACT)
_MOTOR, _FRICTION, _CONSTRAINT = int(Role.MOTOR), int(Role.FRICTION), int(Role.CONSTRAINT)


@kernel
def enter(bodies, gravity, dt, rows, blocks, contacts, of_body, start, free, end, threshold, columns):
    """Write the columns of a step but for NUMERICAL, which the caller closes with the change of the kinetic energy.

    of_body: island of each body, -1: none. start, free, end: v0, vf, v1 (n, 6). threshold: contacts that closed faster were impacts [m/s].
    Returns (4) less the impacts' sum: what NUMERICAL is, negated, where M does not change [J].
    """
    columns[:] = 0.0
    total = 0.0
    struck = np.zeros(bodies.shape[0] + 1, np.bool_)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        if c.approach < -threshold and rows[rows.shape[0] - 3 * (contacts.shape[0] - n)].impulse > 0.0:
            struck[max(of_body[c.body_a], of_body[c.body_b])] = True
    struck[-1] = False
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            columns[GRAVITY] += dt * b.mass * vec.dot(gravity, end[i])
            w = (end[i, 3], end[i, 4], end[i, 5])
            columns[APPLIED] += dt * (vec.dot(b.force, end[i]) + vec.dot(b.torque, w))
            dv = vec.sub(end[i], start[i])
            dw = quat.rotate(quat.conjugate(b.quat), vec.sub(w, (start[i, 3], start[i, 4], start[i, 5])))
            total += 0.5 * (b.mass * vec.dot(dv, dv) + vec.dot(dw, mat3.apply(b.inertia, dw)))
    for k in range(blocks.shape[0]):
        block = blocks[k]
        impact = struck[max(of_body[block.a], of_body[block.b])]
        column = column_of(block, rows[block.first].softness)
        for i in range(block.first, block.first + block.count):
            p = rows[i].impulse
            if p != 0.0:
                after = velocity_of(rows[i], end[block.a], end[block.b])
                lost = 0.5 * p * (after - velocity_of(rows[i], free[block.a], free[block.b])) if impact else 0.0
                if impact and block.owner == _CONTACT and block.bound != _CONE:
                    columns[IMPACT] += p * after - lost
                else:
                    columns[column] += p * after
                    columns[IMPACT] -= lost
                total -= lost
    return total


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
