"""Where bodies touch; shape and colour tell whether it sticks, slips or is open, as the solver's own case says."""

import numpy as np

from app.render.ink import ARROW, RING, SQUARE, Ink
from app.render.overlays import Overlay
from app.render.sight import Sight

CROWD = 150
"""With more contacts than this in the picture their marks get smaller and fainter, down to CALM."""
CALM = 0.62
SIZE, CHOSEN = 11.0, 17.0
"""Of a mark [px]."""


def calm(sight: Sight, points: np.ndarray) -> float:
    """1 for a few marks in the picture, towards CALM for a crowd of them."""
    if sight.camera is None or len(points) <= CROWD:
        return 1.0
    x, y, depth = sight.camera.project(points, sight.width, sight.height).T
    inside = (depth > 0.0) & (x > 0.0) & (x < sight.width) & (y > 0.0) & (y < sight.height)
    return max(CALM, (CROWD / max(CROWD, np.count_nonzero(inside))) ** 0.35)


def draw(sight: Sight, ink: Ink) -> None:
    seen = sight.touching
    quiet = calm(sight, seen.pos)
    size = np.full(len(seen.pos), SIZE * quiet)
    size[seen.at((sight.chosen("contact"),))] = CHOSEN
    ink.mark(seen.pos, size, np.array([RING, SQUARE, ARROW])[seen.case], seen.colours, seen.slip, quiet * seen.opacity)


OVERLAY = Overlay("Contact points: square = stick, arrow-shaped = slip, ring = open.", "contacts", draw, key="C", default=True,
                  words=("contacts",))
