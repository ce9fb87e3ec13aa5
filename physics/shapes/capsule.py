"""A capsule: a cylinder along z with half length l between two half balls of radius r.

    V = 2 pi r^2 l + 4/3 pi r^3, mass shared in proportion: m_c (cylinder), m_s (the two half balls)
    I_z = m_c r^2 / 2 + 2/5 m_s r^2
    I_x = I_y = m_c (l^2 / 3 + r^2 / 4) + m_s (2/5 r^2 + l^2 + 3/4 l r)
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.shapes import Convex, Mesh, ShapeKind
from physics.shapes._feature import extent_along, line
from physics.shapes._mesh import latitude_longitude


@dataclass(frozen=True)
class Capsule:
    """A capsule along its z axis. radius [m]; half_length of the cylindrical part [m]."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "capsule"

    @property
    def dims(self) -> tuple[float, float, float]:
        """(radius, half length of the cylinder, 0) [m]."""
        return (self.radius, self.half_length, 0.0)

    def volume(self) -> float:
        """[m^3]."""
        return 2.0 * math.pi * self.radius**2 * self.half_length + 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
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


@inline
def on_plane(s, m, origin, up, reach):
    """The two end balls; feature: the end (0: lower z of the capsule's frame)."""
    axis = mat3.column(s.rot, 2)
    for end in range(2):
        e = vec.madd(s.pos, axis, (2 * end - 1) * s.dims[1])
        gap = vec.dot(up, vec.sub(e, origin)) - s.dims[0]
        if gap <= reach:
            contact_points.put(m, vec.madd(e, up, -(s.dims[0] + 0.5 * gap)), gap, end)


def mesh() -> Mesh:
    """The unit ball times r, its halves separated by the half length."""
    normals, triangles, side = latitude_longitude()
    basis = np.zeros((len(normals), 3, 3))
    basis[:, :, 0] = normals
    basis[:, 2, 1] = side
    return Mesh(basis, normals, triangles)


@inline
def support(core, pool, d):
    """x +- l z"""
    return (0.0, 0.0, extent_along(d[2], core.dims[1]))


@routine
def feature(core, pool, m, f, facing):
    """The line, or one of its ends."""
    line(core, m, f)


SHAPE = ShapeKind(make=lambda dims: Capsule(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh,
                  convex=Convex(support, feature, on_plane=on_plane, ball=True), symmetry=1,
                  sizes=("radius", "half length"), proportions=(0.5, 0.5, 0.0), order=40)
