"""Half space: solid where z <= 0 of its own frame; for static and kinematic bodies."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.core.check import BadInput
from physics.core.jit import kernel
from physics.shapes import Mesh, ShapeKind


@dataclass(frozen=True)
class Plane:
    """The half space below the x-y plane of the body."""

    kind: ClassVar[str] = "plane"

    @property
    def dims(self) -> tuple[float, float, float]:
        """Zeros: a half space has no size."""
        return (0.0, 0.0, 0.0)

    def volume(self) -> float:
        """Infinite [m^3]."""
        return math.inf

    def inertia(self, mass: float) -> np.ndarray:
        """A half space has none.

        Raises:
            BadInput: always.
        """
        raise BadInput("a plane is infinite and has no mass: use it on a static or kinematic body")


@kernel
def bounds(shapes, index):
    """A plane is unbounded."""
    for i in index:
        s = shapes[i]
        for k in range(3):
            s.lo[k] = -np.inf
            s.hi[k] = np.inf


def mesh() -> Mesh:
    """Nothing: the viewer draws planes as ground grids."""
    return Mesh(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3), int))


SHAPE = ShapeKind(make=lambda dims: Plane(), bounds=bounds, mesh=mesh, solid=False)
