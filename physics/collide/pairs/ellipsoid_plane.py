"""An ellipsoid over a half space: its lowest point, exactly, so that it rolls smoothly.

    p = -D^2 m / |D m|,   m = R_a^T z,  D = diag(half axes)        gap = z . (x_a - x_b) - |D m|
"""

import math

from physics.collide.pairs import _points
from physics.core import mat3, vec
from physics.core.jit import kernel

KINDS = ("ellipsoid", "plane")


@kernel
def collide(shapes, pairs, manifolds):
    """One point."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        up = mat3.column(b.rot, 2)
        d = mat3.apply_transposed(a.rot, up)
        e = (a.dims[0] * d[0], a.dims[1] * d[1], a.dims[2] * d[2])
        depth = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        gap = vec.dot(up, vec.sub(a.pos, b.pos)) - depth
        if gap > a.reach + b.reach:
            continue
        lowest = mat3.apply(a.rot, (-a.dims[0] * e[0] / depth, -a.dims[1] * e[1] / depth, -a.dims[2] * e[2] / depth))
        vec.assign(m.normal, vec.scale(up, -1.0))
        _points.put(m, vec.madd(vec.add(a.pos, lowest), up, -0.5 * gap), gap, 0)
