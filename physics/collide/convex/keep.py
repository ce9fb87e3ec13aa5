"""Manifolds of convex shapes that hardly move against each other: kept from step to step, carried along with the two bodies.

    p = R_a^T (x_b - x_a),   R = R_a^T R_b                  pose of b in the frame of a; p_0, R_0: where the manifold was found
    d = |p - p_0| + |R - R_0| rho                           no point of b has moved farther in a                          (1)

rho: sum of b's dims and rounding, more than its radius. While d <= TURN min(h, thickness) the manifold holds:

    n = R_o n_0,     y_a, y_b: the points on the two surfaces, which move with their bodies
    gap = n . (y_b - y_a),     pos = (y_a + y_b) / 2                                                                      (2)

o is the shape whose face gives the normal, else a. h is how firmly the features hold the normal: the separation s(n) has its
maximum there (distance.py), and d moves it by at most d / h:

    face              h = inf: the normal turns with it
    two edges         h = rho sin of the angle between them: the normal is orthogonal to both
    one edge          h = t . H t + s,   t across the edge and n, H: curvature of the two support functions
    none              h = the smaller eigenvalue of H + s

So a normal is wrong by at most 2 TURN, a point by d, or d over the sine of the angle of two edges that cross there; a gap by
TURN^2 h, and by its slope over what the point is wrong by. d counts from where the manifold was found: errors do not add up.
Where s is flat, gjk and epa themselves find n to 1e-5 only. Features that hold no normal (h <= 0) are not kept.

The reach of a step differs from that of the last one. A manifold holds while none of its candidates crosses it:

    largest gap within the reach + d <= reach < smallest gap beyond it - d                                                (3)

Pairs apart are not kept: two supports tell that they are (gjk), in less time than (1) takes.
"""

import math

import numpy as np

from physics.collide.convex import manifold
from physics.collide.convex.clip import CLIP
from physics.collide.convex.core import CORE, load
from physics.collide.convex.distance import curve
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import KEPT
from physics.shapes._feature import FEATURE

TURN = 1e-6
"""Largest turn of a normal that is not followed [rad]."""

ACROSS = 1e-6
"""An edge holds the normal if the cosine between them is below this: elsewhere one of its ends is in contact."""

PARALLEL = 1e-3
"""Edges with a smaller sine between them are one."""

TILT = 1e-3
"""The curvature across an edge is the least of those on both sides of it, at this angle: a cone's side has those of its ends."""

NONE = np.zeros(0, KEPT)
"""No manifolds."""


@inline
def size_of(s):
    """An upper bound of a shape's radius about its centre."""
    return s.dims[0] + s.dims[1] + s.dims[2] + s.rounding


@inline
def is_shape(k, side, s):
    """Whether a shape is still what it was."""
    return (k.kind[side] == s.kind and k.geometry[side] == s.geometry and k.rounding[side] == s.rounding
            and k.dims[side, 0] == s.dims[0] and k.dims[side, 1] == s.dims[1] and k.dims[side, 2] == s.dims[2])


@routine
def motion(k, a, b):
    """d of (1). |R - R_0| is the Frobenius norm over sqrt 2."""
    square = 0.0
    for j in range(3):
        column = mat3.apply_transposed(a.rot, mat3.column(b.rot, j))
        change = vec.sub(column, mat3.column(k.rot, j))
        square += vec.dot(change, change)
    moved = vec.sub(mat3.apply_transposed(a.rot, vec.sub(b.pos, a.pos)), k.pos)
    return vec.norm(moved) + math.sqrt(0.5 * square) * size_of(b)


@routine
def holds(k, a, b):
    """Whether a kept manifold is that of the shapes a, b in their present poses, within their present reach."""
    if not (is_shape(k, 0, a) and is_shape(k, 1, b)):
        return False
    d, reach = motion(k, a, b), a.reach + b.reach
    return d <= k.allowed and k.widest + d <= reach < k.beyond - d


@routine
def carry(k, a, b, m):
    """Write the manifold (2)."""
    vec.assign(m.normal, mat3.apply(b.rot if k.owner == 1 else a.rot, k.normal))
    apart = vec.sub(b.pos, a.pos)
    for i in range(k.count):
        on_a = mat3.apply(a.rot, k.surface[0, i])
        on_b = vec.add(apart, mat3.apply(b.rot, k.surface[1, i]))
        gap = vec.dot(m.normal, vec.sub(on_b, on_a))
        contact_points.put(m, vec.madd(a.pos, vec.add(on_a, on_b), 0.5), gap, k.feature[i])


@inline
def gives(f, n):
    """Whether n is the normal of the face f, in either direction."""
    x, y, z = f.normal
    return f.count > 2 and ((x == n[0] and y == n[1] and z == n[2]) or (x == -n[0] and y == -n[1] and z == -n[2]))


@routine
def edge_across(f, n):
    """Direction of the edge f that holds the normal n; 0: there is none."""
    e = vec.unit(vec.sub(f.point[1], f.point[0]))
    if f.count != 2 or abs(vec.dot(e, n)) > ACROSS:
        return (0.0, 0.0, 0.0)
    return e


@routine
def curvature_across(core, n, t, e):
    """t . H t beside the edge e, on the side where it is less."""
    return min(vec.dot(t, curve(core, vec.unit(vec.madd(n, e, TILT)), t)),
               vec.dot(t, curve(core, vec.unit(vec.madd(n, e, -TILT)), t)))


@routine
def firmness(a, b, n, fa, fb, apart, size):
    """h of two cores and their features, and the side with which n turns. apart: s(n); size: rho."""
    if gives(fa, n):
        return math.inf, 0
    if gives(fb, n):
        return math.inf, 1
    e, other, m = edge_across(fa, n), edge_across(fb, n), vec.scale(n, -1.0)
    sine = vec.norm(vec.cross(e, other))
    if sine > PARALLEL:
        return size * sine, 0
    if vec.dot(e, e) == 0.0:
        e = other
    if vec.dot(e, e) > 0.0:
        t = vec.cross(e, n)
        return curvature_across(a, n, t, e) + curvature_across(b, m, t, e) + apart, 0
    t1, t2 = vec.tangents(n)
    q1, q2 = vec.add(curve(a, n, t1), curve(b, m, t1)), vec.add(curve(a, n, t2), curve(b, m, t2))
    h11, h12, h22 = vec.dot(q1, t1), vec.dot(q1, t2), vec.dot(q2, t2)
    return 0.5 * (h11 + h22) - math.sqrt(0.25 * (h11 - h22) * (h11 - h22) + h12 * h12) + apart, 0


@inline
def put_shape(k, side, s):
    k.kind[side], k.geometry[side], k.rounding[side] = s.kind, s.geometry, s.rounding
    vec.assign(k.dims[side], s.dims)


@routine
def store(k, m, a, b, owner, allowed, widest, beyond):
    """Keep the manifold m of the shapes a, b; the other arguments: fields of KEPT."""
    k.shape_a, k.shape_b, k.count, k.owner = m.shape_a, m.shape_b, m.count, owner
    k.allowed, k.widest, k.beyond = allowed, widest, beyond
    put_shape(k, 0, a)
    put_shape(k, 1, b)
    vec.assign(k.pos, mat3.apply_transposed(a.rot, vec.sub(b.pos, a.pos)))
    for j in range(3):
        x = mat3.apply_transposed(a.rot, mat3.column(b.rot, j))
        k.rot[0, j], k.rot[1, j], k.rot[2, j] = x[0], x[1], x[2]
    vec.assign(k.normal, mat3.apply_transposed(b.rot if owner == 1 else a.rot, m.normal))
    for i in range(4):
        k.feature[i] = m.feature[i] if i < m.count else 0
        for side in range(2):
            vec.assign(k.surface[side, i], (0.0, 0.0, 0.0))
    for i in range(m.count):
        on_a, on_b = vec.madd(m.pos[i], m.normal, -0.5 * m.gap[i]), vec.madd(m.pos[i], m.normal, 0.5 * m.gap[i])
        vec.assign(k.surface[0, i], mat3.apply_transposed(a.rot, vec.sub(on_a, a.pos)))
        vec.assign(k.surface[1, i], mat3.apply_transposed(b.rot, vec.sub(on_b, b.pos)))


@routine
def find(m, k, a, b, pool, core_a, core_b, s, p, c, fa, fb):
    """Find the manifold of the shapes a, b anew, and write to k what holds of it; returns whether anything does."""
    reach, origin = a.reach + b.reach, vec.copy(a.pos)
    load(core_a, a, pool, origin)
    load(core_b, b, pool, origin)
    gap = manifold.face(core_a, core_b, pool, s, p, c, fa, fb, reach)
    if not gap <= reach:
        return False
    n, size = vec.copy(s.normal), size_of(b)
    firm, owner = firmness(core_a, core_b, n, fa, fb, gap + core_a.radius + core_b.radius, size)
    manifold.fill(m, core_a, core_b, pool, s, c, fa, fb, origin, gap, reach)
    if firm > 0.0:
        store(k, m, a, b, owner, TURN * min(firm, core_a.least, core_b.least), max(c.widest, gap), c.beyond)
    return firm > 0.0


@kernel
def collide(shapes, pairs, place, kept_kinds, manifolds, pool, known, at, keeps, n):
    """Find the manifolds of those pairs whose kinds are kept; returns where the next chunk of pairs goes on: (at, n).

    pairs, place, manifolds: as of `narrow.sort_kinds`; kept_kinds: by kind and kind. known: KEPT of the last step, ascending by
    pair, those before `at` belong to pairs before these. keeps: KEPT of this step, written from n on.
    """
    cores, features = np.empty(2, CORE), np.empty(2, FEATURE)
    simplex, polytope, clipping = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(1, CLIP)
    for i in place:
        j, l = pairs[i, 0], pairs[i, 1]
        a, b, m = shapes[j], shapes[l], manifolds[i]
        if not kept_kinds[a.kind, b.kind]:
            continue
        contact_points.begin(m, j, l)
        low, high = min(j, l), max(j, l)
        while at < known.shape[0] and is_before(known[at], low, high):
            at += 1
        if at < known.shape[0] and known[at].shape_a == j and known[at].shape_b == l and holds(known[at], a, b):
            carry(known[at], a, b, m)
            keeps[n] = known[at]
            n += 1
        elif find(m, keeps[n], a, b, pool, cores[0], cores[1], simplex[0], polytope[0], clipping[0], features[0], features[1]):
            n += 1
    return at, n


@inline
def is_before(k, low, high):
    """Whether a kept pair comes before that of the lower shape `low` and the higher one `high`."""
    first = min(k.shape_a, k.shape_b)
    return first < low or (first == low and max(k.shape_a, k.shape_b) < high)
