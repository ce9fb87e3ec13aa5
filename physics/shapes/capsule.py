"""A capsule: a cylinder along z with half length l between two half balls of radius r.

    V = 2 pi r^2 l + 4/3 pi r^3, mass shared in proportion: m_c (cylinder), m_s (the two half balls)
    I_z = m_c r^2 / 2 + 2/5 m_s r^2
    I_x = I_y = m_c (l^2 / 3 + r^2 / 4) + m_s (2/5 r^2 + l^2 + 3/4 l r)
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
class Capsule:
    """A capsule along its z axis. radius [m]; half_length of the cylindrical part [m]."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "capsule"

    @property
    def dims(self) -> tuple[float, float, float]:
        return (self.radius, self.half_length, 0.0)

    def volume(self) -> float:
        return 2.0 * math.pi * self.radius**2 * self.half_length + 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self, mass: float) -> np.ndarray:
        r, l = self.radius, self.half_length
        m_c = mass * 2.0 * math.pi * r * r * l / self.volume()
        m_s = mass - m_c
        i_z = m_c * r * r / 2.0 + 0.4 * m_s * r * r
        i_x = m_c * (l * l / 3.0 + r * r / 4.0) + m_s * (0.4 * r * r + l * l + 0.75 * l * r)
        return np.array([i_x, i_x, i_z])


@kernel
def bounds(shapes, index):
    """lo, hi of the listed capsules, without margin."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            e = abs(s.rot[k, 2]) * s.dims[1] + s.dims[0]
            s.lo[k] = s.pos[k] - e
            s.hi[k] = s.pos[k] + e


def mesh() -> Mesh:
    """The unit ball times r, its halves moved apart by the half length."""
    normals, triangles, side = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    basis[:, :, 0] = normals
    basis[:, 2, 1] = side
    return Mesh(basis, normals, triangles)


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the capsule, inf if missed."""
    radius, half_length = dims[0], dims[1]
    best = math.inf
    for z in (-half_length, half_length):
        best = min(best, sphere_hit(origin - np.array([0.0, 0.0, z]), direction, radius))
    a = direction[0] ** 2 + direction[1] ** 2
    if a > 0.0:
        b = origin[0] * direction[0] + origin[1] * direction[1]
        disc = b * b - a * (origin[0] ** 2 + origin[1] ** 2 - radius * radius)
        if disc >= 0.0:
            t = (-b - math.sqrt(disc)) / a
            if t >= 0.0 and abs(origin[2] + t * direction[2]) <= half_length:
                best = min(best, t)
    return best


SHAPE = ShapeKind(make=lambda dims: Capsule(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh, ray=ray)
