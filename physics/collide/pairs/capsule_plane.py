"""A capsule over a half space: its two end balls.

    gap_i = z . (e_i - x_b) - r,  e_i = x_a -+ l d
"""

from physics.collide.pairs import _points
from physics.core import mat3, vec
from physics.core.jit import kernel

KINDS = ("capsule", "plane")


@kernel
def collide(shapes, pairs, manifolds):
    """Up to two points; feature: the end (0: lower z of the capsule's frame)."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        up, axis = mat3.column(b.rot, 2), mat3.column(a.rot, 2)
        vec.assign(m.normal, vec.scale(up, -1.0))
        for end in range(2):
            e = vec.madd(a.pos, axis, (2 * end - 1) * a.dims[1])
            gap = vec.dot(up, vec.sub(e, b.pos)) - a.dims[0]
            if gap <= a.reach + b.reach:
                _points.put(m, vec.madd(e, up, -(a.dims[0] + 0.5 * gap)), gap, end)
