"""What several joints are made of: arms, frames, and the rows for points, rotations and axes.

r_a, r_b: from the centres of mass to the joint point, world frame. u = x_b + r_b - x_a - r_a: the gap of the joint points.
A row's velocity is lin_a.v_a + ang_a.omega_a + lin_b.v_b + ang_b.omega_b.

Bend. Semi-implicit Euler moves by dt V1, along a chord: V1 belongs to the middle of the step, where the Jacobian has turned by
dt/2 Jdot. So the rows ask for J V1 = -dt/2 Jdot V0 instead of 0. Without it V1 is tangent to the constraint at the start, each
step's projection takes a part of it away, and a frictionless pendulum loses 7 % of its amplitude in 10 s at 240 Hz.
"""

from physics.core import quat, vec
from physics.core.jit import inline, routine


@inline
def arms(joint, a, b):
    """(r_a, r_b, u), world frame [m]."""
    r_a = quat.rotate(a.quat, joint.anchor_a)
    r_b = quat.rotate(b.quat, joint.anchor_b)
    u = vec.sub(vec.add(b.pos, r_b), vec.add(a.pos, r_a))
    return r_a, r_b, u


@inline
def axis(i):
    """World axis i."""
    return (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)


@inline
def write_row(row, lin, ang_a, ang_b, offset):
    """J = [-lin, ang_a, lin, ang_b], C = offset; rigid, target 0."""
    vec.assign(row.lin_a, vec.scale(lin, -1.0))
    vec.assign(row.ang_a, ang_a)
    vec.assign(row.lin_b, lin)
    vec.assign(row.ang_b, ang_b)
    row.target = 0.0
    row.softness = 0.0
    row.offset = offset


@inline
def centripetal(omega, r):
    """omega x (omega x r), for turns up to half a radian in a step (`spin_of`)."""
    return vec.cross(omega, vec.cross(omega, r))


@inline
def spin_of(body, dt):
    """Angular velocity of a body, limited to half a radian a step: beyond it the second order of the bend means nothing."""
    x = dt * vec.norm(body.omega)
    return vec.scale(body.omega, 1.0 if x <= 0.5 else 0.5 / x)


@routine
def write_point(rows, first, joint, a, b, dt):
    """C = u (3 rows, world axes e);  Cdot = v_b + omega_b x r_b - v_a - omega_a x r_a;  ang_a = -(r_a x e), ang_b = r_b x e.

    Bend: Jdot V = omega_b x (omega_b x r_b) - omega_a x (omega_a x r_a).
    """
    r_a, r_b, u = arms(joint, a, b)
    bent = vec.sub(centripetal(spin_of(b, dt), r_b), centripetal(spin_of(a, dt), r_a))
    for i in range(3):
        e = axis(i)
        write_row(rows[first + i], e, vec.cross(e, r_a), vec.cross(r_b, e), vec.dot(u, e))
        rows[first + i].target = -0.5 * dt * bent[i]


@routine
def write_rotation(rows, first, frame_a, frame_b):
    """C = 2 vec(q), q = frame_a^-1 frame_b (3 rows, axes e of frame a);  Cdot = (w e + v x e) . omega_rel, q = (w, v)."""
    q = quat.multiply(quat.conjugate(frame_a), frame_b)
    s = 1.0 if q[0] >= 0.0 else -1.0
    w, v = s * q[0], (s * q[1], s * q[2], s * q[3])
    for i in range(3):
        e = axis(i)
        ang = quat.rotate(frame_a, vec.add(vec.scale(e, w), vec.cross(v, e)))
        write_row(rows[first + i], (0.0, 0.0, 0.0), vec.scale(ang, -1.0), ang, 2.0 * v[i])


@inline
def frames(joint, a, b):
    """Joint frames of a and of b as world quaternions."""
    return quat.multiply(a.quat, joint.frame_a), quat.multiply(b.quat, joint.frame_b)


@routine
def bend_axis(row, a, b, t, n_b, dt):
    """Bend of C = t.n_b, t fixed in a, n_b in b: the velocity part of its second derivative."""
    wa, wb = spin_of(a, dt), spin_of(b, dt)
    bent = (vec.dot(centripetal(wa, t), n_b) + 2.0 * vec.dot(vec.cross(wa, t), vec.cross(wb, n_b))
            + vec.dot(t, centripetal(wb, n_b)))
    row.target = -0.5 * dt * bent
