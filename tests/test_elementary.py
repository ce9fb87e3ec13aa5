"""Own exponential and arctangent against libm."""

import math

import numpy as np
import pytest

from physics.core.elementary import FARTHEST, angle, decay, unwound


def test_decay_is_the_exponential():
    x = np.concatenate([np.linspace(0.0, FARTHEST, 20001)[:-1], 10.0 ** np.linspace(-300, -1, 300)])
    ours = np.array([decay(v) for v in x])
    assert np.max(np.abs(ours / np.exp(-x) - 1.0)) < 4e-16
    assert decay(0.0) == 1.0 and decay(FARTHEST) == 0.0 and decay(math.inf) == 0.0 and decay(math.nan) == 0.0


def test_angle_is_atan2():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(size=(20000, 2)), rng.normal(size=(2000, 2)) * 10.0 ** rng.integers(-30, 30, (2000, 2))])
    ours = np.array([angle(y, x) for y, x in points])
    assert np.max(np.abs(ours - np.arctan2(points[:, 0], points[:, 1]))) < 5e-16
    for y, x in ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (0.0, 0.0)):
        assert angle(y, x) == pytest.approx(math.atan2(y, x), abs=1e-16)


def test_an_angle_is_unwound_to_the_nearest_turn():
    for total in np.linspace(-40.0, 40.0, 801):
        principal = math.remainder(total, 2.0 * math.pi)
        assert unwound(principal, total + 3.0) == pytest.approx(total, abs=1e-12)
        assert unwound(principal, total - 3.0) == pytest.approx(total, abs=1e-12)
