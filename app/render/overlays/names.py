"""Names just above their bodies."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList, TextLabel
from app.render.scene.overlay_context import OverlayContext

MAX_NAMES = 200
"""Limit of names shown, the nearest first."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    placed, moving = context.placed, context.moving
    which = moving[context.near(placed.body_pos[moving], moving == context.chosen("body"), MAX_NAMES)[0]]
    radii, named = placed.radii(), np.zeros(len(placed.body_pos), bool)
    named[which] = True
    rows = np.flatnonzero(named[placed.body] & np.isfinite(radii))
    top = np.zeros(len(named))
    np.maximum.at(top, placed.body[rows], 0.6 * radii[rows])
    points = placed.body_pos[which] + context.facing[1] * top[which, None]
    near = 1.0 / np.maximum(context.pixel(points), 1e-12)
    texts = [context.frame.body_names[i] for i in which.tolist()]
    draw_list.words.append(TextLabel(points, context.theme.text, near, which == context.chosen("body"), texts=texts,
                                     most=MAX_NAMES))


OVERLAY = Overlay("Names of the bodies.", "bodies", draw, key="I")
