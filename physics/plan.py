"""Lists that change only with the tables' structure: shapes by kind, the joints' rows, pairs that do not collide."""

from typing import NamedTuple

import numpy as np

from physics.joint_plan import JointPlan


class Lists(NamedTuple):
    """shapes: indices by kind. joints: where their rows go. excluded: body pairs that do not collide."""

    shapes: dict[str, np.ndarray]
    joints: JointPlan
    excluded: np.ndarray


def shape_lists(shapes: np.ndarray, kinds: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Indices of the live shapes of each kind, int32."""
    live = shapes["body"] >= 0
    return {name: np.flatnonzero(live & (shapes["kind"] == k)).astype(np.int32) for k, name in enumerate(kinds)}


def excluded_pairs(joints: np.ndarray) -> np.ndarray:
    """Body pairs that a joint keeps from colliding: sorted keys low * 2^32 + high, int64."""
    mute = joints[(joints["kind"] >= 0) & (joints["collide"] == 0) & (joints["body_a"] != 0) & (joints["body_b"] != 0)]
    a, b = mute["body_a"].astype(np.int64), mute["body_b"].astype(np.int64)
    return np.unique(np.minimum(a, b) * 2**32 + np.maximum(a, b))
