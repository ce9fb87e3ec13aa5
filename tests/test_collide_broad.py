"""Bounding boxes and the broad phase: against brute force, over sizes 1 : 1000, and by the number of tests made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_collide_tools import NO_KEYS, UPRIGHT, lists, matrix, random_dims, random_quat, refresh, surface_distance, world

from physics.collide import bounds, broad
from physics.core.records import Kind


def brute(bodies, shapes, excluded):
    """All pairs by the definition."""
    pairs, n = [], len(shapes)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = shapes[i], shapes[j]
            if a["body"] < 0 or b["body"] < 0 or a["body"] == b["body"]:
                continue
            if Kind.DYNAMIC not in (bodies["kind"][a["body"]], bodies["kind"][b["body"]]):
                continue
            lo, hi = sorted((int(a["body"]), int(b["body"])))
            if (lo << 32) + hi in excluded:
                continue
            if (a["lo"] <= b["hi"]).all() and (b["lo"] <= a["hi"]).all():
                pairs.append((i, j))
    return np.array(pairs, np.int32).reshape(-1, 2)


def mixed(rng, count, extent, sizes=1000.0):
    """Boxes, balls, capsules of log-uniform size, two planes, some statics, some empty slots, bodies with two shapes."""
    items = [(Kind.STATIC, "plane", (0, 0, 0), rng.normal(size=3), random_quat(rng)) for _ in range(2)]
    for _ in range(count):
        name = rng.choice(["box", "sphere", "capsule"])
        scale = np.exp(rng.uniform(-np.log(sizes), 0.0))
        kind = rng.choice([Kind.STATIC, Kind.KINEMATIC, Kind.DYNAMIC], p=[0.2, 0.1, 0.7])
        dims = tuple(scale * d for d in random_dims(rng, name))
        items.append((kind, name, dims, rng.uniform(-extent, extent, 3), random_quat(rng)))
    bodies, shapes = world(items)
    shapes["body"][rng.random(len(shapes)) < 0.05] = -1
    for i in range(3, len(shapes), 7):
        if shapes["body"][i] >= 0 and shapes["body"][i - 1] >= 0:
            shapes["body"][i] = shapes["body"][i - 1]
    return bodies, shapes


@settings(max_examples=25, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_same_pairs_as_brute_force(seed):
    """Sizes 1 : 1000 from crowded to sparse, with planes and excluded pairs; the smallest buffer grows."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1.0, 3.0, 1000.0])
    bodies, shapes = mixed(rng, 120, rng.choice([0.2, 1.0, 5.0]), sizes)
    refresh(bodies, shapes)
    all_pairs = brute(bodies, shapes, ())
    some = all_pairs[rng.random(len(all_pairs)) < 0.3]
    excluded = np.unique([(int(min(a, b)) << 32) + int(max(a, b)) for a, b in shapes["body"][some]]).astype(np.int64)
    wanted = brute(bodies, shapes, set(excluded.tolist()))
    found = broad.find_pairs(bodies, shapes, excluded)
    assert found.dtype == np.int32
    assert (found == wanted).all()
    keys, _ = broad.find_keys(bodies, shapes, excluded, room=1)
    assert np.array_equal(keys, (wanted[:, 0].astype(np.int64) << 32) + wanted[:, 1])
    assert len(np.unique(keys)) == len(keys)


def test_a_full_buffer_is_never_overrun():
    """The search counts what does not fit and leaves what is behind the buffer alone."""
    bodies, shapes = world([(Kind.DYNAMIC, "sphere", (1.0, 0, 0), (0.01 * i, 0, 0), UPRIGHT) for i in range(60)])
    refresh(bodies, shapes)
    keys, _ = broad.find_keys(bodies, shapes, NO_KEYS, room=7)
    assert len(keys) == 60 * 59 // 2
    entries = np.zeros(60, broad.ENTRY)
    n = broad.collect(bodies, shapes, entries)
    cells, slots, first = np.empty((broad.GRIDS, 3)), np.empty(n, np.int64), np.empty(257, np.int64)
    hashed = broad.hash_cells(entries, n, cells, first, slots)
    work, memory = np.zeros(1, broad.WORK), np.full(20, -7, np.int64)
    broad.search(entries, n, hashed, cells, first, slots, NO_KEYS, work, memory[:10])
    assert work[0]["found"] == len(keys)
    assert (memory[:10] >= 0).all() and (memory[10:] == -7).all()


def test_strange_positions_are_survived():
    """Nothing, one shape, far away, not finite, points without extent."""
    bodies, shapes = world([(Kind.DYNAMIC, "box", (0.5, 0.5, 0.5), (0, 0, 0), UPRIGHT)] * 12)
    for where in (1e300, 1e15, -1e9, np.nan, np.inf):
        bodies["pos"][1:3] = where
        refresh(bodies, shapes)
        with np.errstate(invalid="ignore"):
            assert np.array_equal(broad.find_pairs(bodies, shapes, NO_KEYS), brute(bodies, shapes, ()))
    assert broad.find_pairs(bodies, shapes[:0], NO_KEYS).shape == (0, 2)
    assert broad.find_pairs(bodies, shapes[:1], NO_KEYS).shape == (0, 2)
    shapes["lo"] = shapes["hi"] = 0.0
    assert len(broad.find_pairs(bodies, shapes, NO_KEYS)) == 66


def pile(n):
    side = round(n ** (1 / 3))
    return [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]


def wall(n):
    rows = round((n / 2) ** 0.5)
    return [(1.0 * x + 0.5 * (z % 2), 0.0, 1.0 * z) for z in range(rows) for x in range(2 * rows)]


def wide(n):
    rng = np.random.default_rng(3)
    return [(x, y, 0.5) for x, y in rng.uniform(-5 * n**0.5, 5 * n**0.5, (n, 2))]


@pytest.mark.parametrize("arrange", [pile, wall, wide])
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_cost_per_body_does_not_grow(arrange, spread):
    """From 1000 to 20000 bodies on a plane and a slab, the tests per body stay within a factor of two."""
    costs = []
    for n in (1000, 20000):
        rng = np.random.default_rng(n)
        items = [(Kind.STATIC, "plane", (0, 0, 0), (0, 0, 0), UPRIGHT),
                 (Kind.STATIC, "box", (1000, 1000, 1), (0, 0, -1), UPRIGHT)]
        for pos in arrange(n):
            h = 0.5 * np.exp(-rng.uniform(0, np.log(spread)))
            items.append((Kind.DYNAMIC, "box", (h, h, h), pos, UPRIGHT))
        bodies, shapes = world(items)
        refresh(bodies, shapes)
        keys, tests = broad.find_keys(bodies, shapes, NO_KEYS)
        costs.append(tests / len(items))
        assert len(keys) >= n // 3
    assert costs[1] < 2.0 * costs[0] + 1.0, costs
    assert costs[1] < 250.0, costs


def test_bounds_hold_the_shape_and_its_motion():
    """A point of the shape that moves with the body through the step stays in the box; a static body reaches half a margin."""
    rng = np.random.default_rng(5)
    bodies, shapes = mixed(rng, 40, 3.0, 3.0)
    shapes["body"] = np.arange(len(shapes))
    shapes["local_pos"][2:] = rng.normal(size=(len(shapes) - 2, 3))
    shapes["local_quat"][2:] = [random_quat(rng) for _ in shapes[2:]]
    moving = bodies["kind"] != Kind.STATIC
    bodies["vel"][moving] = rng.normal(size=(moving.sum(), 3)) * 5
    bodies["omega"][moving] = rng.normal(size=(moving.sum(), 3)) * 5
    dt, margin = 0.02, 0.01
    bounds.update(bodies, shapes, lists(shapes), margin, dt, (0.0, 0.0, -9.81))
    for b, s in zip(bodies, shapes):
        assert s["rot"] == pytest.approx(matrix(b["quat"]) @ matrix(s["local_quat"]), abs=1e-12)
        assert s["pos"] == pytest.approx(b["pos"] + matrix(b["quat"]) @ s["local_pos"], abs=1e-12)
        if b["kind"] == Kind.STATIC:
            assert s["reach"] == 0.5 * margin
        if not np.isfinite(s["lo"]).all():
            continue
        for x in rng.uniform(s["lo"], s["hi"], (200, 3)):
            if surface_distance(s, x) > 0.0:
                continue
            arm = x - b["pos"]
            move = dt * (np.linalg.norm(b["vel"]) + np.linalg.norm(np.cross(b["omega"], arm)))
            if b["kind"] == Kind.DYNAMIC:
                move += 9.81 * dt * dt
            assert move + 0.5 * margin <= s["reach"] + 1e-12
            assert (s["lo"] <= x - s["reach"] + 1e-12).all() and (x + s["reach"] <= s["hi"] + 1e-12).all()


def test_reach_at_rest():
    """Half the margin, and for a dynamic body what gravity moves it in a step."""
    bodies, shapes = world([(kind, "sphere", (1, 0, 0), (0, 0, 0), UPRIGHT) for kind in list(Kind)[1:]])
    refresh(bodies, shapes, margin=0.02, dt=0.1, gravity=(3.0, 0.0, 4.0))
    assert shapes["reach"] == pytest.approx([0.01, 0.01, 0.01 + 5.0 * 0.1**2])


def test_the_same_input_gives_the_same_bits():
    """Twice, and with the order of everything else in memory changed."""
    bodies, shapes = mixed(np.random.default_rng(11), 200, 1.0)
    refresh(bodies, shapes)
    one = broad.find_pairs(bodies, shapes, NO_KEYS)
    assert len(one) > 100
    assert one.tobytes() == broad.find_pairs(bodies.copy(), shapes.copy(), NO_KEYS).tobytes()
    assert (np.diff((one[:, 0].astype(np.int64) << 32) + one[:, 1]) > 0).all()
