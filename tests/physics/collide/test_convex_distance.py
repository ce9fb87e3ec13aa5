"""Closest points of two convex shapes, and of a shape and a triangle, as queries and casts use them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.collide.convex.core import CORE, load, load_triangle
from physics.collide.convex.distance import distance
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.core.jit import kernel
from physics.core.records import Kind
from tests.tools.collide_tools import NAMES, UPRIGHT, pool, random_pairs, refresh, surface_distance, world

SEEDS = st.integers(0, 2**32 - 1)
FAR = 100.0


@kernel
def closest(shapes, pairs, geometry, gaps, normals, points):
    """Of each pair: signed distance, normal, and the two points relative to the first shape."""
    cores, simplex, polytope = np.empty(2, CORE), np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    for k in range(pairs.shape[0]):
        a, b, s = shapes[pairs[k, 0]], shapes[pairs[k, 1]], simplex[0]
        load(cores[0], a, geometry, a.pos)
        load(cores[1], b, geometry, a.pos)
        gaps[k] = distance(cores[0], cores[1], geometry, s, polytope[0], FAR)
        for i in range(3):
            normals[k, i], points[k, 0, i], points[k, 1, i] = s.normal[i], s.point_a[i], s.point_b[i]


@kernel
def closest_to_triangle(shapes, corners, geometry, gaps, normals, points):
    """The same for shape k and triangle k, (n, 3, 3) in the world frame."""
    cores, simplex, polytope = np.empty(2, CORE), np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    for k in range(shapes.shape[0]):
        a, s = shapes[k], simplex[0]
        load(cores[0], a, geometry, a.pos)
        load_triangle(cores[1], corners[k, 0], corners[k, 1], corners[k, 2], 0.0, a.pos)
        gaps[k] = distance(cores[0], cores[1], geometry, s, polytope[0], FAR)
        for i in range(3):
            normals[k, i], points[k, 0, i], points[k, 1, i] = s.normal[i], s.point_a[i], s.point_b[i]


def results(count):
    return np.empty(count), np.empty((count, 3)), np.empty((count, 2, 3))


@pytest.mark.parametrize("kinds_ab", [("ellipsoid", "sphere"), ("cylinder", "hull"), ("capsule", "cone"), ("box", "ellipsoid"),
                                      ("hull", "hull"), ("cylinder", "cylinder")], ids="-".join)
@settings(max_examples=6, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_points_are_as_far_apart_as_the_distance_says(kinds_ab, seed):
    """Each point on its surface, and one from the other along the normal by the distance."""
    _, shapes, pairs = random_pairs(np.random.default_rng(seed), kinds_ab, 20, spread=3.0)
    gaps, normals, points = results(len(pairs))
    closest(shapes, pairs, pool(), gaps, normals, points)
    for k, (a, b) in enumerate(pairs):
        assert points[k, 1] - points[k, 0] == pytest.approx(gaps[k] * normals[k], abs=2e-4 if gaps[k] < 0.0 else 1e-6)
        assert surface_distance(shapes[a], points[k, 0] + shapes[a]["pos"]) == pytest.approx(0.0, abs=1e-3)
        assert surface_distance(shapes[b], points[k, 1] + shapes[a]["pos"]) == pytest.approx(0.0, abs=1e-3)


@settings(max_examples=20, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_round_cores_are_exact(seed):
    """Ball against cylinder and against ellipsoid: gap and normal to 1e-9 by closed form and by the ellipsoid's own normal."""
    rng = np.random.default_rng(seed)
    _, shapes, pairs = random_pairs(rng, ("cylinder", "sphere"), 20, spread=4.0)
    gaps, normals, points = results(len(pairs))
    closest(shapes, pairs, pool(), gaps, normals, points)
    for k, (a, b) in enumerate(pairs):
        q = shapes["rot"][a].T @ (shapes["pos"][b] - shapes["pos"][a])
        radius, half = shapes["dims"][a, :2]
        flat = np.hypot(q[0], q[1])
        nearest = np.append(q[:2] * min(1.0, radius / flat), np.clip(q[2], -half, half))
        away = np.linalg.norm(q - nearest)
        if away > 1e-3:
            assert gaps[k] == pytest.approx(away - shapes["dims"][b, 0], abs=1e-9)
            assert shapes["rot"][a].T @ normals[k] == pytest.approx((q - nearest) / away, abs=1e-9 / away)
    _, shapes, pairs = random_pairs(rng, ("ellipsoid", "sphere"), 20, spread=4.0)
    closest(shapes, pairs, pool(), gaps, normals, points)
    for k, (a, _) in enumerate(pairs):
        slope = shapes["rot"][a].T @ points[k, 0] / shapes["dims"][a] ** 2
        assert shapes["rot"][a] @ (slope / np.linalg.norm(slope)) == pytest.approx(normals[k], abs=1e-9)


def nearest_of_triangle(p, corners):
    """Distance of a point from a triangle: the least of its plane's foot, if inside, and of the three sides."""
    a, b, c = corners
    n = np.cross(b - a, c - a)
    foot = p - n * ((p - a) @ n) / (n @ n)
    inside = all(np.cross(v - u, foot - u) @ n >= 0.0 for u, v in ((a, b), (b, c), (c, a)))
    sides = [u + np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0.0, 1.0) * (v - u) for u, v in ((a, b), (b, c), (c, a))]
    return min(np.linalg.norm(p - x) for x in ([*sides, foot] if inside else sides))


@settings(max_examples=20, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_a_ball_and_a_triangle(seed):
    """Against the closed form, down to a centre that lies in the triangle."""
    rng = np.random.default_rng(seed)
    bodies, shapes = world([(Kind.DYNAMIC, "sphere", (0.3, 0.0, 0.0), rng.normal(size=3), UPRIGHT) for _ in range(20)])
    refresh(bodies, shapes)
    corners = rng.normal(size=(20, 3, 3))
    corners[0] += shapes["pos"][0] - corners[0].mean(axis=0)
    gaps, normals, points = results(20)
    closest_to_triangle(shapes, corners, pool(), gaps, normals, points)
    for k in range(20):
        assert gaps[k] == pytest.approx(nearest_of_triangle(shapes["pos"][k], corners[k]) - 0.3, abs=1e-9)
        assert np.linalg.norm(normals[k]) == pytest.approx(1.0)
    plane = np.cross(corners[0, 1] - corners[0, 0], corners[0, 2] - corners[0, 0])
    assert abs(normals[0] @ plane) == pytest.approx(np.linalg.norm(plane))


def test_a_triangle_on_every_kind():
    """A level triangle 1 mm above, and 1 mm below, the top of each shape."""
    tops = {"box": 0.5, "sphere": 0.5, "capsule": 0.8, "cylinder": 0.3, "ellipsoid": 0.5, "cone": 0.3}
    dims = {"box": (0.5, 0.5, 0.5), "sphere": (0.5, 0.0, 0.0), "capsule": (0.5, 0.3, 0.0), "cylinder": (0.5, 0.3, 0.0),
            "ellipsoid": (0.3, 0.4, 0.5), "cone": (0.5, 0.4, 0.0)}
    for gap in (1e-3, -1e-3):
        bodies, shapes = world([(Kind.DYNAMIC, name, dims[name], (0.1, 0.2, 0.3), UPRIGHT) for name in tops])
        refresh(bodies, shapes)
        corners = np.array([[(-2, -2, z), (2, -1, z), (0, 3, z)] for z in tops.values()]) + np.array((0.1, 0.2, 0.3 + gap))
        gaps, normals, points = results(len(tops))
        closest_to_triangle(shapes, corners, pool(), gaps, normals, points)
        assert gaps == pytest.approx(gap, abs=1e-9), NAMES
        assert normals[:, 2] == pytest.approx(1.0, abs=1e-9)
