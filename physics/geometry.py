"""The geometry of shapes that three numbers cannot describe: one pool for a world, shared by equal shapes.

A shape brings its `Data`, in its own frame. The pool strings the arrays of all shapes together; a GEOMETRY record says where
those of one shape start and how many there are. SHAPE.geometry is the index of that record, -1 for a shape that needs none.
A pool never changes: adding gives a new one, so that snapshots and pictures keep theirs.

In a kernel, vertex i of a shape s is `pool.vertices[pool.table[s.geometry].vertex + i]`. What "integers", "numbers" and "nodes"
mean is the business of the kind of shape: its file says so.
"""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from physics.core.records import GEOMETRY, NODE


class Data(NamedTuple):
    """The arrays of one shape, in its own frame; all indices count from the shape's own first element.

    vertices: (n, 3) float64 [m]. triangles: (m, 3) int32, counter-clockwise seen from outside. integers: (k,) int32.
    numbers: (l,) float64. nodes: NODE (p,), the boxes of a tree.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    integers: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


class Geometry(NamedTuple):
    """What kernels get: GEOMETRY (g,), then the arrays of all shapes strung together; fields as in `Data`."""

    table: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray
    integers: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


_RANGES = (("vertex", "vertices"), ("triangle", "triangles"), ("integer", "integers"), ("number", "numbers"),
           ("node", "nodes"))
"""For each array of Data: the GEOMETRY fields that hold where it starts and how long it is."""


def data(vertices: np.ndarray = (), triangles: np.ndarray = (), integers: np.ndarray = (), numbers: np.ndarray = (),
         nodes: np.ndarray | None = None) -> Data:
    """`Data` with the types that kernels are compiled for; what is not given is empty."""
    return Data(np.array(vertices, np.float64).reshape(-1, 3), np.array(triangles, np.int32).reshape(-1, 3),
                np.array(integers, np.int32).ravel(), np.array(numbers, np.float64).ravel(),
                np.zeros(0, NODE) if nodes is None else np.array(nodes, NODE))


@dataclass(frozen=True)
class Pool:
    """The geometry of a world. arrays: for kernels. keys: one a record, equal for equal data, in any pool."""

    arrays: Geometry
    keys: tuple[bytes, ...]

    def add(self, new: Data) -> tuple["Pool", int]:
        """(a pool with this geometry in it, its index); the same pool if it is there already."""
        key = hashlib.sha256(b"".join(str(a.shape).encode() + a.tobytes() for a in new)).digest()
        if key in self.keys:
            return self, self.keys.index(key)
        record = np.zeros(1, GEOMETRY)
        for (first, count), old, more in zip(_RANGES, self.arrays[1:], new):
            record[first], record[count] = len(old), len(more)
        joined = (np.concatenate([old, more]) for old, more in zip(self.arrays, (record, *new)))
        return Pool(Geometry(*joined), (*self.keys, key)), len(self.keys)

    def data(self, index: int) -> Data:
        """The arrays of one shape (views)."""
        record = self.arrays.table[index]
        return Data(*(a[record[first]:record[first] + record[count]] for (first, count), a in zip(_RANGES, self.arrays[1:])))


EMPTY = Pool(Geometry(np.zeros(0, GEOMETRY), *data()), ())
"""The pool of a world whose shapes need no geometry."""
