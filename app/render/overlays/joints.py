"""Points and axes of joints; a line where a joint ties two points that may be apart."""

import numpy as np

from app.render.ink import JOINT, Ink
from app.render.overlays import Overlay
from app.render.place import joint_kinds
from app.render.sight import Sight


def draw(sight: Sight, ink: Ink) -> None:
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
    reach = seen.axes[rod] * (0.9 * sight.typical)
    ink.arrow(seen.pos[rod] - reach, 2.0 * reach, colours[rod], 2.0, head=0.0)
    ink.mark(seen.pos, np.where(chosen, 18.0, 12.0), JOINT, colours)


OVERLAY = Overlay("Joint points and axes.", "joints", draw, key="J", default=True, words=("joints",))
