"""Paths of the bodies of a mechanism within a step: their poses at any fraction t of it, with the joints closed.

Straight lines between the poses before and after the step would tear it apart: a link may turn by a radian. So every body is
attached by one joint to a carrier (another body, or one that does not move freely), and its path is interpolated in the carrier's
frame. With A, B the joint's points on the carrier a and the body b, f the rotation of a, these change linearly:

    u(t) = f^-1 (B - A) = u0 + t (u1 - u0),     r(t) = f^-1 q_b = exp(t s) r0                                      (1)
    q_b = f r(t),     x_b = A + f u(t) - q_b B                                                                     (2)

with s the rotation from r0 to r1, including the full turns that the velocities imply. (1) keeps hinges, sliders, ball joints and
fixed joints exactly closed, and is exact for uniform motion. A body on a rod or a taut rope is described from the joint's point
on a, without the rotation of a (f = 1), and u follows the arc from u0 to u1. A mechanism without a fixed carrier has one body
that moves straight. Closed loops have joints that carry nothing; the next step closes them.

The velocities at t are those after the step, carried back along the same path: relative to a,

    udot = f^-1 (v_B - v_A - omega_a x f u),     w = f^-1 (omega_b - omega_a)     (f = 1: without omega_a)         (3)

stay constant.
"""

import numpy as np

from physics.core import elementary, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind, record
from physics.dynamics import integrate
from physics.joints import Holds, JointKind, kinds, marked

_DYNAMIC = Kind.DYNAMIC
_CARRIED, _APART = 1, 2


def _tie(kind: JointKind) -> int:
    """How a joint of this kind attaches a body: carried, at a distance, not at all."""
    if kind.holds & (Holds.DISTANCE | Holds.REACH):
        return _APART
    return _CARRIED if kind.anchors == 1 and (kind.constraint > 0 or kind.holds & Holds.LOCKS) else 0


_TIES = tuple(_tie(kind) for kind in kinds().values())
_HOLDS, _REACH, _LOCKS = marked("holds"), int(Holds.REACH), int(Holds.LOCKS)

TAUT_TOLERANCE = 0.999
"""A rope longer than this fraction of its length is taut."""
ZERO = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)

PATH = record([
    ("body", "i8"),
    ("on", "i8"),           # the carrier; -1: none
    ("tie", "i8"),          # _CARRIED, _APART
    ("arm_on", "f8", 3),    # A, frame of a [m]
    ("arm", "f8", 3),       # B, frame of b [m]
    ("start", "f8", 3),     # u0 [m]
    ("end", "f8", 3),       # u1 [m]
    ("swing", "f8", 3),     # rotation from u0 to u1 where u follows the arc [rad]
    ("turn", "f8", 4),      # r0
    ("spin", "f8", 3),      # s [rad]
])


@inline
def pose_before(before, i):
    """(pos, quat) of body i before the step, as tuples."""
    return (before[i, 0], before[i, 1], before[i, 2]), (before[i, 3], before[i, 4], before[i, 5], before[i, 6])


@inline
def pose_of(body):
    """(pos, quat) of a body, as tuples."""
    return vec.copy(body.pos), (body.quat[0], body.quat[1], body.quat[2], body.quat[3])


@inline
def motion_in(kept, i):
    """(vel, omega) of row i of what `measure.copy_motion` stored."""
    return (kept[i, 7], kept[i, 8], kept[i, 9]), (kept[i, 10], kept[i, 11], kept[i, 12])


@routine
def rotation(p, q, near):
    """The rotation vector from p to q, with the number of full turns that brings it nearest to the vector `near` [rad]."""
    w, x, y, z = quat.multiply(q, quat.conjugate(p))
    size = vec.norm((x, y, z))
    if size < 1e-12:
        return (0.0, 0.0, 0.0)
    axis = vec.scale((x, y, z), 1.0 / size)
    return vec.scale(axis, elementary.unwrap_angle(2.0 * elementary.angle(size, w), vec.dot(axis, near)))


@inline
def about(r):
    """The quaternion of a rotation vector [rad]."""
    return integrate.turned(UPRIGHT, r[0], r[1], r[2])


@routine
def straight(before, body, i, t):
    """Pose of the body i at t on a straight path."""
    x, q = pose_before(before, i)
    y, p = pose_of(body)
    same = 1.0 if q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] >= 0.0 else -1.0
    w = ((1.0 - t) * same * q[0] + t * p[0], (1.0 - t) * same * q[1] + t * p[1],
         (1.0 - t) * same * q[2] + t * p[2], (1.0 - t) * same * q[3] + t * p[3])
    size = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3])
    return vec.madd(x, vec.sub(y, x), t), (w[0] / size, w[1] / size, w[2] / size, w[3] / size)


@inline
def seen_from(way, pose):
    """(A, f) at a pose of the carrier."""
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
    """(2): the pose at t, with the carrier at its pose at t."""
    a, f = seen_from(way, carrier)
    q = quat.multiply(f, integrate.turned(way.turn, t * way.spin[0], t * way.spin[1], t * way.spin[2]))
    return vec.sub(vec.add(a, quat.rotate(f, offset(way, t))), quat.rotate(q, way.arm)), q


@inline
def mean_omega(before, i, body):
    """Mean of the angular velocities of body i before and after the step [rad/s]."""
    return vec.scale(vec.add(motion_in(before, i)[1], body.omega), 0.5)


@routine
def build_path(way, before, bodies, dt):
    """Write start, end, swing, turn and spin of a path whose other fields are set."""
    b = bodies[way.body]
    first, last, omega = (ZERO, UPRIGHT), (ZERO, UPRIGHT), mean_omega(before, way.body, b)
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
    vec.assign(way.swing, ZERO)
    if way.on >= 0 and way.tie == _APART and size > 0.0:
        vec.assign(way.swing, vec.scale(axis, elementary.angle(size, along) / size))


@inline
def turning(way, motion, carrier, motion_of_carrier):
    """w of (3): angular velocity of the body relative to its carrier at this pose and motion [rad/s]."""
    _, f = seen_from(way, carrier)
    share = 1.0 if way.tie == _CARRIED else 0.0
    return quat.rotate(quat.conjugate(f), vec.madd(motion[1], motion_of_carrier[1], -share))


@routine
def unevenness(way, before, bodies, dt):
    """Largest deviation of the velocities before and after the step, times dt, from the uniform ones of (1) [m].

    A body on a carrier that does not move freely follows the same path, earlier or later.
    """
    b, farthest = bodies[way.body], 0.0
    if way.on >= 0 and bodies[way.on].kind != _DYNAMIC:
        return 0.0
    x, y = pose_before(before, way.body)[0], b.pos
    for side in range(2):
        motion = motion_in(before, way.body) if side == 0 else (vec.copy(b.vel), vec.copy(b.omega))
        carrier, other = (ZERO, UPRIGHT), (ZERO, ZERO)
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
def joint_type(joint, bodies):
    """How the joint attaches a body; 0: not at all."""
    if joint.kind < 0 or (_HOLDS[joint.kind] & _LOCKS and joint.locked == 0):
        return 0
    if _HOLDS[joint.kind] & _REACH:
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        u = vec.sub(vec.add(b.pos, quat.rotate(b.quat, joint.anchor_b)), vec.add(a.pos, quat.rotate(a.quat, joint.anchor_a)))
        if vec.norm(u) < TAUT_TOLERANCE * joint.limit_hi[0]:
            return 0
    return _TIES[joint.kind]


@routine
def assign_carriers(joints, bodies, tied, wanted, tie, placed, ways, count):
    """Attach bodies by joints of the type `tie` to those already placed; returns the number of paths so far."""
    for j in range(joints.shape[0]):
        joint = joints[j]
        if joint.kind < 0 or placed[joint.body_a] == placed[joint.body_b] or joint_type(joint, bodies) != tie:
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
def build_paths(before, bodies, joints, tied, wanted, dt, ways):
    """Build the paths of the bodies of the mechanisms (numbers as in `tied`) with wanted = 1, carriers first."""
    placed = np.empty(bodies.shape[0], np.bool_)
    for i in range(bodies.shape[0]):
        placed[i] = bodies[i].kind != _DYNAMIC
    count, lowest = 0, 0
    while True:
        had = count
        count = assign_carriers(joints, bodies, tied, wanted, _CARRIED, placed, ways, count)
        if count == had:
            count = assign_carriers(joints, bodies, tied, wanted, _APART, placed, ways, count)
        if count > had:
            continue
        while lowest < bodies.shape[0] and (placed[lowest] or tied[lowest] < 0 or wanted[tied[lowest]] == 0):
            lowest += 1
        if lowest == bodies.shape[0]:
            break
        way = ways[count]
        way.body, way.on, way.tie = lowest, -1, _APART
        vec.assign(way.arm_on, ZERO)
        vec.assign(way.arm, ZERO)
        placed[lowest] = True
        count += 1
    for k in range(count):
        build_path(ways[k], before, bodies, dt)


@kernel
def follow(before, bodies, ways, slot, poses):
    """poses (n, paths, 7) of the paths' bodies from the start of the step to its end; slot: path of each body, or -1."""
    for m in range(poses.shape[0]):
        t = m / (poses.shape[0] - 1.0)
        for k in range(ways.shape[0]):
            way = ways[k]
            carrier = (ZERO, UPRIGHT)
            if way.on >= 0:
                carrier = pose_in(poses[m], slot[way.on]) if slot[way.on] >= 0 else straight(before, bodies[way.on], way.on, t)
            x, q = pose_at(way, carrier, t)
            for i in range(3):
                poses[m, k, i] = x[i]
            for i in range(4):
                poses[m, k, 3 + i] = q[i]


@inline
def pose_in(poses, k):
    """(pos, quat) of row k of a table (n, 7) or wider, as tuples."""
    return (poses[k, 0], poses[k, 1], poses[k, 2]), (poses[k, 3], poses[k, 4], poses[k, 5], poses[k, 6])


@routine
def retreat(way, after, bodies, t):
    """Set the body to its pose at t and the velocities of (3); its carrier is there already. after: bodies after the step."""
    b = bodies[way.body]
    (v_b, w_b), (v_a, w_a) = motion_in(after, way.body), (ZERO, ZERO)
    old, new, v, w = (ZERO, UPRIGHT), (ZERO, UPRIGHT), ZERO, ZERO
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
