"""Slip velocities of contacts: of the moving body's surface relative to the other one."""

import numpy as np

from app.render.overlays import VELOCITY, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import MOVING_SPEED, OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen = context.touching
    speed = np.sqrt(np.einsum("ij,ij->i", seen.slip, seen.slip))
    k = np.flatnonzero(speed > MOVING_SPEED)
    draw_list.arrow(seen.pos[k], seen.slip[k] * context.velocity_length, context.theme.slip, 2.6, values=speed[k], unit="m/s",
                    first=seen.first[k])


OVERLAY = Overlay("Slip velocity of each slipping contact, in m/s.", "contacts", draw, words=("slip",), options=VELOCITY)
