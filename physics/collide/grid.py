"""Hierarchical grids of boxes, which find the boxes that may overlap a given box in a time independent of the world's size.

Each box belongs to one grid by its size (sizes within a grid differ by at most 2) and to the cell of its centre. A grid's cells
are as large as its largest box, so the boxes that meet a given box q have their centres in

    cells from floor((q.lo - s / 2) / s) to floor((q.hi + s / 2) / s)        s: size of a cell, per axis

at most 3 x 3 x 3 where q is no larger than the grid's own boxes. (Hierarchical spatial hash: Ericson, Real-Time Collision
Detection, 2005, 7.2.1.) The cells of a grid are D_x x D_y x D_z, at most about four a box; a wider world is wrapped, cell number
modulo D, with D a prime so that regular arrangements do not fall into the same cells. Entries are stored in the order of their
cells: neighbours along z are neighbours in memory. Grids with few boxes, and endless boxes, go to a list instead, which is
compared with every query.

Cost: proportional to the boxes times the number of grids in use; only long thin boxes packed densely at random angles cost more,
because their boxes really overlap.
"""

import numpy as np

from physics.core.jit import inline, kernel, routine
from physics.core.records import record

GRIDS = 20
LIST = GRIDS
"""Index of the list, the "grid" of boxes without cells."""
FEW = 8
"""A grid with fewer boxes than this is merged into the list."""

PRIMES = np.array([
    5, 7, 11, 13, 17, 23, 29, 37, 47, 59, 73, 97, 127, 163, 211, 263, 331, 419, 523, 653, 821, 1031, 1289, 1613, 2017, 2521,
    3163, 3967, 4967, 6211, 7789, 9739, 12197, 15259, 19073, 23857, 29833, 37307, 46633, 58309, 72889, 91121, 113903, 142381,
    177979, 222493, 278119, 347651])
"""Numbers of cells along a wrapped axis: at least five, so that no cell is visited twice."""

TAG = record([
    ("body", "i4"),        # body of the shape
    ("state", "i4"),       # ShapeActivity of the shape, see broad.py
    ("moved", "i4"),       # 1: its pairs are searched again in this step
    ("dynamic", "i4"),     # 1: of a dynamic body
    ("sensor", "i4"),      # of SHAPE
    ("category", "u4"),    # of SHAPE
    ("ignores", "u4"),     # of SHAPE
    ("group", "i4"),       # of SHAPE
    ("grid", "i4"),        # of its entry
    ("cell", "i4"),        # of its entry
])

ENTRY = record([
    ("lo", "f8", 3),
    ("hi", "f8", 3),
    ("index", "i4"),       # of the shape
    ("grid", "i4"),
])

GRID = record([
    ("count", "i8"),       # boxes
    ("begin", "i8"),       # its entries: begin .. end
    ("end", "i8"),
    ("first", "i8"),       # its first cell in the array of all cells
    ("edge", "f8", 3),     # of a cell [m]
    ("per_metre", "f8", 3),   # 1 / edge
    ("low", "i8", 3),      # number of the lowest cell used
    ("high", "i8", 3),     # number of the highest
    ("cells", "i8", 3),    # D
    ("wrapped", "i4", 3),  # 1: more cell numbers than D
])


def cells_needed(count: int) -> int:
    """Length of the array of cells for `count` boxes."""
    return 4 * count + 125 * (GRIDS + 1)


@routine
def _sizes(boxes, tags, state, grids):
    """Assign each box of the given state to a grid (tag.grid), and set the cell size of each grid."""
    smallest, largest = np.inf, 0.0
    for i in range(boxes.shape[0]):
        if tags[i].state == state:
            size = max(boxes[i, 3] - boxes[i, 0], boxes[i, 4] - boxes[i, 1], boxes[i, 5] - boxes[i, 2])
            if size < np.inf:
                smallest, largest = min(smallest, size), max(largest, size)
    base = 1.5 * max(smallest, largest / (1 << (GRIDS - 1)))
    for g in range(GRIDS + 1):
        grids[g].count = 0
        for k in range(3):
            grids[g].edge[k], grids[g].low[k], grids[g].high[k] = 0.0, 1 << 62, -(1 << 62)
    for i in range(boxes.shape[0]):
        if tags[i].state != state:
            continue
        g = LIST
        size = max(boxes[i, 3] - boxes[i, 0], boxes[i, 4] - boxes[i, 1], boxes[i, 5] - boxes[i, 2])
        # Excludes nan, inf, a world of points, and boxes so far away that adjacent cells could not be distinguished.
        if max(abs(boxes[i, 0]), abs(boxes[i, 1]), abs(boxes[i, 2])) < 1e9 * base and size < np.inf:
            limit, g = base, 0
            while size > limit and g < GRIDS - 1:
                limit *= 2.0
                g += 1
        tags[i].grid = g
        grids[g].count += 1
    for g in range(GRIDS):
        if grids[g].count < FEW:
            grids[LIST].count += grids[g].count
            grids[g].count = 0
    for i in range(boxes.shape[0]):
        if tags[i].state == state:
            grid = grids[tags[i].grid]
            if grid.count == 0:
                tags[i].grid = LIST
            for k in range(3):
                # A little larger than the largest box: rounding must not lose a pair.
                grid.edge[k] = max(grid.edge[k], (1.0 + 1e-6) * (boxes[i, 3 + k] - boxes[i, k]))


@routine
def _extents(boxes, tags, state, grids):
    """Set low, high and the number of cells of each grid; returns the number of all cells."""
    for g in range(GRIDS):       # a box of zero thickness still needs a cell
        size = grids[g].edge
        tiny = 1e-3 * max(size[0], size[1], size[2])
        for k in range(3):
            size[k] = max(size[k], tiny)
            grids[g].per_metre[k] = 1.0 / size[k]
    for i in range(boxes.shape[0]):
        if tags[i].state == state and tags[i].grid < LIST:
            grid = grids[tags[i].grid]
            for k in range(3):
                x = floor(0.5 * (boxes[i, k] + boxes[i, 3 + k]) * grid.per_metre[k])
                grid.low[k], grid.high[k] = min(grid.low[k], x), max(grid.high[k], x)
    total = 0
    for g in range(GRIDS):
        grid = grids[g]
        if grid.count == 0:
            continue
        for k in range(3):
            grid.cells[k] = min(grid.high[k] - grid.low[k] + 1, PRIMES[-1])
        while np.float64(grid.cells[0]) * grid.cells[1] * grid.cells[2] > max(4.0 * grid.count, 125.0):
            k = 0
            if grid.cells[1] > grid.cells[k]:
                k = 1
            if grid.cells[2] > grid.cells[k]:
                k = 2
            p = 0
            while p + 1 < PRIMES.shape[0] and PRIMES[p + 1] < 0.85 * grid.cells[k]:
                p += 1
            grid.cells[k] = PRIMES[p]
        grid.first = total
        total += grid.cells[0] * grid.cells[1] * grid.cells[2]
        for k in range(3):
            grid.wrapped[k] = 1 if grid.high[k] - grid.low[k] + 1 > grid.cells[k] else 0
    return total


@inline
def floor(x):
    """Largest integer up to x, |x| < 1e15, as int64; the compiler's own is a call on a generic processor."""
    n = np.int64(x)
    return n - 1 if n > x else n


@inline
def _cell_along(grid, k, x):
    c = floor(x * grid.per_metre[k]) - grid.low[k]
    return c % grid.cells[k] if grid.wrapped[k] else c


@kernel
def build(boxes, tags, state, entries, grids, first):
    """Index the boxes (n, 6: lo, hi) whose tags have the given state; returns how many.

    Writes entries, in the order of grids and cells, then the list; grids (GRIDS + 1); first: the entries of cell c are
    first[c] .. first[c + 1]. Boxes of a cell are in ascending order.
    """
    _sizes(boxes, tags, state, grids)
    total = _extents(boxes, tags, state, grids)
    first[: total + 2] = 0
    listed = total
    for i in range(boxes.shape[0]):
        if tags[i].state != state:
            continue
        tags[i].cell = listed
        if tags[i].grid < LIST:
            grid = grids[tags[i].grid]
            x, y, z = (_cell_along(grid, 0, 0.5 * (boxes[i, 0] + boxes[i, 3])),
                       _cell_along(grid, 1, 0.5 * (boxes[i, 1] + boxes[i, 4])),
                       _cell_along(grid, 2, 0.5 * (boxes[i, 2] + boxes[i, 5])))
            tags[i].cell = grid.first + (x * grid.cells[1] + y) * grid.cells[2] + z
        first[tags[i].cell + 1] += 1
    for c in range(total + 1):
        first[c + 1] += first[c]
    count = first[total + 1]
    for i in range(boxes.shape[0]):
        if tags[i].state == state:
            e = entries[first[tags[i].cell]]
            first[tags[i].cell] += 1
            e.index, e.grid = i, tags[i].grid
            for k in range(3):
                e.lo[k], e.hi[k] = boxes[i, k], boxes[i, 3 + k]
    for c in range(total + 1, 0, -1):          # each start has advanced to the next one
        first[c] = first[c - 1]
    first[0] = 0
    for g in range(GRIDS):
        grid = grids[g]
        if grid.count > 0:
            grid.begin = first[grid.first]
            grid.end = first[grid.first + grid.cells[0] * grid.cells[1] * grid.cells[2]]
    grids[LIST].begin, grids[LIST].end = first[total], count
    return count


@inline
def span(grid, k, lo, hi):
    """(first cell, number of cells) along axis k that may hold centres of boxes that meet lo .. hi; nan and inf: all."""
    cells, half = grid.cells[k], 0.5 * grid.edge[k]
    x, y = (lo - half) * grid.per_metre[k], (hi + half) * grid.per_metre[k]
    if not (abs(x) < 1e15 and abs(y) < 1e15):
        return 0, cells
    a, b = floor(x) - grid.low[k], floor(y) - grid.low[k]
    if grid.wrapped[k]:
        if b - a >= cells - 1:
            return 0, cells
        return a % cells, b - a + 1
    a, b = max(a, 0), min(b, cells - 1)
    return a, b - a + 1
