"""Sizes of simple shapes as users enter them, and stretching. For shapes without sizes, one sentence gives the reason."""

from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from app.i18n.message import message
from physics import shapes
from physics.shapes import Shape

OFFERED_SHAPES = shapes.offered()
"""All kinds of shapes in the order in which they are offered."""

SIZE_NAMES = {name: kind.sizes for name, kind in OFFERED_SHAPES.items() if kind.sizes}
"""Names of the used numbers of SHAPE.dims by kind, all in metres."""

STRETCHABLE_KINDS = tuple(name for name, kind in OFFERED_SHAPES.items() if kind.stretched)
"""Kinds without such numbers that can be stretched."""

SIZE_RANGE = (0.005, 50.0)
"""Range of sizes offered by controls [m]."""


@dataclass
class NewShape:
    """A shape to create: its kind, and a typical size [m] that sets its proportions."""

    kind: str = "box"
    size: float = 0.3

    def shape(self) -> Shape:
        """The shape, about `size` high and wide."""
        r = 0.5 * self.size
        return OFFERED_SHAPES[self.kind].make(tuple(part * r for part in OFFERED_SHAPES[self.kind].proportions))


def own_shape(frame: Frame, body: int) -> tuple[str, np.ndarray] | None:
    """(kind, dims (3,)) of a body made of one simple shape; else None."""
    own = np.flatnonzero(frame.shapes["body"] == body)
    if len(own) != 1:
        return None
    kind = frame.shape_kinds[frame.shapes["kind"][own[0]]]
    return (kind, frame.shapes["dims"][own[0]]) if kind in SIZE_NAMES else None


def stretched(frame: Frame, body: int) -> np.void | None:
    """SHAPE record of a body made of one stretchable shape; else None."""
    own = np.flatnonzero(frame.shapes["body"] == body)
    if len(own) != 1 or frame.shape_kinds[frame.shapes["kind"][own[0]]] not in STRETCHABLE_KINDS:
        return None
    return frame.shapes[own[0]]


def refusal(frame: Frame, body: int) -> str:
    """Reason why the size of a body cannot be changed, one sentence; "" if it can."""
    if own_shape(frame, body) is not None or stretched(frame, body) is not None:
        return ""
    own = np.flatnonzero(frame.shapes["body"] == body)
    name = frame.body_names[body]
    if len(own) != 1:
        return message("{name} consists of {own} shapes: only a body with one simple shape can be resized", name=name,
                       own=len(own) or "no")
    kind = frame.shape_kinds[frame.shapes["kind"][own[0]]].replace("_", " ")
    possible = ", ".join(one.replace("_", " ") for one in (*SIZE_NAMES, *STRETCHABLE_KINDS))
    return message("{name} is a {kind} and cannot be resized; possible for: {possible}", name=name, kind=kind, possible=possible)


def scaled(kind: str, dims: np.ndarray, factors: np.ndarray) -> tuple[float, ...]:
    """Dims of a shape stretched along its axes; round shapes stay round: across the axis the factor farthest from 1 applies.

    factors: (3,) > 0.
    """
    used = len(SIZE_NAMES[kind])
    if used == 3:
        new = dims * factors
    else:
        across = factors if used == 1 else factors[:2]
        radius = across[np.argmax(np.abs(np.log(across)))]
        new = dims * np.array([radius, factors[2], 1.0])
    return (*(float(min(SIZE_RANGE[1], max(SIZE_RANGE[0], d))) for d in new[:used]), *(0.0,) * (3 - used))


def known() -> tuple[str, ...]:
    """Kinds of shapes that can be created by size, most common first."""
    return tuple(SIZE_NAMES)
