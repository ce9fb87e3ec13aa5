"""Energy ledger of the exact solver: the change of a step's kinetic energy by cause, ST96 eq 21 to 24, row by row.

    T1 - T0 = v1'M (v1 - v0) - 1/2 (v1 - v0)'M (v1 - v0)                                             (1)  (21)
    v1'M (v1 - v0) = sum_i p_i w1_i + h k'v1,   w1 = J v1                                            (2)  (22)
    friction of a contact:  p_t . w1_t = - lambda mu c_n                                             (3)  (23)
    1/2 (v1 - v0)'M (v1 - v0)               lost to impacts and to the integration                   (4)  (24)

(4) is a sum over bodies. In flight it is numerical dissipation, in an impact about the energy lost in the collision, says the
paper. So it is attributed to the impact for bodies of islands in which a contact was closing fast, with the work of their normal
impulses in (2), which a rebound gives back; and to numerical for all others.
"""

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import kernel
from physics.core.records import Kind
from physics.core.row import velocity_of
from physics.dynamics import integrate
from physics.dynamics.energy_ledger import APPLIED, CONTACT, FRICTION, GRAVITY, IMPACT, MOVERS, column_of

_DYNAMIC = Kind.DYNAMIC
_KINEMATIC = Kind.KINEMATIC


@kernel
def enter(bodies, joints, gravity, dt, rows, turned, blocks, contacts, of_body, start, end, threshold, columns):
    """Write the columns of a step except NUMERICAL, which the caller closes with the change of the kinetic energy.

    turned (rows,): of LcpStep [m/s]. contacts: with the impulses of the step. of_body: island of each body, -1: none. start, end:
    v0, v1 (n, 6). threshold: contacts that closed faster were impacts [m/s]. Returns the part of (4) that is not an impact's:
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
            time = integrate.kick_time(b, dt)
            columns[GRAVITY] += time * b.mass * vec.dot(gravity, end[i])
            columns[APPLIED] += time * (vec.dot(b.force, end[i]) + vec.dot(b.torque, w))
            dv = vec.sub(end[i], start[i])
            dw = quat.rotate(quat.conjugate(b.quat), vec.sub(w, (start[i, 3], start[i, 4], start[i, 5])))
            lost = 0.5 * (b.mass * vec.dot(dv, dv) + vec.dot(dw, mat3.apply(b.inertia, dw)))
            if struck[of_body[i]]:
                columns[IMPACT] -= lost
            else:
                numerical += lost
    for k in range(blocks.shape[0]):
        block = blocks[k]
        column = column_of(block, joints, rows[block.first].softness)
        if column == CONTACT and struck[max(of_body[block.a], of_body[block.b])]:
            column = IMPACT
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if row.impulse == 0.0:
                continue
            columns[column] += row.impulse * velocity_of(row, end[block.a], end[block.b])
            numerical += row.impulse * turned[i]
            if column == FRICTION:
                columns[FRICTION] -= row.impulse * row.target
                columns[MOVERS] += row.impulse * (row.target + turned[i])
            if bodies[block.a].kind == _KINEMATIC:
                columns[MOVERS] -= row.impulse * (vec.dot(row.lin_a, end[block.a]) + vec.dot(row.ang_a, end[block.a, 3:]))
            if bodies[block.b].kind == _KINEMATIC:
                columns[MOVERS] -= row.impulse * (vec.dot(row.lin_b, end[block.b]) + vec.dot(row.ang_b, end[block.b, 3:]))
    return numerical
