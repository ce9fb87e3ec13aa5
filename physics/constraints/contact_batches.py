"""Contacts in batches of four patches, which a solver processes four at a time (core/lanes.py).

A patch is the contacts of one pair of shapes along one normal: up to four points. Patches that share no moving body get the same
colour (greedy, in the order of the contacts), and four of a colour make a batch, one per lane. The patches of a batch are
independent, so the result is that of solving them one after the other: Gauss-Seidel over the batches.

For a point with arms r_a, r_b, normal n and tangents t1, t2 (axes e), relative velocity and its change by an impulse P on b:

    dv = v_b + omega_b x r_b - v_a - omega_a x r_a                                        (1)
    V += M^-1 J^T P:  v_b += P / m_b,  omega_b += I_b^-1 (r_b x P), and with -P on a       (2)
    K_ij = (1/m_a + 1/m_b) e_i.e_j + (r_a x e_i) . I_a^-1 (r_a x e_j) + the same of b      (3)

Empty lanes and missing points of a patch have zero inverses and change nothing.

Curvature term. A drift follows a chord, so velocities belong to its middle, where arms and normal have turned (a
rolling rim, a ball in a bowl). With r', n' their rates since the last step, and omega' that of a free top (integrate.py),

    J(q_mid) V = J(q0) V + t c,   c = e.(omega_b x r_b' + omega_b' x r_b - the same of a),   for the normal + n'.dv    (4)

For a rod that spins about its own axis while it yaws both terms cancel. t is the time from the pose of J to the middle of the
motion; arms advance from substep to substep. Impulses act along J(q0) (the SHAKE form). This is of second order; with tangents
at q0 a lossless disc of 0.3 m loses two thirds of its energy in two seconds at 240 Hz.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints import extended_contacts
from physics.core import contact_points, lanes, vec
from physics.core.jit import inline, routine
from physics.core.records import Kind
from physics.dynamics import integrate

ARM_A, ARM_B = 0, 3                              # r_a, r_b [m]
INVERSE_N = 6                                    # 1 / K_nn
COUPLE_1, COUPLE_2 = 7, 8                        # K_1n, K_2n
INVERSE_11, INVERSE_12, INVERSE_22 = 9, 10, 11   # inverse of the tangential 2 x 2 block of K
RATE = 12                                        # 1 / (bound of the largest eigenvalue of that block)
STIFFNESS = 13                                   # largest velocity change by a unit impulse [1/kg]
TARGET_N, TARGET_1, TARGET_2 = 14, 15, 16        # target relative velocity [m/s]
MU = 17
IMPULSE_N, IMPULSE_1, IMPULSE_2 = 18, 19, 20     # of this substep [N s]
TOTAL_N, TOTAL_1, TOTAL_2 = 21, 22, 23           # of all substeps [N s]
CHANGE_N, CHANGE_1, CHANGE_2 = 24, 25, 26        # by the last sweep [N s]
SEARCH_N, SEARCH_1, SEARCH_2 = 27, 28, 29        # search direction of the acceleration [N s]
GAP = 30                                         # at the start of this substep [m]
PUSH_TARGET, PUSH_IMPULSE = 31, 32               # of the position pass
MASS_SCALE = 33                                  # normal impulse of a soft contact over that of a rigid one; 0: compliant
RESTITUTION = 34
APPROACH = 35                                    # normal velocity before the free motion, the smallest of all substeps [m/s]
REBOUND = 36                                     # REBOUNDS: the normal target is one; 1: that of an earlier substep was
CURVATURE_N, CURVATURE_1, CURVATURE_2 = 37, 38, 39   # of (4) [m/s^2]
SWING = 40                                       # its part from the turning normal [m/s^2]
BELT_1, BELT_2 = 41, 42                          # tangential targets without curvature terms: moving surfaces [m/s]
SWEEP_A, SWEEP_B = 43, 46                        # rates at which the arms change [m/s]
SHARE_A = 49                                     # share of a way between the ends of the arms that a's goes where nothing rolls
POINT_FIELDS = 50

REBOUNDS = 2.0

JUMP = 0.5
"""Above this turn of a body, an arm or a normal in a step [rad] the second-order term is meaningless."""

NEGLIGIBLE_TURN = 1e-6
"""Below this turn in a step [rad] the term is negligible and would only keep bodies from coming to rest."""

MIN_FREE_TURN, MAX_FREE_TURN = 1e-4, 0.1
"""Outside these turns of a body in a step [rad] a contact that does not press gets no second-order term: of bodies almost at rest
it would feed what sweeps have not solved back to them (a pyramid of 20 rows: 18 sweeps instead of 14)."""

FASTER, RACES = 40.0, 1000.0
"""The term is omitted if an arm turns more than this many times as fast as its body, as for a coin almost at rest. On the flat
side of an ellipsoid of half axes a > c it turns a^2 / c^2 times as fast; round the rim of a disc at a tilt x, 1 / x times."""

MAX_ROUND_SINE = 1e-6
"""Sine of the angle between an arm and the normal up to which the arm is along it."""

RIM, MIN_RACE_TURN = 0.2, 1e-5
"""Sine of the angle between arm and normal above which a point is on a rim, where the second holds, unless the body turns by less
than this in a part [rad]: in a heap at rest it would feed what sweeps have not solved back to the bodies."""

OUTRUNS, RADIAL = 8.0, 0.7
"""The term is also omitted between moving bodies if an arm that turns this many times as fast as its body changes its length by
this share of its way: where capsules come to lie along each other their nearest points run from end to end within a step, and
stay there. So does the contact of an ellipsoid that rocks on a plane, but smoothly."""

SAME_POINT = 1e-6
"""Arms of a contact end at one point where they are no farther apart than this [m]."""

MIN_ROLL = 0.1
"""Bodies that turn more slowly against each other do not roll but slide: the arm that moved over its body in the last step goes
on [rad/s]."""

LIKE_ARMS = 0.9
"""Ratio of arms from which on nothing tells which of two new surfaces has the point that slides over the other."""

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC
_MAX_PATCH_POINTS = 4
_COLOURS = 63
"""Number of colours. The last one is for patches that fit no other; each of those has a batch of its own."""


class ContactBatches(NamedTuple):
    """Batches of four patches.

    a, b: bodies, int32 (n, 4); 0 ("world") in an empty lane. moved_a, moved_b: the same, 0 if the body cannot move.
    first, count: points of each batch, int64 (n,).
    frame: float64 (n, 9, 4): normal, t1, t2 (t2 shorter or longer than 1 if friction is anisotropic).
    points: float64 (m, POINT_FIELDS, 4). contact: int32 (m, 4), -1 if a lane has no such point.
    mass: float64 (bodies, 7): 1/m, and I^-1 in the world frame: xx, xy, xz, yy, yz, zz.
    extended: EXTENDED_CONTACT (u,), contacts that need more than Coulomb's law.
    """

    a: np.ndarray
    b: np.ndarray
    moved_a: np.ndarray
    moved_b: np.ndarray
    first: np.ndarray
    count: np.ndarray
    frame: np.ndarray
    points: np.ndarray
    contact: np.ndarray
    mass: np.ndarray
    extended: np.ndarray


@routine
def build(contacts, bodies, pairs, last_dt, gyroscopic):
    """Build the batches of all contacts [CONTACT] with tangential targets and last impulses; inv_inertia_world must be fresh.

    pairs: PAIR, of the world's materials. last_dt: time since contacts were last solved [s]; 0: no curvature term.
    gyroscopic: whether free bodies keep their angular momentum.
    """
    patch = np.empty((contacts.shape[0], 4), np.int32)
    count = np.empty(contacts.shape[0] + _COLOURS, np.int64)
    number, batches, points = colour_batches(contacts, bodies, patch, count)
    a, b = np.zeros((batches, 4), np.int32), np.zeros((batches, 4), np.int32)
    moved_a, moved_b = np.zeros((batches, 4), np.int32), np.zeros((batches, 4), np.int32)
    patches = ContactBatches(a, b, moved_a, moved_b, np.empty(batches, np.int64), count[:batches], np.zeros((batches, 9, 4)),
                             np.zeros((points, POINT_FIELDS, 4)), np.full((points, 4), -1, np.int32),
                             np.empty((bodies.shape[0], 7)), extended_contacts.allocate(contacts, pairs))
    fill_lanes(contacts, bodies, patch[:number], patches, last_dt, gyroscopic)
    prepare(patches)
    extended_contacts.fill(contacts, pairs, patches)
    return patches


@routine
def colour_batches(contacts, bodies, patch, count):
    """Find the patches, colour them and assign each a batch and lane.

    Writes patch (first contact, contacts, batch, lane) and count (points of each batch); returns the numbers of patches, batches
    and points.
    """
    used = np.zeros(bodies.shape[0], np.int64)
    size = np.zeros(_COLOURS, np.int64)
    n = 0
    for i in range(contacts.shape[0]):
        c = contacts[i]
        if n > 0 and patch[n - 1, 1] < _MAX_PATCH_POINTS:
            d = contacts[patch[n - 1, 0]]
            if (d.shape_a == c.shape_a and d.shape_b == c.shape_b and d.normal[0] == c.normal[0]
                    and d.normal[1] == c.normal[1] and d.normal[2] == c.normal[2]):
                patch[n - 1, 1] += 1
                continue
        bit_a = bodies[c.body_a].kind == _DYNAMIC
        bit_b = bodies[c.body_b].kind == _DYNAMIC
        taken = (used[c.body_a] if bit_a else 0) | (used[c.body_b] if bit_b else 0)
        colour = 0
        while colour < _COLOURS - 1 and (taken >> colour) & 1:
            colour += 1
        if bit_a:
            used[c.body_a] |= np.int64(1) << colour
        if bit_b:
            used[c.body_b] |= np.int64(1) << colour
        patch[n, 0], patch[n, 1], patch[n, 2] = i, 1, colour
        size[colour] += 1
        n += 1
    batches = 0
    base = np.empty(_COLOURS, np.int64)
    for colour in range(_COLOURS):
        base[colour] = batches
        batches += size[colour] if colour == _COLOURS - 1 else (size[colour] + lanes.WIDTH - 1) // lanes.WIDTH
    size[:] = 0
    count[:batches] = 0
    points = 0
    for k in range(n):
        colour = patch[k, 2]
        place = size[colour]
        size[colour] += 1
        if colour == _COLOURS - 1:
            patch[k, 2], patch[k, 3] = base[colour] + place, 0
        else:
            patch[k, 2], patch[k, 3] = base[colour] + place // lanes.WIDTH, place % lanes.WIDTH
        batch = patch[k, 2]
        if patch[k, 1] > count[batch]:
            points += patch[k, 1] - count[batch]
            count[batch] = patch[k, 1]
    return n, batches, points


@routine
def write_masses(bodies, mass):
    """Write inverse masses and world inverse inertias of all bodies; 0 if not dynamic."""
    for i in range(bodies.shape[0]):
        body = bodies[i]
        inverse = body.inv_inertia_world
        mass[i, 0] = body.inv_mass
        mass[i, 1], mass[i, 2], mass[i, 3] = inverse[0, 0], inverse[0, 1], inverse[0, 2]
        mass[i, 4], mass[i, 5], mass[i, 6] = inverse[1, 1], inverse[1, 2], inverse[2, 2]
        if body.kind != _DYNAMIC:
            mass[i, :] = 0.0


@routine
def fill_lanes(contacts, bodies, patch, patches, last_dt, gyroscopic):
    """Copy contacts and bodies into their lanes; arms end on the bodies' own surfaces."""
    a, b, moved_a, moved_b = patches.a, patches.b, patches.moved_a, patches.moved_b
    first, count, frame, points, contact = patches.first, patches.count, patches.frame, patches.points, patches.contact
    write_masses(bodies, patches.mass)
    turns = write_turns(bodies, last_dt, gyroscopic)
    start = 0
    for k in range(first.shape[0]):
        first[k] = start
        start += count[k]
    for k in range(patch.shape[0]):
        batch, lane = patch[k, 2], patch[k, 3]
        c = contacts[patch[k, 0]]
        body_a, body_b = bodies[c.body_a], bodies[c.body_b]
        a[batch, lane], b[batch, lane] = c.body_a, c.body_b
        moved_a[batch, lane] = c.body_a if body_a.kind == _DYNAMIC else 0
        moved_b[batch, lane] = c.body_b if body_b.kind == _DYNAMIC else 0
        t1 = vec.copy(c.tangent)
        t2 = vec.scale(vec.cross(c.normal, t1), c.anisotropy)
        for i in range(3):
            frame[batch, i, lane] = c.normal[i]
            frame[batch, 3 + i, lane] = t1[i]
            frame[batch, 6 + i, lane] = t2[i]
        for i in range(patch[k, 1]):
            c = contacts[patch[k, 0] + i]
            p = points[first[batch] + i]
            contact[first[batch] + i, lane] = patch[k, 0] + i
            r_a, r_b = surface_arms(c, body_a, body_b)
            for j in range(3):
                p[ARM_A + j, lane], p[ARM_B + j, lane] = r_a[j], r_b[j]
            p[BELT_1, lane], p[BELT_2, lane] = c.target[1], c.target[2] * c.anisotropy
            p[TARGET_1, lane], p[TARGET_2, lane] = p[BELT_1, lane], p[BELT_2, lane]
            turning = turn_with_bodies(c, body_a, body_b, r_a, r_b, p, lane, last_dt, turns)
            p[CURVATURE_N, lane] = vec.dot(turning, c.normal)
            p[CURVATURE_1, lane], p[CURVATURE_2, lane] = vec.dot(turning, t1), vec.dot(turning, t2)
            if moved_a[batch, lane] != 0 and moved_b[batch, lane] != 0:
                p[SHARE_A, lane] = _share_of_slide(c, body_a, body_b, r_a, r_b, last_dt)
            vec.assign(c.arm_a, r_a)
            vec.assign(c.arm_b, r_b)
            p[MU, lane] = c.friction
            p[RESTITUTION, lane] = c.restitution
            p[APPROACH, lane] = math.inf
            p[MASS_SCALE, lane] = 1.0
            p[GAP, lane] = c.gap
            p[IMPULSE_N, lane] = c.impulse
            p[IMPULSE_1, lane] = vec.dot(c.friction_impulse, t1)
            p[IMPULSE_2, lane] = vec.dot(c.friction_impulse, t2) / (c.anisotropy * c.anisotropy)


@inline
def surface_arms(c, a, b):
    """Arms from the bodies' centres to their own surfaces at a contact, whose point lies half way between these [m].

    If both bodies move, both arms end at that point: friction across a gap would act as a couple and turn them.
    """
    return arms_about(c, a.pos, b.pos, a.kind == _DYNAMIC and b.kind == _DYNAMIC)


@inline
def arms_about(c, centre_a, centre_b, both_move):
    """`surface_arms` of bodies with their centres there."""
    half = 0.0 if both_move else 0.5 * c.gap
    return (vec.madd(vec.sub(c.pos, centre_a), c.normal, -half),
            vec.madd(vec.sub(vec.add(c.pos, c.shift), centre_b), c.normal, half))


@routine
def write_turns(bodies, last_dt, gyroscopic):
    """(bodies, 4): turn in last_dt [rad], and omega' of (4) [rad/s^2], if bodies keep their angular momentum (`gyroscopic`)."""
    turns = np.zeros((bodies.shape[0], 4))
    for i in range(bodies.shape[0]):
        body = bodies[i]
        turns[i, 0] = last_dt * vec.norm(body.omega)
        if gyroscopic and body.kind == _DYNAMIC and turns[i, 0] >= NEGLIGIBLE_TURN:
            turns[i, 1], turns[i, 2], turns[i, 3] = integrate.free_acceleration(body)
    return turns


@inline
def turn_with_bodies(c, a, b, r_a, r_b, p, lane, last_dt, turns):
    """Write the rates of the arms and of the normal; returns (4) as a vector, without n' [m/s^2].

    All 0 if a contact is new, or has jumped. One that has just come free needs its rates, too: with arms that stand still its gap
    would seem to close within the step, and it would be pushed away. Not so in a tumble, where they are another point's.
    """
    turn, swing = max(turns[c.body_a, 0], turns[c.body_b, 0]), vec.dot(c.normal_change, c.normal_change)
    if turn < NEGLIGIBLE_TURN and swing <= NEGLIGIBLE_TURN * NEGLIGIBLE_TURN:
        return (0.0, 0.0, 0.0)
    return _turn_with_moving(c, a, b, r_a, r_b, p, lane, last_dt, turns)


@routine
def _turn_with_moving(c, a, b, r_a, r_b, p, lane, last_dt, turns):
    """`turn_with_bodies` where something moves."""
    turn, swing = max(turns[c.body_a, 0], turns[c.body_b, 0]), vec.dot(c.normal_change, c.normal_change)
    seen = vec.dot(c.arm_a, c.arm_a) + vec.dot(c.arm_b, c.arm_b) > 0.0
    if last_dt <= 0.0 or not seen or contact_points.comes_later(c) or swing > JUMP * JUMP:
        return (0.0, 0.0, 0.0)
    runs, round_a, round_b = a.kind == _DYNAMIC and b.kind == _DYNAMIC, False, False
    if not ((c.impulse > 0.0 or MIN_FREE_TURN < turn < MAX_FREE_TURN)
            and (_explains(c, a, r_a, c.arm_a, turns[c.body_a, 0], runs)
                 or _explains(c, b, r_b, c.arm_b, turns[c.body_b, 0], runs))):
        round_a, round_b = _is_round(c, a, r_a, c.arm_a), _is_round(c, b, r_b, c.arm_b)
        if not (round_a or round_b) or (c.impulse <= 0.0 and swing <= MIN_FREE_TURN * MIN_FREE_TURN):
            return (0.0, 0.0, 0.0)
    of_a, turning_a, v_a = _rates(a, r_a, c.arm_a, last_dt, turns[c.body_a], round_a)
    of_b, turning_b, v_b = _rates(b, r_b, c.arm_b, last_dt, turns[c.body_b], round_b)
    for j in range(3):
        p[SWEEP_A + j, lane], p[SWEEP_B + j, lane] = of_a[j], of_b[j]
    if swing > NEGLIGIBLE_TURN * NEGLIGIBLE_TURN:
        p[SWING, lane] = vec.dot(c.normal_change, vec.sub(v_b, v_a)) / last_dt
    return vec.sub(turning_b, turning_a)


@inline
def _is_round(c, body, r, before):
    """Whether a moving body's arm is along the normal, and was: as on a ball it turns with the normal, however the body turns,
    and n.(omega x r) remains 0."""
    off, was = vec.cross(r, c.normal), vec.cross(before, vec.sub(c.normal, c.normal_change))
    least = MAX_ROUND_SINE * MAX_ROUND_SINE * vec.dot(r, r)
    return body.kind == _DYNAMIC and vec.dot(off, off) <= least and vec.dot(was, was) <= least


@routine
def _explains(c, body, r, before, turn, runs):
    """Whether the turn of a body explains the way of a contact over it: its arm turns with it, or as its rim rolls. runs: whether
    it may run along both bodies."""
    way, size = vec.norm(vec.sub(r, before)), vec.norm(r)
    off = vec.cross(r, c.normal)
    most = RACES if turn > MIN_RACE_TURN and vec.dot(off, off) > (RIM * size) ** 2 else FASTER
    if turn < NEGLIGIBLE_TURN or turn > JUMP or way > min(most * turn + 1e-6, JUMP) * size:
        return False
    return not runs or way <= OUTRUNS * turn * size + 1e-6 or abs(size - vec.norm(before)) <= RADIAL * way


@routine
def _rates(body, r, before, last_dt, turns, is_round):
    """(r' [m/s], omega x r' + omega' x r [m/s^2], velocity that turns with the normal [m/s]) of a body. Both arms end at one
    point, so both move if one does; that on a body that does not move tells nothing."""
    velocity = vec.copy(body.vel) if is_round else vec.add(body.vel, vec.cross(body.omega, r))
    if is_round or (body.kind != _DYNAMIC and body.kind != _KINEMATIC):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), velocity
    rate = vec.scale(vec.sub(r, before), 1.0 / last_dt)
    return rate, vec.add(vec.cross(body.omega, rate), vec.cross((turns[1], turns[2], turns[3]), r)), velocity


@inline
def advance_arms(points, p, dt):
    """Advance the arms of four points by dt [s], lanes."""
    for j in range(3):
        lanes.store(points, p, ARM_A + j, lanes.load(points, p, ARM_A + j) + dt * lanes.load(points, p, SWEEP_A + j))
        lanes.store(points, p, ARM_B + j, lanes.load(points, p, ARM_B + j) + dt * lanes.load(points, p, SWEEP_B + j))


@routine
def join_arms(contacts, patches, k, p, bodies):
    """Let both arms of a point between two moving bodies end at one place between where they end now, so that impulses of later
    substeps do not change angular momentum either. Arms of an impact later in the step meet when it comes."""
    points, frame = patches.points[p], patches.frame[k]
    for lane in range(lanes.WIDTH):
        a, b = patches.moved_a[k, lane], patches.moved_b[k, lane]
        if a == 0 or b == 0:
            continue
        r_a = (points[ARM_A, lane], points[ARM_A + 1, lane], points[ARM_A + 2, lane])
        r_b = (points[ARM_B, lane], points[ARM_B + 1, lane], points[ARM_B + 2, lane])
        apart = vec.sub(vec.add(bodies[b].pos, r_b), vec.add(bodies[a].pos, r_a))
        # seldom so: contacts are read last
        if (vec.dot(apart, apart) > SAME_POINT * SAME_POINT
                and not contact_points.comes_later(contacts[patches.contact[p, lane]])):
            share = _share_of_way(vec.of_lane(frame, 0, lane), apart, bodies[a], bodies[b], points[SHARE_A, lane])
            for j in range(3):
                points[ARM_A + j, lane] += share * apart[j]
                points[ARM_B + j, lane] -= (1.0 - share) * apart[j]


@routine
def _share_of_slide(c, a, b, r_a, r_b, last_dt):
    """SHARE_A: that of the way of the arm of a over its body in the last step. A ball or a corner that slides over a face keeps
    its arm, and that of the face follows it: half way, their forces would act where neither is, and turn what slides straight. Of
    a new contact the longer arm goes, that of the larger body."""
    if last_dt > 0.0 and vec.dot(c.arm_a, c.arm_a) + vec.dot(c.arm_b, c.arm_b) > 0.0:
        way_a = vec.norm(vec.sub(vec.sub(r_a, c.arm_a), vec.scale(vec.cross(a.omega, r_a), last_dt)))
        way_b = vec.norm(vec.sub(vec.sub(r_b, c.arm_b), vec.scale(vec.cross(b.omega, r_b), last_dt)))
        return way_a / (way_a + way_b) if way_a + way_b > SAME_POINT else 0.5
    size_a, size_b = vec.norm(r_a), vec.norm(r_b)
    if min(size_a, size_b) > LIKE_ARMS * max(size_a, size_b):
        return 0.5
    return 1.0 if size_a > size_b else 0.0


@inline
def _share_of_way(n, apart, a, b, sliding):
    """Share of a way between the ends of two arms by which that of a goes to meet the other: it leaves the normal velocity as it
    is. A ball that rolls keeps its arm, and that of what it rolls on goes with it. sliding: the share where nothing rolls."""
    of_a, of_b = vec.dot(n, vec.cross(vec.copy(a.omega), apart)), vec.dot(n, vec.cross(vec.copy(b.omega), apart))
    if abs(of_b - of_a) <= MIN_ROLL * vec.norm(apart):
        return sliding
    return min(max(of_b / (of_b - of_a), 0.0), 1.0)


@inline
def curvature_lanes(points, p, half, middle):
    """t c of (4) along the normal, lanes; half, middle: time to the middle of the motion from arms and normal [s]."""
    return half * lanes.load(points, p, CURVATURE_N) + middle * lanes.load(points, p, SWING)


@inline
def aim_tangents(points, p, half):
    """Write tangential targets with the curvature term."""
    lanes.store(points, p, TARGET_1, lanes.load(points, p, BELT_1) - half * lanes.load(points, p, CURVATURE_1))
    lanes.store(points, p, TARGET_2, lanes.load(points, p, BELT_2) - half * lanes.load(points, p, CURVATURE_2))


@inline
def batch_rows(index, k):
    """Four row indices of a batch, for `lanes.gather`."""
    return (np.intp(index[k, 0]), np.intp(index[k, 1]), np.intp(index[k, 2]), np.intp(index[k, 3]))


@inline
def load3(array, i, field):
    """Lanes of three fields, starting at `field`."""
    return (lanes.load(array, i, field), lanes.load(array, i, field + 1), lanes.load(array, i, field + 2))


@inline
def masses(mass, rows):
    """Lanes of 1/m, and of I^-1: xx, xy, xz, yy, yz, zz."""
    p, q = lanes.gather4(mass, rows, 0), lanes.gather4(mass, rows, 3)
    return p[0], (p[1], p[2], p[3], q[1], q[2], q[3])


@inline
def apply_inverse_inertia(inertia, t):
    """I^-1 t."""
    return (inertia[0] * t[0] + inertia[1] * t[1] + inertia[2] * t[2],
            inertia[1] * t[0] + inertia[3] * t[1] + inertia[4] * t[2],
            inertia[2] * t[0] + inertia[4] * t[1] + inertia[5] * t[2])


@routine
def prepare(patches):
    """Write inverses and couplings of K (3) of every point, for the sweeps."""
    a, b, first, count, mass = patches.a, patches.b, patches.first, patches.count, patches.mass
    frame, points, contact = patches.frame, patches.points, patches.contact
    zero, one = lanes.fill(0.0), lanes.fill(1.0)
    for k in range(first.shape[0]):
        ia, ib = batch_rows(a, k), batch_rows(b, k)
        light_a, inertia_a = masses(mass, ia)
        light_b, inertia_b = masses(mass, ib)
        light = light_a + light_b
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        along = vec.dot(t2, t2)
        for p in range(first[k], first[k] + count[k]):
            r_a, r_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            an, a1, a2 = vec.cross(r_a, n), vec.cross(r_a, t1), vec.cross(r_a, t2)
            bn, b1, b2 = vec.cross(r_b, n), vec.cross(r_b, t1), vec.cross(r_b, t2)
            sn, s1, s2 = apply_inverse_inertia(inertia_a, an), apply_inverse_inertia(inertia_a,
                                                                                     a1), apply_inverse_inertia(inertia_a, a2)
            un, u1, u2 = apply_inverse_inertia(inertia_b, bn), apply_inverse_inertia(inertia_b,
                                                                                     b1), apply_inverse_inertia(inertia_b, b2)
            k_nn = light + vec.dot(an, sn) + vec.dot(bn, un)
            k_11 = light + vec.dot(a1, s1) + vec.dot(b1, u1)
            k_12 = vec.dot(a1, s2) + vec.dot(b1, u2)
            k_22 = light * along + vec.dot(a2, s2) + vec.dot(b2, u2)
            off = lanes.greater(k_12, zero, k_12, zero - k_12)
            largest = lanes.greater(k_11, k_22, k_11, k_22) + off
            for lane in range(lanes.WIDTH):
                points[p, RATE, lane] = 1.0 if contact[p, lane] >= 0 else 0.0
            here = lanes.load(points, p, RATE)
            determinant = lanes.greater(here, zero, k_11 * k_22 - k_12 * k_12, one)
            lanes.store(points, p, INVERSE_N, here / lanes.greater(here, zero, k_nn, one))
            lanes.store(points, p, COUPLE_1, vec.dot(a1, sn) + vec.dot(b1, un))
            lanes.store(points, p, COUPLE_2, vec.dot(a2, sn) + vec.dot(b2, un))
            lanes.store(points, p, INVERSE_11, here * k_22 / determinant)
            lanes.store(points, p, INVERSE_12, zero - here * k_12 / determinant)
            lanes.store(points, p, INVERSE_22, here * k_11 / determinant)
            lanes.store(points, p, RATE, here / lanes.greater(here, zero, largest, one))
            lanes.store(points, p, STIFFNESS, lanes.greater(k_nn, largest, k_nn, largest))
