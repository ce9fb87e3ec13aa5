"""An ellipsoid with half axes a, b, c along x, y, z.

    V = 4/3 pi a b c        I_x = m (b^2 + c^2) / 5, cyclically
    bounds: |R D|, row by row, D = diag(a, b, c)
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind, take_triple
from physics.shapes._mesh import latitude_longitude
from physics.shapes._ray import sphere_hit


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid. half: half axes along x, y, z [m]."""

    half: tuple[float, float, float]
    kind: ClassVar[str] = "ellipsoid"

    def __post_init__(self) -> None:
        take_triple(self, "half")

    @property
    def dims(self) -> tuple[float, float, float]:
        return self.half

    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * math.prod(self.half)

    def inertia(self, mass: float) -> np.ndarray:
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


def mesh() -> Mesh:
    """The unit ball stretched along the axes."""
    normals, triangles, _ = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    for k in range(3):
        basis[:, k, k] = normals[:, k]
    return Mesh(basis, normals, triangles, stretch=(0, 1, 2))


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the ellipsoid, inf if missed: a ray to the unit ball, in coordinates divided by the half axes."""
    along = direction / dims
    size = float(np.linalg.norm(along))
    return sphere_hit(origin / dims, along / size, 1.0) / size


SHAPE = ShapeKind(make=lambda dims: Ellipsoid(tuple(map(float, dims))), bounds=bounds, mesh=mesh, ray=ray)
