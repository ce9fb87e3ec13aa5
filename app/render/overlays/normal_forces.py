"""The normal part of each contact's force, f_n = (normal impulse of the step) / dt."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._scales import FORCE
from app.render.sight import Sight


def draw(sight: Sight, ink: Ink) -> None:
    seen = sight.touching
    k = np.flatnonzero(seen.normal > 0.0)
    ink.arrow(seen.pos[k], seen.axis[k] * (sight.view.force_scale * seen.normal[k, None]), sight.theme.normal, 2.6,
              values=seen.normal[k], unit="N", first=seen.first[k])


OVERLAY = Overlay("The normal part of each contact's force, with its newtons.", "contacts", draw, key="M", words=("forces",),
                  options=FORCE)
