"""A ball of radius r.

    V = 4/3 pi r^3        I = 2/5 m r^2 on every axis
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import contact_points, vec
from physics.core.jit import inline, kernel
from physics.shapes import Convex, Mesh, ShapeKind
from physics.shapes._mesh import latitude_longitude


@dataclass(frozen=True)
class Sphere:
    """A ball. radius [m]."""

    radius: float
    kind: ClassVar[str] = "sphere"

    @property
    def dims(self) -> tuple[float, float, float]:
        """(radius, 0, 0) [m]."""
        return (self.radius, 0.0, 0.0)

    def volume(self) -> float:
        """[m^3]."""
        return 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
        return np.full(3, 0.4 * mass * self.radius**2)


@kernel
def bounds(shapes, index):
    """lo, hi of the listed spheres, without margin."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            s.lo[k] = s.pos[k] - s.dims[0]
            s.hi[k] = s.pos[k] + s.dims[0]


@inline
def on_plane(s, m, origin, up, reach):
    """One point below the centre."""
    gap = vec.dot(up, vec.sub(s.pos, origin)) - s.dims[0]
    if gap <= reach:
        contact_points.put(m, vec.madd(s.pos, up, -(s.dims[0] + 0.5 * gap)), gap, 0)


def mesh() -> Mesh:
    """Unit ball times r."""
    normals, triangles, _ = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    basis[:, :, 0] = normals
    return Mesh(basis, normals, triangles)


@inline
def support(core, pool, d):
    """The centre."""
    return (0.0, 0.0, 0.0)


SHAPE = ShapeKind(make=lambda dims: Sphere(float(dims[0])), bounds=bounds, mesh=mesh,
                  convex=Convex(support, on_plane=on_plane, ball=True), symmetry=3,
                  sizes=("radius",), order=30)
