"""Every pair of shapes against coal and against the geometry of its own points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.collide_tools import (
    NAMES,
    PAIRS,
    manifolds,
    matrix,
    multiply,
    random_pairs,
    random_quat,
    reference,
    refresh,
    support,
    surface_distance,
)

SEEDS = st.integers(0, 2**32 - 1)
COUNT = 25
FAR = 0.3
PRECISE = dict.fromkeys(PAIRS, 1e-6) | {("box", "box"): 2e-3, ("box", "capsule"): 2e-3, ("capsule", "capsule"): 1e-3}
"""Box against box: the slack of face preference and 2 %. Capsules: the angle below which parallel is assumed."""


SIMILAR = dict.fromkeys(PAIRS, 1.0) | {("box", "box"): 0.998, ("box", "capsule"): 0.999}


def draw(seed, kinds_ab):
    rng = np.random.default_rng(seed)
    bodies, shapes, pairs = random_pairs(rng, kinds_ab, COUNT)
    shapes["reach"] = 0.5 * FAR
    return rng, bodies, shapes, pairs


@pytest.mark.parametrize("kinds_ab", PAIRS, ids="-".join)
@settings(max_examples=12, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_distance_and_normal(kinds_ab, seed):
    """The least gap is the signed distance, and the normal is one that attains it."""
    _, _, shapes, pairs = draw(seed, kinds_ab)
    for m, (a, b) in zip(manifolds(shapes, pairs), pairs):
        distance, normal = reference(shapes, a, b)
        tolerance = PRECISE[kinds_ab] + (0.02 * abs(distance) if kinds_ab == ("box", "box") else 0.0)
        assert (m["shape_a"], m["shape_b"]) == (a, b)
        if distance > FAR + tolerance:
            assert m["count"] == 0, (distance, m)
        elif distance < FAR - tolerance:
            assert m["count"] > 0, (distance, m)
        if m["count"]:
            n = m["normal"]
            assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
            assert m["gap"][:m["count"]].min() == pytest.approx(distance, abs=tolerance)
            apart = -support(shapes[b], -n) - support(shapes[a], n)
            # Where several normals attain it coal may choose another; where one nearly does a face may be preferred.
            assert apart == pytest.approx(distance, abs=tolerance) or n @ normal > SIMILAR[kinds_ab], (distance, m)


@pytest.mark.parametrize("kinds_ab", PAIRS, ids="-".join)
@settings(max_examples=12, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_points_lie_on_surfaces(kinds_ab, seed):
    """Half a gap forward and back of a point is the surface of each shape; features differ; gaps are in reach."""
    _, _, shapes, pairs = draw(seed, kinds_ab)
    for m, (a, b) in zip(manifolds(shapes, pairs), pairs):
        count = m["count"]
        assert len(set(m["feature"][:count].tolist())) == count
        assert (m["gap"][:count] <= FAR).all()
        for k in range(count):
            step = 0.5 * m["gap"][k] * m["normal"]
            for s, x in ((a, m["pos"][k] - step), (b, m["pos"][k] + step)):
                depth, tolerance = -surface_distance(shapes[s], x), 2 * PRECISE[kinds_ab]
                if kinds_ab == ("box", "capsule") and count == 2 and np.abs(m["normal"] @ shapes[a]["rot"]).max() < 0.9999:
                    tolerance = 0.04 * shapes[b]["dims"][1]      # along an edge, up to 2 degrees askew
                if NAMES[shapes[s]["kind"]] == "capsule" and m["gap"][k] > m["gap"][:count].min():
                    # The higher end of a leaning capsule: the lowest point of its end ball is inside the cylinder.
                    assert -tolerance < depth < shapes[s]["dims"][0]
                else:
                    assert abs(depth) < tolerance, (NAMES[shapes[s]["kind"]], k, m)


@pytest.mark.parametrize("kinds_ab", PAIRS, ids="-".join)
@settings(max_examples=6, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_order_of_the_pair_does_not_matter(kinds_ab, seed):
    """(b, a) gives the same contact: the kernel's order of kinds rules, and equal kinds only turn the normal."""
    _, _, shapes, pairs = draw(seed, kinds_ab)
    turned = manifolds(shapes, np.ascontiguousarray(pairs[:, ::-1]))
    for m, w in zip(manifolds(shapes, pairs), turned):
        if kinds_ab[0] != kinds_ab[1]:
            assert m["count"] == w["count"] and (m["feature"] == w["feature"])[:m["count"]].all()
            assert (m["pos"] == w["pos"])[:m["count"]].all() and (m["gap"] == w["gap"])[:m["count"]].all()
            assert m["count"] == 0 or (m["normal"] == w["normal"]).all()
            continue
        assert (m["count"] > 0) == (w["count"] > 0)
        if m["count"]:
            tolerance = PRECISE[kinds_ab]
            assert m["gap"][:m["count"]].min() == pytest.approx(w["gap"][:w["count"]].min(), abs=2 * tolerance)
            if min(m["gap"][:m["count"]]) > 0.01:
                assert m["normal"] @ w["normal"] < -0.99


@pytest.mark.parametrize("kinds_ab", PAIRS, ids="-".join)
@settings(max_examples=6, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_rigid_motion(kinds_ab, seed):
    """Both moved as one: the same features, gaps and points."""
    rng, bodies, shapes, pairs = draw(seed, kinds_ab)
    before = manifolds(shapes, pairs)
    q, x = random_quat(rng), rng.normal(size=3)
    for body in bodies:
        body.pos[:] = matrix(q) @ body.pos + x
        body.quat[:] = multiply(q, body.quat)
    refresh(bodies, shapes)
    shapes["reach"] = 0.5 * FAR
    for m, w in zip(before, manifolds(shapes, pairs)):
        n = m["count"]
        assert n == w["count"]
        assert (m["feature"][:n] == w["feature"][:n]).all()
        assert np.allclose(m["gap"][:n], w["gap"][:n], atol=1e-9)
        if n:
            assert np.allclose(matrix(q) @ m["normal"], w["normal"], atol=1e-9)
            assert np.allclose(m["pos"][:n] @ matrix(q).T + x, w["pos"][:n], atol=1e-9)
