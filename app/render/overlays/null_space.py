"""Null space of the contact forces: how the others change with one newton more at the selected contact, with the same motion.

Arrows beside the contacts, in the direction of the change of the force on the moving body, those of less pressure towards the
contact; numbers are its normal part.
"""

import numpy as np

from app.analysis.forces.indeterminate import ROUNDING_SHARE, ShownBounds
from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext

LENGTH = 60.0
"""Of the largest change [px]."""
BESIDE = 22.0
"""Distance from the arrows of the forces [px], on the side where bounds have no numbers."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    chosen, seen = context.chosen("contact"), context.touching
    bounds = context.state(ShownBounds).of(context.frame, chosen) if chosen >= 0 else None
    if bounds is None:
        return
    size = np.linalg.norm(bounds.exchange, axis=1)
    changed = size > ROUNDING_SHARE * size.max(initial=0.0)
    at = seen.at(tuple(np.array(bounds.sharing)[changed]))
    if not len(at):
        return
    rows = np.searchsorted(bounds.sharing, seen.index[at])
    change = bounds.exchange[rows] * seen.sign[at, None]
    across = context.facing[0] - seen.axis[at] * (seen.axis[at] @ context.facing[0])[:, None]
    pixel = context.pixel(seen.pos[at])[:, None]
    start = seen.pos[at] - BESIDE * pixel * across / np.maximum(np.linalg.norm(across, axis=1), 1e-9)[:, None]
    arrows = change * (LENGTH / size.max()) * pixel
    normal = np.einsum("ij,ij->i", change, seen.axis[at])
    falls = (normal < 0.0)[:, None]
    draw_list.arrow(np.where(falls, start - arrows, start), arrows, context.theme.accent, 3.0)
    draw_list.number(np.where(falls, start - arrows, start + arrows), normal, "N/N", context.theme.accent,
                     np.ones(len(at), bool))


OVERLAY = Overlay("Null space of the contact forces: how the forces of other contacts change with one newton more at the "
                  "selected contact, with the same motion.", "contacts", draw, words=("indeterminate", "statics"))
