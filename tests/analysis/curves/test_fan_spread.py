"""The spread that the panel plots is that of the members' samples."""

import numpy as np
import pytest

from app.analysis.curves.fan_spread import spread_of


def test_least_and_largest_value_at_each_time():
    t = np.linspace(0.0, 1.0, 11)
    found = spread_of([(t, t), (t, 2.0 * t), (t, -t)])
    assert found.lo.tolist() == (-t).tolist() and found.hi.tolist() == (2.0 * t).tolist()
    assert found.last == pytest.approx(3.0)


def test_members_with_other_steps_and_starts():
    """On straight lines interpolation is exact; a member counts only where it has samples."""
    fine, coarse = np.linspace(0.0, 1.0, 101), np.linspace(0.5, 0.98, 7)
    found = spread_of([(coarse, 3.0 * coarse), (fine, fine)])
    inside = (fine >= 0.5) & (fine <= 0.98)
    assert found.times.tolist() == fine.tolist()
    assert np.allclose(found.hi[inside], 3.0 * fine[inside]) and np.allclose(found.lo, fine)
    assert np.allclose(found.hi[~inside], fine[~inside])


def test_gaps_and_nothing():
    t = np.arange(3.0)
    found = spread_of([(t, np.array([np.nan, 1.0, np.nan])), (t, np.array([np.nan, 4.0, np.nan])), (t[:0], t[:0])])
    assert np.isnan(found.lo[[0, 2]]).all() and found.last == 3.0
    assert not len(spread_of([]).times) and np.isnan(spread_of([]).last)
