"""From what a person gives (a world point and axis, an inertia in any form) to what the records hold."""

from typing import Any

import numpy as np

from physics.check import numbers, said, vector
from physics.core.records import JOINT
from physics.errors import BadInput

_RECOMPUTE = "leave it out to have it computed from the shape"


def principal_inertia(what: str, inertia: Any) -> np.ndarray:
    """Inertia tensor (3, 3) [kg m^2] from principal moments (3,) or a tensor.

    Raises:
        BadInput: not symmetric, not positive definite, or moments that no body has (I1 + I2 < I3).
    """
    tensor = numbers(inertia)
    if tensor is None:
        raise BadInput(f"{what}: inertia = {said(inertia)} must be three moments or a 3 x 3 tensor")
    if tensor.shape == (3,):
        tensor = np.diag(tensor)
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        raise BadInput(f"{what}: inertia = {said(inertia)} must be three finite moments or a 3 x 3 tensor")
    if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=0.0):
        raise BadInput(f"{what}: the inertia tensor must be symmetric; {_RECOMPUTE}")
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] <= 0.0:
        raise BadInput(f"{what}: inertia must be positive definite; its smallest principal moment is {moments[0]:g} kg m^2; "
                       f"{_RECOMPUTE}")
    if moments[0] + moments[1] < moments[2] * (1.0 - 1e-9):
        raise BadInput(f"{what}: no body has principal moments {moments[0]:g}, {moments[1]:g}, {moments[2]:g} kg m^2: "
                       f"the two smaller ones must add up to at least the largest; {_RECOMPUTE}")
    return 0.5 * (tensor + tensor.T)


def inverse(tensor: np.ndarray) -> np.ndarray:
    """The inverse of a symmetric positive tensor (3, 3).

    Written out, L D L^T = tensor, because LAPACK's bits differ between machines; diagonal tensors give 1 / moments exactly.
    """
    a, b, c, d, e, f = (float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    p, q = b / a, c / a
    d1 = d - p * b
    r = (e - q * b) / d1
    d2 = f - q * c - r * r * d1
    m = p * r - q                       # L^-1 = ((1, 0, 0), (-p, 1, 0), (m, -r, 1))
    xy, xz, yz = -p / d1 - m * r / d2, m / d2, -r / d2
    return np.array([[1.0 / a + p * p / d1 + m * m / d2, xy, xz], [xy, 1.0 / d1 + r * r / d2, yz], [xz, yz, 1.0 / d2]])


def joint_record(what: str, a: np.void, b: np.void, anchor: Any, axis: Any, anchor_b: Any = None, axis_b: Any = None,
                 across: Any = None) -> np.void:
    """A JOINT record with anchors and frames, satisfied as the bodies stand where nothing is given for b.

    anchor, anchor_b: points, world frame [m]. axis, axis_b: z of the joint frames; across: the direction that x comes near to.
    """
    point = vector(f"{what}: anchor", anchor)
    points = point, point if anchor_b is None else vector(f"{what}: anchor_b", anchor_b)
    frame = _frame_along(f"{what}: axis", axis, across)
    frames = frame, frame if axis_b is None else _frame_along(f"{what}: axis_b", axis_b, across)
    record = np.zeros((), JOINT)
    for side, body, one, turn in zip("ab", (a, b), points, frames):
        inverse = body["quat"] * np.array([1.0, -1.0, -1.0, -1.0])
        record[f"anchor_{side}"] = rotate(inverse, one - body["pos"])
        record[f"frame_{side}"] = product(inverse, turn)
        record[f"rest_{side}"] = turn
    return record


def _frame_along(what: str, axis: Any, across: Any) -> np.ndarray:
    """The shortest turn from z to the axis, as a quaternion; then about it, until x is nearest to `across`."""
    axis = vector(what, axis)
    length = np.linalg.norm(axis)
    if length < 1e-9:
        raise BadInput(f"{what} = {tuple(axis.tolist())} has no direction")
    axis = axis / length
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    q = np.array([0.0, 1.0, 0.0, 0.0]) if axis[2] < -1.0 + 1e-12 else q / np.linalg.norm(q)
    if across is None:
        return q
    x, y = rotate(q, np.array([1.0, 0.0, 0.0])), rotate(q, np.array([0.0, 1.0, 0.0]))
    along = vector(f"{what} across", across)
    if np.linalg.norm(np.cross(along, axis)) < 1e-9 * max(1.0, np.linalg.norm(along)):
        raise BadInput(f"{what}: across = {tuple(along.tolist())} lies along the axis: give a direction across it")
    half = 0.5 * np.arctan2(along @ y, along @ x)
    return product(q, np.array([np.cos(half), 0.0, 0.0, np.sin(half)]))


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion of first q, then p."""
    w = p[0] * q[0] - (p[1] * q[1] + p[2] * q[2] + p[3] * q[3])
    return np.concatenate([[w], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A vector (3,) turned by a unit quaternion."""
    t = 2.0 * np.cross(q[1:], v)
    return v + q[0] * t + np.cross(q[1:], t)


def rotation(q: np.ndarray) -> np.ndarray:
    """Matrix (3, 3) of a unit quaternion."""
    return np.column_stack([rotate(q, axis) for axis in np.eye(3)])
