"""A box with half extents (x, y, z).

    V = 8 x y z        I_x = m (y^2 + z^2) / 3, cyclically
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind, take_triple


@dataclass(frozen=True)
class Box:
    """A box. half: half extents along its axes [m]."""

    half: tuple[float, float, float]
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        take_triple(self, "half")

    @property
    def dims(self) -> tuple[float, float, float]:
        return self.half

    def volume(self) -> float:
        return 8.0 * math.prod(self.half)

    def inertia(self, mass: float) -> np.ndarray:
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


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the box (slab method), inf if missed; 0 from inside."""
    near, far = 0.0, math.inf
    for o, d, h in zip(origin, direction, dims):
        if d == 0.0:
            if abs(o) > h:
                return math.inf
            continue
        t0, t1 = sorted(((-h - o) / d, (h - o) / d))
        near, far = max(near, t0), min(far, t1)
    return near if near <= far else math.inf


SHAPE = ShapeKind(make=lambda dims: Box(tuple(map(float, dims))), bounds=bounds, mesh=mesh, ray=ray)
