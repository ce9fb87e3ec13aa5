"""Translucent bodies of other solvers that share one picture, and of comparisons by panels."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList, GhostBodies
from app.render.scene.instances import fill
from app.render.scene.overlay_context import Ghost, OverlayContext
from app.render.scene.theme import linear
from app.render.scene.transforms import BodyTransforms
from physics import option

FAR_AWAY = 1e9
"""Position of bodies that a ghost does not have [m]."""


def draw(sight: OverlayContext, ink: DrawList) -> None:
    frame = sight.frame
    echoes = [echo for echo in sight.echoes if isinstance(echo, Ghost)]
    rows = np.flatnonzero(np.isin(sight.placed.body, sight.moving)) if echoes else ()
    if not len(rows):
        return
    count = len(frame.bodies)
    pos = np.full((len(echoes), count, 3), FAR_AWAY)
    quat = np.zeros((len(echoes), count, 4))
    quat[..., 0] = 1.0
    for at, turn, echo in zip(pos, quat, echoes):
        known = min(count, len(echo.pos))
        at[:known], turn[:known] = np.nan_to_num(echo.pos[:known], nan=FAR_AWAY), echo.quat[:known]
    placed = BodyTransforms.again(frame, sight.placed, rows, pos, quat)
    instances = fill(frame, placed, sight.theme, -1, -1, sight.tints)
    instances[:, 3] = np.repeat([echo.opacity for echo in echoes], len(rows))
    for k, echo in enumerate(echoes):
        if echo.colour is not None:
            instances[k * len(rows) : (k + 1) * len(rows), 12:15] = linear(np.array(echo.colour))
    ink.ghosts.append(GhostBodies(placed, instances))


OVERLAY = Overlay("Translucent bodies of compared solvers and of panel comparisons.", "bodies", draw, default=True,
                  options={"tint_first": option(False, help="Tint the first solver's bodies, too.")})
