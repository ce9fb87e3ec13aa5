"""Shape cache: reused for unchanged shapes, rebuilt after changes."""

from dataclasses import replace

import numpy as np
import pytest

from app.render.scene import shape_cache
from app.render.scene.transforms import BodyTransforms
from physics import Hull
from physics.core.records import Kind, copy_of
from physics.shapes._geometry import EMPTY
from tests.tools.handmade import KINDS, frame

ONE = (1, 0, 0, 0)


def some():
    return frame([("plane", (0, 0, 0), (0, 0, 0), ONE, Kind.STATIC), ("box", (0.3, 0.2, 0.1), (1, 2, 3), ONE, Kind.DYNAMIC),
                  ("sphere", (0.5, 0, 0), (0, 0, 1), ONE, Kind.DYNAMIC)])


def changed(f, name, row, value):
    table = copy_of(f.shapes)
    table[name][row] = value
    return replace(f, shapes=table)


def test_a_step_keeps_the_cached_build():
    f = some()
    first = shape_cache.cached(f)
    for name, value in (("pos", 7.0), ("rot", 0.5), ("lo", -3.0), ("reach", 0.1)):
        assert shape_cache.cached(changed(f, name, 1, value)) is first
    moved = replace(f, bodies=f.bodies.copy(), shapes=copy_of(f.shapes))
    moved.bodies["pos"][2] = (4, 5, 6)
    assert shape_cache.cached(moved) is first and BodyTransforms(moved).pos[1] == pytest.approx([4, 5, 6])


@pytest.mark.parametrize(("name", "value"), [("dims", 0.4), ("body", -1), ("kind", KINDS.index("capsule")), ("local_pos", 1.0),
                                             ("local_quat", 0.5), ("rounding", 0.05)])
def test_changes_of_a_shape_are_detected(name, value):
    f = some()
    first, other = shape_cache.cached(f), shape_cache.cached(changed(f, name, 1, value))
    assert other is not first and shape_cache.cached(f) is first
    assert first.radii[1] == pytest.approx(np.linalg.norm((0.3, 0.2, 0.1)))
    assert len(other.index) == (2 if name == "body" else 3)


def test_typical_radius_ignores_planes():
    known = shape_cache.cached(some())
    assert known.bounded.tolist() == [1, 2] and np.isinf(known.radii[0])
    assert known.typical_radius == np.mean(known.radii[1:]) and known.radii[2] >= 0.5
    assert shape_cache.cached(frame([])).typical_radius == 0.5


def test_the_cache_is_bounded_by_the_shown_shapes():
    for k in range(2 * shape_cache.MAX_CACHED):
        shape_cache.cached(changed(some(), "dims", 2, 1.0 + k))
    assert len(shape_cache.cached_shapes) == shape_cache.MAX_CACHED


def test_the_cached_meshes_of_geometries_are_bounded(monkeypatch):
    """Each change of a geometry makes a mesh: a session that changed heights of a terrain for long kept all of them."""
    def mesh(size: float) -> object:
        pool, index = EMPTY.add(Hull([(0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]).geometry())
        return shape_cache.own_mesh("hull", pool, index)

    first = mesh(1.0)
    assert mesh(1.0) is first
    monkeypatch.setattr(shape_cache, "own_meshes", {})
    monkeypatch.setattr(shape_cache, "MAX_MESH_BYTES", 3 * shape_cache.size_of(first))
    made = [mesh(1.0 + k) for k in range(8)]
    assert [id(kept) for kept in shape_cache.own_meshes.values()] == [id(one) for one in made[-3:]] and mesh(8.0) is made[-1]
    monkeypatch.setattr(shape_cache, "MAX_MESH_BYTES", 0)
    assert mesh(9.0) is mesh(9.0) and len(shape_cache.own_meshes) == 1
