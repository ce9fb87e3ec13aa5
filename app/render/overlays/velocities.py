"""Velocities of centres of mass."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays._scales import VELOCITY
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import MOVING, OverlayContext


def draw(sight: OverlayContext, ink: DrawList) -> None:
    vel = sight.frame.bodies["vel"]
    speed = np.sqrt(np.einsum("ij,ij->i", vel, vel))
    k = sight.moving[speed[sight.moving] > MOVING]
    ink.arrow(sight.placed.body_pos[k], vel[k] * sight.view.velocity_scale, sight.theme.velocity, 2.6, values=speed[k],
              unit="m/s", first=k == sight.chosen("body"))


OVERLAY = Overlay("Velocity of each body's centre of mass, in m/s.", "bodies", draw, key="V", words=("velocities",),
                  options=VELOCITY)
