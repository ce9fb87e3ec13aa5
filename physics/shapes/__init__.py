"""Shapes. One file each: a frozen dataclass that knows its volume, inertia, bounding box, drawing mesh and rays.

A shape file defines, besides its class, `SHAPE`, a `ShapeKind`. What touches what is in `physics/collide/pairs/`.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from physics import shapes
from physics.check import number, said
from physics.errors import BadInput
from physics.geometry import Data
from physics.plugins import discover


class Mesh(NamedTuple):
    """A triangle mesh whose vertices are linear in the shape's three dims: vertex i = basis[i] @ dims.

    basis: (n, 3, 3); normals: (n, 3), unit, outwards, for any dims; triangles: (m, 3) int, counter-clockwise from outside.
    stretch: where the shape is one of size 1 stretched along its axes by the dims of these numbers, and the normals are those of
        size 1: divided by these dims they have the right direction.
    """

    basis: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    stretch: tuple[int, int, int] | None = None


class Shape(Protocol):
    """What a body is made of. Its own frame: origin at its centre of mass.

    It may have besides: `rounding`, the radius of a ball added all round [m]; `geometry() -> Data`, if its kind is geometric;
    `check(what)`, which raises BadInput with a sentence that starts with `what` where it is not allowed.
    """

    kind: ClassVar[str]

    @property
    def dims(self) -> tuple[float, float, float]:
        """The three numbers of SHAPE.dims [m]."""

    def volume(self) -> float:
        """[m^3]; inf where it has none."""

    def inertia(self, mass: float) -> np.ndarray:
        """About the centre of mass: principal moments (3,), or the tensor (3, 3) if the axes are not principal [kg m^2]."""


@dataclass(frozen=True)
class ShapeKind:
    """What `physics` and the viewer need of a kind of shape.

    make: (dims) -> Shape; of a geometric kind an example of that size.
    bounds: kernel (shapes, index): writes lo and hi (without margin) of the listed shapes from pos, rot, dims, rounding.
    mesh: () -> Mesh, for drawing.
    ray: (dims, origin, direction) -> distance along the unit direction to the first hit, inf if none;
        origin and direction in the shape's frame, shape (3,).
    geometric: its shapes have geometry in the world's pool (physics/geometry.py). Then bounds takes the pool's arrays as one more
        argument, mesh and ray the shape's own `Data`.
    """

    make: Callable[[Any], Shape]
    bounds: Callable
    mesh: Callable[..., Mesh]
    ray: Callable[..., float]
    geometric: bool = False


def geometry_of(shape: Shape) -> Data | None:
    """What the shape brings to the pool; None: its dims say all."""
    return shape.geometry() if hasattr(shape, "geometry") else None


def rounding_of(shape: Shape) -> float:
    """Radius of the ball added all round [m]."""
    return getattr(shape, "rounding", 0.0)


def check_shape(what: str, shape: Shape) -> None:
    """Raise BadInput, with a sentence that starts with `what`, if a size is out of range."""
    if hasattr(shape, "check"):
        shape.check(what)
        return
    for field in dataclasses.fields(shape):
        value = getattr(shape, field.name)
        for d in value if isinstance(value, tuple) and len(value) == 3 and "tuple" in str(field.type) else (value,):
            number(f"{what}: a dimension of its {shape.kind}", d, lo=1e-4, hi=1e5, unit="m")


def take_triple(shape: Shape, name: str) -> None:
    """Make a field of a new shape a tuple of three, of any list or array of three; else BadInput. `check_shape` looks at them."""
    value = getattr(shape, name)
    given = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise BadInput(f"{name} of a {shape.kind} = {said(value)} must be three numbers, along x, y and z [m]")
    object.__setattr__(shape, name, tuple(given))


def kinds() -> dict[str, ShapeKind]:
    """All kinds of shapes by name, alphabetically: the position in this list is SHAPE.kind."""
    return discover(shapes, "SHAPE")
