"""Revolute joint (hinge): a point and an axis in common, one free rotation (MS16 section 3).

    C    = (x_b + r_b - x_a - r_a,  t1.n_b,  t2.n_b)              (5 rows; n = axis, t1, t2 orthogonal to n_a)
    Cdot = (..., (n_b x t).(omega_b - omega_a))
    q    = rotation of b about the axis;   qdot = B V = n_a . (omega_b - omega_a) where C = 0
"""

from physics.core import quat
from physics.core.jit import kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import frames, write_axes, write_point, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed revolute joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        frame_a, frame_b = frames(joint, a, b)
        write_point(rows, r, joint, a, b, dt)
        write_axes(rows, r + 3, frame_a, quat.rotate(frame_b, (0.0, 0.0, 1.0)), a, b, dt)
        joint.coordinate[0] = write_twist(rows[r + 5], frame_a, frame_b, joint.coordinate[0])


JOINT = JointKind(constraint=5, write=write, axes=(Axis("angle", "rad", "Rotation of b about the axis.", Motion.ABOUT_Z),),
                  holds=Holds.POINT | Holds.PARALLEL, freedom=Freedom(turns=Turns.ABOUT_Z),
                  across=True, friction=(Group("turn", "N m", (5,)),),
                  doc="Revolute joint (hinge): rotates about its axis only.")
