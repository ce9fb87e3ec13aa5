"""What the algorithms see of a convex shape: its core, given by a support function, with a ball of some radius added all round.

    s(d) = the point of the core farthest along d          (any length of d; the same point for the same d)

    point      x                                    a sphere's core
    segment    x +- l z                             a capsule's core
    box        x + sum_k sign(d_k) h_k e_k
    cylinder   x + r d_xy / |d_xy| + sign(d_z) l z
    ellipsoid  x + D^2 d / |D d|,  D = diag(half axes)
    cone       apex if d_z H >= r |d_xy| (H the height), else the rim of the base
    hull, triangle    the best vertex

Components of d are taken in the frame of the shape. A core is placed relative to an origin near the pair, so that the digits of
its points are not spent on the world's size. Where several points are farthest, the order of the comparisons decides.
"""

import math

from physics.core import mat3, vec
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.shapes import kinds

NAMES = ("box", "capsule", "cone", "cylinder", "ellipsoid", "hull", "sphere")
"""The kinds of shapes that have a core."""

_ALL = list(kinds())
BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE = (_ALL.index(name) for name in NAMES)
TRIANGLE = -1
"""Not a kind of shape: three corners, as of a mesh."""

CORE = record([
    ("kind", "i4"),            # one of the above
    ("radius", "f8"),          # of the ball added all round [m]
    ("size", "f8"),            # about how large the core is [m]
    ("least", "f8"),           # about how thin it is [m]
    ("rot", "f8", (3, 3)),     # shape to world
    ("pos", "f8", 3),          # centre, relative to the origin of the pair [m]
    ("dims", "f8", 3),         # as SHAPE.dims
    ("vertex", "i4"),          # hull: first vertex in the pool
    ("vertices", "i4"),        # hull: their number
    ("integer", "i4"),         # hull: its lists in the pool (physics/shapes/hull.py)
    ("number", "i4"),          # hull: the planes of its faces in the pool
    ("at", "i4"),              # hull: the vertex found last, where the next search starts
    ("corner", "f8", (3, 3)),  # triangle: its corners, relative to the origin of the pair [m]
])

FEW = 24
"""Hulls of up to so many vertices are searched whole; larger ones from neighbour to neighbour."""


@routine
def load(core, s, pool, origin):
    """The core of a SHAPE record (with fresh pos and rot), relative to the origin (3,)."""
    core.kind = s.kind
    core.radius = s.rounding
    vec.assign(core.pos, vec.sub(s.pos, origin))
    for i in range(3):
        vec.assign(core.rot[i], s.rot[i])
    vec.assign(core.dims, s.dims)
    core.size = max(s.dims[0], s.dims[1], s.dims[2])
    core.least = min(s.dims[0], s.dims[1])
    if s.kind == SPHERE or s.kind == CAPSULE:
        core.radius += s.dims[0]
        core.size = s.dims[1]
        core.least = s.dims[0]
    elif s.kind != CONE and s.kind != CYLINDER:
        core.least = min(core.least, s.dims[2])
    if s.kind == HULL:
        g = pool.table[s.geometry]
        core.vertex, core.vertices, core.integer, core.number, core.at = g.vertex, g.vertices, g.integer, g.number, 0


@routine
def load_triangle(core, a, b, c, radius, origin):
    """The core of a triangle with a radius; its corners in the world frame."""
    core.kind = TRIANGLE
    core.radius = radius
    vec.assign(core.corner[0], vec.sub(a, origin))
    vec.assign(core.corner[1], vec.sub(b, origin))
    vec.assign(core.corner[2], vec.sub(c, origin))
    middle = vec.scale(vec.add(vec.add(core.corner[0], core.corner[1]), core.corner[2]), 1.0 / 3.0)
    vec.assign(core.pos, middle)
    core.size = 0.0
    for i in range(3):
        core.size = max(core.size, vec.norm(vec.sub(core.corner[i], middle)))
    core.least = core.size


@routine
def hull_vertex(core, pool, d):
    """Number of the hull's vertex farthest along d, a direction in the frame of the shape; large hulls: uphill from core.at."""
    v = core.vertex
    if core.vertices <= FEW:
        best, at = vec.dot(pool.vertices[v], d), 0
        for i in range(1, core.vertices):
            reach = vec.dot(pool.vertices[v + i], d)
            if reach > best:
                best, at = reach, i
        return at
    start = core.integer + pool.integers[core.integer + 1]         # where the neighbours of the vertices are listed
    at, best = core.at, vec.dot(pool.vertices[v + core.at], d)
    climbing = True
    while climbing:
        climbing = False
        first, end = pool.integers[start + at], pool.integers[start + at + 1]
        for k in range(core.integer + first, core.integer + end):
            i = pool.integers[k]
            reach = vec.dot(pool.vertices[v + i], d)
            if reach > best:
                best, at, climbing = reach, i, True
    core.at = at
    return at


@inline
def along(x, length):
    return length if x >= 0.0 else -length


@routine
def local_support(core, pool, d):
    """s(d) in the frame of the shape, for all but triangles."""
    h = core.dims
    if core.kind == HULL:
        return vec.copy(pool.vertices[core.vertex + hull_vertex(core, pool, d)])
    if core.kind == BOX:
        return (along(d[0], h[0]), along(d[1], h[1]), along(d[2], h[2]))
    if core.kind == SPHERE:
        return (0.0, 0.0, 0.0)
    if core.kind == CAPSULE:
        return (0.0, 0.0, along(d[2], h[1]))
    if core.kind == ELLIPSOID:
        e = (h[0] * d[0], h[1] * d[1], h[2] * d[2])
        size = vec.norm(e)
        if size == 0.0:
            return (0.0, 0.0, h[2])
        return (h[0] * e[0] / size, h[1] * e[1] / size, h[2] * e[2] / size)
    side = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if core.kind == CONE:
        if d[2] * h[1] >= h[0] * side:
            return (0.0, 0.0, 0.75 * h[1])
        z = -0.25 * h[1]
    else:
        z = along(d[2], h[1])
    if side == 0.0:
        return (h[0], 0.0, z)
    return (h[0] * d[0] / side, h[0] * d[1] / side, z)


@routine
def support(core, pool, d):
    """s(d) relative to the origin of the pair; d in the world frame."""
    if core.kind == TRIANGLE:
        best, at = vec.dot(core.corner[0], d), 0
        for i in range(1, 3):
            reach = vec.dot(core.corner[i], d)
            if reach > best:
                best, at = reach, i
        return vec.copy(core.corner[at])
    return vec.add(core.pos, mat3.apply(core.rot, local_support(core, pool, mat3.apply_transposed(core.rot, d))))


@inline
def difference(a, b, pool, d):
    """(point of b - a farthest against d, the point of a it is made of): what lies first along d, seen from a to b."""
    p = support(a, pool, d)
    return vec.sub(support(b, pool, vec.scale(d, -1.0)), p), p
