"""Centres of mass: quartered discs, as crash tests have them."""

from app.render.ink import QUARTERS, Ink
from app.render.overlays import Overlay
from app.render.sight import Sight


def draw(sight: Sight, ink: Ink) -> None:
    ink.mark(sight.placed.body_pos[sight.moving], 13.0, QUARTERS, sight.theme.text)


OVERLAY = Overlay("Centre of mass of each body.", "bodies", draw)
