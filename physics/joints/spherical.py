"""Spherical joint: one point in common, three free rotations (MS16 section 3).

    C    = x_b + r_b - x_a - r_a                                  (3 rows)
    Cdot = v_b + omega_b x r_b - v_a - omega_a x r_a
    J    = [-E  skew(r_a)  E  -skew(r_b)]
    B V  = omega_b - omega_a                                      (3 rows of friction, world axes)
"""

from physics.core import vec
from physics.core.jit import kernel
from physics.joints import JointKind
from physics.joints._parts import axis, write_point, write_row


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed spherical joints."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        write_point(rows, first[n], joint, bodies[joint.body_a], bodies[joint.body_b], dt)
        for i in range(3):
            write_row(rows[first[n] + 3 + i], (0.0, 0.0, 0.0), vec.scale(axis(i), -1.0), axis(i), 0.0)


JOINT = JointKind(constraint=3, friction=3, unit="N m", write=write,
                  doc="A ball in a socket: holds a point, resists every turning with dry friction.")
