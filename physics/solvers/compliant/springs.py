"""Springs and dampers of a massless surface patch (F11 section 11.8), and the substeps that they need.

The patch moves by z <= 0 along the normal and by x in the tangent plane. A spring pushes it back with S(z), S(0) = 0, a damper
with D(z) z_dot, and the body with f:

    linear             S = K z,                         D(z) = D                                            (11.73)
    Hunt-Crossley      S = -K z_H s^(3/2),              D(z) = D s^(3/2),      s = -z / z_H                        (1)
    tangential         S = K_t x,                       D_t                                                  (11.77)

z_H is the depth at which (1) is as stiff and as damped as the linear law. E(z) and W(z) are the energy of the spring and the
integral of D(z):

    linear             E = K z^2 / 2,                   W = D z                                                    (2)
    Hunt-Crossley      E = 2/5 K z_H^2 s^(5/2),         W = -2/5 D z_H s^(5/2)

A patch that nothing touches returns to z = 0: S + D(z) z_dot = 0,

    linear             z = z0 e^(-K t / D)             "closed form"                                               (3)
                       z1 = z0 (1 - a) / (1 + a), a = K t / (2 D)    (11.73) by the trapezoidal rule, a <= 1       (4)
    Hunt-Crossley      z = min(0, z0 + K z_H t / D)                                                                (5)

Two soft surfaces with the same K / D act as one with K / 2 and D / 2 (lumping).

A contact is resolved if its fastest oscillation advances by a small phase in a substep. With
A = M^-1 sum J^T diag(K, K_t, K_t) J,

    omega^2 = largest eigenvalue of A,   rate = max(omega, omega^2 / max(K, K_t) max(D, D_t) / 2)                   (6)

by power iteration; with one contact rate = omega max(1, zeta). For (1), K is the slope of S at the depth where the approach
ends: 5/4 m_eff u^2 = K z_H^2 s^(5/2).
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import surface_arms
from physics.core import mat3, vec
from physics.core.elementary import exp_negative
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics import integrate
from physics.dynamics.stiffness import FORCE_GROWTH, RESOLVED_ANGLE, inertia_rate, swing_frequency, turn_rate
from physics.solvers.impulses.substep_count import MAX_SUBSTEP_LENGTH, MAX_SUBSTEPS

POWER_ITERATIONS = 12
"""Iterations for the largest eigenvalue of (6)."""

RESERVE = 1.1
"""Factor on that eigenvalue, which the iteration approaches from below."""

_DYNAMIC = Kind.DYNAMIC


class Springs(NamedTuple):
    """Of each contact point. K, D, K_t, D_t: [N/m, N s/m]; z_H: depth of (1) [m], 0: linear; closed: whether free patches move by
    (3) instead of (4)."""

    K: float
    D: float
    K_t: float
    D_t: float
    z_H: float
    closed: bool


@inline
def _relative(z, springs):
    return max(0.0, -z) / springs.z_H


@inline
def spring(z, springs):
    """(S [N], dS/dz [N/m])."""
    if springs.z_H == 0.0:
        return springs.K * z, springs.K
    root = math.sqrt(_relative(z, springs))
    return -springs.K * springs.z_H * root * root * root, 1.5 * springs.K * root


@inline
def damper(z, springs):
    """(W [N s], D(z) [N s/m])."""
    if springs.z_H == 0.0:
        return springs.D * z, springs.D
    s = _relative(z, springs)
    power = s * math.sqrt(s)
    return -0.4 * springs.D * springs.z_H * s * power, springs.D * power


@inline
def energy(z, springs):
    """E [J]."""
    if springs.z_H == 0.0:
        return 0.5 * springs.K * z * z
    s = _relative(z, springs)
    return 0.4 * springs.K * springs.z_H * springs.z_H * s * s * math.sqrt(s)


@inline
def decay(K, D, t, closed):
    """Share that is left of a displacement of a free patch after t [s], (3) or (4)."""
    if closed:
        return exp_negative(K * t / D)
    a = 0.5 * K * t / D
    return max(0.0, (1.0 - a) / (1.0 + a))


@inline
def released(z, t, springs):
    """z of a free patch after t [s]."""
    if springs.z_H == 0.0:
        return z * decay(springs.K, springs.D, t, springs.closed)
    return min(0.0, z + springs.K * springs.z_H / springs.D * t)


# ---- substeps


@kernel
def rates(bodies, contacts, joints, index, impulse_duration, springs):
    """((6) [rad/s], the stiffest contact, -1: none, substeps per second that loaded joints need).

    index: live joints. impulse_duration: of the forces of the last impulses [s].
    """
    integrate.inertias(bodies)
    squares, stiffest, K, D = _squared_frequency(bodies, contacts, springs)
    omega = math.sqrt(RESERVE * squares)
    damped = 0.5 * RESERVE * squares / max(K, springs.K_t) * max(D, springs.D_t)
    joint_rate = 0.0
    if index.shape[0] > 0:
        swing = max(swing_frequency(joints, index, bodies, impulse_duration, np.empty((bodies.shape[0], 3))),
                    turn_rate(joints, index, bodies), inertia_rate(joints, index, bodies, impulse_duration))
        joint_rate = min(FORCE_GROWTH * swing / RESOLVED_ANGLE, MAX_SUBSTEPS / MAX_SUBSTEP_LENGTH)
    return max(omega, damped), stiffest, joint_rate


@routine
def _squared_frequency(bodies, contacts, springs):
    """(omega^2 of (6), the stiffest contact, dS/dz [N/m] and D(z) [N s/m] there)."""
    n = contacts.shape[0]
    stiffness, arms = np.empty(n), np.empty((n, 6))
    stiffest, most, K, D = -1, 0.0, springs.K, springs.D
    for i in range(n):
        c = contacts[i]
        a, b = bodies[c.body_a], bodies[c.body_b]
        r_a, r_b = surface_arms(c, a, b)
        inverse = _inverse_mass(a, r_a, c.normal) + _inverse_mass(b, r_b, c.normal)
        stiffness[i], damping = springs.K, springs.D
        if springs.z_H > 0.0:
            dv = vec.sub(vec.add(b.vel, vec.cross(b.omega, r_b)), vec.add(a.vel, vec.cross(a.omega, r_a)))
            s = max(0.0, -c.gap / springs.z_H, _deepest(vec.dot(c.normal, dv), inverse, springs))
            stiffness[i], damping = spring(-s * springs.z_H, springs)[1], damper(-s * springs.z_H, springs)[1]
        if stiffness[i] * inverse > most:
            stiffest, most, K, D = i, stiffness[i] * inverse, stiffness[i], damping
        for k in range(3):
            arms[i, k], arms[i, 3 + k] = r_a[k], r_b[k]
    w = np.empty((bodies.shape[0], 6))
    for i in range(bodies.shape[0]):
        for k in range(6):
            w[i, k] = (1.0 if (i + k) % 2 else -1.0) * (1.0 + 0.1 * ((3 * i + 5 * k) % 7)) * (bodies[i].kind == _DYNAMIC)
    squares = 0.0
    for _ in range(POWER_ITERATIONS if n > 0 else 0):
        squares = _multiply(bodies, contacts, arms, stiffness, springs.K_t, w)
    return max(squares, most), stiffest, K, D


@inline
def _deepest(u, inverse, springs):
    """Bound of the depth over z_H at which an approach at u < 0 [m/s] ends: q^(2/5) <= q^(1/2) or q^(3/8), without libm."""
    if u >= 0.0:
        return 0.0
    q = 1.25 * u * u / (inverse * springs.K * springs.z_H * springs.z_H)
    root = math.sqrt(q)
    return root if q > 1.0 else math.sqrt(root) * math.sqrt(math.sqrt(root))


@inline
def _inverse_mass(body, r, n):
    """Velocity along n at arm r by a unit impulse there [1/kg]."""
    if body.kind != _DYNAMIC:
        return 0.0
    turn = vec.cross(r, n)
    return body.inv_mass + vec.dot(turn, mat3.apply(body.inv_inertia_world, turn))


@routine
def _multiply(bodies, contacts, arms, stiffness, tangential, w):
    """w <- A w / |A w|; returns |A w| / |w|, w of length 1 after the first call."""
    out, before, after = np.zeros(w.shape), 0.0, 0.0
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = w[c.body_a], w[c.body_b]
        r_a, r_b = (arms[i, 0], arms[i, 1], arms[i, 2]), (arms[i, 3], arms[i, 4], arms[i, 5])
        dv = vec.sub(vec.add(b, vec.cross(b[3:], r_b)), vec.add(a, vec.cross(a[3:], r_a)))
        f = vec.madd(vec.scale(dv, tangential), c.normal, (stiffness[i] - tangential) * vec.dot(c.normal, dv))
        _push(bodies[c.body_a], r_a, f, -1.0, out[c.body_a])
        _push(bodies[c.body_b], r_b, f, 1.0, out[c.body_b])
    for i in range(w.shape[0]):
        for k in range(6):
            before += w[i, k] * w[i, k]
            after += out[i, k] * out[i, k]
    if after == 0.0:
        return 0.0
    for i in range(w.shape[0]):
        for k in range(6):
            w[i, k] = out[i, k] / math.sqrt(after)
    return math.sqrt(after / before)


@inline
def _push(body, r, f, sign, out):
    if body.kind == _DYNAMIC:
        turn = mat3.apply(body.inv_inertia_world, vec.cross(r, f))
        for k in range(3):
            out[k] += sign * f[k] * body.inv_mass
            out[3 + k] += sign * turn[k]
