"""Motion between two events, and shortening a step to the moment of an event (F11 table 11.1, 11.47 to 11.51).

    Euler          y(delta) = y0 + h delta k1                                                               (F11 11.47 to 11.49)
    Heun           y(delta) = y0 + h ((delta - 3/4 delta^2) k1 + 3/4 delta^2 k2),  k2 at y0 + 2/3 h k1      (F11 11.50, 11.51)
    Runge-Kutta 4  y(delta): the step of length delta h itself

y holds whatever is integrated, forces to impulses included; delta in 0 .. 1.
"""

import math
from collections.abc import Callable

import numpy as np

EULER, HEUN, RUNGE_KUTTA = "Euler", "Heun", "Runge-Kutta 4"

Derivative = Callable[[np.ndarray, float], np.ndarray]
"""(y, time from the start of the step [s]) -> y'."""


MAX_TURN = 0.2
"""Largest rotation of a body in a step of an integrator; faster ones get shorter steps [rad]."""


AUDITED_PARTS = 256
"""The auditor takes a motion as one in parts, of kicks and drifts; what acts all the time does so in very many."""


def longest_part(bodies: np.ndarray, dt: float) -> float:
    """Longest time [s] in which no body turns by more than MAX_TURN, at least a hundredth of dt."""
    return max(0.01 * dt, MAX_TURN / max(float(np.linalg.norm(bodies["omega"], axis=1).max(initial=0.0)), MAX_TURN / dt))


def path(method: str, f: Derivative, y0: np.ndarray, k1: np.ndarray, h: float) -> Callable[[float], np.ndarray]:
    """delta -> y(delta) of one step of h [s] from y0 with y' = k1 there."""
    if method == EULER:
        return lambda delta: y0 + h * delta * k1
    if method == HEUN:
        k2 = f(y0 + 2.0 / 3.0 * h * k1, 2.0 / 3.0 * h)
        return lambda delta: y0 + h * ((delta - 0.75 * delta**2) * k1 + 0.75 * delta**2 * k2)

    def again(delta: float) -> np.ndarray:
        step = delta * h
        k2 = f(y0 + 0.5 * step * k1, 0.5 * step)
        k3 = f(y0 + 0.5 * step * k2, 0.5 * step)
        k4 = f(y0 + step * k3, step)
        return y0 + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return again


def first_fall(g: Callable[[float], float], lo: float, hi: float, accuracy: float) -> float:
    """Where g falls through zero between lo, g >= 0, and hi, g < 0: the last point with g >= 0 within `accuracy`.

    By turns regula falsi in Illinois's form, the secant through the last two points with g < 0, and bisection unless these halved
    the interval: g is often the least of several gaps, flat and small before it falls. Values may be infinite.
    """
    a, b, side = g(lo), g(hi), 0
    after, width = (hi, b), hi - lo     # the last point with g < 0; the one before it is in `before`
    before = (math.nan, math.nan)
    for turn in range(200):
        if hi - lo <= accuracy:
            break
        middle = _secant((lo, a), (hi, b))
        if turn % 3 == 1 and lo < (guess := _secant(before, after)) < hi:
            middle = guess
        elif turn % 3 == 2:
            middle, width = 0.5 * (lo + hi) if hi - lo > 0.5 * width else middle, hi - lo
        middle = middle if lo < middle < hi and turn < 30 else 0.5 * (lo + hi)
        middle = min(max(middle, lo + 0.4 * accuracy), hi - 0.4 * accuracy)
        value = g(middle)
        if value >= 0.0:
            lo, a, b, side = middle, value, 0.5 * b if side > 0 else b, 1
            if value == 0.0:
                break
        else:
            hi, a, b, side = middle, 0.5 * a if side < 0 else a, value, -1
            before, after = after, (middle, value)
    return lo


def _secant(p: tuple[float, float], q: tuple[float, float]) -> float:
    """Where the line through two points (x, g) is zero; nan if nowhere."""
    fall = p[1] - q[1]
    return p[0] + (q[0] - p[0]) * p[1] / fall if math.isfinite(fall) and fall != 0.0 else math.nan
