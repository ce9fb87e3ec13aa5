"""Shapes. One file each: a frozen dataclass with its volume, inertia, bounding box and drawing mesh.

A shape file defines, besides its class, `SHAPE`, a `ShapeKind`. The colliders of pairs are in `physics/collide/pairs/`.
"""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from physics import shapes
from physics.core.check import BadInput, number, shown_value
from physics.core.plugins import discover
from physics.shapes._geometry import ShapeGeometry

HALVES = ("half length x", "half length y", "half length z")
"""`ShapeKind.sizes` of shapes with a size along each axis."""


class Mesh(NamedTuple):
    """A triangle mesh whose vertices are linear in the shape's three dims: vertex i = basis[i] @ dims.

    basis: (n, 3, 3); normals: (n, 3), unit, outwards, for any dims; triangles: (m, 3) int, counter-clockwise from outside.
    stretch: set where the shape is one of size 1 stretched along its axes by the dims of these numbers, with the normals of
        size 1: dividing them by these dims gives the right direction.
    """

    basis: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    stretch: tuple[int, int, int] | None = None


class Shape(Protocol):
    """Geometry of a body. Its own frame has its origin at the centre of mass.

    Optional: `rounding`, the radius of a ball added all round [m]; `geometry() -> ShapeGeometry`, if its kind is geometric;
    `check(what)`, which raises BadInput with a sentence that starts with `what` if the shape is not allowed.
    """

    kind: ClassVar[str]

    @property
    def dims(self) -> tuple[float, float, float]:
        """The three numbers of SHAPE.dims [m]."""

    def volume(self) -> float:
        """Volume [m^3]; inf where it has none."""

    def inertia(self, mass: float) -> np.ndarray:
        """Principal moments (3,) about the centre of mass, or the tensor (3, 3) if the axes are not principal [kg m^2]."""


@dataclass(frozen=True)
class Convex:
    """What meets others by the general algorithms (physics/collide/convex): a core, with a ball of some radius added all round.

    Compiled functions; core: a CORE record, its directions and points in the frame of the shape.

    support: (core, pool, d) -> the point of the core farthest along d, of any length; the same one for the same d.
    feature: (core, pool, m, f, facing) writes the face whose normal is within the angle with the cosine `facing` of m, unit, or
        the edge or corner that faces m, to f (physics/shapes/_feature.py); None: the support point.
    widen: (core, pool, m, f) extends the face f that faces m by adjacent corners that a plane may touch; None: no corners.
    curvature: (core, m, x) -> H x, H the second derivative of the support function m . s(m); None: flat faces only.
    inside: (s, pool) -> radius of the largest ball about the centre inside the SHAPE s [m]; None: its smallest dim.
    on_plane: (s, m, origin, up, reach) appends to the MANIFOLD m the points of the SHAPE s within reach of the half space below
        the plane through origin across up; None: those of its feature (physics/collide/half_space.py).
    ball: whether dims[0] is the ball's radius; the core then reaches as far as dims[1]. Else SHAPE.rounding is.
    """

    support: Callable
    feature: Callable | None = None
    curvature: Callable | None = None
    inside: Callable | None = None
    on_plane: Callable | None = None
    widen: Callable | None = None
    ball: bool = False


@dataclass(frozen=True)
class ShapeKind:
    """Description of a kind of shape for `physics` and the viewer.

    make: (dims) -> Shape; for a geometric kind an example of that size.
    mesh: () -> Mesh, for drawing.
    bounds: kernel (shapes, index): writes lo and hi (without margin) of the listed shapes from pos, rot, dims, rounding.
        None: a convex shape's bounds follow from its support function.
    convex: how it meets others; None where collide/surfaces or a file in collide/pairs defines it.
    symmetry: how many directions it may turn about without looking different: 0, 1 (z), or 3.
    geometric: its shapes have geometry in the world's pool (physics/shapes/_geometry.py). Then bounds takes the pool's arrays as
        a further argument, mesh the shape's own `ShapeGeometry`.
    solid: whether it has a volume; a dynamic body needs one.
    sizes: names of the dims in use that the user may set [m]; a kind without any is not offered as a new body.
    proportions: dims of a new body of half size 1. order: place among the kinds offered.
    stretched: (own: ShapeGeometry, record, factors (3,)) -> the shape so many times as large along its axes, of geometric kinds.
    wrong_with: (own) -> what is wrong with such arrays that a file brought, after "its geometry", "" for nothing; of those, too.
    """

    make: Callable[[Any], Shape]
    mesh: Callable[..., Mesh]
    bounds: Callable | None = None
    geometric: bool = False
    solid: bool = True
    convex: Convex | None = None
    symmetry: int = 0
    sizes: tuple[str, ...] = ()
    proportions: tuple[float, float, float] = (1.0, 1.0, 1.0)
    order: int = 100
    stretched: Callable[[ShapeGeometry, Any, np.ndarray], Shape] | None = None
    wrong_with: Callable[[ShapeGeometry], str] | None = None


def geometry_of(shape: Shape) -> ShapeGeometry | None:
    """The shape's arrays for the pool; None if its dims suffice."""
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


def as_triple(shape: Shape, name: str) -> None:
    """Convert a field of a new shape from any list or array of three to a tuple; else BadInput. `check_shape` checks values."""
    value = getattr(shape, name)
    given = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise BadInput(f"{name} of a {shape.kind} = {shown_value(value)} must be three numbers along x, y and z [m]")
    object.__setattr__(shape, name, tuple(given))


@functools.cache
def kinds() -> dict[str, ShapeKind]:
    """All kinds of shapes by name, alphabetically: the position in this list is SHAPE.kind. The same one in every call."""
    return discover(shapes, "SHAPE")


def massless() -> frozenset[str]:
    """Kinds of shapes without a volume, so that no dynamic body has them."""
    return frozenset(name for name, kind in kinds().items() if not kind.solid)


def offered() -> dict[str, ShapeKind]:
    """All kinds of shapes by name, in the order in which a user is offered them."""
    return dict(sorted(kinds().items(), key=lambda item: (item[1].order, item[0])))
