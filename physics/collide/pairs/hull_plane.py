"""Contact of a hull and a half space: the lowest vertices.

    gap_i = z . (x_a + R_a v_i - x_b) - rounding

If more than four are in reach, the contacts are vertices of the face at the deepest one that is best aligned with the plane. A
hull that stands on corners which are nearly in one plane stands on several faces, though, and would rock from one to the next: so
if the face below the centre, the one through which -z leaves the hull, is level and nearly as deep, it is used instead. One that
rolls on many faces is not level on any but that on which it lies.

Of more than four vertices of the face, `_box.reduce` keeps the deepest, the farthest from it, and those that add the most area.
The deepest vertex of the hull, if it is not among them, replaces the nearest one. A triangle gets a fourth vertex, the one that
the smallest rotation brings down to the plane of the face (least h / w):

    h: height above the plane of the face,      w: twice the area that the vertex adds.
"""

import math

import numpy as np

from physics.collide.pairs import _box
from physics.core import contact_points, mat3, vec
from physics.core.jit import kernel, routine
from physics.core.records import record

KINDS = ("hull", "plane")
GEOMETRY = True
MAX_VERTICES = 256
"""Largest number of vertices of a hull (physics/shapes/hull.py)."""
FACE_PREFERENCE = 1e-6
"""Margin by which a later face must be better aligned with the plane to be preferred, so that equal ones do not alternate."""
DEPTH_PREFERENCE = 1e-3
"""Margin, as a fraction of the size, by which a later vertex must be deeper to count as the deepest."""
LEVEL = 2.0
"""A face on which a hull rests is level to this many margins."""

WORK = record([
    ("point", "f8", (2, MAX_VERTICES + 4, 3)),   # of all in reach and of the face: coordinates along the plane, and the gap
    ("name", "i4", (2, MAX_VERTICES + 4)),       # number of the vertex
    ("keep", "i4", 4),
])


@routine
def add(w, buffer, count, a, b, p, name, reach):
    """Record the vertex p, in the frame of the hull, if it is in reach; returns the new count."""
    x = vec.sub(vec.add(a.pos, mat3.apply(a.rot, p)), b.pos)
    gap = vec.dot(x, mat3.column(b.rot, 2)) - a.rounding
    if not gap <= reach:
        return count
    vec.assign(w.point[buffer, count], (vec.dot(x, mat3.column(b.rot, 0)), vec.dot(x, mat3.column(b.rot, 1)), gap))
    w.name[buffer, count] = name
    return count + 1


@routine
def add_face(w, a, b, pool, g, face, reach):
    """Record the vertices of a face that are in reach in the second buffer; returns their number."""
    count, loop = 0, g.integer + 2 + face
    for j in range(g.integer + pool.integers[loop], g.integer + pool.integers[loop + 1]):
        i = pool.integers[j]
        count = add(w, 1, count, a, b, pool.vertices[g.vertex + i], i, reach)
    return count


@routine
def height(pool, g, face, p):
    """Of the point p over the plane of a face, towards the centre."""
    n = g.number + 4 * face
    return pool.numbers[n + 3] - (pool.numbers[n] * p[0] + pool.numbers[n + 1] * p[1] + pool.numbers[n + 2] * p[2])


@routine
def below(pool, g, d):
    """The face through which the ray from the centre along d (frame of the hull) leaves it."""
    least, face = np.inf, 0
    for k in range(pool.integers[g.integer]):
        offset = pool.numbers[g.number + 4 * k + 3]
        along = offset - height(pool, g, k, d)
        if along > 0.0 and offset < least * along * (1.0 - FACE_PREFERENCE):
            least, face = offset / along, k
    return face


@routine
def add_fourth(w, pool, g, face, total, count, slack):
    """Record the vertex that the smallest rotation brings down, of all `total` in reach; returns the new count."""
    point, way = w.point[1], math.copysign(1.0, _box.turn(w.point[1], 0, 1, 2))
    best, least = -1, np.inf
    for i in range(total):
        vec.assign(point[count], (w.point[0, i, 0], w.point[0, i, 1], w.point[0, i, 2]))
        area = -min(way * _box.turn(point, 0, 1, count), way * _box.turn(point, 1, 2, count), way * _box.turn(point, 2, 0, count))
        turn = height(pool, g, face, pool.vertices[g.vertex + w.name[0, i]]) + slack
        if area > 0.0 and turn < least * area * (1.0 - FACE_PREFERENCE):
            best, least = i, turn / area
    if best < 0:
        return count
    return copy_vertex(w, best, count, count)


@routine
def copy_vertex(w, i, place, count):
    """Record the vertex i of all as that number of the face; returns the new count."""
    vec.assign(w.point[1, place], (w.point[0, i, 0], w.point[0, i, 1], w.point[0, i, 2]))
    w.name[1, place] = w.name[0, i]
    return max(count, place + 1)


@routine
def nearest(w, count, i):
    """That of the face nearest to the vertex i of all; -1: it is one of the face."""
    best, least = -1, np.inf
    for j in range(count):
        if w.name[1, j] == w.name[0, i]:
            return -1
        x, y = w.point[1, j, 0] - w.point[0, i, 0], w.point[1, j, 1] - w.point[0, i, 1]
        if x * x + y * y < least:
            best, least = j, x * x + y * y
    return best


@routine
def is_level(w, count, lowest, slack):
    """Whether the vertices of the face are nearly as deep as the deepest of all, at that gap [m]."""
    low, high = np.inf, -np.inf
    for j in range(count):
        low, high = min(low, w.point[1, j, 2]), max(high, w.point[1, j, 2])
    return low <= lowest + slack and high <= low + LEVEL * slack


@routine
def choose(w, a, b, pool, g, total, reach, slack):
    """Record up to four of all `total` in reach in the second buffer; returns their number."""
    deepest = 0
    for i in range(1, total):
        if w.point[0, i, 2] < w.point[0, deepest, 2] - slack:
            deepest = i
    up = mat3.apply_transposed(a.rot, mat3.column(b.rot, 2))
    face = below(pool, g, vec.scale(up, -1.0))
    count = add_face(w, a, b, pool, g, face, reach)
    if not (count >= 3 and is_level(w, count, w.point[0, deepest, 2], slack)):
        face = facing(pool, g, up, w.name[0, deepest])
        count = add_face(w, a, b, pool, g, face, reach)
    kept = _box.reduce(w, 1, count, slack)
    for j in range(kept):
        vec.assign(w.point[1, j], (w.point[1, w.keep[j], 0], w.point[1, w.keep[j], 1], w.point[1, w.keep[j], 2]))
        w.name[1, j] = w.name[1, w.keep[j]]
    place = nearest(w, kept, deepest)
    if place >= 0:
        return copy_vertex(w, deepest, kept if kept < 4 else place, kept)
    return add_fourth(w, pool, g, face, total, kept, slack) if kept == 3 else kept


@routine
def facing(pool, g, d, vertex):
    """The face at a vertex whose normal is nearest to -d (frame of the hull)."""
    best, face = 2.0, 0
    for k in range(pool.integers[g.integer]):
        at_vertex = False
        for j in range(pool.integers[g.integer + 2 + k], pool.integers[g.integer + 3 + k]):
            at_vertex = at_vertex or pool.integers[g.integer + j] == vertex
        n = g.number + 4 * k
        cosine = pool.numbers[n] * d[0] + pool.numbers[n + 1] * d[1] + pool.numbers[n + 2] * d[2]
        if at_vertex and cosine < best - FACE_PREFERENCE:
            best, face = cosine, k
    return face


@kernel
def collide(shapes, pairs, manifolds, pool):
    """Up to four points; feature: the vertex."""
    work = np.empty(1, WORK)
    for k in range(pairs.shape[0]):
        w, m, a, b = work[0], manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        g, reach = pool.table[a.geometry], a.reach + b.reach
        u, v, up = mat3.column(b.rot, 0), mat3.column(b.rot, 1), mat3.column(b.rot, 2)
        count, buffer = 0, 0
        for i in range(g.vertices):
            count = add(w, 0, count, a, b, pool.vertices[g.vertex + i], i, reach)
        if count > 4:
            count, buffer = choose(w, a, b, pool, g, count, reach, DEPTH_PREFERENCE * min(a.dims[0], a.dims[1], a.dims[2])), 1
        vec.assign(m.normal, vec.scale(up, -1.0))
        for j in range(count):
            q = w.point[buffer, j]
            x = vec.madd(vec.madd(vec.madd(b.pos, u, q[0]), v, q[1]), up, 0.5 * q[2])
            contact_points.put(m, x, q[2], w.name[buffer, j])
