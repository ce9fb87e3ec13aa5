"""The boxes along the world's axes in which the broad phase looks for pairs: those of the shapes, without their look-ahead."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.sight import Sight

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = np.array([(i, j) for i in range(8) for j in range(i + 1, 8) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1])
"""Corners of a box 0 .. 1 and the pairs of them that an edge joins."""


def draw(sight: Sight, ink: Ink) -> None:
    placed = sight.placed
    near, opacity = sight.near(placed.pos, placed.body == sight.chosen("body"))
    shapes = np.take(sight.frame.shapes, placed.index[near])
    reach = shapes["reach"][:, None]
    lo, hi = shapes["lo"] + reach, shapes["hi"] - reach
    k = np.flatnonzero(np.isfinite(lo).all(axis=1) & np.isfinite(hi).all(axis=1) & (hi > lo).any(axis=1))
    went = placed.pos[near[k]] - shapes["pos"][k]   # boxes are those of the start of the step
    corners = np.where(CORNERS, (hi[k] + went)[:, None], (lo[k] + went)[:, None])
    edges(ink, corners, sight.theme.muted, 1.3, 0.8 * opacity[k])


def edges(ink: Ink, corners: np.ndarray, colour: tuple[float, float, float], pixels: float, opacity: np.ndarray) -> None:
    """Of boxes: corners (n, 8, 3) [m] in the order of CORNERS, opacity (n,)."""
    start, end = (corners[:, EDGES[:, side]].reshape(-1, 3) for side in (0, 1))
    ink.line(start, end, colour, pixels, np.repeat(opacity, len(EDGES)))


OVERLAY = Overlay("Bounding boxes of the shapes along the world's axes (AABB).", "bodies", draw)
