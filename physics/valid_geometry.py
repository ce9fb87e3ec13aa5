"""Whether a pool of geometry is one that shapes made: kernels follow its numbers as indices and check no bounds.

The layouts are told in the files of the kinds: physics/shapes/hull.py, triangle_mesh.py, height_field.py, _tree.py.
"""

from collections.abc import Callable

import numpy as np

from physics import geometry
from physics.core.records import GEOMETRY
from physics.errors import BadInput
from physics.geometry import Data, Pool
from physics.shapes import height_field, hull, triangle_mesh
from physics.shapes._tree import LEAF

FAR = 1e6
"""Farthest vertex of a shape from its frame [m]."""

_RANGES = tuple(zip(GEOMETRY.names[::2], GEOMETRY.names[1::2], strict=True))
"""Where the elements of a record start, and how many there are, in each array of the pool."""


def check_pool(pool: Pool) -> None:
    """Whether every record of the pool lies within its arrays, and its keys are those of what is there.

    Raises:
        BadInput: something does not; with the record.
    """
    arrays = pool.arrays
    check_arrays("the pool of geometry", arrays[1:])
    table = arrays.table
    if not isinstance(table, np.ndarray) or table.dtype != GEOMETRY or table.ndim != 1:
        raise BadInput("the pool of geometry has no table of its records")
    if len(pool.keys) != len(table):
        raise BadInput(f"the pool of geometry has {len(table)} records and {len(pool.keys)} keys: each has one")
    for (first, count), array in zip(_RANGES, arrays[1:], strict=True):
        start, length = table[first].astype(np.int64), table[count].astype(np.int64)
        bad = np.flatnonzero((start < 0) | (length < 0) | (start + length > len(array)))
        if len(bad):
            raise BadInput(f"geometry {bad[0]}: {first} = {start[bad[0]]}, {count} = {length[bad[0]]} lie outside the "
                           f"{len(array)} that there are")
    for i, key in enumerate(pool.keys):
        if (key,) != geometry.EMPTY.add(pool.data(i))[0].keys:
            raise BadInput(f"geometry {i}: its key is not that of its numbers")


def check_arrays(what: str, data: tuple[np.ndarray, ...]) -> None:
    """Whether these are the arrays of a `Data`: types, shapes, finite numbers; else BadInput."""
    for name, array, like in zip(Data._fields, data, geometry.data(), strict=True):
        good = isinstance(array, np.ndarray) and array.dtype == like.dtype and array.ndim == like.ndim
        if not good or array.shape[1:] != like.shape[1:] or not array.flags.c_contiguous:
            raise BadInput(f"{what}: its {name} are not of the type and shape that they must be")
        for numbers in ([array[field] for field in ("lo", "hi")] if name == "nodes" else [array]):
            if not np.all(np.abs(numbers.astype(float)) <= (FAR if name in ("vertices", "nodes", "numbers") else np.inf)):
                raise BadInput(f"{what}: its {name} must be finite and within {FAR:g}")


def check(what: str, kind: str, own: Data) -> None:
    """Whether the arrays of one shape are those of its kind.

    Raises:
        BadInput: they are not; starts with `what`.
    """
    if kind not in _KINDS:
        raise BadInput(f"{what}: a {kind} has no geometry")
    if wrong := _KINDS[kind](own):
        raise BadInput(f"{what}: the geometry of its {kind.replace('_', ' ')} {wrong}")


def _hull(own: Data) -> str:
    n, integers = len(own.vertices), own.integers.astype(np.int64)
    if not 4 <= n <= hull.MOST or not len(own.triangles) or not _within(own.triangles, n):
        return "names vertices that it has not"
    faces = int(integers[0]) if len(integers) > 1 else 0
    if not 4 <= faces <= 2 * n or len(own.numbers) != 4 * faces or integers[1] != faces + 3:
        return "has another number of faces than of planes"
    begin = faces + n + 4                   # of the first loop, behind two counts and the starts
    starts = integers[2:begin]
    if len(starts) != faces + n + 2 or starts[0] != begin or starts[faces] != starts[faces + 1] or starts[-1] != len(integers):
        return "has lists that do not follow one another"
    lengths = np.delete(np.diff(starts), faces)
    if np.any(lengths < 3) or np.any(lengths > n) or not _within(integers[begin:], n):
        return "has a face or a vertex with neighbours that are not there"
    normals = own.numbers.reshape(-1, 4)[:, :3]
    return "" if np.all(np.abs((normals**2).sum(axis=1) - 1.0) < 1e-6) else "has a normal that is no unit vector"


def _mesh(own: Data) -> str:
    m, integers = len(own.triangles), own.integers
    if not 1 <= m <= triangle_mesh.MOST or not _within(own.triangles, len(own.vertices)):
        return "names vertices that it has not"
    if len(integers) != 1 + 3 * m or integers[0] not in (0, 1) or not _within(integers[1:] + np.int64(1), m + 1):
        return "names triangles that it has not"
    nodes = len(own.nodes)
    first, count = own.nodes["first"].astype(np.int64), own.nodes["count"].astype(np.int64)
    leaf = count > 0
    good = np.where(leaf, (first >= 0) & (count <= LEAF) & (first + count <= m), (first > np.arange(nodes)) & (first <= nodes))
    if nodes < 1 or not np.all(good & (count >= 0)) or count[leaf].sum() != m or not leaf[-1]:
        return "has a tree that leads out of it"
    return ""


def _field(own: Data) -> str:
    if len(own.integers) != 2 or min(own.integers) < 2 or len(own.numbers) < 2:
        return "is no grid"
    n, m = map(int, own.integers)
    if len(own.numbers) != 2 + n * m or 2 * (n - 1) * (m - 1) > height_field.MOST:
        return f"has not the {n} x {m} heights that it tells of"
    return "" if np.all((own.numbers[:2] >= 1e-4) & (own.numbers[:2] <= 1e4)) else "has a spacing out of 0.0001 .. 10000 m"


_KINDS: dict[str, Callable[[Data], str]] = {"hull": _hull, "triangle_mesh": _mesh, "height_field": _field}
"""What is wrong with the arrays of a kind of shape; "" for nothing."""


def _within(indices: np.ndarray, count: int) -> bool:
    return bool(len(indices) == 0 or (indices.min() >= 0 and indices.max() < count))
