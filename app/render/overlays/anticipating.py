"""Contacts that act before they touch, as dashed lines along the way of their points in a step.

A point at the gap g with the normal velocity v would be at g + h v. Down to the surface the line is in the colour of sticking;
what would be below it is what the contact does not allow: it leaves v = -g / h (T08). Drawn are

    the next step     contacts that are apart now, with g + h v < 0
    the last step     contacts that were apart where it began and took an impulse p: v = v1 - p (1 / m_a + 1 / m_b)
"""

import numpy as np

from app.render.ink import DISC, RING, Ink
from app.render.overlays import Overlay
from app.render.place import found_at
from app.render.sight import Sight
from physics.contact_law import TOUCH

DASHES = 9
"""Of a line."""

MOST = 400
"""Lines at most, of the contacts that come nearest."""


def draw(sight: Sight, ink: Ink) -> None:
    frame = sight.frame
    if not len(frame.contacts) or frame.beginning is None or len(frame.beginning.motion) != len(frame.bodies):
        return
    gap, before = gaps(sight, sight.touching.table)
    apart = np.flatnonzero((gap > TOUCH) | (before > TOUCH))
    if not len(apart):
        return
    sign, contacts = sight.touching.sign[apart], np.take(sight.touching.table, apart)
    gap, before, normal = gap[apart], before[apart], contacts["normal"]
    now, way, velocity = places(sight, contacts, sign, gap)
    held = contacts["impulse"] * (frame.bodies["inv_mass"][contacts["body_a"]] + frame.bodies["inv_mass"][contacts["body_b"]])
    _lines(sight, ink, now, gap, frame.dt * velocity, normal, sign)
    struck = contacts["impulse"] > 0.0
    _lines(sight, ink, now - way * sign[:, None], np.where(struck, before, 0.0),
           frame.dt * (velocity - held[:, None] * normal), normal, sign)


def _lines(sight: Sight, ink: Ink, start: np.ndarray, gap: np.ndarray, way: np.ndarray, normal: np.ndarray,
           sign: np.ndarray) -> None:
    """From points (n, 3) at these gaps along the ways (n, 3) of b against a that lead through the surface."""
    end = gap + np.einsum("ij,ij->i", way, normal)
    k = np.flatnonzero((gap > TOUCH) & (end < -TOUCH))
    k = k[np.argsort(end[k])[:MOST]]
    if not len(k):
        return
    start, way = start[k], way[k] * sign[k][:, None]
    met = (gap[k] / (gap[k] - end[k]))[:, None]
    _dashed(ink, start, start + met * way, sight.theme.stick)
    _dashed(ink, start + met * way, start + way, sight.theme.slip)
    ink.mark(start, np.full(len(k), 8.0), DISC, sight.theme.stick)
    ink.mark(start + met * way, np.full(len(k), 10.0), RING, sight.theme.stick)


def _dashed(ink: Ink, start: np.ndarray, end: np.ndarray, colour: tuple[float, float, float]) -> None:
    """Lines of DASHES pieces each, (n, 3) to (n, 3) [m]."""
    piece = 1.0 / (DASHES - 0.45)      # with a gap of 0.45 of it after each but the last
    at, way = piece * np.arange(DASHES)[:, None, None], end - start
    ink.line((start + at * way).reshape(-1, 3), (start + (at + 0.55 * piece) * way).reshape(-1, 3), colour, 2.4)


def _way(places: np.ndarray, c: np.ndarray) -> np.ndarray:
    """What a table of bodies (n, 3) says of b against a, of contacts."""
    return places[c["body_b"]] - places[c["body_a"]]


def _since(sight: Sight) -> np.ndarray:
    """How far the bodies went since contacts were found (n, 3) [m]."""
    return sight.frame.bodies["pos"] - found_at(sight.frame)[0]


def gaps(sight: Sight, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gaps of contacts (n,) [m]: now, and where the step began."""
    frame = sight.frame
    solved = frame.report is not None and frame.report.solved is not None
    gap = c["gap"] if solved else c["gap"] + np.einsum("ij,ij->i", _way(_since(sight), c), c["normal"])
    return gap, gap - np.einsum("ij,ij->i", _way(frame.bodies["pos"] - frame.beginning.pos, c), c["normal"])


def places(sight: Sight, c: np.ndarray, sign: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of contacts with gaps (n,) [m] now: (the moving body's point now (n, 3) [m], way of b's point against a's in the last step
    (n, 3) [m], velocity (n, 3) [m/s])."""
    frame = sight.frame
    since, pos = _since(sight), frame.bodies["pos"]
    found = pos - since
    of_a, of_b = c["body_a"], c["body_b"]
    apart = gap - np.einsum("ij,ij->i", _way(since, c) + c["shift"], c["normal"])    # but for the shift `pos` is half way
    half = 0.5 * apart[:, None] * c["normal"]
    point = np.where(sign[:, None] > 0.0, c["pos"] + c["shift"] + half + since[of_b], c["pos"] - half + since[of_a])
    spin = (np.cross(frame.bodies["omega"][of_b], c["pos"] + c["shift"] - found[of_b])
            - np.cross(frame.bodies["omega"][of_a], c["pos"] - found[of_a]))
    return point, _way(pos - frame.beginning.pos, c), _way(frame.bodies["vel"], c) + spin


OVERLAY = Overlay("Contacts that act before they touch: where their points go within the step, and how far they would go through "
                  "the surface.", "contacts", draw, words=("anticipating",))
