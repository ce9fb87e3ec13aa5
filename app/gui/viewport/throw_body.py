"""Throws bodies by B and Shift+click, from the eye along the cursor's ray, and previews their path. No ImGui.

    x(t) = x0 + v0 t + g t^2 / 2, until its centre hits something                                                   (1)
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine import commands
from app.engine.frame import Frame
from app.gui.fields.new_body import Throwing, facing, pose_on_surface, surface
from app.gui.viewport.hidden_bodies import visible
from app.render.scene.overlay_context import PreviewGhost
from app.render.scene.picking import pick
from app.render.scene.transforms import BodyTransforms
from app.session import Session

PREVIEW_TIME = 3.0
"""Duration of the previewed path [s]."""

PREVIEW_DASHES = 24
"""Straight pieces of the path, each cast as a ray."""

DASHES_PER_PIECE = 3
"""Dashes per piece."""

REFRESH_INTERVAL = 0.1
"""Wall time after which the preview is recomputed if only the bodies have moved [s]."""

RAY_OFFSET = 0.02
"""Offset of the rays beside the path that find the orientation of a surface [m]."""


LONGEST_WAY_OUT = 50.0
"""Longest way along the ray out of the ground [m]."""


@dataclass
class ThrowAim:
    """The last preview: its inputs, frame and wall time [s]."""

    known: tuple = ()
    frame: Frame | None = None
    wall: float = 0.0
    coming: PreviewGhost | None = None


def throw_start(session: Session, mouse: tuple[float, float],
                size: tuple[float, float]) -> tuple[np.ndarray, np.ndarray] | None:
    """(position (3,) [m], velocity (3,) [m/s]) of a throw from the eye towards a pixel of a viewport of that size; from below the
    ground it starts where the ray comes out. None: it does not come out, or only far away."""
    origin, direction = session.camera.ray(*mouse, *size)
    start = origin + (0.5 + session.camera.ray_lead) * direction
    radius = float(np.linalg.norm(session.state(Throwing).new_shape.shape().dims))
    placed = BodyTransforms(session.frame)
    for slot, normal in zip(placed.of("plane"), placed.planes[0]):
        depth, rise = float(normal @ (placed.pos[slot] - start)) + radius, float(normal @ direction)
        if depth <= 0.0:
            continue
        if depth > LONGEST_WAY_OUT * rise:
            return None
        start = start + (depth / rise) * direction
    return start, session.throw_speed * direction


def throw(session: Session, mouse: tuple[float, float], size: tuple[float, float]) -> None:
    """Throw the body configured in the panel Throw."""
    made, began = session.state(Throwing), throw_start(session, mouse, size)
    if began is None:
        session.notify("no throw from inside the ground: bring the camera above it")
        return
    start, velocity = began
    session.post(commands.throw, tuple(map(float, start)), tuple(map(float, velocity)), density=made.density,
                 shape=made.new_shape.shape(), **surface(made))


def preview(session: Session, mouse: tuple[float, float], size: tuple[float, float]) -> None:
    """Show the path, and the body at its end."""
    began = throw_start(session, mouse, size)
    if began is None:
        return
    start, velocity = began
    new_shape, aimed, frame = session.state(Throwing).new_shape, session.state(ThrowAim), visible(session)
    known, now = (start.tobytes(), velocity.tobytes(), frame.gravity, new_shape.kind, new_shape.size), time.perf_counter()
    if known != aimed.known or (frame is not aimed.frame and now - aimed.wall > REFRESH_INTERVAL):
        aimed.known, aimed.frame, aimed.wall, aimed.coming = known, frame, now, _coming(frame, new_shape, start, velocity)
    session.ghosts = (*session.ghosts, aimed.coming)


def _coming(frame: Frame, new_shape: Any, start: np.ndarray, velocity: np.ndarray) -> PreviewGhost:
    gravity, shape = np.array(frame.gravity), new_shape.shape()
    times = np.linspace(0.0, PREVIEW_TIME, PREVIEW_DASHES + 1)
    way = _at(times, start, velocity, gravity)
    end, last = way[-1], PREVIEW_TIME
    for k in range(PREVIEW_DASHES):
        piece = way[k + 1] - way[k]
        hit = pick(frame, way[k], piece)
        if hit is not None and hit[2] <= np.linalg.norm(piece):
            end, last = _where(frame, new_shape, way[k], piece, hit), times[k] + (times[1] * hit[2] / np.linalg.norm(piece))
            break
    ends = 2 * DASHES_PER_PIECE * max(2, round(PREVIEW_DASHES * last / PREVIEW_TIME))
    dashes = _at(np.linspace(0.0, last, ends), start, velocity, gravity)
    return PreviewGhost(shape.kind, tuple(shape.dims), tuple(map(float, end)), path=tuple(map(tuple, dashes.tolist())))


def _at(times: np.ndarray, start: np.ndarray, velocity: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """(1) at times (n,) [s]: (n, 3) [m]."""
    return start + times[:, None] * velocity + 0.5 * (times**2)[:, None] * gravity


def _where(frame: Frame, new_shape: Any, origin: np.ndarray, way: np.ndarray, hit: tuple) -> np.ndarray:
    """Position of the body's centre (3,) [m] when it touches the surface hit by its centre's path."""
    across = np.cross(way, (0.0, 0.0, 1.0))
    across = across if np.linalg.norm(across) > 1e-9 * np.linalg.norm(way) else np.array([1.0, 0.0, 0.0])
    sides = across, np.cross(way, across)
    hits = [hit, *(pick(frame, origin + RAY_OFFSET * side / np.linalg.norm(side), way) for side in sides)]
    return pose_on_surface(new_shape, hit[1], facing(hits, way, -way / np.linalg.norm(way)))
