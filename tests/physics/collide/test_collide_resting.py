"""Contacts that must hold still: resting boxes and capsules, ties, identical positions, deep overlap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.core.records import Kind
from tests.tools.collide_tools import (
    PAIRS,
    UPRIGHT,
    manifolds,
    random_dims,
    random_pairs,
    refresh,
    small_quat,
    support,
    world,
)

HALF_TURN = np.sqrt(0.5)
LYING = (HALF_TURN, 0.0, HALF_TURN, 0.0)      # the capsule's z along x
EIGHTH = (np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8))


def item(name, dims, pos, quat=UPRIGHT):
    return (Kind.STATIC if name == "plane" else Kind.DYNAMIC, name, dims, pos, quat)


CUBE = (0.5, 0.5, 0.5)
GROUND = item("plane", (0, 0, 0), (0, 0, 0))
RESTING = {
    "cube on plane": (item("box", CUBE, (0.3, 0, 0.5)), GROUND, 4),
    "plate on plane": (item("box", (0.5, 0.5, 0.005), (0, 0, 0.005)), GROUND, 4),
    "rod on plane": (item("box", (0.01, 1.0, 0.01), (0, 0, 0.01)), GROUND, 4),
    "crumb on plane": (item("box", (0.002, 0.002, 0.002), (0, 0, 0.002), LYING), GROUND, 4),
    "cube on its equal": (item("box", CUBE, (0, 0, 0)), item("box", CUBE, (0, 0, 1.0)), 4),
    "cube under its equal": (item("box", CUBE, (0, 0, 1.0)), item("box", CUBE, (0, 0, 0)), 4),
    "cube on slab": (item("box", (50, 50, 1), (0, 0, -1)), item("box", CUBE, (3, 4, 0.5)), 4),
    "brick on brick": (item("box", (1, 0.5, 0.25), (0, 0, 0)), item("box", (1, 0.5, 0.25), (1, 0, 0.5)), 4),
    "cube turned by 45 degrees": (item("box", CUBE, (0, 0, 0)), item("box", CUBE, (0, 0, 1.0), EIGHTH), 4),
    "cubes side by side": (item("box", CUBE, (0, 0, 0)), item("box", CUBE, (1.0, 0, 0)), 4),
    "plate on plate": (item("box", (0.5, 0.5, 0.005), (0, 0, 0)), item("box", (0.5, 0.5, 0.005), (0, 0, 0.01)), 4),
    "capsule on plane": (item("capsule", (0.2, 0.5, 0), (0, 0, 0.2), LYING), GROUND, 2),
    "capsule on box": (item("box", CUBE, (0, 0, -0.5)), item("capsule", (0.2, 0.3, 0), (0, 0, 0.2), LYING), 2),
    "capsule over a rim": (item("box", CUBE, (0, 0, -0.5)), item("capsule", (0.2, 0.5, 0), (0.4, 0, 0.2), LYING), 2),
    "capsule on a rail": (item("box", (2.0, 0.1, 0.1), (0, 0, 0), (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)),
                          item("capsule", (0.2, 0.5, 0), (0, 0, 0.2 + 0.1 * np.sqrt(2)), LYING), 2),
    "capsule along capsule": (item("capsule", (0.2, 0.5, 0), (0, 0, 0), LYING),
                              item("capsule", (0.2, 0.5, 0), (0.3, 0, 0.4), LYING), 2),
}


@pytest.mark.parametrize("name", RESTING)
@settings(max_examples=30, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), amount=st.sampled_from([0.0, 1e-15, 1e-9, 1e-6, 1e-4]))
def test_resting_contacts_do_not_move(name, seed, amount):
    """The same points with the same features and normal, whatever small tilts, shifts, gaps and overlaps there are."""
    a, b, count = RESTING[name]
    rng = np.random.default_rng(seed)
    bodies, shapes = world([a, b])
    pair = np.array([[0, 1]], np.int32)
    refresh(bodies, shapes)
    still = manifolds(shapes, pair)[0]
    assert still["count"] == count
    assert np.abs(still["gap"][:count]).max() < 1e-12
    size = shapes["dims"][0, 0] if "on plane" in name else 0.5
    for i in np.flatnonzero(bodies["kind"] == Kind.DYNAMIC):
        body = bodies[i]
        body.pos[:] += rng.normal(size=3) * amount * min(size, 0.1)
        tilt = small_quat(rng, amount * 0.05)
        w, v = tilt[0], tilt[1:]
        q = body.quat.copy()
        body.quat[0] = w * q[0] - v @ q[1:]
        body.quat[1:] = w * q[1:] + q[0] * v + np.cross(v, q[1:])
    old = shapes["pos"].copy()
    refresh(bodies, shapes)
    assert amount < 1e-15 or (shapes["pos"] != old).any()
    m = manifolds(shapes, pair)[0]
    assert m["count"] == count
    assert m["feature"].tolist() == still["feature"].tolist()
    assert m["normal"] @ still["normal"] > 1 - 1e-6
    assert np.allclose(m["pos"][:count], still["pos"][:count], atol=3e-3 * size)
    assert np.abs(m["gap"][:count]).max() <= 10 * amount + 1e-12


def test_a_resting_box_touches_with_its_corners():
    """All four lower corners of a cube, on a plane and on an equal cube."""
    for name in ("cube on plane", "cube on its equal"):
        a, b, _ = RESTING[name]
        bodies, shapes = world([a, b])
        refresh(bodies, shapes)
        m = manifolds(shapes, np.array([[0, 1]], np.int32))[0]
        middle = np.array([0.3, 0, 0]) if "plane" in name else np.array([0, 0, 0.5])
        corners = {tuple(np.round(p - middle, 9) + 0.0) for p in m["pos"]}
        assert corners == {(x, y, 0.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)}
        assert m["normal"].tolist() == ([0, 0, -1] if "plane" in name else [0, 0, 1])


@pytest.mark.parametrize("kinds_ab", PAIRS, ids="-".join)
def test_identical_positions(kinds_ab):
    """A finite unit normal, real depth, the same each time."""
    rng = np.random.default_rng(7)
    for quat in (UPRIGHT, LYING, EIGHTH):
        bodies, shapes = world([item(n, random_dims(rng, n), (1, 2, 3), quat) for n in kinds_ab])
        refresh(bodies, shapes)
        pair = np.array([[0, 1]], np.int32)
        m, again = manifolds(shapes, pair)[0], manifolds(shapes, pair)[0]
        n = m["count"]
        assert n > 0
        assert np.linalg.norm(m["normal"]) == pytest.approx(1.0)
        assert np.isfinite(m["pos"][:n]).all() and (m["gap"][:n] < 0.0).any()
        assert (m["normal"] == again["normal"]).all() and (m["pos"] == again["pos"])[:n].all()
        if "plane" not in kinds_ab:      # moved out along the normal by the depth, the shapes just touch
            depth = support(shapes[0], m["normal"]) + support(shapes[1], -m["normal"])
            assert m["gap"][:n].min() == pytest.approx(-depth, abs=1e-9)


def test_a_ball_inside_a_box_leaves_through_the_nearest_face():
    """Normal of the nearest face, depth to the surface plus the radius; continuous through the surface."""
    for z in (0.3, 0.5 - 1e-9, 0.5, 0.5 + 1e-9, 0.6):
        bodies, shapes = world([item("box", CUBE, (0, 0, 0)), item("sphere", (0.2, 0, 0), (0.1, 0.05, z))])
        refresh(bodies, shapes)
        m = manifolds(shapes, np.array([[0, 1]], np.int32))[0]
        assert m["normal"] == pytest.approx([0, 0, 1], abs=1e-6)
        assert m["gap"][0] == pytest.approx(z - 0.5 - 0.2, abs=1e-12)


def test_sliding_over_the_rim_never_loses_the_contact():
    """A brick pushed off another: the support stays under the overlap, the normal up, the gap even."""
    for x in np.linspace(0.0, 1.98, 400):
        bodies, shapes = world([item("box", (1, 0.5, 0.25), (0, 0, 0)), item("box", (1, 0.5, 0.25), (x, 0.01, 0.4999))])
        refresh(bodies, shapes)
        m = manifolds(shapes, np.array([[0, 1]], np.int32))[0]
        assert m["count"] == 4, x
        assert m["normal"].tolist() == [0, 0, 1]
        assert m["gap"] == pytest.approx(-1e-4, abs=1e-12)
        assert m["pos"][:, 0].min() == pytest.approx(x - 1, abs=1e-3)
        assert m["pos"][:, 0].max() == pytest.approx(1, abs=1e-3)


def test_four_points_of_eight_span_the_octagon():
    """A cube on a cube turned by 45 degrees: the four points enclose the middle and most of the common area."""
    a, b, _ = RESTING["cube turned by 45 degrees"]
    bodies, shapes = world([a, b])
    refresh(bodies, shapes)
    m = manifolds(shapes, np.array([[0, 1]], np.int32))[0]
    p = m["pos"][:, :2]
    angles = np.sort(np.arctan2(p[:, 1], p[:, 0]))
    assert np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < np.pi
    order = np.argsort(np.arctan2(p[:, 1], p[:, 0]))
    x, y = p[order].T
    assert 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) > 0.5


@pytest.mark.parametrize("way", [(1, 0, 1), (-1, 0, 1), (1, 0, -1), (0, 1, 1), (0, -1, 1), (0, -1, -1), (1, 1, 0), (1, -1, 0)])
def test_slivers_along_an_edge_are_no_contacts(way):
    """Diagonal neighbours in a wall without bond: none when they just meet, one apart, four once they really overlap."""
    for offset, count in ((0.0, 0), (-1e-5, 0), (0.005, 1), (-0.01, 4)):
        bodies, shapes = world([item("box", CUBE, (0, 0, 0)), item("box", CUBE, (1.0 + offset) * np.array(way))])
        refresh(bodies, shapes)
        m = manifolds(shapes, np.array([[0, 1]], np.int32))[0]
        assert m["count"] == count, offset
        if count == 1:
            assert m["normal"] == pytest.approx(np.array(way) / np.sqrt(2))
            assert m["gap"][0] == pytest.approx(offset * np.sqrt(2))


@settings(max_examples=30, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_features_survive_a_small_motion(seed):
    """Boxes in any overlap that move by 1e-7: nearly always the very same features (thresholds are rare)."""
    rng = np.random.default_rng(seed)
    bodies, shapes, pairs = random_pairs(rng, ("box", "box"), 40, spread=1.5)
    before = manifolds(shapes, pairs)
    bodies["pos"] += rng.normal(size=bodies["pos"].shape) * 1e-7
    refresh(bodies, shapes)
    after = manifolds(shapes, pairs)
    changed = sum(m["feature"][:m["count"]].tolist() != w["feature"][:w["count"]].tolist() for m, w in zip(before, after))
    assert np.count_nonzero(before["count"]) >= 10
    assert changed <= 1
