"""Geometric stiffness of loaded mechanisms: the frequencies a step has to resolve, and damping of those it cannot.

A joint that pulls with a force F at the end of an arm r from a body's centre restores it like a pendulum, across r:

    omega^2 = sum over its joints r.F / I_across,   1 / I_across = (tr I^-1 - r.I^-1 r / r^2) / 2,   r.F > 0   (1)

A body with a single joint, or with a joint to an immovable body, turns about that joint: its inertia there is I + m r^2.

The direction of F is constant through a step (a force, not a spring, to the solver), which is stable while h omega < 2: a chain
of light links under a heavy end needs short steps. RESOLVED_ANGLE is the target. If no number of substeps reaches it, the
restoring torque is taken implicitly, at the end of the step, which damps the unresolved motion (geometric stiffness: M. Tournier
and others, Stable constrained dynamics, 2015; S. Andrews and others, Geometric stiffness for real-time constrained multibody
dynamics, 2017):

    (I + a h^2 K) omega1 = I omega0 + torque impulses,   K = sum r.F (1 - r r^T / r^2),   a = 1 - DAMPED_ABOVE^2 / (h omega)^2
      (2)

only for bodies with h omega > DAMPED_ABOVE; the others are unaffected.

The nutation of a body that spins about the arm of a joint, with the moments of inertia of its centre, is

    nutation = |L.r / r| / I_across                                                                       (3)

A joint that lets its bodies turn about an axis bears moments across it, against the inverse inertia K = J_a^-1 + J_b^-1 there,
2 x 2, where each body is held at its point by the other: J = I + m (r^2 - r r^T) with m = m_a m_b / (m_a + m_b). As b turns about
the axis by t, det K = c + d cos(2 t - p). So does K along u = n2 x n1, the one direction of the moment of a universal joint with
pins n1 in a and n2 in b, as b turns about n2 or a about n1. With K for both:

    |dK / dt| / K  is at most  2 d / sqrt(c^2 - d^2) |t'|,  shortly before and after the least K                  (4)

Thin rods on axes askew pass such places where only their own small inertia resists: there they spin fast for a moment, by 80
rad/s in 5 ms, and what h does not resolve is lost or gained for good.
"""

import math
from typing import NamedTuple

from physics.core import elementary, mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.joints import Holds, Turns, kinds

_CROSSED = tuple(bool(kind.holds & Holds.CROSS) for kind in kinds().values())
_HINGED = tuple(bool(kind.holds & Holds.PARALLEL) and kind.freedom is not None and kind.freedom.turns == Turns.ABOUT_Z
                for kind in kinds().values())
"""By JOINT.kind: whether its pins stay across one another; whether its bodies turn about a common axis."""

ROUNDING = 1e-12
"""A K that changes by less of itself is the same all round."""

RESOLVED_ANGLE = 0.6
"""Target of the largest product of step and swing frequency. Stability allows more; changes of the length are what costs energy,
see `hold`."""

FORCE_GROWTH = 1.25
"""Allowance for forces that grow within a step: frequency expected, over that of the last step."""

UNRESOLVED = 1.75
"""Lengths of more than so many times the one that resolves a swing are shortened at once."""

QUIET = 2.0
"""Lengths change while a mechanism would be resolved by so many times its present one."""

PATIENCE = 1000
"""Substeps after which a length wanted is used though the mechanism was never quiet, as under a load that stays."""

HELD_TIME = 2.0
"""Time for which substeps might have been twice as long with a reserve, before they are [s]: whips come again and again, and the
first one after it costs energy. After 0.1 to 2 s of substeps, pendulums of 2 to 12 links with loads to 100 times the weight of
one lost 2 % of their energy in 8 s, and after 2 s 0.1 %; ten times as large ones 1.0 and 0.1 % in 20 s."""

SUBSTEP_RESERVE = 0.6
"""A substep of twice the length may be taken if its product would be below this fraction of RESOLVED_ANGLE."""

NUTATION_ANGLE = 0.02
"""Target of h sqrt(nutation * turning), see `turn_rate`: a steady top's tilt then stays within 1e-4 rad."""

INERTIA_CHANGE = 0.1
"""Target of the relative change of K (4) in a substep. Thin rods on one and two universal joints askew, 6 s at 240 Hz: without
one the energy was off by up to 50 %; with 0.15 by 1.0 % on average and 2.6 % at most, with 0.1 by 0.4 and 1.2 %, with 0.05 by 0.2
and 0.4 % in twice as many substeps."""

AHEAD = 0.02
"""Time in which the largest change counts as reached [s]: substeps must be short before it comes."""

NEGLIGIBLE_MOMENT = 1e-3
"""Moments below so much of the kinetic energy of their bodies a radian do not limit them, as in a plane."""

STABILITY_LIMIT = 2.0
"""Above this product forces held constant through a step excite the swinging."""

DAMPED_ABOVE = 1.5
"""Above this product the swinging is damped, (2)."""


@routine
def swing_frequency(joints, index, bodies, dt, squares):
    """Largest omega (1) of any body [rad/s], from the reactions of the last kicks, of dt [s] in all.

    squares (bodies, 3): scratch; its first column returns omega^2 of each body.
    """
    largest = 0.0
    for n in range(index.shape[0]):
        squares[joints[index[n]].body_a, :] = 0.0
        squares[joints[index[n]].body_b, :] = 0.0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        _hold(squares, joint.body_a, joint.anchor_a, bodies[joint.body_b].inv_mass)
        _hold(squares, joint.body_b, joint.anchor_b, bodies[joint.body_a].inv_mass)
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        force = vec.scale(joint.reaction, 1.0 / dt)
        _load(squares, joint.body_a, bodies[joint.body_a], joint.anchor_a, vec.scale(force, -1.0))
        _load(squares, joint.body_b, bodies[joint.body_b], joint.anchor_b, force)
        largest = max(largest, squares[joint.body_a, 0], squares[joint.body_b, 0])
    return math.sqrt(largest)


@inline
def _hold(squares, i, anchor, other):
    """Write the square of the arm about which a body turns to the second column: that of its only joint, or of one to an
    immovable body (other: its inverse mass). The last column counts joints; infinite if there is such a one."""
    r2 = vec.dot(anchor, anchor)
    squares[i, 2] += 1.0
    if other == 0.0:
        squares[i, 1], squares[i, 2] = max(squares[i, 1], r2) if squares[i, 2] == math.inf else r2, math.inf
    elif squares[i, 2] < math.inf:
        squares[i, 1] = r2 if squares[i, 2] == 1.0 else 0.0


@inline
def _load(squares, i, body, anchor, force):
    """Add one joint's term of (1)."""
    r2 = vec.dot(anchor, anchor)
    if r2 == 0.0 or body.inv_mass == 0.0:
        return
    pull = vec.dot(quat.rotate(body.quat, anchor), force)
    across = _across(body, anchor, r2)
    if pull > 0.0:
        squares[i, 0] += pull * across / (1.0 + across * body.mass * squares[i, 1])


@inline
def _across(body, anchor, r2):
    """1 / I_across of (1), across an anchor of length^2 r2."""
    inverse = body.inv_inertia
    return 0.5 * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2] - vec.dot(anchor, mat3.apply(inverse, anchor)) / r2)


@routine
def turn_rate(joints, index, bodies):
    """Largest rate at which the arm of a joint turns with its body [rad/s]; rows are those at the start of a step.

    An arm is weighted by m r^2 / (I + m r^2), so that a wheel may spin about its hub. A body that spins about its arm (a top on
    its tip) would nutate if its joint let go, at the rate (3), and does so between the impulses of the joint, on an arc of its
    angular velocity across the arm. The error of the step is second order in h sqrt(nutation * turning), resolved to
    NUTATION_ANGLE.
    """
    largest = 0.0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        largest = max(largest, _turning(bodies[joint.body_a], joint.anchor_a), _turning(bodies[joint.body_b], joint.anchor_b))
    return math.sqrt(largest)


@inline
def _turning(body, anchor):
    """Square of the rate of `turn_rate` for one arm."""
    r2 = vec.dot(anchor, anchor)
    if r2 == 0.0 or body.inv_mass == 0.0:
        return 0.0
    across = _across(body, anchor, r2)
    spin = quat.rotate(quat.conjugate(body.quat), body.omega)
    way, moment = vec.cross(spin, anchor), abs(vec.dot(mat3.apply(body.inertia, spin), anchor))
    turning, nutation = math.sqrt(vec.dot(way, way) / r2), moment / math.sqrt(r2) * across
    rate = max(turning, (RESOLVED_ANGLE / NUTATION_ANGLE) ** 2 * nutation)
    return turning * rate * r2 * across / (body.inv_mass + r2 * across)


@routine
def inertia_rate(joints, index, bodies, dt):
    """Largest rate that resolves the change of K (4) to INERTIA_CHANGE as RESOLVED_ANGLE does a swing [rad/s]; dt: of the last
    kicks, as of `swing_frequency`."""
    largest = 0.0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        crossed = _CROSSED[joint.kind]
        if not crossed and not _HINGED[joint.kind]:
            continue
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        if a.inv_mass == 0.0 and not crossed:
            continue
        n1, relative = quat.rotate(a.quat, quat.rotate(joint.frame_a, (0.0, 0.0, 1.0))), vec.sub(b.omega, a.omega)
        across = _moment_across(joint, b, n1)
        if not vec.norm(across) > dt * NEGLIGIBLE_MOMENT * (_kinetic_energy(a) + _kinetic_energy(b)):
            continue
        if crossed:
            largest = max(largest, _change_at_cross(joint, a, b, n1, relative))
        else:
            largest = max(largest, _change_across(joint, a, b, abs(vec.dot(relative, n1))))
    return largest * RESOLVED_ANGLE / INERTIA_CHANGE


@inline
def _moment_across(joint, b, axis):
    """Part of a joint's angular impulse on b about its point that is across an axis [N m s]."""
    arm = quat.rotate(b.quat, joint.anchor_b)
    moment = vec.sub(joint.reaction[3:6], vec.cross(arm, joint.reaction[0:3]))
    return vec.madd(moment, axis, -vec.dot(moment, axis))


@routine
def _change_at_cross(joint, a, b, n1, relative):
    """Largest change (4) of a universal joint [1/s]; relative: angular velocity."""
    n2 = quat.rotate(b.quat, quat.rotate(joint.frame_b, (1.0, 0.0, 0.0)))
    u = vec.cross(n2, n1)
    mass = 1.0 / (a.inv_mass + b.inv_mass)
    a11, a12, a22 = _inverse_inertias(a, joint.anchor_a, mass, u, n2)
    b11, b12, b22 = _inverse_inertias(b, joint.anchor_b, mass, u, n1)
    return max(_largest_change(0.5 * (b11 + b22) + a11, 0.5 * (b11 - b22), b12, abs(vec.dot(relative, n2))),
               _largest_change(0.5 * (a11 + a22) + b11, 0.5 * (a11 - a22), a12, abs(vec.dot(relative, n1))))


@routine
def _change_across(joint, a, b, rate):
    """Largest change (4) of a joint with one axis about which its bodies turn at a rate [rad/s]."""
    x, y = (quat.rotate(a.quat, quat.rotate(joint.frame_a, (1.0, 0.0, 0.0))),
            quat.rotate(a.quat, quat.rotate(joint.frame_a, (0.0, 1.0, 0.0))))
    mass = 1.0 / (a.inv_mass + b.inv_mass)
    a11, a12, a22 = _inverse_inertias(a, joint.anchor_a, mass, x, y)
    b11, b12, b22 = _inverse_inertias(b, joint.anchor_b, mass, x, y)
    p, q = 0.5 * (a11 - a22), 0.5 * (b11 - b22)
    mean = a11 * a22 - a12 * a12 + b11 * b22 - b12 * b12 + 0.5 * (a11 + a22) * (b11 + b22)
    return _largest_change(mean, -2.0 * (p * q + a12 * b12), 2.0 * (p * b12 - a12 * q), rate)


@inline
def _kinetic_energy(body):
    """[J]; 0 of a body that nothing moves."""
    omega = quat.rotate(quat.conjugate(body.quat), body.omega)
    return 0.5 * (body.mass * vec.dot(body.vel, body.vel) + vec.dot(omega, mat3.apply(body.inertia, omega)))


@routine
def _inverse_inertias(body, r, mass, x, y):
    """x.J^-1 x, x.J^-1 y, y.J^-1 y of (4) for two vectors in the world; 0 of a body that nothing moves. r: arm in its frame."""
    if body.inv_mass == 0.0:
        return 0.0, 0.0, 0.0
    turn, i, square = quat.conjugate(body.quat), body.inertia, mass * vec.dot(r, r)
    x, y, s = quat.rotate(turn, x), quat.rotate(turn, y), vec.scale(r, mass)
    j00, j11, j22 = i[0, 0] + square - s[0] * r[0], i[1, 1] + square - s[1] * r[1], i[2, 2] + square - s[2] * r[2]
    j01, j02, j12 = i[0, 1] - s[0] * r[1], i[0, 2] - s[0] * r[2], i[1, 2] - s[1] * r[2]
    p = mat3.solve(j00, j01, j02, j01, j11, j12, j02, j12, j22, x)
    q = mat3.solve(j00, j01, j02, j01, j11, j12, j02, j12, j22, y)
    return vec.dot(x, p), vec.dot(x, q), vec.dot(y, q)


@routine
def _largest_change(c, even, odd, rate):
    """Largest |dK / dt| / K [1/s] within AHEAD, at a rate [rad/s] of t; now K = c + even and its slope 2 odd."""
    d = math.sqrt(even * even + odd * odd)
    root = math.sqrt(max((c - d) * (c + d), 0.0))
    if c + even <= 0.0 or rate == 0.0 or d <= ROUNDING * c:
        return 0.0
    if root > 0.0:
        steepest, here = elementary.angle(root, -d), elementary.angle(abs(odd), even)
        if abs(steepest - here) <= 2.0 * rate * AHEAD:
            return rate * 2.0 * d / root
    return rate * 2.0 * abs(odd) / (c + even)


class Pace(NamedTuple):
    """Memory of the lengths of substeps of mechanisms that nothing touches. held: none is longer, 0: no limit [s]; wanted: the
    shortest that would have resolved them since it is held, 0: none [s]; calm: substeps in a row that might have been twice as
    long, or, while a shorter one is wanted, that have waited for it; -1: none was made yet."""

    held: float
    wanted: float
    calm: int

    def after(self, resolved: float, limit: float) -> "Pace":
        """The pace after `hold`."""
        return Pace(*hold(resolved, self, limit))


NEW_PACE, ANY_PACE = Pace(0.0, 0.0, -1), Pace(0.0, 0.0, 0)
"""Of a new world, in which nothing is lost by a change; no length is held."""


@kernel
def hold(resolved, pace, limit):
    """The fields of `Pace` after a look at the mechanisms before a substep. Where contacts act, they take more energy than
    changes of h do.

    Between changes the method is symplectic: its energy oscillates by terms of order h^2, which are large while a whip cracks and
    small while the mechanism is slow. A change of h in a whip leaves the difference behind, each time a loss. So a whip for which
    h is too long passes with it, and h is shortened when the mechanism has become quiet.

    resolved: length that resolves the swing now [s]; limit: no substep is longer [s].
    """
    if pace.calm < 0:
        return (resolved, 0.0, 0) if resolved < limit else (0.0, 0.0, 0)
    present = pace.held if pace.held > 0.0 else limit
    wanted = min(resolved, pace.wanted if pace.wanted > 0.0 else limit)
    if UNRESOLVED * resolved < present:
        return wanted, 0.0, 0
    if wanted < present:
        if resolved >= QUIET * present or pace.calm >= PATIENCE:
            return wanted, 0.0, 0
        return pace.held, wanted, pace.calm + 1
    if pace.held == 0.0:
        return 0.0, 0.0, 0
    calm = pace.calm + 1 if 2.0 * present < SUBSTEP_RESERVE * resolved else 0
    if calm * present < HELD_TIME:
        return pace.held, 0.0, calm
    return (2.0 * present, 0.0, 0) if 2.0 * present < limit else (0.0, 0.0, 0)


@routine
def damp_unresolved(joints, index, bodies, time, dt, squares, stiffness, velocity):
    """Apply (2) for a kick before a drift of dt [s] to velocities (bodies, 6) and the world inertias.

    time: of the kicks that gave the joints' reactions [s]. squares (bodies, 3): from `swing_frequency`; stiffness
    (bodies, 3, 3): scratch.
    """
    for n in range(index.shape[0]):
        stiffness[joints[index[n]].body_a] = 0.0
        stiffness[joints[index[n]].body_b] = 0.0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        force = vec.scale(joint.reaction, 1.0 / time)
        _stiffen(stiffness[joint.body_a], bodies[joint.body_a], joint.anchor_a, vec.scale(force, -1.0))
        _stiffen(stiffness[joint.body_b], bodies[joint.body_b], joint.anchor_b, force)
    for n in range(index.shape[0]):
        for i in (joints[index[n]].body_a, joints[index[n]].body_b):
            x = dt * dt * squares[i, 0]
            if bodies[i].inv_mass > 0.0 and x > DAMPED_ABOVE * DAMPED_ABOVE:
                squares[i, 0] = 0.0
                _damp(bodies[i], stiffness[i], (1.0 - DAMPED_ABOVE * DAMPED_ABOVE / x) * dt * dt, velocity[i])


@inline
def _stiffen(matrix, body, anchor, force):
    """Add one joint's term of K; world frame [N m]."""
    r = quat.rotate(body.quat, anchor)
    r2, pull = vec.dot(r, r), vec.dot(r, force)
    if r2 > 0.0 and pull > 0.0:
        for i in range(3):
            for j in range(3):
                matrix[i, j] += pull * ((1.0 if i == j else 0.0) - r[i] * r[j] / r2)


@routine
def _damp(body, k, share, velocity):
    """(2) for one body: multiply its angular velocity and I^-1 by (1 + share I^-1 K)^-1 from the left."""
    m = body.inv_inertia_world
    a = mat3.apply(m, (k[0, 0], k[1, 0], k[2, 0]))
    b = mat3.apply(m, (k[0, 1], k[1, 1], k[2, 1]))
    c = mat3.apply(m, (k[0, 2], k[1, 2], k[2, 2]))
    for j in range(4):
        old = (m[0, j], m[1, j], m[2, j]) if j < 3 else (velocity[3], velocity[4], velocity[5])
        new = mat3.solve(1.0 + share * a[0], share * b[0], share * c[0], share * a[1], 1.0 + share * b[1], share * c[1],
                         share * a[2], share * b[2], 1.0 + share * c[2], old)
        for i in range(3):
            if j < 3:
                m[i, j] = new[i]
            else:
                velocity[3 + i] = new[i]
