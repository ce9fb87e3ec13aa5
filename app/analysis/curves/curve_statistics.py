"""Numbers of sampled curves: value, gradient, area, statistics of a span; also thinning, cutting and dashing for drawing.

Samples (t_i, v_i) may be at any times, in order; NaN is a gap. Curves are linear between samples, so over a span

    area = sum (t_{i+1} - t_i) (v_i + v_{i+1}) / 2                     of the pieces, cut exactly at the ends of the span     (1)
    mean = area / (sum of t_{i+1} - t_i)                                                                                 (2)
    gradient = (M0 B - M1 A) / (M0 M2 - M1^2)                           least-squares line                               (3)

with M_k the integral of t^k, A of v and B of t v over the pieces: closely spaced samples get no extra weight.
The gradient at a time is that of a parabola through the nearest samples.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.energy.energy import ROUNDING_ENERGY

MAX_DRAWN_POINTS = 2000
"""Largest number of points drawn per curve; longer curves are thinned, keeping every extreme."""

REFRESH_INTERVAL = 0.25
"""Interval at which statistics of a span are recomputed while samples arrive [s]."""

MAX_CACHED = 200
"""Largest number of drawn curves that are cached."""

ROUNDING_VALUE = 1e-9
"""Values below this, in any unit but J, are rounding errors of zero: those of bodies at rest are up to some 1e-11 m/s."""

GRADIENT_SAMPLES = 3
"""Samples on each side that a local gradient uses."""


@dataclass(frozen=True)
class Span:
    """Statistics of a curve between two times. seconds: time covered by samples; gradient in units a second, area in unit
    seconds (1)-(3); over another quantity instead of time, in units of that."""

    seconds: float
    mean: float
    low: float
    high: float
    gradient: float
    area: float


def index_at(times: np.ndarray, at: float) -> int:
    """Index of the sample nearest to a time; -1 outside the record."""
    if len(times) == 0 or not times[0] <= at <= times[-1]:
        return -1
    i = int(np.searchsorted(times, at))
    return i if i < len(times) and (i == 0 or times[i] - at <= at - times[i - 1]) else i - 1


def value_at(times: np.ndarray, values: np.ndarray, at: float) -> float | None:
    """Value of the sample nearest to a time; None outside the record or where nothing was recorded."""
    i = index_at(times, at)
    return float(values[i]) if i >= 0 and np.isfinite(values[i]) else None


def gradient_at(times: np.ndarray, values: np.ndarray, at: float, beside: int = GRADIENT_SAMPLES) -> float | None:
    """Slope at a time [unit/s]: exact for parabolas, also at unequal steps; never across a gap; None if undefined."""
    i = index_at(times, at)
    if i < 0 or not np.isfinite(values[i]):
        return None
    a = b = i
    while a > max(0, i - beside) and np.isfinite(values[a - 1]):
        a -= 1
    while b < min(len(times) - 1, i + beside) and np.isfinite(values[b + 1]):
        b += 1
    t, v = times[a : b + 1] - at, values[a : b + 1]
    width = float(np.abs(t).max())
    distinct = 1 + int(np.count_nonzero(np.diff(t)))
    if distinct < 2:
        return None
    table = np.vander(t / width, min(distinct, 3), increasing=True)
    return float(np.linalg.lstsq(table, v, rcond=None)[0][1]) / width


def span_statistics(times: np.ndarray, values: np.ndarray, start: float, end: float) -> Span | None:
    """Statistics between two times in either order; None without two neighbouring samples there."""
    start, end = min(start, end), max(start, end)
    t, v = cut(times, values, start, end)
    both = np.isfinite(v[:-1]) & np.isfinite(v[1:]) & (t[:-1] < end) & (t[1:] > start) & (t[1:] > t[:-1])
    if not both.any() or end - start <= 1e-12 * max(abs(start), abs(end)):
        return None
    t0, t1, v0, v1 = t[:-1][both], t[1:][both], v[:-1][both], v[1:][both]
    slope = (v1 - v0) / (t1 - t0)
    a, b = np.maximum(t0, start), np.minimum(t1, end)
    va, vb = v0 + slope * (a - t0), v1 - slope * (t1 - b)
    width = b - a
    seconds, area = float(width.sum()), float((0.5 * width * (va + vb)).sum())
    middle = float((0.5 * width * (a + b)).sum()) / seconds
    a, b = a - middle, b - middle       # moments about the middle: M1 is 0 in (3)
    second = float(((b**3 - a**3) / 3.0).sum())
    mean, low, high = area / seconds, float(min(va.min(), vb.min())), float(max(va.max(), vb.max()))
    va, vb = va - mean, vb - mean
    moment = float((width * (va * (2.0 * a + b) + vb * (a + 2.0 * b)) / 6.0).sum())
    return Span(seconds, mean, low, high, moment / second if second > 0.0 else 0.0, area)


def enclosed(x: np.ndarray, y: np.ndarray) -> float | None:
    """Area under a path, sum of (x_{i+1} - x_i) (y_i + y_{i+1}) / 2, negative where it runs backwards: for a clockwise loop the
    enclosed area, such as the work of friction in a cycle. None without two neighbouring points."""
    both = np.isfinite(x[:-1] + x[1:] + y[:-1] + y[1:])
    if not both.any():
        return None
    return float((0.5 * (x[1:] - x[:-1]) * (y[1:] + y[:-1]))[both].sum())


def nearest_point(x: np.ndarray, y: np.ndarray, at: tuple[float, float], size: tuple[float, float]) -> tuple[int, float]:
    """(index of the nearest point of a path, its distance), or (-1, inf); size: unit of distance on each axis."""
    squares = ((x - at[0]) / size[0]) ** 2 + ((y - at[1]) / size[1]) ** 2
    if not np.isfinite(squares).any():
        return -1, float("inf")
    i = int(np.nanargmin(squares))
    return i, float(np.sqrt(squares[i]))


def difference(times: np.ndarray, values: np.ndarray, other_times: np.ndarray, other_values: np.ndarray) -> np.ndarray:
    """Values minus another curve's at the same times; NaN where the other has none."""
    if len(other_times) == 0:
        return np.full(len(times), np.nan)
    return values - np.interp(times, other_times, other_values, left=np.nan, right=np.nan)


# ---- for drawing


def span(columns: list[np.ndarray], unit: str = "") -> tuple[float, float]:
    """Range that shows all finite values with a margin; never empty. -1 .. 1 where all values are rounding errors of zero:
    magnified until they fill the plot, they would look like a motion of a body at rest."""
    finite = [c[np.isfinite(c)] for c in columns]
    finite = [c for c in finite if len(c)]
    if not finite:
        return -1.0, 1.0
    lo, hi = min(float(c.min()) for c in finite), max(float(c.max()) for c in finite)
    largest, air = max(abs(lo), abs(hi)), 0.08 * (hi - lo)
    if largest <= (ROUNDING_ENERGY if unit == "J" else ROUNDING_VALUE):
        return -1.0, 1.0
    if air <= 1e-6 * largest:
        air = 0.1 * largest
    return lo - air, hi + air


def cut(times: np.ndarray, values: np.ndarray, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Samples within start .. end, plus one on each side."""
    a = max(0, int(np.searchsorted(times, start)) - 1)
    b = int(np.searchsorted(times, end, side="right")) + 1
    return times[a:b], values[a:b]


def thinned(times: np.ndarray, values: np.ndarray, most: int = MAX_DRAWN_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """About `most` points at most: smallest and largest value of each group, in order."""
    if len(times) <= most:
        return times, values
    groups = most // 2
    size = len(times) // groups
    body = values[: groups * size].reshape(groups, size)
    safe = np.where(np.isfinite(body), body, np.inf)
    low = np.argmin(safe, axis=1)
    high = np.argmax(np.where(np.isfinite(body), body, -np.inf), axis=1)
    picked = np.sort(np.stack([low, high], axis=1), axis=1) + np.arange(groups)[:, None] * size
    index = np.concatenate([picked.ravel(), np.arange(groups * size, len(times))])
    index = index[np.diff(index, prepend=-1) > 0]
    return times[index], values[index]


def every_nth(x: np.ndarray, y: np.ndarray, most: int = 2 * MAX_DRAWN_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Every n-th point of a path, and its last."""
    step = max(1, -(-len(x) // most))
    index = np.arange(len(x) - 1, -1, -step)[::-1]
    return x[index], y[index]


def dashed(x: np.ndarray, y: np.ndarray, size: tuple[float, float], pattern: Sequence[float],
           most: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """A curve as end points of dashes, two by two. size: length of a pixel on each axis; pattern: lengths of a dash, the gap
    after it, and so on [px], stretched where there would be more than `most` dashes. Dashes keep their place on a level curve
    that moves along x."""
    if len(x) < 2:
        return x[:0], y[:0]
    steps = np.hypot(np.diff(x) / size[0], np.diff(y) / size[1])
    way = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])
    edges = np.concatenate([[0.0], np.cumsum(pattern)])
    edges *= max(1.0, way[-1] * len(pattern) / (2.0 * most * edges[-1]), 1e-9 / edges[-1])
    start = float(x[0] / size[0]) if np.isfinite(x[0]) else 0.0
    begins = np.arange(-(start % edges[-1]), way[-1], edges[-1])
    marks = np.clip((begins[:, None] + edges[:-1]).reshape(-1, 2), 0.0, way[-1])
    marks = marks[marks[:, 1] > marks[:, 0]].ravel()
    return np.interp(marks, way, x), np.interp(marks, way, y)


@dataclass
class CurveCache:
    """Drawn curves, cached from picture to picture while unchanged."""

    cached: dict[Hashable, tuple] = field(default_factory=dict)

    def of(self, place: Hashable, x: np.ndarray, y: np.ndarray, make: Callable[..., tuple[np.ndarray, np.ndarray]],
           *more: object) -> tuple[np.ndarray, np.ndarray]:
        """make(x, y, *more), or the cached result for this place if nothing has changed. x, y: must not be modified."""
        asked = (_memory(x), _memory(y), make, more)
        known = self.cached.get(place)
        if known is None or known[0] != asked:
            if len(self.cached) > MAX_CACHED:
                self.cached.clear()
            known = self.cached[place] = asked, make(x, y, *more), (x, y)     # holding x, y keeps their memory from being reused
        return known[1]


@dataclass
class SpanCache:
    """Statistics of a span by curve, recomputed when the span or the curve changes; while samples arrive only at intervals, to
    stay readable."""

    cached: dict[Hashable, tuple] = field(default_factory=dict)

    def of(self, curve: Hashable, times: np.ndarray, values: np.ndarray, ends: tuple[float, float], now: float) -> Span | None:
        """As `span_statistics`. now: wall time [s]."""
        known, samples = self.cached.get(curve), (_memory(times), _memory(values))
        if known is not None and known[0] == ends and (known[1] == samples or now - known[2] < REFRESH_INTERVAL):
            return known[3]
        if len(self.cached) > MAX_CACHED:
            self.cached.clear()
        found = span_statistics(times, values, *ends)
        self.cached[curve] = ends, samples, now, found, (times, values)
        return found


def _memory(values: np.ndarray) -> tuple[int, int]:
    return values.__array_interface__["data"][0], len(values)
