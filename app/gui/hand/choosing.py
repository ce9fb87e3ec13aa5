"""Several bodies at once: added to the selection by Ctrl, by a rectangle, or all; and what is done to all of them. No ImGui."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.place import Placed
from app.session import Selection, Session
from physics.core.records import Kind

Corner = tuple[float, float]


@dataclass
class Rectangle:
    """What Ctrl and a drag span, in the window [px], y down; None: nothing now."""

    corners: tuple[Corner, Corner] | None = None


def toggle(session: Session, body: int) -> None:
    """Add a body to the selection or take it out."""
    session.selection = session.selection.toggled(body)


def add(session: Session, bodies: list[int]) -> None:
    """Add bodies to the selection; the one that is shown stays so."""
    chosen = session.selection.bodies
    if bodies:
        session.selection = Selection.of([*(i for i in bodies if i not in chosen), *chosen])


def choose_all(session: Session, hidden: Collection[int] = ()) -> None:
    """Select all that moves, but for what is hidden."""
    add(session, [i for i in np.flatnonzero(session.frame.bodies["kind"] >= Kind.KINEMATIC).tolist() if i not in hidden])


def within(frame: Frame, camera: Camera, size: tuple[float, float], corners: tuple[Corner, Corner], blend: float) -> list[int]:
    """The bodies whose centres are seen in a rectangle of a viewport of that size [px, origin bottom left]; no floors."""
    placed = Placed(frame, blend)
    some = np.unique(placed.body[(placed.body > 0) & np.isfinite(placed.radii())])
    if not len(some):
        return []
    seen = camera.project(placed.body_pos[some], *size)
    lo, hi = np.min(corners, axis=0), np.max(corners, axis=0)
    return some[(seen[:, 2] > 0.0) & np.all((seen[:, :2] >= lo) & (seen[:, :2] <= hi), axis=1)].tolist()


def with_it(session: Session, body: int) -> tuple[int, ...]:
    """What something done to a body is meant for: all that is selected if it is among them, else it alone. Never the world."""
    chosen = session.selection.bodies
    return tuple(i for i in (chosen if body in chosen else (body,)) if i > 0)


def give(session: Session, command: str, body: int, arguments: Callable[[int], tuple], **same: Any) -> None:
    """Do a command to that body and to all that are selected with it. arguments: of a body, in their order."""
    together(session, command, (arguments(i) for i in with_it(session, body)), **same)


def together(session: Session, command: str, calls: Iterable[tuple], **same: Any) -> None:
    """Post a command for each list of arguments, as one edit."""
    calls = tuple(calls)
    if len(calls) == 1:
        session.post(command, *calls[0], **same)
    elif calls:
        session.post("together", command, calls, **same)
