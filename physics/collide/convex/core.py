"""Cores of convex shapes: a support function, with a ball of some radius added all round.

    s(d) = the point of the core farthest along d          (any length of d; the same point for the same d)

    triangle   the best vertex; the shapes' own are in their files (`Convex.support`), chosen here by the kind

Components of d are in the frame of the shape. A core is placed relative to an origin near the pair, so that its points do not
lose digits far from the world's origin. Where several points are farthest, the order of the comparisons decides.
"""

import numpy as np

from physics.core import dispatch, mat3, vec
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.shapes import kinds

CONVEX = {number: kind.convex for number, kind in enumerate(kinds().values()) if kind.convex}
"""`Convex` of the kinds of shapes with a core, by SHAPE.kind."""

NAMES = tuple(name for name, kind in kinds().items() if kind.convex)
"""The kinds of shapes that have a core."""

BALL = np.array([bool(kind.convex and kind.convex.ball) for kind in kinds().values()])
GEOMETRIC = np.array([kind.geometric for kind in kinds().values()])
"""By SHAPE.kind: whether dims[0] is the radius of the ball added all round; whether there is geometry in the pool."""

_SUPPORTS = {number: convex.support for number, convex in CONVEX.items()}

TRIANGLE = -1
"""Not a kind of shape: three corners, as of a mesh."""

CORE = record([
    ("kind", "i4"),            # as SHAPE.kind, or TRIANGLE
    ("radius", "f8"),          # of the ball added all round [m]
    ("size", "f8"),            # approximate size of the core [m]
    ("least", "f8"),           # approximate thickness [m]
    ("rot", "f8", (3, 3)),     # shape to world
    ("pos", "f8", 3),          # centre, relative to the origin of the pair [m]
    ("dims", "f8", 3),         # as SHAPE.dims
    ("vertex", "i4"),          # geometric: first vertex in the pool
    ("vertices", "i4"),        # geometric: their number
    ("integer", "i4"),         # geometric: its integers in the pool (physics/shapes/hull.py)
    ("number", "i4"),          # geometric: its numbers in the pool
    ("at", "i4"),              # hull: the last vertex found, where the next search starts
    ("corner", "f8", (3, 3)),  # triangle: its corners, relative to the origin of the pair [m]
])


@routine
def load(core, s, pool, origin):
    """Load the core of a SHAPE record (with up-to-date pos and rot), relative to the origin (3,)."""
    core.kind = s.kind
    core.radius = s.rounding
    vec.assign(core.pos, vec.sub(s.pos, origin))
    for i in range(3):
        vec.assign(core.rot[i], s.rot[i])
    vec.assign(core.dims, s.dims)
    core.size = max(s.dims[0], s.dims[1], s.dims[2])
    core.least = s.dims[0]
    if BALL[s.kind]:
        core.radius += s.dims[0]
        core.size = s.dims[1]
    else:
        for k in range(1, 3):
            if s.dims[k] > 0.0:
                core.least = min(core.least, s.dims[k])
    if GEOMETRIC[s.kind]:
        g = pool.table[s.geometry]
        core.vertex, core.vertices, core.integer, core.number, core.at = g.vertex, g.vertices, g.integer, g.number, 0


@routine
def load_triangle(core, a, b, c, radius, origin):
    """Load the core of a triangle with a radius; its corners in the world frame."""
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


local_support = routine(dispatch.by_kind("local_support", __name__, ("core", "pool", "d"), _SUPPORTS))
"""s(d) in the frame of the shape, for all but triangles."""


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
    """(point of b - a farthest against d, the point of a that belongs to it): first along d from a to b."""
    p = support(a, pool, d)
    return vec.sub(support(b, pool, vec.scale(d, -1.0)), p), p
