"""What B and Shift+click throw, from the eye along the cursor's ray; and before that where it would go. No ImGui.

    x(t) = x0 + v0 t + g t^2 / 2, until its centre meets something                                                  (1)
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.frame import Frame
from app.gui.fields.making import Throwing, facing, standing, surface
from app.gui.hand.hiding import seen
from app.picking import pick
from app.render.sight import Coming
from app.session import Session

REACH = 3.0
"""How far ahead its way is shown [s]."""

PIECES = 24
"""Straight pieces in which it is looked for what it meets."""

DASHES = 3
"""Of each piece."""

INTERVAL = 0.1
"""Wall seconds after which it is looked again what is in its way, where only the bodies moved."""

BESIDE = 0.02
"""Rays beside its way tell which way a surface looks, so far from it [m]."""


@dataclass
class Aimed:
    """What was worked out last, and for what, in which frame and when [wall s]."""

    known: tuple = ()
    frame: Frame | None = None
    wall: float = 0.0
    coming: Coming | None = None


def leaves(session: Session, mouse: tuple[float, float], size: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """(where (3,) [m], velocity (3,) [m/s]) with which it leaves the eye towards a pixel of a viewport of that size."""
    origin, direction = session.camera.ray(*mouse, *size)
    return origin + (0.5 + session.camera.lead) * direction, session.throw_speed * direction


def throw(session: Session, mouse: tuple[float, float], size: tuple[float, float]) -> None:
    """What the panel Throw has made."""
    made, (start, velocity) = session.memory(Throwing), leaves(session, mouse, size)
    session.post("throw", tuple(map(float, start)), tuple(map(float, velocity)), density=made.density, shape=made.mould.shape(),
                 **surface(made))


def preview(session: Session, mouse: tuple[float, float], size: tuple[float, float]) -> None:
    """Show its way, and it where that ends."""
    start, velocity = leaves(session, mouse, size)
    mould, aimed, frame = session.memory(Throwing).mould, session.memory(Aimed), seen(session)
    known, now = (start.tobytes(), velocity.tobytes(), frame.gravity, mould.kind, mould.size), time.perf_counter()
    if known != aimed.known or (frame is not aimed.frame and now - aimed.wall > INTERVAL):
        aimed.known, aimed.frame, aimed.wall, aimed.coming = known, frame, now, _coming(frame, mould, start, velocity)
    session.echoes = (*session.echoes, aimed.coming)


def _coming(frame: Frame, mould: Any, start: np.ndarray, velocity: np.ndarray) -> Coming:
    gravity, shape = np.array(frame.gravity), mould.shape()
    times = np.linspace(0.0, REACH, PIECES + 1)
    way = _at(times, start, velocity, gravity)
    end, last = way[-1], REACH
    for k in range(PIECES):
        piece = way[k + 1] - way[k]
        hit = pick(frame, way[k], piece)
        if hit is not None and hit[2] <= np.linalg.norm(piece):
            end, last = _where(frame, mould, way[k], piece, hit), times[k] + (times[1] * hit[2] / np.linalg.norm(piece))
            break
    dashes = _at(np.linspace(0.0, last, 2 * DASHES * max(2, round(PIECES * last / REACH))), start, velocity, gravity)
    return Coming(shape.kind, tuple(shape.dims), tuple(map(float, end)), path=tuple(map(tuple, dashes.tolist())))


def _at(times: np.ndarray, start: np.ndarray, velocity: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """(1) at times (n,) [s]: (n, 3) [m]."""
    return start + times[:, None] * velocity + 0.5 * (times**2)[:, None] * gravity


def _where(frame: Frame, mould: Any, origin: np.ndarray, way: np.ndarray, hit: tuple) -> np.ndarray:
    """The place of its centre (3,) [m] when it touches what its centre's way would meet."""
    across = np.cross(way, (0.0, 0.0, 1.0))
    across = across if np.linalg.norm(across) > 1e-9 * np.linalg.norm(way) else np.array([1.0, 0.0, 0.0])
    sides = across, np.cross(way, across)
    hits = [hit, *(pick(frame, origin + BESIDE * side / np.linalg.norm(side), way) for side in sides)]
    return standing(mould, hit[1], facing(hits, way, -way / np.linalg.norm(way)))
