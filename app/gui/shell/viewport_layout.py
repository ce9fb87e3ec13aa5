"""Divides the middle of the window into panes: one for the scene, or one per compared solver, all with one camera; in a corner of
the first the picture of a camera on a body. No GL."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.gui.controls.style import palette, ramp
from app.render.scene.overlay_context import Ghost
from app.session import Session
from physics.core.quaternions import rotate

Rectangle = tuple[float, float, float, float]
"""x, y, width, height [px], y down."""

PANE_GAP = 2.0
"""Gap between panes [px]."""

MIN_SIDE_BY_SIDE_ASPECT = 2.2
"""Aspect ratio from which two panes are side by side; below it they are stacked, which keeps the horizontal view of the
whole."""


INSET_SHARE, INSET_ASPECT, INSET_MARGIN, MIN_FOR_INSET = 0.34, 4.0 / 3.0, 10.0, 240.0
"""Width of the picture from a body's camera as a share of the middle, its aspect ratio, its distance from the corner [px]; size
of the middle below which it is not drawn [px]."""

EYE_TARGET, EYE_ANGLE = 0.4, 65.0
"""Distance of the camera on a body from what it looks at [m], and its vertical angle of view [degrees]."""


@dataclass(frozen=True)
class Pane:
    """Rectangle in which a frame is drawn. index: 0 is the leader's, then the followers' as in `Frame.followers`."""

    index: int
    frame: Frame
    box: Rectangle

    def holds(self, x: float, y: float) -> bool:
        """Whether it contains a point of the window, y down."""
        left, top, width, height = self.box
        return left <= x < left + width and top <= y < top + height


def panes(frame: Frame, centre: Rectangle, split: bool) -> tuple[Pane, ...]:
    """The panes of a frame in the rectangle that panels leave free. split: one per solver."""
    frames = (frame, *frame.followers) if split else (frame,)
    x, y, width, height = centre
    columns = 1 if len(frames) == 1 or (len(frames) == 2 and width < MIN_SIDE_BY_SIDE_ASPECT * height) else 2
    rows = -(-len(frames) // columns)
    high = (height - PANE_GAP * (rows - 1)) / rows
    shown = []
    for i, each in enumerate(frames):
        row, column = divmod(i, columns)
        beside = min(columns, len(frames) - row * columns)      # the last row is filled, too
        wide = (width - PANE_GAP * (beside - 1)) / beside
        shown.append(Pane(i, each, (x + (wide + PANE_GAP) * column, y + (high + PANE_GAP) * row, max(1.0, wide), max(1.0, high))))
    return tuple(shown)


def inset(session: Session, centre: Rectangle) -> tuple[Camera, Rectangle] | None:
    """(camera, rectangle) of the picture from the scene's eye; None: there is none, or no room, or it is switched off."""
    eye, frame = session.scene.eye if session.scene is not None else None, session.frame
    x, y, width, height = centre
    if eye is None or not session.view.eye or eye.body not in frame.body_names or min(width, height) < MIN_FOR_INSET:
        return None
    body = frame.bodies[frame.body_names.index(eye.body)]
    pos = body["pos"] + rotate(body["quat"], np.array(eye.pos))
    ahead = rotate(body["quat"], np.array(eye.ahead) / np.linalg.norm(eye.ahead))
    camera = Camera(pos + EYE_TARGET * ahead, EYE_TARGET, math.degrees(math.atan2(-ahead[0], ahead[1])),
                    math.degrees(math.asin(-max(-1.0, min(1.0, ahead[2])))), EYE_ANGLE)
    wide = INSET_SHARE * width
    high = wide / INSET_ASPECT
    return camera, (x + INSET_MARGIN, y + height - high - INSET_MARGIN, wide, high)


def ghosts_shown(session: Session, now: float) -> dict[str, Any]:
    """Arguments of Renderer.draw for the leader's picture: ghosts of the other solvers, where all share it, of the members of a
    fan, and of panels. now: perf_counter [s]."""
    curves, others = palette().curves, () if session.view.split else session.frame.followers
    solvers = tuple(Ghost(*other.poses(other.blend(now)), curves[k][:3]) for k, other in enumerate(others, start=1))
    blend, fan = session.frame.blend(now), session.frame.fan
    solvers += tuple(Ghost(*one.poses(blend), colour[:3]) for one, colour in zip(fan, ramp(len(fan))))
    tint = curves[0][:3] if others and session.view.tint_first else None
    return {"ghosts": (*solvers, *session.ghosts), "tint": tint}
