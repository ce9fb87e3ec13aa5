"""From manifolds to contacts: materials, order, and impulses handed from step to step."""

import numpy as np
import pytest

from physics.collide import broad, narrow
from physics.core.check import BadInput
from physics.core.records import CONTACT, MANIFOLD, Kind
from tests.tools.collide_tools import CONVEX, NAMES, NO_KEYS, PAIRS, UPRIGHT, pool, random_dims, random_quat, refresh, world

NOTHING = np.zeros(0, CONTACT)


def heap(seed=1, count=140):
    """All kinds in a crowd over a plane."""
    rng = np.random.default_rng(seed)
    items = [(Kind.STATIC, "plane", (0, 0, 0), (0, 0, 0), UPRIGHT)]
    for _ in range(count):
        name = rng.choice(["box", "sphere", "capsule", "cylinder", "hull", "cone", "ellipsoid"])
        items.append((Kind.DYNAMIC, name, tuple(0.5 * d for d in random_dims(rng, name)), rng.uniform(-1, 1, 3),
                      random_quat(rng)))
    bodies, shapes = world(items)
    shapes["friction"], shapes["restitution"] = rng.uniform(0, 1, (2, len(shapes)))
    refresh(bodies, shapes)
    return bodies, shapes, broad.find_pairs(bodies, shapes, NO_KEYS)


def same(a, b, fields=CONTACT.names):
    return len(a) == len(b) and all(np.array_equal(a[f], b[f]) for f in fields)


def charge(contacts, seed=2):
    """Give contacts impulses, as a solver would."""
    rng = np.random.default_rng(seed)
    contacts["warm_startable"] = 1
    contacts["impulse"] = rng.uniform(1, 2, len(contacts))
    f = rng.normal(size=(len(contacts), 3))
    along = (f * contacts["normal"]).sum(1)
    contacts["friction_impulse"] = f - along[:, None] * contacts["normal"]


def test_contacts_of_a_heap():
    """Bodies, materials, tangents; ordered by the pair whatever the kinds."""
    _, shapes, pairs = heap()
    contacts = narrow.find_contacts(shapes, pairs, NOTHING, pool())
    assert contacts.dtype == CONTACT
    kinds = {tuple(sorted((NAMES[shapes["kind"][c["shape_a"]]], NAMES[shapes["kind"][c["shape_b"]]]))) for c in contacts}
    assert kinds == {*PAIRS, *CONVEX}
    a, b = shapes[contacts["shape_a"]], shapes[contacts["shape_b"]]
    assert (contacts["body_a"] == a["body"]).all() and (contacts["body_b"] == b["body"]).all()
    assert contacts["friction"] == pytest.approx(np.sqrt(a["friction"] * b["friction"]))
    assert (contacts["restitution"] == np.maximum(a["restitution"], b["restitution"])).all()
    assert (a["kind"] <= b["kind"]).all()
    n, t = contacts["normal"], contacts["tangent"]
    assert (n * t).sum(1) == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(t, axis=1) == pytest.approx(1.0)
    for field in ("impulse", "friction_impulse", "slip", "approach", "case"):
        assert (contacts[field] == 0).all()
    low, high = np.minimum(contacts["shape_a"], contacts["shape_b"]), np.maximum(contacts["shape_a"], contacts["shape_b"])
    assert (np.diff(low.astype(np.int64) << 32 | high) >= 0).all()
    assert same(contacts, narrow.find_contacts(shapes.copy(), pairs.copy(), NOTHING, pool()))


def test_impulses_are_carried_over_from_any_order():
    """Each contact gets its own impulses back, also from a shuffled history."""
    _, shapes, pairs = heap()
    before = narrow.find_contacts(shapes, pairs, NOTHING, pool())
    charge(before)
    after = narrow.find_contacts(shapes, pairs, before, pool())
    assert (after["impulse"] == before["impulse"]).all()
    assert after["friction_impulse"] == pytest.approx(before["friction_impulse"], abs=1e-12)
    shuffled = before[np.random.default_rng(3).permutation(len(before))]
    assert same(after, narrow.find_contacts(shapes, pairs, shuffled, pool()))
    assert len(narrow.find_contacts(shapes, pairs[:0], before, pool())) == 0


def test_pairs_that_come_and_go():
    """New pairs start at zero, the others keep theirs."""
    _, shapes, pairs = heap()
    before = narrow.find_contacts(shapes, pairs[::2].copy(), NOTHING, pool())
    charge(before)
    after = narrow.find_contacts(shapes, pairs, before, pool())
    old = {(c["shape_a"], c["shape_b"], c["feature"]): c["impulse"] for c in before}
    assert [old.get((c["shape_a"], c["shape_b"], c["feature"]), 0.0) for c in after] == after["impulse"].tolist()
    assert 0 < np.count_nonzero(after["impulse"]) == len(before) < len(after)


def stacked():
    bodies, shapes = world([(Kind.DYNAMIC, "box", (0.5, 0.5, 0.5), (0, 0, z), UPRIGHT) for z in (0, 1)])
    refresh(bodies, shapes)
    pairs = np.array([[0, 1]], np.int32)
    return bodies, shapes, pairs, narrow.find_contacts(shapes, pairs, NOTHING, pool())


def test_friction_is_projected_on_the_new_plane():
    """After a tilt of both the friction impulse has no part along the new normal."""
    bodies, shapes, pairs, before = stacked()
    charge(before)
    bodies["quat"] = (np.cos(0.05), np.sin(0.05), 0, 0)
    bodies["pos"][1] = (0, -np.sin(0.1), np.cos(0.1))
    refresh(bodies, shapes)
    after = narrow.find_contacts(shapes, pairs, before, pool())
    assert (after["impulse"] == before["impulse"]).all()
    assert (after["friction_impulse"] * after["normal"]).sum(1) == pytest.approx(0.0, abs=1e-12)
    assert np.abs(after["friction_impulse"] - before["friction_impulse"]).max() > 1e-3


def test_unknown_features_inherit_from_the_nearest_point():
    """Renamed points hand on their impulses by nearness, each once; far ones do not."""
    _, shapes, pairs, before = stacked()
    charge(before)
    renamed = before.copy()
    renamed["feature"] += 1000
    assert (narrow.find_contacts(shapes, pairs, renamed, pool())["impulse"] == before["impulse"]).all()
    renamed["pos"] += (0.0, 0.0, 1.0)
    assert (narrow.find_contacts(shapes, pairs, renamed, pool())["impulse"] == 0.0).all()
    one = before[:1].copy()
    one["feature"] = -5
    impulses = narrow.find_contacts(shapes, pairs, one, pool())["impulse"]
    assert impulses.tolist() == [before["impulse"][0], 0, 0, 0]


def test_impulses_of_impacts_are_not_carried_over():
    """Impulses of contacts that are not warm are forgotten, by feature and by nearness."""
    _, shapes, pairs, before = stacked()
    charge(before)
    before["warm_startable"][1:] = 0
    assert narrow.find_contacts(shapes, pairs, before, pool())["impulse"].tolist() == [before["impulse"][0], 0, 0, 0]
    before["feature"] += 1000
    assert narrow.find_contacts(shapes, pairs, before, pool())["impulse"].tolist() == [before["impulse"][0], 0, 0, 0]


def test_chunks_do_not_change_the_result(monkeypatch):
    """The pairs taken a few at a time give the same contacts, warm start and growing room included."""
    _, shapes, pairs = heap()
    before = narrow.find_contacts(shapes, pairs, NOTHING, pool())
    charge(before)
    whole = narrow.find_contacts(shapes, pairs, before, pool())
    monkeypatch.setattr(narrow, "CHUNK", 7)
    assert same(whole, narrow.find_contacts(shapes, pairs, before, pool()))
    assert same(narrow.find_contacts(shapes, pairs, NOTHING, pool()), narrow.find_contacts(shapes, pairs, before[:0], pool()))


def test_impulses_of_another_body_are_not_carried_over():
    """A slot that passed to another body starts afresh."""
    _, shapes, pairs, before = stacked()
    charge(before)
    before["body_b"] = 7
    assert (narrow.find_contacts(shapes, pairs, before, pool())["impulse"] == 0.0).all()


def test_supported():
    """Every two kinds, in either order; two planes never meet because neither moves."""
    for a in NAMES:
        for b in NAMES:
            assert narrow.supported(a, b)
    assert not narrow.supported("box", "torus")
    bodies, shapes = world([(Kind.STATIC, "plane", (0, 0, 0), (0, 0, 0), UPRIGHT)] * 2)
    refresh(bodies, shapes)
    with pytest.raises(BadInput, match="plane"):
        narrow.find_contacts(shapes, np.array([[0, 1]], np.int32), NOTHING, pool())


def test_kernels_write_only_their_outputs():
    """Manifolds start poisoned: count, pair, and for each point position, gap, feature and the normal are overwritten."""
    _, shapes, pairs = heap()
    clean, place = narrow.find_manifolds(shapes, pairs, pool())
    for kinds_ab, (collide, geometric) in narrow._COLLIDERS.items():
        rows = [i for i, p in enumerate(pairs) if sorted(NAMES[k] for k in shapes["kind"][p]) == list(kinds_ab)]
        wanted = clean[place[rows]]
        ordered = np.stack([wanted["shape_a"], wanted["shape_b"]], 1).astype(np.int32)
        poisoned = np.frombuffer(b"\xff" * (MANIFOLD.itemsize * (len(rows) + 1)), MANIFOLD).copy()
        collide(shapes, ordered, poisoned[:-1], *([pool()] if geometric else []))
        for m, w in zip(poisoned, wanted):
            n = w["count"]
            assert (m["count"], m["shape_a"], m["shape_b"]) == (n, w["shape_a"], w["shape_b"])
            assert n == 0 or (m["normal"] == w["normal"]).all()
            for field in ("pos", "gap", "feature"):
                assert (m[field][:n] == w[field][:n]).all()
        assert poisoned[-1]["count"] == -1
