"""Friction cones with the solver's facets, as high as the normal force, and the whole force inside. A chosen contact always
has its cone."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._scales import FORCE
from app.render.sight import Sight


def cones(sight: Sight, ink: Ink, shown: np.ndarray) -> None:
    """Cones and forces of some of the contacts that are touching."""
    seen, c, scale = sight.touching, sight.touching.table[shown], sight.view.force_scale
    height = seen.normal[shown] * scale
    ink.cone(seen.pos[shown], seen.axis[shown], c["tangent"], height, c["friction"], seen.colours[shown])
    ink.arrow(seen.pos[shown], seen.axis[shown] * height[:, None] + seen.friction[shown] * scale, sight.theme.force, 3.0)


def draw(sight: Sight, ink: Ink) -> None:
    cones(sight, ink, np.flatnonzero(sight.touching.normal > 0.0))


OVERLAY = Overlay("Friction cones with the solver's number of facets, sized by the force.", "contacts", draw, key="K",
                  words=("cones",), options=FORCE)
