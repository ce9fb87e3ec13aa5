"""Bodies elsewhere, to be seen through: of the other solvers when these share one picture, of what a panel compares."""

import numpy as np

from app.render.ink import Ghost, Ink
from app.render.instances import fill
from app.render.overlays import Overlay
from app.render.place import Placed
from app.render.sight import Echo, Sight
from app.render.theme import linear
from physics import option

NOWHERE = 1e9
"""Where bodies are put that an echo does not have [m]."""


def draw(sight: Sight, ink: Ink) -> None:
    frame = sight.frame
    echoes = [echo for echo in sight.echoes if isinstance(echo, Echo)]
    rows = np.flatnonzero(np.isin(sight.placed.body, sight.moving)) if echoes else ()
    if not len(rows):
        return
    count = len(frame.bodies)
    pos = np.full((len(echoes), count, 3), NOWHERE)
    quat = np.zeros((len(echoes), count, 4))
    quat[..., 0] = 1.0
    for at, turn, echo in zip(pos, quat, echoes):
        known = min(count, len(echo.pos))
        at[:known], turn[:known] = np.nan_to_num(echo.pos[:known], nan=NOWHERE), echo.quat[:known]
    placed = Placed.again(frame, sight.placed, rows, pos, quat)
    instances = fill(frame, placed, sight.theme, -1, -1, sight.tints)
    instances[:, 3] = np.repeat([echo.opacity for echo in echoes], len(rows))
    for k, echo in enumerate(echoes):
        if echo.colour is not None:
            instances[k * len(rows) : (k + 1) * len(rows), 12:15] = linear(np.array(echo.colour))
    ink.ghosts.append(Ghost(placed, instances))


OVERLAY = Overlay("Other solvers in this picture, and what a panel compares: bodies seen through.", "bodies", draw, default=True,
                  options={"tint_first": option(False, help="The first of the solvers in this picture has its colour, too.")})
