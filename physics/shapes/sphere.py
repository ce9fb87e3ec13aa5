"""A ball of radius r.

    V = 4/3 pi r^3        I = 2/5 m r^2 on every axis
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind
from physics.shapes._mesh import latitude_longitude
from physics.shapes._ray import sphere_hit


@dataclass(frozen=True)
class Sphere:
    """A ball. radius [m]."""

    radius: float
    kind: ClassVar[str] = "sphere"

    @property
    def dims(self) -> tuple[float, float, float]:
        return (self.radius, 0.0, 0.0)

    def volume(self) -> float:
        return 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self, mass: float) -> np.ndarray:
        return np.full(3, 0.4 * mass * self.radius**2)


@kernel
def bounds(shapes, index):
    """lo, hi of the listed spheres, without margin."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            s.lo[k] = s.pos[k] - s.dims[0]
            s.hi[k] = s.pos[k] + s.dims[0]


def mesh() -> Mesh:
    """Unit ball times r."""
    normals, triangles, _ = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    basis[:, :, 0] = normals
    return Mesh(basis, normals, triangles)


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the ball, inf if missed."""
    return sphere_hit(origin, direction, dims[0])


SHAPE = ShapeKind(make=lambda dims: Sphere(float(dims[0])), bounds=bounds, mesh=mesh, ray=ray)
