"""Continuous collision: contacts that a step's motion would close are taken where and when the shapes really touch.

Contacts are looked for as far ahead as a body moves in a step, and their rows let it close the gap, not more (physics/rows.py).
That is right while the nearest points stay where they are. A fast body passes beside an edge whose nearest point lies in its way,
or meets a face that was not the nearest. So every contact that is apart, and would be closed by the free motion of this step, is
examined: with x(t) = x + t v, v the velocities that forces alone give, and t* the time of impact (sweep.py),

    they do not meet:      the contact is dropped, and the body keeps its velocity
    they meet at t*:       the manifold is found with the bodies at x(t*), normal n, arms r_a, r_b from the bodies' centres there
    gap for the rows:      gap(t*) - t* n . u,     u = v_b + omega_b x r_b - v_a - omega_a x r_a                            (1)

(1) lets the bodies come together until t*. The contact's pos is r_a from the centre of a as it is now, pos + shift is r_b from
that of b. A body that meets several things rebounds from the first; the later ones only hold it.

A fast body as thick as long, on no joint, keeps of the contacts that are apart only those of its first impact: once thrown back
it may fly past the planes of the others, and hold.py sees to it that it passes nothing.

Two bodies that come from their contact in the middle of a step have their angular momentum at the wrong places by what they
moved since. So bodies that move less than FAST times their thickness in a step, if they do meet, keep the contact that they have
now: its normal is nearly right, and all momenta are kept to round-off. Below SLOW times the thickness nothing is examined at all.
"""

from functools import partial

import numpy as np

from physics.collide import narrow
from physics.collide.convex.core import CORE
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK
from physics.collide.sweep import NEVER, arm, carry, impact, impact_surface
from physics.core import vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import SHAPE, Kind
from physics.geometry import Geometry
from physics.shapes import kinds

_DYNAMIC, _KINEMATIC = int(Kind.DYNAMIC), int(Kind.KINEMATIC)
_PLANE = list(kinds()).index("plane")

SLOW = 0.02
FAST = 0.25
"""Parts of the thickness. A shape that moves farther than the second in a step looks for impacts on surfaces even where no
contact is closing: the ground ahead may rise into its way."""
COMPACT = 2.5
"""A shape that reaches this many times its thickness from its middle, not more, is as thick as long."""
NEAR = 1e-3
"""Gaps up to this part of the thickness are contacts already."""
SAME = 1.0 - 1e-6
"""Cosine between the normals of one face: what touches it already need not meet it again."""
KEEP = -1.0


@inline
def thickness(s):
    """The least of the dims [m]."""
    least = s.dims[0]
    for k in range(1, 3):
        if s.dims[k] > 0.0:
            least = min(least, s.dims[k])
    return least + s.rounding


@kernel
def free_velocities(bodies, gravity, dt, velocity):
    """Velocities (n, 6) after a step under forces alone; what does not move has none."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            velocity[i, k], velocity[i, 3 + k] = b.vel[k], b.omega[k]
            if b.kind == _DYNAMIC and b.asleep == 0:
                velocity[i, k] += dt * (gravity[k] + b.force[k] * b.inv_mass)
            elif b.kind != _KINEMATIC:
                velocity[i, k], velocity[i, 3 + k] = 0.0, 0.0


@kernel
def motions(bodies, shapes, velocity, dt, motion):
    """motion (n, 2): how far each live shape can move in the step, and its thickness [m]; surfaces are not thin, planes rest.

    Returns whether some pair might have to be examined.
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
        motion[i, 0] = dt * vec.norm(v)
        if s.kind != FIELD and s.kind != MESH:
            motion[i, 0] += dt * vec.norm((v[3], v[4], v[5])) * arm(s, bodies[s.body])
            motion[i, 1] = thickness(s)
            thinnest = min(thinnest, motion[i, 1])
        farthest = max(farthest, motion[i, 0])
    return 2.0 * farthest >= SLOW * thinnest


@routine
def approach(velocity_a, velocity_b, n, r_a, r_b):
    """n . u of (1)."""
    u_a = vec.add(velocity_a, vec.cross((velocity_a[3], velocity_a[4], velocity_a[5]), r_a))
    u_b = vec.add(velocity_b, vec.cross((velocity_b[3], velocity_b[4], velocity_b[5]), r_b))
    return vec.dot(n, vec.sub(u_b, u_a))


@inline
def is_loose(s, body, tied):
    """Whether hold.py can watch over a shape: as thick as long, on a body that no joint holds; lo, hi grown by reach."""
    diagonal = vec.norm((s.hi[0] - s.lo[0] - 2.0 * s.reach, s.hi[1] - s.lo[1] - 2.0 * s.reach, s.hi[2] - s.lo[2] - 2.0 * s.reach))
    return body.kind == _DYNAMIC and tied < 0 and diagonal < 2.0 * COMPACT * thickness(s)


@routine
def closes(m, x_a, x_b, velocity_a, velocity_b, near, dt, loose):
    """Whether a manifold is apart by more than `near` and its rows would act on the free motion; loose: apart is enough."""
    closing = loose
    for k in range(m.count):
        if m.gap[k] <= near:
            return False
        u = approach(velocity_a, velocity_b, m.normal, vec.sub(m.pos[k], x_a), vec.sub(m.pos[k], x_b))
        closing = closing or m.gap[k] + dt * u < 0.0
    return closing


@kernel
def examine(bodies, shapes, manifolds, place, velocity, motion, dt, pool, tied, times, loose):
    """Write the time of impact of each pair to times: KEEP where its contacts are good, NEVER where they will not touch.

    loose: 1 where all that is apart goes. motion: of `motions`. Returns how many contacts are not good.
    """
    examined = 0
    moved, cores = np.empty(2, SHAPE), np.empty(2, CORE)
    simplexes, polytopes = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    walks, triangles = np.empty(1, WALK), np.empty(2, TRIANGLE)
    tools = (np.empty(6), walks, triangles, moved, cores, simplexes, polytopes)
    for i in range(place.shape[0]):
        times[i], loose[i] = KEEP, 0
        m = manifolds[place[i]]
        if m.count == 0:
            continue
        thin = min(motion[m.shape_a, 1], motion[m.shape_b, 1])
        if motion[m.shape_a, 0] + motion[m.shape_b, 0] < SLOW * thin:
            continue
        a, b = shapes[m.shape_a], shapes[m.shape_b]
        v_a, v_b, body_a, body_b = velocity[a.body], velocity[b.body], bodies[a.body], bodies[b.body]
        surface_a, surface_b = a.kind == FIELD or a.kind == MESH, b.kind == FIELD or b.kind == MESH
        moves = dt * vec.norm(vec.sub(v_b, v_a))
        turns = dt * (vec.norm((v_a[3], v_a[4], v_a[5])) * arm(a, body_a) * (not surface_a)
                      + vec.norm((v_b[3], v_b[4], v_b[5])) * arm(b, body_b) * (not surface_b))
        if moves + turns < SLOW * thin:
            continue
        fast = moves + turns > FAST * thin
        if fast:
            mover = a if surface_b or (not surface_a and vec.norm(v_a) > vec.norm(v_b)) else b
            loose[i] = 1 if is_loose(mover, bodies[mover.body], tied[mover.body]) else 0
        if surface_a or surface_b:
            closing, k = fast, place[i]
            while True:
                closing = closing or closes(manifolds[k], body_a.pos, body_b.pos, v_a, v_b, NEAR * thin, dt, False)
                k = manifolds[k].more
                if k == 0:
                    break
            if closing and surface_a:
                times[i] = impact_surface(b, a, body_b, body_a, v_b, v_a, dt, pool, NEAR * thin, tools)
            elif closing:
                times[i] = impact_surface(a, b, body_a, body_b, v_a, v_b, dt, pool, NEAR * thin, tools)
            if times[i] < dt and not fast:
                times[i] = KEEP
            examined += times[i] != KEEP
            continue
        least = np.inf
        for k in range(m.count):
            least = min(least, m.gap[k])
        closing = closes(m, body_a.pos, body_b.pos, v_a, v_b, NEAR * thin, dt, loose[i] == 1)
        if least <= NEAR * thin or not (closing or least < turns - dt * vec.dot(m.normal, vec.sub(v_b, v_a))):
            continue
        t = impact(a, b, body_a, body_b, v_a, v_b, dt, pool, moved, cores, simplexes[0], polytopes[0])
        times[i] = NEVER if t >= dt and closing else (t if t < dt and fast else KEEP)
        examined += times[i] != KEEP
    return examined


@kernel
def at_impact(bodies, shapes, hits, times, velocity, reach, moved):
    """moved (2 h,): the shapes of the pairs `hits` (h, 2) where they are at the times of impact (h,), with a new reach [m]."""
    for h in range(hits.shape[0]):
        for side in range(2):
            s, x = shapes[hits[h, side]], moved[2 * h + side]
            carry(x, s, bodies[s.body], velocity[s.body], times[h])
            x.body, x.reach = s.body, reach
            grow = reach - s.reach + vec.norm(vec.scale(vec.sub(s.hi, s.lo), 0.5))       # whichever way it has turned
            for k in range(3):
                x.lo[k], x.hi[k] = x.pos[k] - grow, x.pos[k] + grow


@kernel
def silence(bodies, shapes, manifolds, place, velocity, dt, loose):
    """Empty what is apart and closing of the listed pairs; where loose, all that is apart."""
    for i in range(place.shape[0]):
        k = place[i]
        while True:
            m = manifolds[k]
            a, b = shapes[m.shape_a], shapes[m.shape_b]
            thin = np.inf
            for s in (a, b):
                if s.kind != FIELD and s.kind != MESH:
                    thin = min(thin, thickness(s))
            if closes(m, bodies[a.body].pos, bodies[b.body].pos, velocity[a.body], velocity[b.body], NEAR * thin,
                      dt, loose[i] == 1):
                m.count = 0
            k = m.more
            if k == 0:
                break


@routine
def has_normal(manifolds, k, n):
    """Whether a manifold that holds points, of the chain from k on, has nearly this normal."""
    while True:
        m = manifolds[k]
        if m.count > 0 and vec.dot(m.normal, n) > SAME:
            return True
        k = m.more
        if k == 0:
            return False


@kernel
def bring_back(bodies, shapes, manifolds, place, hits, times, late, velocity, found, first, base):
    """Turn the manifolds `found` at the times of impact into such of now, by (1), and hang them on those of their pairs.

    first: where the manifolds of each hit begin in `found`, which will stand at `base` behind `manifolds`.
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
            closing, m.late = False, late[h]
            for p in range(m.count):
                r_a = vec.sub(vec.madd(m.pos[p], v_a, -t), bodies[a].pos)
                r_b = vec.sub(vec.madd(m.pos[p], v_b, -t), bodies[b].pos)
                u = approach(v_a, v_b, m.normal, r_a, r_b)
                closing = closing or u < 0.0
                m.gap[p] -= t * u
                vec.assign(m.pos[p], vec.add(bodies[a].pos, r_a))
            vec.assign(m.shift, vec.scale(vec.sub(v_a, v_b), t))
            if not closing or has_normal(manifolds, here, m.normal):
                m.count = 0
            k = m.more
            if k == 0:
                break
            m.more = base + k
        manifolds[last].more = base + first[h]


def refiner(bodies: np.ndarray, shapes: np.ndarray, pool: Geometry, gravity: np.ndarray, margin: float, dt: float,
            tied: np.ndarray) -> narrow.Refine:
    """What `NarrowPhase.find` gives its manifolds to, chunk by chunk; the motions of all bodies are found here, once.

    tied: of each body the group of its mechanism, -1 if no joint holds it.
    """
    velocity, motion = np.empty((len(bodies), 6)), np.empty((len(shapes), 2))
    free_velocities(bodies, gravity, dt, velocity)
    if not motions(bodies, shapes, velocity, dt, motion):
        return narrow.as_found
    return partial(_refine, bodies, shapes, pool, margin, dt, tied, velocity, motion)


def _refine(bodies: np.ndarray, shapes: np.ndarray, pool: Geometry, margin: float, dt: float, tied: np.ndarray,
            velocity: np.ndarray, motion: np.ndarray, pairs: np.ndarray, manifolds: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The manifolds of `narrow.find_manifolds`, with impacts within this step in place of those that only seemed to come."""
    times, loose = np.empty(len(pairs)), np.empty(len(pairs), np.int64)
    if not examine(bodies, shapes, manifolds, place, velocity, motion, dt, pool, tied, times, loose):
        return manifolds
    which = np.flatnonzero((times >= 0.0) & (times < NEVER))
    late = _later(bodies, shapes, pairs[which], times[which])
    first_ones = (late == 0) | (loose[which] == 0)
    which, late = which[first_ones], late[first_ones]
    hits, when = pairs[which], times[which]
    moved = np.zeros(2 * len(hits), SHAPE)
    at_impact(bodies, shapes, hits, when, velocity, 0.5 * margin, moved)
    found, first = narrow.find_manifolds(moved, np.arange(2 * len(hits), dtype=np.int32).reshape(-1, 2), pool)
    touches = found["count"][first] > 0
    lost = np.isin(np.arange(len(pairs)), which[~touches])
    gone = (times != KEEP) & ~lost
    silence(bodies, shapes, manifolds, place[gone], velocity, dt, loose[gone])
    if not touches.any():
        return manifolds
    bring_back(bodies, shapes, manifolds, place[which], hits, when, late, velocity, found, first, len(manifolds))
    return np.concatenate([manifolds, found])


def _later(bodies: np.ndarray, shapes: np.ndarray, hits: np.ndarray, when: np.ndarray) -> np.ndarray:
    """1 for the impacts of which the faster body has an earlier one in this step, int32 (h,)."""
    owner = shapes["body"][hits]
    first = np.full(len(bodies), np.inf)
    for side in range(2):
        np.minimum.at(first, owner[:, side], when)
    speed = np.linalg.norm(bodies["vel"][owner], axis=2)
    mover = np.where(speed[:, 0] > speed[:, 1], owner[:, 0], owner[:, 1])
    return (when > first[mover] * (1.0 + 1e-9)).astype(np.int32)
