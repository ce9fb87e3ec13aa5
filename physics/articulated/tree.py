"""The tree of links of a world's mechanisms (RBDA chapter 4): who is whose parent, through which joint.

Every dynamic body is one link. Its joint leads to a body nearer to the ground (static and kinematic bodies); a body that no joint
connects to the ground begins a floating tree, on a joint with six freedoms. Joints that would close a loop, those whose kind
has no freedoms of its own (ropes, gears), are cut: constraints between links. Links are numbered so that a subtree
is contiguous and its root comes first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physics.core.records import record
from physics.joints import Freedom, JointKind, Turns

GROUND = -1
"""Parent of links on static and kinematic bodies."""

LINK = record([
    ("body", "i4"),                  # body that moves with the link
    ("parent", "i4"),                # link; GROUND: the body `other` is static or kinematic
    ("other", "i4"),                 # body at the other end of the joint
    ("joint", "i4"),                 # joint of the world; -1: the six freedoms of a floating link
    ("first", "i4"),                 # first velocity coordinate
    ("count", "i4"),                 # number of velocity coordinates, 0 .. 6
    ("place", "i4"),                 # first position coordinate; as many as velocities, one more where turns is ALL
    ("slides", "i4"),                # bit k: slides along axis k of the frame in a
    ("turns", "i4"),                 # Turns
    ("sign", "f8"),                  # -1: the link is body a of its joint, 1: body b
    ("pitch", "f8"),                 # translation along z per rotation about it [m/rad]
    ("anchor_a", "f8", 3),           # joint point and frame in body a, as in JOINT
    ("anchor_b", "f8", 3),
    ("frame_a", "f8", 4),
    ("frame_b", "f8", 4),
])

FLOATING = Freedom("xyz", Turns.ALL)
"""Joint of a floating link with the world: position and velocity of its centre of mass, orientation and spin of the body."""

TURNS = {Turns.NONE: 0, Turns.ABOUT_Z: 1, Turns.PINS: 2, Turns.ALL: 3}
"""Number of velocity coordinates."""


@dataclass(frozen=True)
class Tree:
    """Links and cuts of a world.

    links: LINK records (n,), parents first. of_body (bodies,): link of each body, -1: none. loops: joints that are cut.
    size, places: number of velocity and of position coordinates. above (size,): the coordinate from which the motion of each is
    seen, RBDA's expanded parent array lambda(i) (6.3); -1: none.
    """

    links: np.ndarray
    of_body: np.ndarray
    loops: np.ndarray
    size: int
    places: int
    above: np.ndarray


def tree_of(bodies: np.ndarray, joints: np.ndarray, kinds: Sequence[JointKind], moves: np.ndarray,
            cut_free: bool = False) -> Tree:
    """The tree of BODY and JOINT records, kinds by JOINT.kind; moves (bodies,): bool, the links; the others are the ground.

    Of several ways to the ground it takes one over fewest joints. cut_free: joints that leave all six freedoms are cut, too, so
    that their bodies fly as free ones do, which a step in other coordinates does not.
    """
    ends: dict[int, list[int]] = {}
    loops = []
    for j in np.flatnonzero(joints["kind"] >= 0).tolist():
        a, b = int(joints["body_a"][j]), int(joints["body_b"][j])
        if not (moves[a] or moves[b]):
            continue
        freedom = kinds[joints["kind"][j]].freedom
        if freedom is None or (cut_free and len(freedom.slides) == 3 and freedom.turns == Turns.ALL):
            loops.append(j)
        else:
            for body in (a, b):
                ends.setdefault(body, []).append(j)
    below: dict[int, list[tuple[int, int, int]]] = {}     # at each body: body, joint, body at its other end
    reached, used, roots = ~moves, set(), []

    def grow(front: list[int]) -> None:
        for body in front:      # grows while it is read
            for j in ends.get(body, ()):
                other = int(joints["body_a"][j]) + int(joints["body_b"][j]) - body
                if not reached[other]:
                    reached[other] = True
                    used.add(j)
                    below.setdefault(body, []).append((other, j, body))
                    front.append(other)
    ground = np.flatnonzero(~moves).tolist()
    grow(ground.copy())
    for root in sorted(np.flatnonzero(moves).tolist(), key=lambda body: -bodies["mass"][body]):
        if not reached[root]:
            reached[root] = True
            roots.append((root, -1, 0))
            grow([root])
    loops += [j for body, its in ends.items() for j in its if j not in used and body == joints["body_a"][j]]
    order, waiting = [], [*reversed(roots), *(link for body in reversed(ground) for link in reversed(below.get(body, [])))]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(below.get(order[-1][0], []))
    return _numbered(bodies, joints, kinds, order, sorted(loops))


def _numbered(bodies: np.ndarray, joints: np.ndarray, kinds: Sequence[JointKind], order: list[tuple[int, int, int]],
              loops: list[int]) -> Tree:
    """The tree with links in that order."""
    links, of_body = np.zeros(len(order), LINK), np.full(len(bodies), -1, np.int32)
    size = places = 0
    above, last = [], {GROUND: -1}
    for i, (body, j, base) in enumerate(order):
        link, parent = links[i], int(of_body[base])
        freedom = FLOATING if j < 0 else kinds[joints["kind"][j]].freedom
        link["body"], link["parent"], link["other"], link["joint"] = body, parent, base, j
        link["first"], link["count"], link["place"] = size, len(freedom.slides) + TURNS[freedom.turns], places
        link["slides"], link["turns"] = sum(1 << "xyz".index(axis) for axis in freedom.slides), freedom.turns
        link["sign"], link["frame_a"][0], link["frame_b"][0] = 1.0, 1.0, 1.0
        if j >= 0:
            joint = joints[j]
            link["sign"] = 1.0 if joint["body_b"] == body else -1.0
            link["pitch"] = joint["param"][0] / (2.0 * np.pi) if freedom.thread else 0.0
            for field in ("anchor_a", "anchor_b", "frame_a", "frame_b"):
                link[field] = joint[field]
        of_body[body] = i
        above += [last[parent], *range(size, size + link["count"] - 1)][:link["count"]]
        size, places = size + int(link["count"]), places + int(link["count"]) + (freedom.turns == Turns.ALL)
        last[i] = size - 1 if link["count"] else last[parent]
    return Tree(links, of_body, np.array(loops, np.int64), size, places, np.array(above, np.int64))


def coordinate_names(tree: Tree, joint_names: Sequence[str], body_names: Sequence[str]) -> list[str]:
    """Name of each velocity coordinate: "elbow", or "arm.x" where a joint has several."""
    turns = {Turns.NONE: [], Turns.ABOUT_Z: ["angle"], Turns.PINS: ["first", "second"], Turns.ALL: ["rx", "ry", "rz"]}
    found = []
    for link in tree.links:
        owner = joint_names[link["joint"]] if link["joint"] >= 0 else body_names[link["body"]]
        own = [axis for k, axis in enumerate("xyz") if link["slides"] >> k & 1] + turns[Turns(int(link["turns"]))]
        found += [owner] if len(own) == 1 else [f"{owner}.{axis}" for axis in own]
    return found
