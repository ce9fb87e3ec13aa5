"""Triangle mesh: a surface without thickness that does not move by itself; for static and kinematic bodies.

Two-sided: a body that comes from either side is held on that side. With `solid` the triangles bound a volume, counter-clockwise
seen from outside, and push outwards only, so that a body inside by less than its own half size gets out. A surface that is closed
but faces inwards is turned; one that is open, or faces both ways, is refused: bodies would be pulled in.

Its geometry: triangles in the order of its tree; integers: 1 if solid, then for each triangle the neighbours across its edges
(corners 0-1, 1-2, 2-0; -1 at a rim); nodes: the tree (_tree.py). dims: half extents of the bounding box; its own frame is at
the centre of that box, which is `middle` in the frame of the vertices.
"""

import math
from typing import Any

import numpy as np

from physics.core.check import BadInput, flag, number, numbers
from physics.core.jit import kernel
from physics.shapes import ShapeKind, box
from physics.shapes._geometry import ShapeGeometry, data, within
from physics.shapes._surface import flat_mesh
from physics.shapes._tree import LEAF, morton, tree

MAX_TRIANGLES = 2_000_000
"""Largest number of triangles of one mesh."""
DEGENERATE_AREA = 1e-12
"""A triangle whose area is below this fraction of its longest edge squared is degenerate."""


class TriangleMesh:
    """vertices: (n, 3) [m], in the frame of the body. triangles: (m, 3) vertex numbers. solid: see the head of this file.

    Equal vertices are welded, degenerate triangles are dropped with one warning.

    Raises:
        BadInput: no triangles or too many, a vertex that is not finite, a vertex number out of range; with its number. A solid
            mesh that bounds no volume.
    """

    kind = "triangle_mesh"

    def __init__(self, vertices: Any, triangles: Any, solid: bool = False) -> None:
        points, faces = _checked(vertices, triangles)
        points, weld = np.unique(points + 0.0, axis=0, return_inverse=True)
        faces = weld.reshape(-1)[faces]
        a, b, c = (points[faces[:, k]] for k in range(3))
        longest = np.maximum(((b - a) ** 2).sum(1), np.maximum(((c - b) ** 2).sum(1), ((a - c) ** 2).sum(1)))
        flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) <= 2.0 * DEGENERATE_AREA * longest
        self.dropped = int(np.count_nonzero(flat))
        faces = faces[~flat]
        if len(faces) == 0:
            raise BadInput("all triangles of the mesh are degenerate: give at least one with a positive area")
        self.turned = flag("solid", solid) and _faces_inwards(points, faces)
        if self.turned:
            faces = faces[:, ::-1]
        used = np.unique(faces)
        self.middle = 0.5 * (points[used].min(axis=0) + points[used].max(axis=0))
        faces = faces[morton(points[faces].mean(axis=1))]
        corners = points[faces] - self.middle
        self._data = data(points - self.middle, faces, np.concatenate([[int(solid)], neighbours(faces).ravel()]),
                          nodes=tree(corners.min(axis=1), corners.max(axis=1)))
        self.dims = tuple(float(x) for x in np.abs(corners).max(axis=(0, 1)))

    def volume(self) -> float:
        """Infinite: a surface has no mass [m^3]."""
        return math.inf

    def inertia(self, mass: float) -> np.ndarray:
        """A surface has none.

        Raises:
            BadInput: always.
        """
        raise BadInput("a triangle mesh is a surface and has no mass: use it on a static or kinematic body")

    def geometry(self) -> ShapeGeometry:
        """Arrays for the world's pool."""
        return self._data

    def note(self) -> str:
        """Message for the world that gets this shape; "" for none."""
        dropped = f"{self.dropped} degenerate triangles of the mesh were removed" if self.dropped else ""
        turned = "the triangles of the solid mesh faced inwards and were turned" if self.turned else ""
        return "; ".join(filter(None, (dropped, turned)))

    def check(self, what: str) -> None:
        """No further checks: the constructor has checked everything."""
        for d in self.dims:
            number(f"{what}: half an extent of its triangle mesh", d, lo=0.0, hi=1e5, unit="m")


def _checked(vertices: Any, triangles: Any) -> tuple[np.ndarray, np.ndarray]:
    """Convert to checked arrays (n, 3) float64 and (m, 3) int64."""
    points, given = numbers(vertices), numbers(triangles)
    if points is None or given is None or not (np.abs(given) < 2.0**53).all():
        raise BadInput("a triangle mesh needs vertices (n, 3) and triangles (m, 3) of numbers")
    faces = given.astype(np.int64)
    if points.ndim != 2 or points.shape[1:] != (3,) or faces.ndim != 2 or faces.shape[1:] != (3,) or (faces != given).any():
        raise BadInput(f"a triangle mesh needs vertices (n, 3) and integer indices (m, 3), not {points.shape} and {given.shape}")
    if not 1 <= len(faces) <= MAX_TRIANGLES:
        raise BadInput(f"a triangle mesh must have 1 .. {MAX_TRIANGLES:,} triangles, not {len(faces):,}: split it or make it "
                       "coarser")
    bad = np.flatnonzero(~(np.abs(points) <= 1e5).all(axis=1))
    if len(bad):
        raise BadInput(f"vertex {bad[0]} of the triangle mesh is {tuple(points[bad[0]])}: it must be finite and within 1e5 m")
    bad = np.flatnonzero(((faces < 0) | (faces >= len(points))).any(axis=1))
    if len(bad):
        raise BadInput(f"triangle {bad[0]} of the mesh refers to vertices {tuple(map(int, faces[bad[0]]))}, but there are "
                       f"{len(points)}; allowed: 0 .. {len(points) - 1}")
    return points, faces


def _faces_inwards(points: np.ndarray, faces: np.ndarray) -> bool:
    """Whether the triangles (m, 3) of a solid face into it; BadInput where they bound none."""
    start, end = faces.ravel(), faces[:, (1, 2, 0)].ravel()
    _, edge, each = np.unique(np.minimum(start, end) * len(points) + np.maximum(start, end), return_inverse=True,
                              return_counts=True)
    if (rims := int(np.count_nonzero(each % 2))):
        raise BadInput(f"the triangle mesh is not closed and cannot be solid: {rims} of its edges have a triangle on one side "
                       "only; close it in a mesh editor, or leave out solid")
    if (crossed := int(np.count_nonzero(np.bincount(edge, np.where(start < end, 1.0, -1.0))))):
        raise BadInput(f"the triangle mesh faces both ways and cannot be solid: at {crossed} of its edges one triangle is "
                       "clockwise and the other is not; make its normals consistent in a mesh editor, or leave out solid")
    a, b, c = (points[faces[:, k]] - points[faces[0, 0]] for k in range(3))
    return bool(np.einsum("ij,ij->", a, np.cross(b, c)) < 0.0)


def neighbours(faces: np.ndarray) -> np.ndarray:
    """The triangle across each edge (corners 0-1, 1-2, 2-0), (m, 3); -1 at a rim. Of more than two the first two are paired."""
    start, end = faces, faces[:, (1, 2, 0)]
    low, high = np.minimum(start, end).ravel(), np.maximum(start, end).ravel()
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    run = np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])])
    head = np.maximum.accumulate(np.where(run, np.arange(len(low)), 0))
    second = np.flatnonzero(np.arange(len(low)) - head == 1)
    out = np.full(len(low), -1, np.int64)
    out[order[second]], out[order[second - 1]] = order[second - 1] // 3, order[second] // 3
    return out.reshape(-1, 3)


@kernel
def bounds(shapes, index, pool):
    """lo, hi of the listed meshes: of the rotated bounding box."""
    box.bounds(shapes, index)


def wrong_with(own: ShapeGeometry) -> str:
    """What is wrong with a mesh's arrays; "" for nothing."""
    m, integers = len(own.triangles), own.integers
    if not 1 <= m <= MAX_TRIANGLES or not within(own.triangles, len(own.vertices)):
        return "refers to vertices that do not exist"
    if len(integers) != 1 + 3 * m or integers[0] not in (0, 1) or not within(integers[1:] + np.int64(1), m + 1):
        return "refers to triangles that do not exist"
    nodes = len(own.nodes)
    first, count = own.nodes["first"].astype(np.int64), own.nodes["count"].astype(np.int64)
    leaf = count > 0
    good = np.where(leaf, (first >= 0) & (count <= LEAF) & (first + count <= m), (first > np.arange(nodes)) & (first <= nodes))
    if nodes < 1 or not np.all(good & (count >= 0)) or count[leaf].sum() != m or not leaf[-1]:
        return "has a tree with indices out of range"
    return ""


def stretched(own: ShapeGeometry, record: Any, factors: np.ndarray) -> TriangleMesh:
    """The same triangles of stretched vertices."""
    return TriangleMesh(own.vertices * factors, own.triangles, bool(own.integers[0]))


def example(dims: Any) -> TriangleMesh:
    """A level square of two triangles."""
    x, y = float(dims[0]), float(dims[1])
    return TriangleMesh([(-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)], [(0, 1, 2), (0, 2, 3)])


SHAPE = ShapeKind(make=example, bounds=bounds, mesh=flat_mesh, geometric=True, solid=False, stretched=stretched,
                  wrong_with=wrong_with, order=80)
