"""Contacts with what ends at the plane on which a body slides: they must not stop it.

A box slides from one support to another of equal height. Its front edge meets the rim of the next one: where it lies lower than
that by rounding alone, or would by the end of a step of free fall, the normal is that of the rim's side, and the box trips over
nothing. Let S touch U, with the normal u out of U and a point q of U there. The plane through q across u separates S from another
shape T if, with s the support functions,

    max over T of x . u  <=  q . u + tolerance          T does not rise above it                                      (1)
    min over S of x . u  >=  q . u - tolerance          S does not reach below it                                     (2)
    |n . u| < LATERAL                                   n: normal of the contact of S and T                           (3)
    (|v . u| + |omega x u| R) dt  <=  tolerance         v, omega: motion of S and of T relative to U, R: radius       (4)

Then S slides over T, and their contact is dropped until it is along u. Nothing is dropped that overlaps by more than twice the
tolerance, or moves across the plane in the step. edge_filter.py does more where supports are static boxes: there it knows what
lies beside the one that is touched.
"""

import numpy as np

from physics.collide.continuous.conservative_advancement import arm
from physics.collide.continuous.impacts import thickness
from physics.collide.convex.core import CONVEX, CORE, load, support
from physics.core import vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.shapes import kinds

FLUSH_TOLERANCE, TOLERANCE_SHARE = 5e-4, 0.05
"""Steps up to this are none [m]: resting overlaps are smaller, too. Here they must be less than this share of the thickness of
each shape as well: a card on the floor is pushed."""

LATERAL = 0.9
"""Cosine between normals below which they are those of different faces."""

_DYNAMIC = Kind.DYNAMIC
_CONVEX = np.array([number in CONVEX for number in range(len(kinds()))])


@kernel
def drop_beyond_plane(bodies, shapes, manifolds, place, pool, dt):
    """Empty the manifolds of a chunk of pairs whose contact is dropped by (1) .. (4) in a step of dt [s]; return their number."""
    if place.shape[0] < 2:
        return 0
    last, before = np.full(shapes.shape[0], -1, np.int64), np.empty(2 * manifolds.shape[0], np.int64)
    if _list_touching(bodies, shapes, manifolds, place, last, before) < 2:
        return 0
    dropped, core = 0, np.empty(1, CORE)
    for i in range(place.shape[0]):
        k = place[i]
        while True:
            m = manifolds[k]
            for side in range(2):
                at = last[m.shape_b if side == 0 else m.shape_a]
                while at >= 0 and m.count > 0:
                    if at // 2 != k and _separates(bodies, shapes, manifolds[at // 2], at % 2, m, side, pool, dt, core[0]):
                        m.count, dropped = 0, dropped + 1
                    at = before[at]
            k = m.more
            if k == 0:
                break
    return dropped


@routine
def _list_touching(bodies, shapes, manifolds, place, last, before):
    """List, for each convex shape of a dynamic body, the manifolds in which it touches another: last (shapes,), the last of its
    entries, twice the manifold plus the side of the other shape; before: the entry before each, -1: none. Returns the number of
    manifolds."""
    count = 0
    for i in range(place.shape[0]):
        k = place[i]
        while True:
            m = manifolds[k]
            if m.count > 0:
                count += 1
                for side in range(2):
                    own = m.shape_b if side == 0 else m.shape_a
                    s = shapes[own]
                    if bodies[s.body].kind == _DYNAMIC and _CONVEX[s.kind] and _least_gap(m) <= _tolerance(s):
                        before[2 * k + side], last[own] = last[own], 2 * k + side
            k = m.more
            if k == 0:
                break
    return count


@inline
def _least_gap(m):
    least = m.gap[0]
    for p in range(1, m.count):
        least = min(least, m.gap[p])
    return least


@inline
def _tolerance(s):
    return min(FLUSH_TOLERANCE, TOLERANCE_SHARE * thickness(s))


@routine
def _separates(bodies, shapes, touching, touched_side, m, side, pool, dt, core):
    """Whether the plane of one manifold of a shape separates it from the other shape of m. The sides are those of the others."""
    t, s = (shapes[m.shape_a], shapes[m.shape_b]) if side == 0 else (shapes[m.shape_b], shapes[m.shape_a])
    if not _CONVEX[t.kind]:
        return False
    u = vec.scale(touching.normal, 1.0 if touched_side == 0 else -1.0)
    if abs(vec.dot(m.normal, u)) >= LATERAL:
        return False
    lowest = 0
    for p in range(1, touching.count):
        lowest = p if touching.gap[p] < touching.gap[lowest] else lowest
    height = vec.dot(touching.pos[lowest], u) - 0.5 * touching.gap[lowest]
    tolerance = min(_tolerance(s), _tolerance(t))
    if vec.dot(t.pos, u) > height or touching.gap[lowest] > tolerance:
        return False
    support_body = bodies[shapes[touching.shape_a if touched_side == 0 else touching.shape_b].body]
    if dt * max(_speed_across(t, bodies[t.body], support_body, u), _speed_across(s, bodies[s.body], support_body, u)) > tolerance:
        return False
    return (_extent(t, pool, core, u) <= height + tolerance
            and -_extent(s, pool, core, vec.scale(u, -1.0)) >= height - tolerance)


@routine
def _speed_across(s, body, support_body, u):
    """Bound of the speed along u of all points of a shape [m/s], relative to the body that supports it."""
    carried = vec.madd(vec.cross(support_body.omega, vec.sub(body.pos, support_body.pos)), support_body.vel, 1.0)
    spin = vec.norm(vec.cross(vec.sub(body.omega, support_body.omega), u))
    return abs(vec.dot(vec.sub(body.vel, carried), u)) + (spin * arm(s, body) if spin > 0.0 else 0.0)


@routine
def _extent(s, pool, core, d):
    """Largest x . d of a convex shape; d: unit vector."""
    load(core, s, pool, s.pos)
    return vec.dot(s.pos, d) + vec.dot(support(core, pool, d), d) + core.radius
