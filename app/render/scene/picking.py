"""Picks what is under the cursor: bodies by rays, contacts and joints by their distance in the picture. No GL."""

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.scene.transforms import (
    BodyTransforms,
    boxes_in_picture,
    contact_points,
    is_dynamic,
    joint_points,
    mark_limits,
)
from physics.core.records import Kind
from physics.world.queries import MAX_RAY_LENGTH, CollisionQuery

PICK_DISTANCE = 14.0
"""Largest distance of the cursor from a contact or a joint [pixels]."""


def pick(frame: Frame, origin: np.ndarray, direction: np.ndarray,
         blend: float = 1.0) -> tuple[int, np.ndarray, float] | None:
    """The first body on a ray.

    Args:
        origin, direction: shape (3,), world frame; the direction need not be a unit vector.
        blend: as in Frame.poses; 1 is the newest state.

    Returns:
        (body, point (3,) [m, world], distance [m]), or None.
    """
    origin, direction = np.asarray(origin, float), np.asarray(direction, float)
    length = float(np.linalg.norm(direction))
    if not (length > 0.0 and np.isfinite(length) and np.all(np.abs(origin) <= MAX_RAY_LENGTH)):
        return None
    placed, direction = BodyTransforms(frame, blend), direction / length
    rows = _on_ray(placed, origin, direction)
    if not len(rows):
        return None
    shapes, own = frame.shapes[placed.index[rows]], placed.body[rows]
    bodies = frame.bodies[own]      # a row for each shape, where it is drawn
    bodies["pos"], bodies["quat"], bodies["asleep"] = placed.body_pos[own], placed.body_quat[own], 0
    shapes["body"] = np.arange(len(shapes))
    hits = CollisionQuery.of(bodies, shapes, frame.shape_kinds, frame.pool).ray(origin, direction)
    row, distance = int(hits.body[0]), float(hits.distance[0])
    return (int(own[row]), origin + distance * direction, distance) if row >= 0 else None


def pick_contact(frame: Frame, camera: Camera, x: float, y: float, width: float, height: float,
                 reach: float = PICK_DISTANCE, blend: float = 1.0) -> int:
    """Index of the contact nearest to the pixel (origin bottom left), -1 if none is within reach [pixels]; on small bodies the
    reach is that of their marks, so that clicks beside those meet the bodies."""
    contacts, placed = frame.contacts, BodyTransforms(frame, blend)
    bodies = np.where(is_dynamic(frame, contacts["body_b"]), contacts["body_b"], contacts["body_a"])
    return _nearest(contact_points(frame, placed.body_pos, placed.body_quat), camera, x, y, width, height,
                    _reaches(frame, placed, camera, (width, height), reach)[bodies])


def pick_joint(frame: Frame, camera: Camera, x: float, y: float, width: float, height: float,
               reach: float = PICK_DISTANCE, blend: float = 1.0) -> int:
    """Index of the joint whose point is nearest to the pixel, -1 if none is within reach [pixels]."""
    placed = BodyTransforms(frame, blend)
    index, points, _ = joint_points(frame, placed.body_pos, placed.body_quat)
    reaches = _reaches(frame, placed, camera, (width, height), reach)[frame.joints["body_b"][index]]
    found = _nearest(points, camera, x, y, width, height, reaches)
    return int(index[found]) if found >= 0 else -1


def _reaches(frame: Frame, placed: BodyTransforms, camera: Camera, size: tuple[float, float], reach: float) -> np.ndarray:
    """Distance from marks on each body that counts as on them (n,) [pixels], at most `reach`."""
    moving = np.flatnonzero(frame.bodies["kind"] >= Kind.KINEMATIC)
    limits = mark_limits(*boxes_in_picture(frame, placed, moving, camera, *size), len(frame.bodies))
    return np.minimum(reach, 0.5 * limits + 1.0)


def _nearest(points: np.ndarray, camera: Camera, x: float, y: float, width: float, height: float, reach: np.ndarray) -> int:
    if len(points) == 0:
        return -1
    seen = camera.project(points, width, height)
    away = np.hypot(seen[:, 0] - x, seen[:, 1] - y)
    away[~(seen[:, 2] > 0.0)] = np.inf
    near = np.flatnonzero(away <= reach)
    if len(near) == 0:
        return -1
    # Nearest in the picture first; depth breaks near ties.
    return int(near[np.argmin(np.round(away[near]) + 1e-3 * seen[near, 2] / seen[near, 2].max())])


def _on_ray(placed: BodyTransforms, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The shapes whose bounding balls the ray enters; a floor that is seen from below is left out."""
    radius = placed.radii()
    offset = placed.pos - origin
    along = offset @ direction
    with np.errstate(invalid="ignore", over="ignore"):
        off2 = np.einsum("ij,ij->i", offset, offset) - along * along
        reached = (off2 <= radius * radius) & (along + radius >= 0.0)
    planes = placed.of("plane")
    reached[planes[np.einsum("ij,ij->i", placed.planes[0], offset[planes]) > 0.0]] = False
    return np.flatnonzero(reached)
