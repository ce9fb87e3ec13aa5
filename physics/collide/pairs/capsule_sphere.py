"""Contact of a capsule and a ball: the ball against the nearest point p of the capsule's axis.

    p = x_a + s d, s = clamp(d . (x_b - x_a), -l, l)        gap = |x_b - p| - r_a - r_b
"""

from physics.collide.pairs import _points
from physics.core import contact_points, mat3, vec
from physics.core.jit import kernel

KINDS = ("capsule", "sphere")


@kernel
def collide(shapes, pairs, manifolds):
    """One point; a centre on the axis is pushed out at right angles to the axis."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        axis = mat3.column(a.rot, 2)
        s = _points.clamp(vec.dot(axis, vec.sub(b.pos, a.pos)), a.dims[1])
        p = vec.madd(a.pos, axis, s)
        d = vec.sub(b.pos, p)
        distance = vec.norm(d)
        gap = distance - a.dims[0] - b.dims[0]
        if gap > a.reach + b.reach:
            continue
        n = vec.unit(d)
        if distance == 0.0:
            n, _ = vec.tangents(axis)
        vec.assign(m.normal, n)
        contact_points.put(m, vec.madd(p, n, a.dims[0] + 0.5 * gap), gap, 0)
