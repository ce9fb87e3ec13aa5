"""Velocities of centres of mass."""

import numpy as np

from app.render.overlays import VELOCITY, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import MOVING_SPEED, OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    vel = context.frame.bodies["vel"]
    speed = np.sqrt(np.einsum("ij,ij->i", vel, vel))
    k = context.moving[speed[context.moving] > MOVING_SPEED]
    draw_list.arrow(context.placed.body_pos[k], vel[k] * context.velocity_length, context.theme.velocity, 2.6,
                    values=speed[k], unit="m/s", first=k == context.chosen("body"), bodies=k, meaning="velocity")


OVERLAY = Overlay("Velocity of each body's centre of mass, in m/s.", "bodies", draw, key="V", words=("velocities",),
                  options=VELOCITY)
