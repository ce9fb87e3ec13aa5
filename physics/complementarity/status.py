"""How an algorithm for complementarity problems ended."""

from enum import IntEnum


class Status(IntEnum):
    """SOLVED; RAY: a secondary ray, no solution was found; LIMIT of pivots or sweeps; CANCELLED by `halt`.
    LOST: digits were, on one of the ways that an algorithm tries; none ends so."""

    SOLVED = 0
    RAY = 1
    LIMIT = 2
    CANCELLED = 3
    LOST = 4
