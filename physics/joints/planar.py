"""Planar joint: a plate on a plane of body a; two free translations, one free rotation about the normal n.

    u    = x_b + r_b - x_a - r_a
    C    = (n.u,  t1.n_b,  t2.n_b)                                (3 rows; t1, t2 orthogonal to n = n_a)
    q    = (t1.u, t2.u, rotation of b about n);   qdot = B V = (t1.udot, t2.udot, n_a . omega_rel)    where C = 0
"""

from physics.core import quat
from physics.core.jit import kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import arms, axis, frames, write_axes, write_translation, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed planar joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        write_translation(rows[r], frame_a, axis(2), a, b, r_a, r_b, u, dt)
        write_axes(rows, r + 1, frame_a, quat.rotate(frame_b, (0.0, 0.0, 1.0)), a, b, dt)
        joint.coordinate[0] = write_translation(rows[r + 3], frame_a, axis(0), a, b, r_a, r_b, u, dt)
        joint.coordinate[1] = write_translation(rows[r + 4], frame_a, axis(1), a, b, r_a, r_b, u, dt)
        joint.coordinate[2] = write_twist(rows[r + 5], frame_a, frame_b, joint.coordinate[2])


JOINT = JointKind(
    constraint=3, write=write, holds=Holds.PLANE | Holds.PARALLEL, freedom=Freedom("xy", Turns.ABOUT_Z),
    friction=(Group("slide", "N", (3, 4)), Group("turn", "N m", (5,))),
    axes=(Axis("x", "m", "Displacement of b along the first direction of the plane.", Motion.ALONG_X),
          Axis("y", "m", "Displacement of b along the second direction of the plane.", Motion.ALONG_Y),
          Axis("angle", "rad", "Rotation of b about the normal.", Motion.ABOUT_Z)),
    doc="Planar joint, a plate on a plane: slides in the plane and rotates about its normal, which is the axis.")
