"""Paths of centres of mass in the last seconds: of the selected body, or of all that move; older parts fade."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays._past import PoseHistory, followed
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from physics import option

MAX_TRAIL_POINTS = 40_000
"""Limit for all bodies together."""
MIN_POINTS, MAX_POINTS = 8, 240
"""Bounds on the points of one trail."""
MIN_SEGMENT = 1e-6
"""Shorter segments of a trail are not drawn [m]."""


class Trail(PoseHistory):
    """Positions (bodies, 3) [m]."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    frame, seconds = context.frame, context.view.trail_seconds
    most = int(np.clip(MAX_TRAIL_POINTS // max(1, len(frame.bodies)), MIN_POINTS, MAX_POINTS))
    past = context.state(Trail)
    past.add_frame(frame, frame.bodies["pos"], seconds / most, most)
    which = followed(context.moving, context.chosen("body"))
    way = np.concatenate([past.stacked(len(frame.bodies))[:, which], context.placed.body_pos[None, which]])
    ages = frame.time - np.array(past.times)
    alpha = np.repeat(np.clip(1.0 - ages / seconds, 0.0, 1.0), len(which))
    start, end = way[:-1].reshape(-1, 3), way[1:].reshape(-1, 3)
    k = np.flatnonzero((np.abs(end - start).max(axis=1, initial=0.0) > MIN_SEGMENT) & (alpha > 0.0))   # NaN compares false
    draw_list.line(start[k], end[k], context.theme.trail, 2.2, alpha[k])


OVERLAY = Overlay("Paths of the selected body, or of all moving bodies.", "bodies", draw, key="Y", words=("trails",), options={
    "trail_seconds": option(2.0, unit="s", lo=0.1, hi=60.0, log=True, help="Duration of a trail in simulated time.")})
