"""How fast contacts slip: the velocity of the pushed body's surface against the other one."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._scales import VELOCITY
from app.render.sight import MOVING, Sight


def draw(sight: Sight, ink: Ink) -> None:
    seen = sight.touching
    speed = np.sqrt(np.einsum("ij,ij->i", seen.slip, seen.slip))
    k = np.flatnonzero(speed > MOVING)
    ink.arrow(seen.pos[k], seen.slip[k] * sight.view.velocity_scale, sight.theme.slip, 2.6, values=speed[k], unit="m/s",
              first=seen.first[k])


OVERLAY = Overlay("Slip velocity of each slipping contact, with its m/s.", "contacts", draw, words=("slip",), options=VELOCITY)
