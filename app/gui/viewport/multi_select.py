"""Multiple selection: by Ctrl, by a rectangle, or all; and commands on all selected bodies. No ImGui."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.camera import Camera
from app.engine import commands
from app.engine.frame import Frame
from app.render.scene.transforms import BodyTransforms
from app.session import Selection, Session
from physics.core.records import Kind

Corner = tuple[float, float]


@dataclass
class SelectionRectangle:
    """The selection rectangle of Ctrl and drag, in the window [px], y down; None if there is none."""

    corners: tuple[Corner, Corner] | None = None


def toggle(session: Session, body: int) -> None:
    """Add a body to the selection or remove it."""
    session.selection = session.selection.toggled(body)


def add(session: Session, bodies: list[int]) -> None:
    """Add bodies to the selection; the body shown in panels stays."""
    chosen = session.selection.bodies
    if bodies:
        session.selection = Selection.of([*(i for i in bodies if i not in chosen), *chosen])


def choose_all(session: Session, hidden: Collection[int] = ()) -> None:
    """Select all dynamic bodies that are not hidden."""
    add(session, [i for i in np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC).tolist() if i not in hidden])


def within(frame: Frame, camera: Camera, size: tuple[float, float], corners: tuple[Corner, Corner], blend: float) -> list[int]:
    """Bodies whose centres lie in a rectangle of a viewport of that size [px, origin bottom left]; without floors."""
    placed = BodyTransforms(frame, blend)
    some = np.unique(placed.body[(placed.body > 0) & np.isfinite(placed.radii())])
    if not len(some):
        return []
    seen = camera.project(placed.body_pos[some], *size)
    lo, hi = np.min(corners, axis=0), np.max(corners, axis=0)
    return some[(seen[:, 2] > 0.0) & np.all((seen[:, :2] >= lo) & (seen[:, :2] <= hi), axis=1)].tolist()


def selected_with(session: Session, body: int) -> tuple[int, ...]:
    """Targets of a command on a body: all selected bodies if it is among them, else the body alone. Never the world."""
    chosen = session.selection.bodies
    return tuple(i for i in (chosen if body in chosen else (body,)) if i > 0)


def as_command(session: Session, command: Callable, body: int, arguments: Callable[[int], tuple], **same: Any) -> None:
    """Do a command to that body and to all that are selected with it. arguments: of a body, in their order."""
    apply_to_selection(session, command, (arguments(i) for i in selected_with(session, body)), **same)


def apply_to_selection(session: Session, command: Callable, calls: Iterable[tuple], **same: Any) -> None:
    """Post a command for each list of arguments, as one edit."""
    calls = tuple(calls)
    if len(calls) == 1:
        session.post(command, *calls[0], **same)
    elif calls:
        session.post(commands.batch, command.__name__, calls, **same)
