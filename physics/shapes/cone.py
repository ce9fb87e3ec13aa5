"""A cone along z, base below and apex above, radius r and height h; its centre of mass is h / 4 above the base.

    V = pi r^2 h / 3        I_z = 3/10 m r^2,   I_x = I_y = 3/20 m r^2 + 3/80 m h^2
    base at z = -h / 4, apex at z = 3 h / 4
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind
from physics.shapes._mesh import disc, joined, side
from physics.shapes._ray import disc_hit


@dataclass(frozen=True)
class Cone:
    """A cone along its z axis. radius of the base [m]; height [m]. Its frame sits in the centre of mass."""

    radius: float
    height: float
    kind: ClassVar[str] = "cone"

    @property
    def dims(self) -> tuple[float, float, float]:
        return (self.radius, self.height, 0.0)

    def volume(self) -> float:
        return math.pi / 3.0 * self.radius**2 * self.height

    def inertia(self, mass: float) -> np.ndarray:
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


def mesh() -> Mesh:
    """The side and the base."""
    base, apex = (0.0, -0.25, 0.0), (0.0, 0.75, 0.0)
    return joined(side(base, apex, pointed=True), disc(base, up=False), stretch=(0, 0, 1))


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the cone, inf if missed; 0 from inside. The side: x^2 + y^2 = k^2 u^2, u the depth below the apex."""
    radius, height = dims[0], dims[1]
    k2, u = (radius / height) ** 2, 0.75 * height - origin[2]
    if 0.0 <= u <= height and origin[0] ** 2 + origin[1] ** 2 <= k2 * u * u:
        return 0.0
    best = disc_hit(origin, direction, radius, -0.25 * height)
    a = direction[0] ** 2 + direction[1] ** 2 - k2 * direction[2] ** 2
    b = origin[0] * direction[0] + origin[1] * direction[1] + k2 * u * direction[2]
    c = origin[0] ** 2 + origin[1] ** 2 - k2 * u * u
    roots = []
    if abs(a) > 1e-12:
        if (disc2 := b * b - a * c) >= 0.0:
            roots = [(-b - math.sqrt(disc2)) / a, (-b + math.sqrt(disc2)) / a]
    elif b != 0.0:
        roots = [-0.5 * c / b]
    for t in roots:
        if 0.0 <= t < best and 0.0 <= u - t * direction[2] <= height:
            best = t
    return float(best)


SHAPE = ShapeKind(make=lambda dims: Cone(float(dims[0]), float(dims[1])), bounds=bounds, mesh=mesh, ray=ray)
