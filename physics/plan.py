"""Lists that change only when something is added or removed: which shapes are of a kind, where a joint's rows start."""

from typing import NamedTuple

import numpy as np

from physics.joints import JointKind


class JointPlan(NamedTuple):
    """Where the rows of the live joints go, in the order of their indices.

    rows, blocks, inverses: totals. joints, constraint, friction: index, constraint rows and friction rows of each, (n,) int64.
    kinds: for each kind in use (kind, joint indices, first rows).
    """

    rows: int
    blocks: int
    inverses: int
    joints: np.ndarray
    constraint: np.ndarray
    friction: np.ndarray
    kinds: tuple[tuple[JointKind, np.ndarray, np.ndarray], ...]

    @classmethod
    def of(cls, joints: np.ndarray, kinds: tuple[JointKind, ...]) -> "JointPlan":
        """The plan of a JOINT table."""
        live = np.flatnonzero(joints["kind"] >= 0)
        kind = joints["kind"][live]
        constraint = np.array([kinds[k].constraint for k in kind], np.int64)
        friction = np.array([kinds[k].friction for k in kind], np.int64)
        ends = np.cumsum(constraint + friction)
        first = ends - constraint - friction
        used = tuple((kinds[k], live[kind == k], first[kind == k]) for k in np.unique(kind))
        return cls(int(ends[-1]) if len(live) else 0, int(np.count_nonzero(constraint) + np.count_nonzero(friction)),
                   int(np.sum(constraint**2 + friction**2)), live, constraint, friction, used)


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
