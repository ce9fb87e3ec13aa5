"""Flags at places in the scene: where the user predicts something, where it came, and the path between."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DISC, DrawList, TextLabel
from app.render.scene.overlay_context import Flag, OverlayContext

POLE, PENNANT = 46.0, (20.0, 14.0)
"""Height of a flag's pole, length and height of its pennant [px]."""

PENNANT_LINES = 8
"""Lines that fill a pennant."""

FROM_ABOVE = 0.8
"""Seen from steeper than this (sine), poles lie in the picture plane; vertical ones would hardly be visible."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    for flag in context.highlight.flags:
        if flag.path is not None:
            draw_list.line(flag.path[:-1], flag.path[1:], flag.colour, 2.5, flag.opacity)
        if flag.at is not None:
            _put_up(context, draw_list, flag)


def _put_up(context: OverlayContext, draw_list: DrawList, flag: Flag) -> None:
    foot = np.asarray(flag.at, float)[None]
    right, above, towards = context.facing
    up = np.array([0.0, 0.0, 1.0]) if abs(towards[2]) < FROM_ABOVE else above
    pixel, (long, tall) = float(context.pixel(foot)[0]), PENNANT
    draw_list.line(foot, foot + POLE * pixel * up, flag.colour, 2.5, flag.opacity)
    share = (np.arange(PENNANT_LINES) + 0.5) / PENNANT_LINES
    start = foot + ((POLE - tall * share) * pixel)[:, None] * up
    draw_list.line(start, start + (long * (1.0 - np.abs(2.0 * share - 1.0)) * pixel)[:, None] * right, flag.colour,
                   1.3 * tall / PENNANT_LINES, flag.opacity)
    draw_list.mark(foot, 9.0, DISC, flag.colour, alpha=flag.opacity)
    if flag.text:
        one, below = np.ones(1), flag.path is not None       # the path leads to another flag
        point = foot if below else foot + POLE * pixel * up
        draw_list.words.append(TextLabel(point, flag.colour, one, one > 0.0, texts=[flag.text], lift=-20.0 if below else 14.0))


OVERLAY = Overlay("Positions marked in the scene.", "always", draw)
