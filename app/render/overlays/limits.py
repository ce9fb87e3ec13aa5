"""Ranges of joints' axes and where in them they are: pies for turns, a cone for the swing, bars for ways.

A pie lies about the turn's axis, angle 0 where the needle points when the coordinate is 0. With frames A and B on the bodies:

    turn of B against A about z      pie in the plane of A's x, y; needle: the coordinate, from A's x
    second turn of a universal joint pie in the plane of B's z, y, about B's x; needle: A's z
    swing                            cone about A's z; needle: B's z
    way along an axis of A           bar from the joint's point on A
    length                           bar from the point on A to that on B
"""

from dataclasses import dataclass

import numpy as np

from app.render.ink import DISC, Ink
from app.render.overlays import Overlay
from app.render.overlays.joint_frames import axis_of, frames
from app.render.place import joint_kinds
from app.render.sight import Sight
from physics import joints

RADIUS = 1.1
"""Of pies and cones, in typical half sizes of bodies."""
NEAR = 0.03
"""An axis this near to its limit, as a part of the range, has reached it."""
SHOWN = 1.2
"""A length without an upper limit is drawn up to this part of what it is."""
AXIS = {"x": 0, "y": 1, "rx": 0, "ry": 1}
"""Axes of the frame by the names of coordinates; z for others."""


@dataclass(frozen=True)
class Range:
    """One axis of the joints that have limits on it: lo, hi, now (n,) [rad] or [m]; quats (n, 4) of their frames; points (n, 3)
    on both bodies; colours (n, 3)."""

    lo: np.ndarray
    hi: np.ndarray
    now: np.ndarray
    a: np.ndarray
    b: np.ndarray
    pos: np.ndarray
    end: np.ndarray
    colours: np.ndarray


def draw(sight: Sight, ink: Ink) -> None:
    seen, known = sight.hinges, joint_kinds()
    for kind in np.unique(seen.kind).tolist():
        for k, axis in enumerate(known[sight.frame.joint_kinds[kind]].axes):
            which = np.flatnonzero(seen.kind == kind)
            table = sight.frame.joints[seen.index[which]]
            limited = np.isfinite(table["limit_lo"][:, k]) | np.isfinite(table["limit_hi"][:, k])
            which = which[limited & ((table["used"] >> k & 1) == 1)]
            if len(which):
                _one(sight, ink, axis, _range(sight, which, k))


def _range(sight: Sight, which: np.ndarray, k: int) -> Range:
    seen = sight.hinges
    index = seen.index[which]
    table = sight.frame.joints[index]
    lo, hi, now = table["limit_lo"][:, k], table["limit_hi"][:, k], table["coordinate"][:, k]
    with np.errstate(invalid="ignore"):
        margin = np.where(np.isfinite(hi - lo), NEAR * (hi - lo), 1e-3)
        reached = (now <= lo + margin) | (now >= hi - margin)
    colours = np.where(reached[:, None], sight.theme.slip, sight.theme.limit)
    return Range(lo, hi, now, frames(sight, index, "a"), frames(sight, index, "b"), seen.pos[which], seen.end[which], colours)


def _one(sight: Sight, ink: Ink, axis: joints.Axis, found: Range) -> None:
    if axis.name == "length":
        away = found.end - found.pos
        size = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
        _bar(sight, ink, found, away / size[:, None])
    elif axis.unit == "m":
        _bar(sight, ink, found, axis_of(found.a, AXIS.get(axis.name, 2)))
    elif axis.name == "swing":
        _swing(sight, ink, found)
    elif axis.name == "second":
        _pie(sight, ink, found, axis_of(found.b, 2), -axis_of(found.b, 0))
    else:
        along = AXIS.get(axis.name, 2)
        _pie(sight, ink, found, axis_of(found.a, (along + 1) % 3), axis_of(found.a, along))


def _pie(sight: Sight, ink: Ink, found: Range, x: np.ndarray, z: np.ndarray) -> None:
    """z: the axis of the turn; a limit that is missing: half a turn away from the other."""
    radius = RADIUS * sight.typical
    lo = np.where(np.isfinite(found.lo), found.lo, found.hi - np.pi)
    hi = np.where(np.isfinite(found.hi), found.hi, found.lo + np.pi)
    ink.sector(found.pos, x, z, radius, lo, np.minimum(hi, lo + 2.0 * np.pi), found.colours)
    needle = np.cos(found.now)[:, None] * x + np.sin(found.now)[:, None] * np.cross(z, x)
    ink.line(found.pos, found.pos + 1.08 * radius * needle, found.colours, 2.6)
    ink.mark(found.pos + 1.08 * radius * needle, 8.0, DISC, found.colours)


def _swing(sight: Sight, ink: Ink, found: Range) -> None:
    radius = RADIUS * sight.typical
    ink.sector(found.pos, axis_of(found.a, 0), axis_of(found.a, 2), radius, 0.0, 2.0 * np.pi, found.colours,
               tilt=np.where(np.isfinite(found.hi), found.hi, np.pi))
    tip = found.pos + 1.08 * radius * axis_of(found.b, 2)
    ink.line(found.pos, tip, found.colours, 2.6)
    ink.mark(tip, 8.0, DISC, found.colours)


def _bar(sight: Sight, ink: Ink, found: Range, along: np.ndarray) -> None:
    """From the lower to the upper limit, with a cross stroke at each and a disc at the place in it."""
    far = np.maximum(SHOWN * np.abs(found.now), sight.typical)
    ends = []
    for limit, missing in ((found.lo, found.now - far), (found.hi, found.now + far)):
        ends.append(found.pos + np.where(np.isfinite(limit), limit, missing)[:, None] * along)
        k = np.flatnonzero(np.isfinite(limit))
        side = np.cross(along[k], sight.facing[2])
        side *= 0.18 * sight.typical / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
        ink.line(ends[-1][k] - side, ends[-1][k] + side, found.colours[k], 3.0)
    ink.line(*ends, found.colours, 2.0)
    ink.mark(found.pos + found.now[:, None] * along, 9.0, DISC, found.colours)


OVERLAY = Overlay("Limits of joints, and where in its range each axis is: pies, cones and bars; orange where a limit is reached.",
                  "joints", draw, key="O", words=("limits",))
