"""When the next impact of a step comes, and how long contacts may be taken as they are.

A step is cut at impacts that rebound, so that these happen where and when they happen (step.py). With the gap s of a contact,
u its normal velocity and a its normal acceleration without contact, both at the time of the poses (integrate.py, 3):

    s + u t + a t^2 / 2 = 0,   the first t at which it falls                                                   (1)

Impacts without restitution are taken so where a body tumbles before or after them (INELASTIC_SPIN), or a free one passes another:
arms and normals turn, and friction follows the path of the impact. Elsewhere the solver, which stops bodies where they are met,
need not know when.

A contact's point is fixed in its body; on a body of revolution it may be passed by others. The circle through it, of radius R
about the axis e at the height z over the centre c of the shape, is part of the surface too and lies above the other body by

    s(t) = n.c(t) + z q(t) - R (1 - q(t)^2)^(1/2) + const,   q = n.e(t) = q(0) (1 - w^2 t^2 / 2) + q'(0) t     (2)

w: turn of the axis. The first t of (2) is approached from below by steps of s over the largest speed of the circle; a coin that
falls almost flat strikes a quarter of its rim away from what was lowest, and earlier.

A contact with s <= TOUCH_GAP, or whose impact comes within MIN_PART_SHARE of a step, and that comes in faster than the threshold
is an impact now; what comes at the end of a part is let be by the solver, which would stop it where it is met. A contact that
was there in the last part, and approaches only because its point has moved over the bodies since, as that of a rolling coin, is
none: it holds without rebound in this part.

Contacts are found once in a part. Where a body in contact turns fast, a part is short enough for a turn of
`Solver.max_part_rotation`. About a body's own axis of symmetry shapes may turn as fast as they like; but where that is more than
JUMP in a part, nothing tells how the arms of contacts turn from substep to substep (contact_batches.py, 4), and a part is no
longer than MAX_FAST_PART.

Over facets that are not in one plane (meshes, height fields) nothing foresees the next normal: there a part is no longer than the
way MAX_WAY takes.

How arms turn is known from the part before. Where bodies roll or tumble on one another from the start, as in a new world, or
after an impact in a world of few, there is none: the first part is then FIRST_PART of a step. An egg that rolls end over end
would otherwise press as if it stood still, hop, and be late by an angle of the first order in the step.
"""

import math
from typing import Any

import numpy as np

from physics.collide.continuous.impacts import thickness
from physics.constraints.contact_batches import JUMP, surface_arms
from physics.contact.targets import TOUCH_GAP
from physics.core import contact_points, mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics.integrate import INSTANT_LAG
from physics.shapes import kinds

IMPACTS, IMPACTS_OF_FEW, SHARED = 4096, 36_000, 1000
"""Most impacts of a step, one after the other: the first; the larger of the second over the square of the number of shapes, and
the third over that number, for each costs a search for contacts. What is left then is one part, with rebounds as targets.py has
them."""

APPROACHES = 2
"""Most parts of a step that end at an impact, for each of them: where normals turn on the way, it is found as by Newton's
method."""

INELASTIC_SPIN = 0.02
"""A step is cut at an impact without restitution if before or after it a body tumbles faster than this times the square of the
number of shapes [rad/s]. With the arms and the normal of the start of a step a thrown body keeps some 2 % more or less of its
energy at 60 Hz, or a third less, and friction that follows the velocity of the end, not the path, is off by as much. Many parts
are dear: in a crowd none is worth it."""

SLOW_INELASTIC = 0.1
"""Without restitution a step is cut at impacts of corners down to this share of the threshold below which nothing rebounds: those
of a slender block that rocks are no faster, and stopped ahead of the floor it would lose twice what the impact takes."""

THROWN_TURN = 0.75
"""So it is cut, in crowds, too, where the impact may turn a body, or the way of round bodies past one another turns their normal,
by more than this in a step [rad]: it would come round and meet the same again within the step, or be past it, with no contact
there."""

MAX_DESCENT, MIN_SINE = 64, 1e-6
"""Most iterations in which a circle descends; smallest sine of the angle between its axis and the normal."""

MIN_PART_SHARE = 1e-6
"""Share of a step that is no part of its own. A ball between a wall and a block of 10^6 times its mass strikes both in turn 1e-4
of a step apart."""

NEGLIGIBLE_ROTATION = 1e-3
"""A turn of a body in contact that is none in a part [rad]."""

MAX_PARTS = 8
"""Most parts of a step for the sake of turns; in crowds SHARED over the number of shapes."""

MAX_PARTS_OF_FEW, SHARED_BY_FEW = 128, 600
"""The same in a world of few shapes: so many, and so many over their number. The contact of a coin that falls almost flat races
round its rim, hundreds of times as fast as the coin turns, and with 8 parts the coin loses a tenth of its energy each time."""

MAX_WAY = 0.1
"""Longest way over facets in a part, as a share of the arm to the contact: what meets the next ones unawares is pushed out, and
up, again."""

MAX_FAST_PART = 0.005
"""Longest part where a body in contact spins fast about its axis [s]."""

MAX_FORESEEN_TURN = 0.25
"""Largest turn of an arm in a part [rad] that is foreseen from the part before: in a race round a rim the rate doubles in less
than half a radian."""

FIRST_PART = 0.02
"""Share of a step that is the first part of contacts whose arms turn at a rate that is not known yet."""

LATE_TOLERANCE = 1e-3
"""Share of a part by which an impact may come after its end and still counts as coming in it."""

AWAY, IMPACT_LATER, NOW = 0, 1, 2
"""What a contact is in a part."""

_DYNAMIC = Kind.DYNAMIC
_ONE_AXIS = 1
_PLANE = list(kinds()).index("plane")
_SYMMETRY = np.array([kind.symmetry for kind in kinds().values()])
_FLAT = np.array([kind.convex is None or (kind.convex.curvature is None and not kind.convex.ball) for kind in kinds().values()])
_FACETED = np.array([kind.geometric and not kind.solid for kind in kinds().values()])


@inline
def _speed(b, velocity, r, n):
    """n . (velocity of a point of a body)."""
    return vec.dot(n, vec.add(velocity, vec.cross(b.omega, r)))


@routine
def _normal_motion(c, a, b, gravity):
    """(u, a) of (1): of b against a along the normal."""
    u = (_speed(b, b.vel, vec.sub(vec.add(c.pos, c.shift), b.pos), c.normal)
         - _speed(a, a.vel, vec.sub(c.pos, a.pos), c.normal))
    rate = 0.0
    if b.kind == _DYNAMIC:
        pull = vec.dot(c.normal, vec.madd(gravity, b.force, b.inv_mass))
        u, rate = u + b.velocity_lag * pull, rate + pull
    if a.kind == _DYNAMIC:
        pull = vec.dot(c.normal, vec.madd(gravity, a.force, a.inv_mass))
        u, rate = u - a.velocity_lag * pull, rate - pull
    return u, rate


@routine
def first_root(s, u, a, limit):
    """The first t in (0, limit] at which s + u t + a t^2 / 2 falls through zero, s > 0; inf if there is none."""
    root = u * u - 2.0 * a * s
    if root < 0.0 or (u >= 0.0 and a >= 0.0):
        return math.inf
    speed = math.sqrt(root)         # at the impact
    t = 2.0 * s / (speed - u) if u <= 0.0 else (-u - speed) / a
    return t if 0.0 < t <= limit else math.inf


@kernel
def next_impact(contacts, shapes, bodies, tied, gravity, threshold, left, soon, what):
    """Time of the first impact in the next `left` [s] that cuts a step, 0 if one rebounds now, inf if there is none.

    tied: the group of each body's mechanism, -1 if free. threshold: slower ones do not rebound [m/s]. soon: what comes earlier is
    now [s]. Writes what (n,): AWAY, IMPACT_LATER (at that time, or LATE_TOLERANCE after it, or when half of TOUCH_GAP is left),
    NOW. What rolls on holds without rebound.
    """
    first, times = math.inf, np.empty(contacts.shape[0])
    slow = INELASTIC_SPIN * shapes.shape[0] ** 2
    thrown = min(slow, THROWN_TURN * MIN_PART_SHARE / soon)
    for n in range(contacts.shape[0]):
        c, what[n], times[n] = contacts[n], AWAY, math.inf
        a, b, touches = bodies[c.body_a], bodies[c.body_b], c.gap <= TOUCH_GAP
        tumbles = c.restitution == 0.0 and _tumbles(c, shapes, a, b, slow * slow)
        if c.restitution == 0.0 and (c.no_rebound != 0 or (touches and _is_known(c) and (tumbles or c.impulse > 0.0))):
            continue
        u, rate = _normal_motion(c, a, b, gravity)
        t = 0.0 if touches else first_root(c.gap, u, rate, (1.0 + LATE_TOLERANCE) * left)
        least = _min_speed(c, shapes, threshold)
        if t == math.inf and u + rate * left < -least and _may_close(c, shapes, a, b, u + 0.5 * rate * left, left):
            t = left
        if not touches and (tumbles or c.restitution > 0.0):
            times[n] = _circle_touches(c, shapes, a, b, u, rate, least, min(t, left))
            first = min(first, times[n])
        if t == math.inf or (touches and u >= -least):
            continue
        free = tied[c.body_a] < 0 and tied[c.body_b] < 0
        if c.restitution == 0.0 and not (tumbles or (free and _passes(c, shapes, a, b, thrown))) and (
                _thrown(c, a, b, u + rate * t) < thrown or (_is_of_face(contacts, n) and not _tips(contacts, n, a, b))):
            continue
        early = max(LATE_TOLERANCE / (1.0 + LATE_TOLERANCE) * t, 0.5 * TOUCH_GAP / max(abs(u + rate * t), least))
        times[n] = min(times[n], t) - early
        if touches and _rolls_on(c, a, b, least):
            c.restitution, c.no_rebound, times[n] = 0.0, 1, math.inf
        elif t <= soon and u < -least:
            what[n], first = NOW, 0.0
        elif t <= left and u + rate * t < -least:
            first = min(first, t)
    for n in range(contacts.shape[0]):
        if 0.0 < first < math.inf and times[n] <= first:
            what[n] = IMPACT_LATER
    return first


@routine
def _may_close(c, shapes, a, b, u, dt):
    """Whether a contact may close within dt at a mean normal velocity u because its bodies turn."""
    return c.gap + dt * u < (_swing(shapes[c.shape_a], a, vec.sub(c.pos, a.pos), dt)
                             + _swing(shapes[c.shape_b], b, vec.sub(vec.add(c.pos, c.shift), b.pos), dt))


@routine
def _swing(s, body, r, dt):
    """How much nearer the turn of a body may bring its surface [m]: the radius of curvature is at most R^2 / r, with R its size
    and r the arm."""
    speed, arm = _tumble_rate(s, body, 0.0)[2], vec.norm(r)
    return 0.5 * dt * dt * speed * speed / arm if arm > 0.0 else 0.0


@routine
def _circle_touches(c, shapes, a, b, u, rate, least, limit):
    """First time up to `limit` [s] at which the circle through a contact's point, on one of its bodies, reaches the other faster
    than `least` [m/s]; inf if there is none."""
    r_a, r_b = surface_arms(c, a, b)
    return min(_descends(c.gap, shapes[c.shape_b], b, vec.copy(c.normal), r_b, u, rate, least, limit),
               _descends(c.gap, shapes[c.shape_a], a, vec.scale(c.normal, -1.0), r_a, u, rate, least, limit))


@routine
def _descends(gap, s, body, up, r, u, rate, least, limit):
    """`_circle_touches` for the shape of revolution of one body, up away from the other, by (2)."""
    axis = mat3.column(s.rot, 2)
    turns = vec.madd(body.omega, axis, -vec.dot(body.omega, axis))
    w = vec.norm(turns)
    if _SYMMETRY[s.kind] != _ONE_AXIS or body.kind != _DYNAMIC or w * limit < NEGLIGIBLE_ROTATION:
        return math.inf
    off = vec.sub(r, vec.sub(s.pos, body.pos))
    height = vec.dot(off, axis)
    side = vec.madd(off, axis, -height)
    radius, q0, q1 = vec.norm(side), vec.dot(up, axis), vec.dot(up, vec.cross(turns, axis)) / w
    lowest = height * q0 - radius * math.sqrt(max(1.0 - q0 * q0, 0.0))
    gap, u = gap + lowest - vec.dot(up, off), u - vec.dot(up, vec.cross(body.omega, off))
    fastest, t, s_t = abs(u) + abs(rate) * limit + w * vec.norm(off), 0.0, gap
    if gap <= TOUCH_GAP:
        return math.inf
    q, sine = q0, 0.0
    for _ in range(MAX_DESCENT):
        t += s_t / fastest
        if t > limit:
            return math.inf
        q = (1.0 - 0.5 * w * w * t * t) * q0 + w * t * q1
        sine = math.sqrt(max(1.0 - q * q, 0.0))
        s_t = gap + t * (u + 0.5 * rate * t) + height * q - radius * sine - lowest
        if s_t <= 0.5 * TOUCH_GAP:
            break
    q_t = w * (q1 - w * t * q0)
    return t if u + rate * t + (height + radius * q / max(sine, MIN_SINE)) * q_t < -least else math.inf


@inline
def _is_known(c):
    """True if a contact was there when contacts were last solved."""
    return vec.dot(c.arm_a, c.arm_a) + vec.dot(c.arm_b, c.arm_b) > 0.0


@inline
def _has_moved(c, r_a, r_b):
    """True if a contact was there before, and has moved over its bodies since: then it is known how fast."""
    way_a, way_b = vec.sub(r_a, c.arm_a), vec.sub(r_b, c.arm_b)
    return _is_known(c) and vec.dot(way_a, way_a) + vec.dot(way_b, way_b) > 0.0


@routine
def _tumbles(c, shapes, a, b, slow):
    """Whether the square of the tumble rate of a contact's bodies is above `slow` [rad^2/s^2]."""
    return _tumble_rate(shapes[c.shape_a], a, slow)[0] > slow or _tumble_rate(shapes[c.shape_b], b, slow)[0] > slow


@routine
def _passes(c, shapes, a, b, slow):
    """Whether the normal of a contact turns faster than `slow` [rad/s] because round bodies pass one another."""
    s, t = shapes[c.shape_a], shapes[c.shape_b]
    if s.kind == _PLANE or t.kind == _PLANE:
        return False
    radius = (0.0 if _is_flat(s) else thickness(s)) + (0.0 if _is_flat(t) else thickness(t))
    way = vec.sub(b.vel, a.vel)
    side = vec.madd(way, c.normal, -vec.dot(c.normal, way))
    return radius > 0.0 and vec.dot(side, side) > (slow * radius) ** 2


@routine
def _thrown(c, a, b, u):
    """Largest rate at which the bodies turn one another [rad/s] where a smooth contact stops its normal velocity u."""
    r_a, r_b = vec.sub(c.pos, a.pos), vec.sub(vec.add(c.pos, c.shift), b.pos)
    across_a, across_b = vec.cross(r_a, c.normal), vec.cross(r_b, c.normal)
    turn_a, turn_b = _turned(a, across_a), _turned(b, across_b)
    yields = a.inv_mass + b.inv_mass + vec.dot(across_a, turn_a) + vec.dot(across_b, turn_b)
    return abs(u) / yields * max(vec.norm(turn_a), vec.norm(turn_b)) if yields > 0.0 else 0.0


@routine
def _is_of_face(contacts, n):
    """Whether two more points of a contact's pair are as near: what lands flat is hardly turned."""
    first, end = _points_of_pair(contacts, n)
    count = 0
    for m in range(first, end):
        count += abs(contacts[m].gap - contacts[n].gap) <= TOUCH_GAP
    return count > 2


@routine
def _points_of_pair(contacts, n):
    """(First, end) of the contacts of the same pair, which are one after the other."""
    c, first, end = contacts[n], n, n + 1
    while first > 0 and contacts[first - 1].shape_a == c.shape_a and contacts[first - 1].shape_b == c.shape_b:
        first -= 1
    while end < contacts.shape[0] and contacts[end].shape_a == c.shape_a and contacts[end].shape_b == c.shape_b:
        end += 1
    return first, end


@routine
def _tips(contacts, n, a, b):
    """Whether friction at any point of a contact's pair turns a body that slides over the same edge."""
    c = contacts[n]
    r_a, r_b = vec.sub(c.pos, a.pos), vec.sub(vec.add(c.pos, c.shift), b.pos)
    slip = vec.sub(vec.add(b.vel, vec.cross(b.omega, r_b)), vec.add(a.vel, vec.cross(a.omega, r_a)))
    slip = vec.madd(slip, c.normal, -vec.dot(c.normal, slip))
    if vec.norm(slip) == 0.0:
        return False
    axis, pull = vec.cross(c.normal, slip), vec.madd(c.normal, slip, -c.friction / vec.norm(slip))
    over_a, over_b = a.kind == _DYNAMIC, b.kind == _DYNAMIC
    first, end = _points_of_pair(contacts, n)
    for m in range(first, end):
        d = contacts[m]
        over_a = over_a and vec.dot(axis, vec.cross(vec.sub(d.pos, a.pos), pull)) < 0.0
        over_b = over_b and vec.dot(axis, vec.cross(vec.sub(vec.add(d.pos, d.shift), b.pos), pull)) > 0.0
    return over_a or over_b


@routine
def _turned(b, impulse):
    """Change of omega by an angular impulse; in a first step no inverse inertia stands in the world frame yet."""
    return quat.rotate(b.quat, mat3.apply(b.inv_inertia, quat.rotate(quat.conjugate(b.quat), impulse)))


@routine
def _rolls_on(c, a, b, threshold):
    """True if a contact approaches only because its point has moved over the bodies: at the arms with which it was solved last it
    does not."""
    if contact_points.comes_later(c):
        return False
    r_a, r_b = surface_arms(c, a, b)
    if _has_jumped(a, r_a, c.arm_a) or _has_jumped(b, r_b, c.arm_b):
        return False
    r_a, r_b = vec.copy(c.arm_a) if a.kind == _DYNAMIC else r_a, vec.copy(c.arm_b) if b.kind == _DYNAMIC else r_b
    return _speed(b, b.vel, r_b, c.normal) - _speed(a, a.vel, r_a, c.normal) >= -threshold


@routine
def _has_jumped(body, r, before):
    """True if the arm of a moving body is new, or another point's."""
    way = vec.sub(r, before)
    return body.kind == _DYNAMIC and (vec.dot(before, before) == 0.0 or vec.dot(way, way) > JUMP * JUMP * vec.dot(r, r))


@kernel
def parts_for_turns(contacts, shapes, bodies, left, last_dt, allowed, most, latest):
    """(Number of parts, at most `most`, of the next `left` [s] in each of which no body in contact turns by more than `allowed`
    [rad], nor did its arms at the rate of the last last_dt [s], about an axis of symmetry as by JUMP and MAX_FAST_PART; whether
    arms of such a contact turn at a rate that is not known, for its bodies' velocities were just set). Bodies that may touch in
    that time are among them, whatever part of them comes round. Arms that would turn too far in a part are forgotten, and those
    of contacts that cannot close.

    latest: lag of velocities that were just set [s]; INSTANT_LAG: also by an impact.
    """
    largest, spin, unknown, little = 0.0, 0.0, False, (NEGLIGIBLE_ROTATION / left) ** 2
    fastest, rates, crossed = 0.0, np.zeros(contacts.shape[0]), 0.0
    for n in range(contacts.shape[0]):
        c = contacts[n]
        a, b = bodies[c.body_a], bodies[c.body_b]
        if a.kind != _DYNAMIC and b.kind != _DYNAMIC:
            continue
        square_a, own_a, swing_a = _tumble_rate(shapes[c.shape_a], a, little)
        square_b, own_b, swing_b = _tumble_rate(shapes[c.shape_b], b, little)
        u = min(vec.dot(c.normal, vec.sub(b.vel, a.vel)) - swing_a - swing_b,
                _speed(b, b.vel, vec.sub(c.pos, b.pos), c.normal) - _speed(a, a.vel, vec.sub(c.pos, a.pos), c.normal))
        if c.gap > TOUCH_GAP and c.gap + left * u > 0.0:
            if square_a > 0.0 or square_b > 0.0:
                _forget_arms(c)     # on a rim they may race, and foresee an impact high above the ground
            continue
        largest, spin = max(largest, max(square_a, square_b)), max(spin, max(own_a, own_b))
        r_a, r_b = surface_arms(c, a, b)
        if square_a > 0.0:
            rates[n] = _turn_rate(a, r_a, c.arm_a, last_dt)
        if square_b > 0.0:
            rates[n] = max(rates[n], _turn_rate(b, r_b, c.arm_b, last_dt))
        if c.gap <= TOUCH_GAP:
            fastest = max(fastest, rates[n])
            begins = ((square_a > 0.0 and _begins_to_roll(c, a, little, latest))
                      or (square_b > 0.0 and _begins_to_roll(c, b, little, latest)))
            unknown = unknown or (begins and not _has_moved(c, r_a, r_b))
            crossed = max(crossed, _ways(c, shapes, a, b, r_a, r_b))
    turn = math.sqrt(max(largest, fastest)) * left
    parts = math.ceil(turn / allowed + 1e-9) if turn > allowed else 1
    if spin * left > JUMP:
        parts = max(parts, math.ceil(left / MAX_FAST_PART - 1e-9))
    parts = min(max(parts, math.ceil(crossed * left / MAX_WAY - 1e-9)), most)
    foreseeable = (MAX_FORESEEN_TURN * parts / left) ** 2
    for n in range(contacts.shape[0]):
        if rates[n] > foreseeable:
            _forget_arms(contacts[n])
    return parts, unknown


@inline
def _ways(c, shapes, a, b, r_a, r_b):
    """Rate at which a contact crosses facets, in lengths of the arm of what moves over them [1/s]; 0 where there are none."""
    on_a, on_b = _is_rough(shapes[c.shape_a]), _is_rough(shapes[c.shape_b])
    if not (on_a or on_b):
        return 0.0
    slide = vec.norm(vec.sub(b.vel, a.vel))
    return slide / max(1e-9, vec.norm(r_b) if on_a else vec.norm(r_a))


@inline
def _min_speed(c, shapes, threshold):
    """Approach above which a contact strikes [m/s]; threshold: the one below which nothing rebounds."""
    slow = c.restitution == 0.0 and _is_flat(shapes[c.shape_a]) and _is_flat(shapes[c.shape_b])
    return SLOW_INELASTIC * threshold if slow else threshold


@inline
def _is_flat(s):
    """Whether a shape has flat faces only: over others the point of contact moves, which looks like a slow approach."""
    return _FLAT[s.kind] and s.rounding == 0.0


@inline
def _is_rough(s):
    """Whether a shape has facets, and they are not all in one plane."""
    return _FACETED[s.kind] and min(s.dims[0], s.dims[1], s.dims[2]) > 0.0


@inline
def _forget_arms(c):
    """Let nothing be foreseen from how the arms of a contact turned."""
    vec.assign(c.arm_a, (0.0, 0.0, 0.0))
    vec.assign(c.arm_b, (0.0, 0.0, 0.0))


@inline
def _begins_to_roll(c, body, little, latest):
    """Whether the body's velocity was just set (see `latest` above), and turns it about another axis than the normal; little: of
    the square of the rate [rad^2/s^2]."""
    across = vec.cross(c.normal, body.omega)
    return body.velocity_lag <= latest and vec.dot(across, across) > little


@routine
def _turn_rate(body, r, before, last_dt):
    """Square of the rate at which an arm turned [rad^2/s^2]; 0 if it is new."""
    way = vec.sub(r, before)
    if body.kind != _DYNAMIC or vec.dot(before, before) == 0.0:
        return 0.0
    return vec.dot(way, way) / (vec.dot(r, r) * last_dt * last_dt)


@routine
def _tumble_rate(s, body, little):
    """(Square of the rate at which a shape changes what it looks like from outside [rad^2/s^2], spin about its axis [rad/s],
    largest speed that its points have by the former [m/s]); all 0 where the square is less than `little`."""
    square, own = vec.dot(body.omega, body.omega), 0.0
    if body.kind != _DYNAMIC or square < little:
        return 0.0, 0.0, 0.0
    centred = s.local_pos[0] == 0.0 and s.local_pos[1] == 0.0 and s.local_pos[2] == 0.0
    if centred and _SYMMETRY[s.kind] > _ONE_AXIS:
        return 0.0, 0.0, 0.0
    if centred and _SYMMETRY[s.kind] == _ONE_AXIS:
        own = vec.dot(body.omega, mat3.column(s.rot, 2))
        square = max(square - own * own, 0.0)
    radius = 0.0
    for k in range(3):
        far = max(s.hi[k] - body.pos[k], body.pos[k] - s.lo[k]) - s.reach
        radius += far * far
    return square, abs(own), math.sqrt(square * radius)


def most_impacts(shapes: int) -> int:
    """Most impacts of a step, one after the other, in a world of so many shapes."""
    shapes = max(1, shapes)
    return min(IMPACTS, max(1, SHARED // shapes, IMPACTS_OF_FEW // shapes**2))


def part_length(world: Any, contacts: np.ndarray, left: float, dt: float) -> float:
    """Length of the next part of a step of dt [s] of which `left` is to come, for the sake of turns."""
    shapes = len(world.shapes)
    most = round(max(min(MAX_PARTS, SHARED // shapes), min(MAX_PARTS_OF_FEW, SHARED_BY_FEW // shapes)) * left / dt)
    if most <= 1 or world.solver.max_part_rotation == math.inf:
        return left
    parts, unknown = parts_for_turns.unchecked(contacts, world.shapes, world.bodies, left, world.last_part_dt,
                                               world.solver.max_part_rotation, most,
                                               INSTANT_LAG if most > MAX_PARTS and world.solver.turns_arms else 0.0)
    return min(left, FIRST_PART * dt) if unknown else left / parts
