"""Where a friction impulse may be: the disc, or the regular k-gon with its first vertex along the first tangent.

The k-gon is the convex hull of mu p_n d_i, d_i = (cos 2 pi i/k, sin 2 pi i/k) (ST96 section 3): inscribed in the circle.
Facet i lies between vertices i and i + 1; its outward normal is (cos, sin) of (2 i + 1) pi / k, its distance from the
centre cos(pi/k). The 2-gon is the line between its vertices, for motion in a plane.

Maximal dissipation: p minimises 1/2 p'A p + w0'p over the set, w = A p + w0 the sliding velocity; equivalently, for any
rate r > 0, p = projection of (p - r w) on the set. That is what `project` is for.
"""

import math
from functools import cache

import numpy as np

from physics.core import quat
from physics.core.jit import inline, kernel, routine


@cache
def polygon(facets: int) -> np.ndarray:
    """Vertices and facet normals of the regular k-gon, shape (k, 4): (vertex x, y, normal x, y); (0, 4) is the circle.

    One array for all who ask: not to be changed.
    """
    table = np.zeros((facets, 4))
    _fill(table)
    return table


@kernel
def _fill(table):
    k = table.shape[0]
    for i in range(k):
        table[i, 0], table[i, 1] = _direction(2 * i, k)
        table[i, 2], table[i, 3] = _direction(2 * i + 1, k)


@routine
def _direction(half_steps, k):
    """(cos, sin) of half_steps * pi / k, by our own series (libm differs between machines), folded into a quarter turn."""
    x = math.pi * half_steps / k
    sign = 1.0
    if x > math.pi:
        x -= math.pi
        sign = -1.0
    if x > 0.5 * math.pi:
        y = x - 0.5 * math.pi
        return -sign * y * quat.sinc(y * y), sign * quat.cosine(y * y)
    return sign * quat.cosine(x * x), sign * x * quat.sinc(x * x)


@routine
def support(polygon, x, y):
    """sigma(x, y): the most that a point of the disc of radius 1, or of the k-gon in it, has along (x, y)."""
    if polygon.shape[0] == 0:
        return math.sqrt(x * x + y * y)
    most = 0.0
    for i in range(polygon.shape[0]):
        most = max(most, polygon[i, 0] * x + polygon[i, 1] * y)
    return most


@routine
def facet(polygon, x, y):
    """The facet whose sector holds (x, y): by bisection over the vertices of its half plane, ordered by angle."""
    k = polygon.shape[0]
    # within a half plane two directions are less than a half turn apart, so that the sign of their cross product orders them
    lo, hi = (0, (k + 1) // 2) if y >= 0.0 else (k // 2, k)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        if polygon[middle, 0] * y - polygon[middle, 1] * x >= 0.0:
            lo = middle
        else:
            hi = middle
    return lo


@routine
def inside(polygon, radius, x, y):
    """True if (x, y) is in the disc of that radius, or in the k-gon inscribed in it."""
    if polygon.shape[0] == 0:
        return x * x + y * y <= radius * radius
    apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    if x * x + y * y <= 0.999999 * apothem * apothem * radius * radius:     # inside the inscribed circle: no need to ask where
        return True
    i = facet(polygon, x, y)
    if polygon.shape[0] == 2 and abs(x) > radius:      # a line has ends, and both facets are along it
        return False
    return polygon[i, 2] * x + polygon[i, 3] * y <= radius * apothem


@routine
def project(polygon, radius, x, y):
    """The point of the disc, or of the k-gon, nearest to (x, y)."""
    if inside(polygon, radius, x, y):
        return x, y
    if polygon.shape[0] == 0:
        s = radius / math.sqrt(x * x + y * y)
        return s * x, s * y
    i = facet(polygon, x, y)
    nx, ny = polygon[i, 2], polygon[i, 3]
    apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    half = radius * math.sqrt(max(0.0, 1.0 - apothem * apothem))
    s = min(max(nx * y - ny * x, -half), half)
    return radius * apothem * nx - s * ny, radius * apothem * ny + s * nx


@inline
def kept(block, size):
    """Share of an impulse of that size that friction keeps: 1 inside the disc, the proximal point outside."""
    if size <= block.limit:
        return 1.0
    if block.viscous == 0.0:
        return block.limit / size
    return (block.viscous * size + block.rate * block.limit) / ((block.viscous + block.rate) * size)
