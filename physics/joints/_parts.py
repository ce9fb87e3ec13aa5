"""Shared parts of the joints: arms, frames, and the rows for points, rotations and axes.

r_a, r_b: from the centres of mass to the joint point, world frame. u = x_b + r_b - x_a - r_a: the gap of the joint points.
A row's velocity is lin_a.v_a + ang_a.omega_a + lin_b.v_b + ang_b.omega_b.

Curvature term. Semi-implicit Euler moves by dt V1, along a chord: V1 belongs to the middle of the step, where the Jacobian has
turned by dt/2 Jdot. So the rows ask for J V1 = -dt/2 Jdot V0 instead of 0. Without it V1 is tangent to the constraint at the
start, each step's projection removes part of it, and a frictionless pendulum loses 7 % of its amplitude in 10 s at 240 Hz.

Springs. V0 and V1 belong to the middles of two steps, so a force averaged over three positions is the trapezoidal rule, which
conserves the energy of an undamped spring at any step (E. Hairer, C. Lubich, G. Wanner, Geometric numerical integration, 2006,
I.1.2 and VI.4). With q the stretch, u = J V, b the curvature term, T the duration of the kick (integrate.py, 3):

    p = -T (k (q + alpha (u1 - b) - gamma (u0 + b)) + d (theta u1 + (1 - theta) u0))                        (1)
    alpha = gamma = h^2 / (4 T),   theta = 1/2

so that J V1 + s p = target with G = alpha k + theta d, s = 1 / (T G). Frequencies that the step does not resolve ring, and grow
when coupled to other motion. So a share r of the rule is implicit Euler:

    alpha = (1/4 + 3/4 r) h^2 / T,   gamma = (1 - r) h^2 / (4 T),   r = max(0, 1 - 1 / (h^2 k A)),   A = J M^-1 J^T
    theta = max(1/2, 1 - 1 / (2 h d A))                                                                     (2)
"""

import math

from physics.core import elementary, mat3, quat, vec
from physics.core.jit import inline, routine

ALONG = 1e-3
"""A direction whose component across an axis is below this fraction counts as parallel to the axis."""


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
    row.position_error = offset


@inline
def centripetal(omega, r):
    """omega x (omega x r), for rotations up to half a radian in a step (`spin_of`)."""
    return vec.cross(omega, vec.cross(omega, r))


@inline
def spin_of(body, dt):
    """Angular velocity of a body, limited to half a radian a step: beyond it the second-order curvature term is meaningless."""
    x = dt * vec.norm(body.omega)
    return vec.scale(body.omega, 1.0 if x <= 0.5 else 0.5 / x)


@inline
def lasting(a, b, dt):
    """Duration of a kick between two bodies [s]: from the time of their velocities to the middle of the step."""
    return 0.5 * dt + max(a.velocity_lag if a.inv_mass > 0.0 else 0.0, b.velocity_lag if b.inv_mass > 0.0 else 0.0)


@routine
def row_speed(row, a, b):
    """J V at the start of the step [m/s] or [rad/s]."""
    return (vec.dot(row.lin_a, a.vel) + vec.dot(row.ang_a, a.omega) + vec.dot(row.lin_b, b.vel) + vec.dot(row.ang_b, b.omega))


@routine
def response(row, a, b):
    """J M^-1 J^T of a row."""
    return (a.inv_mass * vec.dot(row.lin_a, row.lin_a) + b.inv_mass * vec.dot(row.lin_b, row.lin_b)
            + vec.dot(row.ang_a, mat3.apply(a.inv_inertia_world, row.ang_a))
            + vec.dot(row.ang_b, mat3.apply(b.inv_inertia_world, row.ang_b)))


@routine
def soften(row, stiffness, damping, stretch, speed, answer, dt, time):
    """Make a row, with its curvature as target, a spring and damper by (1): stretch [m] or [rad], speed u0, answer A, time T. It
    stays as it is where no time passes."""
    if dt == 0.0:
        return
    x, y, square = dt * dt * stiffness * answer, dt * damping * answer, 0.25 * dt * dt / time
    share = 1.0 - 1.0 / x if x > 1.0 else 0.0
    alpha, gamma = (1.0 + 3.0 * share) * square, (1.0 - share) * square
    theta = 0.5 if y <= 1.0 else 1.0 - 0.5 / y
    give = alpha * stiffness + theta * damping
    force = stiffness * (alpha * row.target + gamma * (speed + row.target) - stretch) - (1.0 - theta) * damping * speed
    row.target = force / give
    row.softness = 1.0 / (time * give)


@routine
def write_point(rows, first, joint, a, b, dt):
    """C = u (3 rows, world axes e);  Cdot = v_b + omega_b x r_b - v_a - omega_a x (r_a + u);  ang_a = -((r_a + u) x e),
    ang_b = r_b x e: the axes turn with a, so that an impulse acts on both bodies at one point also while u is not 0.

    Curvature: Jdot V = omega_b x (omega_b x r_b) - omega_a x (omega_a x r_a).
    """
    r_a, r_b, u = arms(joint, a, b)
    for i in range(3):
        e = axis(i)
        write_row(rows[first + i], e, vec.cross(e, vec.add(r_a, u)), vec.cross(r_b, e), vec.dot(u, e))
    if dt > 0.0:
        bent = vec.sub(centripetal(spin_of(b, dt), r_b), centripetal(spin_of(a, dt), r_a))
        for i in range(3):
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


@inline
def axis_curvature(row, wa, wb, t, n_b, dt):
    """Curvature of C = t.n_b, t fixed in a, n_b in b: the velocity part of its second derivative. wa, wb: see `spin_of`."""
    bent = (vec.dot(centripetal(wa, t), n_b) + 2.0 * vec.dot(vec.cross(wa, t), vec.cross(wb, n_b))
            + vec.dot(t, centripetal(wb, n_b)))
    row.target = -0.5 * dt * bent


@routine
def write_translation(row, frame_a, e, a, b, r_a, r_b, u, dt):
    """q = t.u with t = axis e of frame a, carried by a: the displacement along it; returns q.

    qdot = t.(v_b - v_a) + (r_b x t).omega_b - ((r_a + u) x t).omega_a
    Curvature: t.(c_b - c_a) + 2 (omega_a x t).udot + (omega_a x (omega_a x t)).u,   c = omega x (omega x r).
    """
    t = quat.rotate(frame_a, e)
    q = vec.dot(t, u)
    write_row(row, t, vec.cross(t, vec.add(r_a, u)), vec.cross(r_b, t), q)
    wa, wb = spin_of(a, dt), spin_of(b, dt)
    udot = vec.sub(vec.add(b.vel, vec.cross(wb, r_b)), vec.add(a.vel, vec.cross(wa, r_a)))
    bent = (vec.dot(t, vec.sub(centripetal(wb, r_b), centripetal(wa, r_a))) + 2.0 * vec.dot(vec.cross(wa, t), udot)
            + vec.dot(centripetal(wa, t), u))
    row.target = -0.5 * dt * bent
    return q


@inline
def write_turn(row, ang, offset):
    """J = [0, -ang, 0, ang], C = offset."""
    write_row(row, (0.0, 0.0, 0.0), vec.scale(ang, -1.0), ang, offset)


@routine
def write_angle(row, m, x, y, last):
    """The angle of m (fixed in b) in the plane of x, y (fixed in a), positive from x to y, unwrapped from `last`; returns it.

    p = m.x, r = m.y, q = atan2(r, p);   d/dt (m.x) = omega_rel . (m x x)
    qdot = (p rdot - r pdot) / (p^2 + r^2) = omega_rel . (m x (p y - r x)) / (p^2 + r^2)
    """
    p, r = vec.dot(m, x), vec.dot(m, y)
    size = p * p + r * r
    q = elementary.unwrap_angle(elementary.angle(r, p), last)
    if size < 1e-12:
        write_turn(row, vec.cross(x, y), q)
    else:
        write_turn(row, vec.scale(vec.cross(m, vec.madd(vec.scale(y, p), x, -r)), 1.0 / size), q)
    return q


@inline
def turn_seen(m, frame, last):
    """(alpha, g): rotation of a vector m about the z axis of a body's frame, in that frame; unwrapped from `last`.

    p = m.x, r = m.y, alpha = atan2(r, p);   alphadot = g . (mdot - omega x m),   g = (p y - r x) / (p^2 + r^2)
    """
    x, y = quat.rotate(frame, (1.0, 0.0, 0.0)), quat.rotate(frame, (0.0, 1.0, 0.0))
    p, r = vec.dot(m, x), vec.dot(m, y)
    size = p * p + r * r
    g = (0.0, 0.0, 0.0)
    if size > 1e-18:
        g = vec.scale(vec.madd(vec.scale(y, p), x, -r), 1.0 / size)
    return elementary.unwrap_angle(elementary.angle(r, p), last), g


@routine
def carried_curvature(m, mdot, bent, g, omega, frame):
    """The velocity part of the second derivative of `turn_seen`; bent: that of m.

    w = mdot - omega x m, m across the axis = p x + r y, s its square:
    g.(bent - 2 omega x w - omega x (omega x m)) - 2 (g.w) (p x + r y).w / s
    """
    w = vec.sub(mdot, vec.cross(omega, m))
    c = vec.sub(vec.madd(bent, vec.cross(omega, w), -2.0), centripetal(omega, m))
    n = quat.rotate(frame, (0.0, 0.0, 1.0))
    across = vec.madd(m, n, -vec.dot(n, m))
    return vec.dot(g, c) - 2.0 * vec.dot(g, w) * vec.dot(across, w) / max(vec.dot(across, across), 1e-18)


@routine
def write_twist(row, frame_a, frame_b, last):
    """The rotation of frame b relative to frame a about their z axes, unwrapped from `last`; returns it.

    q = frame_a^-1 frame_b = (w, v) = swing * twist;   angle = 2 atan2(v_z, w), exact for any swing below pi
    rate = omega_rel . (w^2 z + w v x z + v_z v) / (w^2 + v_z^2), axes of frame a
    """
    q = quat.multiply(quat.conjugate(frame_a), frame_b)
    w, x, y, z = q
    size = w * w + z * z
    turn = elementary.unwrap_angle(2.0 * elementary.angle(z, w), last)
    if size < 1e-12:
        ang = (0.0, 0.0, 1.0)
    else:
        ang = ((w * y + z * x) / size, (z * y - w * x) / size, 1.0)
    write_turn(row, quat.rotate(frame_a, ang), turn)
    return turn


@routine
def write_axes(rows, first, frame_a, n_b, a, b, dt):
    """C = (t1.n_b, t2.n_b): the axes of both bodies parallel (2 rows; t1, t2 orthogonal to the axis of a)."""
    for i in range(2):
        t = quat.rotate(frame_a, axis(i))
        write_turn(rows[first + i], vec.cross(n_b, t), vec.dot(t, n_b))
    if dt > 0.0:
        wa, wb = spin_of(a, dt), spin_of(b, dt)
        for i in range(2):
            axis_curvature(rows[first + i], wa, wb, quat.rotate(frame_a, axis(i)), n_b, dt)


@routine
def write_length(row, joint, a, b, dt):
    """q = |u|, the distance of the two anchors; returns it.  e = u / |u|,  qdot = e . udot.

    Curvature: e.(c_b - c_a) + (|udot|^2 - (e.udot)^2) / |u|.
    """
    r_a, r_b, u = arms(joint, a, b)
    length = math.sqrt(vec.dot(u, u))
    e = vec.scale(u, 1.0 / length) if length > 1e-9 else (0.0, 0.0, 1.0)
    write_row(row, e, vec.cross(e, r_a), vec.cross(r_b, e), length)
    if length > 1e-9:
        wa, wb = spin_of(a, dt), spin_of(b, dt)
        udot = vec.sub(vec.add(b.vel, vec.cross(wb, r_b)), vec.add(a.vel, vec.cross(wa, r_a)))
        along = vec.dot(e, udot)
        bent = vec.dot(e, vec.sub(centripetal(wb, r_b), centripetal(wa, r_a)))
        # for a link that turns by more than half a radian in a step the second order is meaningless
        bent += min(vec.dot(udot, udot) - along * along, 0.25 * length * length / (dt * dt)) / length
        row.target = -0.5 * dt * bent
    return length
