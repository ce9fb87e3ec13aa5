"""Lists that change only with the tables' structure: shapes by kind, the joints' rows, pairs that do not collide."""

from typing import NamedTuple

import numpy as np

from physics.joint_plan import JointPlan
from physics.joints import JointKind
from physics.linkage import Linkage


class Lists(NamedTuple):
    """shapes: of those awake, indices by kind. joints: where their rows go. linkage: what compiled steps need of them;
    one_by_one: the same, with no joints solved together. excluded: body pairs that do not collide."""

    shapes: dict[str, np.ndarray]
    joints: JointPlan
    linkage: Linkage
    one_by_one: Linkage
    excluded: np.ndarray

    @classmethod
    def of(cls, shapes: np.ndarray, shape_kinds: tuple[str, ...], joints: np.ndarray, joint_kinds: tuple[JointKind, ...],
           bodies: np.ndarray) -> "Lists":
        """The lists of a world's tables."""
        plan = JointPlan.of(joints, joint_kinds, bodies)
        linkage = Linkage.of(joints, plan, bodies)
        return cls(shape_lists(shapes, shape_kinds, bodies), plan, linkage, linkage.one_by_one(), excluded_pairs(joints))


def shape_lists(shapes: np.ndarray, kinds: tuple[str, ...], bodies: np.ndarray) -> dict[str, np.ndarray]:
    """Indices of the live shapes of each kind whose bodies do not sleep, int32."""
    awake = (shapes["body"] >= 0) & (bodies["asleep"][shapes["body"]] == 0)
    kind = np.where(awake, shapes["kind"], -1)
    return {name: np.flatnonzero(kind == k).astype(np.int32) for k, name in enumerate(kinds)}


def excluded_pairs(joints: np.ndarray) -> np.ndarray:
    """Body pairs that a joint keeps from colliding: sorted keys low * 2^32 + high, int64."""
    mute = joints[(joints["kind"] >= 0) & (joints["collide"] == 0) & (joints["body_a"] != 0) & (joints["body_b"] != 0)]
    a, b = mute["body_a"].astype(np.int64), mute["body_b"].astype(np.int64)
    return np.unique(np.minimum(a, b) * 2**32 + np.maximum(a, b))
