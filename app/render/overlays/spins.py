"""Angular velocities: arrows along the axis of the turn, a right-handed screw."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._scales import SPIN
from app.render.sight import MOVING, Sight


def draw(sight: Sight, ink: Ink) -> None:
    omega = sight.frame.bodies["omega"]
    rate = np.sqrt(np.einsum("ij,ij->i", omega, omega))
    k = sight.moving[rate[sight.moving] > 10.0 * MOVING]
    ink.arrow(sight.placed.body_pos[k], omega[k] * sight.view.spin_scale, sight.theme.spin, 2.6, values=rate[k], unit="rad/s",
              first=k == sight.chosen("body"))


OVERLAY = Overlay("Angular velocity of each body, along the axis of its turn, with its rad/s.", "bodies", draw,
                  words=("spins",), options=SPIN)
