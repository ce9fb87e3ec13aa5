"""A cone over a half space: the rim it stands on, or the ends of the line it lies on: a point of the rim, and the apex.

    lowest point of the rim:   c - r d_xy / |d_xy|,   d = R_a^T up
"""

from physics.collide.pairs import _points, _rim
from physics.core import mat3, vec
from physics.core.jit import kernel

KINDS = ("cone", "plane")
STANDS = 0.7
"""Cosine between axis and up from which on it counts as standing."""


@kernel
def collide(shapes, pairs, manifolds):
    """Up to four points of the rim (feature: _rim.py), or its lowest one (4) and the apex (5)."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        up, reach = mat3.column(b.rot, 2), a.reach + b.reach
        d = mat3.apply_transposed(a.rot, up)
        base = -0.25 * a.dims[1]
        vec.assign(m.normal, vec.scale(up, -1.0))
        if d[2] >= STANDS:
            _rim.standing(m, a, b.pos, up, reach, d, base)
            continue
        x, y = _rim.lowest(d)
        _rim.put(m, a, b.pos, up, reach, a.dims[0] * x, a.dims[0] * y, base, 4)
        _rim.put(m, a, b.pos, up, reach, 0.0, 0.0, 0.75 * a.dims[1], 5)
