"""Places labels in the picture: names of bodies, numbers at arrows. The GUI draws them. No GL.

More labels are requested than can be read. Selected ones come first, then those near the cursor, then the largest; none overlaps
another. A number stands where it hides least of the small bodies around, its own above all, and near its arrow.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from app.number_format import rounded
from app.render.scene.colours import Legend
from app.render.scene.contact_forces import ARROW_SHARE
from app.render.scene.draw_list import DrawList, TextLabel
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import RGB

CURSOR_REACH = 70.0
"""Labels nearer than this to the cursor take precedence, the nearest first [px]."""
LETTER, LINE = 7.5, 17.0
"""Width of a letter and height of a line [px]."""
LABEL_SIDES = np.array([(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)], float)
"""Sides of its point at which a number may stand; the first one is preferred."""
LARGE_BODY = 40.0
"""Bodies whose boxes in the picture exceed this many labels may be covered: little of them is hidden."""
HIDING_COST, HIDING_OWN_COST, DISTANCE_COST, ON_ARROW_COST, COVERING_COST, CHANGE_COST = 3.0, 6.0, 0.012, 0.5, 0.5, 0.35
"""Costs of a place: share of a body that is hidden, of the label's own body, distance from its point [1/px], on its own arrow,
over the whole of it; and the advantage of the place of the last picture."""
LONG_ARROW = 40.0
"""Numbers beside shorter arrows may stand in their direction, if not over them: they would be sent far away [px]."""
ALWAYS, MAX_COST, MAX_NUMBERS = 3, 0.9, 14
"""Numbers of what is neither selected nor near the cursor: the first of them are drawn wherever they stand, others where that
costs less, as they would hide what they are about, and no more than MAX_NUMBERS in all."""
ON_ARROW_COSINE = 0.7
"""A place is on the arrow where the cosine of its direction from the tip with that of the shaft exceeds this."""
MAX_LABELS = 240
"""Limit of labels among which places are divided."""
LEADER = 34.0
"""A number farther from its point than this is joined to it by a line [px]."""


class Label(NamedTuple):
    """A text whose middle is at (x, y) [framebuffer pixels, origin bottom left]. point: where it belongs, if that is far."""

    x: float
    y: float
    text: str
    colour: RGB
    point: tuple[float, float] | None = None


class ScaleBar(NamedTuple):
    """Length of the arrow of a force at the camera's target [framebuffer pixels], and that force [N], 0 if none is drawn;
    meanings: of the arrows that are drawn, with their colours."""

    length: float
    newtons: float
    meanings: tuple[tuple[str, RGB], ...] = ()


class PlacedLabel(NamedTuple):
    """Labels, legend of colours and scale of forces that the caller draws over the picture."""

    labels: tuple[Label, ...] | list[Label] = ()
    legend: Legend | None = None
    scale_bar: ScaleBar | None = None


@dataclass
class ChosenSides:
    """Where numbers stood in the last picture, so that they stay there. by: (unit, colour, body) -> index of the place."""

    by: dict[tuple, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Wishes:
    """Labels that are wanted, the most important ones first. points, half (n, 2): where they belong, half their sizes [px];
    shafts (n, 2): from there along their arrows, unit vectors where those are long; owners, texts (n,); bodies (n,): to which
    they belong, -1: none; asked (n,): of what is selected or near the cursor."""

    points: np.ndarray
    shafts: np.ndarray
    half: np.ndarray
    owners: list[TextLabel]
    texts: list[str]
    bodies: np.ndarray
    asked: np.ndarray


def place(words: list[TextLabel], context: OverlayContext) -> list[Label]:
    """The labels that fit, the most important ones first."""
    wishes = _wishes(words, context)
    if wishes is None:
        return []
    places, cost = _places(wishes, context)
    keys = [(owner.unit, owner.colour, body) for owner, body in zip(wishes.owners, wishes.bodies.tolist())]
    before, chosen, out, numbers = context.state(ChosenSides), {}, [], 0
    for k, (key, text, body) in enumerate(zip(keys, wishes.texts, wishes.bodies.tolist())):
        if body >= 0:
            cost[k, before.by.get(key, 0)] -= CHANGE_COST
        way = int(np.argmin(cost[k]))
        free = wishes.asked[k] or body < 0
        if not cost[k, way] < (np.inf if free or k < ALWAYS else MAX_COST) or (numbers >= MAX_NUMBERS and not free):
            continue
        numbers += not free
        chosen[key], box = way, places[k, way]
        cost[(np.minimum(places[..., 2], box[2]) > np.maximum(places[..., 0], box[0]))
             & (np.minimum(places[..., 3], box[3]) > np.maximum(places[..., 1], box[1]))] = np.inf
        middle, point = 0.5 * (box[:2] + box[2:]), wishes.points[k]
        far = body >= 0 and (np.abs(point - middle) - wishes.half[k]).max() > LEADER * context.density
        out.append(Label(*middle.tolist(), text, wishes.owners[k].colour, tuple(point.tolist()) if far else None))
    before.by = chosen
    return out


def _wishes(words: list[TextLabel], context: OverlayContext) -> _Wishes | None:
    """The labels among which there is a choice; None: there are none."""
    wanted = [_wanted(w, k, context) for k, w in enumerate(words) if len(w.points)]
    if not wanted:
        return None
    rank, seen, which = (np.concatenate(parts) for parts in zip(*wanted))
    order = np.argsort(-rank, kind="stable")[:MAX_LABELS]
    owners = [words[number] for number in which[order, 0].tolist()]
    items = which[order, 1].tolist()
    texts = [str(owner.texts[item]) if owner.values is None else f"{rounded(owner.values[item])} {owner.unit}"
             for owner, item in zip(owners, items)]
    size = np.array([(LETTER * (len(text) + 1), LINE) for text in texts]).reshape(-1, 2)
    bodies = np.array([-1 if owner.bodies is None else owner.bodies[item] for owner, item in zip(owners, items)], int)
    return _Wishes(seen[order, :2], seen[order, 2:], 0.5 * context.density * size, owners, texts, bodies, rank[order] > 1.0)


def _places(wishes: _Wishes, context: OverlayContext) -> tuple[np.ndarray, np.ndarray]:
    """(boxes (n, m, 4) in which each label may stand, whole in the picture; cost of each (n, m), inf: not there)."""
    point, half = wishes.points[:, None], wishes.half[:, None]
    lift = context.density * np.array([owner.lift for owner in wishes.owners])[:, None, None]
    gap = half + LINE * context.density * np.array([0.5, 0.15])
    tall = np.maximum(np.abs(lift[..., 0]), gap[..., 1])
    around = point + np.stack([LABEL_SIDES[:, 0] * gap[..., 0], LABEL_SIDES[:, 1] * tall], axis=-1)
    bodies, boxes = _small_bodies(context)
    at = np.minimum(np.searchsorted(bodies, wishes.bodies), max(0, len(bodies) - 1))
    own = (bodies[at] == wishes.bodies)[:, None] if len(bodies) else np.zeros((len(at), 1), bool)
    box = np.where(own, boxes[at] if len(bodies) else 0.0, np.tile(wishes.points, 2))[:, None]
    x, y = np.clip(wishes.points, box[:, 0, :2], box[:, 0, 2:]).T[..., None]
    outside = np.stack([np.hstack([box[..., 2] + gap[..., 0], box[..., 0] - gap[..., 0], x, x]),
                        np.hstack([y, y, box[..., 3] + gap[..., 1], box[..., 1] - gap[..., 1]])], axis=-1)
    middles = np.concatenate([around, outside], axis=1)
    alone = wishes.bodies < 0
    middles[alone, 0] = wishes.points[alone] + np.stack([np.zeros(len(lift)), lift[:, 0, 0]], axis=-1)[alone]
    middles = np.maximum(half, np.minimum(middles, np.array([context.width, context.height]) - half))
    places = np.concatenate([middles - half, middles + half], axis=-1)
    cost = np.zeros(places.shape[:2])
    cost[alone, 1:] = np.inf
    beside = np.flatnonzero(~alone)
    cost[beside] = _hidden(places[beside], wishes.bodies[beside], bodies, boxes)
    away, aside = np.maximum(np.maximum(places[..., :2] - point, point - places[..., 2:]), 0.0), middles - point
    cosine = (aside * wishes.shafts[:, None]).sum(axis=-1) / np.maximum(np.hypot(aside[..., 0], aside[..., 1]), 1e-9)
    on_arrow = np.maximum(cosine - ON_ARROW_COSINE, 0.0) / (1.0 - ON_ARROW_COSINE)
    middle = point + 0.5 * LONG_ARROW * context.density * wishes.shafts[:, None]      # of short arrows
    covers = (np.abs(middle - middles) < half).all(axis=-1) & wishes.shafts.any(axis=1)[:, None]
    return places, (cost + DISTANCE_COST / context.density * np.hypot(away[..., 0], away[..., 1]) + ON_ARROW_COST * on_arrow
                    + COVERING_COST * covers)


def _hidden(places: np.ndarray, owners: np.ndarray, bodies: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Cost (n, m) of what the boxes `places` (n, m, 4) of labels hide of bodies, their own (n,) and others."""
    if not len(bodies) or not len(places):
        return np.zeros(places.shape[:2])
    share = overlaps(places.reshape(-1, 4), boxes) / np.maximum(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1), 1.0)
    weight = np.where(owners[:, None] == bodies, HIDING_OWN_COST, HIDING_COST)
    return np.einsum("nmb,nb->nm", share.reshape(*places.shape[:2], -1), weight)


def scale_bar(context: OverlayContext, drawn: DrawList) -> ScaleBar | None:
    """What the arrows mean, and the scale of forces: the arrow of a round number of newtons that is nearest to that of the
    typical force. None without arrows."""
    meanings = tuple(drawn.meanings.items())
    if not drawn.shows_forces:
        return ScaleBar(0.0, 0.0, meanings) if meanings else None
    per_newton = context.force_length * context.height / context.camera.shown_height
    typical = ARROW_SHARE * context.height / per_newton
    decade = 10.0 ** np.floor(np.log10(typical))
    newtons = float(decade * min((1.0, 2.0, 5.0, 10.0), key=lambda k: abs(np.log(k * decade / typical))))
    return ScaleBar(float(per_newton * newtons), newtons, meanings)


def overlaps(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Area that each of `boxes` (m, 4) has in common with each of `others` (n, 4), shape (m, n) [px^2]."""
    wide, tall = (np.minimum(boxes[:, None, k + 2], others[:, k + 2]) - np.maximum(boxes[:, None, k], others[:, k])
                  for k in (0, 1))
    return np.maximum(wide, 0.0) * np.maximum(tall, 0.0)


def _small_bodies(context: OverlayContext) -> tuple[np.ndarray, np.ndarray]:
    """(moving bodies that a label could hide (n,), their boxes in the picture (n, 4))."""
    bodies, boxes = context.body_boxes
    area, label = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1), 6.0 * LETTER * LINE * context.density**2
    inside = (boxes[:, 2:] > 0.0).all(axis=1) & (boxes[:, :2] < (context.width, context.height)).all(axis=1)
    small = inside & (area < LARGE_BODY * label)
    return bodies[small], boxes[small]


def _wanted(words: TextLabel, number: int, context: OverlayContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rank, position in the picture and direction of the arrow's shaft from there (n, 4), (number, item)) of the most important
    of these that are in the picture."""
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
    shafts = np.zeros((len(kept), 2))
    if words.starts is not None:
        starts = context.camera.project(words.starts[kept], context.width, context.height)
        shafts = np.where(starts[:, 2:] > 0.0, starts[:, :2] - seen[kept, :2], 0.0)
        shafts /= np.maximum(np.hypot(*shafts.T), LONG_ARROW * context.density)[:, None]
    return rank[best], np.hstack([seen[kept, :2], shafts]), np.column_stack([np.full(len(kept), number), kept])
