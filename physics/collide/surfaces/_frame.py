"""Placement of a shape and its box in the frame of a surface."""

from physics.core import mat3, vec
from physics.core.jit import routine


@routine
def enter(local, x, s):
    """local: the shape x in the frame of the surface s."""
    local.kind, local.geometry, local.rounding = x.kind, x.geometry, x.rounding
    vec.assign(local.dims, x.dims)
    vec.assign(local.pos, mat3.apply_transposed(s.rot, vec.sub(x.pos, s.pos)))
    for k in range(3):
        vec.assign(local.rot[k], mat3.apply_transposed(x.rot, mat3.column(s.rot, k)))


@routine
def swept_box(w, x, s, path, grow):
    """w.lo, w.hi: the box x.lo, x.hi along a straight path (3,), grown all round (or shrunk), in the frame of the surface s."""
    for k in range(3):
        axis = mat3.column(s.rot, k)
        middle, half, way = 0.0, 0.0, vec.dot(axis, path)
        for i in range(3):
            middle += axis[i] * (0.5 * (x.lo[i] + x.hi[i]) - s.pos[i])
            half += abs(axis[i]) * (0.5 * (x.hi[i] - x.lo[i]) + grow)
        w.lo[k], w.hi[k] = middle - half + min(way, 0.0), middle + half + max(way, 0.0)
