"""A cylinder along z with radius r and half length l.

    V = 2 pi r^2 l        I_z = m r^2 / 2,   I_x = I_y = m (r^2 / 4 + l^2 / 3)
    bounds along the unit axis e, with the cylinder's axis a:  l |a . e| + r sqrt(1 - (a . e)^2)
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind
from physics.shapes._mesh import disc, joined, side
from physics.shapes._ray import cylinder_side, disc_hit


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along its z axis. radius [m]; half_length [m]."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "cylinder"

    @property
    def dims(self) -> tuple[float, float, float]:
        return (self.radius, self.half_length, 0.0)

    def volume(self) -> float:
        return 2.0 * math.pi * self.radius**2 * self.half_length

    def inertia(self, mass: float) -> np.ndarray:
        r2, l2 = self.radius**2, self.half_length**2
        i_x = mass * (r2 / 4.0 + l2 / 3.0)
        return np.array([i_x, i_x, mass * r2 / 2.0])


@kernel
def bounds(shapes, index):
    """lo, hi of the listed cylinders, without margin."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            a = s.rot[k, 2]
            e = s.dims[1] * abs(a) + s.dims[0] * math.sqrt(max(1.0 - a * a, 0.0))
            s.lo[k] = s.pos[k] - e
            s.hi[k] = s.pos[k] + e


def mesh() -> Mesh:
    """The side and two discs with normals of their own, so that the rims are sharp."""
    low, high = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)
    return joined(side(low, high, pointed=False), disc(high, up=True), disc(low, up=False))


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the cylinder, inf if missed; 0 from inside."""
    radius, half_length = dims[0], dims[1]
    if math.hypot(origin[0], origin[1]) <= radius and abs(origin[2]) <= half_length:
        return 0.0
    best = min(disc_hit(origin, direction, radius, z) for z in (-half_length, half_length))
    t = cylinder_side(origin, direction, radius)
    return min(best, t) if abs(origin[2] + t * direction[2]) <= half_length else best


SHAPE = ShapeKind(make=lambda dims: Cylinder(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh, ray=ray)
