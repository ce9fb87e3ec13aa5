"""Controls without a window: accepted numbers, sliders, plot ranges, keys."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gui.controls.values import accept, from_fraction, log_floor, parse, to_fraction
from tests.helpers import ROOT

NASTY = ("nan", "inf", "-inf", "1e999", "0x10", "", " ", "--", "1,5", "1e-400", "99999999999999999999", "½", "1_000", "a" * 5000)


@given(st.one_of(st.floats(), st.integers(), st.none(), st.text(), st.booleans()), st.floats(0.0, 1.0))
def test_only_finite_numbers_in_range_are_accepted(value, old):
    got = accept(value, 0.0, 1.0, old)
    assert isinstance(got, float) and math.isfinite(got) and 0.0 <= got <= 1.0


@given(st.one_of(st.floats(), st.integers()), st.integers(3, 64))
def test_whole_numbers_stay_whole(value, old):
    got = accept(value, 3, 64, old)
    assert type(got) is int and 3 <= got <= 64


@given(st.text() | st.sampled_from(NASTY))
def test_anything_typed_gives_a_finite_number_in_range(text):
    got, reason = parse(text, -2.0, 3.0, 1.0)
    assert math.isfinite(got) and -2.0 <= got <= 3.0 and isinstance(reason, str)


@pytest.mark.parametrize(("text", "value", "told"), [
    ("0.25", 0.25, ""), ("1,5", 1.5, ""), ("nan", 0.5, "nan is not allowed"), ("7", 0.5, "7 is out of range"),
    ("much", 0.5, "'much' is not a number")])
def test_refusals_are_explained(text, value, told):
    got, reason = parse(text, 0.0, 2.0, 0.5)
    assert got == value and reason.startswith(told) and bool(reason) == bool(told)


@pytest.mark.parametrize(("lo", "hi", "default", "log"), [(0.0, 1.0, 1e-9, True), (1.0, 1e5, 200, True),
                                                          (-30.0, 30.0, 9.81, False)])
def test_sliders_round_trip(lo, hi, default, log):
    floor = log_floor(lo, hi, default) if log else None
    assert from_fraction(to_fraction(default, lo, hi, floor), lo, hi, floor) == pytest.approx(default)
    assert from_fraction(0.0, lo, hi, floor) == lo
    assert from_fraction(1.0, lo, hi, floor) == pytest.approx(hi)


def test_sliders_accept_any_value():
    for value in (math.nan, math.inf, -math.inf, -1.0, 1e300):
        assert 0.0 <= to_fraction(value, 0.0, 1.0, 1e-6) <= 1.0


def test_thinning_keeps_extremes_and_order():
    from app.analysis.curves.curve_statistics import thinned

    times = np.arange(100_000.0)
    values = np.sin(times)
    values[54_321] = 9.0
    values[77] = np.nan
    t, v = thinned(times, values)
    assert len(t) <= 2100 and np.nanmax(v) == 9.0 and np.all(np.diff(t) > 0)


def test_empty_constant_and_nan_plots_have_a_range():
    from app.analysis.curves.curve_statistics import span

    for columns in ([], [np.zeros(0)], [np.full(9, np.nan)], [np.zeros(5)], [np.full(5, 1e-300)], [np.array([1.0, np.inf])]):
        lo, hi = span(columns)
        assert math.isfinite(lo) and math.isfinite(hi) and hi > lo


def test_rounding_errors_of_a_body_at_rest_do_not_fill_a_plot():
    from app.analysis.curves.curve_statistics import span

    noise = 2e-11 * np.random.default_rng(1).uniform(-1.0, 1.0, 500)
    assert span([noise], "m/s") == (-1.0, 1.0) == span([np.abs(noise), np.zeros(9)], "m/s")
    assert span([1e-13 * np.abs(noise)], "J") == (-1.0, 1.0)
    lo, hi = span([np.array([0.0, 6e-9])], "rad")       # a slow motion is no rounding error
    assert -1e-9 < lo < 0.0 and 6e-9 < hi < 7e-9
    lo, hi = span([np.array([0.0, 6e-10])], "J")        # nor is the kinetic energy of one
    assert -1e-10 < lo < 0.0 and 6e-10 < hi < 7e-10
    lo, hi = span([noise, np.array([0.0, 3.0])], "m/s")
    assert -0.3 < lo < 0.0 and 3.0 < hi < 3.3


def test_speeds_step_by_powers_of_two():
    from app.gui.controls.values import faster, slower

    speed, seen = 1.0, []
    for _ in range(8):
        speed = slower(speed)
        seen.append(speed)
    assert seen[:3] == [0.5, 0.25, 0.125] and speed == 1.0 / 64.0
    assert faster(0.3) == 0.5 and slower(0.3) == 0.25 and faster(4.0) == 4.0


def test_every_panel_has_a_title_and_a_place():
    from app.gui.shell.panel_host import Panels

    panels = Panels.discover().all
    assert {"scenes", "transport", "physics", "joints", "inspector", "plot", "view", "messages", "help"} <= set(panels)
    places = {"left", "left top", "right", "right top", "bottom", "float", "popup", "dialog", "menu", "top", "status"}
    assert all(panel.title and panel.place in places for panel in panels.values())


def test_the_page_of_keys_has_those_of_the_help():

    from app.panels.help import markdown

    page = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    inside = page.partition("<!-- keys and mouse: begin -->")[2].partition("<!-- keys and mouse: end -->")[0]
    assert inside.strip() == markdown(), "paste app.panels.help.markdown() between the marks"
