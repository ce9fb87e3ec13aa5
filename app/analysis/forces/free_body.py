"""Free-body diagram of one body: its outline seen from a side, the forces on it, their sum and m a.

Contacts of one neighbour may be joined: forces f_i at x_i about the centre c become one force at one point and a remaining
couple,

    F = sum f_i,   x = sum |f_i| x_i / sum |f_i|,   couple = sum t_i - (x - c) x F                                (1)

The view plane contains gravity and most of the other forces: up is against gravity, and to the right is the principal
direction of the forces' components across it, the largest eigenvector of
principal direction of what is left of the forces across it, the largest eigenvector of

    S = sum h h',   h = f - (f . up) up                                                                            (2)

or the world's x or y axis if that is nearly the same.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from app.analysis.forces.force_balance import ROUNDING_SHARE, Force, ForceBalance
from app.engine.frame import Frame
from app.i18n.message import message
from app.number_format import rounded
from physics import shapes
from physics.core.quaternions import to_matrix

VIEW_DIRECTIONS = ("chosen", "x z", "y z", "x y", "camera")
"""Viewing directions of a diagram. chosen: by (2)."""

AXIS_COS = np.cos(np.radians(12.0))
"""Above this cosine a direction is replaced by the world's axis."""

LEFT_BY_PARTS = 0.05
"""Share of the largest force up to which a step in several parts leaves a remainder of (1) of force_balance.py."""

MAX_OUTLINES = 30
"""Largest number of shapes of a body whose outlines are drawn."""


@dataclass(frozen=True)
class Side:
    """A viewing direction: unit vectors to the right, up and towards the viewer (3,); name: in words."""

    right: np.ndarray
    up: np.ndarray
    towards: np.ndarray
    name: str

    def flat(self, vectors: np.ndarray) -> np.ndarray:
        """Project vectors (..., 3) to (..., 2)."""
        return np.asarray(vectors) @ np.array([self.right, self.up]).T


@dataclass(frozen=True)
class Arrow:
    """One force of the diagram. couple: torque not explained by the force at its point, about the axis towards the viewer,
    right-handed [N m]; force (3,) [N], point (3,) [m]; parts: number of joined forces; indices: of the contacts, or the joint."""

    source: str
    name: str
    other: int
    indices: tuple[int, ...]
    point: np.ndarray
    force: np.ndarray
    couple: np.ndarray
    parts: int = 1

    @property
    def size(self) -> float:
        """Magnitude of the force [N]."""
        return float(np.linalg.norm(self.force))


def arrows(balance: ForceBalance, joined: bool) -> tuple[Arrow, ...]:
    """Forces above rounding, largest first; joined: those of one neighbour and source combined by (1)."""
    found = [Arrow(f.source, f.name, f.other, (f.index,) if f.index >= 0 else (), f.point, f.force, _couple(balance, f))
             for f in balance.forces]
    if joined:
        groups: dict[tuple, list[int]] = {}
        for k, force in enumerate(balance.forces):
            apart = k if force.index < 0 or force.source in ("joint", "drag") else -1
            groups.setdefault((force.source, force.other, apart), []).append(k)
        found = [_joined(balance, [found[k] for k in group]) for group in groups.values()]
    force, couple = (max((float(np.linalg.norm(v)) for v in vectors), default=0.0)
                     for vectors in ([a.force for a in found], [a.couple for a in found]))
    kept = [a for a in found if a.size > ROUNDING_SHARE * force
            or np.linalg.norm(a.couple) > max(ROUNDING_SHARE * couple, 1e-9 * force)]
    return tuple(sorted(kept, key=lambda a: -a.size))


def _couple(balance: ForceBalance, force: Force) -> np.ndarray:
    return force.torque - np.cross(force.point - balance.centre, force.force)


def _joined(balance: ForceBalance, parts: list[Arrow]) -> Arrow:
    """Combine forces by (1)."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.array([p.size for p in parts])
    points, forces = np.array([p.point for p in parts]), np.array([p.force for p in parts])
    weights = sizes / sizes.sum() if sizes.any() else np.full(len(parts), 1.0 / len(parts))
    point, force = weights @ points, forces.sum(axis=0)
    couple = sum((p.couple for p in parts), np.zeros(3)) + np.cross(points - point, forces).sum(axis=0)
    return replace(parts[0], point=point, force=force, couple=couple, parts=len(parts),
                   indices=tuple(k for p in parts for k in p.indices))


def side(frame: Frame, balance: ForceBalance, plane: str,
         camera: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None) -> Side:
    """Choose the viewing direction. plane: of VIEW_DIRECTIONS; camera: its unit vectors right, up and forward."""
    if plane == "camera" and camera is not None:
        right, up, forward = camera
        return Side(right, up, -forward, "as in the view")
    if plane in ("x z", "y z", "x y"):
        axes = np.eye(3)
        right, up = (axes["xyz".index(letter)] for letter in plane.split())
        return Side(right, up, np.cross(right, up), f"{plane.replace(' ', '')} plane")
    gravity = np.array(frame.gravity)
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    right = _across(balance, up)
    for k, name in enumerate("xy"):
        if abs(right[k]) > AXIS_COS:
            right = np.eye(3)[k] - up[k] * up
            right /= np.linalg.norm(right)
            return Side(right, up, np.cross(right, up), f"{name}z plane" if abs(up[2]) > AXIS_COS else "side view")
    return Side(right, up, np.cross(right, up), "side view")


def _across(balance: ForceBalance, up: np.ndarray) -> np.ndarray:
    """(2); without forces across up, the spread of their points; else x."""
    vectors = np.array([f.force for f in balance.forces]).reshape(-1, 3)
    largest = float(np.abs(vectors).max(initial=0.0))
    arms = np.array([f.point - balance.centre for f in balance.forces]).reshape(-1, 3)
    for rows, least in ((vectors, 1e-3 * largest), (arms, 1e-6)):
        flat = rows - np.outer(rows @ up, up)
        if len(flat) and np.abs(flat).max() > least:
            values, axes = np.linalg.eigh(flat.T @ flat)
            if values[2] > 1.2 * values[1]:
                return axes[:, 2] * (1.0 if axes[np.argmax(np.abs(axes[:, 2])), 2] > 0.0 else -1.0)
    axis = np.eye(3)[int(np.argmin(np.abs(up[:2])))]
    axis = axis - (axis @ up) * up
    return axis / np.linalg.norm(axis)


def outlines(frame: Frame, body: int, seen: Side) -> list[np.ndarray]:
    """Of each shape of a body at the start of the step, a closed convex polygon (n, 2) [m], from the body's centre."""
    found, turn = [], to_matrix(frame.step_start.quat[body])
    for s in np.flatnonzero(frame.shapes["body"] == body)[:MAX_OUTLINES].tolist():
        shape = frame.shapes[s]
        corners = _corners(frame, shape)
        if corners is not None:
            local = corners @ to_matrix(shape["local_quat"]).T + shape["local_pos"]
            found.append(hull(seen.flat(local @ turn.T)))
    return found


def _corners(frame: Frame, shape: np.void) -> np.ndarray | None:
    """Corners of a drawn shape, in its own frame (n, 3); None: it is unbounded."""
    kind = frame.shape_kinds[shape["kind"]]
    if kind == "plane":
        return None
    if shape["geometry"] >= 0:
        return frame.pool.data(int(shape["geometry"])).vertices
    return _basis(kind) @ shape["dims"]


@cache
def _basis(kind: str) -> np.ndarray:
    return shapes.kinds()[kind].mesh().basis


def hull(points: np.ndarray) -> np.ndarray:
    """Convex hull of points (n, 2), counterclockwise (Andrew's monotone chain)."""
    order = sorted(set(map(tuple, np.round(points, 9).tolist())))
    if len(order) < 3:
        return np.array(order)
    halves = []
    for way in (order, order[::-1]):
        half: list[tuple[float, float]] = []
        for p in way:
            while len(half) > 1 and _left(half[-2], half[-1], p) <= 0.0:
                half.pop()
            half.append(p)
        halves += half[:-1]
    return np.array(halves)


def _left(o: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """Positive where o, a, b turn left."""
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


@dataclass(frozen=True)
class BalanceVerdict:
    """Comparison of the sum with m a, in words. balanced: both are negligible beside the forces; share: remainder of (1) of
    force_balance.py relative to the largest force."""

    text: str
    balanced: bool
    share: float


def verdict(balance: ForceBalance) -> BalanceVerdict:
    """Compare the sum of forces with m a."""
    largest = max((float(np.linalg.norm(f.force)) for f in balance.forces), default=0.0)
    total, wanted, rest = (float(np.linalg.norm(v)) for v in (balance.total, balance.wanted, balance.rest))
    share = rest / largest if largest > 0.0 else 0.0
    if not balance.moves:
        return BalanceVerdict(message("It does not respond to forces; their sum of {total} N is carried by its support.",
                                      total=rounded(total)), False, 0.0)
    if largest == 0.0:
        return BalanceVerdict("No force acts on it: its velocity stays constant.", True, 0.0)
    if total < 1e-3 * largest and wanted < 1e-3 * largest:
        return BalanceVerdict("The forces are in equilibrium: their sum and m a are zero.", True, share)
    if share < 1e-3:
        return BalanceVerdict(message("The sum of the forces is m a = {wanted} N.", wanted=rounded(wanted)), False, share)
    values = {"total": rounded(total), "wanted": rounded(wanted), "rest": rounded(rest)}
    if balance.parts > 1 and share < LEFT_BY_PARTS:
        return BalanceVerdict(message("The sum is {total} N, m a is {wanted} N. Forces are means over the {parts} parts in which "
                                      "this step was made, in their last directions: what turned or changed between parts leaves "
                                      "the difference of {rest} N.", parts=balance.parts, **values), False, share)
    return BalanceVerdict(message("The sum is {total} N, m a is {wanted} N: a difference of {rest} N is not explained by these "
                                  "forces.", **values), False, share)
