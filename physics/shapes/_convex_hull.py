"""Convex hull of points: faces with any number of corners, vertices, neighbours. Runs once per shape, in NumPy.

Quickhull (Barber, Dobkin, Huhdanpaa 1996): starting from a tetrahedron of extreme points, the point farthest outside replaces the
triangles visible from it, or coplanar with it, by a fan over their rim. Points no farther outside than HULL_TOLERANCE times the
size are omitted. Then triangles coplanar within COPLANAR times the size are merged into one face, and points inside a face or
an edge are dropped.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

HULL_TOLERANCE = 1e-10
COPLANAR = 1e-7


class FlatHull(ValueError):
    """All points lie in one plane (or on one line, or at one place); carries the thickness of the set across it [m]."""

    def __init__(self, thickness: float) -> None:
        super().__init__(f"the points are flat within {thickness:g}")
        self.thickness = thickness


class ConvexHull(NamedTuple):
    """points: (n, 3), the vertices. faces: loops of vertex numbers, counter-clockwise from outside. planes: (f, 4), outward unit
    normals and offsets n . x of the faces. triangles: (m, 3), the faces split into fans."""

    points: np.ndarray
    faces: list[list[int]]
    planes: np.ndarray
    triangles: np.ndarray


def convex_hull(points: np.ndarray) -> ConvexHull:
    """The hull of points (n, 3), n >= 4.

    Raises:
        FlatHull: they span no volume.
    """
    size = float(np.ptp(points, axis=0).max())
    triangles, planes = _triangulate(points, _first_four(points, size), HULL_TOLERANCE * size)
    loops = [_loop(points[:, :], triangles[group]) for group in _level_groups(points, triangles, planes, COPLANAR * size)]
    met = np.bincount([i for loop in loops for i in loop], minlength=len(points))
    loops = [[i for i in loop if met[i] >= 3] for loop in loops]
    used = np.flatnonzero(met >= 3)
    number = {int(i): k for k, i in enumerate(used)}
    faces = [[number[i] for i in loop] for loop in loops if len(loop) >= 3]
    if len(faces) < 4:      # all that there is counts as one face
        raise FlatHull(float(np.ptp(points @ planes[:, :3].T, axis=0).min()))
    vertices = points[used]
    planes = np.array([_plane(vertices[face]) for face in faces])
    fans = np.array([(face[0], a, b) for face in faces for a, b in pairwise(face[1:])], np.int32)
    return ConvexHull(vertices, faces, planes, fans)


def _first_four(points: np.ndarray, size: float) -> list[int]:
    """Numbers of four points that span a large volume."""
    i = int(np.argmin(points[:, 0]))
    j = int(np.argmax(np.linalg.norm(points - points[i], axis=1)))
    along = points[j] - points[i]
    length = np.linalg.norm(along)
    if length == 0.0:
        raise FlatHull(0.0)
    off = np.linalg.norm(np.cross(points - points[i], along / length), axis=1)
    k = int(np.argmax(off))
    if off[k] <= HULL_TOLERANCE * size:
        raise FlatHull(float(off[k]))
    normal = np.cross(along, points[k] - points[i])
    height = (points - points[i]) @ (normal / np.linalg.norm(normal))
    m = int(np.argmax(np.abs(height)))
    if abs(height[m]) <= 10.0 * HULL_TOLERANCE * size:
        raise FlatHull(float(np.ptp(height)))
    return [i, j, k, m] if height[m] < 0.0 else [i, k, j, m]


def _planes(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    p, q, r = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.column_stack([normals, np.einsum("ij,ij->i", normals, p)])


def _triangulate(points: np.ndarray, four: list[int], tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """(triangles (m, 3), their planes (m, 4))."""
    a, b, c, d = four
    triangles = np.array([(a, b, c), (a, d, b), (b, d, c), (c, d, a)])
    planes = _planes(points, triangles)
    rest = np.setdiff1d(np.arange(len(points)), four)
    while len(rest):
        height = points[rest] @ planes[:, :3].T - planes[:, 3]
        outside = height.max(axis=1)
        far = int(np.argmax(outside))
        if outside[far] <= tolerance:
            break
        top, seen = rest[far], _connected(triangles, height[far] > -tolerance, int(np.argmax(height[far])))
        fan = np.array([(u, v, top) for u, v in _rim(triangles[seen])])
        keep = outside > tolerance
        keep[far] = False
        rest = rest[keep]
        triangles = np.concatenate([triangles[~seen], fan])
        planes = np.concatenate([planes[~seen], _planes(points, fan)])
    return triangles, planes


def _connected(triangles: np.ndarray, wanted: np.ndarray, first: int) -> np.ndarray:
    """Mask of the wanted triangles connected to the first one, which is wanted, too."""
    index = np.flatnonzero(wanted)
    edges = {n: _edges(corners) for n, corners in zip(index.tolist(), triangles[index].tolist())}
    across = {edge: n for n, own in edges.items() for edge in own}
    found, stack = np.zeros(len(triangles), bool), [first]
    found[first] = True
    while stack:
        for u, v in edges[stack.pop()]:
            other = across.get((v, u), -1)
            if other >= 0 and not found[other]:
                found[other] = True
                stack.append(other)
    return found


def _rim(triangles: np.ndarray) -> list[tuple[int, int]]:
    """Directed edges of a patch that no other triangle of it shares."""
    edges = {edge for corners in triangles.tolist() for edge in _edges(corners)}
    return sorted(e for e in edges if (e[1], e[0]) not in edges)


def _edges(corners: list[int]) -> tuple[tuple[int, int], ...]:
    """Directed edges of a triangle. Plain integers: numpy takes longer for three of them than for the whole mesh."""
    a, b, c = corners
    return (a, b), (b, c), (c, a)


def _level_groups(points: np.ndarray, triangles: np.ndarray, planes: np.ndarray, tolerance: float) -> list[np.ndarray]:
    """Group neighbouring triangles that are coplanar with the largest among them, one group a face."""
    p, q, r = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(q - p, r - p), axis=1)
    free, groups = np.ones(len(triangles), bool), []
    for first in np.argsort(-area, kind="stable"):
        if not free[first]:
            continue
        off = np.abs(points[triangles] @ planes[first, :3] - planes[first, 3]).max(axis=1)
        group = _connected(triangles, free & (off <= tolerance) & (planes[:, :3] @ planes[first, :3] > 0.0), int(first))
        free &= ~group
        groups.append(np.flatnonzero(group))
    return groups


def _loop(points: np.ndarray, triangles: np.ndarray) -> list[int]:
    """The rim of a patch as one loop of point numbers, starting with the lowest."""
    after = dict(_rim(triangles))
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return loop


def _plane(corners: np.ndarray) -> np.ndarray:
    """Unit normal and offset of a polygon (Newell): (4,)."""
    middle = corners.mean(axis=0)
    d = corners - middle
    normal = np.cross(d, np.roll(d, -1, axis=0)).sum(axis=0)
    normal /= np.linalg.norm(normal, axis=0)     # with an axis it calls no BLAS, whose bits differ between machines
    return np.append(normal, np.max((corners * normal).sum(axis=1)))
