"""A cylinder along z with radius r and half length l.

    V = 2 pi r^2 l        I_z = m r^2 / 2,   I_x = I_y = m (r^2 / 4 + l^2 / 3)
    bounds along the unit axis e, with the cylinder's axis a:  l |a . e| + r sqrt(1 - (a . e)^2)
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import mat3
from physics.core.jit import inline, kernel, routine
from physics.shapes import Convex, Mesh, ShapeKind, _rim
from physics.shapes._feature import EDGE, extent_along, put, rim, rim_curvature
from physics.shapes._mesh import disc, joined, side

STANDING_COSINE = 0.7
"""Cosine between axis and up above which the cylinder counts as standing: the other rim is then out of reach."""


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along its z axis. radius [m]; half_length [m]."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "cylinder"

    @property
    def dims(self) -> tuple[float, float, float]:
        """(radius, half length, 0) [m]."""
        return (self.radius, self.half_length, 0.0)

    def volume(self) -> float:
        """[m^3]."""
        return 2.0 * math.pi * self.radius**2 * self.half_length

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
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


@inline
def on_plane(s, m, origin, up, reach):
    """Up to four points of the rim it stands on (feature: _rim.py), or one of each rim (4: lower z of its frame; 5).

    The lowest point of a rim is exact at any tilt: there is no facet to roll over.
    """
    d = mat3.apply_transposed(s.rot, up)
    if abs(d[2]) >= STANDING_COSINE:
        _rim.standing(m, s, origin, up, reach, d, -s.dims[1] if d[2] > 0.0 else s.dims[1])
        return
    x, y = _rim.lowest(d)
    for end in range(2):
        _rim.put(m, s, origin, up, reach, s.dims[0] * x, s.dims[0] * y, (2 * end - 1) * s.dims[1], 4 + end)


def mesh() -> Mesh:
    """The side and two discs with their own normals, so that the rims are sharp."""
    low, high = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)
    return joined(side(low, high, pointed=False), disc(high, up=True), disc(low, up=False))


@inline
def support(core, pool, d):
    """x + r d_xy / |d_xy| + sign(d_z) l z"""
    h, side = core.dims, math.sqrt(d[0] * d[0] + d[1] * d[1])
    z = extent_along(d[2], h[1])
    if side == 0.0:
        return (h[0], 0.0, z)
    return (h[0] * d[0] / side, h[0] * d[1] / side, z)


@inline
def curvature(core, m, x):
    """That of the rims."""
    return rim_curvature(core, m, x)


@routine
def feature(core, pool, m, f, facing):
    """An end, the side's line, or a point of a rim; numbers of the line's ends: 0 lower, 1 upper."""
    if abs(m[2]) >= facing:
        rim(core, m, f, core.dims[1] if m[2] > 0.0 else -core.dims[1], m[2] > 0.0)
        return
    side = math.sqrt(m[0] * m[0] + m[1] * m[1])
    x, y = core.dims[0] * m[0] / side, core.dims[0] * m[1] / side
    for end in range(2):
        if abs(m[2]) <= EDGE or (m[2] > 0.0) == (end > 0):
            put(core, f, x, y, core.dims[1] if end else -core.dims[1], end)


SHAPE = ShapeKind(make=lambda dims: Cylinder(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh,
                  convex=Convex(support, feature, curvature, on_plane=on_plane), symmetry=1,
                  sizes=("radius", "half length"), order=50)
