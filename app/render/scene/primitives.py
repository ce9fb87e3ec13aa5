"""Meshes of the overlays: arrow, quad, sector, cone. numpy only."""

import math
from itertools import pairwise

import numpy as np

MeshArrays = tuple[np.ndarray, tuple[int, ...], np.ndarray]
"""Vertices (n, f), sizes of their attributes, triangles (m, 3)."""

CONE_FACETS = 64
"""Facets of a mesh for the circular cone."""


def quad() -> MeshArrays:
    """Corners (+-1, +-1)."""
    return np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float), (2,), np.array([(0, 1, 2), (0, 2, 3)])


def sector(parts: int = 48) -> MeshArrays:
    """A strip from (0, 0) to (1, 1), subdivided along its first direction; sector.vert bends it."""
    t = np.repeat(np.linspace(0.0, 1.0, parts + 1), 2)
    vertices = np.column_stack([t, np.tile([0.0, 1.0], parts + 1)])
    k = 2 * np.arange(parts)
    return vertices, (2,), np.concatenate([np.stack([k, k + 1, k + 3], -1), np.stack([k, k + 3, k + 2], -1)])


SLICES, STACKS = 32, 16
"""Of the latitude-longitude meshes of the shapes (physics/shapes/_mesh.py)."""


def thinned(triangles: np.ndarray, vertices: int, step: int) -> np.ndarray | None:
    """Triangles of a latitude-longitude mesh with a doubled equator that use every step-th slice and stack of its vertices.

    None: it is another kind of mesh, which cannot be thinned (step 1: the triangles themselves).
    """
    if step == 1:
        return triangles
    half, width = STACKS // 2, SLICES + 1
    if vertices != (STACKS + 2) * width or len(triangles) != 2 * SLICES * (STACKS + 1):
        return None
    rings = np.concatenate([np.arange(0, half + 1, step), np.arange(half + 1, STACKS + 2, step)])
    i, j = np.meshgrid(np.arange(len(rings) - 1), np.arange(0, SLICES, step), indexing="ij")
    a, b = rings[i] * width + j, rings[i + 1] * width + j
    return np.concatenate([np.stack([a, b, b + step], -1), np.stack([a, b + step, a + step], -1)]).reshape(-1, 3)


def arrow(sides: int = 12) -> MeshArrays:
    """Rings of an arrow: foot, end of the shaft, rim of the head (twice), tip; see arrow.vert."""
    rings = np.array([(0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 1, 1)], float)
    angle = np.linspace(0.0, 2.0 * math.pi, sides, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    vertices = np.concatenate([np.hstack([circle, np.tile(ring, (sides, 1))]) for ring in rings])
    j = np.arange(sides)
    k = (j + 1) % sides
    triangles = []
    for ring in range(len(rings) - 1):
        a, b = ring * sides, (ring + 1) * sides
        triangles += [np.stack([a + j, a + k, b + k], -1), np.stack([a + j, b + k, b + j], -1)]
    return vertices, (2, 4), np.concatenate(triangles)


def cone(facets: int) -> MeshArrays:
    """A pyramid without its base: `facets` faces, the first vertex at angle 0; 0 facets: the round cone.

    Each vertex: (cos, sin, 1 on the rim or 0 at the apex), then its barycentric corner.
    """
    sides = CONE_FACETS if facets < 3 else facets
    angle = 2.0 * math.pi * np.arange(sides + 1) / sides
    vertices = []
    for a, b in pairwise(angle):
        vertices += [(math.cos(a), math.sin(a), 0, 1, 0, 0), (math.cos(a), math.sin(a), 1, 0, 1, 0),
                     (math.cos(b), math.sin(b), 1, 0, 0, 1)]
    return np.array(vertices, float), (3, 3), np.arange(3 * sides).reshape(-1, 3)
