"""Index lists that change only with the structure of the tables: shapes by kind, the joints' rows, excluded pairs."""

from typing import NamedTuple

import numpy as np

from physics.constraints.joint_layout import JointLayout
from physics.constraints.joint_system import JointSystem
from physics.core.records import Kind
from physics.joints import JointKind


class WorldLayout(NamedTuple):
    """shapes: indices of the awake ones by kind. joints: layout of their rows. joint_system: their data for compiled steps;
    one_by_one: the same, with no joints solved together; trees_together: with those of closed loops one by one. excluded: body
    pairs that do not collide. driven: some body is kinematic."""

    shapes: dict[str, np.ndarray]
    joints: JointLayout
    joint_system: JointSystem
    one_by_one: JointSystem
    trees_together: JointSystem
    excluded: np.ndarray
    driven: bool

    @classmethod
    def of(cls, shapes: np.ndarray, shape_kinds: tuple[str, ...], joints: np.ndarray, joint_kinds: tuple[JointKind, ...],
           bodies: np.ndarray) -> "WorldLayout":
        """The layout of a world's tables."""
        layout = JointLayout.of(joints, joint_kinds, bodies)
        system = JointSystem.of(joints, layout, bodies)
        return cls(shape_lists(shapes, shape_kinds, bodies), layout, system, system.one_by_one(),
                   system.trees_together(joints, bodies), excluded_pairs(joints), bool((bodies["kind"] == Kind.KINEMATIC).any()))


def shape_lists(shapes: np.ndarray, kinds: tuple[str, ...], bodies: np.ndarray) -> dict[str, np.ndarray]:
    """Indices of the live shapes of each kind that has some whose bodies are awake, int32."""
    awake = (shapes["body"] >= 0) & (bodies["asleep"][shapes["body"]] == 0)
    kind = np.where(awake, shapes["kind"], -1)
    return {kinds[k]: np.flatnonzero(kind == k).astype(np.int32) for k in np.unique(kind[awake]).tolist()}


def excluded_pairs(joints: np.ndarray) -> np.ndarray:
    """Body pairs that a joint keeps from colliding: sorted keys low * 2^32 + high, int64."""
    mute = joints[(joints["kind"] >= 0) & (joints["collide"] == 0) & (joints["body_a"] != 0) & (joints["body_b"] != 0)]
    a, b = mute["body_a"].astype(np.int64), mute["body_b"].astype(np.int64)
    return np.unique(np.minimum(a, b) * 2**32 + np.maximum(a, b))
