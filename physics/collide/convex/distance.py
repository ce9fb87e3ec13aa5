"""Signed distance of two convex shapes along the best normal, and their nearest or deepest points.

With the separation along a unit normal n from a to b

    s(n) = -h_A(n) - h_B(-n),    h(n) = max n . x        (support function of a core)

the signed distance of the cores is the largest s(n) over all n: found by gjk where it is positive, by epa where it is not. The
gap of the shapes is this minus the two radii.

Polish. On curved surfaces gjk and epa find n to only half the digits of s, because s is flat at its maximum. Newton's method
finds the rest where s is smooth: with w = s_B(-n) - s_A(n), the gradient of s, and H the sum of the second derivatives of
h_A, h_B,

    (H + s 1) delta = w - (w . n) n      in the plane across n,        n' = (n + delta) / |n + delta|

where H = 0 for flat parts, and `Convex.curvature` of the shape for curved ones. A step is accepted only if s
grows, so at a kink of s (an edge, a face) nothing happens. Across an edge of direction e the best n is orthogonal to e, and the
same step is taken in the remaining direction t = e x n:

    (t . H t + s) delta = w . t
"""

import math

import numpy as np

from physics.collide.convex.core import CONVEX, TRIANGLE, difference
from physics.collide.convex.epa import penetrate
from physics.collide.convex.gjk import separate
from physics.core import dispatch, mat3, vec
from physics.core.jit import inline, routine
from physics.shapes import kinds

POLISHES = 8


CURVED = np.array([bool(kind.convex and kind.convex.curvature) for kind in kinds().values()])
"""Whether a kind of shape has curved parts, by SHAPE.kind."""


@inline
def is_curved(core):
    return core.kind != TRIANGLE and CURVED[core.kind]


@inline
def flat(core, m, x):
    return (0.0, 0.0, 0.0)


local_curve = routine(dispatch.by_kind("local_curve", __name__, ("core", "m", "x"), {
    number: convex.curvature for number, convex in CONVEX.items() if convex.curvature}, flat))
"""H x for the core's own H at the outward unit normal m; in the frame of the shape."""


@routine
def curve(core, n, u):
    """H u, world frame."""
    if not is_curved(core):
        return (0.0, 0.0, 0.0)
    return mat3.apply(core.rot, local_curve(core, mat3.apply_transposed(core.rot, n), mat3.apply_transposed(core.rot, u)))


@routine
def polish(a, b, pool, s, apart):
    """Improve s.normal where s is smooth; returns s(n) of the cores and sets the nearest points if improved."""
    n = vec.copy(s.normal)
    w, _ = difference(a, b, pool, n)
    best = vec.dot(n, w)
    if best < apart - 1e-7 * (a.size + b.size):      # the support jumps at this normal: not smooth
        return apart
    moved = False
    for _ in range(POLISHES):
        t1, t2 = vec.tangents(n)
        q1, q2 = vec.add(curve(a, n, t1), curve(b, vec.scale(n, -1.0), t1)), vec.add(
            curve(a, n, t2), curve(b, vec.scale(n, -1.0), t2))
        h11, h12, h22 = vec.dot(q1, t1) + best, vec.dot(q1, t2), vec.dot(q2, t2) + best
        det = h11 * h22 - h12 * h12
        if not (det > 0.0 and h11 + h22 > 0.0):
            break
        g1, g2 = vec.dot(w, t1), vec.dot(w, t2)
        x, y = (h22 * g1 - h12 * g2) / det, (h11 * g2 - h12 * g1) / det
        if not x * x + y * y < 0.01:
            break
        m = vec.unit(vec.madd(vec.madd(n, t1, x), t2, y))
        w, _ = difference(a, b, pool, m)
        value = vec.dot(m, w)
        if value < best - 1e-15 * (a.size + b.size):
            break
        n, best, moved = m, value, True
        if x * x + y * y < 1e-26:
            break
    if moved and best >= apart - 1e-12 * (a.size + b.size):
        vec.assign(s.normal, n)
        w, p = difference(a, b, pool, n)
        if vec.norm(vec.madd(w, n, -best)) <= 1e-6 * (a.size + b.size):     # otherwise ends of an edge or a face
            vec.assign(s.point_a, p)
            vec.assign(s.point_b, vec.madd(p, n, best))
        return best
    return apart


@routine
def polish_edge(a, b, pool, s, e, apart):
    """Improve s.normal where one or both shapes touch with an edge of direction e (unit); returns s(n) of the cores."""
    n = vec.unit(vec.madd(s.normal, e, -vec.dot(s.normal, e)))
    best = -math.inf
    for _ in range(POLISHES):
        w, _ = difference(a, b, pool, n)
        value = vec.dot(n, w)
        if not value > best + 1e-16 * (a.size + b.size):
            break
        best = value
        if best > apart - 1e-9 * (a.size + b.size):
            vec.assign(s.normal, n)
        t = vec.cross(e, n)
        h = best
        if is_curved(a):
            h += vec.dot(t, curve(a, n, t))
        if is_curved(b):
            h += vec.dot(t, curve(b, vec.scale(n, -1.0), t))
        step = vec.dot(w, t) / h
        if not (h > 0.0 and abs(step) < 0.1):
            break
        n = vec.unit(vec.madd(n, t, step))
    return max(best, apart)


@routine
def distance(a, b, pool, s, p, limit):
    """Signed distance of two shapes [m]; negative: depth. Beyond limit the result is only a lower bound.

    a, b: CORE records of `core.load`. s: SIMPLEX, p: POLYTOPE, scratch. Fills s.normal (unit, from a to b) and s.point_a,
    s.point_b, the nearest points on the two surfaces relative to the origin of the cores; not set beyond the limit.
    """
    radii = a.radius + b.radius
    apart = separate(a, b, pool, s, limit + radii)
    if apart > limit + radii:
        return apart - radii
    if apart == 0.0:
        apart = -penetrate(a, b, pool, s, p)
    if is_curved(a) or is_curved(b):
        apart = polish(a, b, pool, s, apart)
    vec.add_scaled(s.point_a, s.normal, a.radius)
    vec.add_scaled(s.point_b, s.normal, -b.radius)
    return apart - radii
