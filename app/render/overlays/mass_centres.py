"""Centres of mass: quartered discs, as on crash-test dummies."""

from app.render.overlays import Overlay
from app.render.scene.draw_list import QUARTERS, DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(sight: OverlayContext, ink: DrawList) -> None:
    ink.mark(sight.placed.body_pos[sight.moving], 13.0, QUARTERS, sight.theme.text)


OVERLAY = Overlay("Centre of mass of each body.", "bodies", draw)
