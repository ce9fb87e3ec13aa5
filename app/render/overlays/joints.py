"""Points and axes of joints; a line between the two anchors of joints that keep them apart."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import JOINT, DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import joint_kinds

MARK_SIZE, SELECTED_SIZE = 12.0, 18.0
"""Sizes of marks [px]."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen, frame = context.hinges, context.frame
    if len(seen.index) == 0:
        return
    chosen = seen.index == context.chosen("joint")
    colours = np.where(chosen[:, None], context.theme.accent, context.theme.joint)
    known = joint_kinds()
    link = np.array([known[name].anchors == 2 for name in frame.joint_kinds])[seen.kind]
    rod = np.array([known[name].axis for name in frame.joint_kinds])[seen.kind] | (
        (frame.joints["used"][seen.index] != 0) & ~link)
    draw_list.arrow(seen.pos[link], seen.end[link] - seen.pos[link], colours[link], 2.0, head=0.0)
    reach = seen.axes[rod] * (0.9 * context.typical_size)
    draw_list.arrow(seen.pos[rod] - reach, 2.0 * reach, colours[rod], 2.0, head=0.0)
    size = context.mark_sizes(frame.joints["body_b"][seen.index], MARK_SIZE)
    draw_list.mark(seen.pos, np.where(chosen, SELECTED_SIZE, size), JOINT, colours)


OVERLAY = Overlay("Joint anchors and axes.", "joints", draw, key="J", default=True, words=("joints",))
