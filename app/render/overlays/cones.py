"""Friction cones with the solver's facets, as high as the normal force, and the total force inside. The selected contact always
has its cone."""

from app.render.overlays import CONTACT_FORCE, Overlay
from app.render.scene.contact_forces import PressingForces
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext


def cones(context: OverlayContext, draw_list: DrawList, seen: PressingForces) -> None:
    """Draw the cones of these forces, and the forces inside."""
    height = seen.normal * context.force_length
    draw_list.cone(seen.pos, seen.axis, seen.tangent, height, seen.mu, seen.colours)
    draw_list.force(seen.pos, seen.axis * seen.normal[:, None] + seen.friction, context.theme.force, 3.4, numbers=False,
                    meaning="contact force")


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    cones(context, draw_list, context.pressing)


OVERLAY = Overlay("Friction cones with the solver's number of facets, scaled by the normal force.", "contacts", draw, key="K",
                  words=("cones",), options=CONTACT_FORCE)
