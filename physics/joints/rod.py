"""Rod: a massless rigid link between two points, free to turn at both ends.

    C    = |u| - length,   u = x_b + r_b - x_a - r_a              (1 row)
    Cdot = e . udot,   e = u / |u|
    w    = e x udot / |u|, the rod's angular velocity; t1, t2 across it
    B V  = t . (w - omega_a) at the first end,  t . (omega_b - w) at the second       (2 rows of friction each)

The rod has no mass, so it transmits the moment of either end as a couple of forces across it: for a moment t at an end the force
t x e / |u|, in opposite directions at a and at b. So all momenta are conserved. It turns about itself without friction: only the
other end could hold it there.
"""

from physics.core import vec
from physics.core.jit import kernel, routine
from physics.joints import Group, Holds, JointKind, Motion, Param
from physics.joints._ends import distance
from physics.joints._parts import arms, write_length, write_row


@routine
def write_ends(rows, first, joint, a, b, length):
    """Write the four rows of friction."""
    r_a, r_b, u = arms(joint, a, b)
    e = vec.unit(u)
    t1, t2 = vec.tangents(e)
    for i in range(2):
        t = t1 if i == 0 else t2
        g = vec.scale(vec.cross(t, e), 1.0 / max(length, 1e-9))
        at_a, at_b = vec.cross(g, r_a), vec.cross(r_b, g)
        write_row(rows[first + i], g, vec.sub(at_a, t), at_b, 0.0)
        write_row(rows[first + 2 + i], vec.scale(g, -1.0), vec.scale(at_a, -1.0), vec.sub(t, at_b), 0.0)


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed rods."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        length = write_length(rows[r], joint, a, b, dt)
        rows[r].position_error -= joint.param[0]
        write_ends(rows, r + 1, joint, a, b, length)


JOINT = JointKind(
    constraint=1, write=write, more=4, anchors=2, axis=False, prepare=distance("param"), holds=Holds.DISTANCE,
    friction=(Group("first", "N m", (1, 2), (Motion.END_A_1, Motion.END_A_2)),
              Group("second", "N m", (3, 4), (Motion.END_B_1, Motion.END_B_2))),
    params=(Param("length", None, "m", 1e-3, 1e4, "Distance between the two points; the initial distance if not given."),),
    doc="A rigid massless link between two points, with friction in its end pivots.")
