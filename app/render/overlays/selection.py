"""Halos around the selected contact and joint and around Session.highlight; the friction cone of the selected contact."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays.cones import cones
from app.render.scene.draw_list import HALO, QUARTERS, DrawList
from app.render.scene.overlay_context import OverlayContext

SIZE = 29.0
"""Size of a halo [px]."""
MIN_RADIUS = 14.0
"""Smallest radius of the ring around a highlighted body [px]."""


def draw(sight: OverlayContext, ink: DrawList) -> None:
    contact, joint = sight.chosen("contact"), sight.chosen("joint")
    if contact >= 0 and not sight.view.cones:
        chosen = sight.touching.at((contact,))
        cones(sight, ink, chosen[sight.touching.normal[chosen] > 0.0])
    told = sight.highlight
    _halos(sight, ink, (contact,), (joint,), HALO)
    _halos(sight, ink, told.contacts, told.joints, QUARTERS)
    _bodies(sight, ink, told.bodies)


def _halos(sight: OverlayContext, ink: DrawList, contacts: tuple[int, ...], joints: tuple[int, ...], shape: int) -> None:
    if max(contacts, default=-1) >= 0:
        ink.mark(sight.touching.pos[sight.touching.at(contacts)], SIZE, shape, sight.theme.accent)
    if max(joints, default=-1) >= 0:
        ink.mark(sight.hinges.pos[np.isin(sight.hinges.index, joints)], SIZE, shape, sight.theme.accent)


def _bodies(sight: OverlayContext, ink: DrawList, bodies: tuple[int, ...]) -> None:
    """Draw a broken ring that faces the camera, just around the body's shapes."""
    if not bodies:
        return
    placed, (right, _, towards) = sight.placed, sight.facing
    reach = np.linalg.norm(placed.pos - placed.body_pos[placed.body], axis=1) + placed.radii()
    known = np.isfinite(reach) & np.isin(placed.body, bodies)
    size = np.zeros(len(placed.body_pos))
    np.maximum.at(size, placed.body[known], reach[known])
    which = np.flatnonzero(size)
    centre = placed.body_pos[which]
    pixel = sight.pixel(centre)
    outer = np.maximum(1.06 * size[which], MIN_RADIUS * pixel) + 3.0 * pixel
    for start in np.arange(4) * (np.pi / 2.0) + 0.25:
        ink.sector(centre, right, towards, outer, start, start + 1.07, sight.theme.accent, 0.95, inner=outer - 3.0 * pixel)


OVERLAY = Overlay("Selected and highlighted objects.", "always", draw)
