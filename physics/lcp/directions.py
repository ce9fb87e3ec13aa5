"""Directions of friction impulses: the columns of D, ST96 section 3, and the ball of a spherical joint.

    line     +1, -1                                                                          (1)
    plane    d_i = (cos 2 pi i/k, sin 2 pi i/k), i = 0 .. k - 1                              (2)
    ball     the poles, and on the parallels at 2 pi j/k from a pole, j = 1 .. k/2 - 1,
             k directions each: every great circle through the poles has a regular k-gon; k >= 4   (3)

Each has its opposite among them (ST96 eq 13), so k is even. A ball has k (k/2 - 1) + 2 of them: 26 for k = 8.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from physics.friction import polygon

LEAST = 2
"""Fewest facets: a line, for motion in a plane."""


class Directions(NamedTuple):
    """table: (n, 3) directions, first those of (1), then (2), then (3); opposite: (n,) how many places further each one's
    opposite stands; plane, ball: how many of them there are."""

    table: np.ndarray
    opposite: np.ndarray
    plane: int
    ball: int


@cache
def directions(facets: int) -> Directions:
    """For an even number of facets. One object for all who ask: not to be changed."""
    circle = np.array([(1.0, 0.0), (-1.0, 0.0)]) if facets == LEAST else polygon(facets)[:, :2]
    plane = np.column_stack([circle, np.zeros(facets)])
    around = polygon(max(facets, 4))[:, :2]
    parallels = [(x, y, c) for c, s in around[1 : len(around) // 2] for x, y in s * around]
    ball = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), *parallels])
    sets = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]), plane, ball
    return Directions(np.vstack(sets), np.concatenate([_further(one) for one in sets]), facets, len(ball))


def _further(directions: np.ndarray) -> np.ndarray:
    """How many places further the opposite of each direction stands; negative: before it."""
    apart = np.abs(directions[:, None] + directions[None, :]).sum(axis=2)
    return apart.argmin(axis=1) - np.arange(len(directions))
