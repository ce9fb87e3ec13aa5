"""Drag: an implicit, critically damped spring between a point of b and a point of a (the mouse), with a largest force.

    f = -k u - d udot,  k = m w^2,  d = 2 m w,  u = x_b + r_b - x_a - r_a,  ||f|| <= F_max

Its rows are those of a spring (_parts.py) and of a friction block whose bound is the largest force. The inverse effective mass is
taken as 1 / m in every direction.
"""

from physics.core.jit import kernel
from physics.joints import Group, JointKind, Param
from physics.joints._parts import lasting, row_speed, soften, write_point


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed drag springs: softened, with the bound of a friction block."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        write_point(rows, first[n], joint, a, b, dt)
        k = joint.param[0] * joint.param[1] * joint.param[1]
        d = 2.0 * joint.param[0] * joint.param[1]
        for i in range(3):
            row = rows[first[n] + i]
            soften(row, k, d, row.position_error, row_speed(row, a, b), 1.0 / joint.param[0], dt, lasting(a, b, dt))
            row.position_error = 0.0


JOINT = JointKind(
    constraint=0, write=write, more=3, friction=(Group("pull", "N", (0, 1, 2)),), axis=False, pulled=True,
    params=(Param("mass", 1.0, "kg", 1e-9, 1e12, "Mass for which the spring is tuned."),
            Param("frequency", 15.0, "rad/s", 1e-3, 1e4, "Natural frequency of the spring.", slot=1)),
    doc="A damped spring, as used for dragging with the mouse; the friction bound limits its force.")
