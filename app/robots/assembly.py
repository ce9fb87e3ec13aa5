"""Closes the loops of a robot at its start: joints whose range is without zero start at its nearer end, and the others follow.

With e the errors of the joints that close loops (distance of their points, directions of their axes) and q the coordinates of the
others, steps of Levenberg and Marquardt within the ranges:

    dq = -J^T (J J^T + e.e 1)^-1 e(q),   q <- clip(q + dq)                                                          (1)
    column of a hinge: w x (p - anchor) for a point, w x n for a direction; of a slide: w, 0                        (2)

where what would leave its range stays at its end. Columns of joints that carry both sides of a loop cancel.
"""

from typing import NamedTuple

import numpy as np

from app.robots.model import CLOSED, IDENTITY, Robot, RobotJoint, closing, open_loops, started
from physics.core.quaternions import rotate, turned_by

STEPS = 50


class _Way(NamedTuple):
    """A coordinate: its joint, direction in the frame of the joint's parent at zero, whether it turns, its range."""

    joint: RobotJoint
    axis: np.ndarray
    turns: bool
    lo: float
    hi: float


def close_loops(robot: Robot) -> None:
    """Set the starts of the joints so that the loops close, as far as the ranges allow."""
    if not open_loops(robot, started(robot)):
        return
    loops = closing(robot)
    ways = [way for joint in robot.joints if joint not in loops for way in _ways(joint)]
    for _ in range(STEPS):
        if not _improve(robot, loops, ways):
            return


def _improve(robot: Robot, loops: list[RobotJoint], ways: list[_Way]) -> bool:
    """Do a step (1); False: the loops are closed."""
    error, jacobian = _linearised(robot, loops, ways)
    if np.abs(error).max() < 0.01 * CLOSED:
        return False
    start = np.array([way.joint.start for way in ways])
    lo, hi = np.array([(way.lo, way.hi) for way in ways]).T
    free = np.ones(len(ways), bool)
    while True:
        own, change = jacobian * free, np.zeros(len(ways))
        change = -own.T @ np.linalg.solve(own @ own.T + (error @ error + 1e-12) * np.eye(len(error)), error)
        beyond = free & (((start <= lo) & (change < 0.0)) | ((start >= hi) & (change > 0.0)))
        if not beyond.any():
            break
        free &= ~beyond
    for way, step in zip(ways, change, strict=True):
        if way.joint.kind == "spherical":
            way.joint.start_turn = turned_by(way.joint.start_turn, way.axis * step)
        else:
            way.joint.start = float(np.clip(way.joint.start + step, way.lo, way.hi))
    return True


def _ways(joint: RobotJoint) -> list[_Way]:
    if joint.kind == "spherical":
        return [_Way(joint, axis, True, -np.inf, np.inf) for axis in np.eye(3)]
    if joint.kind not in ("revolute", "prismatic"):
        return []
    lo, hi = next(iter(joint.limits.values()), (-np.inf, np.inf))
    return [_Way(joint, joint.axis, joint.kind == "revolute", lo, hi)]


def _linearised(robot: Robot, loops: list[RobotJoint], ways: list[_Way]) -> tuple[np.ndarray, np.ndarray]:
    """Errors (6 n,) of n loops and their derivative (6 n, m) by m coordinates."""
    moved = started(robot)
    above = {joint.child: joint for joint in robot.joints if joint not in loops}
    error, jacobian = np.zeros((len(loops), 6)), np.zeros((len(loops), 6, len(ways)))
    lines = []
    for way in ways:
        motion = moved.get(way.joint.parent, IDENTITY)
        lines.append((id(way.joint), way.turns, rotate(motion.quat, way.axis), motion.at(way.joint.anchor)))
    for i, loop in enumerate(loops):
        ends = []
        for name in (loop.parent, loop.child):
            motion = moved.get(name, IDENTITY)
            ends.append((motion.at(loop.anchor), rotate(motion.quat, loop.axis), _carriers(name, above)))
        (point_a, normal_a, _), (point_b, normal_b, _) = ends
        slides, directed = loop.kind in ("prismatic", "cylindrical"), float(loop.kind != "spherical")
        across = np.eye(3) - slides * np.outer(normal_a, normal_a)
        error[i] = *across @ (point_b - point_a), *directed * (normal_b - normal_a)
        for k, (joint, turns, w, anchor) in enumerate(lines):
            for sign, (point, normal, carriers) in zip((-1.0, 1.0), ends, strict=True):
                if joint in carriers:
                    jacobian[i, :3, k] += sign * across @ (np.cross(w, point - anchor) if turns else w)
                    jacobian[i, 3:, k] += sign * directed * turns * np.cross(w, normal)
    return error.ravel(), jacobian.reshape(-1, len(ways))


def _carriers(name: str, above: dict[str, RobotJoint]) -> set[int]:
    """The joints between a link and the root."""
    found: set[int] = set()
    while name in above and id(above[name]) not in found:
        found.add(id(above[name]))
        name = above[name].parent
    return found
