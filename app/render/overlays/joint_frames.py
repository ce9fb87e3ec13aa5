"""Frames of joints on both bodies: x red, y green, z blue; those of the second body are thinner."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from physics.basics.quaternions import product, rotate


def frames(sight: OverlayContext, index: np.ndarray, side: str) -> np.ndarray:
    """World quaternions (n, 4) of the joint frames on one side, "a" or "b"."""
    table = sight.frame.joints[index]
    return product(sight.placed.body_quat[table[f"body_{side}"]], table[f"frame_{side}"])


def axis_of(quat: np.ndarray, k: int) -> np.ndarray:
    """Axis k of frames (n, 3)."""
    return rotate(quat, np.broadcast_to(np.eye(3)[k], (len(quat), 3)))


def draw(sight: OverlayContext, ink: DrawList) -> None:
    seen = sight.hinges
    if not len(seen.index):
        return
    for side, points, size, pixels in (("a", seen.pos, 0.7, 3.0), ("b", seen.end, 0.55, 1.8)):
        quat = frames(sight, seen.index, side)
        for k in range(3):
            ink.arrow(points, axis_of(quat, k) * (size * sight.typical_size), sight.theme.axes[k], pixels)


OVERLAY = Overlay("Joint frames on both bodies: x red, y green, z blue.", "joints", draw, words=("frames",))
