"""Quaternions in NumPy against scipy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from physics.core.quaternions import conjugate, product, rotate


def test_products_and_turned_vectors_are_those_of_scipy():
    rng = np.random.default_rng(4)
    p, q = (Rotation.random(50, random_state=rng) for _ in range(2))
    v = rng.normal(size=(50, 3))
    one, other = (np.roll(r.as_quat(), 1, axis=-1) for r in (p, q))      # scipy's real part comes last
    both = Rotation.from_quat(np.roll(product(one, other), -1, axis=-1))
    assert both.apply(v) == pytest.approx((p * q).apply(v), abs=1e-13)
    assert rotate(one, v) == pytest.approx(p.apply(v), abs=1e-13)
    assert rotate(conjugate(one), v) == pytest.approx(p.inv().apply(v), abs=1e-13)
