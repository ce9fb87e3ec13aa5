"""Axis ticks: round numbers on ImPlot's grid lines, few enough, read back at their positions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gui.plots import ticks
from app.number_format import read

PREFIX = {"p": 1e-12, "n": 1e-9, "\u00b5": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "": 1.0}


@pytest.mark.parametrize(("lo", "hi", "unit", "labels", "shown"), [
    (0.0, 4.2e-5, "m", ("0", "10", "20", "30", "40"), "\u00b5m"),
    (-0.004, 0.004, "m/s", ("-4", "-2", "0", "2", "4"), "mm/s"),
    (0.0, 2.1e5, "N", ("0", "50", "100", "150", "200"), "kN"),
    (0.0, 4.2e-5, "kg m\u00b2/s", ("0", "1\u00b710\u207b\u2075", "2\u00b710\u207b\u2075", "3\u00b710\u207b\u2075",
                                   "4\u00b710\u207b\u2075"), "kg m\u00b2/s"),
    (0.0, 4.2e-5, "m or rad", ("0", "1\u00b710\u207b\u2075", "2\u00b710\u207b\u2075", "3\u00b710\u207b\u2075",
                               "4\u00b710\u207b\u2075"), "m or rad"),
    (0.0, 4.2, "m/s", ("0", "1", "2", "3", "4"), "m/s"),
    (100.0, 100.021, "J", ("100.000", "100.005", "100.010", "100.015", "100.020"), "J"),
    (0.0, 3.0e5, "s", ("0", "1\u00b710\u2075", "2\u00b710\u2075", "3\u00b710\u2075"), "s")])
def test_small_and_large_numbers_have_a_prefix_or_a_power(lo, hi, unit, labels, shown):
    found = ticks.even(lo, hi, 200.0, 5, unit, upright=True)
    assert (found.labels, found.unit) == (labels, shown)


@pytest.mark.parametrize(("lo", "hi", "letters", "labels"), [
    (3e-7, 2e-3, 60, ("10\u207b\u2076", "10\u207b\u2075", "10\u207b\u2074", "10\u207b\u00b3")),
    (0.05, 200.0, 60, ("0.1", "1", "10", "100")), (0.8, 9e6, 10, ("1", "10\u2075")), (0.8, 6.5, 60, ("1", "2", "5")),
    (2.1e-5, 2.9e-5, 60, tuple(f"2.{k}\u00b710\u207b\u2075" for k in (2, 4, 6, 8)))])
def test_logarithmic_axes_have_powers_of_ten(lo, hi, letters, labels):
    assert ticks.decades(lo, hi, 400.0, letters).labels == labels


@given(st.floats(-1e9, 1e9), st.floats(1e-12, 1e9), st.floats(40.0, 2000.0), st.sampled_from(("m", "m/s^2", "kg m", "")),
       st.booleans())
def test_every_label_is_the_value_at_its_position(middle, span, pixels, unit, upright):
    span = max(span, 1e-6 * abs(middle))
    lo, hi = middle - span, middle + span
    letters = pixels / (30.0 if upright else 9.0)
    found = ticks.even(lo, hi, pixels, letters, unit, upright)
    scale = PREFIX[found.unit.removesuffix(unit)]
    for value, label in zip(found.values, found.labels, strict=True):
        assert lo - 1e-6 * span <= value <= hi + 1e-6 * span
        assert read(label) * scale == pytest.approx(value, rel=1e-6, abs=1e-4 * span), "the label tells where it stands"
    assert len(set(found.labels)) == len(found.labels)
    assert sum(1 if upright else len(label) + 1 for label in found.labels) <= letters + 4


def test_counts_are_integers_and_invalid_axes_have_no_ticks():
    assert ticks.even(-0.2, 1.3, 400.0, 60, whole=True).labels == ("0", "1")
    assert ticks.even(-0.2, 1.3, 400.0, 60).labels[:2] == ("-0.2", "0")
    for lo, hi in ((math.nan, 1.0), (0.0, math.inf), (1.0, 1.0)):
        assert ticks.even(lo, hi, 100.0, 10).values == ()
    assert ticks.decades(0.0, 1.0, 100.0, 10).values == ()
