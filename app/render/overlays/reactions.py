"""Reaction of each joint on its second body: force F = P / t at the joint's point, and the torque about that point,

    tau = (L - r x P) / t      P, L: impulse and its moment about b's centre of mass, r: from there to the joint's point,
                               t: time over which forces acted in the step

A torque is a thinner arrow with an arc around its foot: a right-handed screw.
"""

import numpy as np

from app.render.overlays import FORCE, TORQUE, Overlay
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext

MIN_REACTION = 1e-6
"""Reactions below this fraction of the largest one are not drawn."""
ARC = 0.28
"""Radius of a torque's arc, in lengths of its arrow."""


def reactions(context: OverlayContext) -> tuple[np.ndarray, np.ndarray]:
    """(force [N], torque about the joint's point [N m]), each (n, 3), on the second body of every joint of `hinges`."""
    seen, acting = context.hinges, context.frame.impulse_duration
    table = context.frame.joints[seen.index]
    push, moment = table["reaction"][:, :3], table["reaction"][:, 3:]
    arm = seen.end - context.placed.body_pos[table["body_b"]]
    return push / acting, (moment - np.cross(arm, push)) / acting


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen, theme = context.hinges, context.theme
    if not len(seen.index):
        return
    first = seen.index == context.chosen("joint")
    force, torque = reactions(context)
    bodies = context.frame.joints["body_b"][seen.index]
    k = np.flatnonzero(_counts(force))
    draw_list.force(seen.end[k], force[k], theme.force, 3.2, first=first[k], bodies=bodies[k], meaning="joint reaction")
    size, scale = np.sqrt(np.einsum("ij,ij->i", torque, torque)), context.torque_length
    k = np.flatnonzero(_counts(torque))
    draw_list.arrow(seen.end[k], torque[k] * scale, theme.torque, 2.2, values=size[k], unit="N m", first=first[k],
                    bodies=bodies[k])
    axis = torque[k] / size[k, None]
    side = np.cross(axis, np.where(np.abs(axis[:, 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]))
    outer = ARC * scale * size[k]
    draw_list.sector(seen.end[k], side / np.linalg.norm(side, axis=1, keepdims=True), axis, outer, 0.0, 4.7, theme.torque, 0.8,
                     inner=0.86 * outer)


def _counts(vectors: np.ndarray) -> np.ndarray:
    """Which of the vectors (n, 3) are large enough to be drawn."""
    size = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return size > MIN_REACTION * size.max()


OVERLAY = Overlay("Reaction of each joint on its second body: force in N, and torque (thin, with an arc) in N m.", "joints", draw,
                  words=("reactions",), options={**FORCE, **TORQUE})
