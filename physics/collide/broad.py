"""Broad phase: pairs of shapes whose bounding boxes overlap, kept from step to step.

Two lists, as in molecular dynamics (Verlet, Phys. Rev. 159, 1967): *near* pairs, whose loose boxes overlap, and the subset whose
boxes of this step overlap.

    loose box = box + slack,   slack = 2 reach + 0.02 (shortest side)

A loose box is renewed when the box leaves it, and when it is WIDE_BOX_RATIO times as loose as a new one would be, as for a body
that fell and now rests.

A near pair persists until one of its shapes gets a new loose box; only then is that shape searched again in the grids (grid.py).
The pairs found are those of brute force over the boxes of the step, in ascending order, whatever the history.

Shapes are still or active (SHAPE.active). A pair needs an active shape and a dynamic body, so sleeping shapes and the ground
below them cost nothing until something moves: they have a grid of their own, rebuilt only when a shape joins or leaves it.

Collision filters: groups first, then categories and masks (the convention of Box2D: b2Filter).

    same group, not 0      positive: always; negative: never
    otherwise              (category_a & mask_b) != 0  and  (category_b & mask_a) != 0

A record stores the bits that a mask leaves out (`ignores`), and category 0 for the first bit: a record of zeros touches all.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from physics.collide import grid
from physics.collide.grid import ENTRY, GRID, GRIDS, LIST, TAG
from physics.core.check import flag, whole
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind, record

ALL_CATEGORIES = 0xFFFFFFFF
"""A mask of all 32 categories."""


@inline
def may_touch(a, b):
    """True if the filters of two records (SHAPE or TAG) let them touch."""
    if a.group == b.group and a.group != 0:
        return a.group > 0
    category_a = a.category if a.category != 0 else np.uint32(1)
    category_b = b.category if b.category != 0 else np.uint32(1)
    return category_a & ~b.ignores != 0 and category_b & ~a.ignores != 0


def fields(what: str, category: Any = None, mask: Any = None, group: Any = None, sensor: Any = None) -> dict[str, int]:
    """Values of SHAPE fields from user values; None leaves a field out.

    Raises:
        BadInput: not whole numbers of 32 bits, a category without a bit, a sensor that is neither true nor false.
    """
    found = {}
    if category is not None:
        found["category"] = whole(f"{what}: category", category, 1, ALL_CATEGORIES)
    if mask is not None:
        found["ignores"] = ALL_CATEGORIES ^ whole(f"{what}: mask", mask, 0, ALL_CATEGORIES)
    if group is not None:
        found["group"] = whole(f"{what}: group", group, 1 - 2**31, 2**31 - 1)
    if sensor is not None:
        found["sensor"] = int(flag(f"{what}: sensor", sensor))
    return found


_DYNAMIC = Kind.DYNAMIC


class ShapeActivity(IntEnum):
    """State of a shape in the broad phase."""

    ABSENT = 0
    INACTIVE = 1
    ACTIVE = 2


_SENSED = np.int64(-(1 << 63))
"""Bit of a key whose pair has a sensor: such keys are negative and come first."""

_ABSENT, _INACTIVE, _ACTIVE = (int(s) for s in ShapeActivity)

WIDE_BOX_RATIO = 3.0

MAX_SPARE_PAIRS = 256
"""Limit of unused capacity, in pairs."""

BROAD_WORK = record([
    ("moved", "i8"),       # shapes whose pairs are searched again
    ("found", "i8"),       # pairs, including those that did not fit in the buffer
    ("tests", "i8"),       # boxes compared and columns of cells opened
])


@kernel
def refresh(bodies, shapes, afresh, tags, boxes, loose, work):
    """Update tags and boxes to this step; make new loose boxes for shapes that left theirs, woke up, or all (afresh).

    Returns the numbers of shapes that moved, are active, are still, and that joined, left or moved among the still ones.
    """
    w = work[0]
    w.moved = 0
    active, still, changed = 0, 0, 0
    for i in range(shapes.shape[0]):
        s, t = shapes[i], tags[i]
        state = _ABSENT if s.body < 0 else (_ACTIVE if s.active else _INACTIVE)
        new = afresh or t.state < state
        if (state == _INACTIVE) != (t.state == _INACTIVE) or state < t.state:
            changed += 1
        if state == _INACTIVE and t.state == _INACTIVE and not afresh and bodies[s.body].asleep != 0:
            t.moved = 0
            still += 1
            continue
        t.state, t.moved = state, 0
        if state == _ABSENT:
            continue
        slack = 2.0 * s.reach + 0.02 * min(s.hi[0] - s.lo[0], s.hi[1] - s.lo[1], s.hi[2] - s.lo[2])
        fits = True
        for k in range(3):
            boxes[i, k], boxes[i, 3 + k] = s.lo[k], s.hi[k]
            fits = fits and loose[i, k] <= s.lo[k] and s.hi[k] <= loose[i, 3 + k]
            fits = fits and not (state == _ACTIVE and s.lo[k] - loose[i, k] + loose[i, 3 + k] - s.hi[k] > 2.0 * WIDE_BOX_RATIO
                                 * slack)
        if state == _ACTIVE:
            active += 1
        else:
            still += 1
        if fits and not new:
            continue
        t.body, t.dynamic, t.sensor = s.body, 1 if bodies[s.body].kind == _DYNAMIC else 0, s.sensor
        t.category, t.ignores, t.group = s.category, s.ignores, s.group
        t.moved = 1
        w.moved += 1
        if state == _INACTIVE:
            changed += 1
        if not slack < np.inf:
            slack = 0.0
        for k in range(3):
            loose[i, k], loose[i, 3 + k] = s.lo[k] - slack, s.hi[k] + slack
    return w.moved, active, still, changed


@routine
def contains(keys, key):
    """Binary search."""
    lo, hi = 0, keys.shape[0]
    while lo < hi:
        middle = (lo + hi) >> 1
        if keys[middle] < key:
            lo = middle + 1
        else:
            hi = middle
    return lo < keys.shape[0] and keys[lo] == key


@inline
def _accept(i, j, tags, excluded, work, out):
    """Record the pair of two shapes whose loose boxes overlap, if filters allow it."""
    a, b = tags[i], tags[j]
    if a.dynamic + b.dynamic == 0 or a.body == b.body or a.sensor + b.sensor == 2 or not may_touch(a, b):
        return
    if excluded.shape[0] > 0 and contains(excluded, (np.int64(min(a.body, b.body)) << 32) | max(a.body, b.body)):
        return
    if work.found < out.shape[0]:
        key = (np.int64(min(i, j)) << 32) | max(i, j)
        out[work.found] = key | _SENSED if a.sensor + b.sensor > 0 else key
    work.found += 1


@inline
def _search_pairs(i, boxes, g, after, entries, grids, first, tags, each, excluded, work, out):
    """Test shape i against the entries of grid g behind position `after`.

    each: 1: only the lower shape of two moved ones records their pair.
    """
    at = grids[g]
    x0, nx, y0, ny, z0, nz = 0, 1, 0, 1, 0, 1
    dx, dy, dz = at.cells[0], at.cells[1], at.cells[2]
    begin, end = max(at.begin, after), at.end
    if g != LIST:
        x0, nx = grid.span(at, 0, boxes[i, 0], boxes[i, 3])
        y0, ny = grid.span(at, 1, boxes[i, 1], boxes[i, 4])
        z0, nz = grid.span(at, 2, boxes[i, 2], boxes[i, 5])
        if nx <= 0 or ny <= 0 or nz <= 0:
            return
    every = g == LIST or np.float64(nx) * ny > end - begin     # more columns than entries
    if every:
        x0, nx, y0, ny, z0, nz = 0, 1, 0, 1, 0, 1
    tests = 0
    lo_x, lo_y, lo_z, hi_x, hi_y, hi_z = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5]
    for m in range(x0, x0 + nx):
        for n in range(y0, y0 + ny):
            tests += 1
            column = at.first + ((m if m < dx else m - dx) * dy + (n if n < dy else n - dy)) * dz
            for part in range(2 if z0 + nz > dz and not every else 1):       # the second part lies beyond the wrap
                if not every:
                    begin = max(first[column + (z0 if part == 0 else 0)], after)
                    end = first[column + (min(z0 + nz, dz) if part == 0 else z0 + nz - dz)]
                tests += max(0, end - begin)
                for q in range(begin, end):
                    e = entries[q]
                    # False for boxes with nan.
                    if (e.lo[0] <= hi_x and lo_x <= e.hi[0] and e.lo[1] <= hi_y and lo_y <= e.hi[1] and e.lo[2] <= hi_z
                            and lo_z <= e.hi[2] and e.index != i and not (each and tags[e.index].moved and e.index < i)):
                        _accept(i, e.index, tags, excluded, work, out)
    work.tests += tests


@kernel
def search(every, count, boxes, tags, a, a_grids, a_first, s, s_grids, s_first, excluded, work, out):
    """Find keys of the pairs of all active shapes (every), or of those that moved, unordered, as many as fit in out. Returns
    their number.

    a: entries of the `count` active shapes; s: of the still ones.
    """
    w = work[0]
    w.found = 0
    for p in range(count if every else tags.shape[0]):
        i = a[p].index if every else np.int32(p)
        if not every and tags[i].moved == 0:
            continue
        for h in range(tags[i].grid if every else 0, GRIDS + 1):
            if a_grids[h].count > 0:
                after = p + 1 if every and h == tags[i].grid else 0
                _search_pairs(i, boxes, h, after, a, a_grids, a_first, tags, not every, excluded, w, out)
        if tags[i].state == _ACTIVE:
            for h in range(GRIDS + 1):
                if s_grids[h].count > 0:
                    _search_pairs(i, boxes, h, 0, s, s_grids, s_first, tags, not every, excluded, w, out)
    return w.found


@inline
def _low(key):
    return (key >> 32) & 0x7FFFFFFF


@inline
def _high(key):
    return key & 0xFFFFFFFF


@kernel
def merge(keys, new, tags, out):
    """Write in order the keys that still hold (no shape moved or gone, one of them active) and the new ones; returns how many."""
    n, k = 0, 0
    for key in keys:
        a, b = tags[_low(key)], tags[_high(key)]
        if a.moved + b.moved > 0 or a.state * b.state == 0 or a.state + b.state <= 2 * _INACTIVE:
            continue
        while k < new.shape[0] and new[k] < key:
            out[n] = new[k]
            n, k = n + 1, k + 1
        out[n] = key
        n += 1
    while k < new.shape[0]:
        out[n] = new[k]
        n, k = n + 1, k + 1
    return n


@kernel
def select(keys, boxes, pairs):
    """Select the near pairs whose boxes of this step overlap; returns how many (with a sensor, in all)."""
    n, sensed = 0, 0
    for key in keys:
        i, j = _low(key), _high(key)
        if (boxes[i, 0] <= boxes[j, 3] and boxes[j, 0] <= boxes[i, 3] and boxes[i, 1] <= boxes[j, 4]
                and boxes[j, 1] <= boxes[i, 4] and boxes[i, 2] <= boxes[j, 5] and boxes[j, 2] <= boxes[i, 5]):
            pairs[n, 0], pairs[n, 1] = i, j
            n += 1
            if key < 0:
                sensed = n
    return sensed, n


def room_for(count: int) -> int:
    """Capacity of the tables of `count` shapes: with a sixteenth to spare they seldom grow where shapes are added."""
    return max(16, count + count // 16)


class GridIndex:
    """Grids of the boxes of one state."""

    def __init__(self, state: ShapeActivity) -> None:
        self._state = int(state)
        self.grids = np.zeros(GRIDS + 1, GRID)
        self.count = 0
        self._make_room(0)

    def _make_room(self, count: int) -> None:
        room = room_for(count)
        self.entries, self.first = np.empty(room, ENTRY), np.zeros(grid.cells_needed(room), np.int32)

    def build(self, boxes: np.ndarray, tags: np.ndarray, count: int) -> None:
        """count: number of shapes in that state."""
        if not count <= len(self.entries) <= 2 * count + 16:
            self._make_room(count)
        self.count = grid.build.unchecked(boxes, tags, self._state, self.entries, self.grids, self.first)


class BroadPhase:
    """Near pairs of one world, kept from step to step. The result depends on the current boxes alone."""

    def __init__(self) -> None:
        self.work = np.zeros(1, BROAD_WORK)
        self._revision = -1
        self._keys = np.empty(0, np.int64)
        self._make_room(0)

    def _make_room(self, shapes: int) -> None:
        room = room_for(shapes)
        self._tags, self._boxes, self._loose = np.zeros(room, TAG), np.empty((room, 6)), np.empty((room, 6))
        self._active, self._still = GridIndex(ShapeActivity.ACTIVE), GridIndex(ShapeActivity.INACTIVE)
        self._revision = -1

    def find(self, bodies: np.ndarray, shapes: np.ndarray, excluded: np.ndarray, revision: int,
             room: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Find pairs (i < j) of shapes whose boxes overlap, int32 (m, 2), sorted: (those that touch, those of a sensor).

        Excluded: empty slots, one body with itself, pairs without a dynamic body or an active shape, pairs that filters forbid,
        two sensors, and the pairs of bodies in `excluded` (sorted int64 keys: lower body * 2^32 + higher body).

        Args:
            revision: a number that changes when shapes are added, removed or filtered otherwise, or `excluded` changes.
            room: capacity of the first buffer of a search; it grows.
        """
        n = len(shapes)
        if n > len(self._tags):
            self._make_room(n)
        tags, boxes = self._tags[:n], self._boxes[:n]
        moved, active, still, changed = refresh.unchecked(bodies, shapes, revision != self._revision, tags, boxes,
                                                          self._loose[:n], self.work)
        self._revision = revision
        if moved or changed:
            self._active.build(self._loose[:n], tags, active)
            if changed:
                self._still.build(self._loose[:n], tags, still)
            self._search(tags, self._loose[:n], excluded, moved, 2 * moved > active, room)
        pairs = np.empty((len(self._keys), 2), np.int32)
        sensed, count = select.unchecked(self._keys, boxes, pairs)
        if 2 * count < len(pairs) > MAX_SPARE_PAIRS:
            pairs = pairs[:count].copy()
        return pairs[sensed:count], pairs[:sensed]

    def _search(self, tags: np.ndarray, loose: np.ndarray, excluded: np.ndarray, moved: int, every: bool, room: int) -> None:
        """Update the near pairs. every: search those of all active shapes, not only of the `moved` ones."""
        as_before = len(self._keys) + len(self._keys) // 8 if every else 0
        out = np.empty(room or max(64 + 8 * moved, as_before), np.int64)
        found = self._run(every, loose, tags, excluded, out)
        if found > len(out):
            out = np.empty(found, np.int64)
            self._run(every, loose, tags, excluded, out)
        new = np.sort(out[:found])
        if every:
            self._keys = new
        else:
            keys = np.empty(len(self._keys) + len(new), np.int64)
            self._keys = keys[: merge.unchecked(self._keys, new, tags, keys)]

    def _run(self, every: bool, loose: np.ndarray, tags: np.ndarray, excluded: np.ndarray, out: np.ndarray) -> int:
        """Search once; returns the number of pairs, of which `out` holds as many as fit."""
        a, s = self._active, self._still
        return search.unchecked(every, a.count, loose, tags, a.entries, a.grids, a.first, s.entries, s.grids, s.first, excluded,
                                self.work, out)


def find_pairs(bodies: np.ndarray, shapes: np.ndarray, excluded: np.ndarray) -> np.ndarray:
    """The pairs that touch, found from scratch; see `BroadPhase.find`."""
    return BroadPhase().find(bodies, shapes, excluded, 0)[0]
