"""Continuous collision detection: replaces contacts that a step's motion would close by contacts at the time of impact.

Contacts are searched as far ahead as a body moves in a step, and their rows let it close the gap but no more
(physics/constraints/rows.py). This is valid while the nearest points stay the same. A fast body may pass beside an edge whose
nearest point lies in its path, or hit a face that was not the nearest. So every separated contact that the free motion of this
step would close is examined: with x(t) = x + t v, v the velocities under forces alone, and t* the time of impact
(conservative_advancement.py),

    they do not meet:      the contact is dropped, and the body keeps its velocity
    they meet at t*:       the manifold is found with the bodies at x(t*), normal n, arms r_a, r_b from the bodies' centres there
    gap for the rows:      gap(t*) - t* n . u,     u = v_b + omega_b x r_b - v_a - omega_a x r_a                            (1)

(1) lets the bodies approach until t*. The contact's pos is r_a from the current centre of a; pos + shift is r_b from that of b.
A body that meets several others rebounds from the first; the later ones only stop it.

A fast body as thick as long, on no joint, keeps of its separated contacts only those of its first impact: after the rebound it
may fly past the planes of the others, and tunnelling_guard.py ensures that it passes through nothing.

Velocities after an impact within a step belong to the wrong positions: angular momentum is off by the motion since. So bodies
that move less than FAST_MOTION times their thickness in a step, if they do meet, keep their current contact: its normal is nearly
right, and all momenta are conserved to round-off. Below MIN_MOTION times the thickness nothing is examined.
"""

from functools import partial

import numpy as np

from physics.collide import narrow
from physics.collide.continuous.conservative_advancement import NO_IMPACT, advance_shape, arm, impact, impact_surface
from physics.collide.convex.core import CORE
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK
from physics.core import vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import SHAPE, Kind
from physics.shapes import kinds
from physics.shapes._geometry import GeometryArrays

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC
_PLANE = list(kinds()).index("plane")

MIN_MOTION = 0.02
FAST_MOTION = 0.25
"""Fractions of the thickness. A shape that moves farther than the second in a step is tested for impacts on surfaces even if no
contact is closing: the ground ahead may rise into its path."""
COMPACT_RATIO = 2.5
"""A shape that reaches at most this many times its thickness from its centre counts as being as thick as long."""
TOUCHING_SHARE = 1e-3
"""Gaps up to this fraction of the thickness count as contacts already."""
SAME_NORMAL_COS = 1.0 - 1e-6
"""Cosine between normals of one face: a shape that touches a face already need not hit it again."""
KEEP_CONTACT = -1.0


@inline
def thickness(s):
    """The smallest of the dims [m]."""
    least = s.dims[0]
    for k in range(1, 3):
        if s.dims[k] > 0.0:
            least = min(least, s.dims[k])
    return least + s.rounding


@routine
def free_velocities(bodies, gravity, dt, velocity):
    """Velocities (n, 6) after a step under forces alone; 0 for bodies that do not move."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        moves = b.kind == _KINEMATIC or (b.kind == _DYNAMIC and b.asleep == 0)
        for k in range(3):
            velocity[i, k], velocity[i, 3 + k] = (b.vel[k], b.omega[k]) if moves else (0.0, 0.0)
            if moves and b.kind == _DYNAMIC:
                velocity[i, k] += dt * (gravity[k] + b.force[k] * b.inv_mass)


@routine
def motions(bodies, shapes, velocity, dt, motion):
    """motion (n, 2): greatest motion of each live shape in the step, and its thickness [m]; surfaces are not thin, planes rest.

    Returns True if some pair may need examination.
    """
    farthest, thinnest = 0.0, np.inf
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0:
            continue
        motion[i, 0], motion[i, 1] = -np.inf, np.inf
        if s.kind == _PLANE:
            continue
        v = velocity[s.body]
        turn = dt * vec.norm((v[3], v[4], v[5]))
        motion[i, 0] = dt * vec.norm(v)
        if s.kind != FIELD and s.kind != MESH:
            motion[i, 0] += turn * arm(s, bodies[s.body]) if turn > 0.0 else 0.0
            motion[i, 1] = thickness(s)
            thinnest = min(thinnest, motion[i, 1])
        farthest = max(farthest, motion[i, 0])
    return 2.0 * farthest >= MIN_MOTION * thinnest


@kernel
def free_motions(bodies, shapes, gravity, dt, velocity, motion):
    """`free_velocities`, then `motions`."""
    free_velocities(bodies, gravity, dt, velocity)
    return motions(bodies, shapes, velocity, dt, motion)


@routine
def approach(velocity_a, velocity_b, n, r_a, r_b):
    """n . u of (1)."""
    u_a = vec.add(velocity_a, vec.cross((velocity_a[3], velocity_a[4], velocity_a[5]), r_a))
    u_b = vec.add(velocity_b, vec.cross((velocity_b[3], velocity_b[4], velocity_b[5]), r_b))
    return vec.dot(n, vec.sub(u_b, u_a))


@inline
def is_loose(s, body, tied):
    """True if tunnelling_guard.py can guard the shape: as thick as long, on a body without joints; lo, hi grown by reach."""
    diagonal = vec.norm((s.hi[0] - s.lo[0] - 2.0 * s.reach, s.hi[1] - s.lo[1] - 2.0 * s.reach, s.hi[2] - s.lo[2] - 2.0 * s.reach))
    return body.kind == _DYNAMIC and tied < 0 and diagonal < 2.0 * COMPACT_RATIO * thickness(s)


@routine
def closes(m, x_a, x_b, velocity_a, velocity_b, near, dt, loose):
    """True if a manifold is separated by more than `near` and the free motion closes it; loose: separation suffices."""
    closing = loose
    for k in range(m.count):
        if m.gap[k] <= near:
            return False
        u = approach(velocity_a, velocity_b, m.normal, vec.sub(m.pos[k], x_a), vec.sub(m.pos[k], x_b))
        closing = closing or m.gap[k] + dt * u < 0.0
    return closing


@kernel
def examine(bodies, shapes, manifolds, place, velocity, motion, dt, pool, tied, times, loose):
    """Write the time of impact of each pair to times: KEEP_CONTACT where its contacts are valid, NO_IMPACT where they do not
    touch.

    loose: 1 where all separated contacts go. motion: of `motions`. Returns the number of pairs whose contacts are not valid.
    """
    examined = 0
    moved, cores = np.empty(2, SHAPE), np.empty(2, CORE)
    simplexes, polytopes = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    walks, triangles = np.empty(1, WALK), np.empty(2, TRIANGLE)
    tools = (np.empty(6), walks, triangles, moved, cores, simplexes, polytopes)
    for i in range(place.shape[0]):
        times[i], loose[i] = KEEP_CONTACT, 0
        m = manifolds[place[i]]
        if m.count == 0:
            continue
        thin = min(motion[m.shape_a, 1], motion[m.shape_b, 1])
        if motion[m.shape_a, 0] + motion[m.shape_b, 0] < MIN_MOTION * thin:
            continue
        a, b = shapes[m.shape_a], shapes[m.shape_b]
        v_a, v_b, body_a, body_b = velocity[a.body], velocity[b.body], bodies[a.body], bodies[b.body]
        surface_a, surface_b = a.kind == FIELD or a.kind == MESH, b.kind == FIELD or b.kind == MESH
        moves = dt * vec.norm(vec.sub(v_b, v_a))
        turns = dt * (vec.norm((v_a[3], v_a[4], v_a[5])) * arm(a, body_a) * (not surface_a)
                      + vec.norm((v_b[3], v_b[4], v_b[5])) * arm(b, body_b) * (not surface_b))
        if moves + turns < MIN_MOTION * thin:
            continue
        fast = moves + turns > FAST_MOTION * thin
        if fast:
            mover = a if surface_b or (not surface_a and vec.norm(v_a) > vec.norm(v_b)) else b
            loose[i] = 1 if is_loose(mover, bodies[mover.body], tied[mover.body]) else 0
        if surface_a or surface_b:
            closing, k = fast, place[i]
            while True:
                closing = closing or closes(manifolds[k], body_a.pos, body_b.pos, v_a, v_b, TOUCHING_SHARE * thin, dt, False)
                k = manifolds[k].more
                if k == 0:
                    break
            if closing and surface_a:
                times[i] = impact_surface(b, a, body_b, body_a, v_b, v_a, dt, pool, TOUCHING_SHARE * thin, tools)
            elif closing:
                times[i] = impact_surface(a, b, body_a, body_b, v_a, v_b, dt, pool, TOUCHING_SHARE * thin, tools)
            if times[i] < dt and not fast:
                times[i] = KEEP_CONTACT
            examined += times[i] != KEEP_CONTACT
            continue
        least = np.inf
        for k in range(m.count):
            least = min(least, m.gap[k])
        closing = closes(m, body_a.pos, body_b.pos, v_a, v_b, TOUCHING_SHARE * thin, dt, loose[i] == 1)
        if least <= TOUCHING_SHARE * thin or not (closing or least < turns - dt * vec.dot(m.normal, vec.sub(v_b, v_a))):
            continue
        t = impact(a, b, body_a, body_b, v_a, v_b, dt, pool, moved, cores, simplexes[0], polytopes[0])
        times[i] = NO_IMPACT if t >= dt and closing else (t if t < dt and fast else KEEP_CONTACT)
        examined += times[i] != KEEP_CONTACT
    return examined


@kernel
def at_impact(bodies, shapes, hits, times, velocity, reach, moved):
    """moved (2 h,): the shapes of the pairs `hits` (h, 2) at the times of impact (h,), with a new reach [m]."""
    for h in range(hits.shape[0]):
        for side in range(2):
            s, x = shapes[hits[h, side]], moved[2 * h + side]
            advance_shape(x, s, bodies[s.body], velocity[s.body], times[h])
            x.body, x.reach = s.body, reach
            grow = reach - s.reach + vec.norm(vec.scale(vec.sub(s.hi, s.lo), 0.5))       # for any orientation
            for k in range(3):
                x.lo[k], x.hi[k] = x.pos[k] - grow, x.pos[k] + grow


@kernel
def drop_contact(bodies, shapes, manifolds, place, velocity, dt, loose):
    """Remove separated, closing contacts of the listed pairs; where loose, all separated ones."""
    for i in range(place.shape[0]):
        k = place[i]
        while True:
            m = manifolds[k]
            a, b = shapes[m.shape_a], shapes[m.shape_b]
            thin = np.inf
            for s in (a, b):
                if s.kind != FIELD and s.kind != MESH:
                    thin = min(thin, thickness(s))
            if closes(m, bodies[a.body].pos, bodies[b.body].pos, velocity[a.body], velocity[b.body], TOUCHING_SHARE * thin,
                      dt, loose[i] == 1):
                m.count = 0
            k = m.more
            if k == 0:
                break


@routine
def has_same_normal(manifolds, k, n):
    """True if a non-empty manifold of the chain from k on has nearly this normal."""
    while True:
        m = manifolds[k]
        if m.count > 0 and vec.dot(m.normal, n) > SAME_NORMAL_COS:
            return True
        k = m.more
        if k == 0:
            return False


@kernel
def shift_to_start(bodies, shapes, manifolds, place, hits, times, late, velocity, found, first, base):
    """Convert the manifolds `found` at the times of impact to the start of the step by (1), and append them to their pairs'.

    first: where the manifolds of each hit begin in `found`, which will be stored at `base` after `manifolds`.
    """
    for h in range(hits.shape[0]):
        last = place[h]
        here = last
        while manifolds[last].more > 0:
            last = manifolds[last].more
        k = first[h]
        while True:
            m, t = found[k], times[h]
            m.shape_a, m.shape_b = hits[h, m.shape_a - 2 * h], hits[h, m.shape_b - 2 * h]
            a, b = shapes[m.shape_a].body, shapes[m.shape_b].body
            v_a, v_b = velocity[a], velocity[b]
            closing, m.no_rebound = False, late[h]
            for p in range(m.count):
                r_a = vec.sub(vec.madd(m.pos[p], v_a, -t), bodies[a].pos)
                r_b = vec.sub(vec.madd(m.pos[p], v_b, -t), bodies[b].pos)
                u = approach(v_a, v_b, m.normal, r_a, r_b)
                closing = closing or u < 0.0
                m.gap[p] -= t * u
                vec.assign(m.pos[p], vec.add(bodies[a].pos, r_a))
            vec.assign(m.shift, vec.scale(vec.sub(v_a, v_b), t))
            if not closing or has_same_normal(manifolds, here, m.normal):
                m.count = 0
            k = m.more
            if k == 0:
                break
            m.more = base + k
        manifolds[last].more = base + first[h]


def refiner(bodies: np.ndarray, shapes: np.ndarray, pool: GeometryArrays, gravity: np.ndarray, margin: float, dt: float,
            tied: np.ndarray) -> narrow.RefineContacts:
    """The function that `NarrowPhase.find` applies to its manifolds chunk by chunk; computes the motions of all bodies once.

    tied: for each body the group of its mechanism, -1 without joints.
    """
    velocity, motion = np.empty((len(bodies), 6)), np.empty((len(shapes), 2))
    if not free_motions.unchecked(bodies, shapes, gravity, dt, velocity, motion):
        return narrow.unrefined
    return partial(_refine, bodies, shapes, pool, margin, dt, tied, velocity, motion)


def _refine(bodies: np.ndarray, shapes: np.ndarray, pool: GeometryArrays, margin: float, dt: float, tied: np.ndarray,
            velocity: np.ndarray, motion: np.ndarray, pairs: np.ndarray, manifolds: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The manifolds of `narrow.find_manifolds`, with impacts within this step in place of contacts that would not occur."""
    times, loose = np.empty(len(pairs)), np.empty(len(pairs), np.int64)
    if not examine.unchecked(bodies, shapes, manifolds, place, velocity, motion, dt, pool, tied, times, loose):
        return manifolds
    which = np.flatnonzero((times >= 0.0) & (times < NO_IMPACT))
    late = _later(bodies, shapes, pairs[which], times[which])
    first_ones = (late == 0) | (loose[which] == 0)
    which, late = which[first_ones], late[first_ones]
    hits, when = pairs[which], times[which]
    moved = np.zeros(2 * len(hits), SHAPE)
    at_impact(bodies, shapes, hits, when, velocity, 0.5 * margin, moved)
    found, first = narrow.find_manifolds(moved, np.arange(2 * len(hits), dtype=np.int32).reshape(-1, 2), pool)
    touches = found["count"][first] > 0
    lost = np.isin(np.arange(len(pairs)), which[~touches])
    gone = (times != KEEP_CONTACT) & ~lost
    drop_contact(bodies, shapes, manifolds, place[gone], velocity, dt, loose[gone])
    if not touches.any():
        return manifolds
    shift_to_start(bodies, shapes, manifolds, place[which], hits, when, late, velocity, found, first, len(manifolds))
    return np.concatenate([manifolds, found])


def _later(bodies: np.ndarray, shapes: np.ndarray, hits: np.ndarray, when: np.ndarray) -> np.ndarray:
    """1 for impacts whose faster body has an earlier one in this step, int32 (h,)."""
    owner = shapes["body"][hits]
    first = np.full(len(bodies), np.inf)
    for side in range(2):
        np.minimum.at(first, owner[:, side], when)
    speed = np.linalg.norm(bodies["vel"][owner], axis=2)
    mover = np.where(speed[:, 0] > speed[:, 1], owner[:, 0], owner[:, 1])
    return (when > first[mover] * (1.0 + 1e-9)).astype(np.int32)
