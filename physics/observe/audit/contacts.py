"""Audit of contacts: their impulses, work, and Coulomb's and Signorini's laws, from poses and velocities alone.

With u0, u1 the velocities of b relative to a at the contact point, with arms of the start of the step, s = u - n (n.u) - belt:

    work      W_n = p_n (n.u0 + n.u1) / 2,   W_t = p_t.(s0 + s1) / 2,   given by movers  p_t.belt - p.(u of the mover)     (1)
                  where u0 and u1 are those of movers within the step (sums.py, driven_velocities), and u1 has the omega of
                  bodies before they turn (sums.py, 3): what rolls and precesses, as a runner of a mill, would seem to slip
    laws      p_n >= 0;   |p_t| <= mu p_n;   |p_t| = mu p_n and p_t.s <= 0 if it slips                                   (2)
              p_n = 0 if the bodies were apart all the time                                                               (3)

Legitimate losses of energy are friction that reaches SLIDING of its bound or stops a slip, and the normal impulse of a contact
that closes in this step. A resting or rolling contact loses nothing, though its velocity, computed with arms of one instant, may
be as large as that of a rim turning within a step (`_rolled`), or as a contact gains by moving over a body (`_moved_over`):
where the contact pressed before and nothing is faster than that, a loss of energy is an error of the method, but for the work of
a load that closes its gap. In an impact all contacts of an island act together: one that transmits it may give what others take.
During an impact the slip may turn or be reversed, and friction with it: then the work of both impulses together is judged, and
friction below its bound is no fault though it slips before and after.

The laws are written here again, on purpose: an auditor shares no code with what made the result (physics/contact/laws.py).
"""

import math
from typing import NamedTuple

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import inline, routine
from physics.core.records import Kind
from physics.observe.audit.sums import (
    GIVEN,
    HAS_IMPACT,
    HELD,
    IMPACT_WORK_TOLERANCE,
    IMPULSE_TOLERANCE,
    KICKED,
    MAX_DISTANCE,
    MAX_TURN,
    OMEGA,
    POS,
    PUSHED,
    QUAT,
    TAKEN,
    THIN,
    UNEXPLAINED_WORK,
    VEL,
    four,
    length,
    max_norm,
    moves,
    note_worst_work,
    owner,
    push,
    still,
    three,
    union,
)
from physics.observe.audit.worst_places import Rule, record_worst

SLIDING = 0.85
"""Fraction of the bound from which friction counts as sliding: a polygon of six facets ends at cos(pi / 6) = 0.87 of it."""

JUMP = 0.5
"""A contact that moves farther than this fraction of its arm over a body in a step is another one."""

RUN = 4.0
"""Largest way of a rolling contact over a body before an impact, in arcs of its arm by the body's turn: the edge on which a prism
rolls on is farther."""

ROUNDING_SPEED = 1e-4
"""Added to the speeds of a contact whose rounding is estimated: where only forces press, there are none [m/s]."""

_PULLS, _ACROSS, _CONE, _STICKS, _DRIVES, _OVERLAP = (
    int(rule) for rule in (Rule.PULLS, Rule.ACROSS, Rule.CONE, Rule.STICKS, Rule.DRIVES, Rule.OVERLAP))
_KINEMATIC = Kind.KINEMATIC


class _Shaken(NamedTuple):
    """Contacts of a step of several parts, those of the step before, `since` [s] earlier, and the motion before it."""

    contacts: np.ndarray
    held: np.ndarray
    since: float
    before: np.ndarray


@inline
def _at(v, w, r):
    return vec.add(v, vec.cross(w, r))


@inline
def point_velocities(i, r, bodies, before):
    """(velocity before, velocity after) of a point of body i at arm r [m/s]."""
    b = bodies[i]
    if still(b):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return _at(three(before, i, VEL), three(before, i, OMEGA), r), _at(b.vel, b.omega, r)


@routine
def moved(i, r, bodies, before):
    """Displacement of a point of body i at arm r in the step [m]."""
    b = bodies[i]
    if still(b):
        return (0.0, 0.0, 0.0)
    turned = quat.rotate(b.quat, quat.rotate(quat.conjugate(four(before, i, QUAT)), r))
    return vec.sub(vec.add(b.pos, turned), vec.add(three(before, i, POS), r))


@routine
def enter(contacts, ended, held, since, parts, pairs, compliant, bodies, before, movers, gravity, dt, limits, sums, parent,
          found):
    """Add all contacts to the sums, and judge their laws.

    ended: contacts are those at the end of the step. held: those of the step before, `since` [s] earlier, ascending by pair.
    parts: number of parts of the step. pairs: PAIR, of the materials. compliant: contacts have springs (compliance.py). movers:
    see driven_velocities; empty if there are none.
    """
    fall, slow, substepped = dt * vec.norm(gravity), (0.1 * limits.slip) ** 2, 1.0 - 1.0 / max(1, parts)
    unsure = 0.5 * fall * substepped
    least = 0.0 if compliant or parts > 1 else (0.5 - 1e-9) * slow * dt * dt    # below 1/2: the bound is rounded, too
    shaken = _Shaken(contacts if parts > 1 and not ended else contacts[:0], held, since, before)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        i, j = np.uint32(c.body_a), np.uint32(c.body_b)     # unsigned: of others numba asks each time whether they are negative
        a, b = bodies[i], bodies[j]
        moves_a, moves_b, driven = moves(a), moves(b), a.kind == _KINEMATIC or b.kind == _KINEMATIC
        if not (moves_a or moves_b):
            continue
        r_a, r_b = _arms(c, a, b, i, j, before, ended)
        if c.gap < 0.0:
            _overlaps(n, c, r_a, r_b, ended, compliant, bodies, before, limits, sums, found)
        if c.impulse == 0.0 and vec.dot(c.friction_impulse, c.friction_impulse) == 0.0:
            continue
        p, pull = vec.madd(c.friction_impulse, c.normal, c.impulse), pairs[c.pair].adhesion * dt
        guessed = 2.0 * dt * (fall + length(a.vel) + length(b.vel)) if ended else 0.0       # [m]
        if least > 0.0 and not driven and _largest_way(i, j, r_a, r_b, sums) ** 2 < least and _is_quiet(c, limits):
            _apply(c, i, j, p, r_a, r_b, (length(p) + pull, 0.0, pull, guessed), moves_a, moves_b, sums, parent)
            continue    # its velocities are not needed
        before_a, after_a = point_velocities(c.body_a, r_a, bodies, before)
        before_b, after_b = point_velocities(c.body_b, r_b, bodies, before)
        coming = vec.sub(before_b, before_a)
        if movers.shape[0] > 0 and not (moves_a and moves_b):
            rests = _was_resting(c, _first_of_pair(pair_key(c), held), held, limits.slip)
            before_a, after_a = _driven(c.body_a, r_a, rests, bodies, movers, before_a, after_a)
            before_b, after_b = _driven(c.body_b, r_b, rests, bodies, movers, before_b, after_b)
        u0, u1 = vec.sub(before_b, before_a), vec.sub(after_b, after_a)
        if parts > 1 and not ended:     # of a point, by the slip between parts of a step, and by its way over the bodies
            guessed = dt * (max(length(u0), length(u1)) + _pace(c, held, since)) + 0.5 * _way_of_pair(a, b, i, j, before)
        _apply(c, i, j, p, r_a, r_b, (length(p) + pull, length(c.spin_impulse), pull, guessed), moves_a, moves_b, sums, parent)
        if driven:
            way = (0.0, 0.0, 0.0) if ended else _way_to_mean_kick(c, held, since, parts, dt)
            _work_of_mover(c, p, vec.add(before_a, after_a), vec.add(before_b, after_b), way, bodies, before, sums)
        if not compliant and vec.dot(u0, u0) + vec.dot(u1, u1) < slow and _is_quiet(c, limits):
            continue
        mean = _mean_velocity(c, r_a, r_b, u0, u1, bodies, sums)
        blurred, rests, fell = _past(contacts, n, r_a, r_b, vec.dot(c.normal, u0), held, since, bodies, before, dt, limits.slip)
        if compliant:
            turned = max(_pace_of_arm(i, r_a, bodies, before), _pace_of_arm(j, r_b, bodies, before))
            _compliant_work(c, u0, u1, mean, blurred, (unsure + dt * substepped * turned) * length(p), bodies, before, sums)
        else:
            _work(n, c, u0, u1, mean, pull, blurred, rests, fell, unsure * length(p), bodies, before, sums)
        noise = limits.body_tolerance * min(_mass(a), _mass(b)) * (vec.norm(u0) + vec.norm(u1) + fall + ROUNDING_SPEED)
        if c.gap > limits.gap and c.impulse > noise:
            _reaches(n, c, r_a, r_b, u0, u1, dt, ended, shaken, bodies, limits, found)
        elastic = compliant or pairs[c.pair].tangential_restitution != 0.0
        _judge(n, c, coming, u1, dt, noise, blurred, elastic, shaken, bodies, limits, found)


@inline
def _past(contacts, n, r_a, r_b, approach, held, since, bodies, before, dt, slip):
    """What the part before tells about contact n: (largest velocity [m/s] that is none but for the turn of the bodies, whether
    the contact pressed already, and the speed with which its gap closes, or closed then [m/s])."""
    c = contacts[n]
    first = _first_of_pair(pair_key(c), held)
    last = _last_one(contacts, n, first, held)
    blurred = slip + _rolled(c.body_a, r_a, bodies, before, dt) + _rolled(c.body_b, r_b, bodies, before, dt)
    fell = max(c.gap, 0.0) / dt if dt > 0.0 else 0.0
    if last < 0:
        return blurred, False, fell
    rolling = (_moved_over(c, c.body_b, r_b, held[last], bodies, before, since, dt)
               - _moved_over(c, c.body_a, r_a, held[last], bodies, before, since, dt))
    if rolling < 0.0 and approach - rolling > -blurred:
        blurred -= rolling
    fell += max(held[last].gap - max(c.gap, 0.0), 0.0) / since
    return blurred, not math.isnan(rolling) and _was_resting(c, first, held, blurred), fell


@routine
def _pace(c, held, since):
    """Speed at which a contact has moved since the part before, from the nearest one of its pair then [m/s]; 0: there is none."""
    key = pair_key(c)
    k, least = _first_of_pair(key, held), math.inf
    while k < held.shape[0] and pair_key(held[k]) == key:
        least = min(least, length(vec.sub(c.pos, held[k].pos)))
        k += 1
    return least / since if least < math.inf and since > 0.0 else 0.0


@inline
def _driven(i, r, rests, bodies, movers, u, v):
    """`point_velocities` u, v, of a mover those within the step; if it strikes what did not rest on it, it has one velocity."""
    if bodies[i].kind == _KINEMATIC:
        v = _at(three(movers, i, 6), three(movers, i, 9), r)
        u = _at(three(movers, i, 0), three(movers, i, 3), r) if rests else u
    return u, v


@inline
def _is_quiet(c, limits):
    """Whether a contact is almost at rest and obeys its laws, so that its work is negligible."""
    f, bound = vec.dot(c.friction_impulse, c.friction_impulse), (1.0 + limits.cone) * c.friction * c.anisotropy * c.impulse
    return (c.impulse >= 0.0 and f <= bound * bound and c.gap <= limits.gap and vec.dot(c.spin_impulse, c.spin_impulse) == 0.0
            and c.target[1] * c.target[1] + c.target[2] * c.target[2] == 0.0)


@routine
def _gaps(c, r_a, r_b, ended, bodies, before):
    """(gap before, gap after the step) [m]."""
    opened = vec.dot(c.normal, vec.sub(moved(c.body_b, r_b, bodies, before), moved(c.body_a, r_a, bodies, before)))
    return (c.gap - opened, c.gap) if ended else (c.gap, c.gap + opened)


@inline
def _overlaps(n, c, r_a, r_b, ended, compliant, bodies, before, limits, sums, found):
    """Record the overlap of two bodies."""
    a, b = c.body_a, c.body_b
    _pushed(bodies, a, r_a, -c.gap, sums)
    _pushed(bodies, b, r_b, -c.gap, sums)
    if -c.gap <= 0.1 * limits.least_overlap:
        return
    allowed = max((1.0 if compliant else limits.overlap) * math.sqrt(min(sums[a, THIN], sums[b, THIN])), limits.least_overlap)
    if -c.gap > 0.1 * allowed:
        deep = -max(_gaps(c, r_a, r_b, ended, bodies, before))
        record_worst(found, _OVERLAP, deep / allowed, deep, owner(bodies, a, b), a if moves(bodies[b]) else b, n, -1)


@routine
def _reaches(n, c, r_a, r_b, u0, u1, dt, ended, shaken, bodies, limits, found):
    """Judge (3) for a contact with an impulse and a gap. shaken: see `_Shaken`."""
    a, b = c.body_a, c.body_b
    gap = min(_gaps(c, r_a, r_b, ended, bodies, shaken.before))
    apart = gap - dt * max(abs(vec.dot(c.normal, u0)), abs(vec.dot(c.normal, u1)))
    if apart > limits.gap:
        apart -= dt * _shakes(c, shaken, dt, bodies)
    record_worst(found, _ACROSS, apart / limits.gap, apart, owner(bodies, a, b), a if moves(bodies[b]) else b, n, -1)


@inline
def _pushed(bodies, i, r, depth, sums):
    """Allow for an unreported rotation of a body that overlaps by that depth [m] at arm r, by position correction; its omega is
    unchanged."""
    if moves(bodies[i]):
        sums[i, PUSHED] += depth / max(max_norm(r), depth)


@inline
def _arms(c, a, b, i, j, before, ended):
    """(r_a, r_b) [m]."""
    if ended and vec.dot(c.arm_a, c.arm_a) + vec.dot(c.arm_b, c.arm_b) > 0.0:
        return vec.copy(c.arm_a), vec.copy(c.arm_b)
    if ended:
        return vec.sub(c.pos, a.pos), vec.sub(vec.add(c.pos, c.shift), b.pos)
    return vec.sub(c.pos, three(before, i, POS)), vec.sub(vec.add(c.pos, c.shift), three(before, j, POS))


@inline
def _way_of_pair(a, b, i, j, before):
    """By how much the centre of b moved relative to that of a [m]: arms of later parts of a step share it."""
    if not (moves(a) and moves(b)):
        return 0.0
    return length(vec.sub(vec.sub(b.pos, three(before, j, POS)), vec.sub(a.pos, three(before, i, POS))))


@inline
def _mass(body):
    return body.mass if moves(body) else math.inf


@inline
def _largest_way(i, j, r_a, r_b, sums):
    """Upper bound of dt |u0| and dt |u1| of a contact between bodies i, j that are not kinematic [m]."""
    return (sums[i, MAX_DISTANCE] + sums[i, MAX_TURN] * length(r_a)
            + sums[j, MAX_DISTANCE] + sums[j, MAX_TURN] * length(r_b))


@inline
def _apply(c, i, j, p, r_a, r_b, sizes, moves_a, moves_b, sums, parent):
    """Add impulse p of a contact to its bodies, and connect their islands. sizes: of p and adhesion, of its moment, of adhesion
    alone [N s, N m s, N s], and of what is not known of its point [m]."""
    sizes = (sizes[0], sizes[1], sizes[2], abs(c.gap) + length(c.shift) + sizes[3])
    if moves_b:
        _apply_impulse(c, j, 1.0, p, r_b, sizes, sums)
    if moves_a:
        _apply_impulse(c, i, -1.0, p, r_a, sizes, sums)
    if moves_a and moves_b:
        if parent[i] != parent[j]:
            union(parent, c.body_a, c.body_b)
    else:
        sums[j if moves_b else i, HELD] = 1.0


@inline
def _apply_impulse(c, i, sign, p, r, sizes, sums):
    """Add impulse p of a contact at arm r, and its moment, on body i. sizes: see `_apply`, the last with the gap."""
    size, spun, pull, apart = sizes
    m = vec.cross(r, p)
    if spun > 0.0:
        m = vec.add(m, c.spin_impulse)
    swept = size * length(r)
    push(sums, i, sign, p, m, size, swept + spun, swept * min(2.0, sums[i, MAX_TURN]) + size * apart)
    sums[i, IMPULSE_TOLERANCE] += pull


@inline
def _surface_velocity(c):
    """Velocity of the surfaces relative to their bodies, of b relative to a [m/s]."""
    return vec.madd(vec.scale(c.tangent, c.target[1]), vec.cross(c.normal, c.tangent), c.target[2])


@inline
def _across(n, u):
    """The component of u perpendicular to n."""
    return vec.madd(u, n, -vec.dot(n, u))


@inline
def pair_key(c):
    """Key of the pair of shapes."""
    return (np.int64(min(c.shape_a, c.shape_b)) << 32) | np.int64(max(c.shape_a, c.shape_b))


@routine
def _first_of_pair(key, contacts):
    """Index of the first contact of a pair, if it has one."""
    low, high = 0, contacts.shape[0]
    while low < high:
        middle = (low + high) // 2
        if pair_key(contacts[middle]) < key:
            low = middle + 1
        else:
            high = middle
    return low


@inline
def _last_one(contacts, n, first, held):
    """Index of the contact in the part before that contact n was: the nearest one of its two shapes then, if it pressed, and no
    other contact of now is nearer to it; -1 if there is none. first: of its pair in `held`."""
    c, last, least = contacts[n], -1, math.inf
    key, k = pair_key(c), first
    while k < held.shape[0] and pair_key(held[k]) == key:
        way = vec.sub(c.pos, held[k].pos)
        if vec.dot(way, way) < least:
            last, least = k if held[k].impulse > 0.0 else -1, vec.dot(way, way)
        k += 1
    k = n
    while k > 0 and pair_key(contacts[k - 1]) == key:
        k -= 1
    while last >= 0 and k < contacts.shape[0] and pair_key(contacts[k]) == key:
        way = vec.sub(contacts[k].pos, held[last].pos)
        if vec.dot(way, way) < least:
            last = -1
        k += 1
    return last


@routine
def _was_resting(c, first, held, blurred):
    """Whether the same two shapes pressed on each other in the step before, without an impact. first: of the pair in `held`."""
    key, k = pair_key(c), first
    while k < held.shape[0] and pair_key(held[k]) == key:
        if held[k].impulse > 0.0 and held[k].approach > -blurred:
            return True
        k += 1
    return False


@inline
def _work(n, c, u0, u1, mean, pull, blurred, rests, fell, unsure, bodies, before, sums):
    """(1): work given and taken by a contact, or unexplained. mean: velocity at which its impulses act; blurred: see `_rolled`
    [m/s]; rests: it is no new contact; fell: speed with which its gap closes, or closed in the part before [m/s]; unsure: of (1)
    in an impact [J]."""
    i, belt = owner(bodies, c.body_a, c.body_b), _surface_velocity(c)
    normal = c.impulse * vec.dot(c.normal, mean)
    rubbed = vec.dot(c.friction_impulse, vec.sub(mean, belt))
    sums[i, GIVEN] += vec.dot(c.friction_impulse, belt)
    spun = 0.0
    if vec.dot(c.spin_impulse, c.spin_impulse) > 0.0:
        spun = vec.dot(c.spin_impulse, _turning(c, bodies, before, sums))
    sums[i, TAKEN] += spun - pull * abs(vec.dot(c.normal, mean))
    closing = -min(vec.dot(c.normal, u0), vec.dot(c.normal, u1))
    struck = vec.dot(c.normal, u0) < -blurred and normal + rubbed < 0.0
    if struck or (normal < 0.0 and (closing > blurred or not rests)):
        sums[i, TAKEN] += normal + rubbed
        sums[i, IMPACT_WORK_TOLERANCE] += unsure
        sums[i, HAS_IMPACT] = 1.0
        note_worst_work(sums, i, max(normal + rubbed, 0.0), n + 1)
        return
    landing = min(max(-normal, 0.0), c.impulse * fell)
    sums[i, TAKEN] -= landing
    normal += landing
    stopped = vec.norm(_across(c.normal, vec.sub(u0, belt))) > blurred and rubbed < 0.0
    if stopped or vec.norm(c.friction_impulse) >= SLIDING * c.friction * c.anisotropy * c.impulse:
        sums[i, TAKEN] += rubbed
        rubbed = 0.0
    sums[i, UNEXPLAINED_WORK] += normal + rubbed
    note_worst_work(sums, i, normal + rubbed, n + 1)


@routine
def _compliant_work(c, u0, u1, mean, blurred, unsure, bodies, before, sums):
    """(1) of a compliant contact: what its springs do not store is dissipated. mean, unsure: see `_work`."""
    i, belt = owner(bodies, c.body_a, c.body_b), _surface_velocity(c)
    sums[i, GIVEN] += vec.dot(c.friction_impulse, belt)
    sums[i, TAKEN] += c.impulse * vec.dot(c.normal, mean) + vec.dot(c.friction_impulse, vec.sub(mean, belt))
    if vec.dot(c.spin_impulse, c.spin_impulse) > 0.0:
        sums[i, TAKEN] += vec.dot(c.spin_impulse, _turning(c, bodies, before, sums))
    if max(abs(vec.dot(c.normal, u0)), abs(vec.dot(c.normal, u1))) > blurred:
        sums[i, IMPACT_WORK_TOLERANCE] += unsure
        sums[i, HAS_IMPACT] = 1.0


@routine
def _work_of_mover(c, p, twice_a, twice_b, way, bodies, before, sums):
    """Add the work that a kinematic body does on the other at a contact; twice: the mean velocities of its points; way: of
    `_way_to_mean_kick`."""
    if bodies[c.body_a].kind == _KINEMATIC:
        mover, other, sign, twice = c.body_a, c.body_b, 1.0, twice_a
    else:
        mover, other, sign, twice = c.body_b, c.body_a, -1.0, twice_b
    turned = vec.madd(twice, vec.cross(vec.copy(bodies[mover].omega), way), 2.0)
    sums[other, GIVEN] += sign * (0.5 * vec.dot(p, turned) + vec.dot(c.spin_impulse, _spin(mover, bodies, before, sums)))


@routine
def _way_to_mean_kick(c, held, since, parts, dt):
    """Way of a contact from where it was found, at the start of a step, to the middle of the kicks of its `parts` [m], at its
    speed since the one before: what rides on a turntable is pushed towards its centre, in a direction that turns."""
    share = 0.5 - 0.5 / max(1, parts)
    if share == 0.0 or not since > 0.0:
        return (0.0, 0.0, 0.0)
    key = pair_key(c)
    k = _first_of_pair(key, held)
    while k < held.shape[0] and pair_key(held[k]) == key:
        if held[k].feature == c.feature:
            return vec.scale(vec.sub(c.pos, held[k].pos), dt * share / since)
        k += 1
    return (0.0, 0.0, 0.0)


@inline
def _pace_of_arm(i, r, bodies, before):
    """How fast the mean of the velocities at both ends of an arm's turn with its body departs from that at the arm [m/s^2]: where
    corners press the arm turns, where balls roll it does not."""
    w0, w1 = three(before, i, OMEGA), bodies[i].omega
    return 0.5 * max(vec.dot(w0, w0), vec.dot(w1, w1)) * length(r)


@inline
def _mean_velocity(c, r_a, r_b, u0, u1, bodies, sums):
    """Mean of u0 and u1, but with the omega that bodies have after the impulses and before they turn: sums.py (3) [m/s]."""
    turned = (0.0, 0.0, 0.0)
    if moves(bodies[c.body_b]):
        turned = vec.cross(vec.sub(three(sums, c.body_b, KICKED), bodies[c.body_b].omega), r_b)
    if moves(bodies[c.body_a]):
        turned = vec.sub(turned, vec.cross(vec.sub(three(sums, c.body_a, KICKED), bodies[c.body_a].omega), r_a))
    return vec.scale(vec.add(vec.add(u0, u1), turned), 0.5)


@inline
def _turning(c, bodies, before, sums):
    """Angular velocity of b relative to a, mean of before and after the impulses: see `_mean_velocity` [rad/s]."""
    return vec.sub(_spin(c.body_b, bodies, before, sums), _spin(c.body_a, bodies, before, sums))


@inline
def _spin(i, bodies, before, sums):
    """Angular velocity of body i, mean of before and after the impulses [rad/s]."""
    if still(bodies[i]):
        return (0.0, 0.0, 0.0)
    return vec.scale(vec.add(three(before, i, OMEGA), three(sums, i, KICKED)), 0.5)


@inline
def _judge(n, c, u0, u1, dt, noise, blurred, elastic, shaken, bodies, limits, found):
    """Judge (2) for a contact with an impulse; impulses below `noise` are rounding [N s]. elastic: friction may be driven by a
    tangential spring or restitution, and only its bound holds. shaken: see `_Shaken`; empty if the step has one part."""
    a, b = c.body_a, c.body_b
    body, other = owner(bodies, a, b), a if moves(bodies[b]) else b
    if c.impulse < 0.0:
        record_worst(found, _PULLS, -c.impulse / noise, c.impulse, body, other, n, -1)
        return
    f = vec.copy(c.friction_impulse)
    x, y = vec.dot(f, c.tangent), vec.dot(f, vec.cross(c.normal, c.tangent)) / c.anisotropy
    used, bound = math.sqrt(x * x + y * y), c.friction * c.impulse
    record_worst(found, _CONE, (used - bound) / (limits.cone * bound + noise), used - bound, body, other, n, -1)
    if bound < noise or elastic:
        return
    belt = _surface_velocity(c)
    s0, s1 = _across(c.normal, vec.sub(u0, belt)), _across(c.normal, vec.sub(u1, belt))
    least = min(vec.norm(s0), vec.norm(s1), 0.5 * vec.norm(vec.add(s0, s1)))
    turned = vec.dot(s0, s1) < SLIDING * vec.norm(s0) * vec.norm(s1)
    sticks = used < SLIDING * bound and not (turned and (dt == 0.0 or vec.dot(c.normal, u0) < -blurred)) and least > blurred
    drives, size = used > 0.2 * bound and least > blurred, vec.norm(f)
    if not (sticks or drives) or _shakes(c, shaken, dt, bodies) > least:
        return
    if sticks:
        record_worst(found, _STICKS, least / blurred, least, body, other, n, -1)
    if drives:
        along = min(vec.dot(f, s0) / vec.norm(s0), vec.dot(f, s1) / vec.norm(s1)) / size
        record_worst(found, _DRIVES, along / limits.slip_alignment, along, body, other, n, -1)


@inline
def _response(c, other, p, b, centre):
    """Change of the velocity of a body at contact c by an impulse at another one [m/s]."""
    turn = quat.rotate(quat.conjugate(b.quat), vec.cross(vec.sub(other.pos, centre), p))
    return vec.madd(vec.cross(quat.rotate(b.quat, mat3.apply(b.inv_inertia, turn)), vec.sub(c.pos, centre)), p, b.inv_mass)


@routine
def _shakes(c, shaken, dt, bodies):
    """Largest change of the velocity at a contact within a step by what its bodies' contacts press more or less than in the step
    before [m/s]: slip that is smaller may end and begin again between the parts of a step, as in a heap that falls."""
    contacts, held, most = shaken.contacts, shaken.held, 0.0
    for k in range(contacts.shape[0]):
        other = contacts[k]
        for i in (c.body_a, c.body_b):
            if (other.body_a == i or other.body_b == i) and moves(bodies[i]):
                first = _first_of_pair(pair_key(other), held)
                last = _last_one(contacts, k, first, held)
                jump = vec.madd(other.friction_impulse, other.normal, other.impulse)
                if last >= 0:
                    old = vec.madd(held[last].friction_impulse, held[last].normal, held[last].impulse)
                    jump = vec.madd(jump, old, -dt / shaken.since)
                most += vec.norm(_response(c, other, jump, bodies[i], three(shaken.before, i, POS)))
    return most


@inline
def _rolled(i, r, bodies, before, dt):
    """Velocity gained within a step by a point at arm r of a body because the body turns [m/s]."""
    if still(bodies[i]):
        return 0.0
    w0, w1 = three(before, i, OMEGA), vec.copy(bodies[i].omega)
    w = w0 if vec.dot(w0, w0) > vec.dot(w1, w1) else w1
    return dt * vec.norm(vec.cross(w, vec.cross(w, r)))


@inline
def _moved_over(c, i, r, last, bodies, before, since, dt):
    """What the motion of a contact over a body, since it was `last`, `since` [s] ago, adds to the normal velocity of the body's
    point there [m/s]; nan if it is another contact."""
    if still(bodies[i]):
        return 0.0
    w, way = three(before, i, OMEGA), vec.madd(vec.sub(c.pos, last.pos), three(before, i, VEL), -since)
    run = JUMP if dt > 0.0 else min(JUMP, RUN * since * vec.norm(w))
    if not vec.dot(way, way) < run * run * vec.dot(r, r):
        return math.nan
    return vec.dot(c.normal, vec.cross(w, way))
