"""Own exponential and arctangent against libm, vectors of kernels against NumPy."""

import math

import numpy as np
import pytest

from physics.core import vec
from physics.core.elementary import MAX_EXPONENT, angle, exp_negative, unwrap_angle


def test_decay_is_the_exponential():
    x = np.concatenate([np.linspace(0.0, MAX_EXPONENT, 20001)[:-1], 10.0 ** np.linspace(-300, -1, 300)])
    ours = np.array([exp_negative(v) for v in x])
    assert np.max(np.abs(ours / np.exp(-x) - 1.0)) < 4e-16
    assert exp_negative(0.0) == 1.0
    assert exp_negative(MAX_EXPONENT) == exp_negative(math.inf) == exp_negative(math.nan) == 0.0


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
        assert unwrap_angle(principal, total + 3.0) == pytest.approx(total, abs=1e-12)
        assert unwrap_angle(principal, total - 3.0) == pytest.approx(total, abs=1e-12)


def test_products_of_vectors_are_those_of_numpy():
    rng = np.random.default_rng(2)
    for a, b in rng.normal(size=(50, 2, 3)):
        assert vec.cross(tuple(a), tuple(b)) == pytest.approx(np.cross(a, b), abs=1e-14)
        assert vec.dot(tuple(a), tuple(b)) == pytest.approx(a @ b, abs=1e-14)
        assert vec.madd(tuple(a), tuple(b), 0.3) == pytest.approx(a + 0.3 * b, abs=1e-14)
