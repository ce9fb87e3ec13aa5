"""A world as a tree of bodies, for writers of robot files: which joints lead from parent to child, and their numbers.

The tree begins at bodies that do not move. A joint from b to a instead of a to b has the opposite axis: turning b against a by q
about n is turning a against b by q about -n.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np

from app.robots.model import Pose
from physics import World
from physics.core.quaternions import product, rotate
from physics.core.records import ROW, Kind
from physics.joints import Motion
from physics.joints._settings import friction_of

Note = Callable[[str], None]
"""Takes a sentence about what a file does not hold."""

QUOTED = re.compile("'[^']*'")
MAX_LISTED = 4
"""Largest number of names that one sentence lists."""

CONE_CORNERS = 32


@dataclass(frozen=True)
class Edge:
    """A joint as seen from its parent in the tree. flipped: the child is its body a."""

    joint: int
    parent: int
    child: int
    flipped: bool


def numbers_text(values: Iterable[float]) -> str:
    """Numbers that read back as the same bits."""
    return " ".join(repr(float(value)) for value in values)


def pose_of(world: World, body: int) -> Pose:
    """Pose of a body in the world."""
    record = world.bodies[body]
    return Pose(record["pos"].copy(), record["quat"].copy())


def grouped_sentences(notes: Iterable[str]) -> list[str]:
    """The sentences; of those that differ in their quoted name only the first, with the names of the others."""
    alike: dict[str, list[str]] = {}
    for note in notes:
        alike.setdefault(QUOTED.sub("''", note), []).append(note)
    told = []
    for first, *others in alike.values():
        names = [" and ".join(QUOTED.findall(other)) for other in others]
        listed = ", ".join(names[:MAX_LISTED]) + (", ..." if len(names) > MAX_LISTED else "")
        told.append(f"{first}; the same holds for {len(names)} more: {listed}" if names else first)
    return told


def tree_of(world: World, kinds: Collection[str], note: Note) -> tuple[list[Edge], list[int]]:
    """Edges of a spanning tree by joints of these kinds, parents first, and the joints left over, which close loops."""
    left = []
    for j in np.flatnonzero(world.joints["kind"] >= 0).tolist():
        kind = world.joint_kinds[world.joints["kind"][j]]
        if kind in kinds:
            left.append(j)
        elif not world.joint_kind(j).pulled:
            note(f"joint '{world.joint_names[j]}' ({kind}) has no counterpart and is left out")
    reached = {int(b) for b in np.flatnonzero(world.bodies["kind"] != Kind.DYNAMIC)}
    starts = [int(b) for b in np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC)]
    edges = []
    while left:
        found = False
        for j in list(left):
            a, b = int(world.joints["body_a"][j]), int(world.joints["body_b"][j])
            if (a in reached) != (b in reached):
                parent, child = (a, b) if a in reached else (b, a)
                edges.append(Edge(j, parent, child, parent == b))
                reached.add(child)
                left.remove(j)
                found = True
        if not found:
            root = next((b for b in starts if b not in reached
                         and any(b in (world.joints["body_a"][j], world.joints["body_b"][j]) for j in left)), None)
            if root is None:
                break
            reached.add(root)
    return edges, left


def axis_direction(world: World, j: int, motion: Motion) -> np.ndarray:
    """Direction (3,) of an axis of a joint, world frame."""
    joint = world.joints[j]
    side, k = {Motion.ALONG_X: ("a", 0), Motion.ALONG_Y: ("a", 1), Motion.ALONG_Z: ("a", 2), Motion.ABOUT_Z: ("a", 2),
               Motion.ABOUT_Z_A: ("a", 2), Motion.ABOUT_X_B: ("b", 0)}[motion]
    body = world.bodies[joint[f"body_{side}"]]
    return rotate(product(body["quat"], joint[f"frame_{side}"]), np.eye(3)[k])


def axis_coordinates(world: World, j: int) -> tuple[list[float], list[float]]:
    """(coordinates [rad] or [m], their rates) of a joint's axes."""
    known, joint = world.joint_kind(j), world.joints[j]
    rows, table = np.zeros(known.rows, ROW), world.joints.copy()
    known.write(table, np.array([j]), np.array([0]), world.bodies, rows, 1e-3)
    a, b = world.bodies[joint["body_a"]], world.bodies[joint["body_b"]]
    turn = b["omega"] - a["omega"]
    point = b["pos"] + rotate(b["quat"], joint["anchor_b"])
    slide = b["vel"] + np.cross(b["omega"], point - b["pos"]) - a["vel"] - np.cross(a["omega"], point - a["pos"])
    rates = []
    for axis in known.axes:
        if axis.motion in (Motion.ALONG_X, Motion.ALONG_Y, Motion.ALONG_Z):
            rates.append(float(axis_direction(world, j, axis.motion) @ slide))
        elif axis.motion in (Motion.ABOUT_Z, Motion.ABOUT_Z_A, Motion.ABOUT_X_B):
            rates.append(float(axis_direction(world, j, axis.motion) @ turn))
        else:
            rates.append(0.0)
    return [float(value) for value in table["coordinate"][j][: len(known.axes)]], rates


def friction_of_axis(world: World, j: int, axis: int, name: str, note: Note) -> tuple[float, float]:
    """(bound of dry friction [N, N m], viscous friction [N s/m, N m s]) of an axis; what else its law has is noted."""
    known = world.joint_kind(j)
    row = known.constraint + axis
    group = next((g for g, one in enumerate(known.friction) if row in one.rows), 0 if len(known.friction) == 1 else None)
    if group is None:
        return 0.0, 0.0
    law = friction_of(world.joints[j], group)
    if law.kinetic not in (-1.0, law.static) or law.load:
        note(f"friction of '{name}': the file has its static bound only, not what depends on speed or load")
    return float(law.static), float(law.viscous)


def cone_corners(radius: float, height: float) -> np.ndarray:
    """Points (n, 3) [m] of a cone as a pyramid of CONE_CORNERS sides."""
    angles = 2.0 * np.pi * np.arange(CONE_CORNERS) / CONE_CORNERS
    base = np.full(CONE_CORNERS, -0.25 * height)
    rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), base])
    return np.vstack([rim, [(0.0, 0.0, 0.75 * height)]])
