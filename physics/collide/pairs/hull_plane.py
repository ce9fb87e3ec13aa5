"""Contact of a hull and a half space: the lowest vertices.

    gap_i = z . (x_a + R_a v_i - x_b) - rounding

Of more than four in reach, those of the face at the deepest that is best aligned with the plane; of more than four of these, the
deepest, the farthest from it, and those that add the most area (`_box.reduce`).
"""

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

WORK = record([
    ("point", "f8", (1, MAX_VERTICES, 3)),   # coordinates along the plane, and the gap
    ("name", "i4", MAX_VERTICES),            # number of the vertex
    ("keep", "i4", 4),
])


@routine
def add(w, count, a, b, u, v, p, name, reach):
    """Record the vertex p, in the frame of the hull, if it is in reach; returns the new count."""
    x = vec.sub(vec.add(a.pos, mat3.apply(a.rot, p)), b.pos)
    gap = vec.dot(x, mat3.column(b.rot, 2)) - a.rounding
    if not gap <= reach:
        return count
    vec.assign(w.point[0, count], (vec.dot(x, u), vec.dot(x, v), gap))
    w.name[count] = name
    return count + 1


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
        count = 0
        for i in range(g.vertices):
            count = add(w, count, a, b, u, v, pool.vertices[g.vertex + i], i, reach)
        slack = DEPTH_PREFERENCE * min(a.dims[0], a.dims[1], a.dims[2])
        if count > 4:
            deepest = 0
            for i in range(1, count):
                if w.point[0, i, 2] < w.point[0, deepest, 2] - slack:
                    deepest = i
            face = g.integer + 2 + facing(pool, g, mat3.apply_transposed(a.rot, up), w.name[deepest])
            count = 0
            for j in range(g.integer + pool.integers[face], g.integer + pool.integers[face + 1]):
                i = pool.integers[j]
                count = add(w, count, a, b, u, v, pool.vertices[g.vertex + i], i, reach)
        vec.assign(m.normal, vec.scale(up, -1.0))
        for j in range(_box.reduce(w, 0, count, slack)):
            q = w.point[0, w.keep[j]]
            x = vec.madd(vec.madd(vec.madd(b.pos, u, q[0]), v, q[1]), up, 0.5 * q[2])
            contact_points.put(m, x, q[2], w.name[w.keep[j]])
