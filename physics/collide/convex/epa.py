"""Expanding polytope algorithm: depth of two overlapping cores, by the surface point of C = B - A nearest to the origin.

    P_0    = a tetrahedron of points of C that contains the origin (from the final simplex of gjk)
    n_k    = outward normal of the face of P_k nearest to the origin, d_k its distance
    w_k    = s_B(n_k) - s_A(-n_k), the point of C farthest along n_k
    d_k  <=  depth  <=  n_k . w_k                                                                                       (1)
    P_k+1  = the convex hull of P_k and w_k                              (van den Bergen, Proximity queries, 2001)

It ends when the bounds agree. P need not contain the origin to the last digit: a face with the origin just outside has a small
negative distance, and (1) still holds up to that distance. So touching cores need no special case.

Faces visible from w or coplanar with it are replaced by a fan from w over their common rim; coplanar ones too, because a fan over
an edge in line with w would have faces without area. If the rim does not close, the best normal so far is used.

A set C without volume (a point on a triangle) has depth 0 along its normal.
"""

import math

import numpy as np

from physics.collide.convex.core import support
from physics.collide.convex.gjk import FLAT_SIMPLEX
from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import record

MAX_ITERATIONS = 60
POINTS, FACES = 4 + MAX_ITERATIONS, 2 * (4 + MAX_ITERATIONS)
CONVERGENCE = 1e-10
"""The bounds of (1) agree when their difference is below this fraction of the size."""
COPLANAR = 1e-12
"""A point within this fraction of the size of a face's plane is coplanar with it."""

POLYTOPE = record([
    ("w", "f8", (POINTS, 3)),
    ("a", "f8", (POINTS, 3)),
    ("points", "i4"),
    ("normal", "f8", (FACES, 3)),    # unit, outwards
    ("offset", "f8", FACES),         # distance from the origin
    ("corner", "i4", (FACES, 3)),    # counter-clockwise from outside
    ("beyond", "i4", (FACES, 3)),    # the face across the edge from corner k to corner k + 1
    ("alive", "i4", FACES),
    ("faces", "i4"),                 # slots in use, dead ones included
    ("free", "i4", FACES),           # dead slots
    ("frees", "i4"),
    ("stack", "i4", FACES),          # faces visible from w
    ("rim_from", "i4", FACES),       # rim edges: from corner, to corner, and the face beyond
    ("rim_to", "i4", FACES),
    ("rim_face", "i4", FACES),
    ("fan", "i4", POINTS),           # the new face on the rim edge that starts at a corner; -1: none
])


@inline
def point(a, b, pool, n):
    """(point of b - a farthest along n, the point of a that belongs to it)."""
    p = support(a, pool, vec.scale(n, -1.0))
    return vec.sub(support(b, pool, n), p), p


@routine
def add_point(p, a, b, pool, n):
    w, x = point(a, b, pool, n)
    vec.assign(p.w[p.points], w)
    vec.assign(p.a[p.points], x)
    p.points += 1


@routine
def add_face(p, i, j, k):
    """Add a face; returns its number, or -1 if it has no area."""
    pq, pr = vec.sub(p.w[j], p.w[i]), vec.sub(p.w[k], p.w[i])
    n = vec.cross(pq, pr)
    size = vec.norm(n)
    if not size > FLAT_SIMPLEX * vec.norm(pq) * vec.norm(pr) or p.faces - p.frees >= FACES:
        return -1
    if p.frees > 0:
        p.frees -= 1
        f = p.free[p.frees]
    else:
        f = p.faces
        p.faces += 1
    vec.assign(p.normal[f], vec.scale(n, 1.0 / size))
    p.offset[f] = max(vec.dot(p.normal[f], p.w[i]), vec.dot(p.normal[f], p.w[j]), vec.dot(p.normal[f], p.w[k]))
    p.corner[f, 0], p.corner[f, 1], p.corner[f, 2] = i, j, k
    p.alive[f] = 1
    return f


@routine
def widen(p, a, b, pool, size):
    """Complete the first points to four that span a volume; returns the number found: 3 for a flat C, 2 or 1 for less."""
    if p.points == 1:
        for trial in range(6):
            axis, sign = trial >> 1, 1.0 - 2.0 * (trial & 1)
            add_point(p, a, b, pool, (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0))
            if vec.norm(vec.sub(p.w[1], p.w[0])) > 1e-9 * size:
                break
            p.points -= 1
    if p.points == 2:
        d = vec.unit(vec.sub(p.w[1], p.w[0]))
        t1, t2 = vec.tangents(d)
        for trial in range(4):
            add_point(p, a, b, pool, vec.scale(t2 if trial & 1 else t1, 1.0 if trial < 2 else -1.0))
            if vec.norm(vec.cross(d, vec.sub(p.w[2], p.w[0]))) > 1e-9 * size:
                break
            p.points -= 1
    if p.points == 3:
        n = vec.unit(vec.cross(vec.sub(p.w[1], p.w[0]), vec.sub(p.w[2], p.w[0])))
        for trial in range(2):
            add_point(p, a, b, pool, vec.scale(n, 1.0 - 2.0 * trial))
            if abs(vec.dot(n, vec.sub(p.w[3], p.w[0]))) > 1e-9 * size:
                break
            p.points -= 1
    return p.points


@routine
def begin(p):
    """Add the four faces of the first tetrahedron; False if one has no area."""
    p.faces, p.frees = 0, 0
    n = vec.cross(vec.sub(p.w[1], p.w[0]), vec.sub(p.w[2], p.w[0]))
    i = 1 if vec.dot(n, vec.sub(p.w[3], p.w[0])) < 0.0 else 2
    j = 3 - i
    for f in range(4):      # 0 i j, 0 3 i, i 3 j, j 3 0
        u, v, w = (0, i, j) if f == 0 else ((0, 3, i) if f == 1 else ((i, 3, j) if f == 2 else (j, 3, 0)))
        if add_face(p, np.int64(u), np.int64(v), np.int64(w)) < 0:
            return False
    for f in range(4):
        for k in range(3):
            u, v = p.corner[f, k], p.corner[f, (k + 1) % 3]
            for g in range(4):
                for m in range(3):
                    if p.corner[g, m] == v and p.corner[g, (m + 1) % 3] == u:
                        p.beyond[f, k] = g
    return True


@inline
def nearest_face(p):
    best, at = math.inf, 0
    for f in range(p.faces):
        if p.alive[f] and p.offset[f] < best:
            best, at = p.offset[f], f
    return at


@routine
def remove_visible(p, first, w, level):
    """Remove the faces visible from the point w, starting with `first`; returns the number of rim edges."""
    count, rim, done = 1, 0, 0
    p.stack[0] = first
    p.alive[first] = 0
    while done < count:
        f = p.stack[done]
        done += 1
        for k in range(3):
            g = p.beyond[f, k]
            if not p.alive[g]:
                continue
            if vec.dot(p.normal[g], w) - p.offset[g] > -level:
                p.alive[g] = 0
                p.stack[count] = g
                count += 1
    for n in range(count):
        f = p.stack[n]
        for k in range(3):
            if p.alive[p.beyond[f, k]]:
                p.rim_from[rim], p.rim_to[rim], p.rim_face[rim] = p.corner[f, k], p.corner[f, (k + 1) % 3], p.beyond[f, k]
                rim += 1
        p.free[p.frees] = f
        p.frees += 1
    return rim


@routine
def close_hole(p, rim, top):
    """Add a fan of faces from the point `top` over the rim; False if the rim is no single loop or a face has no area."""
    for n in range(p.points):
        p.fan[n] = -1
    if rim < 3:
        return False
    for n in range(rim):
        u, v = p.rim_from[n], p.rim_to[n]
        f = add_face(p, np.int64(u), np.int64(v), top)
        if f < 0 or p.fan[u] >= 0:
            return False
        p.fan[u] = f
        p.beyond[f, 0] = p.rim_face[n]
        g = p.rim_face[n]
        for k in range(3):
            if p.corner[g, k] == v:
                p.beyond[g, k] = f
    for n in range(rim):
        f, g = p.fan[p.rim_from[n]], p.fan[p.rim_to[n]]
        if g < 0:
            return False
        p.beyond[f, 1], p.beyond[g, 2] = g, f
    return True


@routine
def barycentric(p, f, weight):
    """Weights of the corners of face f for the point of its plane nearest to the origin; returns the smallest."""
    i, j, k = p.corner[f, 0], p.corner[f, 1], p.corner[f, 2]
    q = vec.scale(p.normal[f], p.offset[f])
    n = vec.cross(vec.sub(p.w[j], p.w[i]), vec.sub(p.w[k], p.w[i]))
    area = vec.dot(n, n)
    weight[0] = vec.dot(n, vec.cross(vec.sub(p.w[k], p.w[j]), vec.sub(q, p.w[j]))) / area
    weight[1] = vec.dot(n, vec.cross(vec.sub(p.w[i], p.w[k]), vec.sub(q, p.w[k]))) / area
    weight[2] = 1.0 - weight[0] - weight[1]
    return min(weight[0], weight[1], weight[2])


@routine
def closest_points(p, f, s, level):
    """s.point_a, s.point_b: the point below the origin of face f, or of a coplanar one, as points of the two shapes."""
    best, at = barycentric(p, f, s.part), f
    for g in range(np.int64(p.faces)):
        if best < 0.0 and p.alive[g] and p.offset[g] <= p.offset[f] + level:
            least = barycentric(p, g, s.part)
            if least > best:
                best, at = least, g
    barycentric(p, at, s.part)
    total, x, y = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(3):
        share, c = max(s.part[k], 0.0), p.corner[at, k]
        total += share
        x, y = vec.madd(x, p.a[c], share), vec.madd(y, p.w[c], share)
    vec.assign(s.point_a, vec.scale(x, 1.0 / total))
    vec.assign(s.point_b, vec.scale(vec.add(x, y), 1.0 / total))


@routine
def flat(p, s):
    """Result for a set without volume: its normal and its first point."""
    n = (0.0, 0.0, 1.0)
    if p.points == 3:
        n = vec.unit(vec.cross(vec.sub(p.w[1], p.w[0]), vec.sub(p.w[2], p.w[0])))
    elif p.points == 2:
        n, _ = vec.tangents(vec.unit(vec.sub(p.w[1], p.w[0])))
    vec.assign(s.normal, n)
    x = vec.scale(s.a[0], s.weight[0])
    for i in range(1, s.count):
        x = vec.madd(x, s.a[i], s.weight[i])
    vec.assign(s.point_a, x)
    vec.assign(s.point_b, x)


@routine
def penetrate(a, b, pool, s, p):
    """Depth of two overlapping cores, from the final simplex s of gjk. Fills s: normal from a to b, deepest points."""
    size = max(a.size + b.size, vec.norm(vec.sub(b.pos, a.pos)))
    for i in range(s.count):
        vec.assign(p.w[i], s.w[i])
        vec.assign(p.a[i], s.a[i])
    p.points = s.count
    if p.points == 0:
        add_point(p, a, b, pool, (0.0, 0.0, 1.0))
        s.count, s.weight[0] = 1, 1.0
        vec.assign(s.a[0], p.a[0])
    if widen(p, a, b, pool, size) < 4 or not begin(p):
        flat(p, s)
        return 0.0
    depth = math.inf
    while True:
        f = nearest_face(p)
        n = vec.copy(p.normal[f])
        w, x = point(a, b, pool, n)
        reach = vec.dot(n, w)
        found = reach - p.offset[f] <= CONVERGENCE * size
        if reach < depth or found:      # the last face is the one below the origin
            depth = min(depth, reach)
            vec.assign(s.normal, vec.scale(n, -1.0))
            closest_points(p, f, s, 10.0 * CONVERGENCE * size)
        if found or p.points == POINTS:
            break
        vec.assign(p.w[p.points], w)
        vec.assign(p.a[p.points], x)
        p.points += 1
        rim = remove_visible(p, f, w, COPLANAR * size)
        if not close_hole(p, rim, np.int64(p.points - 1)):
            break
    return depth


def workspace() -> np.ndarray:
    """Scratch record for one polytope."""
    return np.empty(1, POLYTOPE)
