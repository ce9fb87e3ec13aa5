"""A box with half extents (x, y, z).

    V = 8 x y z        I_x = m (y^2 + z^2) / 3, cyclically
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.shapes import HALVES, Convex, Mesh, ShapeKind, as_triple
from physics.shapes._feature import ALIGNMENT_PREFERENCE, EDGE, extent_along, put


@dataclass(frozen=True)
class Box:
    """A box. half: half extents along its axes [m]."""

    half: tuple[float, float, float]
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        as_triple(self, "half")

    @property
    def dims(self) -> tuple[float, float, float]:
        """Half extents along x, y, z [m]."""
        return self.half

    def volume(self) -> float:
        """[m^3]."""
        return 8.0 * math.prod(self.half)

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
        x2, y2, z2 = np.square(self.half)
        return mass / 3.0 * np.array([y2 + z2, x2 + z2, x2 + y2])


@kernel
def bounds(shapes, index):
    """lo, hi of the listed boxes, without margin: the half extents projected on the world axes."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            e = abs(s.rot[k, 0]) * s.dims[0] + abs(s.rot[k, 1]) * s.dims[1] + abs(s.rot[k, 2]) * s.dims[2]
            s.lo[k] = s.pos[k] - e
            s.hi[k] = s.pos[k] + e


@routine
def put_corners(m, s, origin, up, reach, axis, side):
    """Append the corners in reach; axis >= 0: only those of the face (axis, side). Returns their number."""
    found = 0
    for corner in range(8):
        if axis >= 0 and (corner >> axis & 1) != side:
            continue
        c = (s.dims[0] if corner & 1 else -s.dims[0],
             s.dims[1] if corner & 2 else -s.dims[1],
             s.dims[2] if corner & 4 else -s.dims[2])
        p = vec.add(s.pos, mat3.apply(s.rot, c))
        gap = vec.dot(up, vec.sub(p, origin))
        if gap > reach:
            continue
        found += 1
        if found <= 4:
            contact_points.put(m, vec.madd(p, up, -0.5 * gap), gap, corner)
    return found


@inline
def on_plane(s, m, origin, up, reach):
    """Up to four corners; feature: the corner, bit k set on the positive side of axis k.

    If more are in reach (a thin plate, a small box, a long step) they are those of the face best aligned with the plane: they
    include the deepest corner and span the largest area seen from above.
    """
    n = mat3.apply_transposed(s.rot, up)
    lowest = vec.dot(up, vec.sub(s.pos, origin)) - abs(n[0]) * s.dims[0] - abs(n[1]) * s.dims[1] - abs(n[2]) * s.dims[2]
    if lowest > reach:
        return
    if put_corners(m, s, origin, up, reach, -1, 0) > 4:
        axis = 0
        for j in range(1, 3):
            if abs(n[j]) > abs(n[axis]) + ALIGNMENT_PREFERENCE:
                axis = j
        m.count = 0
        put_corners(m, s, origin, up, reach, axis, 0 if n[axis] >= 0.0 else 1)


def mesh() -> Mesh:
    """Six faces with flat normals."""
    basis, normals, triangles = [], [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (1.0, -1.0):
            first = len(basis)
            for su, sv in ((-1, -1), (side, -side), (1, 1), (-side, side)):
                corner = np.zeros(3)
                corner[[axis, u, v]] = side, su, sv
                basis.append(np.diag(corner))
                normals.append(np.eye(3)[axis] * side)
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return Mesh(np.array(basis), np.array(normals), np.array(triangles))


@inline
def support(core, pool, d):
    """x + sum_k sign(d_k) h_k e_k"""
    h = core.dims
    return (extent_along(d[0], h[0]), extent_along(d[1], h[1]), extent_along(d[2], h[2]))


@routine
def feature(core, pool, m, f, facing):
    """Face, edge or corner. Bit k of a corner's number: positive side of axis k."""
    h = core.dims
    axis, straight = 0, 0
    for k in range(1, 3):
        if abs(m[k]) > abs(m[axis]) + ALIGNMENT_PREFERENCE:
            axis = k
        if abs(m[k]) < abs(m[straight]) - ALIGNMENT_PREFERENCE:
            straight = k
    count = 4 if abs(m[axis]) >= facing else (2 if abs(m[straight]) <= EDGE else 1)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    base = (1 if m[0] >= 0.0 else 0) | (2 if m[1] >= 0.0 else 0) | (4 if m[2] >= 0.0 else 0)
    up = base >> axis & 1
    for n in range(count):
        corner = base
        if count == 4:
            first, second = 1 if n == 1 or n == 2 else 0, 1 if n >= 2 else 0
            corner = up << axis | (first if up else second) << i | (second if up else first) << j
        elif count == 2:
            corner = (base & ~(1 << straight)) | n << straight
        put(core, f, h[0] if corner & 1 else -h[0], h[1] if corner & 2 else -h[1], h[2] if corner & 4 else -h[2], corner)
    if count == 4:
        vec.assign(f.normal, vec.scale(mat3.column(core.rot, axis), 1.0 if up else -1.0))


SHAPE = ShapeKind(make=lambda dims: Box(tuple(map(float, dims))), bounds=bounds, mesh=mesh,
                  convex=Convex(support, feature, on_plane=on_plane),
                  sizes=HALVES, order=10)
