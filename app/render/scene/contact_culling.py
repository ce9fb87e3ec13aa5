"""Selects the contacts shown in a picture: all, or of many the nearest in view. Likewise boxes of bodies. No GL.

More marks than MAX_CONTACTS overlap each other, and computing them all would take longer than a picture may. The farthest ones
shown fade, so that marks do not pop in and out when the camera or the bodies move.
"""

from dataclasses import dataclass

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame

MAX_CONTACTS = 2000
"""Limit of contacts shown, besides selected and highlighted ones."""
MAX_BOXES = 600
"""Limit of bodies drawn with a box, besides the selected one."""
FADING = 0.2
"""Far fraction of the shown depth range in which marks fade."""
SCREEN_MARGIN = 1.05
"""Culling limit in half pictures, since a mark centred outside may reach into the picture."""


@dataclass
class ProjectedPoints:
    """Points of the newest frame's contacts (n, 3) float32 [m]: gathered once, also while the camera moves. Column-major, since
    columns are processed one by one."""

    frame: Frame | None = None
    points: np.ndarray | None = None

    def of(self, frame: Frame) -> np.ndarray:
        """Points of this frame's contacts."""
        if self.frame is not frame:
            self.frame, self.points = frame, frame.contacts["pos"].astype(np.float32, order="F")
        return self.points


def nearest(points: np.ndarray, camera: Camera, width: int, height: int,
            most: int = MAX_CONTACTS) -> tuple[np.ndarray, np.ndarray]:
    """(indices of the points (n, 3) shown, ascending; their opacity 0 .. 1): the nearest ones in the picture."""
    right, up, forward = camera.axes()
    tangent = 0.5 * camera.pixel_size(height) * height
    across, upward = SCREEN_MARGIN * tangent * width / max(height, 1), SCREEN_MARGIN * tangent
    turn = np.array([right / across, up / upward, forward])
    x, y, depth = turn.astype(np.float32) @ points.T.astype(np.float32, copy=False)
    for row, start in zip((x, y, depth), (turn @ camera.eye).tolist()):
        row -= start
    within = np.flatnonzero((np.abs(x, out=x) < depth) & (np.abs(y, out=y) < depth))
    depth = depth[within]
    if len(within) <= most:
        return within, np.ones(len(within), np.float32)
    kept = np.sort(np.argpartition(depth, most)[:most])
    depth = depth[kept]
    first, last = float(depth.min()), float(depth.max())
    return within[kept], np.clip((last - depth) / (FADING * max(last - first, 1e-9)), 0.0, 1.0)


def shown(points: np.ndarray, camera: Camera, width: int, height: int, wanted: np.ndarray,
          most: int = MAX_CONTACTS) -> tuple[np.ndarray, np.ndarray]:
    """As `nearest`; those in `wanted` are always shown, at full opacity."""
    index, opacity = nearest(points, camera, width, height, most)
    wanted = wanted[(wanted >= 0) & (wanted < len(points))]
    if not len(wanted):
        return index, opacity
    every, first = np.unique(np.concatenate([wanted, index]), return_index=True)
    return every, np.concatenate([np.ones(len(wanted), np.float32), opacity])[first]
