"""Division of a time into equal parts."""

import math


def equal_part(time: float, longest: float) -> float:
    """Length of equal parts of a time, none longer than `longest` but for rounding [s]."""
    return time / max(1, math.ceil(time / longest - 1e-9))
