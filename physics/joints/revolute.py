"""Revolute joint (hinge): a point and an axis in common, one free rotation (MS16 section 3).

    C    = (x_b + r_b - x_a - r_a,  t1.n_b,  t2.n_b)              (5 rows; n = axis, t1, t2 orthogonal to n_a)
    Cdot = (..., (n_b x t).(omega_b - omega_a))
    B V  = n_a . (omega_b - omega_a)                              (1 row of friction)
"""

from physics.core import quat, vec
from physics.core.jit import kernel
from physics.joints import JointKind
from physics.joints._parts import bend_axis, frames, write_point, write_row


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed revolute joints."""
    zero = (0.0, 0.0, 0.0)
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        write_point(rows, first[n], joint, a, b, dt)
        frame_a, frame_b = frames(joint, a, b)
        n_a, n_b = quat.rotate(frame_a, (0.0, 0.0, 1.0)), quat.rotate(frame_b, (0.0, 0.0, 1.0))
        t1, t2 = quat.rotate(frame_a, (1.0, 0.0, 0.0)), quat.rotate(frame_a, (0.0, 1.0, 0.0))
        c1, c2 = vec.cross(n_b, t1), vec.cross(n_b, t2)
        write_row(rows[first[n] + 3], zero, vec.scale(c1, -1.0), c1, vec.dot(t1, n_b))
        write_row(rows[first[n] + 4], zero, vec.scale(c2, -1.0), c2, vec.dot(t2, n_b))
        bend_axis(rows[first[n] + 3], a, b, t1, n_b, dt)
        bend_axis(rows[first[n] + 4], a, b, t2, n_b, dt)
        write_row(rows[first[n] + 5], zero, vec.scale(n_a, -1.0), n_a, 0.0)


JOINT = JointKind(constraint=5, friction=1, unit="N m", write=write,
                  doc="A hinge: turns about its axis only, against dry friction.")
