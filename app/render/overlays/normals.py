"""Contact normals, all of one length."""

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.sight import Sight


def draw(sight: Sight, ink: Ink) -> None:
    seen = sight.touching
    ink.arrow(seen.pos, seen.axis * (0.8 * sight.typical), sight.theme.muted, 2.0)


OVERLAY = Overlay("Contact normals, towards the body that is pushed.", "contacts", draw, key="N", words=("normals",))
