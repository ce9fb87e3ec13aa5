"""Conversion of user input (world points and axes, inertia in any form) to record fields."""

from typing import Any

import numpy as np

from physics.core.check import BadInput, numbers, shown_value, vector
from physics.core.quaternions import conjugate, product, rotate
from physics.core.records import JOINT

_RECOMPUTE = "omit it to compute it from the shape"


def principal_inertia(what: str, inertia: Any) -> np.ndarray:
    """Inertia tensor (3, 3) [kg m^2] from principal moments (3,) or a tensor.

    Raises:
        BadInput: not symmetric, not positive definite, or physically impossible moments (I1 + I2 < I3).
    """
    tensor = numbers(inertia)
    if tensor is None:
        raise BadInput(f"{what}: inertia = {shown_value(inertia)} must be three moments or a 3 x 3 tensor")
    if tensor.shape == (3,):
        tensor = np.diag(tensor)
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        raise BadInput(f"{what}: inertia = {shown_value(inertia)} must be three finite moments or a 3 x 3 tensor")
    if not (np.abs(tensor - tensor.T) <= 1e-9 * np.abs(tensor)).all():
        raise BadInput(f"{what}: the inertia tensor must be symmetric; {_RECOMPUTE}")
    moments = np.linalg.eigvalsh(tensor) if tensor[0, 1:].any() or tensor[1, 2] else sorted(tensor.diagonal().tolist())
    if moments[0] <= 0.0:
        raise BadInput(f"{what}: inertia must be positive definite; its smallest principal moment is {moments[0]:g} kg m^2; "
                       f"{_RECOMPUTE}")
    if moments[0] + moments[1] < moments[2] * (1.0 - 1e-9):
        raise BadInput(f"{what}: principal moments {moments[0]:g}, {moments[1]:g}, {moments[2]:g} kg m^2 are not physical: the "
                       f"two smaller ones must sum to at least the largest; {_RECOMPUTE}")
    return 0.5 * (tensor + tensor.T)


def inverse(tensor: np.ndarray) -> np.ndarray:
    """The inverse of a symmetric positive definite tensor (3, 3).

    Written out as L D L^T = tensor, because LAPACK's bits differ between machines; diagonal tensors give 1 / moments exactly.
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
    """A JOINT record with anchors and frames; if nothing is given for b, the bodies' present poses satisfy the joint.

    anchor, anchor_b: points, world frame [m]. axis, axis_b: z of the joint frames; across: direction that x is turned towards.
    """
    point = vector(f"{what}: anchor", anchor)
    points = point, point if anchor_b is None else vector(f"{what}: anchor_b", anchor_b)
    frame = _frame_along(f"{what}: axis", axis, across)
    frames = frame, frame if axis_b is None else _frame_along(f"{what}: axis_b", axis_b, across)
    record = np.zeros((), JOINT)
    for side, body, one, turn in zip("ab", (a, b), points, frames):
        inverse = conjugate(body["quat"])
        record[f"anchor_{side}"] = rotate(inverse, one - body["pos"])
        record[f"frame_{side}"] = product(inverse, turn)
        record[f"rest_{side}"] = turn
    return record


def _frame_along(what: str, axis: Any, across: Any) -> np.ndarray:
    """Quaternion of the shortest rotation from z to the axis, then one about it that brings x nearest to `across`."""
    axis = vector(what, axis)
    length = np.linalg.norm(axis)
    if length < 1e-9:
        raise BadInput(f"{what} = {tuple(axis.tolist())} has zero length")
    axis = axis / length
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    q = np.array([0.0, 1.0, 0.0, 0.0]) if axis[2] < -1.0 + 1e-12 else q / np.linalg.norm(q)
    if across is None:
        return q
    x, y = rotate(q, np.array([1.0, 0.0, 0.0])), rotate(q, np.array([0.0, 1.0, 0.0]))
    along = vector(f"{what} across", across)
    if np.linalg.norm(np.cross(along, axis)) < 1e-9 * max(1.0, np.linalg.norm(along)):
        raise BadInput(f"{what}: across = {tuple(along.tolist())} is parallel to the axis: give a direction perpendicular to it")
    half = 0.5 * np.arctan2(along @ y, along @ x)
    return product(q, np.array([np.cos(half), 0.0, 0.0, np.sin(half)]))
