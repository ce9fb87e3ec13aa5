"""Validation of a pool of geometry: kernels use its numbers as indices without bounds checks.

The layouts are described in the files of the kinds: physics/shapes/hull.py, triangle_mesh.py, height_field.py, _tree.py.
"""

import numpy as np

from physics import shapes
from physics.core.check import BadInput
from physics.core.records import GEOMETRY
from physics.shapes import _geometry
from physics.shapes._geometry import GeometryPool, ShapeGeometry

MAX_VERTEX_DISTANCE = 1e6
"""Farthest vertex of a shape from its frame [m]."""

_RANGES = tuple(zip(GEOMETRY.names[::2], GEOMETRY.names[1::2], strict=True))
"""Where the elements of a record start, and how many there are, in each array of the pool."""


def check_pool(pool: GeometryPool) -> None:
    """Check that every record lies within the arrays of the pool, and that keys match the contents.

    Raises:
        BadInput: something does not; with the record.
    """
    arrays = pool.arrays
    check_arrays("the geometry pool", arrays[1:])
    table = arrays.table
    if not isinstance(table, np.ndarray) or table.dtype != GEOMETRY or table.ndim != 1:
        raise BadInput("the geometry pool has no table of its records")
    if len(pool.keys) != len(table):
        raise BadInput(f"the geometry pool has {len(table)} records and {len(pool.keys)} keys; the numbers must match")
    for (first, count), array in zip(_RANGES, arrays[1:], strict=True):
        start, length = table[first].astype(np.int64), table[count].astype(np.int64)
        bad = np.flatnonzero((start < 0) | (length < 0) | (start + length > len(array)))
        if len(bad):
            raise BadInput(f"geometry {bad[0]}: {first} = {start[bad[0]]}, {count} = {length[bad[0]]} are outside the "
                           f"{len(array)} available")
    for i, key in enumerate(pool.keys):
        if (key,) != _geometry.EMPTY.add(pool.data(i))[0].keys:
            raise BadInput(f"geometry {i}: its key does not match its values")


def check_arrays(what: str, data: tuple[np.ndarray, ...]) -> None:
    """Whether these are the arrays of a `ShapeGeometry`: types, shapes, finite numbers; else BadInput."""
    for name, array, like in zip(ShapeGeometry._fields, data, _geometry.data(), strict=True):
        good = isinstance(array, np.ndarray) and array.dtype == like.dtype and array.ndim == like.ndim
        if not good or array.shape[1:] != like.shape[1:] or not array.flags.c_contiguous:
            raise BadInput(f"{what}: its {name} have the wrong type or shape")
        for numbers in ([array[field] for field in ("lo", "hi")] if name == "nodes" else [array]):
            if not np.all(np.abs(numbers.astype(float)) <= (MAX_VERTEX_DISTANCE if name in ("vertices", "nodes", "numbers")
                                                            else np.inf)):
                raise BadInput(f"{what}: its {name} must be finite and within {MAX_VERTEX_DISTANCE:g}")


def check(what: str, kind: str, own: ShapeGeometry) -> None:
    """Whether the arrays of one shape are those of its kind.

    Raises:
        BadInput: they are not; starts with `what`.
    """
    wrong_with = shapes.kinds()[kind].wrong_with
    if wrong_with is None:
        raise BadInput(f"{what}: a {kind} has no geometry")
    if wrong := wrong_with(own):
        raise BadInput(f"{what}: the geometry of its {kind.replace('_', ' ')} {wrong}")
