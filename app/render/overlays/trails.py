"""Where centres of mass went in the last seconds: of the chosen body, or of all that move. The line fades with its age."""

import numpy as np

from app.render.ink import Ink
from app.render.overlays import Overlay
from app.render.overlays._past import Past, followed
from app.render.sight import Sight
from physics import option

POINTS = 40_000
"""Kept of all bodies together."""
FEWEST, MOST = 8, 240
"""Points of one trail."""
STILL = 1e-6
"""A part of a trail shorter than this is not drawn [m]."""


class Trail(Past):
    """Positions (bodies, 3) [m]."""


def draw(sight: Sight, ink: Ink) -> None:
    frame, seconds = sight.frame, sight.view.trail_seconds
    most = int(np.clip(POINTS // max(1, len(frame.bodies)), FEWEST, MOST))
    past = sight.memory(Trail)
    past.see(frame, frame.bodies["pos"], seconds / most, most)
    which = followed(sight.moving, sight.chosen("body"))
    way = np.concatenate([past.stacked(len(frame.bodies))[:, which], sight.placed.body_pos[None, which]])
    ages = frame.time - np.array(past.times)
    alpha = np.repeat(np.clip(1.0 - ages / seconds, 0.0, 1.0), len(which))
    start, end = way[:-1].reshape(-1, 3), way[1:].reshape(-1, 3)
    k = np.flatnonzero((np.abs(end - start).max(axis=1, initial=0.0) > STILL) & (alpha > 0.0))   # NaN is not greater
    ink.line(start[k], end[k], sight.theme.trail, 2.2, alpha[k])


OVERLAY = Overlay("Where bodies went: the chosen one, or all that move.", "bodies", draw, key="Y", words=("trails",), options={
    "trail_seconds": option(2.0, unit="s", lo=0.1, hi=60.0, log=True, help="How long a trail lasts, in simulated time.")})
