"""The mouse spring: a coil in the picture plane, with its force and length."""

from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from app.number_format import rounded
from app.render.overlays import Overlay
from app.render.scene.draw_list import DISC, JOINT, DrawList, TextLabel
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import BodyTransforms
from physics import joints
from physics.core.quaternions import rotate

COILS, COIL_POINTS = 9, 20


@dataclass(frozen=True)
class Drag:
    """The mouse spring: its ends on the body and at the mouse [m, world], and its force [N]."""

    start: np.ndarray
    end: np.ndarray
    force: float


def find_drag(frame: Frame, placed: BodyTransforms) -> Drag | None:
    """The mouse spring among the joints, if there is one."""
    found = np.flatnonzero((frame.joints["kind"] >= 0) & joints.pulled(frame.joint_kinds)[frame.joints["kind"]])
    if len(found) == 0:
        return None
    joint = frame.joints[found[-1] : found[-1] + 1]
    ends = [placed.body_pos[joint[b]] + rotate(placed.body_quat[joint[b]], joint[p])
            for b, p in (("body_b", "anchor_b"), ("body_a", "anchor_a"))]
    return Drag(ends[0][0], ends[1][0], float(np.linalg.norm(joint["friction_impulse"][0])) / frame.impulse_duration)


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    drag = context.drag or find_drag(context.frame, context.placed)
    if drag is None:
        return
    start, end = np.asarray(drag.start, float), np.asarray(drag.end, float)
    span = end - start
    length = float(np.linalg.norm(span))
    colour = context.theme.drag
    side = np.cross(span, context.facing[2])
    if length > 1e-9 and np.linalg.norm(side) > 1e-9:
        side /= np.linalg.norm(side)
        t = np.linspace(0.0, 1.0, COILS * COIL_POINTS + 1)
        within = np.clip((t - 0.12) / 0.76, 0.0, 1.0)
        envelope = np.minimum(1.0, 12.0 * np.minimum(within, 1.0 - within))
        wave = np.sin(2.0 * np.pi * COILS * within) * envelope * min(0.04, 0.05 * length)
        points = start + t[:, None] * span + wave[:, None] * side
        draw_list.arrow(points[:-1], np.diff(points, axis=0), colour, 2.2, head=0.0)
    draw_list.mark(np.stack([start, end]), np.array([11.0, 14.0]), np.array([DISC, JOINT]), colour)
    text = [f"{rounded(drag.force)} N, {rounded(length)} m"]
    draw_list.words.append(TextLabel(end[None], colour, np.array([drag.force]), np.ones(1, bool), texts=text, lift=22.0))


OVERLAY = Overlay("The spring of the mouse.", "always", draw)
