"""Bodies that a person adds or throws: their shape, size and surface as controls, and where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.gui.controls import widgets
from app.gui.hand.hiding import seen
from app.insight import sizes
from app.picking import pick
from app.render.sight import Coming
from app.session import Session
from physics import shapes

UP = np.array([0.0, 0.0, 1.0])

CLEAR = 0.003
"""Between a new body and what it stands on [m]."""


@dataclass
class Making:
    """What is made next. friction, restitution: of its surface; density [kg/m^3]."""

    mould: sizes.Mould = field(default_factory=sizes.Mould)
    density: float = 1000.0
    friction: float = 0.5
    restitution: float = 0.0
    fixed: bool = False


@dataclass
class Adding(Making):
    """What the right-click menu adds.

    point (3,), normal (3,): where, on what is under the cursor; body: what that is, -1: nothing. asked: the menu is to be opened.
    """

    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    body: int = -1
    asked: bool = False


@dataclass
class Throwing(Making):
    """What B and Shift+click throw. shown: its way is to be seen in this picture."""

    mould: sizes.Mould = field(default_factory=lambda: sizes.Mould("sphere", 0.3))
    density: float = 2000.0
    shown: bool = False


def surface(making: Making) -> dict[str, float]:
    """Friction and restitution where a person set them; the rest is as that of all bodies."""
    usual = Making()
    return {name: getattr(making, name) for name in ("friction", "restitution") if getattr(making, name) != getattr(usual, name)}


def controls(making: Making) -> None:
    """Shape, size, density and surface."""
    mould = making.mould
    mould.kind = widgets.choice("shape", mould.kind, sizes.known(), "What it looks like and how it touches.") or mould.kind
    for target, name, label, lo, hi, unit, help in (
            (mould, "size", "size", 0.02, 5.0, "m", "How wide and high it is, about."),
            (making, "density", "density", 10.0, 20000.0, "kg/m^3", "Water 1000, oak 700, steel 7800."),
            (making, "friction", "friction \u03bc", 0.0, 2.0, "", "Of its surface; a pair has sqrt(\u03bca \u03bcb)."),
            (making, "restitution", "restitution e", 0.0, 1.0, "", "Part of the approach speed that comes back.")):
        new = widgets.number(label, float(getattr(target, name)), lo=lo, hi=hi, unit=unit, log=lo > 0.0, help=help)
        if new is not None:
            setattr(target, name, new)


def aim(session: Session, x: float, y: float, size: tuple[float, float]) -> None:
    """Remember what is under the pixel (x, y) of a viewport of that size, and which way its surface looks."""
    adding, camera = session.memory(Adding), session.camera
    rays = [camera.ray(x + dx, y + dy, *size) for dx, dy in ((0.0, 0.0), (3.0, 0.0), (0.0, 3.0))]
    hits = [pick(seen(session), *ray) for ray in rays]
    adding.asked, adding.normal = True, UP
    if hits[0] is None:
        origin, direction = rays[0]
        adding.body, adding.point = -1, origin + (camera.seen_distance + camera.lead) * direction
        return
    adding.body, adding.point = hits[0][0], hits[0][1]
    adding.normal = facing(hits, rays[0][1], UP)


def facing(hits: Sequence[tuple | None], direction: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which way a surface looks (3,), unit, that three rays along about that direction meet (`pick`), the first one at the place;
    `other` where they do not meet one body."""
    if any(hit is None or hit[0] != hits[0][0] for hit in hits):
        return other
    across = np.cross(hits[1][1] - hits[0][1], hits[2][1] - hits[0][1])
    length = float(np.linalg.norm(across))
    return other if length <= 1e-12 else across / (length if across @ direction < 0.0 else -length)


def standing(mould: sizes.Mould, point: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Where the centre of a new body must be so that it stands on a surface at `point`, upright, shape (3,) [m]."""
    shape = mould.shape()
    mesh = shapes.kinds()[shape.kind].mesh()
    depth = float(np.max(-(mesh.basis @ np.array(shape.dims)) @ normal))
    return point + (1.01 * depth + CLEAR) * normal


def preview(session: Session) -> None:
    """Show where the new body would stand."""
    adding = session.memory(Adding)
    shape = adding.mould.shape()
    pos = standing(adding.mould, adding.point, adding.normal)
    session.echoes = (*session.echoes, Coming(shape.kind, tuple(shape.dims), tuple(map(float, pos))))


def add(session: Session) -> None:
    """Put the new body there."""
    adding = session.memory(Adding)
    pos = standing(adding.mould, adding.point, adding.normal)
    session.post("spawn", adding.mould.shape(), tuple(map(float, pos)), kind="static" if adding.fixed else "dynamic",
                 density=adding.density, **surface(adding))
