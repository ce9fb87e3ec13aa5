"""Unit quaternions (w, x, y, z) in NumPy, of any leading shape. Kernels have their own (core/quat.py).

    p q        first q, then p                                        (1)
    v' = v + w t + u x t,   t = 2 u x v,   q = (w, u)                 (2)
"""

import math

import numpy as np


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The rotation q, then p, (..., 4), eq 1."""
    (w, x, y, z), (a, b, c, d) = (np.moveaxis(np.asarray(one, float), -1, 0) for one in (p, q))
    return np.stack(np.broadcast_arrays(w * a - (x * b + y * c + z * d), w * b + a * x + (y * d - z * c),
                                        w * c + a * y + (z * b - x * d), w * d + a * z + (x * c - y * b)), axis=-1)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse rotation (..., 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) rotated by q (..., 4), eq 2."""
    (w, x, y, z), (a, b, c) = (np.moveaxis(np.asarray(one, float), -1, 0) for one in (q, v))
    r, s, t = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack(np.broadcast_arrays(a + w * r + (y * t - z * s), b + w * s + (z * r - x * t), c + w * t + (x * s - y * r)),
                    axis=-1)


def turned_by(q: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Orientations (..., 4) after rotation by |turn| [rad] about the vectors turn (..., 3) of the world frame."""
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    return product(np.concatenate([np.cos(half), 0.5 * np.sinc(half / math.pi) * turn], axis=-1), q)


def to_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3)."""
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=-1)


def from_matrix(matrix: np.ndarray) -> np.ndarray:
    """Of a matrix (3, 3) whose columns are orthogonal, of any length; by the largest component."""
    m = matrix / np.linalg.norm(matrix, axis=0)
    squares = np.array([1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2],
                        1.0 - m[0, 0] + m[1, 1] - m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]])
    k, w = int(np.argmax(squares)), (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
    sums = (m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] + m[1, 2])
    rows = ((squares[0], *w), (w[0], squares[1], sums[0], sums[1]), (w[1], sums[0], squares[2], sums[2]),
            (w[2], sums[1], sums[2], squares[3]))
    return np.array(rows[k]) / (2.0 * math.sqrt(squares[k]))


def shortest_arc(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The smallest rotation that takes one unit vector (3,) to another."""
    half = np.concatenate([[1.0 + start @ end], np.cross(start, end)])
    size = float(np.linalg.norm(half))
    if size > 1e-9:
        return half / size
    across = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])       # half a turn about any axis across
    return np.concatenate([[0.0], across / np.linalg.norm(across)])
