"""A half space: solid where z <= 0 of its own frame. For static and kinematic bodies."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.jit import kernel
from physics.errors import BadInput
from physics.shapes import Mesh, ShapeKind


@dataclass(frozen=True)
class Plane:
    """The half space below the x-y plane of the body."""

    kind: ClassVar[str] = "plane"

    @property
    def dims(self) -> tuple[float, float, float]:
        return (0.0, 0.0, 0.0)

    def volume(self) -> float:
        return math.inf

    def inertia(self, mass: float) -> np.ndarray:
        raise BadInput("a plane is infinite and has no mass: use it on a static or kinematic body")


@kernel
def bounds(shapes, index):
    """A plane reaches everywhere."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            s.lo[k] = -np.inf
            s.hi[k] = np.inf


def mesh() -> Mesh:
    """Nothing: the viewer draws planes as ground grids."""
    return Mesh(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3), int))


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the surface from above, inf if missed."""
    if direction[2] >= 0.0 or origin[2] < 0.0:
        return math.inf
    return float(-origin[2] / direction[2])


SHAPE = ShapeKind(make=lambda dims: Plane(), bounds=bounds, mesh=mesh, ray=ray)
