"""How fast a loaded mechanism swings and turns: what the step has to resolve, and what is damped where it cannot.

A joint that pulls with a force F at the end of an arm r from a body's centre turns it back like a pendulum, sideways of r:

    omega^2 = sum over its joints r.F / I_across,   1 / I_across = (tr I^-1 - r.I^-1 r / r^2) / 2,   r.F > 0   (1)

A body that one joint alone holds, or a joint with what does not move, turns about that joint: its inertia there is I + m r^2.

The direction of F is held through a step (a force, not a spring, for the solver), which is stable while h omega < 2: a chain of
light links under a heavy end needs short steps. RESOLVED is what we ask for. Where no number of substeps gives it, the torque
that turns the body back is taken as it will be at the end of the step, which stills what the step does not resolve (geometric
stiffness: M. Tournier and others, Stable constrained dynamics, 2015; S. Andrews and others, Geometric stiffness for real-time
constrained multibody dynamics, 2017):

    (I + a h^2 K) omega1 = I omega0 + torque impulses,   K = sum r.F (1 - r r^T / r^2),   a = 1 - CALM^2 / (h omega)^2      (2)

for bodies with h omega > CALM alone; the others know nothing of it.
"""

import math

from physics.core import mat3, quat, vec
from physics.core.jit import inline, routine

RESOLVED = 0.6
"""Largest product of step and swing rate that is asked for. Stability needs less, energy does not: a step that changes its length
while a whip cracks keeps the error that the longer one has just then (a chain of 12 links at 240 Hz: 0.4 % of its fall; at twice
the product 4 %)."""

AHEAD = 1.25
"""Forces may grow within a step: the rate that they will have, over the one that they had in the last."""

SPARE = 0.6
"""A step of twice the length is taken when its product would be below this share of that."""

STABLE = 2.0
"""Beyond this product forces held through a step drive the swinging."""

CALM = 1.5
"""Beyond this one it is damped, (2)."""


@routine
def swing_rate(joints, index, bodies, dt, squares):
    """Largest omega (1) of any body [rad/s], from the reactions of the last kicks, which took dt [s] in all.

    squares (bodies, 3): scratch; omega^2 of each is left in its first column.
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
    """Find the square of the arm about which a body turns, in the second column: that of its only joint, or of one with what does
    not move (other: inverse mass). The last column counts joints; infinite, where it is held by such a one."""
    r2 = vec.dot(anchor, anchor)
    squares[i, 2] += 1.0
    if other == 0.0:
        squares[i, 1], squares[i, 2] = max(squares[i, 1], r2) if squares[i, 2] == math.inf else r2, math.inf
    elif squares[i, 2] < math.inf:
        squares[i, 1] = r2 if squares[i, 2] == 1.0 else 0.0


@inline
def _load(squares, i, body, anchor, force):
    """Add one joint's part of (1)."""
    r2 = vec.dot(anchor, anchor)
    if r2 == 0.0 or body.inv_mass == 0.0:
        return
    pull = vec.dot(quat.rotate(body.quat, anchor), force)
    across = _across(body, anchor, r2)
    if pull > 0.0:
        squares[i, 0] += pull * across / (1.0 + across * body.mass * squares[i, 1])


@inline
def _across(body, anchor, r2):
    """1 / I_across of (1), sideways of an anchor of length^2 r2."""
    inverse = body.inv_inertia
    return 0.5 * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2] - vec.dot(anchor, mat3.apply(inverse, anchor)) / r2)


@routine
def turn_rate(joints, index, bodies):
    """Largest rate at which the arm of a joint turns with its body [rad/s]: rows are those of the start of a step.

    An arm counts as far as it takes part: by the share m r^2 / (I + m r^2), so that a wheel may spin about its hub.
    """
    largest = 0.0
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        largest = max(largest, _turning(bodies[joint.body_a], joint.anchor_a), _turning(bodies[joint.body_b], joint.anchor_b))
    return math.sqrt(largest)


@inline
def _turning(body, anchor):
    """Square of that rate."""
    r2 = vec.dot(anchor, anchor)
    if r2 == 0.0 or body.inv_mass == 0.0:
        return 0.0
    across = r2 * _across(body, anchor, r2)
    way = vec.cross(body.omega, quat.rotate(body.quat, anchor))
    return vec.dot(way, way) / r2 * across / (body.inv_mass + across)


@routine
def calm(joints, index, bodies, time, dt, squares, stiffness, velocity):
    """(2), for a kick before a drift of dt [s]: into velocities (bodies, 6) and the world inertias.

    time: of the kicks whose reactions the joints tell [s]. squares (bodies, 3): as `swing_rate` left it; stiffness
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
            if bodies[i].inv_mass > 0.0 and x > CALM * CALM:
                squares[i, 0] = 0.0
                _slow(bodies[i], stiffness[i], (1.0 - CALM * CALM / x) * dt * dt, velocity[i])


@inline
def _stiffen(matrix, body, anchor, force):
    """Add one joint's part of K; world frame [N m]."""
    r = quat.rotate(body.quat, anchor)
    r2, pull = vec.dot(r, r), vec.dot(r, force)
    if r2 > 0.0 and pull > 0.0:
        for i in range(3):
            for j in range(3):
                matrix[i, j] += pull * ((1.0 if i == j else 0.0) - r[i] * r[j] / r2)


@routine
def _slow(body, k, share, velocity):
    """One body of (2): (1 + share I^-1 K)^-1 before its angular velocity and before I^-1."""
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
