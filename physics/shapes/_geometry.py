"""Geometry of shapes that three numbers cannot describe: one pool for a world, shared by equal shapes.

A shape provides its `ShapeGeometry`, in its own frame. The pool concatenates the arrays of all shapes; a GEOMETRY record holds
where those of one shape start and their lengths. SHAPE.geometry is the index of that record, -1 for a shape that needs none.
A pool is immutable: adding returns a new one, so that snapshots and frames keep theirs.

In a kernel, vertex i of a shape s is `pool.vertices[pool.table[s.geometry].vertex + i]`. The meaning of "integers", "numbers"
and "nodes" depends on the kind of shape and is given in its file.
"""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from physics.core.records import GEOMETRY, NODE


class ShapeGeometry(NamedTuple):
    """The arrays of one shape, in its own frame; all indices count from the shape's own first element.

    vertices: (n, 3) float64 [m]. triangles: (m, 3) int32, counter-clockwise seen from outside. integers: (k,) int32.
    numbers: (l,) float64. nodes: NODE (p,), the boxes of a tree.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    integers: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


class GeometryArrays(NamedTuple):
    """Arguments of kernels: GEOMETRY (g,), then the concatenated arrays of all shapes; fields as in `ShapeGeometry`."""

    table: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray
    integers: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


_RANGES = (("vertex", "vertices"), ("triangle", "triangles"), ("integer", "integers"), ("number", "numbers"),
           ("node", "nodes"))
"""For each array of ShapeGeometry: the GEOMETRY fields with its start and length."""


def data(vertices: np.ndarray = (), triangles: np.ndarray = (), integers: np.ndarray = (), numbers: np.ndarray = (),
         nodes: np.ndarray | None = None) -> ShapeGeometry:
    """`ShapeGeometry` with the types that kernels are compiled for; omitted arrays are empty."""
    return ShapeGeometry(np.array(vertices, np.float64).reshape(-1, 3), np.array(triangles, np.int32).reshape(-1, 3),
                         np.array(integers, np.int32).ravel(), np.array(numbers, np.float64).ravel(),
                         np.zeros(0, NODE) if nodes is None else np.array(nodes, NODE))


@dataclass(frozen=True)
class GeometryPool:
    """Geometry of a world. arrays: for kernels. keys: one a record, equal for equal data, in any pool."""

    arrays: GeometryArrays
    keys: tuple[bytes, ...]

    def add(self, new: ShapeGeometry) -> tuple["GeometryPool", int]:
        """(a pool that contains this geometry, its index); the same pool if it already does."""
        key = hashlib.sha256(b"".join(str(a.shape).encode() + a.tobytes() for a in new)).digest()
        if key in self.keys:
            return self, self.keys.index(key)
        record = np.zeros(1, GEOMETRY)
        for (first, count), old, more in zip(_RANGES, self.arrays[1:], new):
            record[first], record[count] = len(old), len(more)
        joined = (np.concatenate([old, more]) for old, more in zip(self.arrays, (record, *new)))
        return GeometryPool(GeometryArrays(*joined), (*self.keys, key)), len(self.keys)

    def data(self, index: int) -> ShapeGeometry:
        """The arrays of one shape (views)."""
        record = self.arrays.table[index]
        return ShapeGeometry(*(a[record[first]:record[first] + record[count]]
                               for (first, count), a in zip(_RANGES, self.arrays[1:])))


EMPTY = GeometryPool(GeometryArrays(np.zeros(0, GEOMETRY), *data()), ())
"""The pool of a world whose shapes need no geometry."""


def within(indices: np.ndarray, count: int) -> bool:
    """Whether all are indices of so many elements."""
    return bool(len(indices) == 0 or (indices.min() >= 0 and indices.max() < count))
