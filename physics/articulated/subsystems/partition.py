"""The tree of subsystems of a mechanism: which bodies each has, which joints it eliminates.

A joint belongs to the smallest subsystem that has both of its bodies; a joint to the ground belongs to the root. A body of a
subsystem is an outer one if a joint connects it to a body outside, or to the ground.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.core.check import BadInput

Groups = Sequence[Any]
"""Subsystems by hand: a body's name, or a sequence of groups; ("a", ("b", "c")) is a body and a subsystem of two."""


@dataclass(frozen=True)
class Subsystem:
    """A subsystem: one body (no children), or the children that it joins.

    bodies: all of them, ascending. outer: those that joints connect to others, or to the ground, ascending.
    joints: those that it eliminates. depth: 0 for the root.
    """

    bodies: tuple[int, ...]
    outer: tuple[int, ...]
    joints: tuple[int, ...]
    children: tuple["Subsystem", ...]
    depth: int


def automatic(bodies: Sequence[int], edges: Sequence[tuple[int, int]], most: int) -> list[Any]:
    """Nested groups of bodies: halves, until they have no more than `most`; cut where few joints (edges) are between them."""
    bodies = sorted(bodies)
    if len(bodies) <= most:
        return list(bodies)
    order = _by_neighbours(bodies, edges)
    place = {body: k for k, body in enumerate(order)}
    crossing = np.zeros(len(order) + 1, np.int64)      # joints between order[:k] and order[k:]
    for a, b in edges:
        if a in place and b in place:
            lo, hi = sorted((place[a], place[b]))
            crossing[lo + 1] += 1
            crossing[hi + 1] -= 1
    crossing = np.cumsum(crossing)[: len(order)]
    middle = len(order) / 2.0
    near = range(max(1, round(0.75 * middle)), min(len(order) - 1, round(1.25 * middle)) + 1)
    cut = min(near, key=lambda k: (crossing[k], abs(k - middle)))
    halves = [(half, set(half)) for half in (order[:cut], order[cut:])]
    return [automatic(half, [(a, b) for a, b in edges if a in inside and b in inside], most) for half, inside in halves]


def _by_neighbours(bodies: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[int]:
    """Breadth first from a body at the far end of each connected part: neighbours are near one another in the order."""
    beside: dict[int, list[int]] = {body: [] for body in bodies}
    for a, b in edges:
        if a in beside and b in beside:
            beside[a].append(b)
            beside[b].append(a)

    def spread(start: int) -> list[int]:
        found = {start: None}
        front = [start]
        for body in front:      # grows while it is read
            for other in sorted(beside[body]):
                if other not in found:
                    found[other] = None
                    front.append(other)
        return front
    order: list[int] = []
    left = set(bodies)
    while left:
        part = spread(spread(min(left))[-1])
        order += part
        left -= set(part)
    return order


def divide(joints: np.ndarray, moves: np.ndarray, names: Sequence[str], groups: Groups | None, most: int) -> Subsystem:
    """The tree of subsystems of a mechanism. joints: JOINT; moves, names: of each body.

    groups: by the names of bodies; None: halves of up to `most` bodies.

    Raises:
        BadInput: no such dynamic body, or a body in two subsystems.
    """
    a, b = joints["body_a"], joints["body_b"]
    live = np.flatnonzero((joints["kind"] >= 0) & (moves[a] | moves[b]))
    edges = list(zip(a[live].tolist(), b[live].tolist(), strict=True))
    chosen = automatic(np.flatnonzero(moves).tolist(), edges, most) if groups is None else named(groups, names, moves)
    return build(chosen, joints, live)


def build(groups: Groups, joints: np.ndarray, live: np.ndarray) -> Subsystem:
    """The tree of nested groups of bodies (by index); joints: JOINT; live: indices of those in use."""
    at: dict[int, list[tuple[int, int]]] = {}      # of each body: joints and the bodies at their other ends
    for j in live.tolist():
        a, b = int(joints["body_a"][j]), int(joints["body_b"][j])
        at.setdefault(a, []).append((j, b))
        at.setdefault(b, []).append((j, a))
    taken: set[int] = set()

    def outer_of(bodies: Sequence[int], inside: set[int]) -> tuple[int, ...]:
        return tuple(body for body in sorted(bodies) if any(other not in inside for _, other in at.get(body, ())))

    def made(group: Any, depth: int) -> Subsystem:
        if not isinstance(group, list | tuple):
            return Subsystem((int(group),), outer_of((int(group),), {int(group)}), (), (), depth)
        children = tuple(made(inner, depth + 1) for inner in group)
        bodies = {body for child in children for body in child.bodies}
        known = [body for child in children for body in child.outer]     # all other bodies' joints are inside the children
        own = sorted({j for body in known for j, other in at.get(body, ())
                      if j not in taken and (other in bodies or depth == 0)})
        taken.update(own)
        return Subsystem(tuple(sorted(bodies)), () if depth == 0 else outer_of(known, bodies), tuple(own), children, depth)
    return made(list(groups), 0)


def named(groups: Groups, names: Sequence[str], moves: np.ndarray) -> list[Any]:
    """Groups by the names of their bodies, as groups by index; the bodies that are not named come to the root.

    Raises:
        BadInput: no such dynamic body, or a body in two subsystems.
    """
    seen: set[int] = set()

    def found(group: Any) -> Any:
        if isinstance(group, list | tuple):
            if not group:
                raise BadInput("a subsystem is empty; name its bodies")
            return [found(inner) for inner in group]
        body = names.index(group) if group in names else -1
        if body < 0 or not moves[body]:
            raise BadInput(f"subsystems consist of dynamic bodies; '{group}' is none")
        if body in seen:
            raise BadInput(f"the body '{group}' is in two subsystems; name it once")
        seen.add(body)
        return body
    made = [found(group) for group in groups]
    return made + [int(body) for body in np.flatnonzero(moves) if int(body) not in seen]
