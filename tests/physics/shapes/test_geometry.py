"""The pool of geometry: concatenated, shared, immutable."""

import numpy as np

from physics import World
from physics.core.records import NODE
from physics.shapes import _geometry

TRIANGLE = _geometry.data([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], numbers=[3.0])
SQUARE = _geometry.data([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], integers=[5, 6],
                        nodes=np.ones(2, NODE))


def test_geometries_are_concatenated():
    one, a = _geometry.EMPTY.add(TRIANGLE)
    two, b = one.add(SQUARE)
    assert (a, b) == (0, 1) and len(two.arrays.vertices) == 7
    record = two.arrays.table[b]
    assert (record["vertex"], record["vertices"], record["triangle"], record["triangles"]) == (3, 4, 1, 2)
    for index, given in ((a, TRIANGLE), (b, SQUARE)):
        for back, array in zip(two.data(index), given):
            assert np.array_equal(back, array) and back.dtype == array.dtype


def test_equal_geometry_is_shared_and_pools_are_immutable():
    one, a = _geometry.EMPTY.add(TRIANGLE)
    two, b = one.add(SQUARE)
    three, c = two.add(_geometry.data(*(np.array(x) for x in TRIANGLE)))
    assert three is two and c == a != b
    assert len(one.arrays.vertices) == 3 and len(_geometry.EMPTY.arrays.vertices) == 0
    other, first = _geometry.EMPTY.add(SQUARE)
    assert other.keys[first] == two.keys[b]


def test_the_pool_has_one_type():
    full, _ = _geometry.EMPTY.add(SQUARE)
    for empty, used in zip(_geometry.EMPTY.arrays, full.arrays):
        assert (empty.dtype, empty.ndim) == (used.dtype, used.ndim) and used.flags.c_contiguous


def test_a_snapshot_keeps_its_pool():
    world = World()
    before = world.snapshot()
    world.pool, _ = world.pool.add(TRIANGLE)
    assert len(before.pool.keys) == 0
    world.restore(before)
    assert len(world.pool.keys) == 0
