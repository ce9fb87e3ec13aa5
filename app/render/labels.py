"""Where words belong in the picture: names of bodies, the force of the mouse. The GUI draws them. No GL."""

from typing import NamedTuple

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.overlay import Drag, find_drag
from app.render.place import Placed
from app.render.theme import Colour, theme
from app.view import ViewOptions
from physics.core.records import Kind

MOST = 200
"""At most so many names, the nearest ones."""


class Label(NamedTuple):
    """A text whose middle is at (x, y) [framebuffer pixels, origin bottom left]."""

    x: float
    y: float
    text: str
    colour: Colour


def labels(frame: Frame, camera: Camera, view: ViewOptions, width: int, height: int, now: float,
           drag: Drag | None = None) -> list[Label]:
    """Names (if shown) just above their bodies, and the force of the mouse [N] at its end."""
    placed = Placed(frame, frame.blend(now))
    colours = theme(view.theme)
    out = _names(frame, placed, camera, width, height, colours.text) if view.names else []
    drag = drag or find_drag(frame, placed)
    if drag is not None:
        x, y, depth = camera.project(drag.end, width, height)[0]
        if depth > 0.0:
            out.append(Label(float(x), float(y) + 22.0, f"{drag.force:.3g} N", colours.drag))
    return out


def _names(frame: Frame, placed: Placed, camera: Camera, width: int, height: int, colour: Colour) -> list[Label]:
    kinds = frame.bodies["kind"]
    shown = np.flatnonzero((kinds == Kind.DYNAMIC) | (kinds == Kind.KINEMATIC))
    top = np.zeros(len(kinds))
    radii = placed.radii()
    finite = np.isfinite(radii)
    np.maximum.at(top, placed.body[finite], 0.6 * radii[finite])
    points = placed.body_pos[shown] + camera.axes()[1] * top[shown, None]
    seen = camera.project(points, width, height)
    inside = (seen[:, 2] > 0.0) & (np.abs(seen[:, :2] - (width / 2, height / 2)) < (width / 2, height / 2)).all(axis=1)
    order = np.flatnonzero(inside)
    order = order[np.argsort(seen[order, 2])][:MOST]
    return [Label(float(seen[i, 0]), float(seen[i, 1]), frame.body_names[shown[i]], colour) for i in order]
