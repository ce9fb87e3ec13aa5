"""GJK: distance of two convex cores, the point v nearest to the origin of the set C = B - A, by simplices of its points.

    v_k    nearest point of the simplex W_k to the origin                                     (Gilbert, Johnson, Keerthi 1988)
    w_k    = s_B(-v_k) - s_A(v_k), the point of C lowest along v_k
    v_k . w_k / |v_k|  <=  distance  <=  |v_k|                                                                          (1)
    W_k+1  = the vertices of W_k that v_k needs, and w_k

The iteration ends when the two bounds agree, when a point repeats, or when |v| stops decreasing: then only round-off is left.
The nearest point of a simplex is found by cases for segments and triangles (Ericson, Real-Time Collision Detection, 2005, 5.1);
a tetrahedron with the origin outside is reduced to those of its faces that face the origin, a flat one to all of them.

v points from a to b; the final weights give the nearest points: x_a = sum weight_i a_i, x_b = x_a + v.
"""

import math

from physics.collide.convex.core import difference
from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import record

MAX_ITERATIONS = 100
"""Polytopes need about 10, two ellipsoids about 30."""
CONVERGENCE = 1e-14
"""The bounds of (1) agree when their relative difference is below this."""
TOUCH_DISTANCE = 1e-7
"""Cores nearer than this fraction of their size count as overlapping: the direction of their distance is meaningless."""
FLAT_SIMPLEX = 1e-13
"""Volumes below this fraction of the product of the edges count as zero."""

SIMPLEX = record([
    ("w", "f8", (4, 3)),       # points of B - A [m]
    ("a", "f8", (4, 3)),       # the points of A that belong to them
    ("weight", "f8", 4),       # of the nearest point, sum 1
    ("count", "i4"),           # points in use, 0 .. 4
    ("old_w", "f8", (4, 3)),   # the simplex before the current iteration, restored if it does not improve
    ("old_a", "f8", (4, 3)),
    ("old_weight", "f8", 4),
    ("old_count", "i4"),
    ("pick", "i4", 3),         # a face under examination
    ("part", "f8", 3),         # its weights
    ("lower", "f8"),           # bounds of the distance, (1) [m]
    ("upper", "f8"),
    ("point_a", "f8", 3),      # nearest points, relative to the origin of the pair [m]
    ("point_b", "f8", 3),
    ("normal", "f8", 3),       # unit, from a to b
])


@inline
def combine(s):
    """The point of the simplex with the current weights."""
    v = vec.scale(s.w[0], s.weight[0])
    for i in range(1, s.count):
        v = vec.madd(v, s.w[i], s.weight[i])
    return v


@routine
def segment(s, p, q):
    """s.part: weights of the point of p q nearest to the origin."""
    d = vec.sub(q, p)
    size = vec.dot(d, d)
    t = min(max(-vec.dot(p, d) / size, 0.0), 1.0) if size > 0.0 else 0.0
    s.part[0], s.part[1], s.part[2] = 1.0 - t, t, 0.0


@routine
def triangle(s, p, q, r):
    """s.part: weights of the point of the triangle p q r nearest to the origin (Ericson 5.1.5)."""
    pq, pr = vec.sub(q, p), vec.sub(r, p)
    d1, d2 = -vec.dot(pq, p), -vec.dot(pr, p)
    if d1 <= 0.0 and d2 <= 0.0:
        s.part[0], s.part[1], s.part[2] = 1.0, 0.0, 0.0
        return
    d3, d4 = -vec.dot(pq, q), -vec.dot(pr, q)
    if d3 >= 0.0 and d4 <= d3:
        s.part[0], s.part[1], s.part[2] = 0.0, 1.0, 0.0
        return
    d5, d6 = -vec.dot(pq, r), -vec.dot(pr, r)
    if d6 >= 0.0 and d5 <= d6:
        s.part[0], s.part[1], s.part[2] = 0.0, 0.0, 1.0
        return
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        segment(s, p, q)
        return
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        segment(s, p, r)
        s.part[1], s.part[2] = 0.0, s.part[1]
        return
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        segment(s, q, r)
        s.part[0], s.part[1], s.part[2] = 0.0, s.part[0], s.part[1]
        return
    total = va + vb + vc
    s.part[0], s.part[1], s.part[2] = va / total, vb / total, vc / total


@inline
def nearest_of_part(s):
    v = vec.scale(s.w[s.pick[0]], s.part[0])
    return vec.madd(vec.madd(v, s.w[s.pick[1]], s.part[1]), s.w[s.pick[2]], s.part[2])


@routine
def tetrahedron(s):
    """Compute the weights of four points; True if the origin is inside."""
    best, outside = math.inf, False
    for skip in range(4):
        i, j, k = (skip + 1) & 3, (skip + 2) & 3, (skip + 3) & 3
        p = s.w[i]
        pq, pr, po = vec.sub(s.w[j], p), vec.sub(s.w[k], p), vec.sub(s.w[skip], p)
        n = vec.cross(pq, pr)
        volume, away = vec.dot(n, po), -vec.dot(n, p)
        flat = abs(volume) <= FLAT_SIMPLEX * vec.norm(pq) * vec.norm(pr) * vec.norm(po)
        if not flat and volume * away > 0.0:
            continue
        outside = True
        s.pick[0], s.pick[1], s.pick[2] = i, j, k
        triangle(s, s.w[i], s.w[j], s.w[k])
        v = nearest_of_part(s)
        if vec.dot(v, v) < best:
            best = vec.dot(v, v)
            s.weight[skip] = 0.0
            s.weight[i], s.weight[j], s.weight[k] = s.part[0], s.part[1], s.part[2]
    return not outside


@routine
def reduce(s):
    """Reduce to the points that the nearest point needs, with their weights; True if the origin is inside a tetrahedron."""
    if s.count == 4:
        if tetrahedron(s):
            s.weight[0], s.weight[1], s.weight[2], s.weight[3] = 0.25, 0.25, 0.25, 0.25
            return True
    else:
        s.weight[0], s.weight[1], s.weight[2] = 1.0, 0.0, 0.0
        if s.count == 2:
            segment(s, s.w[0], s.w[1])
            s.weight[0], s.weight[1] = s.part[0], s.part[1]
        elif s.count == 3:
            triangle(s, s.w[0], s.w[1], s.w[2])
            s.weight[0], s.weight[1], s.weight[2] = s.part[0], s.part[1], s.part[2]
    kept = 0
    for i in range(s.count):
        if s.weight[i] > 0.0:
            s.weight[kept] = s.weight[i]
            vec.assign(s.w[kept], s.w[i])
            vec.assign(s.a[kept], s.a[i])
            kept += 1
    s.count = kept
    return False


@routine
def repeats(s, w):
    found = False
    for i in range(s.count):
        found = found or (s.w[i, 0] == w[0] and s.w[i, 1] == w[1] and s.w[i, 2] == w[2])
    return found


@routine
def save_simplex(s):
    s.old_count = s.count
    for i in range(s.count):
        s.old_weight[i] = s.weight[i]
        vec.assign(s.old_w[i], s.w[i])
        vec.assign(s.old_a[i], s.a[i])


@routine
def restore(s):
    s.count = s.old_count
    for i in range(s.count):
        s.weight[i] = s.old_weight[i]
        vec.assign(s.w[i], s.old_w[i])
        vec.assign(s.a[i], s.old_a[i])


@routine
def separate(a, b, pool, s, limit):
    """Distance of two cores; 0 if they overlap or nearly touch. Fills s: normal, nearest points, lower and upper bound.

    limit: stop once the distance is known to exceed this; the result is then only a lower bound.
    """
    tiny = TOUCH_DISTANCE * (a.size + b.size)
    v = vec.sub(b.pos, a.pos)
    if vec.dot(v, v) <= tiny * tiny:
        v = (0.0, 0.0, 1.0)
    s.count, s.lower, s.upper, inside = 0, 0.0, math.inf, False
    for _ in range(MAX_ITERATIONS):
        w, p = difference(a, b, pool, v)
        size = vec.norm(v)
        s.lower = max(s.lower, vec.dot(v, w) / size)
        if s.lower > limit:
            return s.lower
        if s.lower >= (1.0 - CONVERGENCE) * s.upper or repeats(s, w):
            break
        save_simplex(s)
        vec.assign(s.w[s.count], w)
        vec.assign(s.a[s.count], p)
        s.count += 1
        inside = reduce(s)
        if inside:
            break
        u = combine(s)
        size = vec.norm(u)
        if size <= tiny:
            inside = True
            break
        if size >= s.upper:
            restore(s)
            break
        s.upper, v = size, u
    if inside:
        s.lower, s.upper = 0.0, 0.0
        return 0.0
    vec.assign(s.normal, vec.unit(v))
    x = vec.scale(s.a[0], s.weight[0])
    for i in range(1, s.count):
        x = vec.madd(x, s.a[i], s.weight[i])
    vec.assign(s.point_a, x)
    vec.assign(s.point_b, vec.add(x, v))
    return vec.norm(v)
