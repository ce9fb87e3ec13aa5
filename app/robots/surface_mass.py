"""Mass, centre and inertia of what a surface of triangles encloses, of the surface itself as a shell, and of a hull of points.

With the corners a, b, c of a triangle and s = a + b + c, over the tetrahedra of the origin and each triangle

    V = a . (b x c) / 6,    int x dV = V s / 4,    int x x^T dV = V (a a^T + b b^T + c c^T + s s^T) / 20               (1)

and over the triangles of area A themselves

    int x dA = A s / 3,     int x x^T dA = A (a a^T + b b^T + c c^T + s s^T) / 12                                      (2)
"""

from typing import NamedTuple

import numpy as np

MERGED = 1e-9
"""Share of the size within which corners are the same: programs write each triangle of an STL file by itself."""


class Moments(NamedTuple):
    """size: volume [m^3], or area [m^2] of a shell; centre (3,); inertia (3, 3) about it of density 1, along the same axes."""

    size: float
    centre: np.ndarray
    inertia: np.ndarray


def enclosed(vertices: np.ndarray, triangles: np.ndarray) -> Moments | None:
    """Moments of what a surface encloses; None: it is not closed, or encloses nothing."""
    if not is_closed(vertices, triangles):
        return None
    corners, middle = _corners(vertices, triangles)
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    whole = float(volumes.sum())
    if not abs(whole) > 1e-12 * np.abs(volumes).sum():
        return None
    return _summed(corners, volumes * np.sign(whole), 4.0, 20.0, middle)     # faces that all look inwards count as outwards


def shell(vertices: np.ndarray, triangles: np.ndarray) -> Moments | None:
    """Moments of the surface itself; None: it has no area."""
    corners, middle = _corners(vertices, triangles)
    if not len(corners):
        return None
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return _summed(corners, areas, 3.0, 12.0, middle) if areas.sum() > 0.0 else None


def hull_triangles(points: np.ndarray) -> np.ndarray | None:
    """Triangles (m, 3) of the convex hull of all points (n, 3); none: they are flat; None: nothing installed finds them."""
    try:
        from scipy.spatial import ConvexHull, QhullError  # late: only files whose meshes weigh something need it
    except ImportError:
        return None
    try:
        found = ConvexHull(points)
    except QhullError:
        return np.empty((0, 3), int)
    middle, triangles = points[found.vertices].mean(axis=0), found.simplices.astype(int)
    a, b, c = (points[triangles[:, k]] - middle for k in range(3))
    inwards = np.einsum("ij,ij->i", a, np.cross(b, c)) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles


def folded(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """The volume [m^3] of pyramids over all triangles with their tip in the middle of the surface, each counted as positive."""
    corners = vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    corners = corners - (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / areas.sum()
    return float(np.abs(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))).sum() / 6.0)


def is_closed(vertices: np.ndarray, triangles: np.ndarray) -> bool:
    """Whether each edge belongs to two triangles, which pass it in opposite directions."""
    if not len(triangles):
        return False
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    _, number = np.unique(np.round((vertices - vertices.min(axis=0)) / (MERGED * size)), axis=0, return_inverse=True)
    own = number.reshape(-1)[triangles].astype(np.int64)
    own = own[(own[:, 0] != own[:, 1]) & (own[:, 1] != own[:, 2]) & (own[:, 2] != own[:, 0])]
    start, end = own.ravel(), own[:, [1, 2, 0]].ravel()
    there, back = np.sort(start * len(vertices) + end), np.sort(end * len(vertices) + start)
    return bool(len(there)) and bool((np.diff(there) > 0).all()) and np.array_equal(there, back)


def _corners(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3, 3) of the triangles about the middle of the vertices, which keeps digits, and that middle."""
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    return (vertices - middle)[triangles], middle


def _summed(corners: np.ndarray, sizes: np.ndarray, by: float, by_square: float, middle: np.ndarray) -> Moments:
    """The sums (1) or (2); sizes (n,): V or A; by, by_square: their divisors."""
    total, sums = float(sizes.sum()), corners.sum(axis=1)
    centre = (sizes[:, None] * sums).sum(axis=0) / (by * total)
    second = np.einsum("i,ikp,ikq->pq", sizes, corners, corners) + np.einsum("i,ip,iq->pq", sizes, sums, sums)
    second = second / by_square - total * np.outer(centre, centre)
    return Moments(total, middle + centre, np.trace(second) * np.eye(3) - second)
