"""Normal forces between bodies, f_n = (normal impulse of the step) / dt."""

from app.render.overlays import CONTACT_FORCE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.pressing
    draw_list.force(seen.pos, seen.axis * seen.normal[:, None], context.theme.normal, 3.4, first=seen.first, bodies=seen.body,
                    meaning="normal force")


OVERLAY = Overlay("Normal force of each pair of bodies, in newtons.", "contacts", draw, key="M", words=("forces",),
                  options=CONTACT_FORCE)
