"""Gauss-Newton with bounds, and what the data determine of each parameter: a value with an interval, a set, or nothing. GL-free.

    step         (J^T J + lambda D) d = -J^T r,   D = diag(J^T J)                                                  (1)
    interval     all values with   min over the others |r|^2  <=  |r*|^2 + t^2 s^2                                 (2)
    noise        s^2 = |r*|^2 / (n - p), times (1 + rho) / (1 - rho) where residuals are correlated by rho          (3)

(2) is Student's interval of linear problems; where data only bound a parameter it is a set, whose ends may be open. The residuals
are those of the exact law, which is continuous but has kinks: differences for J are taken over a part of the standard error,
not over an infinitesimal step. Points are evaluated in batches.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

Residuals = Callable[[Sequence[np.ndarray]], list[np.ndarray]]
"""Residuals (n,) at each of several points (p,); NaN where there are none."""

MAX_ITERATIONS = 25
"""Most steps (1)."""

SCAN = (0.1, 0.3, 0.6, 1.6, 3.0, 8.0)
"""Multiples of the usual size that are tried for each parameter before (1): from a state that sticks no slope leads away."""

FINE = (0.9, 0.97, 0.99, 1.01, 1.03, 1.1)
"""The same where (1) has ended: the time at which something breaks loose may jump."""

MISFIT = 0.4
"""Correlation of successive residuals from which the scan is repeated: the optimum may be a local one."""

LEAP = 10.0
"""Factor from one tried value to the next where |r|^2 does not rise."""

SEARCHES = 16
"""Most values that are tried for an end of an interval."""

FLAT = 0.02
"""Share of the rise of (2) that is none: an interval is flat if its quarters rise less; of a parabola they rise by a fourth."""

SINGULAR_VALUE = 1e-4
"""Singular values of the Jacobian with unit columns below this carry no information."""


@dataclass(frozen=True)
class LeastSquares:
    """A fit. start, lo, hi, size (p,): values before it, allowed range, usual sizes. count: the first rows are equations, from
    which the noise is estimated; the others are bounds, zero where they hold. ordered: of equations that follow one another in
    time, the lengths of the series."""

    residuals: Residuals
    start: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    size: np.ndarray
    count: int
    series: tuple[int, ...] = ()


@dataclass(frozen=True)
class Optimum:
    """point (p,), residuals r (n,), Jacobian J (n, p)."""

    point: np.ndarray
    residuals: np.ndarray
    jacobian: np.ndarray

    @property
    def cost(self) -> float:
        return float(self.residuals @ self.residuals)


@dataclass(frozen=True)
class Interval:
    """The result of (2) for a parameter. open_lo, open_hi: it reaches the end of the allowed range; flat: its values fit equally
    well."""

    lo: float
    hi: float
    open_lo: bool
    open_hi: bool
    flat: bool


def cost_of(residuals: np.ndarray) -> float:
    """|r|^2; inf where there is none."""
    cost = float(residuals @ residuals)
    return cost if math.isfinite(cost) else math.inf


# ---- the optimum


def minimise(problem: LeastSquares, on_round: Callable[[int], None] = lambda count: None) -> Optimum:
    """The point of least |r|^2, from the best one of a scan. on_round: called with the number of steps."""
    return descend(problem, *scan(problem, problem.start, problem.residuals([problem.start])[0], SCAN), on_round)


def descend(problem: LeastSquares, point: np.ndarray, residuals: np.ndarray,
            on_round: Callable[[int], None] = lambda count: None) -> Optimum:
    """The point of least |r|^2 from a point on; scans around it as long as the residuals there do not look like noise."""
    found = _steps(problem, point, residuals, on_round)
    for _ in range(2):
        flat = (np.linalg.norm(found.jacobian, axis=0) * problem.size == 0.0).any()
        if not flat and correlation(problem, found.residuals) < MISFIT:
            break
        point, best = scan(problem, found.point, found.residuals, (*SCAN, *FINE))
        if not cost_of(best) < found.cost * (1.0 - 1e-3):
            break
        found = _steps(problem, point, best, on_round)
    slope = jacobian(problem, found.point, found.residuals, errors(problem, found), central=True)
    return Optimum(found.point, found.residuals, slope)


def scan(problem: LeastSquares, point: np.ndarray, residuals: np.ndarray, shares: Sequence[float]) -> tuple[np.ndarray,
                                                                                                            np.ndarray]:
    """Best of the points where one parameter after the other is changed to these shares of itself, and its residuals."""
    point = point.copy()
    for k in range(len(point)):
        centre = max(abs(point[k]), problem.size[k])
        tried = np.unique(np.clip([*(one * centre for one in shares), *([-centre] if problem.lo[k] < 0.0 else [])],
                                  problem.lo[k], problem.hi[k]))
        points = [np.concatenate([point[:k], [value], point[k + 1:]]) for value in tried if value != point[k]]
        found = problem.residuals(points)
        costs = [cost_of(one) for one in found]
        if costs and min(costs) < cost_of(residuals):
            point, residuals = points[int(np.argmin(costs))], found[int(np.argmin(costs))]
    return point, residuals


def _steps(problem: LeastSquares, point: np.ndarray, residuals: np.ndarray, on_round: Callable[[int], None]) -> Optimum:
    damping, error = 1e-3, np.full(len(point), math.nan)
    for count in range(MAX_ITERATIONS):
        on_round(count)
        slope = jacobian(problem, point, residuals, error)
        here = Optimum(point, residuals, slope)
        error = errors(problem, here)
        trial, theirs, damping = _step(problem, here, damping)
        if trial is None:
            return here
        moved, gained = np.abs(trial - point), here.cost - cost_of(theirs)
        point, residuals = trial, theirs
        small = moved <= np.where(np.isfinite(error), 0.01 * error, 0.0) + 1e-9 * problem.size
        if small.all() or gained <= 1e-9 * here.cost:
            break
    return Optimum(point, residuals, slope)


def _step(problem: LeastSquares, here: Optimum, damping: float) -> tuple[np.ndarray | None, np.ndarray, float]:
    """(better point, its residuals, next damping) by (1); no point where there is none."""
    slope, downhill = here.jacobian, -here.jacobian.T @ here.residuals
    held = ((here.point <= problem.lo) & (downhill < 0.0)) | ((here.point >= problem.hi) & (downhill > 0.0))
    free = np.flatnonzero(~held)
    normal = slope[:, free].T @ slope[:, free]
    weight = np.maximum(np.diag(normal), 1e-12 * max(float(np.diag(normal).max(initial=0.0)), 1e-300))
    for _ in range(7):
        trial = here.point.copy()
        trial[free] += np.linalg.lstsq(normal + damping * np.diag(weight), downhill[free], rcond=1e-14)[0]
        trial = np.clip(trial, problem.lo, problem.hi)
        if (trial == here.point).all():
            break
        theirs = problem.residuals([trial])[0]
        if cost_of(theirs) < here.cost:
            return trial, theirs, max(damping / 5.0, 1e-9)
        damping *= 10.0
    return None, here.residuals, damping


def jacobian(problem: LeastSquares, point: np.ndarray, residuals: np.ndarray, error: np.ndarray,
             central: bool = False) -> np.ndarray:
    """J (n, p) by differences over a part of the standard errors (p,), NaN where they are unknown; one batch of points."""
    step = np.where(np.isfinite(error), np.clip(0.4 * error, 2e-3 * problem.size, 0.05 * problem.size), 1e-2 * problem.size)
    above, below = np.minimum(point + step, problem.hi), np.maximum(point - step, problem.lo)
    points = []
    for k in range(len(point)):
        for value in (above[k], below[k]) if central else (above[k] if above[k] > point[k] else below[k],):
            points.append(np.concatenate([point[:k], [value], point[k + 1:]]))
    found = [np.where(np.isfinite(one), one, residuals) for one in problem.residuals(points)]
    if central:
        columns = [(found[2 * k] - found[2 * k + 1]) / (above[k] - below[k]) for k in range(len(point))]
    else:
        columns = [(found[k] - residuals) / (points[k][k] - point[k]) for k in range(len(point))]
    return np.stack(columns, axis=1)


# ---- what the data determine


def variance(problem: LeastSquares, here: Optimum) -> float:
    """s^2 of (3), without the correlation."""
    own = here.residuals[:problem.count]
    return float(own @ own) / max(1, problem.count - len(here.point))


def correlation(problem: LeastSquares, residuals: np.ndarray) -> float:
    """rho of (3): of a residual with the next one of its series; 0 where chance alone may have made it."""
    products, squares, start = 0.0, 0.0, 0
    for length in problem.series:
        own = residuals[start : start + length]
        products, squares, start = products + float(own[1:] @ own[:-1]), squares + float(own @ own), start + length
    if squares <= 0.0 or products / squares < 2.5 / math.sqrt(max(start, 1)):
        return 0.0
    return min(products / squares, 0.995)


def errors(problem: LeastSquares, here: Optimum) -> np.ndarray:
    """Standard errors (p,); inf where the data do not determine it."""
    return np.sqrt(np.diag(covariance(problem, here)))


def covariance(problem: LeastSquares, here: Optimum) -> np.ndarray:
    """s^2 (J^T J)^-1 (p, p); inf on the diagonal where the data do not determine it."""
    size = np.linalg.norm(here.jacobian, axis=0)
    known = size > 1e-12 * max(float((size * problem.size).max(initial=0.0)), 1e-300) / problem.size
    found = np.diag(np.where(known, 0.0, math.inf))
    if known.any():
        _, values, axes = np.linalg.svd(here.jacobian[:, known] / size[known], full_matrices=False)
        inverse = (axes.T / np.maximum(values, 1e-12) ** 2) @ axes / np.outer(size[known], size[known])
        found[np.ix_(known, known)] = max(variance(problem, here), 1e-300) * inverse
    return found


def entangled(here: Optimum) -> list[np.ndarray]:
    """Directions (p,) in units of 1 / |J_k| along which several parameters change without a trace in the data."""
    size = np.linalg.norm(here.jacobian, axis=0)
    if not (size > 0.0).all():
        return []
    _, values, axes = np.linalg.svd(here.jacobian / size, full_matrices=False)
    return [axis for value, axis in zip(values, axes) if value < SINGULAR_VALUE * values[0]]


def student(degrees: int, level: float = 0.95) -> float:
    """Quantile of Student's distribution for a two-sided level, by the expansion of Cornish and Fisher."""
    z, n = NormalDist().inv_cdf(0.5 + 0.5 * level), float(max(degrees, 3))
    return (z + (z**3 + z) / (4.0 * n) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * n**2)
            + (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / (384.0 * n**3))


def allowed_rise(problem: LeastSquares, here: Optimum) -> float:
    """t^2 s^2 of (2) and (3)."""
    rho = correlation(problem, here.residuals)
    degrees = problem.count - len(here.point)
    return student(degrees) ** 2 * max(variance(problem, here), 1e-300) * (1.0 + rho) / (1.0 - rho)


class Profile:
    """Least |r|^2 with one parameter held, over the others: by the Jacobian of the optimum, which is kept. best: point and
    residuals of the least one on the way: what is taken for the optimum may be a local one."""

    def __init__(self, problem: LeastSquares, here: Optimum, k: int) -> None:
        self.problem, self.here, self.k, self.best = problem, here, k, (here.point, here.residuals)
        self.others = np.array([i for i in range(len(here.point)) if i != k], int)

    def rise(self, value: float, enough: float) -> float:
        """|r|^2 there minus that of the optimum; not refined where it is below `enough` anyway."""
        here, point, least = self.here, self.here.point.copy(), math.inf
        point[self.k] = value
        point = self._better(point, here.residuals + here.jacobian[:, self.k] * (value - here.point[self.k]))
        for _ in range(5):
            residuals = self.problem.residuals([point])[0]
            cost = cost_of(residuals) - here.cost
            if cost_of(residuals) < cost_of(self.best[1]):
                self.best = point, residuals
            gained, least = least - cost, min(least, cost)
            hopeless = cost > 30.0 * enough and gained < 0.5 * cost
            if not math.isfinite(cost) or not len(self.others) or least < 0.7 * enough or gained < 0.03 * enough or hopeless:
                break
            point = self._better(point, residuals)
        return max(least, 0.0)

    def _better(self, point: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """The point with the others where the linear problem has its least |r|^2 within their bounds."""
        problem, point, free = self.problem, point.copy(), self.others
        size = np.maximum(np.linalg.norm(self.here.jacobian, axis=0), 1e-300)
        while len(free):
            change = np.linalg.lstsq(self.here.jacobian[:, free] / size[free], -residuals, rcond=1e-9)[0] / size[free]
            wanted = point[free] + change
            inside = (wanted >= problem.lo[free]) & (wanted <= problem.hi[free])
            if inside.all():
                point[free] = wanted
                break
            held = free[~inside]
            clipped = np.clip(wanted[~inside], problem.lo[held], problem.hi[held])
            residuals = residuals + self.here.jacobian[:, held] @ (clipped - point[held])
            point[held], free = clipped, free[inside]
        return point


def interval(problem: LeastSquares, here: Optimum, k: int, error: float) -> tuple[Interval, Profile]:
    """(2) of one parameter, and how it was found; error: its standard error."""
    profile, allowed = Profile(problem, here, k), allowed_rise(problem, here)
    (lo, open_lo), (hi, open_hi) = (_end(problem, profile, sign, error, allowed) for sign in (-1.0, 1.0))
    quarters = (0.75 * lo + 0.25 * hi, 0.25 * lo + 0.75 * hi)
    flat = hi - lo > 1e-4 * problem.size[k] and all(profile.rise(at, FLAT * allowed) < FLAT * allowed for at in quarters)
    return Interval(lo, hi, open_lo, open_hi, flat), profile


def _end(problem: LeastSquares, profile: Profile, sign: float, error: float, allowed: float) -> tuple[float, bool]:
    """(end of (2) on one side, whether it is the end of the allowed range)."""
    k, at = profile.k, profile.here.point[profile.k]
    bound = problem.hi[k] if sign > 0.0 else problem.lo[k]
    room, inside, outside = abs(bound - at), (0.0, 0.0), (math.inf, math.inf)
    if room <= 1e-12 * problem.size[k]:
        return float(bound), True
    width = math.sqrt(allowed / max(variance(problem, profile.here), 1e-300)) * error
    x = width if math.isfinite(width) and 0.0 < width < problem.size[k] * 10.0 else 0.05 * problem.size[k]
    for _ in range(SEARCHES):
        x = min(x, room)
        rise = profile.rise(at + sign * x, allowed)
        if abs(rise / allowed - 1.0) < 0.08:
            return float(at + sign * min(x * math.sqrt(allowed / rise), room)), False
        if rise < allowed:
            if x >= room:
                return float(bound), True
            level = rise < 1.2 * inside[1]
            inside = (x, rise)
            if level and not math.isfinite(outside[0]):
                x *= LEAP
                continue
        else:
            outside = (x, rise)
        x = _next(inside, outside, allowed)
        if outside[0] - inside[0] < max(0.01 * outside[0], 1e-5 * problem.size[k]):
            break
    return float(at + sign * x), False


def _next(inside: tuple[float, float], outside: tuple[float, float], allowed: float) -> float:
    """Next distance to try: |r|^2 rises with its square near an optimum."""
    (a, low), (b, high) = inside, outside
    if not math.isfinite(b):
        return a * (min(4.0, max(1.2, math.sqrt(allowed / low))) if low > 0.01 * allowed else 4.0)
    if not math.isfinite(high) or low <= 0.0:
        return 0.5 * (a + b)
    part = (math.sqrt(allowed) - math.sqrt(low)) / (math.sqrt(high) - math.sqrt(low))
    return a + (b - a) * min(0.9, max(0.1, part))
