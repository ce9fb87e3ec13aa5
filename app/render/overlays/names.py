"""Names just above their bodies."""

import numpy as np

from app.render.ink import Ink, Words
from app.render.overlays import Overlay
from app.render.sight import Sight

MOST = 200
"""At most so many names, the nearest ones."""


def draw(sight: Sight, ink: Ink) -> None:
    placed, shown = sight.placed, sight.moving
    top = np.zeros(len(placed.body_pos))
    radii = placed.radii()
    finite = np.isfinite(radii)
    np.maximum.at(top, placed.body[finite], 0.6 * radii[finite])
    points = placed.body_pos[shown] + sight.facing[1] * top[shown, None]
    near = 1.0 / np.maximum(sight.pixel(points), 1e-12)
    texts = [sight.frame.body_names[i] for i in shown] if len(shown) <= MOST else np.array(sight.frame.body_names)[shown]
    ink.words.append(Words(points, sight.theme.text, near, shown == sight.chosen("body"), texts=texts, most=MOST))


OVERLAY = Overlay("Names of the bodies.", "bodies", draw, key="I")
