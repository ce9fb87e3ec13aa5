"""Speculative contacts, as dashed lines along the motion of their points in a step.

A point at gap g with normal velocity v would be at g + h v. Down to the surface the line has the colour of sticking; the rest
is what the contact prevents: it leaves v = -g / h (T08). Drawn are

    the next step     contacts that are apart now, with g + h v < 0
    the last step     contacts that were apart at its start and took an impulse p: v = v1 - p (1 / m_a + 1 / m_b)
"""

import numpy as np

from app.render.overlays import Overlay
from app.render.scene.draw_list import DISC, RING, DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.transforms import contact_poses
from physics.contact.targets import TOUCH_GAP

DASHES_PER_LINE = 9
"""Dashes per line."""

MAX_LINES = 400
"""Limit of lines, the deepest first."""


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    frame = context.frame
    if not len(frame.contacts) or frame.step_start is None or len(frame.step_start.motion) != len(frame.bodies):
        return
    gap, before = gaps(context, context.touching.table)
    apart = np.flatnonzero((gap > TOUCH_GAP) | (before > TOUCH_GAP))
    if not len(apart):
        return
    sign, contacts = context.touching.sign[apart], np.take(context.touching.table, apart)
    gap, before, normal = gap[apart], before[apart], contacts["normal"]
    now, way, velocity = places(context, contacts, sign, gap)
    held = contacts["impulse"] * (frame.bodies["inv_mass"][contacts["body_a"]] + frame.bodies["inv_mass"][contacts["body_b"]])
    _lines(context, draw_list, now, gap, frame.dt * velocity, normal, sign)
    struck = contacts["impulse"] > 0.0
    _lines(context, draw_list, now - way * sign[:, None], np.where(struck, before, 0.0),
           frame.dt * (velocity - held[:, None] * normal), normal, sign)


def _lines(context: OverlayContext, draw_list: DrawList, start: np.ndarray, gap: np.ndarray, way: np.ndarray, normal: np.ndarray,
           sign: np.ndarray) -> None:
    """Draw lines from points (n, 3) at these gaps along the motion (n, 3) of b relative to a, if it crosses the surface."""
    end = gap + np.einsum("ij,ij->i", way, normal)
    k = np.flatnonzero((gap > TOUCH_GAP) & (end < -TOUCH_GAP))
    k = k[np.argsort(end[k])[:MAX_LINES]]
    if not len(k):
        return
    start, way = start[k], way[k] * sign[k][:, None]
    met = (gap[k] / (gap[k] - end[k]))[:, None]
    _dashed(draw_list, start, start + met * way, context.theme.stick)
    _dashed(draw_list, start + met * way, start + way, context.theme.slip)
    draw_list.mark(start, np.full(len(k), 8.0), DISC, context.theme.stick)
    draw_list.mark(start + met * way, np.full(len(k), 10.0), RING, context.theme.stick)


def _dashed(draw_list: DrawList, start: np.ndarray, end: np.ndarray, colour: tuple[float, float, float]) -> None:
    """Draw lines of DASHES_PER_LINE pieces each, (n, 3) to (n, 3) [m]."""
    piece = 1.0 / (DASHES_PER_LINE - 0.45)      # each but the last is followed by a gap of 0.45
    at, way = piece * np.arange(DASHES_PER_LINE)[:, None, None], end - start
    draw_list.line((start + at * way).reshape(-1, 3), (start + (at + 0.55 * piece) * way).reshape(-1, 3), colour, 2.4)


def _path(places: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Values of b minus those of a, of contacts, from a table of bodies (n, 3)."""
    return places[c["body_b"]] - places[c["body_a"]]


def _age(context: OverlayContext) -> np.ndarray:
    """Displacement of the bodies since contacts were found (n, 3) [m]."""
    return context.frame.bodies["pos"] - contact_poses(context.frame)[0]


def gaps(context: OverlayContext, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gaps of contacts (n,) [m]: now, and at the start of the step."""
    frame = context.frame
    solved = frame.report is not None and frame.report.solved is not None
    gap = c["gap"] if solved else c["gap"] + np.einsum("ij,ij->i", _path(_age(context), c), c["normal"])
    return gap, gap - np.einsum("ij,ij->i", _path(frame.bodies["pos"] - frame.step_start.pos, c), c["normal"])


def places(context: OverlayContext, c: np.ndarray, sign: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray,
                                                                                               np.ndarray]:
    """Of contacts with gaps (n,) [m] now: (the moving body's point now (n, 3) [m], displacement of b's point relative to a's
    in the last step (n, 3) [m], velocity (n, 3) [m/s])."""
    frame = context.frame
    since, pos = _age(context), frame.bodies["pos"]
    found = pos - since
    of_a, of_b = c["body_a"], c["body_b"]
    apart = gap - np.einsum("ij,ij->i", _path(since, c) + c["shift"], c["normal"])    # apart from the shift, `pos` is midway
    half = 0.5 * apart[:, None] * c["normal"]
    point = np.where(sign[:, None] > 0.0, c["pos"] + c["shift"] + half + since[of_b], c["pos"] - half + since[of_a])
    spin = (np.cross(frame.bodies["omega"][of_b], c["pos"] + c["shift"] - found[of_b])
            - np.cross(frame.bodies["omega"][of_a], c["pos"] - found[of_a]))
    return point, _path(pos - frame.step_start.pos, c), _path(frame.bodies["vel"], c) + spin


OVERLAY = Overlay("Speculative contacts: predicted motion of their points within the step and predicted "
                  "penetration.", "contacts", draw, words=("anticipating",))
