"""Number formats."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n.translate import NUMBER
from app.number_format import percent, read, rounded, signed


@pytest.mark.parametrize(("value", "digits", "text"), [
    (0.0, 3, "0"), (-0.0, 3, "0"), (1.84e-73, 2, "~0"), (-4.94e-59, 3, "~0"), (1192.0, 3, "1190"), (-2678.0, 3, "-2680"),
    (999.7, 3, "1000"), (1e-9, 2, "10\u207b\u2079"), (-1e-9, 2, "-10\u207b\u2079"),
    (1.5e-7, 2, "1.5\u00b710\u207b\u2077"), (0.00123, 2, "0.0012"), (3.2e7, 3, "3.2\u00b710\u2077"), (9.81, 3, "9.81"),
    (math.inf, 3, "inf"), (math.nan, 3, "nan")])
def test_few_digits_and_no_needless_exponent(value, digits, text):
    assert rounded(value, digits) == text


@pytest.mark.parametrize(("share", "text"), [
    (0.0, "< 0.01 %"), (-4e-5, "< 0.01 %"), (1e-4, "+0.01 %"), (-0.0234, "-2.3 %"), (0.5, "+50 %"), (12.0, "+1200 %"),
    (math.nan, "nan")])
def test_percentages_are_signed_or_reported_as_zero(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(("value", "text"), [
    (2.53e-5, "+2.53\u00b710\u207b\u2075"), (-1234.0, "-1230"), (0.0, "0"), (2000.4, "+2000")])
def test_signed_numbers(value, text):
    assert signed(value) == text


@pytest.mark.parametrize(("value", "of", "text"), [
    (3.05e-11, 20.0, "~0"), (-2.22e-14, 5.0, "~0"), (3.05e-11, 0.0, "3.05\u00b710\u207b\u00b9\u00b9"),
    (1e-8, 20.0, "10\u207b\u2078"), (0.0, 5.0, "0")])
def test_what_is_negligible_beside_a_larger_value_is_rounding(value, of, text):
    assert rounded(value, of=of) == signed(value, of=of).removeprefix("+") == text


@given(st.floats(-1e12, 1e12), st.integers(1, 6))
def test_formatted_numbers_are_read_back_and_translated(value, digits):
    import re

    text = rounded(value, digits)
    assert read(text.replace("~", "")) == pytest.approx(value, rel=0.6 * 10.0 ** (1 - digits), abs=1e-15)
    assert re.fullmatch(NUMBER, text)


def test_a_new_scene_starts_without_dropped_time():
    from app.panels.status import GONE_TIME, StatusState, _dropped, meet_run

    state, pace = StatusState(), SimpleNamespace(dropped=0.0)
    frame = SimpleNamespace(setting=SimpleNamespace(build=1), solver="x", pace=pace)
    session = SimpleNamespace(frame=frame, state=lambda kind: state)
    meet_run(session)
    assert _dropped(session) == []
    pace.dropped = 0.74
    assert "0.74 s dropped" in _dropped(session)[0][0]
    frame.setting = SimpleNamespace(build=2)        # another scene, or a reset
    meet_run(session)
    assert _dropped(session) == []
    pace.dropped = 0.8
    assert "0.06 s dropped" in _dropped(session)[0][0]
    state.wall -= GONE_TIME + 1.0
    assert _dropped(session) == [], "it is told for a while"
    pace.dropped = 1.3
    assert "0.5 s dropped" in _dropped(session)[0][0], "only what was dropped since"
