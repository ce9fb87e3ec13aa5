"""Sizes of simple shapes as people say them, and what stretching makes of them. Shapes that have none say so in one sentence."""

from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from physics import Box, Capsule, Cylinder, Ellipsoid, Sphere, shapes
from physics.shapes import Shape
from physics.shapes.cone import Cone

HALVES = ("half length x", "half length y", "half length z")

NAMES = {"box": HALVES, "ellipsoid": HALVES, "sphere": ("radius",), "capsule": ("radius", "half length"),
         "cylinder": ("radius", "half length"), "cone": ("radius", "height")}
"""Of the numbers of SHAPE.dims that a kind uses, all in metres."""

STRETCHED = ("hull", "triangle_mesh", "height_field")
"""Kinds that have no such numbers, and can be stretched."""

RANGE = (0.005, 50.0)
"""Sizes that controls offer [m]."""


@dataclass
class Mould:
    """A shape to be made: its kind, and a typical size [m], from which its parts have their proportions."""

    kind: str = "box"
    size: float = 0.3

    def shape(self) -> Shape:
        """About `size` high and wide."""
        r = 0.5 * self.size
        return {"box": lambda: Box((r, r, r)), "sphere": lambda: Sphere(r), "capsule": lambda: Capsule(0.5 * r, 0.5 * r),
                "cylinder": lambda: Cylinder(r, r), "cone": lambda: Cone(r, 2.0 * r),
                "ellipsoid": lambda: Ellipsoid((1.4 * r, r, 0.7 * r))}[self.kind]()


def own_shape(frame: Frame, body: int) -> tuple[str, np.ndarray] | None:
    """(kind, dims (3,)) of a body that is made of one simple shape; else None."""
    own = np.flatnonzero(frame.shapes["body"] == body)
    if len(own) != 1:
        return None
    kind = frame.shape_kinds[frame.shapes["kind"][own[0]]]
    return (kind, frame.shapes["dims"][own[0]]) if kind in NAMES else None


def stretched(frame: Frame, body: int) -> np.void | None:
    """The SHAPE record of a body that is made of one shape that can be stretched; else None."""
    own = np.flatnonzero(frame.shapes["body"] == body)
    if len(own) != 1 or frame.shape_kinds[frame.shapes["kind"][own[0]]] not in STRETCHED:
        return None
    return frame.shapes[own[0]]


def refusal(frame: Frame, body: int) -> str:
    """Why the size of a body cannot be changed, in one sentence; "" if it can."""
    if own_shape(frame, body) is not None or stretched(frame, body) is not None:
        return ""
    own = np.flatnonzero(frame.shapes["body"] == body)
    name = frame.body_names[body]
    if len(own) != 1:
        return f"{name} is made of {len(own) or 'no'} shapes: only a body of one simple shape can be given another size"
    kind = frame.shape_kinds[frame.shapes["kind"][own[0]]].replace("_", " ")
    possible = ", ".join(one.replace("_", " ") for one in (*NAMES, *STRETCHED))
    return f"{name} is a {kind}, which has no size that can be changed; possible for: {possible}"


def scaled(kind: str, dims: np.ndarray, factors: np.ndarray) -> tuple[float, ...]:
    """The dims of a shape stretched along its axes; round shapes stay round: the factor farthest from 1 counts across the axis.

    factors: (3,) > 0.
    """
    if kind in ("box", "ellipsoid"):
        new = dims * factors
    else:
        across = factors if kind == "sphere" else factors[:2]
        radius = across[np.argmax(np.abs(np.log(across)))]
        new = dims * np.array([radius, factors[2], 1.0])
    used = len(NAMES[kind])
    return (*(float(min(RANGE[1], max(RANGE[0], d))) for d in new[:used]), *(0.0,) * (3 - used))


def known() -> tuple[str, ...]:
    """Kinds of shapes that can be made by size, in the order in which people look for them."""
    return tuple(kind for kind in NAMES if kind in shapes.kinds())
