"""The estimator: intervals of linear problems are Student's, sets where residuals are flat, parameters that are not told
apart."""

import math

import numpy as np
import pytest
from scipy import stats

from app.analysis.friction_fit import gauss_newton as g


def problem(residuals, start, lo=None, hi=None, count=0, series=()):
    p = len(start)
    return g.LeastSquares(lambda points: [residuals(np.asarray(point)) for point in points], np.array(start, float),
                          *(np.full(p, end) if given is None else np.array(given, float)
                            for given, end in ((lo, -1e6), (hi, 1e6))),
                          np.ones(p), count, series)


@pytest.fixture
def line():
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 1.0, 40)
    y = 1.0 + 2.0 * t + rng.normal(0.0, 0.1, 40)
    return t, y, problem(lambda p: p[0] + p[1] * t - y, (0.0, 0.0), count=40, series=(40,))


def test_the_interval_of_a_straight_line_is_students(line):
    """scipy.stats.linregress: slope, its standard error, and t of n - 2 degrees of freedom."""
    t, y, known = line
    expected = stats.linregress(t, y)
    here = g.minimise(known)
    error = g.errors(known, here)
    assert here.point[1] == pytest.approx(expected.slope, rel=1e-6) and error[1] == pytest.approx(expected.stderr, rel=1e-6)
    half = stats.t.ppf(0.975, 38) * expected.stderr
    made, _ = g.interval(known, here, 1, error[1])
    assert (made.lo, made.hi) == pytest.approx((expected.slope - half, expected.slope + half), rel=2e-3)
    assert not made.flat and not made.open_lo and not made.open_hi


@pytest.mark.parametrize("degrees", [6, 10, 40, 1000])
def test_students_quantile(degrees):
    assert g.student(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=3e-3)


def test_bounds_give_a_set():
    """|x - 3| <= 1 is all that the rows say: every value between 2 and 4 fits equally well, and from 2 on without the other
    one."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 1e-3, 30)
    both = problem(lambda p: np.concatenate([noise + 0.0 * p[0], 100.0 * np.array([max(0.0, 2.0 - p[0]), max(0.0, p[0] - 4.0)])]),
                   (2.5,), (0.0,), (50.0,), count=30)
    here = g.minimise(both)
    made, _ = g.interval(both, here, 0, math.inf)
    assert made.flat and (made.lo, made.hi) == pytest.approx((2.0, 4.0), abs=5e-3)
    one = problem(lambda p: np.concatenate([noise, [100.0 * max(0.0, 2.0 - p[0])]]), (2.5,), (0.0,), (50.0,), count=30)
    made, _ = g.interval(one, g.minimise(one), 0, math.inf)
    assert made.flat and made.lo == pytest.approx(2.0, abs=5e-3) and made.open_hi and made.hi == 50.0


def test_a_state_without_slope_is_left_by_the_scan():
    """A threshold: nothing moves while p > 1; the data moved."""
    t = np.linspace(0.0, 1.0, 30)
    held = problem(lambda p: max(0.0, 1.0 - p[0]) * t - 0.4 * t, (5.0,), (0.0,), (10.0,), count=30, series=(30,))
    assert g.minimise(held).point[0] == pytest.approx(0.6, rel=1e-4)


def test_parameters_that_only_act_together_are_entangled(line):
    t, y, _ = line
    both = problem(lambda p: (p[0] + p[1]) * t + p[2] - y, (0.0, 0.5, 0.0), (-1e3, -1e9, -1e9), (1e3, 1e9, 1e9),
                   count=40, series=(40,))
    here = g.minimise(both)
    axes = g.entangled(here)
    assert len(axes) == 1 and np.abs(axes[0]) == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0.0], abs=1e-6)
    made, _ = g.interval(both, here, 0, float(g.errors(both, here)[0]))
    assert made.open_lo and made.open_hi


def test_a_bound_of_one_parameter_shortens_the_interval_of_another(line):
    """With the intercept held below 1 the slope is that of the least squares with the intercept at 1."""
    t, y, _ = line
    known = problem(lambda p: p[0] + p[1] * t - y, (0.0, 0.0), hi=(0.8, 1e6), count=40, series=(40,))
    here = g.minimise(known)
    slope = float(t @ (y - 0.8) / (t @ t))
    assert here.point == pytest.approx([0.8, slope], rel=1e-4)


def test_correlated_residuals_widen_the_interval():
    rng = np.random.default_rng(3)
    wander = np.convolve(rng.normal(0.0, 1.0, 400), np.ones(10) / 10.0, "valid")
    known = problem(lambda p: p[0] - wander, (0.0,), count=len(wander), series=(len(wander),))
    here = g.minimise(known)
    assert g.correlation(known, here.residuals) == pytest.approx(0.9, abs=0.05)
    white = rng.normal(0.0, 1.0, 400)
    assert g.correlation(problem(lambda p: p[0] - white, (0.0,), count=400, series=(400,)), white) == 0.0
    assert g.allowed_rise(known, here) > 10.0 * g.variance(known, here) * g.student(390) ** 2
