"""The spread of a quantity over the members of a fan. GL-free.

    lo(t) = min_k q_k(t),   hi(t) = max_k q_k(t),   spread(t) = hi(t) - lo(t)

over the members k that have a state at t. Their steps may differ: each is interpolated linearly to the times of the one with most
samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Samples = tuple[np.ndarray, np.ndarray]
"""Times (n,) [s], ascending, and values (n,), NaN where there is none."""


@dataclass(frozen=True)
class Spread:
    """times (n,) [s]; lo, hi (n,): least and largest value there, NaN where no member has one."""

    times: np.ndarray
    lo: np.ndarray
    hi: np.ndarray

    @property
    def last(self) -> float:
        """Spread at the latest time that has one; NaN if there is none."""
        wide = self.hi - self.lo
        known = np.flatnonzero(np.isfinite(wide))
        return float(wide[known[-1]]) if len(known) else float("nan")


def spread_of(members: Sequence[Samples]) -> Spread:
    """The spread of these members."""
    times = max((times for times, _ in members), key=len, default=np.zeros(0))
    if not len(times):
        return Spread(times, times, times)
    rows = np.array([np.interp(times, at, values, left=np.nan, right=np.nan) if len(at) else np.full(len(times), np.nan)
                     for at, values in members])
    known = np.isfinite(rows)
    lo, hi = (np.where(known.any(axis=0), extreme(np.where(known, rows, none), axis=0), np.nan)
              for extreme, none in ((np.min, np.inf), (np.max, -np.inf)))
    return Spread(times, lo, hi)
