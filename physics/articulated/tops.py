"""Links that turn about a fixed point, as tops do: between impulses they are free tops about it (dynamics/integrate.py, 4).

    I_p = I + m (r^2 - r r^T),   L = I_p omega fixed in the world,   q1 = free top from q0 with I_p and L                 (1)
    p(t) = m omega(t) x r(t),    L_c(t) = L - r(t) x p(t)                                                               (2)

r: from the point to the centre of mass; L: angular momentum about the point; p, L_c: momenta of the body.

A ball joint has its velocities along axes that turn with the body. There an implicit step of Euler's equation turns omega, at the
rate (1 - I3 / I1) w3, with the phase of a Cayley map. Seen from outside, where w3 is taken off again, the error is I1 / I3 times
as large: 1 % of the precession of a top that turns by 0.1 in a step. (1) has none, at any spin.

Links that carry others, or whose point is carried by a body that moves, keep the step of trees (solvers/joint_space.py, 1).
"""

import math

import numpy as np

from physics.articulated.kinematics import ALL_TURNS
from physics.articulated.tree import GROUND
from physics.core import mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics import integrate
from physics.dynamics.integrate import NEGLIGIBLE_TURN

_STATIC = Kind.STATIC


@inline
def is_top(links, bodies, i):
    """Whether a link turns about a point of a static body and carries no other."""
    link = links[i]
    return (link.turns == ALL_TURNS and link.count == 3 and link.parent == GROUND and bodies[link.other].kind == _STATIC
            and (i + 1 == links.shape[0] or links[i + 1].parent != i))


@kernel
def find(links, bodies, out):
    """out (links,): whether each link is a top."""
    for i in range(links.shape[0]):
        out[i] = is_top(links, bodies, i)


@inline
def _arm(link):
    """From the point to the centre of mass, in the frame of the body."""
    return vec.scale(link.anchor_b, -1.0) if link.sign > 0.0 else vec.scale(link.anchor_a, -1.0)


@routine
def _inertia_about_point(link, body, out):
    """out (3, 3) = I_p of (1) in the frame of the body."""
    r = _arm(link)
    square = vec.dot(r, r)
    for i in range(3):
        for j in range(3):
            out[i, j] = body.inertia[i, j] - body.mass * r[i] * r[j]
        out[i, i] += body.mass * square


@inline
def _velocity(inertia, momentum):
    return mat3.solve(inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 0], inertia[1, 1], inertia[1, 2], inertia[2, 0],
                      inertia[2, 1], inertia[2, 2], momentum)


@routine
def _turned(inertia, q, omega, time):
    """(orientation, angular velocity) of (1) after a time [s]; inertia: I_p."""
    if time * time * vec.dot(omega, omega) < NEGLIGIBLE_TURN * NEGLIGIBLE_TURN:
        return integrate.turned(q, time * omega[0], time * omega[1], time * omega[2]), omega
    momentum = quat.rotate(q, mat3.apply(inertia, quat.rotate(quat.conjugate(q), omega)))
    after = integrate.free_top(inertia, q, momentum, time)
    return after, quat.rotate(after, _velocity(inertia, quat.rotate(quat.conjugate(after), momentum)))


@kernel
def drift(links, bodies, states, dt, coordinates, velocities):
    """Coordinates (places,) and velocities (n,) of the tops after dt [s], from the poses of `bodies`, with their STATE, and
    `velocities` there."""
    inertia = np.empty((3, 3))
    for i in range(links.shape[0]):
        if not is_top(links, bodies, i):
            continue
        link, body, omega = links[i], bodies[links[i].body], (0.0, 0.0, 0.0)
        _inertia_about_point(link, body, inertia)
        for k in range(3):
            omega = vec.madd(omega, states[i].s[k, 0:3], velocities[link.first + k])
        at, (q, omega) = quat.copy(bodies[link.other].quat), _turned(inertia, quat.copy(body.quat), omega, dt)
        f_a = quat.multiply(at if link.sign > 0.0 else q, link.frame_a)
        f_b = quat.multiply(q if link.sign > 0.0 else at, link.frame_b)
        turn, own = quat.multiply(quat.conjugate(f_a), f_b), quat.rotate(quat.conjugate(f_b), omega)
        for k in range(4):
            coordinates[link.place + k] = turn[k]
        for k in range(3):
            velocities[link.first + k] = link.sign * own[k]


@routine
def momentum_gained(link, body, state, time, out):
    """out (6,): by how much the momenta (2) of a top at `state` have changed in the last `time` [s], linear and angular."""
    inertia, q = np.empty((3, 3)), quat.copy(state.quat)
    _inertia_about_point(link, body, inertia)
    back, omega = _turned(inertia, q, vec.scale(state.v[0:3], -1.0), time)
    r0, r1 = quat.rotate(back, _arm(link)), quat.rotate(q, _arm(link))
    p0, p1 = vec.scale(vec.cross(omega, r0), -body.mass), vec.scale(state.v[3:6], body.mass)
    vec.assign(out[0:3], vec.sub(p1, p0))
    vec.assign(out[3:6], vec.sub(vec.cross(r0, p0), vec.cross(r1, p1)))


@routine
def add_free_acceleration(link, body, state, out):
    """out (6,) += angular acceleration of (1), and that of the centre of mass by it."""
    inertia, q = np.empty((3, 3)), quat.copy(state.quat)
    _inertia_about_point(link, body, inertia)
    own = quat.rotate(quat.conjugate(q), vec.copy(state.v[0:3]))
    alpha = quat.rotate(q, _velocity(inertia, vec.cross(mat3.apply(inertia, own), own)))
    vec.add_scaled(out[0:3], alpha, 1.0)
    vec.add_scaled(out[3:6], vec.cross(alpha, quat.rotate(q, _arm(link))), 1.0)


@kernel
def sweep(links, bodies):
    """Largest rate at which the arm of a top turns [rad/s], by the share of its energy that the motion of its centre of mass has:
    momenta are those of the middle of a part of the step, poses those of its end, and must not be far apart."""
    largest = 0.0
    for i in range(links.shape[0]):
        if not is_top(links, bodies, i):
            continue
        b = bodies[links[i].body]
        omega, r = quat.rotate(quat.conjugate(b.quat), b.omega), _arm(links[i])
        v, spin = vec.cross(omega, r), vec.dot(omega, mat3.apply(b.inertia, omega))
        square, moving = vec.dot(v, v), b.mass * vec.dot(v, v)
        if square > 0.0:
            largest = max(largest, square / vec.dot(r, r) * moving / (moving + spin))
    return math.sqrt(largest)
