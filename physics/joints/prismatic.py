"""Prismatic joint (slider): no rotation, free travel along an axis d of body a (MS16 section 3).

    u    = x_b + r_b - x_a - r_a
    C    = (t1.u,  t2.u,  2 vec(q_rel))                           (5 rows; t1, t2 orthogonal to d)
    Cdot = t.(v_b - v_a) + (r_b x t).omega_b - ((r_a + u) x t).omega_a,  ...
    B V  = d.(v_b - v_a) + (r_b x d).omega_b - ((r_a + u) x d).omega_a     (1 row of friction)
"""

from physics.core import quat, vec
from physics.core.jit import inline, kernel, routine
from physics.joints import JointKind
from physics.joints._parts import arms, centripetal, frames, spin_of, write_rotation, write_row


@inline
def write_translation(row, t, r_a, r_b, u, offset):
    """The row of the relative velocity along t, a direction fixed in body a."""
    write_row(row, t, vec.cross(t, vec.add(r_a, u)), vec.cross(r_b, t), offset)


@routine
def bend_translation(row, a, b, t, r_a, r_b, u, dt):
    """Bend of t.u, t fixed in a: d2/dt2 = t.(c_b - c_a) + 2 (omega_a x t).udot + (omega_a x (omega_a x t)).u."""
    wa, wb = spin_of(a, dt), spin_of(b, dt)
    udot = vec.sub(vec.add(b.vel, vec.cross(wb, r_b)), vec.add(a.vel, vec.cross(wa, r_a)))
    bent = (vec.dot(t, vec.sub(centripetal(wb, r_b), centripetal(wa, r_a))) + 2.0 * vec.dot(vec.cross(wa, t), udot)
            + vec.dot(centripetal(wa, t), u))
    row.target = -0.5 * dt * bent


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed prismatic joints."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        t1, t2 = quat.rotate(frame_a, (1.0, 0.0, 0.0)), quat.rotate(frame_a, (0.0, 1.0, 0.0))
        d = quat.rotate(frame_a, (0.0, 0.0, 1.0))
        write_translation(rows[first[n]], t1, r_a, r_b, u, vec.dot(t1, u))
        write_translation(rows[first[n] + 1], t2, r_a, r_b, u, vec.dot(t2, u))
        write_rotation(rows, first[n] + 2, frame_a, frame_b)
        write_translation(rows[first[n] + 5], d, r_a, r_b, u, 0.0)
        for row, t in ((0, t1), (1, t2), (5, d)):
            bend_translation(rows[first[n] + row], a, b, t, r_a, r_b, u, dt)


JOINT = JointKind(constraint=5, friction=1, unit="N", write=write,
                  doc="A slider on a rail: moves along its axis only, against dry friction.")
