"""Height field: ground given by heights over a grid, solid down to its lowest point; for static and kinematic bodies.

Point (i, j) of the grid is at x = (i - (n - 1) / 2) dx, y = (j - (m - 1) / 2) dy, z = heights[i, j] in the frame of the body.
Each cell is split into two triangles by the diagonal from (i, j) to (i + 1, j + 1); triangle 2 c is the one with (i + 1, j),
2 c + 1 the one with (i, j + 1), of cell c = i (m - 1) + j.

Its geometry: integers: n, m; numbers: dx, dy, then the heights, row by row, less their middle. dims: half extents of the bounding
box; its own frame is at the centre of that box, which is `middle` in the frame of the body.
"""

import math
from typing import Any

import numpy as np

from physics.core.check import BadInput, number, numbers, shown_value
from physics.core.jit import inline, kernel, routine
from physics.shapes import Mesh, ShapeKind, box
from physics.shapes._geometry import ShapeGeometry, data
from physics.shapes._surface import flat_mesh, hit

MAX_TRIANGLES = 2_000_000
"""Largest number of triangles of one field."""


class HeightField:
    """heights: (n, m), at least 2 x 2 [m]. spacing: of the grid, one number or (dx, dy) [m].

    Raises:
        BadInput: too few or too many heights, one that is not finite (with its place), a spacing that is not positive.
    """

    kind = "height_field"

    def __init__(self, heights: Any, spacing: Any = 1.0) -> None:
        z = numbers(heights)
        if z is None:
            raise BadInput("the heights of a height field must be an array (n, m) of numbers")
        if z.ndim != 2 or min(z.shape) < 2:
            raise BadInput(f"the heights of a height field must be (n, m) with n, m >= 2, not {z.shape}")
        if 2 * (z.shape[0] - 1) * (z.shape[1] - 1) > MAX_TRIANGLES:
            raise BadInput(f"{z.shape} heights give more than {MAX_TRIANGLES:,} triangles (two per cell), the limit of a height "
                           "field: use a coarser grid")
        bad = np.argwhere(~(np.abs(z) <= 1e5))
        if len(bad):
            i, j = map(int, bad[0])
            raise BadInput(f"height ({i}, {j}) of the height field is {z[i, j]}: it must be finite and within 1e5 m")
        steps = spacing if isinstance(spacing, tuple | list | np.ndarray) else (spacing, spacing)
        if len(steps) != 2:
            raise BadInput(f"spacing = {shown_value(spacing)} must be one number or two (dx, dy)")
        dx, dy = (number("spacing of the height field", d, lo=1e-4, hi=1e4, unit="m") for d in steps)
        level = 0.5 * float(z.min() + z.max())
        self.middle = np.array([0.0, 0.0, level])
        self.dims = (0.5 * (z.shape[0] - 1) * dx, 0.5 * (z.shape[1] - 1) * dy, 0.5 * float(np.ptp(z)))
        self._data = data(integers=z.shape, numbers=np.concatenate([[dx, dy], (z - level).ravel()]))

    def volume(self) -> float:
        """Infinite: a surface has no mass [m^3]."""
        return math.inf

    def inertia(self, mass: float) -> np.ndarray:
        """A surface has none.

        Raises:
            BadInput: always.
        """
        raise BadInput("a height field has no finite mass: use it on a static or kinematic body")

    def geometry(self) -> ShapeGeometry:
        """Arrays for the world's pool."""
        return self._data

    def check(self, what: str) -> None:
        """No further checks: the constructor has checked everything."""


@kernel
def bounds(shapes, index, pool):
    """lo, hi of the listed fields: of the rotated bounding box."""
    box.bounds(shapes, index)


@inline
def point(n, m, numbers, first, i, j):
    """Grid point (i, j) in the own frame; the field's numbers start at `first`."""
    dx, dy = numbers[first], numbers[first + 1]
    return ((i - 0.5 * (n - 1)) * dx, (j - 0.5 * (m - 1)) * dy, numbers[first + 2 + i * m + j])


def mesh(own: ShapeGeometry) -> Mesh:
    """One normal per triangle."""
    n, m = (int(k) for k in own.integers)
    dx, dy = own.numbers[:2]
    x, y = np.meshgrid((np.arange(n) - 0.5 * (n - 1)) * dx, (np.arange(m) - 0.5 * (m - 1)) * dy, indexing="ij")
    i, j = np.meshgrid(np.arange(n - 1), np.arange(m - 1), indexing="ij")
    a = (i * m + j).ravel()
    triangles = np.stack([a, a + m, a + m + 1, a, a + m + 1, a + 1], axis=-1).reshape(-1, 3)
    return flat_mesh(own._replace(vertices=np.column_stack([x.ravel(), y.ravel(), own.numbers[2:]]), triangles=triangles))


@routine
def first_hit(n, m, numbers, first, origin, direction):
    """(distance along the direction, in its lengths, to the field whose numbers start at `first`, number of the triangle).

    From either side; inf, -1 if missed.

    Traverses the cells along the ray (Amanatides and Woo 1987).
    """
    dx, dy = numbers[first], numbers[first + 1]
    x, y = origin[0] / dx + 0.5 * (n - 1), origin[1] / dy + 0.5 * (m - 1)      # in cells
    u, v = direction[0] / dx, direction[1] / dy
    near, far = 0.0, np.inf
    for start, way, most in ((x, u, n - 1.0), (y, v, m - 1.0)):
        if way == 0.0:
            if start < 0.0 or start > most:
                return np.inf, -1
        else:
            near = max(near, min(-start / way, (most - start) / way))
            far = min(far, max(-start / way, (most - start) / way))
    if near > far:
        return np.inf, -1
    i = min(max(math.floor(x + near * u), 0), n - 2)
    j = min(max(math.floor(y + near * v), 0), m - 2)
    step_i, step_j = 1 if u > 0.0 else -1, 1 if v > 0.0 else -1
    next_i = np.inf if u == 0.0 else ((i + 1 if u > 0.0 else i) - x) / u
    next_j = np.inf if v == 0.0 else ((j + 1 if v > 0.0 else j) - y) / v
    while 0 <= i < n - 1 and 0 <= j < m - 1:
        a, b = point(n, m, numbers, first, i, j), point(n, m, numbers, first, i + 1, j + 1)
        low = hit(origin, direction, a, point(n, m, numbers, first, i + 1, j), b)
        high = hit(origin, direction, a, b, point(n, m, numbers, first, i, j + 1))
        if min(low, high) < np.inf:
            return min(low, high), 2 * (i * (m - 1) + j) + (0 if low <= high else 1)
        if next_i == np.inf and next_j == np.inf:
            return np.inf, -1
        if next_i <= next_j:
            i += step_i
            next_i += abs(1.0 / u)
        else:
            j += step_j
            next_j += abs(1.0 / v)
    return np.inf, -1


@kernel
def field_ray(n, m, numbers, origin, direction):
    """`first_hit` for Python callers."""
    return first_hit(n, m, numbers, 0, origin, direction)[0]


def wrong_with(own: ShapeGeometry) -> str:
    """What is wrong with a height field's arrays; "" for nothing."""
    if len(own.integers) != 2 or min(own.integers) < 2 or len(own.numbers) < 2:
        return "is not a grid"
    n, m = map(int, own.integers)
    if len(own.numbers) != 2 + n * m or 2 * (n - 1) * (m - 1) > MAX_TRIANGLES:
        return f"does not have the {n} x {m} heights that it declares"
    return "" if np.all((own.numbers[:2] >= 1e-4) & (own.numbers[:2] <= 1e4)) else "has a spacing outside 0.0001 .. 10000 m"


def stretched(own: ShapeGeometry, record: Any, factors: np.ndarray) -> HeightField:
    """A grid of stretched cells."""
    heights = own.numbers[2:].reshape(tuple(int(k) for k in own.integers))
    return HeightField(heights * factors[2], tuple(float(d) for d in own.numbers[:2] * factors[:2]))


def example(dims: Any) -> HeightField:
    """A level square."""
    return HeightField(np.zeros((2, 2)), (2.0 * float(dims[0]), 2.0 * float(dims[1])))


SHAPE = ShapeKind(make=example, bounds=bounds, mesh=mesh, geometric=True, solid=False, stretched=stretched,
                  wrong_with=wrong_with, order=90)
