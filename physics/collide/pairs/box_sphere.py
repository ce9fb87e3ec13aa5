"""Contact of a box and a ball: the ball against the nearest point of the box, in the box's frame.

    q = R_a^T (x_b - x_a),  p = clamp(q, -h, h),  gap = |q - p| - r
    centre inside: out through the nearest face k,  gap = |q_k| - h_k - r
"""

from physics.collide.pairs import _points
from physics.core import contact_points, mat3, vec
from physics.core.jit import kernel

KINDS = ("box", "sphere")


@kernel
def collide(shapes, pairs, manifolds):
    """One point."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        h = a.dims
        q = mat3.apply_transposed(a.rot, vec.sub(b.pos, a.pos))
        p = (_points.clamp(q[0], h[0]), _points.clamp(q[1], h[1]), _points.clamp(q[2], h[2]))
        d = vec.sub(q, p)
        distance = vec.norm(d)
        n = vec.unit(d)
        if distance == 0.0:
            x, y, z = abs(q[0]) - h[0], abs(q[1]) - h[1], abs(q[2]) - h[2]
            distance = max(x, y, z)
            if distance == z:
                n = (0.0, 0.0, 1.0 if q[2] >= 0.0 else -1.0)
            elif distance == y:
                n = (0.0, 1.0 if q[1] >= 0.0 else -1.0, 0.0)
            else:
                n = (1.0 if q[0] >= 0.0 else -1.0, 0.0, 0.0)
        gap = distance - b.dims[0]
        if gap > a.reach + b.reach:
            continue
        n = mat3.apply(a.rot, n)
        vec.assign(m.normal, n)
        contact_points.put(m, vec.madd(b.pos, n, -(b.dims[0] + 0.5 * gap)), gap, 0)
