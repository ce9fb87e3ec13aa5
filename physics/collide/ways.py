"""The way of a mechanism within a step: where its bodies were at any part t of it, with its joints closed.

A straight line between the poses before and behind would tear it apart: a link turns by a radian in a step. So every body hangs
on another one by one of its joints, or on what does not move freely, and its way is laid as seen from there. With A, B the
joint's points on the carrier a and on the body b, f the turn of a, what is seen changes evenly:

    u(t) = f^-1 (B - A) = u0 + t (u1 - u0),     r(t) = f^-1 q_b = exp(t s) r0                                      (1)
    q_b = f r(t),     x_b = A + f u(t) - q_b B                                                                     (2)

with s the turn from r0 to r1, as many full turns as the velocities say. (1) keeps hinges, slides, ball joints and welds exactly
closed, and is exact where they move evenly. What hangs on a rod or a taut rope is seen from the joint's point on a, without the
turn of a (f = 1), and u goes along the arc from u0 to u1. A mechanism that hangs nowhere has a body that goes straight. Closed
loops have joints on which nothing hangs; the next step closes them.

The velocities at t are those behind the step, carried back along the same way: what is seen from a,

    udot = f^-1 (v_B - v_A - omega_a x f u),     w = f^-1 (omega_b - omega_a)     (f = 1: without omega_a)         (3)

stays as it is.
"""

import numpy as np

from physics import integrate
from physics.core import elementary, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind, record
from physics.joints import JointKind, kinds

_DYNAMIC = int(Kind.DYNAMIC)
_ROPE, _SIX = (list(kinds()).index(name) for name in ("rope", "six_dof"))
_CARRIED, _APART = 1, 2


def _tie(name: str, kind: JointKind) -> int:
    """How a body hangs on a joint of this kind: carried, at a distance, not at all."""
    if name in ("rod", "rope"):
        return _APART
    return _CARRIED if kind.anchors == 1 and (kind.constraint > 0 or name == "six_dof") else 0


_TIES = tuple(_tie(*item) for item in kinds().items())

TAUT = 0.999
"""A rope longer than this part of its length is taut."""
STILL = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)

WAY = record([
    ("body", "i8"),
    ("on", "i8"),           # the body that it hangs on; -1: none
    ("tie", "i8"),          # _CARRIED, _APART
    ("arm_on", "f8", 3),    # A, frame of a [m]
    ("arm", "f8", 3),       # B, frame of b [m]
    ("start", "f8", 3),     # u0 [m]
    ("end", "f8", 3),       # u1 [m]
    ("swing", "f8", 3),     # turn from u0 to u1 where it goes along the arc [rad]
    ("turn", "f8", 4),      # r0
    ("spin", "f8", 3),      # s [rad]
])


@inline
def pose_before(before, i):
    """(pos, quat) of body i before the step, tuples."""
    return (before[i, 0], before[i, 1], before[i, 2]), (before[i, 3], before[i, 4], before[i, 5], before[i, 6])


@inline
def pose_of(body):
    """(pos, quat) of a body, tuples."""
    return vec.copy(body.pos), (body.quat[0], body.quat[1], body.quat[2], body.quat[3])


@inline
def motion_in(kept, i):
    """(vel, omega) of row i of what `measure.keep_motion` kept."""
    return (kept[i, 7], kept[i, 8], kept[i, 9]), (kept[i, 10], kept[i, 11], kept[i, 12])


@routine
def rotation(p, q, near):
    """The rotation vector that turns p into q, with as many full turns as bring it nearest to the vector `near` [rad]."""
    w, x, y, z = quat.multiply(q, quat.conjugate(p))
    size = vec.norm((x, y, z))
    if size < 1e-12:
        return (0.0, 0.0, 0.0)
    axis = vec.scale((x, y, z), 1.0 / size)
    return vec.scale(axis, elementary.unwound(2.0 * elementary.angle(size, w), vec.dot(axis, near)))


@inline
def about(r):
    """The quaternion of a rotation vector [rad]."""
    return integrate.turned(UPRIGHT, r[0], r[1], r[2])


@routine
def straight(before, body, i, t):
    """Pose of the body i at t if it goes straight."""
    x, q = pose_before(before, i)
    y, p = pose_of(body)
    same = 1.0 if q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] >= 0.0 else -1.0
    w = ((1.0 - t) * same * q[0] + t * p[0], (1.0 - t) * same * q[1] + t * p[1],
         (1.0 - t) * same * q[2] + t * p[2], (1.0 - t) * same * q[3] + t * p[3])
    size = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3])
    return vec.madd(x, vec.sub(y, x), t), (w[0] / size, w[1] / size, w[2] / size, w[3] / size)


@inline
def seen_from(way, pose):
    """(A, f) where the body stands that it hangs on."""
    return vec.add(pose[0], quat.rotate(pose[1], way.arm_on)), (pose[1] if way.tie == _CARRIED else UPRIGHT)


@inline
def seen(way, carrier, pose):
    """(u, r) of (1)."""
    a, f = seen_from(way, carrier)
    back = quat.conjugate(f)
    u = vec.sub(vec.add(pose[0], quat.rotate(pose[1], way.arm)), a)
    return quat.rotate(back, u), quat.multiply(back, pose[1])


@routine
def offset(way, t):
    """u(t)."""
    if way.swing[0] == 0.0 and way.swing[1] == 0.0 and way.swing[2] == 0.0:
        return vec.madd(way.start, vec.sub(way.end, way.start), t)
    longer = vec.norm(way.end) / vec.norm(way.start) - 1.0
    return quat.rotate(about(vec.scale(way.swing, t)), vec.scale(way.start, 1.0 + t * longer))


@routine
def pose_at(way, carrier, t):
    """(2): the pose at t, where its carrier stands then."""
    a, f = seen_from(way, carrier)
    q = quat.multiply(f, integrate.turned(way.turn, t * way.spin[0], t * way.spin[1], t * way.spin[2]))
    return vec.sub(vec.add(a, quat.rotate(f, offset(way, t))), quat.rotate(q, way.arm)), q


@inline
def mean_omega(before, i, body):
    """The mean of the angular velocities of body i before and behind the step [rad/s]."""
    return vec.scale(vec.add(motion_in(before, i)[1], body.omega), 0.5)


@routine
def lay(way, before, bodies, dt):
    """Write start, end, swing, turn and spin of a way whose other fields are there."""
    b = bodies[way.body]
    first, last, omega = (STILL, UPRIGHT), (STILL, UPRIGHT), mean_omega(before, way.body, b)
    if way.on >= 0:
        first, last = pose_before(before, way.on), pose_of(bodies[way.on])
        if way.tie == _CARRIED:
            omega = vec.sub(omega, mean_omega(before, way.on, bodies[way.on]))
    u0, r0 = seen(way, first, pose_before(before, way.body))
    u1, r1 = seen(way, last, pose_of(b))
    vec.assign(way.start, u0)
    vec.assign(way.end, u1)
    for k in range(4):
        way.turn[k] = r0[k]
    _, f = seen_from(way, last)
    vec.assign(way.spin, rotation(r0, r1, quat.rotate(quat.conjugate(f), vec.scale(omega, dt))))
    axis, along = vec.cross(u0, u1), vec.dot(u0, u1)
    size = vec.norm(axis)
    vec.assign(way.swing, STILL)
    if way.on >= 0 and way.tie == _APART and size > 0.0:
        vec.assign(way.swing, vec.scale(axis, elementary.angle(size, along) / size))


@inline
def turning(way, motion, carrier, motion_of_carrier):
    """w of (3): how the body turns, seen from its carrier that stands like this [rad/s]."""
    _, f = seen_from(way, carrier)
    share = 1.0 if way.tie == _CARRIED else 0.0
    return quat.rotate(quat.conjugate(f), vec.madd(motion[1], motion_of_carrier[1], -share))


@routine
def unevenness(way, before, bodies, dt):
    """How far the velocities before and behind the step, times dt, are off the even ones of (1) [m].

    What hangs on what does not move freely goes the same way, earlier or later.
    """
    b, farthest = bodies[way.body], 0.0
    if way.on >= 0 and bodies[way.on].kind != _DYNAMIC:
        return 0.0
    x, y = pose_before(before, way.body)[0], b.pos
    for side in range(2):
        motion = motion_in(before, way.body) if side == 0 else (vec.copy(b.vel), vec.copy(b.omega))
        carrier, other = (STILL, UPRIGHT), (STILL, STILL)
        if way.on >= 0 and side == 0:
            carrier, other = pose_before(before, way.on), motion_in(before, way.on)
        elif way.on >= 0:
            carrier, other = pose_of(bodies[way.on]), (vec.copy(bodies[way.on].vel), vec.copy(bodies[way.on].omega))
        off = vec.norm(way.arm) * vec.norm(vec.madd(way.spin, turning(way, motion, carrier, other), -dt))
        if way.on < 0:
            off += vec.norm(vec.madd(vec.sub(y, x), motion[0], -dt))
        farthest = max(farthest, off)
    return farthest


@routine
def tie_of(joint, bodies):
    """How something hangs on a joint; 0: nothing does."""
    if joint.kind < 0 or (joint.kind == _SIX and joint.locked == 0):
        return 0
    if joint.kind == _ROPE:
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        u = vec.sub(vec.add(b.pos, quat.rotate(b.quat, joint.anchor_b)), vec.add(a.pos, quat.rotate(a.quat, joint.anchor_a)))
        if vec.norm(u) < TAUT * joint.limit_hi[0]:
            return 0
    return _TIES[joint.kind]


@routine
def hang_on_joints(joints, bodies, tied, wanted, tie, placed, ways, count):
    """Hang what can be hung by joints of that tie on what is placed; returns how many hang now."""
    for j in range(joints.shape[0]):
        joint = joints[j]
        if joint.kind < 0 or placed[joint.body_a] == placed[joint.body_b] or tie_of(joint, bodies) != tie:
            continue
        forward = placed[joint.body_a]
        on, body = (joint.body_a, joint.body_b) if forward else (joint.body_b, joint.body_a)
        if tied[body] >= 0 and wanted[tied[body]] == 1:
            way = ways[count]
            way.body, way.on, way.tie = body, on, tie
            vec.assign(way.arm_on, joint.anchor_a if forward else joint.anchor_b)
            vec.assign(way.arm, joint.anchor_b if forward else joint.anchor_a)
            placed[body] = True
            count += 1
    return count


@kernel
def lay_all(before, bodies, joints, tied, wanted, dt, ways):
    """The ways of the bodies of the mechanisms (numbers as in `tied`) with wanted = 1, carriers first."""
    placed = np.empty(bodies.shape[0], np.bool_)
    for i in range(bodies.shape[0]):
        placed[i] = bodies[i].kind != _DYNAMIC
    count, lowest = 0, 0
    while True:
        had = count
        count = hang_on_joints(joints, bodies, tied, wanted, _CARRIED, placed, ways, count)
        if count == had:
            count = hang_on_joints(joints, bodies, tied, wanted, _APART, placed, ways, count)
        if count > had:
            continue
        while lowest < bodies.shape[0] and (placed[lowest] or tied[lowest] < 0 or wanted[tied[lowest]] == 0):
            lowest += 1
        if lowest == bodies.shape[0]:
            break
        way = ways[count]
        way.body, way.on, way.tie = lowest, -1, _APART
        vec.assign(way.arm_on, STILL)
        vec.assign(way.arm, STILL)
        placed[lowest] = True
        count += 1
    for k in range(count):
        lay(ways[k], before, bodies, dt)


@kernel
def follow(before, bodies, ways, slot, poses):
    """poses (n, ways, 7): those of the ways' bodies from the start of the step to its end; slot: of each body its way, or -1."""
    for m in range(poses.shape[0]):
        t = m / (poses.shape[0] - 1.0)
        for k in range(ways.shape[0]):
            way = ways[k]
            carrier = (STILL, UPRIGHT)
            if way.on >= 0:
                carrier = pose_in(poses[m], slot[way.on]) if slot[way.on] >= 0 else straight(before, bodies[way.on], way.on, t)
            x, q = pose_at(way, carrier, t)
            for i in range(3):
                poses[m, k, i] = x[i]
            for i in range(4):
                poses[m, k, 3 + i] = q[i]


@inline
def pose_in(poses, k):
    """(pos, quat) of row k of a table (n, 7) or wider, tuples."""
    return (poses[k, 0], poses[k, 1], poses[k, 2]), (poses[k, 3], poses[k, 4], poses[k, 5], poses[k, 6])


@routine
def go_back(way, after, bodies, t):
    """Give the body the pose at t and the velocities of (3); its carrier has gone there already. after: as the step left them."""
    b = bodies[way.body]
    (v_b, w_b), (v_a, w_a) = motion_in(after, way.body), (STILL, STILL)
    old, new, v, w = (STILL, UPRIGHT), (STILL, UPRIGHT), STILL, STILL
    if way.on >= 0:
        a = bodies[way.on]
        old, new, v, w = pose_before(after, way.on), pose_of(a), vec.copy(a.vel), vec.copy(a.omega)
        v_a, w_a = motion_in(after, way.on)
    own = pose_before(after, way.body)
    _, f = seen_from(way, old)
    share = 1.0 if way.tie == _CARRIED else 0.0
    lever = vec.madd(quat.rotate(old[1], way.arm_on), quat.rotate(f, way.end), share)
    r = quat.rotate(own[1], way.arm)
    rate = vec.sub(vec.add(v_b, vec.cross(w_b, r)), vec.add(v_a, vec.cross(w_a, lever)))
    rate, spin = quat.rotate(quat.conjugate(f), rate), turning(way, (v_b, w_b), old, (v_a, w_a))
    if way.tie == _APART:
        rate = quat.rotate(about(vec.scale(way.swing, t - 1.0)), rate)
    x, q = pose_at(way, new, t)
    _, f = seen_from(way, new)
    omega = vec.madd(quat.rotate(f, spin), w, share)
    lever = vec.madd(quat.rotate(new[1], way.arm_on), quat.rotate(f, offset(way, t)), share)
    vel = vec.add(vec.add(v, vec.cross(w, lever)), quat.rotate(f, rate))
    vec.assign(b.pos, x)
    size = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        b.quat[k] = q[k] / size
    vec.assign(b.vel, vec.sub(vel, vec.cross(omega, quat.rotate(q, way.arm))))
    vec.assign(b.omega, omega)
