"""Friction section: exact vertices, nearest points, no gap between facets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics.contact.friction_cone import facet, inside, polygon, project
from physics.core import quat


def test_sine_and_cosine_series_reach_full_precision():
    """Against libm over the promised range |x| <= pi / 2."""
    for x in np.linspace(-math.pi / 2, math.pi / 2, 2001):
        assert quat.cosine(x * x) == pytest.approx(math.cos(x), abs=3e-16)
        assert quat.sinc(x * x) * x == pytest.approx(math.sin(x), abs=3e-16)


@pytest.mark.parametrize("k", range(3, 65))
def test_vertices_and_normals(k):
    """Vertex i at 2 pi i / k, facet normal half a step further."""
    angle = 2.0 * np.pi * np.arange(k) / k
    half = angle + np.pi / k
    want = np.stack([np.cos(angle), np.sin(angle), np.cos(half), np.sin(half)], axis=1)
    assert polygon(k) == pytest.approx(want, abs=4e-15)


@pytest.mark.parametrize("k", [3, 4, 5, 8, 9, 64])
def test_every_direction_has_its_facet(k):
    """Directions along axes, vertices and just beside them, with signed zeros: the facet's sector holds them."""
    table = polygon(k)
    directions = [(x, y) for x in (1.0, -1.0, 0.0, -0.0, 1e-20, -1e-20) for y in (1.0, -1.0, 0.0, -0.0, 1e-20, -1e-20)]
    directions += [(vx + dx, vy + dy) for vx, vy, *_ in table for dx in (0.0, 1e-12, -1e-12) for dy in (0.0, 1e-12, -1e-12)]
    for x, y in directions:
        if math.hypot(x, y) > 0.0:
            i = facet(table, x, y)
            assert table[i, 2] * x + table[i, 3] * y >= (math.cos(math.pi / k) - 1e-9) * math.hypot(x, y)


@given(k=st.integers(3, 64), x=st.floats(-10, 10), y=st.floats(-10, 10), radius=st.floats(0, 5))
def test_projection_is_the_nearest_point(k, x, y, radius):
    """Inside all facets, and no point of the polygon is nearer (variational inequality at every vertex)."""
    table = polygon(k)
    px, py = project(table, radius, x, y)
    apothem = math.cos(math.pi / k)
    assert (table[:, 2] * px + table[:, 3] * py <= radius * apothem + 1e-12).all()
    away = np.array([x - px, y - py])
    assert ((radius * table[:, :2] - [px, py]) @ away <= 1e-9).all()
    if inside(table, radius, x, y):
        assert (px, py) == (x, y)


@given(x=st.floats(-10, 10), y=st.floats(-10, 10), radius=st.floats(0, 5))
def test_projection_on_the_circle(x, y, radius):
    """k = 0 is the disc."""
    px, py = project(polygon(0), radius, x, y)
    assert math.hypot(px, py) <= radius * (1.0 + 1e-15) + 1e-150
    if math.hypot(x, y) > radius > 1e-9:
        assert (px, py) == pytest.approx((radius * x / math.hypot(x, y), radius * y / math.hypot(x, y)), abs=1e-12)
