"""An ellipsoid with half axes a, b, c along x, y, z.

    V = 4/3 pi a b c        I_x = m (b^2 + c^2) / 5, cyclically
    bounds: |R D|, row by row, D = diag(a, b, c)
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel
from physics.shapes import HALVES, Convex, Mesh, ShapeKind, as_triple
from physics.shapes._mesh import latitude_longitude


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid. half: half axes along x, y, z [m]."""

    half: tuple[float, float, float]
    kind: ClassVar[str] = "ellipsoid"

    def __post_init__(self) -> None:
        as_triple(self, "half")

    @property
    def dims(self) -> tuple[float, float, float]:
        """Half axes along x, y, z [m]."""
        return self.half

    def volume(self) -> float:
        """[m^3]."""
        return 4.0 / 3.0 * math.pi * math.prod(self.half)

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
        a2, b2, c2 = np.square(self.half)
        return mass / 5.0 * np.array([b2 + c2, a2 + c2, a2 + b2])


@kernel
def bounds(shapes, index):
    """lo, hi of the listed ellipsoids, without margin."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            x, y, z = s.rot[k, 0] * s.dims[0], s.rot[k, 1] * s.dims[1], s.rot[k, 2] * s.dims[2]
            e = math.sqrt(x * x + y * y + z * z)
            s.lo[k] = s.pos[k] - e
            s.hi[k] = s.pos[k] + e


@inline
def on_plane(s, m, origin, up, reach):
    """The exact lowest point, so that it rolls smoothly: -D^2 d / |D d|, d = R^T up; gap = up . (x - origin) - |D d|."""
    d = mat3.apply_transposed(s.rot, up)
    e = (s.dims[0] * d[0], s.dims[1] * d[1], s.dims[2] * d[2])
    depth = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    gap = vec.dot(up, vec.sub(s.pos, origin)) - depth
    if gap <= reach:
        lowest = mat3.apply(s.rot, (-s.dims[0] * e[0] / depth, -s.dims[1] * e[1] / depth, -s.dims[2] * e[2] / depth))
        contact_points.put(m, vec.madd(vec.add(s.pos, lowest), up, -0.5 * gap), gap, 0)


def mesh() -> Mesh:
    """The unit ball stretched along the axes."""
    normals, triangles, _ = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    for k in range(3):
        basis[:, k, k] = normals[:, k]
    return Mesh(basis, normals, triangles, stretch=(0, 1, 2))


@inline
def support(core, pool, d):
    """x + D^2 d / |D d|,  D = diag(half axes)"""
    h = core.dims
    e = (h[0] * d[0], h[1] * d[1], h[2] * d[2])
    size = vec.norm(e)
    if size == 0.0:
        return (0.0, 0.0, h[2])
    return (h[0] * e[0] / size, h[1] * e[1] / size, h[2] * e[2] / size)


@inline
def curvature(core, m, x):
    """H = (D^2 - D^2 m (D^2 m)^T / h^2) / h,   h = |D m|"""
    d = core.dims
    e = (d[0] * d[0] * m[0], d[1] * d[1] * m[1], d[2] * d[2] * m[2])
    h = math.sqrt(vec.dot(e, m))
    along = vec.dot(e, x) / (h * h)
    return ((d[0] * d[0] * x[0] - along * e[0]) / h, (d[1] * d[1] * x[1] - along * e[1]) / h,
            (d[2] * d[2] * x[2] - along * e[2]) / h)


SHAPE = ShapeKind(make=lambda dims: Ellipsoid(tuple(map(float, dims))), bounds=bounds, mesh=mesh,
                  convex=Convex(support, curvature=curvature, on_plane=on_plane),
                  sizes=HALVES, proportions=(1.4, 1.0, 0.7), order=20)
