"""Kick and drift: impulses change momenta at a fixed pose, then the body moves freely (MS16 eq 10, 11; leapfrog).

    kick    p1 = p0 + impulses,  L1 = L0 + torque impulses        at the pose q0:  V1 = V0 + M(q0)^-1 impulse        (1)
    drift   x1 = x0 + h v1,  q1 = free top from q0 with L1,  L1 fixed in the world,  omega = I(q1)^-1 L1             (2)

A kick is linear in the impulses, with M at the pose where they act, so constraints and contacts are solved in V and their work
is exactly impulse times mean velocity. A drift conserves momentum, angular momentum and (for symmetric bodies) kinetic energy to
round-off, at any spin. Together they are the Stoermer-Verlet scheme of a rigid body: symmetric in time, symplectic.

Time of the velocity. V belongs to the middle of a drift; `velocity_lag` is its lag behind the pose [s]: half of the last drift, 0
if the velocity was just set. Forces, gravity and applied ones alike, act from one middle to the next:

    kick of a drift of h:  (velocity_lag + h / 2) (g + F / m)                                                              (3)

So the path of a thrown ball is exact for any sequence of steps. The impulse that the first kick of an applied force omits for a
body whose velocity was just set is applied when the force ends (`owed_impulse`): a force F in n steps of h gives n h F in all.

The free top (2), in the body's principal axes, with momentum m there and moments I_s (the axis s closest to one of symmetry),
I_i, I_j:  H = |m|^2 / (2 I_i) + (1/I_s - 1/I_i) m_s^2 / 2 + (1/I_j - 1/I_i) m_j^2 / 2, three parts, each solved by a rotation:

    turn about L (world) by h |L| / I_i;   about axis s by h (1/I_s - 1/I_i) m_s;   about axis j by h (1/I_j - 1/I_i) m_j  (4)

The first two commute and are exact for a symmetric body; the third, half before and half after (Strang), gives second order for
others (Fasso, Comparison of splitting algorithms for the rigid body, J. Comput. Phys. 189, 2003).
"""

import math

from physics.core import mat3, quat, stack, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics import kinematic_velocity
from physics.dynamics.measure import SINCE

NEGLIGIBLE_TURN = 1e-7
"""Below this rotation per step [rad] gyroscopic torque, of second order in it, is neglected: the axis of rotation is fixed."""

SPLITTING_TOLERANCE = 0.05
"""The error of the splitting (4) is third order in this product of turns [rad]; steps with larger ones are subdivided."""

INSTANT_LAG = 1e-300
"""`velocity_lag` of a velocity that belongs to the pose but was not set by the user [s]: practically zero."""

_DYNAMIC = Kind.DYNAMIC
_KINEMATIC = Kind.KINEMATIC

_turn = stack.scratch(3, 3)


@kernel
def max_velocity_lag(bodies):
    """Largest lag of velocities behind poses [s] among the moving bodies."""
    longest = 0.0
    for i in range(bodies.shape[0]):
        longest = max(longest, bodies[i].velocity_lag)
    return longest


# ---- kick


@inline
def kick_time(b, dt):
    """Duration of forces in the kick of a drift of dt [s], eq (3)."""
    return b.velocity_lag + 0.5 * dt


@routine
def velocities(bodies, gravity, dt, start, free):
    """Write start[i] = V0 and free[i] = V0 + M^-1 p_ext of every body, shape (n, 6); refreshes the world inertia."""
    inertias(bodies)
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            start[i, k] = b.vel[k]
            start[i, 3 + k] = b.omega[k]
        if b.kind != _DYNAMIC:
            if b.kind != _KINEMATIC:
                for k in range(6):
                    start[i, k] = 0.0
            for k in range(6):
                free[i, k] = start[i, k]
            continue
        time = kick_time(b, dt)
        turning = mat3.apply(b.inv_inertia_world, b.torque)
        for k in range(3):
            free[i, k] = b.vel[k] + time * (gravity[k] + b.force[k] * b.inv_mass)
            free[i, 3 + k] = b.omega[k] + time * turning[k]


@routine
def velocities_before(bodies, dt, start, free, out):
    """out (bodies, 6): the velocities half a drift of dt [s] before the poses, as forces alone change them: `start` of
    `velocities`, unless the last drift had another length or velocities were brought to the poses by an impact."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        share = dt / kick_time(b, dt) if b.kind == _DYNAMIC and b.velocity_lag != 0.5 * dt else 0.0
        for k in range(6):
            out[i, k] = start[i, k] if share == 0.0 else free[i, k] - share * (free[i, k] - start[i, k])


@routine
def synchronise(b, gravity):
    """Bring the velocity of a dynamic body to the time of its pose, (3) with h = 0; its world inertia must be fresh."""
    turning = mat3.apply(b.inv_inertia_world, b.torque)
    for k in range(3):
        b.vel[k] += b.velocity_lag * (gravity[k] + b.force[k] * b.inv_mass)
        b.omega[k] += b.velocity_lag * turning[k]
    b.velocity_lag = INSTANT_LAG


@kernel
def apply_owed_impulse(bodies, dt, force, torque):
    """Before a step of dt [s], apply owed impulses to awake bodies without other applied forces, and add them to the forces
    reapplied in further parts of the step, force (n, 3) [N], torque [N m]."""
    for i in range(bodies.shape[0]):
        b, due, pushed = bodies[i], False, False
        if b.asleep != 0:
            continue
        for k in range(3):
            due = due or b.owed_impulse[k] != 0.0 or b.owed_impulse[3 + k] != 0.0
            pushed = pushed or b.force[k] != 0.0 or b.torque[k] != 0.0
        if not due or (pushed and b.velocity_lag > 0.0):
            continue
        for k in range(3):
            if b.velocity_lag > 0.0:
                force[i, k], torque[i, k] = b.owed_impulse[k] / dt, b.owed_impulse[3 + k] / dt
                b.force[k], b.torque[k] = force[i, k], torque[i, k]
            b.owed_impulse[k], b.owed_impulse[3 + k] = 0.0, 0.0


@kernel
def end_part(bodies, before, force, torque):
    """End a part of a step; returns the lag (`max_velocity_lag`) of the velocities [s].

    The impulse that its forces (n, 3) [N], torques [N m] have not yet given is owed to bodies that began it, or on which they
    began, with a velocity just set; before: their motion then (measure.copy_motion). Velocities of kinematic bodies are stored
    (kinematic_velocity.py).
    """
    longest = 0.0
    for i in range(bodies.shape[0]):
        b = bodies[i]
        longest = max(longest, b.velocity_lag)      # of sleepers, too: who is woken in a step goes on with it
        if b.asleep != 0:
            continue
        owing = before[i, SINCE] == 0.0
        for k in range(6):
            owing = owing or b.owed_impulse[k] != 0.0
        if owing and b.kind == _DYNAMIC:
            for k in range(3):
                b.owed_impulse[k], b.owed_impulse[3 + k] = b.velocity_lag * force[i, k], b.velocity_lag * torque[i, k]
        if b.kind == _KINEMATIC:
            kinematic_velocity.store_velocity(b)
    return longest


@routine
def inertias(bodies):
    """Refresh the world inertia of the dynamic bodies."""
    turn = _turn()
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            quat.to_matrix(turn, b.quat)
            mat3.rotate_tensor(b.inv_inertia_world, turn, b.inv_inertia)


# ---- drift


@routine
def positions(bodies, velocity, dt, gyroscopic):
    """(2) for velocities (n, 6).

    gyroscopic: False rotates bodies about axes fixed in the world and conserves omega instead of L.
    """
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind != _DYNAMIC and b.kind != _KINEMATIC:
            continue
        vec.add_scaled(b.pos, velocity[i], dt)
        before, omega = quat.copy(b.quat), (velocity[i, 3], velocity[i, 4], velocity[i, 5])
        after = pose_after_drift(b, before, omega, dt, gyroscopic)
        vec.assign(b.vel, velocity[i])
        vec.assign(b.omega, rotate_with_drift(b, before, after, omega, dt, gyroscopic))
        for k in range(4):
            b.quat[k] = after[k]
        b.velocity_lag = 0.5 * dt


@routine
def place(bodies, pos, orientation, velocity, dt, gyroscopic):
    """Write the poses of (2) from pos (n, 3) [m], orientation (n, 4), with velocities (n, 6) there; velocities and world
    inertias of the bodies are unchanged."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind != _DYNAMIC and b.kind != _KINEMATIC:
            continue
        q = (orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3])
        q = pose_after_drift(b, q, (velocity[i, 3], velocity[i, 4], velocity[i, 5]), dt, gyroscopic)
        vec.assign(b.pos, vec.madd(pos[i], velocity[i], dt))
        for k in range(4):
            b.quat[k] = q[k]


@routine
def poses(bodies, pos, orientation):
    """Copy the poses of all bodies into pos (n, 3) and orientation (n, 4)."""
    for i in range(bodies.shape[0]):
        vec.assign(pos[i], bodies[i].pos)
        for k in range(4):
            orientation[i, k] = bodies[i].quat[k]


@routine
def set_velocities(bodies, velocity):
    """Set the velocities (n, 6) of the dynamic bodies."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            for k in range(3):
                b.vel[k] = velocity[i, k]
                b.omega[k] = velocity[i, 3 + k]


@routine
def finish_drift(bodies, orientation, velocity, dt, gyroscopic):
    """Write the velocities after a drift of dt [s] from orientation (n, 4) with velocity (n, 6), for bodies already at its end
    (`place`)."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            before = (orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3])
            omega = (velocity[i, 3], velocity[i, 4], velocity[i, 5])
            vec.assign(b.vel, velocity[i])
            vec.assign(b.omega, rotate_with_drift(b, before, b.quat, omega, dt, gyroscopic))
        if b.asleep == 0:
            b.velocity_lag = 0.5 * dt


@inline
def keeps_velocity(b):
    """Whether a body without torque keeps omega: it is moved by hand, or all its moments of inertia are equal."""
    i = b.inertia
    return b.kind != _DYNAMIC or (i[0, 0] == i[1, 1] == i[2, 2] and i[0, 1] == 0.0 and i[0, 2] == 0.0 and i[1, 2] == 0.0)


@routine
def pose_after_drift(b, q, omega, dt, gyroscopic):
    """Orientation after dt [s] of a torque-free body at q with omega [rad/s]."""
    if omega[0] == 0.0 and omega[1] == 0.0 and omega[2] == 0.0:
        return q
    if not gyroscopic or keeps_velocity(b) or dt * dt * vec.dot(omega, omega) < NEGLIGIBLE_TURN * NEGLIGIBLE_TURN:
        return turned(q, dt * omega[0], dt * omega[1], dt * omega[2])
    momentum = quat.rotate(q, mat3.apply(b.inertia, quat.rotate(quat.conjugate(q), omega)))
    return free_top(b.inertia, q, momentum, dt)


@routine
def rotate_with_drift(b, before, after, omega, dt, gyroscopic):
    """omega at orientation `after` with the angular momentum of `before`: I(q1)^-1 I(q0) omega."""
    if not gyroscopic or keeps_velocity(b) or dt * dt * vec.dot(omega, omega) < NEGLIGIBLE_TURN * NEGLIGIBLE_TURN:
        return (omega[0], omega[1], omega[2])
    momentum = quat.rotate(before, mat3.apply(b.inertia, quat.rotate(quat.conjugate(before), omega)))
    return quat.rotate(after, mat3.apply(b.inv_inertia, quat.rotate(quat.conjugate(after), momentum)))


@routine
def free_acceleration(b):
    """Angular acceleration of a torque-free body, I^-1 (L x omega) [rad/s^2]."""
    if keeps_velocity(b):
        return (0.0, 0.0, 0.0)
    q, omega = (b.quat[0], b.quat[1], b.quat[2], b.quat[3]), (b.omega[0], b.omega[1], b.omega[2])
    own = quat.rotate(quat.conjugate(q), omega)
    return quat.rotate(q, mat3.apply(b.inv_inertia, vec.cross(mat3.apply(b.inertia, own), own)))


@routine
def free_top(inertia, q, momentum, dt):
    """Orientation after dt [s] (< 0: before) of a free body with that angular momentum (world) [N m s], eq (4)."""
    moments, axes = principal(inertia)
    s, i, j = _roles(moments)
    own, more = 1.0 / moments[s] - 1.0 / moments[i], 1.0 / moments[j] - 1.0 / moments[i]
    parts = 1
    if more != 0.0:
        parts = min(1 + int(abs(dt) * vec.norm(momentum) * math.sqrt(abs(more) / moments[i]) / SPLITTING_TOLERANCE), 64)
    h, p = dt / parts, quat.multiply(q, axes)
    about = vec.scale(momentum, h / moments[i])
    for _ in range(parts):
        if more != 0.0:
            p = _spun(p, j, 0.5 * h * more * _along(p, j, momentum))
        p = _spun(p, s, h * own * _along(p, s, momentum))
        p = turned(p, about[0], about[1], about[2])
        if more != 0.0:
            p = _spun(p, j, 0.5 * h * more * _along(p, j, momentum))
    return quat.multiply(p, quat.conjugate(axes))


@inline
def _roles(moments):
    """(s, i, j): s is the axis whose two other axes have the closest inverse moments."""
    a, b, c = 1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2]
    if abs(a - b) <= abs(b - c) and abs(a - b) <= abs(c - a):
        return 2, 0, 1
    if abs(b - c) <= abs(c - a):
        return 0, 1, 2
    return 1, 2, 0


@inline
def _along(p, k, v):
    """Component of v along axis k of the frame p."""
    return vec.dot(quat.rotate(p, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)), v)


@routine
def _spun(p, k, angle):
    """p rotated about its own axis k by an angle of any size [rad]."""
    if angle == 0.0:
        return p
    half = 0.5 * (angle - 6.283185307179586 * math.floor(angle / 6.283185307179586 + 0.5))
    c, s = quat.cosine(half * half), half * quat.sinc(half * half)
    return quat.multiply(p, (c, s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0))


@routine
def principal(inertia):
    """(moments, quaternion of the principal frame in the body frame) of a symmetric tensor, by Jacobi rotations."""
    a, b, c = inertia[0, 0], inertia[1, 1], inertia[2, 2]
    d, e, f = inertia[1, 2], inertia[2, 0], inertia[0, 1]        # opposite to axes 0, 1, 2
    p = (1.0, 0.0, 0.0, 0.0)
    small = 1e-15 * (abs(a) + abs(b) + abs(c))
    for _ in range(20):
        if abs(d) + abs(e) + abs(f) <= small:
            break
        if abs(d) >= abs(e) and abs(d) >= abs(f):
            t, u, w = _rotation(b, c, d)
            b, c, d, f, e = b - t * d, c + t * d, 0.0, u * f - w * e, u * e + w * f
            p = _tilted(p, 0, u, w)
        elif abs(e) >= abs(f):
            t, u, w = _rotation(c, a, e)
            c, a, e, d, f = c - t * e, a + t * e, 0.0, u * d - w * f, u * f + w * d
            p = _tilted(p, 1, u, w)
        else:
            t, u, w = _rotation(a, b, f)
            a, b, f, e, d = a - t * f, b + t * f, 0.0, u * e - w * d, u * d + w * e
            p = _tilted(p, 2, u, w)
    return (a, b, c), p


@inline
def _rotation(x, y, off):
    """(tan, cos, sin) of the rotation that diagonalises ((x, off), (off, y))."""
    r = 0.5 * (y - x) / off
    t = (1.0 if r >= 0.0 else -1.0) / (abs(r) + math.sqrt(1.0 + r * r))
    u = 1.0 / math.sqrt(1.0 + t * t)
    return t, u, t * u


@inline
def _tilted(p, k, u, w):
    """p rotated about its own axis k by minus the angle with cosine u > 0 and sine w."""
    c = math.sqrt(0.5 * (1.0 + u))
    s = -0.5 * w / c
    return quat.multiply(p, (c, s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0))


@routine
def turned(q, rx, ry, rz):
    """q rotated by a rotation vector of any length up to the speed limit, in equal parts if it exceeds pi."""
    parts = 1
    x = math.sqrt(rx * rx + ry * ry + rz * rz)
    while x > 3.0 * parts and parts < 64:
        parts *= 2
    p = (q[0], q[1], q[2], q[3])
    for _ in range(parts):
        p = quat.turn(p, rx / parts, ry / parts, rz / parts)
    return p


# ---- end of a substep


@routine
def end_applied_forces(bodies):
    """Clear applied forces and torques, which act for one step."""
    for i in range(bodies.shape[0]):
        for k in range(3):
            bodies[i].force[k] = 0.0
            bodies[i].torque[k] = 0.0


@routine
def read(bodies, velocity):
    """Copy the velocities of all bodies into (n, 6)."""
    for i in range(bodies.shape[0]):
        for k in range(3):
            velocity[i, k] = bodies[i].vel[k]
            velocity[i, 3 + k] = bodies[i].omega[k]


@routine
def shift_poses(bodies, push, share, gyroscopic):
    """X <- X + share push (n, 6) [m], [rad]; a negative share undoes it. Angular momenta are kept, or omega: see `positions`."""
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC:
            _shift(bodies[i], push[i], share, gyroscopic)


@routine
def _shift(b, way, share, gyroscopic):
    """Move a body by share times (6,) [m], [rad]."""
    vec.add_scaled(b.pos, way, share)
    if way[3] != 0.0 or way[4] != 0.0 or way[5] != 0.0:
        q = turned(b.quat, share * way[3], share * way[4], share * way[5])
        vec.assign(b.omega, rotate_with_drift(b, quat.copy(b.quat), q, vec.copy(b.omega), 1.0, gyroscopic))
        for k in range(4):
            b.quat[k] = q[k]
