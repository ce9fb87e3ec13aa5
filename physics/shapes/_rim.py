"""Contact of a circular rim with a half space, by four of its points.

    p_k = c + r (cos phi_k e_1 + sin phi_k e_2),   phi_k = k 90 deg

The points are fixed in the shape, so that they persist while it stands or spins; the one nearest to the lowest point of the rim
moves towards it with growing tilt, as in _feature.py (1), so that it rolls without corners. From half of
the way on it gets a feature of its own: a rolling rim keeps its impulses.
"""

import math

from physics.core import contact_points, mat3, vec
from physics.core.jit import routine

TILT = 1e-3
"""Sine of the tilt at which the nearest point is half way to the lowest."""

LOWEST = 6
"""Feature of the lowest point of a tilted rim."""


@routine
def lowest(d):
    """Direction in the rim's plane to its lowest point; d: up in the frame of the shape. (1, 0) if level."""
    size = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if size == 0.0:
        return 1.0, 0.0
    return -d[0] / size, -d[1] / size


@routine
def put(m, a, origin, up, reach, x, y, z, feature):
    """Append a point in the frame of the shape, if it is in reach."""
    p = vec.add(a.pos, mat3.apply(a.rot, (x, y, z)))
    gap = vec.dot(up, vec.sub(p, origin))
    if gap <= reach:
        contact_points.put(m, vec.madd(p, up, -0.5 * gap), gap, feature)


@routine
def standing(m, a, origin, up, reach, d, z):
    """Four points of the rim at height z of the shape; feature: k, or LOWEST. d: up in the frame of the shape."""
    s2 = d[0] * d[0] + d[1] * d[1]
    low = lowest(d)
    share = s2 / (s2 + TILT * TILT)
    nearest = (0 if low[0] > 0.0 else 2) if abs(low[0]) >= abs(low[1]) else (1 if low[1] > 0.0 else 3)
    for k in range(4):
        x, y = (1.0 - k if k % 2 == 0 else 0.0), (2.0 - k if k % 2 == 1 else 0.0)
        if k == nearest:
            x, y = x + share * (low[0] - x), y + share * (low[1] - y)
            size = math.sqrt(x * x + y * y)
            x, y = x / size, y / size
        feature = LOWEST if k == nearest and share > 0.5 else k
        put(m, a, origin, up, reach, a.dims[0] * x, a.dims[0] * y, z, feature)
