"""A step of trees on which no row acts, from momenta alone: SHAKE (Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23, 1977) in
joint coordinates.

The momenta of a body between two poses are those of the free motion that leads from one to the other in h:

    p = m (x(q1) - x(q0)) / h,   L: free top from R(q0) with L in h = R(q1)                                              (1)

Joints act at q0, so along T(q0) = dx/dq, the motions that they allow there, momenta change by forces alone:

    T(q0)^T [ P(q1) - P0 - t f - p ] = 0,   t = lag + h / 2                                                              (2)

with P0 the momenta of the step before and p impulses at q0 of whatever else acts: as many equations as coordinates, and no C.
What it makes is the motion of sequential impulses with joints closed to the last digit: symplectic, with linear and angular
momentum of floating trees exact, so that energy comes back after a whip in which links turn by a third of a radian in a step.

(2) is solved by Newton's method with B = T(q0)^T dP/dq1, the inertia in joint coordinates between two poses; as H it has
entries only where one coordinate is on the other's way to the ground, and so have its factors (RBDA 6.3).
"""

import math

import numpy as np

from physics.articulated import kinematics
from physics.articulated.dynamics import dot6, times
from physics.articulated.kinematics import joint_velocity, set_velocity, shift_motion
from physics.articulated.mechanism import add_row
from physics.articulated.momentum import angular_velocity, spin
from physics.articulated.tree import GROUND
from physics.core import elementary, mat3, quat, stack, vec
from physics.core.jit import inline, kernel, routine
from physics.dynamics import integrate

MAX_ROUNDS = 20
"""Most rounds of Newton's method; four or five do."""

SETTLED, ROUNDING = 1e-14, 1e-9
"""Changes of coordinates that end it: this small, or no longer smaller from round to round and below the second [m], [rad]."""

MAX_TURNS, SAME_TURN = 12, 1e-15
"""Most rounds in which the angular momentum of one body is found; the rotation that ends them [rad]."""

GIVEN, MOMENT = 0, 6
"""Columns of the momenta of a link: angular and linear ones of P0 + t f + p; the angular one of P(q1)."""

_QUAT = 3
"""First column of the orientation in measure.copy_motion."""

_half, _turn = stack.scratch(3, 3), stack.scratch(3, 3)


@kernel
def move(links, above, bodies, before, pushes, gravity, dt, moves, states, after, q, momenta, inertia, change):
    """Poses of bodies and q after dt [s], by (2), of the links that `moves` tells, whole trees; the others are placed at their q.
    False, and poses are as before, where no such q is found. The bodies get their velocities by `set_velocities`.

    before: measure.copy_motion at the start; pushes (bodies, 6): impulses, moments about centres of mass; states: STATE there;
    q of `moves`: those there. after (links,): STATE, momenta (links, 9), inertia (n, n), change (n,): to work in.
    """
    _begin(links, bodies, pushes, gravity, dt, moves, states, momenta, change)
    last = math.inf
    kinematics.advance(links, change, 1.0, q)
    for _ in range(MAX_ROUNDS):
        kinematics.place(links, q, bodies)
        if not _find_change(links, above, bodies, before, dt, moves, states, after, momenta, inertia, change):
            break
        kinematics.advance(links, change, 1.0, q)
        largest, size = 0.0, 1.0
        for k in range(change.shape[0]):
            largest = max(largest, abs(change[k]))
        for i in range(links.shape[0]):
            size = max(size, vec.norm(after[i].pos))
        if largest <= SETTLED * size or (largest <= ROUNDING * size and largest > 0.25 * last):
            kinematics.place(links, q, bodies)
            return True
        last = largest
    _put_back(links, bodies, before)
    return False


@kernel
def set_velocities(links, bodies, before, dt, moves, momenta):
    """Give the bodies moved by `move` the velocities of their momenta (1)."""
    for i in range(links.shape[0]):
        if not moves[i]:
            continue
        b, motion, moment = bodies[links[i].body], before[links[i].body], momenta[i, MOMENT:MOMENT + 3]
        _find_moment(b, motion, dt, moment)
        vec.assign(b.vel, vec.scale(vec.sub(b.pos, motion), 1.0 / dt))
        vec.assign(b.omega, angular_velocity(b, b.quat, moment))


@routine
def _put_back(links, bodies, before):
    for i in range(links.shape[0]):
        b, motion = bodies[links[i].body], before[links[i].body]
        vec.assign(b.pos, motion)
        for k in range(4):
            b.quat[k] = motion[_QUAT + k]


@routine
def _begin(links, bodies, pushes, gravity, dt, moves, states, momenta, change):
    """Momenta P0 + t f + p, and change (n,): by the velocities of the bodies in dt [s]."""
    relative, carried = np.empty(6), np.empty(6)
    change[:] = 0.0
    for i in range(links.shape[0]):
        if not moves[i]:
            continue
        link, b, state = links[i], bodies[links[i].body], states[i]
        time = integrate.kick_time(b, dt)
        linear = vec.scale(vec.madd(b.vel, gravity, time), b.mass)
        vec.assign(momenta[i, GIVEN:GIVEN + 3], vec.madd(spin(b, quat.copy(b.quat), vec.copy(b.omega)), b.torque, time))
        vec.assign(momenta[i, GIVEN + 3:GIVEN + 6], vec.madd(linear, b.force, time))
        vec.add_scaled(momenta[i, GIVEN:GIVEN + 3], pushes[link.body, 3:6], 1.0)
        vec.add_scaled(momenta[i, GIVEN + 3:GIVEN + 6], pushes[link.body, 0:3], 1.0)
        vec.assign(momenta[i, MOMENT:MOMENT + 3], momenta[i, GIVEN:GIVEN + 3])
        set_velocity(relative, bodies[link.other])
        shift_motion(carried, relative, state.r)
        set_velocity(relative, b)
        for k in range(6):
            relative[k] = dt * (relative[k] - carried[k])
        joint_velocity(link, state, relative, change)


@inline
def _rotation_between(p, q):
    """Rotation vector from orientation p to q, which are less than half a turn apart [rad]."""
    r = quat.multiply(q, quat.conjugate(p))
    sine = math.sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3])
    if sine == 0.0:
        return (0.0, 0.0, 0.0)
    size = 2.0 * elementary.angle(sine, abs(r[0])) / sine
    size = size if r[0] >= 0.0 else -size
    return (size * r[1], size * r[2], size * r[3])


@routine
def _find_moment(body, motion, dt, moment):
    """moment (3,): angular momentum that turns a body from its orientation in `motion`, a row of copy_motion, to its own in dt
    [s]; given: one by which it comes to within half a turn of it."""
    start = (motion[_QUAT], motion[_QUAT + 1], motion[_QUAT + 2], motion[_QUAT + 3])
    end = quat.copy(body.quat)
    for _ in range(MAX_TURNS):
        turned = integrate.pose_after_drift(body, start, angular_velocity(body, start, moment), dt, True)
        off = _rotation_between(turned, end)
        vec.add_scaled(moment, spin(body, end, off), 1.0 / dt)
        if abs(off[0]) + abs(off[1]) + abs(off[2]) <= SAME_TURN:
            break


@routine
def _find_change(links, above, bodies, before, dt, moves, states, after, momenta, inertia, change):
    """change (n,): of the coordinates at which the links of `after` are placed, a round of Newton's method for (2); False where
    there is none."""
    kinematics.begin(links, bodies, after, change)
    change[:] = 0.0
    for i in range(links.shape[0]):
        if not moves[i]:
            continue
        b, motion, p = bodies[links[i].body], before[links[i].body], momenta[i]
        _find_moment(b, motion, dt, p[MOMENT:MOMENT + 3])
        linear = vec.scale(vec.sub(b.pos, motion), b.mass / dt)
        missing = vec.sub(p[GIVEN:GIVEN + 3], p[MOMENT:MOMENT + 3])
        add_row(links, states, i, vec.sub(p[GIVEN + 3:GIVEN + 6], linear), missing, change)
    _inertia_between(links, bodies, dt, moves, states, after, inertia)
    return _solve(above, inertia, change)


@routine
def _inertia_between(links, bodies, dt, moves, states, after, out):
    """out (n, n) = B: composite bodies (RBDA table 6.2) that move where `after` is, their momenta seen from `states`."""
    out[:] = 0.0
    force, row = np.empty(6), np.empty(6)
    for i in range(links.shape[0]):
        _set_inertia(after[i].inertia, bodies[links[i].body], states[i].quat, after[i].quat, dt)
    for i in range(links.shape[0] - 1, -1, -1):
        link = links[i]
        if not moves[i]:
            for k in range(link.first, link.first + link.count):
                out[k, k] = 1.0
            continue
        if link.parent != GROUND:
            _add_back(after[link.parent].inertia, after[i].inertia, states[i].r, after[i].r)
        for k in range(link.count):
            times(after[i].inertia, after[i].s[k], force)
            times(after[i].inertia.T, states[i].s[k], row)
            column, j = link.first + k, i
            while j != GROUND:
                for m in range(links[j].count):
                    out[links[j].first + m, column] = dot6(states[j].s[m], force)
                    if j != i:
                        out[column, links[j].first + m] = dot6(after[j].s[m], row)
                vec.add_scaled(force[0:3], vec.cross(states[j].r, force[3:6]), 1.0)
                vec.add_scaled(row[0:3], vec.cross(after[j].r, row[3:6]), 1.0)
                j = links[j].parent


@routine
def _set_inertia(out, body, start, end, dt):
    """out (6, 6) = dP/dx of one body: of L by a rotation at the end R I R1^T / dt to second order, R half way. With I at one
    place a thin rod has no inertia, or a negative one, about an axis that turns."""
    same = start[0] * end[0] + start[1] * end[1] + start[2] * end[2] + start[3] * end[3] >= 0.0
    x, y, z, w = (start[0] + end[0], start[1] + end[1], start[2] + end[2], start[3] + end[3]) if same else (
        start[0] - end[0], start[1] - end[1], start[2] - end[2], start[3] - end[3])
    size, half, turn = math.sqrt(x * x + y * y + z * z + w * w), _half(), _turn()
    quat.to_matrix(half, (x / size, y / size, z / size, w / size))
    quat.to_matrix(turn, end)
    out[:] = 0.0
    for j in range(3):
        column = mat3.apply(half, mat3.apply(body.inertia, (turn[j, 0], turn[j, 1], turn[j, 2])))
        for k in range(3):
            out[k, j] = column[k] / dt
        out[3 + j, 3 + j] = body.mass / dt


@routine
def _add_back(out, m, seen, moved):
    """out += X(seen)^T m X(moved), X of two places of the same link (kinematics.shift_motion)."""
    shifted = np.empty((6, 6))
    for i in range(6):
        turn = vec.cross(moved, m[i, 3:6])
        for k in range(3):
            shifted[i, k], shifted[i, 3 + k] = m[i, k] + turn[k], m[i, 3 + k]
    for j in range(6):
        arm = vec.cross(seen, (shifted[3, j], shifted[4, j], shifted[5, j]))
        for k in range(3):
            out[k, j] += shifted[k, j] + arm[k]
            out[3 + k, j] += shifted[3 + k, j]


@routine
def _solve(above, b, x):
    """x (n,) <- b^-1 x, b (n, n) becomes its factors, from the leaves on; False where b has none."""
    for k in range(x.shape[0] - 1, -1, -1):
        if not abs(b[k, k]) > 0.0:
            return False
        i = above[k]
        while i >= 0:
            b[i, k] /= b[k, k]
            x[i] -= b[i, k] * x[k]
            j = above[k]
            while j >= 0:
                b[i, j] -= b[i, k] * b[k, j]
                j = above[j]
            i = above[i]
    for k in range(x.shape[0]):
        j = above[k]
        while j >= 0:
            x[k] -= b[k, j] * x[j]
            j = above[j]
        x[k] /= b[k, k]
        if not math.isfinite(x[k]):
            return False
    return True
