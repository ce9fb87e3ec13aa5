"""The unit sphere as a latitude-longitude mesh, with a doubled equator so that a capsule can be pulled out of it."""

import numpy as np


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
