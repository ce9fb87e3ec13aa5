"""Writing a manifold, and the closest points of two line segments: shared by the pair kernels.

Segments: Ericson, Real-Time Collision Detection (2005), section 5.1.9, with both segments given by centre, unit direction
and half length.
"""

from physics.core import vec
from physics.core.jit import inline, routine

PARALLEL = 1e-12
"""Squared sine below which two directions count as exactly parallel: the 2 x 2 system would lose all its digits."""


@inline
def begin(m, a, b):
    """Name the pair and empty the manifold."""
    m.shape_a = a
    m.shape_b = b
    m.count = 0
    m.more = 0
    m.late = 0
    m.shift[0] = 0.0
    m.shift[1] = 0.0
    m.shift[2] = 0.0


@inline
def put(m, point, gap, feature):
    """Append a point; the caller sees to it that there are at most four."""
    k = m.count
    m.pos[k, 0] = point[0]
    m.pos[k, 1] = point[1]
    m.pos[k, 2] = point[2]
    m.gap[k] = gap
    m.feature[k] = feature
    m.count = k + 1


@inline
def clamp(x, limit):
    return min(max(x, -limit), limit)


@routine
def closest(r, da, la, db, lb):
    """Parameters (s, u) of the closest points s da and r + u db, |s| <= la, |u| <= lb; r from centre a to centre b."""
    c = vec.dot(da, db)
    ra, rb = vec.dot(da, r), vec.dot(db, r)
    sine2 = 1.0 - c * c
    s = clamp((ra - c * rb) / sine2, la) if sine2 > PARALLEL else clamp(ra, la)
    u = c * s - rb
    if abs(u) > lb:
        u = clamp(u, lb)
        s = clamp(c * u + ra, la)
    return s, u
