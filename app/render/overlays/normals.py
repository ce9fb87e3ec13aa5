"""Contact normals, all of one length."""

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.touching
    draw_list.arrow(seen.pos, seen.axis * (0.8 * context.typical_size), context.theme.muted, 2.0)


OVERLAY = Overlay("Contact normals, pointing to the body that is pushed.", "contacts", draw, key="N", words=("normals",))
