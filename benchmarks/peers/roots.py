"""A root of a function of one variable, by bisection to the last bit."""

from collections.abc import Callable


def root(f: Callable[[float], float], lo: float, hi: float) -> float:
    """x in [lo, hi] with f(x) = 0; f(lo) and f(hi) have different signs."""
    rising = f(hi) > 0.0
    if (f(lo) > 0.0) == rising:
        raise ValueError(f"f has the same sign at {lo:g} and {hi:g}")
    while lo < (middle := 0.5 * (lo + hi)) < hi:
        if (f(middle) > 0.0) == rising:
            hi = middle
        else:
            lo = middle
    return 0.5 * (lo + hi)
