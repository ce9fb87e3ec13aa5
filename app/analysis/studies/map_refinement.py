"""Which points of a phase map are run: a coarse grid first, then only where classes meet.

The plane is divided into size x size cells, whose corners are the points that may be run. It starts with coarse x coarse leaves.
A leaf is split into four where the points run on its edges are not all of one class. Those are its corners, and points of smaller
neighbours: so a border that enters a leaf between its corners is followed, and one that separates two corners of the coarse grid
is found whole. Of numbers, a leaf is split where they differ by more than a share of the whole map's range.
"""

import math
from dataclasses import dataclass, field

import numpy as np

UNKNOWN = -1
"""Class of a point that was not run."""

Node = tuple[int, int]
"""A point by its number along x and along y."""

RISE = 1.0 / 8.0
"""Of the range of a map of numbers: what a leaf of it may differ by without being split."""

EQUAL_RANGE = 1e-9
"""Of the size of the numbers: a range below that is none."""


@dataclass
class Refinement:
    """The points run so far. size: cells along a side at the end, coarse: at the beginning; known (size + 1, size + 1): class of
    the point, by [y, x]; leaves: (x, y, side) of the present division, in cells."""

    size: int = 64
    coarse: int = 8
    known: np.ndarray = field(init=False)
    leaves: tuple[tuple[int, int, int], ...] = field(init=False)

    def __post_init__(self) -> None:
        side = self.size // self.coarse
        self.known = np.full((self.size + 1, self.size + 1), UNKNOWN, np.int16)
        self.leaves = tuple((x, y, side) for y in range(0, self.size, side) for x in range(0, self.size, side))

    def put(self, node: Node, outcome: int) -> None:
        """Store the class of a point."""
        self.known[node[1], node[0]] = outcome

    def next_nodes(self) -> list[Node]:
        """Points to run next, all of them needed; none: the map is finished."""
        while True:
            wanted = {corner for leaf in self.leaves for corner in corners(*leaf) if not self.is_known(*corner)}
            if wanted:
                return sorted(wanted, key=lambda node: (node[1], node[0]))
            mixed = {leaf for leaf in self.leaves if leaf[2] > 1 and self._is_mixed(*leaf)}
            if not mixed:
                return []
            widest = max(side for _, _, side in mixed)
            self.leaves = tuple(part for leaf in self.leaves
                                for part in (quarters(*leaf) if leaf in mixed and leaf[2] == widest else (leaf,)))

    def _is_mixed(self, x: int, y: int, side: int) -> bool:
        """Return whether the points run on the edges of a leaf differ."""
        square = self.known[y:y + side + 1, x:x + side + 1]
        return self._differ(np.concatenate([square[0], square[-1], square[:, 0], square[:, -1]]))

    def _differ(self, edges: np.ndarray) -> bool:
        return len(np.unique(edges[edges != UNKNOWN])) > 1

    def is_known(self, x: int, y: int) -> bool:
        """Return whether a point was run."""
        return bool(self.known[y, x] != UNKNOWN)

    @property
    def progress(self) -> float:
        """Share of the plane that is finished, 0 .. 1."""
        done = sum(side * side for x, y, side in self.leaves
                   if all(self.is_known(a, b) for a, b in corners(x, y, side))
                   and (side == 1 or not self._is_mixed(x, y, side)))
        return done / self.size**2

    @property
    def count(self) -> int:
        """Number of points run."""
        return int(np.count_nonzero(self.known != UNKNOWN))

    def filled(self) -> np.ndarray:
        """Class of every point (size + 1, size + 1), by [y, x]: as run, or that of the nearest corner of its leaf."""
        full = np.full_like(self.known, UNKNOWN)
        for x, y, side in self.leaves:
            near = np.where(np.arange(side + 1) <= side // 2, 0, side)
            full[y:y + side + 1, x:x + side + 1] = self.known[y + near[:, None], x + near[None, :]]
        return np.where(self.known != UNKNOWN, self.known, full)


@dataclass
class NumberRefinement(Refinement):
    """The same of numbers: known is NaN where no point was run, infinite where the run failed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.known = np.full(self.known.shape, math.nan)

    def is_known(self, x: int, y: int) -> bool:
        return not math.isnan(self.known[y, x])

    @property
    def span(self) -> tuple[float, float]:
        """Least and largest number so far; NaN without any."""
        finite = self.known[np.isfinite(self.known)]
        return (float(finite.min()), float(finite.max())) if len(finite) else (math.nan, math.nan)

    def _differ(self, edges: np.ndarray) -> bool:
        finite, (lo, hi) = edges[np.isfinite(edges)], self.span
        if not len(finite):
            return False
        if np.isinf(edges).any():
            return True
        return bool(hi - lo > EQUAL_RANGE * max(abs(lo), abs(hi)) and np.ptp(finite) > RISE * (hi - lo) * (1.0 + 1e-9))

    @property
    def count(self) -> int:
        """Number of points run."""
        return int(np.count_nonzero(~np.isnan(self.known)))

    def filled(self) -> np.ndarray:
        """Number of every point (size + 1, size + 1), by [y, x]: as run, or between those of the corners of its leaf."""
        full = np.full_like(self.known, math.nan)
        for x, y, side in self.leaves:
            part, along = self.known[y:y + side + 1:side, x:x + side + 1:side], np.arange(side + 1) / side
            if np.isfinite(part).all():
                weights = np.stack([1.0 - along, along], axis=1)
                between = weights @ part @ weights.T
            else:
                near = (along > 0.5).astype(int)
                between = part[near[:, None], near[None, :]]
            full[y:y + side + 1, x:x + side + 1] = between
        return np.where(np.isnan(self.known), full, self.known)


def corners(x: int, y: int, side: int) -> tuple[Node, ...]:
    """Corners of a leaf."""
    return (x, y), (x + side, y), (x, y + side), (x + side, y + side)


def quarters(x: int, y: int, side: int) -> tuple[tuple[int, int, int], ...]:
    """The four leaves into which a leaf is split."""
    half = side // 2
    return (x, y, half), (x + half, y, half), (x, y + half, half), (x + half, y + half, half)
