"""Friction cones with the solver's facets, as high as the normal force, and the total force inside. The selected contact always
has its cone."""

import numpy as np

from app.render.overlays import FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def cones(context: OverlayContext, draw_list: DrawList, shown: np.ndarray) -> None:
    """Draw cones and forces of some of the contacts in `touching`."""
    seen, c, scale = context.touching, context.touching.table[shown], context.view.force_scale
    height = seen.normal[shown] * scale
    draw_list.cone(seen.pos[shown], seen.axis[shown], c["tangent"], height, c["friction"], seen.colours[shown])
    draw_list.arrow(seen.pos[shown], seen.axis[shown] * height[:, None] + seen.friction[shown] * scale, context.theme.force, 3.0)


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    cones(context, draw_list, np.flatnonzero(context.touching.normal > 0.0))


OVERLAY = Overlay("Friction cones with the solver's number of facets, scaled by the normal force.", "contacts", draw, key="K",
                  words=("cones",), options=FORCE)
