"""Screw: a nut on a thread; rotation about the axis d advances it along d.

    u    = x_b + r_b - x_a - r_a
    C    = (t1.u,  t2.u,  t1.n_b,  t2.n_b,  d.u - lead / (2 pi) q)      (5 rows; t1, t2 orthogonal to d = n_a)
    q    = rotation of b about the axis, unwrapped;   qdot = n_a . omega_rel    where C = 0
"""

from physics.core import quat, vec
from physics.core.jit import kernel
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Param, Turns
from physics.joints._parts import arms, axis, frames, write_axes, write_translation, write_twist

_TURN = 6.283185307179586


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed screws."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        write_translation(rows[r], frame_a, axis(0), a, b, r_a, r_b, u, dt)
        write_translation(rows[r + 1], frame_a, axis(1), a, b, r_a, r_b, u, dt)
        write_axes(rows, r + 2, frame_a, quat.rotate(frame_b, (0.0, 0.0, 1.0)), a, b, dt)
        write_translation(rows[r + 4], frame_a, axis(2), a, b, r_a, r_b, u, dt)
        joint.coordinate[0] = write_twist(rows[r + 5], frame_a, frame_b, joint.coordinate[0])
        row, pitch = rows[r + 4], joint.param[0] / _TURN
        vec.add_scaled(row.ang_a, rows[r + 5].ang_a, -pitch)
        vec.add_scaled(row.ang_b, rows[r + 5].ang_b, -pitch)
        row.position_error -= pitch * joint.coordinate[0]


JOINT = JointKind(
    constraint=5, write=write, axes=(Axis("angle", "rad", "Rotation of b about the axis.", Motion.ABOUT_Z),),
    holds=Holds.LINE | Holds.PARALLEL | Holds.THREAD, freedom=Freedom(turns=Turns.ABOUT_Z, thread=True),
    friction=(Group("turn", "N m", (5,)),),
    params=(Param("lead", 0.01, "m", -10.0, 10.0, "Displacement along the axis per turn; negative: left-hand thread."),),
    doc="Screw joint, a nut on a thread: rotates about its axis and advances by the lead per turn.")
