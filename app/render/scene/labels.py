"""Places labels in the picture: names of bodies, numbers at arrows. The GUI draws them. No GL.

More labels are requested than can be read. Selected ones come first, then those near the cursor, then the largest; none overlaps
another.
"""

from typing import NamedTuple

import numpy as np

from app.number_format import rounded
from app.render.scene.colours import Legend
from app.render.scene.draw_list import TextLabel
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import Colour

CURSOR_REACH = 70.0
"""Labels nearer than this to the cursor take precedence, the nearest first [px]."""
LETTER, LINE = 7.5, 17.0
"""Width of a letter and height of a line [px]."""


class Label(NamedTuple):
    """A text whose middle is at (x, y) [framebuffer pixels, origin bottom left]."""

    x: float
    y: float
    text: str
    colour: Colour


class PlacedLabel(NamedTuple):
    """Labels and legend that the caller draws over the picture."""

    labels: tuple[Label, ...] | list[Label] = ()
    legend: Legend | None = None


def place(words: list[TextLabel], context: OverlayContext) -> list[Label]:
    """The labels that fit, the most important ones first."""
    wanted = [_wanted(w, k, context) for k, w in enumerate(words) if len(w.points)]
    if not wanted:
        return []
    rank, seen, which = (np.concatenate(parts) for parts in zip(*wanted))
    letter, line, out = LETTER * context.density, LINE * context.density, []
    order = np.argsort(-rank, kind="stable")
    owners = [words[number] for number in which[order, 0].tolist()]
    texts = [str(owner.texts[item]) if owner.values is None else f"{rounded(owner.values[item])} {owner.unit}"
             for owner, item in zip(owners, which[order, 1].tolist())]
    x, y = seen[order, 0], seen[order, 1] + np.array([owner.lift for owner in owners]) * context.density
    half = 0.5 * letter * (np.array([len(text) for text in texts]) + 1)
    x = np.maximum(half, np.minimum(x, context.width - half))         # whole, also at the borders
    y = np.maximum(0.5 * line, np.minimum(y, context.height - 0.5 * line))
    covered = np.zeros(len(order), bool)
    for k, (owner, text) in enumerate(zip(owners, texts)):
        if not covered[k]:
            covered |= (np.abs(x - x[k]) < half + half[k]) & (np.abs(y - y[k]) < line)
            out.append(Label(float(x[k]), float(y[k]), text, owner.colour))
    return out


def _wanted(words: TextLabel, number: int, context: OverlayContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rank, position in the picture, (number, item)) of the most important of these that are in the picture."""
    seen = context.camera.project(words.points, context.width, context.height)
    half = np.array([context.width, context.height]) / 2.0
    inside = np.flatnonzero((seen[:, 2] > 0.0) & (np.abs(seen[:, :2] - half) < half).all(axis=1))
    weight = np.abs(words.weight[inside])
    # In octaves, so that labels do not come and go with small changes.
    rank = np.floor(np.log2(np.maximum(weight / max(weight.max(initial=0.0), 1e-300), 1e-9))) / 32.0
    rank[words.first[inside]] += 4.0
    if context.cursor is not None:
        away = np.hypot(*(seen[inside, :2] - context.cursor).T) / (CURSOR_REACH * context.density)
        rank[away < 1.0] += 3.0 - away[away < 1.0]
    best = np.arange(len(rank))
    if len(rank) > words.most:
        best = np.flatnonzero(rank >= np.partition(rank, -words.most)[-words.most])
    best = best[np.argsort(-rank[best], kind="stable")][: words.most]
    kept = inside[best]
    return rank[best], seen[kept], np.column_stack([np.full(len(kept), number), kept])
