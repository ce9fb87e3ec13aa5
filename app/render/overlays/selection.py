"""Halos around the chosen contact and joint, around what is pointed out (Session.highlight); the cone of the chosen contact."""

import numpy as np

from app.render.ink import HALO, QUARTERS, Ink
from app.render.overlays import Overlay
from app.render.overlays.cones import cones
from app.render.sight import Sight

SIZE = 29.0
"""Of a halo [px]."""
LEAST = 14.0
"""Radius of the ring around a body that is pointed out, at least [px]."""


def draw(sight: Sight, ink: Ink) -> None:
    contact, joint = sight.chosen("contact"), sight.chosen("joint")
    if contact >= 0 and not sight.view.cones:
        chosen = sight.touching.at((contact,))
        cones(sight, ink, chosen[sight.touching.normal[chosen] > 0.0])
    told = sight.highlight
    _halos(sight, ink, (contact,), (joint,), HALO)
    _halos(sight, ink, told.contacts, told.joints, QUARTERS)
    _bodies(sight, ink, told.bodies)


def _halos(sight: Sight, ink: Ink, contacts: tuple[int, ...], joints: tuple[int, ...], shape: int) -> None:
    if max(contacts, default=-1) >= 0:
        ink.mark(sight.touching.pos[sight.touching.at(contacts)], SIZE, shape, sight.theme.accent)
    if max(joints, default=-1) >= 0:
        ink.mark(sight.hinges.pos[np.isin(sight.hinges.index, joints)], SIZE, shape, sight.theme.accent)


def _bodies(sight: Sight, ink: Ink, bodies: tuple[int, ...]) -> None:
    """A broken ring that faces the camera, just around the body's shapes."""
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
    outer = np.maximum(1.06 * size[which], LEAST * pixel) + 3.0 * pixel
    for start in np.arange(4) * (np.pi / 2.0) + 0.25:
        ink.sector(centre, right, towards, outer, start, start + 1.07, sight.theme.accent, 0.95, inner=outer - 3.0 * pixel)


OVERLAY = Overlay("What is chosen or pointed out.", "always", draw)
