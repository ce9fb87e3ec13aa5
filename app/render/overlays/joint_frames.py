"""Frames of joints on both bodies: x red, y green, z blue; those of the second body are thinner."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from physics.core.quaternions import product, rotate


def frames(context: OverlayContext, index: np.ndarray, side: str) -> np.ndarray:
    """World quaternions (n, 4) of the joint frames on one side, "a" or "b"."""
    table = context.frame.joints[index]
    return product(context.placed.body_quat[table[f"body_{side}"]], table[f"frame_{side}"])


def axis_of(quat: np.ndarray, k: int) -> np.ndarray:
    """Axis k of frames (n, 3)."""
    return rotate(quat, np.broadcast_to(np.eye(3)[k], (len(quat), 3)))


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.hinges
    if not len(seen.index):
        return
    for side, points, size, pixels in (("a", seen.pos, 0.7, 3.0), ("b", seen.end, 0.55, 1.8)):
        quat = frames(context, seen.index, side)
        for k in range(3):
            draw_list.arrow(points, axis_of(quat, k) * (size * context.typical_size), context.theme.axes[k], pixels)


OVERLAY = Overlay("Joint frames on both bodies: x red, y green, z blue.", "joints", draw, words=("frames",))
