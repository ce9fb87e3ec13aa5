"""Angular velocities: arrows along the rotation axis, a right-handed screw."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays._scales import SPIN
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import MOVING, OverlayContext


def draw(sight: OverlayContext, ink: DrawList) -> None:
    omega = sight.frame.bodies["omega"]
    rate = np.sqrt(np.einsum("ij,ij->i", omega, omega))
    k = sight.moving[rate[sight.moving] > 10.0 * MOVING]
    ink.arrow(sight.placed.body_pos[k], omega[k] * sight.view.spin_scale, sight.theme.spin, 2.6, values=rate[k], unit="rad/s",
              first=k == sight.chosen("body"))


OVERLAY = Overlay("Angular velocity of each body along its axis of rotation, in rad/s.", "bodies", draw,
                  words=("spins",), options=SPIN)
