"""Prismatic joint (slider): no rotation, free translation along an axis d of body a (MS16 section 3).

    u    = x_b + r_b - x_a - r_a
    C    = (t1.u,  t2.u,  2 vec(q_rel))                           (5 rows; t1, t2 orthogonal to d)
    Cdot = t.(v_b - v_a) + (r_b x t).omega_b - ((r_a + u) x t).omega_a,  ...
    q    = d.u;   qdot = B V = d.(v_b - v_a) + (r_b x d).omega_b - ((r_a + u) x d).omega_a
"""

from physics.core.jit import kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion
from physics.joints._parts import arms, axis, frames, write_rotation, write_translation


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed prismatic joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        write_translation(rows[r], frame_a, axis(0), a, b, r_a, r_b, u, dt)
        write_translation(rows[r + 1], frame_a, axis(1), a, b, r_a, r_b, u, dt)
        write_rotation(rows, r + 2, frame_a, frame_b)
        joint.coordinate[0] = write_translation(rows[r + 5], frame_a, axis(2), a, b, r_a, r_b, u, dt)


JOINT = JointKind(constraint=5, write=write, axes=(Axis("travel", "m", "Displacement of b along the axis.", Motion.ALONG_Z),),
                  holds=Holds.LINE | Holds.WELD, freedom=Freedom("z"), friction=(Group("slide", "N", (5,)),),
                  doc="Prismatic joint, a slider on a rail: moves along its axis only.")
