"""Which shapes may touch: overlapping bounding boxes, by hashed grids of several cell sizes.

Each shape goes into one grid, by the size of its box (sizes of one grid differ by at most 2), and into one cell of
it, that of its centre. A grid's cells are as large as its largest box. The boxes of a grid that meet a given box have
their centres within that box grown by half a cell: at most 3 x 3 x 3 cells for boxes up to the grid's own size. So
each shape looks into its own grid and all coarser ones, and a pair is met once. (Hierarchical spatial hash: Ericson,
Real-Time Collision Detection, 2005, 7.2.1; Eitz and Lixu 2007.) Grids of a few shapes, and endless shapes, are not
worth hashing: a list tested against all.

Cost: proportional to the shapes times the number of grids, whatever the extent of the world; only long thin boxes
packed densely at random angles cost more, because their boxes overlap truly.
"""

import numpy as np

from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind, record

GRIDS = 20
FEW = 8
"""A grid of fewer shapes than this joins the list."""
LIST = GRIDS
"""Number of the "grid" of shapes in the list."""

ENTRY = record([
    ("lo", "f8", 3),
    ("hi", "f8", 3),
    ("cell", "i8", 3),
    ("shape", "i4"),
    ("body", "i4"),
    ("grid", "i4"),
    ("dynamic", "i4"),
])

WORK = record([
    ("found", "i8"),       # pairs, also those that the buffer did not hold
    ("tests", "i8"),       # boxes compared and cells opened
])


@inline
def cell_of(x, size):
    return np.int64(np.floor(x / size))


@inline
def bucket_of(grid, x, y, z, mask):
    """Hash of a cell (Teschner and others 2003, multipliers; then mixed so that the low bits depend on all)."""
    h = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (grid * 2654435761)
    h ^= h >> 15
    return (h * 668265263 ^ h >> 13) & mask


@kernel
def collect(bodies, shapes, entries):
    """Copy the live shapes into entries and give each its grid; returns how many."""
    n = 0
    smallest, largest = np.inf, 0.0
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0:
            continue
        e = entries[n]
        n += 1
        e.shape, e.body, e.grid = i, s.body, LIST
        e.dynamic = 1 if bodies[s.body].kind == Kind.DYNAMIC else 0
        for k in range(3):
            e.lo[k], e.hi[k] = s.lo[k], s.hi[k]
        size = max(s.hi[0] - s.lo[0], s.hi[1] - s.lo[1], s.hi[2] - s.lo[2])
        if size < np.inf:
            smallest, largest = min(smallest, size), max(largest, size)
    base = 1.5 * max(smallest, largest * 0.5 ** (GRIDS - 1))
    for i in range(n):
        e = entries[i]
        size = max(e.hi[0] - e.lo[0], e.hi[1] - e.lo[1], e.hi[2] - e.lo[2])
        far = max(abs(e.lo[0]), abs(e.lo[1]), abs(e.lo[2]))
        # Cell numbers must fit an int64 with room to spare; also leaves out nan, inf and a world of points.
        if not (far < 1e12 * base and size < np.inf):
            continue
        limit, e.grid = base, 0
        while size > limit and e.grid < GRIDS - 1:
            limit *= 2.0
            e.grid += 1
    return n


@kernel
def hash_cells(entries, n, cells, first, slots):
    """Fill the grids: cells (GRIDS, 3) sizes, entries' cells, and slots of bucket h in slots[first[h] : first[h + 1]].

    Returns the number of slots; the list's entries stand behind them.
    """
    population = np.zeros(GRIDS + 1, np.int64)
    for i in range(n):
        population[entries[i].grid] += 1
    cells[:] = 0.0
    for i in range(n):
        e = entries[i]
        if e.grid < LIST and population[e.grid] < FEW:
            e.grid = LIST
        if e.grid < LIST:
            for k in range(3):
                cells[e.grid, k] = max(cells[e.grid, k], e.hi[k] - e.lo[k])
    for g in range(GRIDS):       # a box of no thickness still needs a cell
        tiny = 1e-3 * max(cells[g, 0], cells[g, 1], cells[g, 2])
        for k in range(3):
            cells[g, k] = max(cells[g, k], tiny)
    first[:] = 0
    mask = first.shape[0] - 2
    hashed = 0
    for i in range(n):
        e = entries[i]
        if e.grid == LIST:
            continue
        for k in range(3):
            e.cell[k] = cell_of(0.5 * (e.lo[k] + e.hi[k]), cells[e.grid, k])
        first[bucket_of(e.grid, e.cell[0], e.cell[1], e.cell[2], mask) + 1] += 1
        hashed += 1
    for h in range(first.shape[0] - 1):
        first[h + 1] += first[h]
    cursor, rest = first.copy(), hashed
    for i in range(n):
        e = entries[i]
        if e.grid == LIST:
            slots[rest] = i
            rest += 1
        else:
            h = bucket_of(e.grid, e.cell[0], e.cell[1], e.cell[2], mask)
            slots[cursor[h]] = i
            cursor[h] += 1
    return hashed


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
def overlap(a, b):
    """False where a box holds nan."""
    return (a.lo[0] <= b.hi[0] and b.lo[0] <= a.hi[0] and a.lo[1] <= b.hi[1] and b.lo[1] <= a.hi[1]
            and a.lo[2] <= b.hi[2] and b.lo[2] <= a.hi[2])


@routine
def test(a, b, excluded, work, out):
    """Compare two entries; note the pair if they may touch."""
    work.tests += 1
    if not overlap(a, b) or a.dynamic + b.dynamic == 0 or a.body == b.body:
        return
    if excluded.shape[0] > 0 and contains(excluded, (np.int64(min(a.body, b.body)) << 32) | max(a.body, b.body)):
        return
    if work.found < out.shape[0]:
        out[work.found] = (np.int64(min(a.shape, b.shape)) << 32) | max(a.shape, b.shape)
    work.found += 1


@kernel
def search(entries, n, hashed, cells, first, slots, excluded, work, out):
    """Write the keys (lower shape * 2^32 + higher shape) of all pairs to out, as many as it holds, in no special order."""
    w = work[0]
    w.found, w.tests = 0, 0
    mask = first.shape[0] - 2
    for p in range(hashed, n):
        for q in range(p):
            test(entries[slots[p]], entries[slots[q]], excluded, w, out)
    for p in range(hashed):
        a = entries[slots[p]]
        for g in range(a.grid, GRIDS):
            sx, sy, sz = cells[g, 0], cells[g, 1], cells[g, 2]
            if sx == 0.0:
                continue
            x0, x1 = cell_of(a.lo[0] - 0.5 * sx, sx), cell_of(a.hi[0] + 0.5 * sx, sx)
            y0, y1 = cell_of(a.lo[1] - 0.5 * sy, sy), cell_of(a.hi[1] + 0.5 * sy, sy)
            z0, z1 = cell_of(a.lo[2] - 0.5 * sz, sz), cell_of(a.hi[2] + 0.5 * sz, sz)
            for x in range(x0, x1 + 1):
                for y in range(y0, y1 + 1):
                    for z in range(z0, z1 + 1):
                        # Within a grid both meet: the one in the lower cell, or the lower slot of a cell, reports.
                        home = g == a.grid and x == a.cell[0] and y == a.cell[1] and z == a.cell[2]
                        if g == a.grid and not home and (x < a.cell[0] or (x == a.cell[0] and (
                                y < a.cell[1] or (y == a.cell[1] and z < a.cell[2])))):
                            continue
                        w.tests += 1
                        h = bucket_of(g, x, y, z, mask)
                        for q in range(first[h], first[h + 1]):
                            b = entries[slots[q]]
                            if home and q <= p:
                                continue
                            if b.grid == g and b.cell[0] == x and b.cell[1] == y and b.cell[2] == z:
                                test(a, b, excluded, w, out)


def find_keys(bodies: np.ndarray, shapes: np.ndarray, excluded: np.ndarray, room: int = 0) -> tuple[np.ndarray, int]:
    """(sorted keys lower shape * 2^32 + higher shape, number of tests made). room: of the first buffer; it grows."""
    entries = np.zeros(len(shapes), ENTRY)
    n = collect(bodies, shapes, entries)
    cells, slots = np.empty((GRIDS, 3)), np.empty(n, np.int64)
    first = np.empty((1 << max(4, int(2 * n).bit_length())) + 1, np.int64)
    hashed = hash_cells(entries, n, cells, first, slots)
    work, out = np.zeros(1, WORK), np.empty(room or 64 + 6 * n, np.int64)
    search(entries, n, hashed, cells, first, slots, excluded, work, out)
    if work[0].found > len(out):
        out = np.empty(int(work[0].found), np.int64)
        search(entries, n, hashed, cells, first, slots, excluded, work, out)
    return np.sort(out[:int(work[0].found)]), int(work[0].tests)


def find_pairs(bodies: np.ndarray, shapes: np.ndarray, excluded: np.ndarray) -> np.ndarray:
    """Pairs (i < j) of shapes whose boxes overlap, int32 (m, 2), sorted.

    Left out: empty slots, one body with itself, pairs without a dynamic body, and the pairs of bodies in `excluded`
    (sorted int64 keys: lower body * 2^32 + higher body).
    """
    keys, _ = find_keys(bodies, shapes, excluded)
    pairs = np.empty((len(keys), 2), np.int32)
    pairs[:, 0] = keys >> 32
    pairs[:, 1] = keys & 0xFFFFFFFF
    return pairs
