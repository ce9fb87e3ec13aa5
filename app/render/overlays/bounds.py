"""The boxes along the world's axes in which the broad phase looks for pairs: those of the shapes, without their look-ahead."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.sight import Sight

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = np.array([(i, j) for i in range(8) for j in range(i + 1, 8) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1])
"""Corners of a box 0 .. 1 and the pairs of them that an edge joins."""


def draw(sight: Sight, ink: Ink) -> None:
    shapes = sight.frame.shapes[sight.placed.index]
    reach = shapes["reach"][:, None]
    lo, hi = shapes["lo"] + reach, shapes["hi"] - reach
    k = np.flatnonzero(np.isfinite(lo).all(axis=1) & np.isfinite(hi).all(axis=1) & (hi > lo).any(axis=1))
    went = sight.placed.pos[k] - shapes["pos"][k]   # boxes are those of the start of the step
    box(ink, lo[k] + went, hi[k] + went, sight.theme.muted, 1.3)


def box(ink: Ink, lo: np.ndarray, hi: np.ndarray, colour: tuple[float, float, float], pixels: float) -> None:
    """Edges of boxes (n, 3) .. (n, 3)."""
    corners = np.where(CORNERS, hi[:, None], lo[:, None])
    ink.line(corners[:, EDGES[:, 0]].reshape(-1, 3), corners[:, EDGES[:, 1]].reshape(-1, 3), colour, pixels, 0.8)


OVERLAY = Overlay("Bounding boxes of the shapes along the world's axes (AABB).", "bodies", draw)
