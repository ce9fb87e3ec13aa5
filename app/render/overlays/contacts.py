"""Contact points; shape and colour show stick, slip or open, the case reported by the solver, or that there is no friction."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import ARROW, DISC, RING, SQUARE, DrawList
from app.render.scene.overlay_context import OverlayContext

MANY_CONTACTS = 150
"""With more contacts than this in the picture their marks become smaller and fainter, down to CALM."""
MIN_SCALE = 0.62
MARK_SIZE, SELECTED_SIZE = 11.0, 17.0
"""Sizes of marks [px]."""


def mark_scale(context: OverlayContext, points: np.ndarray) -> float:
    """Scale of the marks: 1 for few of them in the picture, towards CALM for many."""
    if context.camera is None or len(points) <= MANY_CONTACTS:
        return 1.0
    x, y, depth = context.camera.project(points, context.width, context.height).T
    inside = (depth > 0.0) & (x > 0.0) & (x < context.width) & (y > 0.0) & (y < context.height)
    return max(MIN_SCALE, (MANY_CONTACTS / max(MANY_CONTACTS, np.count_nonzero(inside))) ** 0.35)


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.touching
    quiet = mark_scale(context, seen.pos)
    size = context.mark_sizes(np.where(seen.sign > 0.0, seen.table["body_b"], seen.table["body_a"]), MARK_SIZE * quiet).copy()
    size[seen.at((context.chosen("contact"),))] = SELECTED_SIZE
    shapes = np.array([RING, SQUARE, ARROW, DISC])[seen.case]
    draw_list.mark(seen.pos, size, shapes, seen.colours, seen.slip, quiet * seen.opacity)


OVERLAY = Overlay("Contact points: square = stick, arrow-shaped = slip, ring = open, disc = no friction.", "contacts", draw,
                  key="C", default=True, words=("contacts",))
