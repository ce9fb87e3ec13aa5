"""Iteration over the triangles of a surface that a box meets, in the surface's own frame.

A mesh is searched by its tree (physics/shapes/_tree.py), a height field cell by cell. Corners and neighbours of a height field
are not stored but computed from the number of the triangle (head of physics/shapes/height_field.py).
"""

import math

from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.shapes import kinds
from physics.shapes.height_field import point

FIELD = list(kinds()).index("height_field")
MESH = list(kinds()).index("triangle_mesh")

WALK = record([
    ("lo", "f8", 3),           # the box, frame of the surface [m]
    ("hi", "f8", 3),
    ("node", "i8"),            # mesh: the next node; field: the current row
    ("at", "i8"),              # the next triangle of a leaf or of a row
    ("end", "i8"),             # after the last one
    ("row", "i8"),             # field: after the last row
    ("low", "i8"),             # field: first and after the last column
    ("high", "i8"),
])

TRIANGLE = record([
    ("corner", "f8", (3, 3)),  # frame of the surface [m]
    ("normal", "f8", 3),       # unit, counter-clockwise
    ("near", "i8", 3),         # the triangles across the edges 0-1, 1-2, 2-0; -1 at a rim
    ("number", "i8"),
    ("longest", "f8"),         # edge [m]
])


@inline
def is_solid(s, pool):
    """True if the surface pushes outwards only."""
    return s.kind == FIELD or pool.integers[pool.table[s.geometry].integer] == 1


@routine
def start(w, s, pool):
    """Begin with the box w.lo, w.hi."""
    g = pool.table[s.geometry]
    w.node, w.at, w.end = 0, 0, 0
    if s.kind == FIELD:
        n, m = pool.integers[g.integer], pool.integers[g.integer + 1]
        dx, dy = pool.numbers[g.number], pool.numbers[g.number + 1]
        x, y = 0.5 * (n - 1), 0.5 * (m - 1)
        w.node = max(math.floor(max(w.lo[0] / dx + x, -1.0)), 0) - 1
        w.row = min(math.floor(min(w.hi[0] / dx + x, n - 1.0)), n - 2) + 1
        w.low = max(math.floor(max(w.lo[1] / dy + y, -1.0)), 0)
        w.high = min(math.floor(min(w.hi[1] / dy + y, m - 1.0)), m - 2) + 1
        if w.hi[0] < -s.dims[0] or w.lo[0] > s.dims[0] or w.hi[1] < -s.dims[1] or w.lo[1] > s.dims[1]:
            w.row = w.node + 1


@routine
def following(w, s, pool):
    """Number of the next triangle whose box is met; -1 after the last one."""
    g = pool.table[s.geometry]
    if s.kind == FIELD:
        m = pool.integers[g.integer + 1]
        while True:
            if w.at >= w.end:
                w.node += 1
                if w.node >= w.row or w.low >= w.high:
                    return -1
                w.at, w.end = 2 * (w.node * (m - 1) + w.low), 2 * (w.node * (m - 1) + w.high)
            cell = w.at // 2
            corner = g.number + 2 + w.node * m + (cell - w.node * (m - 1))
            z = pool.numbers
            if max(z[corner], z[corner + 1], z[corner + m], z[corner + m + 1]) < w.lo[2]:
                w.at = 2 * cell + 2
                continue
            w.at += 1
            return w.at - 1
    while True:
        while w.at < w.end:
            t = w.at
            w.at += 1
            if meets(w, s, pool, t):
                return t
        if w.node >= g.nodes:
            return -1
        node = pool.nodes[g.node + w.node]
        met = True
        for k in range(3):
            met = met and node.lo[k] <= w.hi[k] and node.hi[k] >= w.lo[k]
        if node.count == 0:
            w.node = w.node + 1 if met else node.first
        else:
            w.node += 1
            if met:
                w.at, w.end = node.first, node.first + node.count


@routine
def meets(w, s, pool, t):
    """True if the box of a mesh's triangle meets that of the walk."""
    g = pool.table[s.geometry]
    for k in range(3):
        a = pool.vertices[g.vertex + pool.triangles[g.triangle + t, 0], k]
        b = pool.vertices[g.vertex + pool.triangles[g.triangle + t, 1], k]
        c = pool.vertices[g.vertex + pool.triangles[g.triangle + t, 2], k]
        if min(a, b, c) > w.hi[k] or max(a, b, c) < w.lo[k]:
            return False
    return True


@routine
def fetch(f, s, pool, t):
    """Write triangle t of the surface to f."""
    g = pool.table[s.geometry]
    f.number = t
    if s.kind == FIELD:
        n, m = pool.integers[g.integer], pool.integers[g.integer + 1]
        cell, upper = t // 2, t % 2
        i, j = cell // (m - 1), cell % (m - 1)
        vec.assign(f.corner[0], point(n, m, pool.numbers, g.number, i, j))
        vec.assign(f.corner[2 - upper], point(n, m, pool.numbers, g.number, i + 1, j + 1))
        if upper:
            vec.assign(f.corner[2], point(n, m, pool.numbers, g.number, i, j + 1))
            f.near[0] = t - 1
            f.near[1] = t + 1 if j < m - 2 else -1
            f.near[2] = t - 1 - 2 * (m - 1) if i > 0 else -1
        else:
            vec.assign(f.corner[1], point(n, m, pool.numbers, g.number, i + 1, j))
            f.near[0] = t - 1 if j > 0 else -1
            f.near[1] = t + 1 + 2 * (m - 1) if i < n - 2 else -1
            f.near[2] = t + 1
    else:
        for k in range(3):
            vec.assign(f.corner[k], pool.vertices[g.vertex + pool.triangles[g.triangle + t, k]])
            f.near[k] = pool.integers[g.integer + 1 + 3 * t + k]
    e0, e1 = vec.sub(f.corner[1], f.corner[0]), vec.sub(f.corner[2], f.corner[0])
    e2 = vec.sub(e1, e0)
    vec.assign(f.normal, vec.unit(vec.cross(e0, e1)))
    f.longest = math.sqrt(max(vec.dot(e0, e0), vec.dot(e1, e1), vec.dot(e2, e2)))
