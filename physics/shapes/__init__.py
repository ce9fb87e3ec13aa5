"""Shapes. One file each: a frozen dataclass that knows its volume, inertia, bounding box, drawing mesh and rays.

A shape file defines, besides its class, `SHAPE`, a `ShapeKind`. What touches what is in `physics/collide/pairs/`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from physics import shapes
from physics.plugins import discover


class Mesh(NamedTuple):
    """A triangle mesh whose vertices are linear in the shape's three dims: vertex i = basis[i] @ dims.

    basis: (n, 3, 3); normals: (n, 3), unit, outwards, for any dims; triangles: (m, 3) int, counter-clockwise from outside.
    """

    basis: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray


class Shape(Protocol):
    """What a body is made of. Its own frame: origin at its centre of mass, axes principal."""

    kind: ClassVar[str]

    @property
    def dims(self) -> tuple[float, float, float]:
        """The three numbers of SHAPE.dims [m]."""

    def volume(self) -> float:
        """[m^3]; inf where it has none."""

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments about the centre of mass, shape (3,) [kg m^2]."""


@dataclass(frozen=True)
class ShapeKind:
    """What `physics` and the viewer need of a kind of shape.

    make: (dims) -> Shape.
    bounds: kernel (shapes, index): writes lo and hi (without margin) of the listed shapes from pos, rot, dims.
    mesh: () -> Mesh, for drawing.
    ray: (dims, origin, direction) -> distance along the unit direction to the first hit, inf if none;
        origin and direction in the shape's frame, shape (3,).
    """

    make: Callable[[Any], Shape]
    bounds: Callable
    mesh: Callable[[], Mesh]
    ray: Callable[[np.ndarray, np.ndarray, np.ndarray], float]


def kinds() -> dict[str, ShapeKind]:
    """All kinds of shapes by name, alphabetically: the position in this list is SHAPE.kind."""
    return discover(shapes, "SHAPE")
