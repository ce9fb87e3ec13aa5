"""Where the camera stands: along an axis, where a person kept it, or going along with a body. No GL, no ImGui."""

from dataclasses import dataclass, field

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.session import Session
from physics.core.records import Kind
from scenes import View

ALONG = {"front": ("along y", 0.0, 0.0), "back": ("against y", 180.0, 0.0), "right": ("against x", 90.0, 0.0),
         "left": ("along x", -90.0, 0.0), "top": ("down", 0.0, 90.0), "bottom": ("up", 0.0, -90.0)}
"""(which way it looks, azimuth, elevation [degrees]) of the views along the axes."""

KEPT = range(1, 10)
"""Numbers of views that can be kept."""


@dataclass
class Standing:
    """kept: (view, whether it is flat) by (scene, number). body: that the camera goes along with, -1: none, in that
    scene; pos: where it was in the last picture (3,) [m]."""

    kept: dict[tuple[str, int], tuple[View, bool]] = field(default_factory=dict)
    body: int = -1
    scene: str = ""
    pos: np.ndarray = field(default_factory=lambda: np.zeros(3))


def turn(session: Session, name: str) -> None:
    """Look along an axis at what is looked at now."""
    _, azimuth, elevation = ALONG[name]
    camera = session.camera
    camera.look(View(tuple(camera.target), camera.distance, azimuth, elevation), glide=True)


def flatten(session: Session) -> None:
    """Parallel rays, or perspective."""
    session.camera.flat = not session.camera.flat


def keep(session: Session, number: int) -> None:
    """Keep where the camera is to be."""
    camera = session.camera
    view = View(tuple(map(float, camera.target)), camera.distance, camera.azimuth, camera.elevation)
    session.memory(Standing).kept[session.frame.scene, number] = (view, camera.flat)
    session.say(f"view {number} is kept: {number} goes back to it")


def kept(session: Session, number: int) -> bool:
    return (session.frame.scene, number) in session.memory(Standing).kept


def recall(session: Session, number: int) -> None:
    """Go to a kept view; a sentence where there is none."""
    if not kept(session, number):
        session.say(f"no view {number} is kept in this scene: Ctrl+{number} keeps the present one")
        return
    leave(session)
    view, session.camera.flat = session.memory(Standing).kept[session.frame.scene, number]
    session.camera.look(view, glide=True)


def follow(session: Session) -> None:
    """Go along with the selected body from now on, or no longer."""
    standing, body = session.memory(Standing), session.selection.body
    if follows(session) and body in (standing.body, -1):
        leave(session)
    elif not _there(session.frame, body):
        session.say("select a body to follow it: click it, or choose it in the panel Outliner")
    else:
        standing.body, standing.scene = body, session.frame.scene
        standing.pos = session.frame.bodies["pos"][body].copy()
        session.camera.target = standing.pos.copy()


def follows(session: Session) -> bool:
    return session.memory(Standing).body >= 0


def leave(session: Session) -> None:
    """Follow nothing."""
    session.memory(Standing).body = -1


def go_along(session: Session, camera: Camera, now: float) -> None:
    """Once a picture: the camera moves as the body that it follows is drawn to. now: perf_counter [s]."""
    standing, frame = session.memory(Standing), session.frame
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
