"""Axis-aligned bounding boxes of the shapes, as used by the broad phase but without their margin."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext

UNIT_CUBE_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = np.array([(i, j) for i in range(8) for j in range(i + 1, 8)
                  if np.abs(UNIT_CUBE_CORNERS[i] - UNIT_CUBE_CORNERS[j]).sum() == 1])
"""Corners of the unit box 0 .. 1, and the pairs of them joined by edges."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    placed = context.placed
    near, opacity = context.near(placed.pos, placed.body == context.chosen("body"))
    shapes = np.take(context.frame.shapes, placed.index[near])
    reach = shapes["reach"][:, None]
    lo, hi = shapes["lo"] + reach, shapes["hi"] - reach
    k = np.flatnonzero(np.isfinite(lo).all(axis=1) & np.isfinite(hi).all(axis=1) & (hi > lo).any(axis=1))
    went = placed.pos[near[k]] - shapes["pos"][k]   # boxes are those at the start of the step
    corners = np.where(UNIT_CUBE_CORNERS, (hi[k] + went)[:, None], (lo[k] + went)[:, None])
    edges(draw_list, corners, context.theme.muted, 1.3, 0.8 * opacity[k])


def edges(draw_list: DrawList, corners: np.ndarray, colour: tuple[float, float, float], pixels: float,
          opacity: np.ndarray) -> None:
    """Draw boxes: corners (n, 8, 3) [m] in the order of UNIT_CUBE_CORNERS, opacity (n,)."""
    start, end = (corners[:, EDGES[:, side]].reshape(-1, 3) for side in (0, 1))
    draw_list.line(start, end, colour, pixels, np.repeat(opacity, len(EDGES)))


OVERLAY = Overlay("Axis-aligned bounding boxes (AABB) of the shapes.", "bodies", draw)
