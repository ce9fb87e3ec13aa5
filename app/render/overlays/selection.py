"""Halos around the selected contact and joint and around Session.highlight; the friction cone of the selected contact."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays.cones import cones
from app.render.scene.contact_forces import of_contacts
from app.render.scene.draw_list import HALO, QUARTERS, DrawList
from app.render.scene.overlay_context import OverlayContext

MARK_SIZE = 29.0
"""Size of a halo [px]."""
MIN_RADIUS = 14.0
"""Smallest radius of the ring around a highlighted body [px]."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    contact, joint = context.chosen("contact"), context.chosen("joint")
    if contact >= 0 and not (context.view.cones and context.view.corners):
        chosen = context.touching.at((contact,))
        cones(context, draw_list, of_contacts(context.touching, chosen[context.touching.normal[chosen] > 0.0]))
    highlight = context.highlight
    _halos(context, draw_list, (contact,), (joint,), HALO)
    _halos(context, draw_list, highlight.contacts, highlight.joints, QUARTERS)
    _bodies(context, draw_list, highlight.bodies)


def _halos(context: OverlayContext, draw_list: DrawList, contacts: tuple[int, ...], joints: tuple[int, ...], shape: int) -> None:
    if max(contacts, default=-1) >= 0:
        draw_list.mark(context.touching.pos[context.touching.at(contacts)], MARK_SIZE, shape, context.theme.accent)
    if max(joints, default=-1) >= 0:
        draw_list.mark(context.hinges.pos[np.isin(context.hinges.index, joints)], MARK_SIZE, shape, context.theme.accent)


def _bodies(context: OverlayContext, draw_list: DrawList, bodies: tuple[int, ...]) -> None:
    """Draw a broken ring that faces the camera, just around the body's shapes."""
    if not bodies:
        return
    placed, (right, _, towards) = context.placed, context.facing
    reach = np.linalg.norm(placed.pos - placed.body_pos[placed.body], axis=1) + placed.radii()
    known = np.isfinite(reach) & np.isin(placed.body, bodies)
    size = np.zeros(len(placed.body_pos))
    np.maximum.at(size, placed.body[known], reach[known])
    which = np.flatnonzero(size)
    centre = placed.body_pos[which]
    pixel = context.pixel(centre)
    outer = np.maximum(1.06 * size[which], MIN_RADIUS * pixel) + 3.0 * pixel
    for start in np.arange(4) * (np.pi / 2.0) + 0.25:
        draw_list.sector(centre, right, towards, outer, start, start + 1.07, context.theme.accent, 0.95,
                         inner=outer - 3.0 * pixel)


OVERLAY = Overlay("Selected and highlighted objects.", "always", draw)
