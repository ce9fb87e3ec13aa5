"""Points and axes of joints; a line between the two anchors of joints that keep them apart."""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import JOINT, DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import joint_kinds


def draw(sight: OverlayContext, ink: DrawList) -> None:
    seen, frame = sight.hinges, sight.frame
    if len(seen.index) == 0:
        return
    chosen = seen.index == sight.chosen("joint")
    colours = np.where(chosen[:, None], sight.theme.accent, sight.theme.joint)
    known = joint_kinds()
    link = np.array([known[name].anchors == 2 for name in frame.joint_kinds])[seen.kind]
    rod = np.array([known[name].axis for name in frame.joint_kinds])[seen.kind] | (
        (frame.joints["used"][seen.index] != 0) & ~link)
    ink.arrow(seen.pos[link], seen.end[link] - seen.pos[link], colours[link], 2.0, head=0.0)
    reach = seen.axes[rod] * (0.9 * sight.typical_size)
    ink.arrow(seen.pos[rod] - reach, 2.0 * reach, colours[rod], 2.0, head=0.0)
    ink.mark(seen.pos, np.where(chosen, 18.0, 12.0), JOINT, colours)


OVERLAY = Overlay("Joint anchors and axes.", "joints", draw, key="J", default=True, words=("joints",))
