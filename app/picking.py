"""What is under the cursor: bodies by rays, contacts and joints by their distance in the picture. No GL."""

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.build import shape_kinds
from app.render.place import Placed, contact_points, joint_points

REACH = 14.0
"""How near the cursor must be to a contact or a joint [pixels]."""


def pick(frame: Frame, origin: np.ndarray, direction: np.ndarray,
         blend: float = 1.0) -> tuple[int, np.ndarray, float] | None:
    """The first body on a ray.

    Args:
        origin, direction: shape (3,), world frame; the direction need not be a unit vector.
        blend: as in Frame.poses; 1 is the newest state.

    Returns:
        (body, point (3,) [m, world], distance [m]), or None.
    """
    origin = np.asarray(origin, float)
    length = float(np.linalg.norm(direction))
    if not length > 0.0 or not np.isfinite(length) or not np.all(np.isfinite(origin)):
        return None
    direction = np.asarray(direction, float) / length
    placed = Placed(frame, blend)
    candidates, nearest = _candidates(placed, origin, direction)
    best, body = np.inf, -1
    for i, bound in zip(candidates, nearest):
        if bound > best:
            break
        turn = _matrix(placed.quat[i])
        kind = shape_kinds()[frame.shape_kinds[placed.kind[i]]]
        own = [frame.pool.data(placed.geometry[i])] if kind.geometric else []
        distance = kind.ray(placed.dims[i], turn.T @ (origin - placed.pos[i]), turn.T @ direction, *own)
        if distance < best:
            best, body = distance, int(placed.body[i])
    return (body, origin + best * direction, float(best)) if body >= 0 else None


def pick_contact(frame: Frame, camera: Camera, x: float, y: float, width: float, height: float,
                 reach: float = REACH, blend: float = 1.0) -> int:
    """Index of the contact nearest to the pixel (origin bottom left), -1 if none is within reach [pixels]."""
    return _nearest(contact_points(frame, *frame.poses(blend)), camera, x, y, width, height, reach)


def pick_joint(frame: Frame, camera: Camera, x: float, y: float, width: float, height: float,
               reach: float = REACH, blend: float = 1.0) -> int:
    """Index of the joint whose point is nearest to the pixel, -1 if none is within reach [pixels]."""
    pos, quat = frame.poses(blend)
    index, points, _ = joint_points(frame, pos, quat)
    found = _nearest(points, camera, x, y, width, height, reach)
    return int(index[found]) if found >= 0 else -1


def _nearest(points: np.ndarray, camera: Camera, x: float, y: float, width: float, height: float, reach: float) -> int:
    if len(points) == 0:
        return -1
    seen = camera.project(points, width, height)
    away = np.hypot(seen[:, 0] - x, seen[:, 1] - y)
    away[~(seen[:, 2] > 0.0)] = np.inf
    near = np.flatnonzero(away <= reach)
    if len(near) == 0:
        return -1
    # Among those within reach: nearest in the picture first, a nearer depth breaks near ties.
    return int(near[np.argmin(np.round(away[near]) + 1e-3 * seen[near, 2] / seen[near, 2].max())])


def _candidates(placed: Placed, origin: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shapes whose bounding ball the ray enters, nearest first, with the least distance at which it can hit."""
    radius = placed.radii()
    offset = placed.pos - origin
    along = offset @ direction
    with np.errstate(invalid="ignore", over="ignore"):
        off2 = np.einsum("ij,ij->i", offset, offset) - along * along
        reached = (off2 <= radius * radius) & (along + radius >= 0.0)
    which = np.flatnonzero(reached)
    bound = np.maximum(along[which] - radius[which], 0.0)
    order = np.argsort(bound, kind="stable")
    return which[order], bound[order]


def _matrix(quat: np.ndarray) -> np.ndarray:
    w, x, y, z = quat
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
