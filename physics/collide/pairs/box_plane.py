"""A box over a half space: its lowest corners.

    gap_c = z . (x_a + R_a c - x_b),  c = (+-h_x, +-h_y, +-h_z)

If more than four corners are in reach (a thin plate, a small box, a long step) the four corners of the face that looks at the
plane most squarely are taken: they hold the deepest corner and span the largest area seen from above.
"""

from physics.collide.pairs import _points
from physics.core import mat3, vec
from physics.core.jit import kernel, routine

KINDS = ("box", "plane")
SQUARE = 1e-3
"""How much squarer a later axis must look at the plane to be preferred: equal ones must not take turns."""


@routine
def corners(m, a, origin, up, reach, axis, side):
    """Write the corners in reach; axis >= 0: only those of the face (axis, side). Returns how many there are."""
    found = 0
    for corner in range(8):
        if axis >= 0 and (corner >> axis & 1) != side:
            continue
        c = (a.dims[0] if corner & 1 else -a.dims[0],
             a.dims[1] if corner & 2 else -a.dims[1],
             a.dims[2] if corner & 4 else -a.dims[2])
        p = vec.add(a.pos, mat3.apply(a.rot, c))
        gap = vec.dot(up, vec.sub(p, origin))
        if gap > reach:
            continue
        found += 1
        if found <= 4:
            _points.put(m, vec.madd(p, up, -0.5 * gap), gap, corner)
    return found


@kernel
def collide(shapes, pairs, manifolds):
    """Up to four points; feature: the corner, bit k set on the positive side of axis k."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        up = mat3.column(b.rot, 2)
        reach = a.reach + b.reach
        n = mat3.apply_transposed(a.rot, up)
        lowest = vec.dot(up, vec.sub(a.pos, b.pos)) - abs(n[0]) * a.dims[0] - abs(n[1]) * a.dims[1] - abs(
            n[2]) * a.dims[2]
        if lowest > reach:
            continue
        vec.assign(m.normal, vec.scale(up, -1.0))
        if corners(m, a, b.pos, up, reach, -1, 0) > 4:
            axis = 0
            for j in range(1, 3):
                if abs(n[j]) > abs(n[axis]) + SQUARE:
                    axis = j
            m.count = 0
            corners(m, a, b.pos, up, reach, axis, 0 if n[axis] >= 0.0 else 1)
