"""Contact of two balls: the point lies on the line of centres.

    n = (x_b - x_a) / |x_b - x_a|        gap = |x_b - x_a| - r_a - r_b
"""

from physics.core import contact_points, vec
from physics.core.jit import kernel

KINDS = ("sphere", "sphere")


@kernel
def collide(shapes, pairs, manifolds):
    """One point; concentric balls are pushed apart along z."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        d = vec.sub(b.pos, a.pos)
        gap = vec.norm(d) - a.dims[0] - b.dims[0]
        if gap > a.reach + b.reach:
            continue
        n = vec.unit(d)
        vec.assign(m.normal, n)
        contact_points.put(m, vec.madd(a.pos, n, a.dims[0] + 0.5 * gap), gap, 0)
