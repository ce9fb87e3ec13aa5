"""Closest points of two line segments, for the pair kernels.

Ericson, Real-Time Collision Detection (2005), section 5.1.9, with both segments given by centre, unit direction and half length.
"""

from physics.core import vec
from physics.core.jit import inline, routine

PARALLEL_SINE2 = 1e-12
"""Squared sine below which two directions count as exactly parallel: the 2 x 2 system would lose all its digits."""


@inline
def clamp(x, limit):
    return min(max(x, -limit), limit)


@routine
def closest(r, da, la, db, lb):
    """Parameters (s, u) of the closest points s da and r + u db, |s| <= la, |u| <= lb; r from centre a to centre b."""
    c = vec.dot(da, db)
    ra, rb = vec.dot(da, r), vec.dot(db, r)
    sine2 = 1.0 - c * c
    s = clamp((ra - c * rb) / sine2, la) if sine2 > PARALLEL_SINE2 else clamp(ra, la)
    u = c * s - rb
    if abs(u) > lb:
        u = clamp(u, lb)
        s = clamp(c * u + ra, la)
    return s, u
