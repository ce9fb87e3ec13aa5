"""Angular velocities: arrows along the rotation axis, a right-handed screw."""

import numpy as np

from app.render.overlays import SPIN, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import MOVING_SPEED, OverlayContext


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    omega = context.frame.bodies["omega"]
    rate = np.sqrt(np.einsum("ij,ij->i", omega, omega))
    k = context.moving[rate[context.moving] > 10.0 * MOVING_SPEED]
    draw_list.arrow(context.placed.body_pos[k], omega[k] * context.spin_length, context.theme.spin, 2.6, values=rate[k],
                    unit="rad/s", first=k == context.chosen("body"), meaning="angular velocity")


OVERLAY = Overlay("Angular velocity of each body along its axis of rotation, in rad/s.", "bodies", draw,
                  words=("spins",), options=SPIN)
