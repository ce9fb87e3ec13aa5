"""Centres of mass: quartered discs, as on crash-test dummies."""

from app.render.overlays import Overlay
from app.render.scene.draw_list import QUARTERS, DrawList
from app.render.scene.overlay_context import OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    draw_list.mark(context.placed.body_pos[context.moving], 13.0, QUARTERS, context.theme.text)


OVERLAY = Overlay("Centre of mass of each body.", "bodies", draw)
