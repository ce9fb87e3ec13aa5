"""Translucent bodies of other solvers that share one picture, and of comparisons by panels."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DrawList, GhostBodies
from app.render.scene.instances import fill
from app.render.scene.overlay_context import Ghost, OverlayContext
from app.render.scene.theme import linear
from app.render.scene.transforms import BodyTransforms
from physics import option

HIDDEN_COORDINATE = 1e9
"""Position of bodies that a ghost does not have [m]."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    frame = context.frame
    ghosts = [ghost for ghost in context.ghosts if isinstance(ghost, Ghost)]
    rows = np.flatnonzero(np.isin(context.placed.body, context.moving)) if ghosts else ()
    if not len(rows):
        return
    count = len(frame.bodies)
    pos = np.full((len(ghosts), count, 3), HIDDEN_COORDINATE)
    quat = np.zeros((len(ghosts), count, 4))
    quat[..., 0] = 1.0
    for at, turn, ghost in zip(pos, quat, ghosts):
        known = min(count, len(ghost.pos))
        at[:known], turn[:known] = np.nan_to_num(ghost.pos[:known], nan=HIDDEN_COORDINATE), ghost.quat[:known]
    placed = BodyTransforms.repeated(frame, context.placed, rows, pos, quat)
    instances = fill(frame, placed, context.theme, -1, -1, context.tints)
    instances[:, 3] = np.repeat([ghost.opacity for ghost in ghosts], len(rows))
    for k, ghost in enumerate(ghosts):
        if ghost.colour is not None:
            instances[k * len(rows) : (k + 1) * len(rows), 12:15] = linear(np.array(ghost.colour))
    draw_list.ghosts.append(GhostBodies(placed, instances))


OVERLAY = Overlay("Translucent bodies of compared solvers and of panel comparisons.", "bodies", draw, default=True,
                  options={"tint_first": option(False, help="Tint the first solver's bodies, too.")})
