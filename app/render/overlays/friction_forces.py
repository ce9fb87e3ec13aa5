"""Friction forces of contacts, f_t = (friction impulse of the step) / dt."""

import numpy as np

from app.render.overlays import FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.touching
    size = np.sqrt(np.einsum("ij,ij->i", seen.friction, seen.friction))
    k = np.flatnonzero(size > 0.0)
    draw_list.arrow(seen.pos[k], seen.friction[k] * context.view.force_scale, context.theme.friction, 2.6, values=size[k],
                    unit="N",
                    first=seen.first[k])


OVERLAY = Overlay("Friction force of each contact, in newtons.", "contacts", draw, key="X", words=("forces",), options=FORCE)
