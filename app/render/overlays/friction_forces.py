"""The friction of each contact, f_t = (friction impulse of the step) / dt."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._scales import FORCE
from app.render.sight import Sight


def draw(sight: Sight, ink: Ink) -> None:
    seen = sight.touching
    size = np.sqrt(np.einsum("ij,ij->i", seen.friction, seen.friction))
    k = np.flatnonzero(size > 0.0)
    ink.arrow(seen.pos[k], seen.friction[k] * sight.view.force_scale, sight.theme.friction, 2.6, values=size[k], unit="N",
              first=seen.first[k])


OVERLAY = Overlay("The friction of each contact, with its newtons.", "contacts", draw, key="X", words=("forces",), options=FORCE)
