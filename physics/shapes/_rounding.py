"""Moments that a ball of radius r, added all round, adds to a convex polytope (after Steiner's formula).

Over each face a prism of height r; over each edge, of length L, a sector of the angle t between the two normals; over each
corner the part of the ball cut out by the spherical polygon of its faces' normals a_k. With theta_k the angle a_k to a_k+1 and
b_k = a_k x a_k+1 / |..|, the moments of that polygon are (Arvo, Irradiance tensors, SIGGRAPH 1995)

    int u = sum theta_k b_k / 2,        int u u^T = (sigma 1 + sum tan(theta_k / 2) (a_k + a_k+1) b_k^T) / 3
"""

import math
from itertools import pairwise

import numpy as np

from physics.shapes._convex_hull import ConvexHull

Moments = tuple[float, np.ndarray, np.ndarray]
"""Volume, int x, int x x^T; about the origin of the points."""


def added(hull: ConvexHull, r: float) -> Moments:
    """The moments added by the ball."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for piece in (*_prisms(hull, r), *_sectors(hull, r), *_corners(hull, r)):
        volume, first, second = volume + piece[0], first + piece[1], second + piece[2]
    return volume, first, second


def _both(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.outer(x, y) + np.outer(y, x)


def _prisms(hull: ConvexHull, r: float):
    for corners in hull.points[hull.triangles]:
        p, q, s = corners
        across, total = np.cross(q - p, s - p), corners.sum(axis=0)
        area = 0.5 * np.linalg.norm(across)
        n = 0.5 * across / area
        flat = area / 12.0 * (corners.T @ corners + np.outer(total, total))
        yield (area * r, area * (r * total / 3.0 + 0.5 * r * r * n),
               r * flat + area * (r * r / 6.0 * _both(total, n) + r**3 / 3.0 * np.outer(n, n)))


def _sectors(hull: ConvexHull, r: float):
    face = {edge: f for f, loop in enumerate(hull.faces) for edge in zip(loop, [*loop[1:], loop[0]])}
    for (i, j), f in face.items():
        if i > j:
            continue
        p, q, n, other = hull.points[i], hull.points[j], hull.planes[f, :3], hull.planes[face[j, i], :3]
        length, t = np.linalg.norm(q - p), math.acos(min(max(float(n @ other), -1.0), 1.0))
        if t < 1e-12:
            continue
        m = (other - math.cos(t) * n) / math.sin(t)
        g = r**3 / 3.0 * (math.sin(t) * n + (1.0 - math.cos(t)) * m)
        wide, narrow = 0.5 * t + 0.25 * math.sin(2.0 * t), 0.5 * t - 0.25 * math.sin(2.0 * t)
        own = r**4 / 4.0 * (wide * np.outer(n, n) + 0.5 * math.sin(t) ** 2 * _both(n, m) + narrow * np.outer(m, m))
        line = length / 3.0 * (np.outer(p, p) + np.outer(q, q)) + length / 6.0 * _both(p, q)
        area = 0.5 * t * r * r
        yield area * length, length * (0.5 * area * (p + q) + g), area * line + 0.5 * length * _both(p + q, g) + length * own


def _corners(hull: ConvexHull, r: float):
    leaving = [{} for _ in hull.points]
    for f, loop in enumerate(hull.faces):
        for before, here, after in zip([loop[-1], *loop[:-1]], loop, [*loop[1:], loop[0]]):
            leaving[here][after] = (f, before)
    for v, fans in zip(hull.points, leaving):
        start = at = min(fans)
        normals = []
        while not normals or at != start:
            f, at = fans[at]
            normals.append(hull.planes[f, :3])
        sigma, u, uu = _polygon(np.array(normals))
        yield (sigma * r**3 / 3.0, sigma * r**3 / 3.0 * v + r**4 / 4.0 * u,
               sigma * r**3 / 3.0 * np.outer(v, v) + r**4 / 4.0 * _both(v, u) + r**5 / 5.0 * uu)


def _polygon(a: np.ndarray) -> Moments:
    """(solid angle, int u, int u u^T) of a spherical polygon, counter-clockwise seen from outside."""
    sigma, u, edges = 0.0, np.zeros(3), np.zeros((3, 3))
    for b, c in pairwise(a[1:]):
        sigma += 2.0 * math.atan2(a[0] @ np.cross(b, c), 1.0 + a[0] @ b + b @ c + c @ a[0])
    for here, there in zip(a, np.roll(a, -1, axis=0)):
        across = np.cross(here, there)
        size = np.linalg.norm(across)
        if size < 1e-12:
            continue
        theta = math.atan2(size, here @ there)
        u += 0.5 * theta * across / size
        edges += math.tan(0.5 * theta) * np.outer(here + there, across / size)
    second = (sigma * np.eye(3) + edges) / 3.0
    return sigma, u, 0.5 * (second + second.T)
