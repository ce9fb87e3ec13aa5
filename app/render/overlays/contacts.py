"""Contact points; shape and colour show stick, slip or open, the case reported by the solver."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import ARROW, RING, SQUARE, DrawList
from app.render.scene.overlay_context import OverlayContext

CROWD = 150
"""With more contacts than this in the picture their marks become smaller and fainter, down to CALM."""
CALM = 0.62
SIZE, CHOSEN = 11.0, 17.0
"""Sizes of marks [px]."""


def calm(sight: OverlayContext, points: np.ndarray) -> float:
    """Scale of the marks: 1 for few of them in the picture, towards CALM for many."""
    if sight.camera is None or len(points) <= CROWD:
        return 1.0
    x, y, depth = sight.camera.project(points, sight.width, sight.height).T
    inside = (depth > 0.0) & (x > 0.0) & (x < sight.width) & (y > 0.0) & (y < sight.height)
    return max(CALM, (CROWD / max(CROWD, np.count_nonzero(inside))) ** 0.35)


def draw(sight: OverlayContext, ink: DrawList) -> None:
    seen = sight.touching
    quiet = calm(sight, seen.pos)
    size = np.full(len(seen.pos), SIZE * quiet)
    size[seen.at((sight.chosen("contact"),))] = CHOSEN
    ink.mark(seen.pos, size, np.array([RING, SQUARE, ARROW])[seen.case], seen.colours, seen.slip, quiet * seen.opacity)


OVERLAY = Overlay("Contact points: square = stick, arrow-shaped = slip, ring = open.", "contacts", draw, key="C", default=True,
                  words=("contacts",))
