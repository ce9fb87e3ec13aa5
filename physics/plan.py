"""Lists that change only when something is added or removed: which shapes are of a kind, where a joint's rows start."""

from typing import NamedTuple

import numpy as np

from physics.core.records import Kind
from physics.joints import JointKind


class JointPlan(NamedTuple):
    """Where the rows of the live joints go, in the order of their indices.

    rows, blocks, inverses: totals. joints, constraint, friction: index, constraint rows and friction rows of each, (n,) int64.
    kinds: for each kind in use (kind, joint indices, first rows).
    group: of each joint the number of its mechanism, the bodies that joints tie together; body_group: of each body, -1 if free.
    """

    rows: int
    blocks: int
    inverses: int
    joints: np.ndarray
    constraint: np.ndarray
    friction: np.ndarray
    kinds: tuple[tuple[JointKind, np.ndarray, np.ndarray], ...]
    group: np.ndarray
    body_group: np.ndarray

    @classmethod
    def of(cls, joints: np.ndarray, kinds: tuple[JointKind, ...], bodies: np.ndarray) -> "JointPlan":
        """The plan of a JOINT table over a BODY table."""
        live = np.flatnonzero(joints["kind"] >= 0)
        kind = joints["kind"][live]
        constraint = np.array([kinds[k].constraint for k in kind], np.int64)
        friction = np.array([kinds[k].friction for k in kind], np.int64)
        ends = np.cumsum(constraint + friction)
        first = ends - constraint - friction
        used = tuple((kinds[k], live[kind == k], first[kind == k]) for k in np.unique(kind))
        return cls(int(ends[-1]) if len(live) else 0, int(np.count_nonzero(constraint) + np.count_nonzero(friction)),
                   int(np.sum(constraint**2 + friction**2)), live, constraint, friction, used,
                   *mechanisms(joints[live], bodies["kind"] == Kind.DYNAMIC))


def mechanisms(joints: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(group of each joint, group of each body or -1): bodies that move and are tied by joints, numbered by their lowest body."""
    root = np.arange(len(moves))
    for _ in range(len(joints)):
        a, b = root[joints["body_a"]], root[joints["body_b"]]
        low = np.where(moves[joints["body_a"]] & moves[joints["body_b"]], np.minimum(a, b), -1)
        tied = low >= 0
        if np.array_equal(a[tied], b[tied]):
            break
        np.minimum.at(root, joints["body_a"][tied], low[tied])
        np.minimum.at(root, joints["body_b"][tied], low[tied])
        root = root[root]
    of_body = np.full(len(moves), -1)
    for side in ("body_a", "body_b"):
        mine = joints[side][moves[joints[side]]]
        of_body[mine] = root[mine]
    return np.maximum(of_body[joints["body_a"]], of_body[joints["body_b"]]), of_body


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
