"""What is drawn over the bodies, as arrays of instances: marks, arrows, cones. numpy only, no GL, no loop over contacts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.place import Placed, contact_points, is_dynamic, joint_ends, joint_points, rotate
from app.render.theme import Theme
from app.view import ViewOptions
from physics import joints
from physics.core.records import Case, Kind

RING, SQUARE, ARROW, DISC, JOINT = range(5)
"""Shapes of marks, as marker.frag draws them."""
COILS, COIL_POINTS = 9, 20
CROWD = 150
"""With more contacts than this in the picture their marks get smaller and fainter, down to CALM."""
CALM = 0.62
SHORTEST = 1.0
"""An arrow shorter than this is not drawn [px]."""


@dataclass(frozen=True)
class Drag:
    """The spring between a point of a body and the mouse: both ends [m, world] and its force [N]."""

    start: np.ndarray
    end: np.ndarray
    force: float


def find_drag(frame: Frame, placed: Placed) -> Drag | None:
    """The mouse spring among the joints, if there is one."""
    if "drag" not in frame.joint_kinds:
        return None
    found = np.flatnonzero(frame.joints["kind"] == frame.joint_kinds.index("drag"))
    if len(found) == 0:
        return None
    joint = frame.joints[found[-1] : found[-1] + 1]
    ends = [placed.body_pos[joint[b]] + rotate(placed.body_quat[joint[b]], joint[p])
            for b, p in (("body_b", "anchor_b"), ("body_a", "anchor_a"))]
    return Drag(ends[0][0], ends[1][0], float(np.linalg.norm(joint["friction_impulse"][0])) / frame.dt)


class Overlay:
    """Instance arrays of one picture: arrows (n, 12), marks (n, 12), cones (n, 16), float32.

    facing: along the view. seen: camera and size of the picture [px], to leave out what is too small and to calm crowds.
    """

    def __init__(self, frame: Frame, placed: Placed, view: ViewOptions, theme: Theme, selection: Any, drag: Drag | None,
                 facing: np.ndarray, seen: tuple[Camera, int, int] | None = None) -> None:
        self._theme, self._seen = theme, seen
        self._arrows: list[np.ndarray] = []
        self._marks: list[np.ndarray] = []
        self.cones = np.zeros((0, 16), np.float32)
        chosen = selection.contact if selection is not None else -1
        if len(frame.contacts):
            self._contacts(frame, placed, view, chosen)
        if view.joints:
            self._joints(frame, placed, selection.joint if selection is not None else -1)
        if view.velocities:
            self._velocities(frame, placed, view)
        if drag is not None:
            self._spring(drag, facing)
        self.arrows = _stack(self._arrows, 12)
        self.marks = _stack(self._marks, 12)

    def magnify(self, density: float) -> None:
        """Multiply everything that is measured in pixels."""
        self.arrows[:, 7] *= density
        self.marks[:, 3] *= density

    # ---- contacts

    def _contacts(self, frame: Frame, placed: Placed, view: ViewOptions, chosen: int) -> None:
        c, theme = frame.contacts, self._theme
        pos = contact_points(frame, placed.body_pos, placed.body_quat)
        # Forces as the moving body feels them: on b, or on a where b does not move.
        sign = np.where(is_dynamic(frame, c["body_b"]), 1.0, -1.0)
        axis = c["normal"] * sign[:, None]
        metres = view.force_scale / frame.dt
        height = c["impulse"] * metres
        friction = c["friction_impulse"] * (metres * sign)[:, None]
        colours = np.array([theme.case(k) for k in range(3)])[np.clip(c["case"], 0, 2)]
        pressed = np.flatnonzero(height > 0.0)
        shown = pressed if view.cones else pressed[pressed == chosen]
        if len(shown):
            self._cones(pos[shown], axis[shown], c["tangent"][shown], height[shown], c["friction"][shown], colours[shown])
            total = axis[shown] * height[shown, None] + friction[shown]
            self._arrow(pos[shown], total, theme.force, 3.0)
        if view.forces and len(pressed):
            self._arrow(pos[pressed], axis[pressed] * height[pressed, None], theme.normal, 2.6)
            self._arrow(pos[pressed], friction[pressed], theme.friction, 2.6)
        if view.normals:
            self._arrow(pos, axis * (0.8 * _typical(frame)), theme.muted, 2.0)
        if view.contacts:
            shape = np.array([RING, SQUARE, ARROW])[np.clip(c["case"], 0, 2)]
            calm = self._calm(pos)
            size = np.full(len(c), 11.0 * calm)
            if 0 <= chosen < len(c):
                size[chosen] = 17.0
            slip = c["slip"] * sign[:, None]
            slip[c["case"] != Case.SLIP] = 0.0
            self._mark(pos, size, slip, shape, colours, calm)

    def _calm(self, points: np.ndarray) -> float:
        """1 for a few marks in the picture, towards CALM for a crowd of them."""
        if self._seen is None or len(points) <= CROWD:
            return 1.0
        camera, width, height = self._seen
        x, y, depth = camera.project(points, width, height).T
        inside = (depth > 0.0) & (x > 0.0) & (x < width) & (y > 0.0) & (y < height)
        return max(CALM, (CROWD / max(CROWD, np.count_nonzero(inside))) ** 0.35)

    def _cones(self, pos: np.ndarray, axis: np.ndarray, tangent: np.ndarray, height: np.ndarray, mu: np.ndarray,
               colours: np.ndarray) -> None:
        out = np.ones((len(pos), 16), np.float32)
        out[:, 0:3], out[:, 3] = pos, height
        out[:, 4:7], out[:, 7] = axis, mu * height
        out[:, 8:11] = tangent
        out[:, 12:15] = colours
        self.cones = out

    # ---- joints, bodies, mouse

    def _joints(self, frame: Frame, placed: Placed, chosen: int) -> None:
        index, points, axes = joint_points(frame, placed.body_pos, placed.body_quat)
        if len(index) == 0:
            return
        theme = self._theme
        colours = np.tile(np.array(theme.joint), (len(index), 1))
        colours[index == chosen] = theme.accent
        known = joints.kinds()
        kind = frame.joints["kind"][index]
        link = np.array([known[name].anchors == 2 for name in frame.joint_kinds] or [False])[kind]
        rod = np.array([known[name].axis for name in frame.joint_kinds] or [True])[kind] | (
            (frame.joints["used"][index] != 0) & ~link)
        ends = joint_ends(frame, index[link], placed.body_pos, placed.body_quat)
        self._arrow(points[link], ends - points[link], colours[link], 2.0, head=0.0)
        reach = axes[rod] * (0.9 * _typical(frame))
        self._arrow(points[rod] - reach, 2.0 * reach, colours[rod], 2.0, head=0.0)
        size = np.where(index == chosen, 18.0, 12.0)
        self._mark(points, size, np.zeros_like(points), np.full(len(index), JOINT), colours)

    def _velocities(self, frame: Frame, placed: Placed, view: ViewOptions) -> None:
        vel = frame.bodies["vel"]
        moving = np.flatnonzero((frame.bodies["kind"] >= 2) & (np.abs(vel).max(axis=1, initial=0.0) > 1e-4))
        self._arrow(placed.body_pos[moving], vel[moving] * view.velocity_scale, self._theme.velocity, 2.6)

    def _spring(self, drag: Drag, facing: np.ndarray) -> None:
        """A coil in the plane of the picture between two dots."""
        start, end = np.asarray(drag.start, float), np.asarray(drag.end, float)
        span = end - start
        length = float(np.linalg.norm(span))
        colour = np.array(self._theme.drag)
        side = np.cross(span, facing)
        if length > 1e-9 and np.linalg.norm(side) > 1e-9:
            side /= np.linalg.norm(side)
            t = np.linspace(0.0, 1.0, COILS * COIL_POINTS + 1)
            within = np.clip((t - 0.12) / 0.76, 0.0, 1.0)
            envelope = np.minimum(1.0, 12.0 * np.minimum(within, 1.0 - within))
            wave = np.sin(2.0 * np.pi * COILS * within) * envelope * min(0.04, 0.05 * length)
            points = start + t[:, None] * span + wave[:, None] * side
            self._arrow(points[:-1], np.diff(points, axis=0), colour, 2.2, head=0.0)
        self._mark(np.stack([start, end]), np.array([11.0, 14.0]), np.zeros((2, 3)), np.array([DISC, JOINT]),
                   np.tile(colour, (2, 1)))

    # ---- instances

    def _arrow(self, start: np.ndarray, vector: np.ndarray, colour: Any, pixels: float, head: float = 1.0) -> None:
        if self._seen is not None:
            camera, _, height = self._seen
            pixel = camera.pixel_size(height) * np.maximum((start - camera.eye) @ camera.axes()[2], 0.0)
            long = np.flatnonzero(np.einsum("ij,ij->i", vector, vector) >= (SHORTEST * pixel) ** 2)
            if len(long) < len(start):
                start, vector = start[long], vector[long]
                colour = colour[long] if np.ndim(colour) > 1 else colour
        out = np.ones((len(start), 12), np.float32)
        out[:, 0:3], out[:, 3] = start, head
        out[:, 4:7], out[:, 7] = vector, pixels
        out[:, 8:11] = colour
        self._arrows.append(out)

    def _mark(self, pos: np.ndarray, size: np.ndarray, heading: np.ndarray, shape: np.ndarray, colours: np.ndarray,
              alpha: float = 1.0) -> None:
        out = np.ones((len(pos), 12), np.float32)
        out[:, 0:3], out[:, 3] = pos, size
        out[:, 4:7], out[:, 7] = heading, shape
        out[:, 8:11], out[:, 11] = colours, alpha
        self._marks.append(out)


def _typical(frame: Frame) -> float:
    """A typical half size of the moving bodies [m]."""
    body = frame.shapes["body"]
    moving = (body >= 0) & (frame.bodies["kind"][body] == Kind.DYNAMIC)
    sizes = frame.shapes["dims"][moving if moving.any() else body >= 0].max(axis=1, initial=0.0)
    sizes = sizes[sizes > 0.0]
    return float(np.median(sizes)) if len(sizes) else 0.3


def _stack(parts: list[np.ndarray], width: int) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros((0, width), np.float32)
