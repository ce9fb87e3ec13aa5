"""Translucent bodies at past poses, at fixed intervals: of the selected body, or of all that move."""

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays._past import PoseHistory, followed
from app.render.scene.draw_list import DrawList, GhostBodies
from app.render.scene.instances import fill
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import BodyTransforms
from physics import option

MAX_SHAPES = 3000
"""Limit of shapes drawn, of all ghosts together."""
OPACITY = (0.12, 0.42)
"""Opacity of the oldest and the newest ghost."""


class GhostHistory(PoseHistory):
    """Positions [m] and quaternions of all bodies (bodies, 7)."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    frame, view = context.frame, context.view
    past = context.state(GhostHistory)
    poses = np.hstack([frame.bodies["pos"], frame.bodies["quat"]])
    past.add_frame(frame, poses, view.ghost_every, view.ghosts_kept + 1)
    rows = np.flatnonzero(np.isin(context.placed.body, followed(context.moving, context.chosen("body"))))
    kept = past.stacked(len(poses))[past.times[0] == frame.time :]   # skip a ghost at the present pose
    kept = kept[max(0, len(kept) - min(view.ghosts_kept, MAX_SHAPES // max(1, len(rows)))) :]
    if not len(rows) or not len(kept):
        return
    moved = np.nan_to_num(kept, nan=1e9)   # bodies that did not exist yet go far away
    placed = BodyTransforms.repeated(frame, context.placed, rows, moved[..., :3], moved[..., 3:])
    instances = fill(frame, placed, context.theme, -1, -1, context.tints)
    instances[:, 3] = np.repeat(np.linspace(*OPACITY, len(kept) + 1)[1:], len(rows))
    draw_list.ghosts.append(GhostBodies(placed, instances))


OVERLAY = Overlay("Translucent earlier poses of the selected body, or of all moving bodies.", "bodies", draw,
                  words=("ghosts",), options={
    "ghost_every": option(0.2, unit="s", lo=0.01, hi=10.0, log=True, help="Simulated time between two ghosts."),
    "ghosts_kept": option(8, lo=1, hi=30, help="Number of ghosts per body.")})
