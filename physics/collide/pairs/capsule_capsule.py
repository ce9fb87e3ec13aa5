"""Contact of two capsules: the closest points of their axes; nearly parallel ones touch at both ends of the common stretch.

    gap = |p_b - p_a| - r_a - r_b;   second point: gap = n . (x_b + u d_b - x_a - s d_a) - r_a - r_b

On nearly parallel axes n is (almost) orthogonal to both, so the gap varies linearly along the stretch and its ends suffice.
"""

from physics.collide.pairs import _points
from physics.core import contact_points, mat3, vec
from physics.core.jit import kernel, routine

KINDS = ("capsule", "capsule")
SINE2 = 0.035**2
"""Squared sine of the angle below which two points are used: 2 degrees."""


@routine
def part(da, db, r):
    """A unit vector from a to b for intersecting axes: orthogonal to both, or to the one if they are parallel."""
    n = vec.cross(da, db)
    if vec.dot(n, n) <= _points.PARALLEL_SINE2:
        n, _ = vec.tangents(da)
    n = vec.unit(n)
    return n if vec.dot(n, r) >= 0.0 else vec.scale(n, -1.0)


@routine
def stretch(m, a, b, da, db, r, n, reach):
    """Append both ends of the stretch of a's axis that b's axis covers; feature: the end of a (1, 2)."""
    c = vec.dot(da, db)
    middle, half = vec.dot(da, r), abs(c) * b.dims[1]
    lo, hi = max(-a.dims[1], middle - half), min(a.dims[1], middle + half)
    if lo > hi:
        return
    for end in range(2):
        s = hi if end else lo
        u = _points.clamp((s - middle) / c, b.dims[1])
        q = vec.sub(vec.madd(r, db, u), vec.scale(da, s))
        gap = vec.dot(n, q) - a.dims[0] - b.dims[0]
        if gap <= reach:
            contact_points.put(m, vec.madd(vec.madd(a.pos, da, s), n, a.dims[0] + 0.5 * gap), gap, 1 + end)


@kernel
def collide(shapes, pairs, manifolds):
    """One point (feature 0), or two."""
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        da, db = mat3.column(a.rot, 2), mat3.column(b.rot, 2)
        r = vec.sub(b.pos, a.pos)
        s, u = _points.closest(r, da, a.dims[1], db, b.dims[1])
        d = vec.sub(vec.madd(r, db, u), vec.scale(da, s))
        distance = vec.norm(d)
        gap = distance - a.dims[0] - b.dims[0]
        reach = a.reach + b.reach
        if gap > reach:
            continue
        n = vec.unit(d) if distance > 1e-9 * (a.dims[0] + b.dims[0]) else part(da, db, r)
        vec.assign(m.normal, n)
        cross = vec.cross(da, db)
        # Beyond an end the normal leans along the axes: no common stretch, only the two end balls.
        if vec.dot(cross, cross) < SINE2 and max(abs(vec.dot(n, da)), abs(vec.dot(n, db))) < 0.04:
            stretch(m, a, b, da, db, r, n, reach)
        if m.count == 0:
            contact_points.put(m, vec.madd(vec.madd(a.pos, da, s), n, a.dims[0] + 0.5 * gap), gap, 0)
