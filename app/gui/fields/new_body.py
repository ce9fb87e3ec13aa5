"""Bodies that the user adds or throws: controls of shape, size and surface, and their placement."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.editing import shape_sizes
from app.engine import commands
from app.engine.material_library import LIBRARY
from app.gui.controls import widgets
from app.gui.viewport.hidden_bodies import visible
from app.render.scene.overlay_context import PreviewGhost
from app.render.scene.picking import pick
from app.session import Session
from physics import shapes

NO_MATERIAL = "plain"
"""The material of bodies that have none of the library."""

UPWARDS = np.array([0.0, 0.0, 1.0])

CLEAR = 0.003
"""Gap between a new body and the surface it is placed on [m]."""


@dataclass
class NewBody:
    """Properties of the next body. friction, restitution: of its surface; density [kg/m^3]; material: of the library, or ""."""

    new_shape: shape_sizes.NewShape = field(default_factory=shape_sizes.NewShape)
    density: float = 1000.0
    friction: float = 0.5
    restitution: float = 0.0
    material: str = ""
    fixed: bool = False


@dataclass
class Adding(NewBody):
    """The body that the context menu adds.

    point (3,), normal (3,): on the surface under the cursor; body: whose surface, -1: none. asked: the menu is to be opened.
    """

    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    body: int = -1
    asked: bool = False


@dataclass
class Throwing(NewBody):
    """The body that B and Shift+click throw. shown: preview its path in this picture."""

    new_shape: shape_sizes.NewShape = field(default_factory=lambda: shape_sizes.NewShape("sphere", 0.3))
    density: float = 2000.0
    shown: bool = False


def surface(making: NewBody) -> dict[str, float]:
    """Friction and restitution if the user changed them; others have the usual values of bodies."""
    usual = NewBody()
    return {name: getattr(making, name) for name in ("friction", "restitution") if getattr(making, name) != getattr(usual, name)}


def choose_material(making: NewBody) -> None:
    """Control of the material, which sets density and surface."""
    new = widgets.choice("material", making.material or NO_MATERIAL, (NO_MATERIAL, *LIBRARY),
                         "Density, and friction and restitution of its pairs from handbooks.")
    if new is not None:
        making.material = "" if new == NO_MATERIAL else new
        usual = LIBRARY.get(making.material) or NewBody()
        making.density, making.friction, making.restitution = usual.density, usual.friction, usual.restitution


def controls(making: NewBody) -> None:
    """Controls of shape, size, density and surface; another surface is no longer that of a material."""
    new_shape = making.new_shape
    new_shape.kind = widgets.choice("shape", new_shape.kind, shape_sizes.known(),
                                    "Shape for display and collision.") or new_shape.kind
    for target, name, label, lo, hi, unit, help in (
            (new_shape, "size", "size", 0.02, 5.0, "m", "Approximate width and height."),
            (making, "density", "density", 10.0, 20000.0, "kg/m^3", "Water 1000, oak 700, steel 7800."),
            (making, "friction", "friction \u03bc", 0.0, 2.0, "", "Friction coefficient of its surface; a pair has sqrt(\u03bca "
                                                                  "\u03bcb)."),
            (making, "restitution", "restitution e", 0.0, 1.0, "", "Coefficient of restitution: ratio of rebound to approach "
                                                                   "speed.")):
        new = widgets.number(label, float(getattr(target, name)), lo=lo, hi=hi, unit=unit, log=lo > 0.0, help=help)
        if new is not None:
            setattr(target, name, new)
            making.material = "" if name in ("friction", "restitution") else making.material


def aim_at_cursor(session: Session, x: float, y: float, size: tuple[float, float]) -> None:
    """Store the surface point and normal under the pixel (x, y) of a viewport of that size."""
    adding, camera = session.state(Adding), session.camera
    rays = [camera.ray(x + dx, y + dy, *size) for dx, dy in ((0.0, 0.0), (3.0, 0.0), (0.0, 3.0))]
    hits = [pick(visible(session), *ray) for ray in rays]
    adding.asked, adding.normal = True, UPWARDS
    if hits[0] is None:
        origin, direction = rays[0]
        adding.body, adding.point = -1, origin + (camera.shown_distance + camera.ray_lead) * direction
        return
    adding.body, adding.point = hits[0][0], hits[0][1]
    adding.normal = facing(hits, rays[0][1], UPWARDS)


def facing(hits: Sequence[tuple | None], direction: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Unit normal (3,) of the surface hit by three nearby rays along about that direction (`pick`), the first one at the place;
    `other` if they do not hit one body."""
    if any(hit is None or hit[0] != hits[0][0] for hit in hits):
        return other
    across = np.cross(hits[1][1] - hits[0][1], hits[2][1] - hits[0][1])
    length = float(np.linalg.norm(across))
    return other if length <= 1e-12 else across / (length if across @ direction < 0.0 else -length)


def pose_on_surface(new_shape: shape_sizes.NewShape, point: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Centre of a new body that stands on a surface at `point`, upright, shape (3,) [m]."""
    shape = new_shape.shape()
    mesh = shapes.kinds()[shape.kind].mesh()
    depth = float(np.max(-(mesh.basis @ np.array(shape.dims)) @ normal))
    return point + (1.01 * depth + CLEAR) * normal


def preview(session: Session) -> None:
    """Show a preview of the new body in its place."""
    adding = session.state(Adding)
    shape = adding.new_shape.shape()
    pos = pose_on_surface(adding.new_shape, adding.point, adding.normal)
    session.ghosts = (*session.ghosts, PreviewGhost(shape.kind, tuple(shape.dims), tuple(map(float, pos))))


def add(session: Session) -> None:
    """Add the new body there."""
    adding = session.state(Adding)
    pos = pose_on_surface(adding.new_shape, adding.point, adding.normal)
    session.post(commands.spawn, adding.new_shape.shape(), tuple(map(float, pos)), kind="static" if adding.fixed else "dynamic",
                 density=adding.density, **({"material": adding.material} if adding.material else surface(adding)))
