"""Which contacts a picture shows: all of them; of a crowd the nearest ones within the picture. No GL.

More marks than CROWDED lie on top of each other, and to work all of them out would take longer than a picture may. The farthest
that are shown fade, so that none appears or goes all at once when the camera or the bodies move.
"""

from dataclasses import dataclass

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame

CROWDED = 2000
"""Contacts shown at most, but for those that are chosen or pointed out."""
FADING = 0.2
"""The farthest part of the depth that is shown, in which marks fade."""
BESIDE = 1.05
"""A mark whose middle is beside the picture may reach into it: half the picture, times this."""


@dataclass
class Places:
    """Where the contacts of the newest frame are (n, 3) float32 [m]: gathered once, though the camera moves."""

    frame: Frame | None = None
    points: np.ndarray | None = None

    def of(self, frame: Frame) -> np.ndarray:
        """Those of this frame."""
        if self.frame is not frame:
            self.frame, self.points = frame, frame.contacts["pos"].astype(np.float32)
        return self.points


def nearest(points: np.ndarray, camera: Camera, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """(which of the points (n, 3) are shown, rising; their opacity 0 .. 1): the CROWDED nearest within the picture."""
    right, up, forward = camera.axes()
    tangent = 0.5 * camera.pixel_size(height) * height
    across, upward = BESIDE * tangent * width / max(height, 1), BESIDE * tangent
    turn = np.column_stack([right / across, up / upward, forward]).astype(np.float32)
    x, y, depth = (points @ turn - (camera.eye @ turn).astype(np.float32)).T
    within = np.flatnonzero((np.abs(x) < depth) & (np.abs(y) < depth))
    depth = depth[within]
    if len(within) <= CROWDED:
        return within, np.ones(len(within), np.float32)
    kept = np.sort(np.argpartition(depth, CROWDED)[:CROWDED])
    depth = depth[kept]
    first, last = float(depth.min()), float(depth.max())
    return within[kept], np.clip((last - depth) / (FADING * max(last - first, 1e-9)), 0.0, 1.0)


def shown(points: np.ndarray, camera: Camera, width: int, height: int, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As `nearest`; those `wanted` are shown in full wherever they are."""
    index, opacity = nearest(points, camera, width, height)
    wanted = wanted[(wanted >= 0) & (wanted < len(points))]
    if not len(wanted):
        return index, opacity
    every, first = np.unique(np.concatenate([wanted, index]), return_index=True)
    return every, np.concatenate([np.ones(len(wanted), np.float32), opacity])[first]
