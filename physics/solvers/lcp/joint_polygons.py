"""Dry friction of joints inside any convex polygon around 0 of their two directions (ST96 3.5), for solvers that pivot.

    p = D beta,   0 <= beta _|_ lambda e + D'V >= 0,   0 <= lambda _|_ h - e'beta >= 0        D: the corners [N] or [N m]   (1)

so p / h is in the hull of the corners, and of all such p the one that takes most power: max over the corners d of -d.V = lambda.
The rows of both directions form one block, also where each has a law of its own (sliding and turning of a cylindrical joint).
"""

import numpy as np

from physics.core.records import Bound, Role, selected


def join(blocks: np.ndarray, joints: np.ndarray, first_corner: int) -> tuple[np.ndarray, np.ndarray]:
    """(blocks, corners (m, 2)): the friction of joints with a polygon as one block of two rows. blocks: BLOCK of joints, written
    with the law of their friction, a bound alone; first_corner: where the corners begin in the table of directions."""
    if not joints["corner_count"].any():
        return blocks, np.zeros((0, 2))
    rubs = (blocks["role"] == Role.FRICTION) & (joints["corner_count"][blocks["index"]] > 0)
    corners, kept = [np.zeros((0, 2))], np.ones(len(blocks), bool)
    for j in np.unique(blocks["index"][rubs]).tolist():
        own, joint = np.flatnonzero(rubs & (blocks["index"] == j) & (blocks["first_impulse"] < 2)), joints[j]
        block = blocks[own[0]]
        kept[own[1:]] = False
        block["limit"] /= joint["max_friction"][0]      # the duration
        block["bound"], block["count"], block["viscous"] = Bound.POLYGON, 2, 0.0
        block["corner"], block["corner_count"] = first_corner + sum(map(len, corners)), joint["corner_count"]
        corners.append(joint["corners"][: joint["corner_count"]])
    return selected(blocks, kept), np.concatenate(corners)


def judge(rows: np.ndarray, blocks: np.ndarray, velocity: np.ndarray, joints: np.ndarray) -> float:
    """Largest natural map residual of the polygons among the blocks (measure.py) [m/s] or [rad/s]; also stored in the joints."""
    worst = 0.0
    if not joints["corner_count"].any():
        return worst
    for block in blocks[blocks["bound"] == Bound.POLYGON]:
        own, joint = rows[block["first"] : block["first"] + 2], joints[block["index"]]
        a, b = velocity[block["a"]], velocity[block["b"]]
        speed = own["lin_a"] @ a[:3] + own["ang_a"] @ a[3:] + own["lin_b"] @ b[:3] + own["ang_b"] @ b[3:] - own["target"]
        corners = block["limit"] * joint["corners"][: joint["corner_count"]]
        missed = nearest(corners, own["impulse"] - block["gradient_step"] * speed) - own["impulse"]
        size = float(np.hypot(*missed)) / block["gradient_step"]
        joint["residual"][Role.FRICTION] = max(joint["residual"][Role.FRICTION], size)
        worst = max(worst, size)
    return worst


def nearest(corners: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The point of a convex polygon (m, 2), in either direction around, that is nearest to a point (2,)."""
    side = np.roll(corners, -1, axis=0) - corners
    left = side[:, 0] * (point - corners)[:, 1] - side[:, 1] * (point - corners)[:, 0]
    around = (corners[:, 0] * np.roll(corners[:, 1], -1) - corners[:, 1] * np.roll(corners[:, 0], -1)).sum()
    if (left * around >= 0.0).all():
        return point
    along = np.clip(((point - corners) * side).sum(axis=1) / (side * side).sum(axis=1), 0.0, 1.0)
    on = corners + along[:, None] * side
    return on[np.hypot(*(on - point).T).argmin()]
