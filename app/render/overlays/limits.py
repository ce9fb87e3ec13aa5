"""Ranges of joint axes, and the positions in them: sectors, a cone for the swing, bars.

A sector lies about the rotation axis, with angle 0 where the needle points at coordinate 0. With frames A and B on the bodies:

    rotation of B against A about z  sector in the plane of A's x, y; needle: the coordinate, from A's x
    second axis of a universal joint sector in the plane of B's z, y, about B's x; needle: A's z
    swing                            cone about A's z; needle: B's z
    translation along an axis of A   bar from the joint's point on A
    length                           bar from the point on A to that on B
"""

from dataclasses import dataclass

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays.joint_frames import axis_of, frames
from app.render.scene.draw_list import DISC, DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import joint_kinds
from physics.joints import Axis, Motion

RADIUS = 1.1
"""Radius of sectors and cones, in typical half sizes of bodies."""
NEAR_LIMIT = 0.03
"""An axis within this fraction of its range from a limit counts as having reached it."""
SHOWN = 1.2
"""A length without an upper limit is drawn up to this multiple of its value."""
FRAME_AXIS = {Motion.ALONG_X: 0, Motion.ALONG_Y: 1, Motion.VECTOR_X: 0, Motion.VECTOR_Y: 1}
"""Frame axis by motion; z for others."""


@dataclass(frozen=True)
class LimitRange:
    """One axis of the joints limited on it: lo, hi, now (n,) [rad] or [m]; a, b (n, 4): quaternions of their frames; pos, end
    (n, 3): points on both bodies; colours (n, 3)."""

    lo: np.ndarray
    hi: np.ndarray
    now: np.ndarray
    a: np.ndarray
    b: np.ndarray
    pos: np.ndarray
    end: np.ndarray
    colours: np.ndarray


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    seen, known = context.hinges, joint_kinds()
    for kind in np.unique(seen.kind).tolist():
        for k, axis in enumerate(known[context.frame.joint_kinds[kind]].axes):
            which = np.flatnonzero(seen.kind == kind)
            table = context.frame.joints[seen.index[which]]
            limited = np.isfinite(table["limit_lo"][:, k]) | np.isfinite(table["limit_hi"][:, k])
            which = which[limited & ((table["used"] >> k & 1) == 1)]
            if len(which):
                _one(context, draw_list, axis, _range(context, which, k))


def _range(context: OverlayContext, which: np.ndarray, k: int) -> LimitRange:
    seen = context.hinges
    index = seen.index[which]
    table = context.frame.joints[index]
    lo, hi, now = table["limit_lo"][:, k], table["limit_hi"][:, k], table["coordinate"][:, k]
    with np.errstate(invalid="ignore"):
        margin = np.where(np.isfinite(hi - lo), NEAR_LIMIT * (hi - lo), 1e-3)
        reached = (now <= lo + margin) | (now >= hi - margin)
    colours = np.where(reached[:, None], context.theme.slip, context.theme.limit)
    return LimitRange(lo, hi, now, frames(context, index, "a"), frames(context, index, "b"), seen.pos[which], seen.end[which],
                      colours)


def _one(context: OverlayContext, draw_list: DrawList, axis: Axis, found: LimitRange) -> None:
    if axis.motion == Motion.LENGTH:
        away = found.end - found.pos
        size = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
        _bar(context, draw_list, found, away / size[:, None])
    elif axis.unit == "m":
        _bar(context, draw_list, found, axis_of(found.a, FRAME_AXIS.get(axis.motion, 2)))
    elif axis.motion == Motion.SWING:
        _swing(context, draw_list, found)
    elif axis.motion == Motion.ABOUT_X_B:
        _pie(context, draw_list, found, axis_of(found.b, 2), -axis_of(found.b, 0))
    else:
        along = FRAME_AXIS.get(axis.motion, 2)
        _pie(context, draw_list, found, axis_of(found.a, (along + 1) % 3), axis_of(found.a, along))


def _pie(context: OverlayContext, draw_list: DrawList, found: LimitRange, x: np.ndarray, z: np.ndarray) -> None:
    """Draw sectors. z: the rotation axis; a missing limit is drawn half a turn away from the other."""
    radius = RADIUS * context.typical_size
    lo = np.where(np.isfinite(found.lo), found.lo, found.hi - np.pi)
    hi = np.where(np.isfinite(found.hi), found.hi, found.lo + np.pi)
    draw_list.sector(found.pos, x, z, radius, lo, np.minimum(hi, lo + 2.0 * np.pi), found.colours)
    needle = np.cos(found.now)[:, None] * x + np.sin(found.now)[:, None] * np.cross(z, x)
    draw_list.line(found.pos, found.pos + 1.08 * radius * needle, found.colours, 2.6)
    draw_list.mark(found.pos + 1.08 * radius * needle, 8.0, DISC, found.colours)


def _swing(context: OverlayContext, draw_list: DrawList, found: LimitRange) -> None:
    radius = RADIUS * context.typical_size
    draw_list.sector(found.pos, axis_of(found.a, 0), axis_of(found.a, 2), radius, 0.0, 2.0 * np.pi, found.colours,
                     tilt=np.where(np.isfinite(found.hi), found.hi, np.pi))
    tip = found.pos + 1.08 * radius * axis_of(found.b, 2)
    draw_list.line(found.pos, tip, found.colours, 2.6)
    draw_list.mark(tip, 8.0, DISC, found.colours)


def _bar(context: OverlayContext, draw_list: DrawList, found: LimitRange, along: np.ndarray) -> None:
    """Draw bars from the lower to the upper limit, with a cross stroke at each and a disc at the coordinate."""
    far = np.maximum(SHOWN * np.abs(found.now), context.typical_size)
    ends = []
    for limit, missing in ((found.lo, found.now - far), (found.hi, found.now + far)):
        ends.append(found.pos + np.where(np.isfinite(limit), limit, missing)[:, None] * along)
        k = np.flatnonzero(np.isfinite(limit))
        side = np.cross(along[k], context.facing[2])
        side *= 0.18 * context.typical_size / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
        draw_list.line(ends[-1][k] - side, ends[-1][k] + side, found.colours[k], 3.0)
    draw_list.line(*ends, found.colours, 2.0)
    draw_list.mark(found.pos + found.now[:, None] * along, 9.0, DISC, found.colours)


OVERLAY = Overlay("Joint limits and the current coordinate of each axis, as sectors, cones and bars; orange at a limit.",
                  "joints", draw, key="O", words=("limits",))
