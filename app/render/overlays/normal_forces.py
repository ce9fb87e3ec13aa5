"""Normal forces of contacts, f_n = (normal impulse of the step) / dt."""

import numpy as np

from app.render.overlays import FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.touching
    k = np.flatnonzero(seen.normal > 0.0)
    draw_list.arrow(seen.pos[k], seen.axis[k] * (context.view.force_scale * seen.normal[k, None]), context.theme.normal, 2.6,
                    values=seen.normal[k], unit="N", first=seen.first[k])


OVERLAY = Overlay("Normal force of each contact, in newtons.", "contacts", draw, key="M", words=("forces",),
                  options=FORCE)
