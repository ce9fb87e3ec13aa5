"""Camera commands: views along the axes, saved views, following a body. No GL, no ImGui."""

from dataclasses import dataclass, field

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.i18n.message import message
from app.session import Session
from physics.core.records import Kind
from scenes import View

AXIS_VIEWS = {"front": ("along y", 0.0, 0.0), "back": ("against y", 180.0, 0.0), "right": ("against x", 90.0, 0.0),
              "left": ("along x", -90.0, 0.0), "top": ("down", 0.0, 90.0), "bottom": ("up", 0.0, -90.0)}
"""(direction of view, azimuth, elevation [degrees]) of the views along the axes."""

SAVED_VIEW_NUMBERS = range(1, 10)
"""Numbers of saved views."""


@dataclass
class CameraFollow:
    """views: (view, whether it is parallel) by (scene, number). body: the followed body, -1: none, in `scene`; pos: its position
    in the last picture (3,) [m]."""

    views: dict[tuple[str, int], tuple[View, bool]] = field(default_factory=dict)
    body: int = -1
    scene: str = ""
    pos: np.ndarray = field(default_factory=lambda: np.zeros(3))


def turn(session: Session, name: str) -> None:
    """Look along an axis at the present target."""
    _, azimuth, elevation = AXIS_VIEWS[name]
    camera = session.camera
    camera.set_view(View(tuple(camera.target), camera.distance, azimuth, elevation), glide=True)


def toggle_parallel(session: Session) -> None:
    """Switch between parallel projection and perspective."""
    session.camera.flat = not session.camera.flat


def save_view(session: Session, number: int) -> None:
    """Save the camera's view."""
    camera = session.camera
    view = View(tuple(map(float, camera.target)), camera.distance, camera.azimuth, camera.elevation)
    session.state(CameraFollow).views[session.frame.scene, number] = (view, camera.flat)
    session.notify(message("view {number} saved: press {number} to return to it", number=number))


def has_view(session: Session, number: int) -> bool:
    return (session.frame.scene, number) in session.state(CameraFollow).views


def load_view(session: Session, number: int) -> None:
    """Go to a saved view; shows a sentence if there is none."""
    if not has_view(session, number):
        session.notify(message("no view {number} is saved for this scene: press Ctrl+{number} to save the current one",
                            number=number))
        return
    leave(session)
    view, session.camera.flat = session.state(CameraFollow).views[session.frame.scene, number]
    session.camera.set_view(view, glide=True)


def follow(session: Session) -> None:
    """Start or stop following the selected body."""
    standing, body = session.state(CameraFollow), session.selection.body
    if follows(session) and body in (standing.body, -1):
        leave(session)
    elif not _there(session.frame, body):
        session.notify("select a body to follow: click it, or choose it in the Outliner panel")
    else:
        standing.body, standing.scene = body, session.frame.scene
        standing.pos = session.frame.bodies["pos"][body].copy()
        session.camera.target = standing.pos.copy()


def follows(session: Session) -> bool:
    return session.state(CameraFollow).body >= 0


def leave(session: Session) -> None:
    """Stop following."""
    session.state(CameraFollow).body = -1


def follow_body(session: Session, camera: Camera, now: float) -> None:
    """Call once per picture: move the camera with the drawn pose of the followed body. now: perf_counter [s]."""
    standing, frame = session.state(CameraFollow), session.frame
    if standing.body < 0:
        return
    if standing.scene != frame.scene or not _there(frame, standing.body):
        leave(session)
        return
    pos = frame.poses(frame.blend(now))[0][standing.body]
    camera.carry(pos - standing.pos)
    standing.pos = np.array(pos)


def _there(frame: Frame, body: int) -> bool:
    return 0 < body < len(frame.bodies) and frame.bodies["kind"][body] != Kind.FREE
