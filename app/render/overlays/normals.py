"""Contact normals, all of one length."""

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(sight: OverlayContext, ink: DrawList) -> None:
    seen = sight.touching
    ink.arrow(seen.pos, seen.axis * (0.8 * sight.typical_size), sight.theme.muted, 2.0)


OVERLAY = Overlay("Contact normals, pointing to the body that is pushed.", "contacts", draw, key="N", words=("normals",))
