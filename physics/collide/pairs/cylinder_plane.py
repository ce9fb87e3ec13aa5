"""A cylinder over a half space: the rim it stands on, or the ends of the line it lies on.

    lowest point of the rim at height z:   c_z - r d_xy / |d_xy|,   d = R_a^T up

Exact at any tilt: there is no facet to roll over.
"""

from physics.collide.pairs import _points, _rim
from physics.core import mat3, vec
from physics.core.jit import kernel

KINDS = ("cylinder", "plane")
STANDS = 0.7
"""Cosine between axis and up from which on it counts as standing: the other rim is out of reach then."""


@kernel
def collide(shapes, pairs, manifolds):
    """Up to four points of the rim it stands on (feature: _rim.py), or one of each rim (4: lower z of its frame; 5)."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        up, reach = mat3.column(b.rot, 2), a.reach + b.reach
        d = mat3.apply_transposed(a.rot, up)
        vec.assign(m.normal, vec.scale(up, -1.0))
        if abs(d[2]) >= STANDS:
            _rim.standing(m, a, b.pos, up, reach, d, -a.dims[1] if d[2] > 0.0 else a.dims[1])
            continue
        x, y = _rim.lowest(d)
        for end in range(2):
            _rim.put(m, a, b.pos, up, reach, a.dims[0] * x, a.dims[0] * y, (2 * end - 1) * a.dims[1], 4 + end)
