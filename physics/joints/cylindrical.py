"""Cylindrical joint: a sleeve on a round bar, free to slide along the axis d and to turn about it.

    u    = x_b + r_b - x_a - r_a
    C    = (t1.u,  t2.u,  t1.n_b,  t2.n_b)                        (4 rows; t1, t2 orthogonal to d = n_a)
    q    = (d.u, rotation of b about the axis);   qdot = B V = (d.udot, n_a . omega_rel)    where C = 0
"""

from physics.core import quat
from physics.core.jit import kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import arms, axis, frames, write_axes, write_translation, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed cylindrical joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        write_translation(rows[r], frame_a, axis(0), a, b, r_a, r_b, u, dt)
        write_translation(rows[r + 1], frame_a, axis(1), a, b, r_a, r_b, u, dt)
        write_axes(rows, r + 2, frame_a, quat.rotate(frame_b, (0.0, 0.0, 1.0)), a, b, dt)
        joint.coordinate[0] = write_translation(rows[r + 4], frame_a, axis(2), a, b, r_a, r_b, u, dt)
        joint.coordinate[1] = write_twist(rows[r + 5], frame_a, frame_b, joint.coordinate[1])


JOINT = JointKind(
    constraint=4, write=write, holds=Holds.LINE | Holds.PARALLEL, freedom=Freedom("z", Turns.ABOUT_Z),
    friction=(Group("slide", "N", (4,)), Group("turn", "N m", (5,))),
    axes=(Axis("travel", "m", "Displacement of b along the axis.", Motion.ALONG_Z),
          Axis("angle", "rad", "Rotation of b about the axis.", Motion.ABOUT_Z)),
    doc="Cylindrical joint, a sleeve on a round bar: slides along its axis and rotates about it.")
