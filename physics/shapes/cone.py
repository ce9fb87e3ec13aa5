"""A cone along z, base below and apex above, radius r and height h; its centre of mass is h / 4 above the base.

    V = pi r^2 h / 3        I_z = 3/10 m r^2,   I_x = I_y = 3/20 m r^2 + 3/80 m h^2
    base at z = -h / 4, apex at z = 3 h / 4
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core import mat3
from physics.core.jit import inline, kernel, routine
from physics.shapes import Convex, Mesh, ShapeKind, _rim
from physics.shapes._feature import EDGE, put, rim, rim_curvature
from physics.shapes._mesh import disc, joined, side

STANDING_COSINE = 0.7
"""Cosine between axis and up above which the cone counts as standing."""


@dataclass(frozen=True)
class Cone:
    """A cone along its z axis. radius of the base [m]; height [m]. Its frame is at the centre of mass."""

    radius: float
    height: float
    kind: ClassVar[str] = "cone"

    @property
    def dims(self) -> tuple[float, float, float]:
        """(radius, height, 0) [m]."""
        return (self.radius, self.height, 0.0)

    def volume(self) -> float:
        """[m^3]."""
        return math.pi / 3.0 * self.radius**2 * self.height

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, own frame [kg m^2]; mass [kg]."""
        r2, h2 = self.radius**2, self.height**2
        i_x = mass * (0.15 * r2 + 0.0375 * h2)
        return np.array([i_x, i_x, 0.3 * mass * r2])


@kernel
def bounds(shapes, index):
    """lo, hi of the listed cones, without margin: apex and base."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            a = s.rot[k, 2]
            apex, base = 0.75 * s.dims[1] * a, -0.25 * s.dims[1] * a
            e = s.dims[0] * math.sqrt(max(1.0 - a * a, 0.0))
            s.lo[k] = s.pos[k] + min(apex, base - e)
            s.hi[k] = s.pos[k] + max(apex, base + e)


@inline
def on_plane(s, m, origin, up, reach):
    """Up to four points of the rim it stands on (feature: _rim.py), or the rim's lowest one (4) and the apex (5)."""
    d, base = mat3.apply_transposed(s.rot, up), -0.25 * s.dims[1]
    if d[2] >= STANDING_COSINE:
        _rim.standing(m, s, origin, up, reach, d, base)
        return
    x, y = _rim.lowest(d)
    _rim.put(m, s, origin, up, reach, s.dims[0] * x, s.dims[0] * y, base, 4)
    _rim.put(m, s, origin, up, reach, 0.0, 0.0, 0.75 * s.dims[1], 5)


def mesh() -> Mesh:
    """The side and the base."""
    base, apex = (0.0, -0.25, 0.0), (0.0, 0.75, 0.0)
    return joined(side(base, apex, pointed=True), disc(base, up=False), stretch=(0, 0, 1))


@inline
def support(core, pool, d):
    """The apex if d_z h >= r |d_xy|, else a point of the base's rim."""
    h, side = core.dims, math.sqrt(d[0] * d[0] + d[1] * d[1])
    if d[2] * h[1] >= h[0] * side:
        return (0.0, 0.0, 0.75 * h[1])
    z = -0.25 * h[1]
    if side == 0.0:
        return (h[0], 0.0, z)
    return (h[0] * d[0] / side, h[0] * d[1] / side, z)


@inline
def curvature(core, m, x):
    """That of the rim, where it is the farthest."""
    if not m[2] * core.dims[1] < core.dims[0] * math.sqrt(m[0] * m[0] + m[1] * m[1]):
        return (0.0, 0.0, 0.0)
    return rim_curvature(core, m, x)


@routine
def feature(core, pool, m, f, facing):
    """The base, the side's line, the apex or a point of the rim; numbers of the line's ends: 0 on the rim, 1 at the apex."""
    r, h = core.dims[0], core.dims[1]
    if m[2] <= -facing:
        rim(core, m, f, -0.25 * h, m[2] > 0.0)
        return
    side = math.sqrt(m[0] * m[0] + m[1] * m[1])
    x, y = (m[0] / side, m[1] / side) if side > 0.0 else (1.0, 0.0)
    slope = (m[2] * h - r * side) / math.sqrt(r * r + h * h)       # sine between n and the plane orthogonal to the line
    for end in range(2):
        if end == 0 and slope <= EDGE:
            put(core, f, r * x, r * y, -0.25 * h, end)
        if end == 1 and slope >= -EDGE:
            put(core, f, 0.0, 0.0, 0.75 * h, end)



@inline
def inside(s, pool):
    """The nearer of base and side."""
    return min(0.25 * s.dims[1], 0.75 * s.dims[1] * s.dims[0] / math.sqrt(s.dims[0] * s.dims[0] + s.dims[1] * s.dims[1]))


SHAPE = ShapeKind(make=lambda dims: Cone(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh,
                  convex=Convex(support, feature, curvature, inside, on_plane), symmetry=1,
                  sizes=("radius", "height"),
                  proportions=(1.0, 2.0, 0.0), order=60)
