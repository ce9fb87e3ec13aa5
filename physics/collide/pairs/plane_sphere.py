"""A ball over a half space.

    n = z axis of the plane        gap = n . (x_b - x_a) - r
"""

from physics.collide.pairs import _points
from physics.core import mat3, vec
from physics.core.jit import kernel

KINDS = ("plane", "sphere")


@kernel
def collide(shapes, pairs, manifolds):
    """One point below the centre."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        n = mat3.column(a.rot, 2)
        gap = vec.dot(n, vec.sub(b.pos, a.pos)) - b.dims[0]
        if gap > a.reach + b.reach:
            continue
        vec.assign(m.normal, n)
        _points.put(m, vec.madd(b.pos, n, -(b.dims[0] + 0.5 * gap)), gap, 0)
