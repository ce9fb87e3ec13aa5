"""Gradient, area and statistics of curves against closed forms: lines, parabolas, sines, loops; unequal steps, gaps."""

import math

import numpy as np
import pytest

from app.analysis.curves.curve_statistics import (
    CurveCache,
    SpanCache,
    cut,
    dashed,
    difference,
    enclosed,
    every_nth,
    gradient_at,
    index_at,
    nearest_point,
    span_statistics,
    value_at,
)

UNEVEN = np.sort(np.random.default_rng(7).uniform(0.0, 10.0, 4001))


def parabola(t):
    return 3.0 - 2.0 * t + 0.5 * t * t


@pytest.mark.parametrize("at", [0.1, 1.234, 5.0, 9.9])
def test_the_gradient_of_a_parabola_is_exact_at_unequal_steps(at):
    assert gradient_at(UNEVEN, parabola(UNEVEN), at) == pytest.approx(at - 2.0, abs=1e-6)


def test_the_gradient_at_both_ends_of_the_record():
    t = np.array([0.0, 0.1, 0.25, 0.4, 0.7, 0.75, 1.0])
    assert gradient_at(t, parabola(t), 0.0) == pytest.approx(-2.0, abs=1e-12)
    assert gradient_at(t, parabola(t), 1.0) == pytest.approx(-1.0, abs=1e-12)
    assert gradient_at(t, parabola(t), 1.001) is None and gradient_at(t[:0], t[:0], 0.0) is None


def test_the_gradient_of_a_sine_is_its_cosine():
    t = np.linspace(0.0, 10.0, 2401)
    for at in (0.3, 2.0, 7.7):
        assert gradient_at(t, np.sin(t), at) == pytest.approx(math.cos(at), abs=1e-4)


def test_no_gradient_is_taken_over_a_gap():
    t = np.arange(10.0)
    v = np.where(t < 5.0, 2.0 * t, 100.0 - 3.0 * t)
    v[5] = np.nan
    assert gradient_at(t, v, 4.0) == pytest.approx(2.0) and gradient_at(t, v, 6.0) == pytest.approx(-3.0)
    assert gradient_at(t, v, 5.0) is None, "nothing was recorded there"
    v[[3, 7]] = np.nan
    assert gradient_at(t, v, 4.0) is None and gradient_at(t, v, 6.0) is None, "one sample alone has no slope"
    assert gradient_at(np.array([0.0, 1.0]), np.array([1.0, 4.0]), 0.2) == pytest.approx(3.0), "of two it is their line's"
    assert gradient_at(np.zeros(4), np.arange(4.0), 0.0) is None, "all at one time"


def test_area_and_mean_of_a_parabola():
    t = np.linspace(0.0, 4.0, 4001)
    found = span_statistics(t, parabola(t), 1.00033, 2.99977)
    area = 3.0 * found.seconds - (2.99977**2 - 1.00033**2) + (2.99977**3 - 1.00033**3) / 6.0
    assert found.area == pytest.approx(area, rel=1e-6) and found.seconds == pytest.approx(2.99977 - 1.00033)
    assert found.mean == pytest.approx(area / found.seconds, rel=1e-6)
    assert found.low == pytest.approx(1.0, abs=1e-6) and found.high == pytest.approx(parabola(2.99977), rel=1e-6)
    assert span_statistics(t, parabola(t), 2.99977, 1.00033) == found, "the two lines may have passed each other"


def test_area_and_gradient_of_sines():
    t = UNEVEN
    period = span_statistics(t, np.sin(t), 0.5, 0.5 + 2.0 * math.pi)
    assert period.area == pytest.approx(0.0, abs=1e-3) and period.high == pytest.approx(1.0, abs=1e-4)
    half = span_statistics(t, np.sin(t), 1e-2, math.pi)
    assert half.area == pytest.approx(1.0 + math.cos(1e-2), abs=1e-3)
    t = np.linspace(0.0, 2.0 * math.pi, 5001)
    assert span_statistics(t, np.sin(t), 0.0, 7.0).gradient == pytest.approx(-3.0 / math.pi**2, rel=1e-4), \
        "12 / T^3 times the integral of (t - T/2) sin t, the least squares of the continuous curve"


def test_lines_are_exact_for_any_samples():
    for start, end in ((0.1, 9.0), (3.33, 3.34)):
        found = span_statistics(UNEVEN, 4.0 - 0.25 * UNEVEN, start, end)
        assert found.gradient == pytest.approx(-0.25, rel=1e-6)
        assert found.area == pytest.approx((end - start) * (4.0 - 0.125 * (start + end)), rel=1e-9)
    late = 1e5 + np.arange(100) / 240.0
    assert span_statistics(late, 2.0 * late, late[3], late[90]).gradient == pytest.approx(2.0, rel=1e-6), "far from zero as well"


def test_clustered_samples_get_no_extra_weight():
    t = np.concatenate([np.linspace(0.0, 0.01, 1000), np.linspace(0.02, 1.0, 99)])
    v = np.abs(t - 0.5)
    assert span_statistics(t, v, 0.0, 1.0).mean == pytest.approx(0.25, abs=1e-3)
    assert span_statistics(t, v, 0.0, 1.0).gradient == pytest.approx(0.0, abs=1e-2)


def test_gaps_are_left_out():
    t = np.arange(11.0)
    v = np.where((t >= 4.0) & (t <= 6.0), np.nan, 2.0)
    found = span_statistics(t, v, 0.0, 10.0)
    assert found.seconds == 6.0 and found.area == 12.0 and found.mean == 2.0 and found.gradient == pytest.approx(0.0)
    assert span_statistics(t, v, 4.0, 6.0) is None and span_statistics(t, v, 3.2, 6.8) is None
    assert span_statistics(t, v, 11.0, 12.0) is None
    assert span_statistics(t[:1], v[:1], 0.0, 1.0) is None and span_statistics(t[:0], v[:0], 0.0, 1.0) is None


def test_a_span_between_two_samples():
    found = span_statistics(np.array([0.0, 1.0]), np.array([0.0, 10.0]), 0.25, 0.5)
    assert found.area == pytest.approx(0.25 * 3.75) and (found.low, found.high) == pytest.approx((2.5, 5.0))
    assert found.gradient == pytest.approx(10.0)
    assert span_statistics(np.array([0.0, 1.0]), np.array([0.0, 10.0]), 0.5, 0.5) is None, "a span of nothing"


def test_two_samples_at_one_time_are_a_jump():
    found = span_statistics(np.array([0.0, 1.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0, 3.0]), 0.0, 2.0)
    assert found.area == 4.0 and found.mean == 2.0 and math.isfinite(found.gradient)


def test_a_loop_encloses_what_its_closed_form_says():
    angle = np.linspace(0.0, 2.0 * math.pi, 2001)
    x, y = 2.0 * np.sin(angle), 3.0 * np.cos(angle)      # clockwise from the top
    assert enclosed(x, y) == pytest.approx(6.0 * math.pi, rel=1e-5)
    assert enclosed(x[::-1], y[::-1]) == pytest.approx(-6.0 * math.pi, rel=1e-5)
    y[1000] = np.nan
    assert math.isfinite(enclosed(x, y)) and enclosed(x[:1], y[:1]) is None


def test_the_nearest_point_of_a_path_is_found_in_pixels():
    x, y = np.array([0.0, 1.0, np.nan, 2.0]), np.array([0.0, 100.0, 0.0, 200.0])
    assert nearest_point(x, y, (1.1, 120.0), (0.1, 10.0)) == (1, pytest.approx(math.hypot(1.0, 2.0)))
    assert nearest_point(x[2:3], y[2:3], (0.0, 0.0), (1.0, 1.0)) == (-1, math.inf)


def test_the_difference_to_another_run():
    t, other = np.linspace(0.0, 2.0, 21), np.linspace(0.5, 1.5, 7)
    found = difference(t, t * t, other, 3.0 * other)
    inside = (t >= 0.5) & (t <= 1.5)
    assert np.allclose(found[inside], (t * t - 3.0 * t)[inside]) and np.isnan(found[~inside]).all()
    assert np.isnan(difference(t, t, t[:0], t[:0])).all()


def test_samples_nearest_to_a_time():
    t, v = np.array([0.0, 1.0, 2.0]), np.array([5.0, np.nan, 7.0])
    assert [index_at(t, at) for at in (-0.1, 0.4, 0.6, 2.0, 2.1)] == [-1, 0, 1, 2, -1]
    assert value_at(t, v, 1.9) == 7.0 and value_at(t, v, 0.1) == 5.0
    assert value_at(t, v, 1.0) is None and value_at(t, v, -1.0) is None and value_at(t[:0], v[:0], 0.0) is None


def test_dashes_lie_on_the_curve_and_are_bounded():
    t = np.linspace(0.0, 1.0, 501)
    x, y = dashed(t, 2.0 * t, (0.01, 0.02), (5.0, 5.0))
    assert len(x) % 2 == 0 and len(x) >= 26 and np.allclose(y, 2.0 * x)
    lengths = np.hypot(np.diff(x)[::2] / 0.01, np.diff(y)[::2] / 0.02)
    assert np.allclose(lengths[:-1], 5.0) and 0.0 < lengths[-1] < 5.0 and x[-1] == pytest.approx(1.0), "drawn up to its end"
    noise = np.random.default_rng(1).uniform(-1e9, 1e9, 5000)
    assert len(dashed(np.arange(5000.0), noise, (1.0, 1.0), (5.0, 5.0))[0]) <= 3002
    gap = np.where((t > 0.4) & (t < 0.6), np.nan, t)
    x, y = dashed(t, gap, (0.01, 0.01), (5.0, 5.0))
    assert not ((x > 0.41) & (x < 0.59) & np.isfinite(y)).any(), "nothing is drawn in a gap"
    assert len(dashed(t[:1], t[:1], (1.0, 1.0), (5.0, 5.0))[0]) == 0


def test_a_thinned_path_keeps_its_end():
    x = np.arange(10_001.0)
    thinned, _ = every_nth(x, x, 1000)
    assert len(thinned) <= 1001 and thinned[-1] == 10_000.0 and np.all(np.diff(thinned) > 0.0)
    assert len(every_nth(x[:5], x[:5], 1000)[0]) == 5 and len(every_nth(x[:0], x[:0])[0]) == 0
    assert len(cut(x, x, 10.0, 20.0)[0]) == 13


@pytest.mark.parametrize("pattern", [(14.0, 5.0), (9.0, 4.0, 2.0, 4.0), (2.0, 4.0)])
def test_dashes_have_the_lengths_of_the_pattern_and_do_not_move(pattern):
    t = np.linspace(3.0, 5.0, 400)
    x, _ = dashed(t, np.zeros(400), (0.01, 1.0), pattern)
    lengths, gaps = (x[1::2] - x[::2]) / 0.01, (x[2::2] - x[1:-1:2]) / 0.01
    assert np.allclose(np.sort(np.unique(np.round(lengths[1:-1], 6))), sorted(set(pattern[::2])))
    assert np.allclose(np.sort(np.unique(np.round(gaps, 6))), sorted(set(pattern[1::2])))
    later, _ = dashed(t[57:], np.zeros(343), (0.01, 1.0), pattern)      # the window has moved on
    ends = x[x > t[57] + 0.2]
    assert len(ends) > 4 and np.abs(ends[:, None] - later[None, :]).min(axis=1).max() < 1e-9


def test_drawn_curves_are_cached_for_the_same_samples():
    ready, made = CurveCache(), []

    def make(x, y, scale):
        made.append(len(x))
        return x, scale * y

    x, y = np.arange(5.0), np.arange(5.0)
    first = ready.of("a", x, y, make, 2.0)
    assert ready.of("a", x[:], y[:], make, 2.0) is first and made == [5]
    assert ready.of("a", x[:4], y[:4], make, 2.0)[1].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert ready.of("a", x.copy()[:4], y[:4], make, 2.0) is not first and ready.of("a", x, y, make, 3.0)[1][4] == 12.0
    assert made == [5, 4, 4, 5]


def test_span_statistics_are_recomputed_after_a_change():
    spans, t = SpanCache(), np.linspace(0.0, 1.0, 101)
    found = spans.of("a", t, t, (0.0, 1.0), 10.0)
    assert spans.of("a", t, t, (0.0, 1.0), 99.0) is found
    assert spans.of("a", t, t, (0.0, 0.5), 10.0).mean == pytest.approx(0.25)
    more = np.linspace(0.0, 1.0, 202)
    assert spans.of("a", more, 2.0 * more, (0.0, 0.5), 10.1).mean == pytest.approx(0.25), "numbers stand still to be read"
    assert spans.of("a", more, 2.0 * more, (0.0, 0.5), 10.3).mean == pytest.approx(0.5)
