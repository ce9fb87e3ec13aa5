"""The only importer of pyrr: camera matrices on plain arrays, with guards where pyrr gives NaN.

pyrr's matrices act on row vectors; ours act on columns (clip = P @ V @ point), so each is transposed here and nowhere else.
"""

import math
import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pyrr's docstrings have invalid escapes, which Python reports on compilation
    from pyrr import matrix44

TINY = 1e-12


def unit(vector: np.ndarray, fallback: np.ndarray) -> np.ndarray:
    """`vector` with length 1; `fallback` if it has no usable length. Shapes (3,)."""
    vector = np.asarray(vector, float)
    length = float(np.linalg.norm(vector))
    if not math.isfinite(length) or length < TINY:
        return np.asarray(fallback, float)
    return vector / length


def look_at(eye: np.ndarray, target: np.ndarray, up: np.ndarray) -> np.ndarray:
    """World to camera, shape (4, 4), for column vectors; x right, y up, -z forward.

    Eye at the target looks along +y; an `up` parallel to the view is replaced by another axis.
    """
    eye = np.asarray(eye, float)
    forward = unit(np.asarray(target, float) - eye, np.array([0.0, 1.0, 0.0]))
    up = unit(up, np.array([0.0, 0.0, 1.0]))
    right = cross(forward, up)
    if math.hypot(*right) < 1e-6:
        right = cross(forward, np.eye(3)[int(np.argmin(np.abs(forward)))])
    right = unit(right, np.array([1.0, 0.0, 0.0]))
    out = np.eye(4)
    out[:3, :3] = right, cross(right, forward), -forward
    out[:3, 3] = -out[:3, :3] @ eye
    return out


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of two vectors (3,); numpy's own takes longer than the rest of the camera."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def perspective(fov: float, aspect: float, near: float, far: float) -> np.ndarray:
    """OpenGL clip matrix, shape (4, 4), for column vectors. fov: vertical [degrees]; near, far [m]."""
    fov = min(max(fov, 1.0), 170.0)
    aspect = aspect if math.isfinite(aspect) and aspect > 1e-3 else 1.0
    near = max(near, 1e-6)
    far = max(far, near * 1.01)
    return np.asarray(matrix44.create_perspective_projection(fov, aspect, near, far), float).T


def orthographic(half_width: float, half_height: float, near: float, far: float) -> np.ndarray:
    """OpenGL clip matrix of a box about the view axis, shape (4, 4), for column vectors [m]."""
    half_width, half_height = max(half_width, 1e-6), max(half_height, 1e-6)
    far = far if far - near > 1e-6 else near + 1e-6
    return np.asarray(matrix44.create_orthogonal_projection(
        -half_width, half_width, -half_height, half_height, near, far), float).T
