"""Bounding boxes and the broad phase: against brute force, over sizes 1 : 1000, and by the number of tests made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.collide import bounds, broad
from physics.collide import broad as filters
from physics.core.records import Kind
from tests.tools.collide_tools import NO_KEYS, UPRIGHT, lists, matrix, random_dims, random_quat, refresh, surface_distance, world


def may_touch(s):
    """Box2D's rule (b2Filter), written down once more, for all pairs (n, n)."""
    group, category = s["group"], np.where(s["category"] == 0, 1, s["category"]).astype(np.int64)
    mask = filters.ALL_CATEGORIES - s["ignores"].astype(np.int64)
    met = category[:, None] & mask != 0
    same = (group[:, None] == group) & (group != 0)
    return np.where(same, group > 0, met & met.T)


def brute(bodies, shapes, excluded=(), sensors=False):
    """All pairs by the definition."""
    s = shapes
    low, high = np.minimum(s["body"][:, None], s["body"]), np.maximum(s["body"][:, None], s["body"])
    dynamic, live = bodies["kind"][s["body"]] == Kind.DYNAMIC, s["body"] >= 0
    wanted = np.triu((s["lo"][:, None] <= s["hi"]).all(-1) & (s["lo"] <= s["hi"][:, None]).all(-1) & may_touch(s)
                     & live & live[:, None] & (low != high) & (dynamic | dynamic[:, None])
                     & ((s["active"] | s["active"][:, None]) != 0) & (s["sensor"] + s["sensor"][:, None] == sensors), 1)
    if len(excluded):
        wanted &= ~np.isin((low.astype(np.int64) << 32) + high, list(excluded))
    return np.argwhere(wanted).astype(np.int32)


def find(bodies, shapes, excluded=NO_KEYS, room=0):
    """From nothing: (pairs, sensed pairs, tests made)."""
    phase = broad.BroadPhase()
    pairs, sensed = phase.find(bodies, shapes, excluded, 0, room)
    return pairs, sensed, int(phase.work["tests"][0])


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
def test_pairs_match_brute_force(seed):
    """Sizes 1 : 1000 from crowded to sparse, with planes and excluded pairs; the smallest buffer grows."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1.0, 3.0, 1000.0])
    bodies, shapes = mixed(rng, 120, rng.choice([0.2, 1.0, 5.0]), sizes)
    refresh(bodies, shapes)
    all_pairs = brute(bodies, shapes)
    some = all_pairs[rng.random(len(all_pairs)) < 0.3]
    excluded = np.unique([(int(min(a, b)) << 32) + int(max(a, b)) for a, b in shapes["body"][some]]).astype(np.int64)
    wanted = brute(bodies, shapes, set(excluded.tolist()))
    found = broad.find_pairs(bodies, shapes, excluded)
    assert found.dtype == np.int32
    assert np.array_equal(found, wanted)
    assert np.array_equal(find(bodies, shapes, excluded, room=1)[0], wanted)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_filters_and_sensors_match_brute_force(seed):
    """Random groups, categories and masks, some of them zero; some shapes are sensors, some asleep."""
    rng = np.random.default_rng(seed)
    bodies, shapes = mixed(rng, 80, 0.5, 3.0)
    n = len(shapes)
    shapes["group"] = rng.choice([-2, -1, 0, 0, 0, 1, 2], n)
    shapes["category"] = rng.choice([0, 1, 2, 5, 1 << 31], n)
    shapes["ignores"] = rng.choice([0, 0, 1, 6, filters.ALL_CATEGORIES], n)
    shapes["sensor"] = rng.random(n) < 0.2
    refresh(bodies, shapes)
    shapes["active"] = rng.random(n) < 0.6
    pairs, sensed, _ = find(bodies, shapes)
    assert np.array_equal(pairs, brute(bodies, shapes))
    assert np.array_equal(sensed, brute(bodies, shapes, sensors=True))


@settings(max_examples=15, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_history_does_not_matter(seed):
    """Steps in which some move, some jump, some fall asleep or wake, some go: always the pairs of brute force."""
    rng = np.random.default_rng(seed)
    bodies, shapes = mixed(rng, 100, rng.choice([0.5, 2.0, 8.0]), rng.choice([1.0, 3.0, 100.0]))
    shapes["sensor"] = rng.random(len(shapes)) < 0.1
    phase, revision = broad.BroadPhase(), 0
    moving = bodies["kind"] == Kind.DYNAMIC
    share, speed = rng.choice([0.02, 0.2, 1.0]), rng.choice([0.001, 0.1])
    for _ in range(12):
        some = moving & (rng.random(len(bodies)) < share) & (bodies["asleep"] == 0)
        bodies["pos"][some] += rng.normal(size=(some.sum(), 3)) * speed
        if rng.random() < 0.2:
            bodies["pos"][rng.integers(len(bodies))] += rng.normal(size=3)
        if rng.random() < 0.3:
            bodies["asleep"] = np.where(moving & (rng.random(len(bodies)) < rng.choice([0.1, 0.9, 1.0])), 1, 0)
        if rng.random() < 0.2:
            shapes["body"][rng.integers(len(shapes))] = -1
            revision += 1
        refresh(bodies, shapes)
        pairs, sensed = phase.find(bodies, shapes, NO_KEYS, revision)
        assert np.array_equal(pairs, brute(bodies, shapes))
        assert np.array_equal(sensed, brute(bodies, shapes, sensors=True))


def test_a_full_buffer_is_never_overrun():
    """The search counts what does not fit and leaves what is behind the buffer alone."""
    bodies, shapes = world([(Kind.DYNAMIC, "sphere", (1.0, 0, 0), (0.01 * i, 0, 0), UPRIGHT) for i in range(60)])
    refresh(bodies, shapes)
    assert len(find(bodies, shapes, room=7)[0]) == 60 * 59 // 2
    phase = broad.BroadPhase()
    phase.find(bodies, shapes, NO_KEYS, 0)
    memory = np.full(20, -7, np.int64)
    phase._run(True, phase._loose[:60], phase._tags[:60], NO_KEYS, memory[:10])
    assert phase.work[0]["found"] == 60 * 59 // 2
    assert (memory[:10] >= 0).all() and (memory[10:] == -7).all()


def test_resting_pairs_are_not_searched_again():
    """A second step of a pile at rest compares no boxes; one that jumps is compared with its surroundings only."""
    bodies, shapes = world([(Kind.STATIC, "plane", (0, 0, 0), (0, 0, 0), UPRIGHT),
                            *((Kind.DYNAMIC, "box", (0.5, 0.5, 0.5), pos, UPRIGHT) for pos in pile(1000))])
    phase = broad.BroadPhase()
    for _ in range(2):
        refresh(bodies, shapes)
        phase.work["tests"] = 0
        phase.find(bodies, shapes, NO_KEYS, 0)
    assert phase.work["tests"] == 0
    bodies["pos"][500] += 0.3
    refresh(bodies, shapes)
    phase.find(bodies, shapes, NO_KEYS, 0)
    assert phase.work["moved"] == 1 and 0 < phase.work["tests"] < 200


def test_extreme_positions_are_handled():
    """Nothing, one shape, far away, not finite, points without extent."""
    bodies, shapes = world([(Kind.DYNAMIC, "box", (0.5, 0.5, 0.5), (0, 0, 0), UPRIGHT)] * 12)
    for where in (1e300, 1e15, -1e9, np.nan, np.inf):
        bodies["pos"][1:3] = where
        refresh(bodies, shapes)
        with np.errstate(invalid="ignore"):
            assert np.array_equal(broad.find_pairs(bodies, shapes, NO_KEYS), brute(bodies, shapes))
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
        pairs, _, tests = find(bodies, shapes)
        costs.append(tests / len(items))
        assert len(pairs) >= n // 3
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
    bounds.update(bodies, shapes, lists(shapes), margin, dt, np.array((0.0, 0.0, -9.81)))
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
