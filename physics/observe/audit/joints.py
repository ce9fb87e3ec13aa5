"""Audit of joints: their reactions, work, springs and errors, from anchors and frames alone.

With u = x_b + r_b - x_a - r_a from anchor to anchor, d = z of the frame of a, n_b = z of that of b, R their relative rotation,
the errors after the step are

    point  |u|        line  |u - d (d.u)|        plane  |d.u|        rod  ||u| - l|        rope  max(0, |u| - l)        (1)
    axes  |d x n_b|   weld  |R - 1| (its angle)  cross  |z_a.x_b|    screw  d.u - lead q / 2 pi                        (2)

(1) and the screw are judged relative to the mechanism's size at the joint, (2) in radians. An axis with a motor, a spring or a
limit moves at the rate qdot; its impulse p does the work p (qdot0 + qdot1) / 2. The work of a motor is given; the losses by a
limit when hit and by a damper are taken, and so is the loss by a joint of velocities that were just set but that it does not
allow: this is an impact, even where it hardly opposes them, as a door on two hinges that are not in line. In an impact all
joints, limits and contacts of an island act together, and one that transmits it may give what others take, as contacts.py has it:
velocities that lag behind the poses do not quite obey a joint that turns. A spring stores k (q - rest)^2 / 2, with q at the time
of the velocities.

In a step of h in n equal parts the rate may differ from part to part, and what counts is the mean of those around each kick:

    sum of (qdot_k-1 + qdot_k) / 2 / n = r = (q1 - q0) / h - (qdot_n - qdot_0) / (2 n)                               (3a)

with qdot_0 of the joint as it is before the step and qdot_n of the joint as it is after: what a joint holds still on a circle is
pushed along rows that have turned with it.

Where the velocities lagged by s0 before, other than in steps of n parts, the first kick is a share c1 of all, not c as the
others. The rate changes in proportion to the kicks, so that the mean is

    c = h / n / (s0 + h - h / (2 n)),   c1 = 1 - (n - 1) c,   n c r + (c1 - c) (qdot_0 + c1 (qdot_n - qdot_0) / 2)    (3b)

The rate of a twist (of the frames' swing-twist decomposition) is that of its angle also where the axes are not parallel:

    qdot = (z_a + z_b) . (omega_b - omega_a) / (1 + z_a . z_b)                                                        (4)

A step that begins with half a kick, as after a velocity was set, leaves the poses of a spring's two energies apart by what it
moves within the other half: |p (qdot1 - qdot0)| at most, once.
"""

import math

import numpy as np

from physics.core import elementary, quat, vec
from physics.core.jit import inline, routine
from physics.core.records import MAX_AXES, Drive, Kind
from physics.joints import Axis, Holds, JointKind, Motion, kinds, marked
from physics.observe.audit.sums import (
    GIVEN,
    HAS_IMPACT,
    HELD,
    IMPACT_WORK_TOLERANCE,
    KICKED,
    MAX_DISTANCE,
    MAX_TURN,
    OMEGA,
    POS,
    QUAT,
    SINCE,
    SIZE,
    TAKEN,
    UNEXPLAINED_WORK,
    VEL,
    four,
    moves,
    note_worst_work,
    owner,
    push,
    still,
    three,
    union,
)
from physics.observe.audit.worst_places import Rule, record_worst

_JOINT = int(Rule.JOINT)
_KINEMATIC = Kind.KINEMATIC
_OFF, _SPRING = Drive.OFF, Drive.SPRING
_TURN = 2.0 * math.pi
_FOLDED = 1e-6
"""Where the axes are opposed, the twist has no rate; (4) is bounded there."""

POINT, LINE, PLANE, PARALLEL, WELD, CROSS, DISTANCE, REACH, THREAD, LOCKS, WORLD = (int(one) for one in Holds if one)
HOLDS = marked("holds")
"""Constraints (1) and (2) of each kind of joint; none of gears and racks, whose velocities the auditor cannot judge."""

PULLED = marked("pulled")
"""Whether a kind of joint is the mouse's."""

ALONG_X, ALONG_Y, ALONG_Z, ABOUT_Z, ABOUT_Z_A, ABOUT_X_B, LENGTH = range(Motion.ALONG_X, Motion.LENGTH + 1)
_WORLD_X, _END_A, _KNOWN = int(Motion.WORLD_X), int(Motion.END_A_1), int(Motion.KNOWN)


def _rates(axes: tuple[Axis, ...]) -> list[int]:
    known = [axis.motion if axis.motion <= _KNOWN else 0 for axis in axes]
    return known + [0] * (MAX_AXES - len(axes))


RATES = np.array([_rates(kind.axes) for kind in kinds().values()], np.int64)
"""Motion of each axis of each kind; 0: unknown to the auditor, which then accepts all work of the joint as given."""


def _rubbed(kind: JointKind) -> list[int]:
    rates, found = _rates(kind.axes), []
    for group in kind.friction:
        known = [rates[row - kind.constraint] if 0 <= row - kind.constraint < len(kind.axes) else 0 for row in group.rows]
        known = list(group.motions) or known
        found += known if all(known) else [0] * len(known)
    return (found + 6 * [0])[:6]


RUBBED = np.array([_rubbed(kind) for kind in kinds().values()], np.int64)
"""Motion along which each friction impulse of each kind acts; 0: unknown, then the slip counts that the solver reports."""

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@routine
def geometry(joint, x_a, q_a, x_b, q_b):
    """(r_a, r_b, u, frame of a, frame of b) for bodies at these poses."""
    r_a, r_b = quat.rotate(q_a, joint.anchor_a), quat.rotate(q_b, joint.anchor_b)
    u = vec.sub(vec.add(x_b, r_b), vec.add(x_a, r_a))
    return r_a, r_b, u, quat.multiply(q_a, joint.frame_a), quat.multiply(q_b, joint.frame_b)


@routine
def twist(frame_a, frame_b):
    """Rotation of b about the axis of a [rad]."""
    q = quat.multiply(quat.conjugate(frame_a), frame_b)
    return 2.0 * elementary.angle(q[3], q[0])


@routine
def _mean_rate(way, start, end, qdot0, qdot1, turned, since, dt, parts):
    """Rate at which the impulse of an axis acts, in a step of several parts by (3b), where that is known. turned: qdot1 of the
    joint as it is after the step; since: s0."""
    if parts == 1 or way >= _WORLD_X:
        return 0.5 * (qdot0 + qdot1)
    q0 = coordinate(way, start[2], start[3], start[4], 0.0)
    mean = (coordinate(way, end[2], end[3], end[4], q0) - q0) / dt - 0.5 * (turned - qdot0) / parts
    c = dt / parts / (since + dt - 0.5 * dt / parts)
    c1 = 1.0 - (parts - 1) * c
    return parts * c * mean + (c1 - c) * (qdot0 + 0.5 * c1 * (qdot1 - qdot0))


@inline
def _held(holds, d, x):
    """Size of a vector in the directions held by a joint: (1) of a point, a line and a plane."""
    along, far = vec.dot(d, x), 0.0
    if holds & POINT:
        far = vec.norm(x)
    elif holds & LINE:
        far = vec.norm(vec.madd(x, d, -along))
    elif holds & PLANE:
        far = abs(along)
    return far


@routine
def error_of(joint, r_a, u, frame_a, frame_b):
    """((1) [m], (2) [rad]) of a joint."""
    holds, turned = HOLDS[joint.kind], 0.0
    d = quat.rotate(frame_a, _Z)
    far = _held(holds, d, u)
    if holds & PARALLEL:
        turned = vec.norm(vec.cross(d, quat.rotate(frame_b, _Z)))
    elif holds & CROSS:
        turned = abs(vec.dot(d, quat.rotate(frame_b, _X)))
    elif holds & WELD:
        q = quat.multiply(quat.conjugate(frame_a), frame_b)
        turned = 2.0 * math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if holds & DISTANCE:
        far = abs(vec.norm(u) - joint.param[0])
    elif holds & REACH:
        far = max(0.0, vec.norm(u) - joint.limit_hi[0])
    elif holds & THREAD:
        off = vec.dot(d, u) - joint.param[0] * twist(frame_a, frame_b) / _TURN
        if joint.param[0] != 0.0:
            off -= joint.param[0] * math.floor(off / joint.param[0] + 0.5)
        far = max(far, abs(off))
    elif holds & LOCKS:
        for k in range(3):
            if (joint.locked >> k) & 1:
                e = quat.rotate(frame_a, _X if k == 0 else _Y if k == 1 else _Z)
                far = max(far, abs(vec.dot(e, u) - joint.limit_lo[k]))
    return far, turned


@routine
def _end_rate(n, r_a, r_b, u, v_a, w_a, v_b, w_b):
    """Rate of the line between both points against a (n = 0, 1), of b against it (n = 2, 3), about the tangents across it."""
    length = vec.norm(u)
    e = vec.scale(u, 1.0 / max(length, 1e-9))
    dot = vec.sub(vec.add(v_b, vec.cross(w_b, r_b)), vec.add(v_a, vec.cross(w_a, r_a)))
    w = vec.scale(vec.cross(e, dot), 1.0 / max(length, 1e-9))
    t1, t2 = vec.tangents(e)
    return vec.dot(t1 if n % 2 == 0 else t2, vec.sub(w, w_a) if n < 2 else vec.sub(w_b, w))


@routine
def rate(way, r_a, r_b, u, frame_a, frame_b, v_a, w_a, v_b, w_b):
    """qdot of an axis with that motion, (4) of a twist."""
    if way >= _END_A:
        return _end_rate(way - _END_A, r_a, r_b, u, v_a, w_a, v_b, w_b)
    if way >= _WORLD_X:
        return w_b[way - _WORLD_X] - w_a[way - _WORLD_X]
    if way == ABOUT_Z:
        z_a, z_b = quat.rotate(frame_a, _Z), quat.rotate(frame_b, _Z)
        return vec.dot(vec.add(z_a, z_b), vec.sub(w_b, w_a)) / max(_FOLDED, 1.0 + vec.dot(z_a, z_b))
    if way == ABOUT_Z_A:
        return vec.dot(quat.rotate(frame_a, _Z), vec.sub(w_b, w_a))
    if way == ABOUT_X_B:
        return vec.dot(quat.rotate(frame_b, _X), vec.sub(w_b, w_a))
    if way == LENGTH:
        dot = vec.sub(vec.add(v_b, vec.cross(w_b, r_b)), vec.add(v_a, vec.cross(w_a, r_a)))
        return vec.dot(vec.unit(u), dot)
    e = quat.rotate(frame_a, _X if way == ALONG_X else _Y if way == ALONG_Y else _Z)
    dot = vec.sub(vec.add(v_b, vec.cross(w_b, r_b)), vec.add(v_a, vec.cross(w_a, vec.add(r_a, u))))
    return vec.dot(e, dot)


@routine
def coordinate(way, u, frame_a, frame_b, near):
    """q of an axis with that motion; of angles, the one nearest to `near`."""
    if ABOUT_Z <= way <= ABOUT_X_B:
        if way == ABOUT_Z:
            q = twist(frame_a, frame_b)
        elif way == ABOUT_Z_A:
            m = quat.rotate(frame_b, _X)
            q = elementary.angle(vec.dot(m, quat.rotate(frame_a, _Y)), vec.dot(m, quat.rotate(frame_a, _X)))
        else:
            m = quat.rotate(frame_a, _Z)
            q = elementary.angle(vec.dot(m, quat.rotate(frame_b, _Y)), vec.dot(m, quat.rotate(frame_b, _Z)))
        return q + _TURN * math.floor((near - q) / _TURN + 0.5)
    if way == LENGTH:
        return vec.norm(u)
    return vec.dot(quat.rotate(frame_a, _X if way == ALONG_X else _Y if way == ALONG_Y else _Z), u)


@inline
def velocity(i, bodies, movers, sums):
    """(v, omega) of a body after its last kick, 0 if it is still."""
    b = bodies[i]
    if still(b):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if movers.shape[0] > 0 and b.kind == _KINEMATIC:
        return three(movers, i, 6), three(movers, i, 9)
    return vec.copy(b.vel), three(sums, i, KICKED)


@inline
def velocity_before(i, bodies, before, movers):
    """(v, omega) of a body before the step, 0 if it is still."""
    if still(bodies[i]):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if movers.shape[0] > 0 and bodies[i].kind == _KINEMATIC:
        return three(movers, i, 0), three(movers, i, 3)
    return three(before, i, VEL), three(before, i, OMEGA)


@routine
def enter(joints, compliant, bodies, before, movers, dt, parts, limits, sums, parent, found):
    """Add all joints to the sums, and judge their errors. compliant: contacts have springs, so impacts take time and act on
    joints while these turn. movers: see driven_velocities; empty if there are none. parts: number of parts
    of the step."""
    for n in range(joints.shape[0]):
        j = joints[n]
        if j.kind < 0 or not (moves(bodies[j.body_a]) or moves(bodies[j.body_b])):
            continue
        a, b = j.body_a, j.body_b
        if moves(bodies[a]) and moves(bodies[b]):
            union(parent, a, b)
        else:
            sums[owner(bodies, a, b), HELD] = 1.0
        x_a, x_b = three(before, a, POS), three(before, b, POS)
        start = geometry(j, x_a, four(before, a, QUAT), x_b, four(before, b, QUAT))
        end = geometry(j, vec.copy(bodies[a].pos), quat.copy(bodies[a].quat), vec.copy(bodies[b].pos), quat.copy(bodies[b].quat))
        x, way = vec.sub(x_b, x_a), (0.0, 0.0, 0.0)
        if parts > 1:
            way = vec.sub(vec.sub(vec.copy(bodies[b].pos), vec.copy(bodies[a].pos)), x)
            x = vec.madd(x, way, 0.5 - 0.5 / parts)
        _press(j, x, vec.norm(way), bodies, sums)
        _work(n, j, start, end, x, compliant, bodies, before, movers, dt, parts, limits, sums)
        far, turned = error_of(j, end[0], end[2], end[3], end[4])
        if j.ramp > 0.0:
            fading = 0.0
            for k in range(MAX_AXES):
                fading = max(fading, abs(j.start_error[k]))
            far, turned = max(0.0, far - fading), max(0.0, turned - fading)
        size = _lever(j, bodies, sums)
        other = a if moves(bodies[b]) else b
        record_worst(found, _JOINT, far / (limits.joint * size), far, owner(bodies, a, b), other, -1, n)
        record_worst(found, _JOINT, turned / limits.joint_angle, turned, owner(bodies, a, b), other, -1, n)


@inline
def _lever(j, bodies, sums):
    """The mechanism's size at a joint: the longest arm, or half a body [m]."""
    size = 0.0
    if moves(bodies[j.body_a]):
        size = max(vec.norm(j.anchor_a), math.sqrt(sums[j.body_a, SIZE]))
    if moves(bodies[j.body_b]):
        size = max(size, vec.norm(j.anchor_b), math.sqrt(sums[j.body_b, SIZE]))
    return size


@routine
def _press(j, x, way, bodies, sums):
    """Add impulse and moment of a joint on both bodies; x: from a to b, on average when the parts of the step kick. way: by how
    much x changed in a step of several parts, in which errors of position are corrected when they are found [m]."""
    p, m = (j.reaction[0], j.reaction[1], j.reaction[2]), (j.reaction[3], j.reaction[4], j.reaction[5])
    a, b, size = j.body_a, j.body_b, vec.norm((j.reaction[0], j.reaction[1], j.reaction[2]))
    spun = vec.norm(m) + size * vec.norm(j.anchor_b)
    push(sums, b, 1.0, p, m, size, spun, spun * min(2.0, sums[b, MAX_TURN]))
    spun = vec.norm(m) + size * (vec.norm(j.anchor_a) + vec.norm(x))
    loose = spun * min(2.0, sums[a, MAX_TURN] + sums[b, MAX_TURN])
    if HOLDS[j.kind] & WORLD and j.param[1] > 0.0:
        loose = math.inf        # the world carries part of it
        if moves(bodies[a]):
            sums[a, HELD] = 1.0
    push(sums, a, -1.0, p, vec.add(m, vec.cross(x, p)), size, spun,
         loose + size * max(way, sums[a, MAX_DISTANCE] + sums[b, MAX_DISTANCE]))


@routine
def _friction_work(j, start, end, old, new, since, dt, parts):
    """Work of a joint's friction [J]. old, new: velocities (v_a, omega_a, v_b, omega_b) before, lagging by `since`, and after."""
    work = 0.0
    for k in range(6):
        way = RUBBED[j.kind, k]
        if j.friction_impulse[k] != 0.0 and way > 0:
            qdot0 = rate(way, start[0], start[1], start[2], start[3], start[4], old[0], old[1], old[2], old[3])
            qdot1 = rate(way, start[0], start[1], start[2], start[3], start[4], new[0], new[1], new[2], new[3])
            turned = rate(way, end[0], end[1], end[2], end[3], end[4], new[0], new[1], new[2], new[3])
            work += j.friction_impulse[k] * _mean_rate(way, start, end, qdot0, qdot1, turned, since, dt, parts)
        else:
            work += min(0.0, j.friction_impulse[k] * j.slip[k])
    return work


@routine
def _work(n, j, start, end, x, compliant, bodies, before, movers, dt, parts, limits, sums):
    """Work given and taken by a joint, or unexplained."""
    a, b = j.body_a, j.body_b
    i = owner(bodies, a, b)
    (v_a0, w_a0), (v_b0, w_b0) = velocity_before(a, bodies, before, movers), velocity_before(b, bodies, before, movers)
    (v_a1, w_a1), (v_b1, w_b1) = velocity(a, bodies, movers, sums), velocity(b, bodies, movers, sums)
    v_a, w_a = vec.scale(vec.add(v_a0, v_a1), 0.5), vec.scale(vec.add(w_a0, w_a1), 0.5)
    v_b, w_b = vec.scale(vec.add(v_b0, v_b1), 0.5), vec.scale(vec.add(w_b0, w_b1), 0.5)
    p, m = (j.reaction[0], j.reaction[1], j.reaction[2]), (j.reaction[3], j.reaction[4], j.reaction[5])
    turning = vec.add(m, vec.cross(x, p))
    on_a = -vec.dot(p, v_a) - vec.dot(turning, w_a)
    whole = vec.dot(p, v_b) + vec.dot(m, w_b) + on_a
    mover = 0.0
    if bodies[a].kind == _KINEMATIC:
        mover = -on_a
    elif bodies[b].kind == _KINEMATIC:
        mover = on_a - whole
    sums[i, GIVEN] += mover
    given, against = _just_given(a, bodies, before) or _just_given(b, bodies, before), 0.0
    if given:
        against = _against(j, start, v_a0, w_a0, v_b0, w_b0)
    struck = given and (not HOLDS[j.kind] & ~WORLD or against > limits.slip)
    if struck or compliant:
        sums[i, IMPACT_WORK_TOLERANCE] += _bent(start, p, turning, w_a0, w_b0, dt)
    if PULLED[j.kind] or j.ramp > 0.0:
        sums[i, GIVEN] += whole
        return
    rest = whole
    since = _older(before[a, SINCE], before[b, SINCE], bodies[a], bodies[b])
    rubbed = _friction_work(j, start, end, (v_a0, w_a0, v_b0, w_b0), (v_a1, w_a1, v_b1, w_b1), since, dt, parts)
    if rubbed < 0.0:
        sums[i, TAKEN] += rubbed
        rest -= rubbed
    for k in range(MAX_AXES if j.used != 0 else 0):
        if j.motor_mode[k] == _OFF and j.limit_impulse[k] == 0.0:
            continue
        way = RATES[j.kind, k]
        if way == 0:
            sums[i, GIVEN] += rest
            return
        qdot0 = rate(way, start[0], start[1], start[2], start[3], start[4], v_a0, w_a0, v_b0, w_b0)
        qdot1 = rate(way, start[0], start[1], start[2], start[3], start[4], v_a1, w_a1, v_b1, w_b1)
        rest -= _hit(j, k, qdot0, qdot1, limits, i, sums)
        if j.motor_mode[k] != _OFF:
            turned = rate(way, end[0], end[1], end[2], end[3], end[4], v_a1, w_a1, v_b1, w_b1)
            mean = _mean_rate(way, start, end, qdot0, qdot1, turned, since, dt, parts)
            rest -= j.motor_impulse[k] * mean
            going = rate(way, end[0], end[1], end[2], end[3], end[4], v_a1, _turning(a, bodies, w_a1), v_b1,
                         _turning(b, bodies, w_b1))
            varied = abs(qdot1 - qdot0) if parts > 1 else 0.0
            _drive(j, k, way, start, end, qdot0, mean, varied, going, since,
                   _older(bodies[a].velocity_lag, bodies[b].velocity_lag, bodies[a], bodies[b]), dt, i, sums)
    if struck or 0.0 < -rest <= against * (vec.norm(p) + vec.norm(vec.sub(m, vec.cross(start[1], p)))):
        sums[i, TAKEN] += rest
        return
    if dt == 0.0:
        sums[i, UNEXPLAINED_WORK] += rest
        return
    note_worst_work(sums, i, rest, -(n + 1))


@inline
def _hit(j, k, qdot0, qdot1, limits, i, sums):
    """Work of the limit of axis k: a loss, or what it transmits in an impact if it opens no faster than by its restitution."""
    p = j.limit_impulse[k]
    if p == 0.0:
        return 0.0
    way = math.copysign(1.0, p)
    work, closing, opening = 0.5 * p * (qdot0 + qdot1), -way * qdot0, way * qdot1
    if work < 0.0:
        sums[i, TAKEN] += work
    elif opening < j.limit_restitution * max(closing, 0.0) + limits.slip:
        sums[i, UNEXPLAINED_WORK] += work
    if closing > limits.slip:
        sums[i, HAS_IMPACT] = 1.0
    return work


@inline
def _turning(i, bodies, w):
    """Angular velocity of a body at the pose after the step; w: that of one that forces do not move."""
    return vec.copy(bodies[i].omega) if moves(bodies[i]) else w


@inline
def _just_given(i, bodies, before):
    """Whether the body's velocity was set since the last step: then it does not lag behind the pose."""
    return moves(bodies[i]) and before[i, SINCE] == 0.0


@routine
def _against(joint, start, v_a, w_a, v_b, w_b):
    """Speed at which these velocities violate the joint's constraints [m/s] or [rad/s]."""
    holds, d = HOLDS[joint.kind], quat.rotate(start[3], _Z)
    going = vec.sub(vec.add(v_b, vec.cross(w_b, start[1])), vec.add(v_a, vec.cross(w_a, vec.add(start[0], start[2]))))
    turning, fast = vec.sub(w_b, w_a), _held(holds, d, going)
    if holds & DISTANCE:
        fast = abs(vec.dot(vec.unit(start[2]), going))
    if holds & THREAD:
        fast = max(fast, abs(vec.dot(d, going) - joint.param[0] / _TURN * vec.dot(d, turning)))
    if holds & PARALLEL:
        fast = max(fast, vec.norm(vec.cross(d, turning)))
    elif holds & CROSS:
        fast = max(fast, abs(vec.dot(vec.cross(d, quat.rotate(start[4], _X)), turning)))
    elif holds & WELD:
        fast = max(fast, vec.norm(turning))
    return fast


@routine
def _bent(start, p, turning, w_a, w_b, dt):
    """Work of a joint's impulse in the velocities gained within a step because the bodies turn [J]."""
    wa, wb = vec.norm(w_a), vec.norm(w_b)
    arms = wa * wa * (vec.norm(start[0]) + vec.norm(start[2])) + wb * wb * vec.norm(start[1])
    return 0.5 * dt * (vec.norm(p) * arms + vec.norm(turning) * wa * (wa + wb))


@inline
def _older(s_a, s_b, a, b):
    """Common lag of the velocities of two bodies, one of which may be still [s]."""
    return max(s_a if moves(a) else 0.0, s_b if moves(b) else 0.0)


@routine
def _drive(j, k, way, start, end, qdot0, mean, varied, going, old, new, dt, i, sums):
    """Work of the motor or spring of axis k. qdot0, mean, going: its rate before the kick, that at which its impulse acts, and
    that along the direction at the drift's end, so that spring energies add up from step to step; old, new: lags of velocities
    before and after [s]. varied: by how much the rate changes between parts of a step, whose impulses, each within the
    motor's bound, are not known."""
    p = j.motor_impulse[k]
    if j.motor_mode[k] != _SPRING or abs(p) > 0.999 * j.motor_force[k] * dt:
        sums[i, GIVEN] += p * mean
        sums[i, IMPACT_WORK_TOLERANCE] += 0.5 * varied * min(abs(p), max(0.0, j.motor_force[k] * (dt + old - new) - abs(p)))
        return
    sums[i, TAKEN] -= j.motor_damping[k] * mean * mean * dt
    q0 = coordinate(way, start[2], start[3], start[4], j.coordinate[k]) - old * qdot0 - j.motor_target[k]
    q1 = coordinate(way, end[2], end[3], end[4], j.coordinate[k]) - new * going - j.motor_target[k]
    sums[i, GIVEN] -= 0.5 * j.motor_stiffness[k] * (q1 * q1 - q0 * q0)
    if old != new:
        sums[i, IMPACT_WORK_TOLERANCE] += abs(p * (going - qdot0))
