"""Where bodies stood a while ago, translucent: the chosen body, or all that move, every part of a second."""

import numpy as np

from app.render.ink import Ghost, Ink
from app.render.instances import fill
from app.render.overlays import Overlay
from app.render.overlays._past import Past, followed
from app.render.place import Placed
from app.render.sight import Sight
from physics import option

SHAPES = 3000
"""Drawn at most, of all ghosts together."""
OPACITY = (0.12, 0.42)
"""Of the oldest and the newest ghost."""


class Stood(Past):
    """Positions [m] and quaternions of all bodies (bodies, 7)."""


def draw(sight: Sight, ink: Ink) -> None:
    frame, view = sight.frame, sight.view
    past = sight.memory(Stood)
    poses = np.hstack([frame.bodies["pos"], frame.bodies["quat"]])
    past.see(frame, poses, view.ghost_every, view.ghosts_kept + 1)
    rows = np.flatnonzero(np.isin(sight.placed.body, followed(sight.moving, sight.chosen("body"))))
    kept = past.stacked(len(poses))[past.times[0] == frame.time :]   # nothing stands where it stands now
    kept = kept[max(0, len(kept) - min(view.ghosts_kept, SHAPES // max(1, len(rows)))) :]
    if not len(rows) or not len(kept):
        return
    moved = np.nan_to_num(kept, nan=1e9)   # those that were not there yet: far away
    placed = Placed.again(frame, sight.placed, rows, moved[..., :3], moved[..., 3:])
    instances = fill(frame, placed, sight.theme, -1, -1, sight.tints)
    instances[:, 3] = np.repeat(np.linspace(*OPACITY, len(kept) + 1)[1:], len(rows))
    ink.ghosts.append(Ghost(placed, instances))


OVERLAY = Overlay("Where bodies stood before, translucent: the chosen one, or all that move.", "bodies", draw,
                  words=("ghosts",), options={
    "ghost_every": option(0.2, unit="s", lo=0.01, hi=10.0, log=True, help="Simulated time between two ghosts."),
    "ghosts_kept": option(8, lo=1, hi=30, help="How many ghosts of a body are kept.")})
