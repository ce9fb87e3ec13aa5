"""Which contacts a picture shows: all of them; of a crowd the nearest ones within the picture. Likewise boxes of bodies. No GL.

More marks than CROWDED lie on top of each other, and to work all of them out would take longer than a picture may. The farthest
that are shown fade, so that none appears or goes all at once when the camera or the bodies move.
"""

from dataclasses import dataclass

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame

CROWDED = 2000
"""Contacts shown at most, but for those that are chosen or pointed out."""
BOXES = 600
"""Bodies at most around which a box is drawn, but for the chosen one."""
FADING = 0.2
"""The farthest part of the depth that is shown, in which marks fade."""
BESIDE = 1.05
"""A mark whose middle is beside the picture may reach into it: half the picture, times this."""


@dataclass
class Places:
    """Where the contacts of the newest frame are (n, 3) float32 [m]: gathered once, though the camera moves. Its columns lie
    together, for they are worked on one by one."""

    frame: Frame | None = None
    points: np.ndarray | None = None

    def of(self, frame: Frame) -> np.ndarray:
        """Those of this frame."""
        if self.frame is not frame:
            self.frame, self.points = frame, frame.contacts["pos"].astype(np.float32, order="F")
        return self.points


def nearest(points: np.ndarray, camera: Camera, width: int, height: int, most: int = CROWDED) -> tuple[np.ndarray, np.ndarray]:
    """(which of the points (n, 3) are shown, rising; their opacity 0 .. 1): the nearest ones within the picture."""
    right, up, forward = camera.axes()
    tangent = 0.5 * camera.pixel_size(height) * height
    across, upward = BESIDE * tangent * width / max(height, 1), BESIDE * tangent
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
          most: int = CROWDED) -> tuple[np.ndarray, np.ndarray]:
    """As `nearest`; those `wanted` are shown in full wherever they are."""
    index, opacity = nearest(points, camera, width, height, most)
    wanted = wanted[(wanted >= 0) & (wanted < len(points))]
    if not len(wanted):
        return index, opacity
    every, first = np.unique(np.concatenate([wanted, index]), return_index=True)
    return every, np.concatenate([np.ones(len(wanted), np.float32), opacity])[first]
