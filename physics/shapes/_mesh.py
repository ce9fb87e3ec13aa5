"""Drawing meshes: the unit sphere, with a doubled equator so that a capsule can be stretched from it; discs and sides."""

from collections.abc import Sequence

import numpy as np

from physics.shapes import Mesh


def latitude_longitude(slices: int = 32, stacks: int = 16) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(normals (n, 3), triangles (m, 3), side (n,)): side is +1 for the upper half, -1 for the lower one."""
    polar = np.linspace(0.0, np.pi, stacks + 1)
    middle = stacks // 2
    polar = np.concatenate([polar[: middle + 1], polar[middle:]])
    side = np.concatenate([np.ones(middle + 1), -np.ones(middle + 1)])
    azimuth = np.linspace(0.0, 2.0 * np.pi, slices + 1)
    sin_p, cos_p = np.sin(polar)[:, None], np.cos(polar)[:, None]
    normals = np.stack([sin_p * np.cos(azimuth), sin_p * np.sin(azimuth), cos_p + 0.0 * azimuth], axis=-1)
    rings, width = len(polar), slices + 1
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(slices), indexing="ij")
    a, b = i * width + j, (i + 1) * width + j
    triangles = np.concatenate([np.stack([a, b, b + 1], -1), np.stack([a, b + 1, a + 1], -1)]).reshape(-1, 3)
    return normals.reshape(-1, 3), triangles, np.repeat(side, width)


SLICES = 48
"""Slices of round meshes with sharp rims."""


def disc(z: Sequence[float], up: bool) -> Mesh:
    """A disc of radius dims[0] across z at the height z . dims, facing up or down."""
    angle = np.linspace(0.0, 2.0 * np.pi, SLICES, endpoint=False)
    basis = np.zeros((SLICES + 1, 3, 3))
    basis[1:, 0, 0], basis[1:, 1, 0] = np.cos(angle), np.sin(angle)
    basis[:, 2] = z
    j = np.arange(SLICES)
    a, b = 1 + j, 1 + (j + 1) % SLICES
    normals = np.tile((0.0, 0.0, 1.0 if up else -1.0), (SLICES + 1, 1))
    return Mesh(basis, normals, np.stack([0 * j, a, b] if up else [0 * j, b, a], -1))


def side(low: Sequence[float], high: Sequence[float], pointed: bool) -> Mesh:
    """The surface from the rim of radius dims[0] at the height low . dims up to a rim, or a point, at high . dims.

    The normals of a pointed one are those of a cone as high as its radius.
    """
    angle = np.linspace(0.0, 2.0 * np.pi, SLICES + 1)
    middle = angle + (np.pi / SLICES if pointed else 0.0)
    basis = np.zeros((2, SLICES + 1, 3, 3))
    basis[0, :, 0, 0], basis[0, :, 1, 0], basis[0, :, 2] = np.cos(angle), np.sin(angle), low
    basis[1, :, 2] = high
    if not pointed:
        basis[1, :, :2] = basis[0, :, :2]
    slope = 1.0 if pointed else 0.0
    normals = np.stack([np.stack([np.cos(a), np.sin(a), slope + 0.0 * a], -1) for a in (angle, middle)])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    j, top = np.arange(SLICES), SLICES + 1
    triangles = [np.stack([j, j + 1, top + j], -1)]
    if not pointed:
        triangles.append(np.stack([j + 1, top + j + 1, top + j], -1))
    return Mesh(basis.reshape(-1, 3, 3), normals.reshape(-1, 3), np.concatenate(triangles))


def joined(*meshes: Mesh, stretch: tuple[int, int, int] | None = None) -> Mesh:
    """Several meshes as one."""
    start = np.cumsum([0, *(len(m.basis) for m in meshes)])
    return Mesh(np.concatenate([m.basis for m in meshes]), np.concatenate([m.normals for m in meshes]),
                np.concatenate([m.triangles + n for m, n in zip(meshes, start)]), stretch)
