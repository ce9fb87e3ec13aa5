"""Bounds of the selected contact's normal force: a band along its arrow from the least to the greatest force that the laws allow.

A number that is the only one possible has no band; a force without an upper bound ends in a point beyond the arrow.
"""

import math

import numpy as np

from app.analysis.forces.indeterminate import ShownBounds
from app.render.overlays import FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext

BAND_WIDTH = 9.0
"""Of the band [px]; its ends are ticks of twice that length."""
BESIDE = 38.0
"""Distance of the numbers from the band, which they would hide [px]."""
UNBOUNDED_LENGTH = 1.6
"""Length of a band without an end, relative to the present force."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    chosen, seen = context.chosen("contact"), context.touching
    at = seen.at((chosen,)) if chosen >= 0 else np.zeros(0, int)
    if not len(at):
        return
    bounds = context.state(ShownBounds).of(context.frame, chosen)
    if bounds is None or bounds.determined or not bounds.found:
        return
    k, colour = int(at[0]), context.theme.normal
    endless = math.isinf(bounds.greatest)
    greatest = UNBOUNDED_LENGTH * max(seen.normal[k], bounds.least, 1e-9) if endless else bounds.greatest
    axis, across = seen.axis[k], context.facing[0] - seen.axis[k] * (context.facing[0] @ seen.axis[k])
    across = across / max(np.linalg.norm(across), 1e-9)
    ends = seen.pos[k] + context.force_length * np.array([bounds.least, greatest])[:, None] * axis
    tick = BAND_WIDTH * context.pixel(ends)[:, None] * across
    draw_list.line(ends[:1], ends[1:], colour, BAND_WIDTH, 0.35)
    closed = slice(0, 1) if endless else slice(0, 2)
    draw_list.line((ends - tick)[closed], (ends + tick)[closed], colour, 2.0)
    beside = ends + BESIDE * context.pixel(ends)[:, None] * across
    draw_list.number(beside[closed], np.array([bounds.least, greatest])[closed], "N", colour, np.ones(2, bool)[closed])


OVERLAY = Overlay("Least and greatest normal force that the laws allow the selected contact with the same motion.", "contacts",
                  draw, words=("forces", "indeterminate", "statics"), options=FORCE)
