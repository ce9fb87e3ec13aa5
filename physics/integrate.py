"""Semi-implicit Euler: velocities by forces, then positions by the new velocities (MS16 eq 10, 11).

    V1 = V0 + M^-1 (p_ext + impulses),   X1 = X0 + H(X) V1 dt,   q1 = exp(dt omega) q0

The gyroscopic torque (MS16 leaves it out) follows the Lie group variational integrator of Lee, Leok and McClamroch (2007):
with f = dt omega in the body frame, x = |f|,

    m1 = sin(x)/x I f - (1 - cos x)/x^2 f x I f       momentum (times dt) carried into the new body frame       (a)
    sin(x')/x' I f' + (1 - cos x')/x'^2 f' x I f' = m1          solved for f' by Newton's method                  (b)

It keeps the angular momentum of a free body to round-off and its energy bounded, for any dt |omega| < 1.
"""

import math

from physics.core import mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind

_DYNAMIC = int(Kind.DYNAMIC)
_KINEMATIC = int(Kind.KINEMATIC)


@inline
def _versine(x2):
    """(1 - cos x) / x^2 from x^2, |x| <= pi."""
    s = quat.sinc(0.25 * x2)
    return 0.5 * s * s


@routine
def _sinc_full(x2):
    """sin x / x from x^2, |x| <= pi, by the double angle."""
    return quat.sinc(0.25 * x2) * quat.cosine(0.25 * x2)


@routine
def gyroscopic(inertia, rx, ry, rz):
    """f' of (b) from f = (rx, ry, rz) [rad], body frame; f itself where |f| >= 1 (too fast to resolve)."""
    f = (rx, ry, rz)
    x2 = vec.dot(f, f)
    if x2 >= 1.0:
        return f
    i_f = mat3.apply(inertia, f)
    m = vec.madd(vec.scale(i_f, _sinc_full(x2)), vec.cross(f, i_f), -_versine(x2))
    size = vec.norm(m)
    g = f
    for _ in range(20):
        x2 = vec.dot(g, g)
        i_g = mat3.apply(inertia, g)
        c = _versine(x2)
        r = vec.sub(vec.madd(vec.scale(i_g, _sinc_full(x2)), vec.cross(g, i_g), c), m)
        if vec.norm(r) <= 1e-15 * size:
            break
        # Jacobian without the derivatives of the two scalars: d(g x I g) = skew(g) I - skew(I g)
        j = inertia
        d = mat3.solve(
            j[0, 0] + c * (g[1] * j[2, 0] - g[2] * j[1, 0]),
            j[0, 1] + c * (g[1] * j[2, 1] - g[2] * j[1, 1] + i_g[2]),
            j[0, 2] + c * (g[1] * j[2, 2] - g[2] * j[1, 2] - i_g[1]),
            j[1, 0] + c * (g[2] * j[0, 0] - g[0] * j[2, 0] - i_g[2]),
            j[1, 1] + c * (g[2] * j[0, 1] - g[0] * j[2, 1]),
            j[1, 2] + c * (g[2] * j[0, 2] - g[0] * j[2, 2] + i_g[0]),
            j[2, 0] + c * (g[0] * j[1, 0] - g[1] * j[0, 0] + i_g[1]),
            j[2, 1] + c * (g[0] * j[1, 1] - g[1] * j[0, 1] - i_g[0]),
            j[2, 2] + c * (g[0] * j[1, 2] - g[1] * j[0, 2]), r)
        g = vec.sub(g, d)
    if not math.isfinite(g[0] + g[1] + g[2]) or vec.dot(g, g) >= 2.0:
        return f
    return g


@kernel
def velocities(bodies, gravity, dt, with_gyroscopic, start, free):
    """start[i] = V0 and free[i] = V0 + M^-1 p_ext of every body, shape (n, 6); refreshes the world inertia."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            start[i, k] = b.vel[k]
            start[i, 3 + k] = b.omega[k]
            free[i, k] = b.vel[k]
            free[i, 3 + k] = b.omega[k]
        if b.kind != _DYNAMIC:
            if b.kind != _KINEMATIC:
                start[i, :] = 0.0
                free[i, :] = 0.0
            continue
        r = columns(b)
        _refresh_inertia(b, r)
        omega = vec.copy(b.omega)
        if with_gyroscopic:
            w = quat.rotate(quat.conjugate(b.quat), vec.scale(omega, dt))
            w = gyroscopic(b.inertia, w[0], w[1], w[2])
            omega = vec.scale(quat.rotate(b.quat, w), 1.0 / dt)
        spin = mat3.apply(b.inv_inertia_world, b.torque)
        for k in range(3):
            free[i, k] = b.vel[k] + dt * (gravity[k] + b.force[k] * b.inv_mass)
            free[i, 3 + k] = omega[k] + dt * spin[k]


@inline
def columns(b):
    """Columns of the rotation matrix of a body."""
    return (quat.rotate(b.quat, (1.0, 0.0, 0.0)), quat.rotate(b.quat, (0.0, 1.0, 0.0)),
            quat.rotate(b.quat, (0.0, 0.0, 1.0)))


@inline
def _refresh_inertia(b, r):
    """inv_inertia_world = R inv_inertia R^T."""
    for i in range(3):
        x = r[0][i] * b.inv_inertia[0, 0] + r[1][i] * b.inv_inertia[1, 0] + r[2][i] * b.inv_inertia[2, 0]
        y = r[0][i] * b.inv_inertia[0, 1] + r[1][i] * b.inv_inertia[1, 1] + r[2][i] * b.inv_inertia[2, 1]
        z = r[0][i] * b.inv_inertia[0, 2] + r[1][i] * b.inv_inertia[1, 2] + r[2][i] * b.inv_inertia[2, 2]
        for j in range(3):
            b.inv_inertia_world[i, j] = x * r[0][j] + y * r[1][j] + z * r[2][j]


@kernel
def positions(bodies, velocity, push, dt):
    """X1 = X0 + dt (V1 + push); push (n, 6) moves bodies but leaves no velocity. Clears forces."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            b.force[k] = 0.0
            b.torque[k] = 0.0
        if b.kind != _DYNAMIC and b.kind != _KINEMATIC:
            continue
        for k in range(3):
            b.vel[k] = velocity[i, k]
            b.omega[k] = velocity[i, 3 + k]
            b.pos[k] += dt * (velocity[i, k] + push[i, k])
        rx = dt * (velocity[i, 3] + push[i, 3])
        ry = dt * (velocity[i, 4] + push[i, 4])
        rz = dt * (velocity[i, 5] + push[i, 5])
        q = _turned(b.quat, rx, ry, rz)
        for k in range(4):
            b.quat[k] = q[k]


@routine
def _turned(q, rx, ry, rz):
    """q turned by a rotation vector of any length up to the speed limit, in halves where it exceeds pi."""
    parts = 1
    x = math.sqrt(rx * rx + ry * ry + rz * rz)
    while x > 3.0 * parts and parts < 64:
        parts *= 2
    p = (q[0], q[1], q[2], q[3])
    for _ in range(parts):
        p = quat.turn(p, rx / parts, ry / parts, rz / parts)
    return p
