"""Where a joint of two bodies goes that a person asks for without saying where, and along which axis. No window.

Two bodies that touch are joined where they touch, others half way between their surfaces, on the line of their centres; rods,
ropes and springs go from centre to centre. A joint that turns like a hinge has its axis level and across that line, so that
the bodies swing; whatever slides, slides along it. To the world a body is joined at its centre.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.engine.frame import Frame
from app.picking import pick
from app.render.place import contact_points, joint_points
from physics import joints
from physics.core.records import copy_of

ACROSS = ("revolute", "universal", "gear", "rack")
"""Kinds whose axis lies across the line of the two bodies; that of the others lies along it."""

GEARED = ("gear", "rack")
"""Kinds that tie the motions of two joints: they take the axes of these, and mean nothing to the world."""

TURN = ("revolute", "cylindrical", "screw")
OF_B = {"gear": TURN, "rack": ("prismatic", "cylindrical")}
"""Kinds of the joints on which wheels turn and racks slide."""

UP = np.array([0.0, 0.0, 1.0])
HANGS = 1.0
"""How far above a body a rod, rope or spring is tied to the world [m]."""


@dataclass(frozen=True)
class Place:
    """anchor, axis (3,): the joint's point [m] and axis, world frame; of a where those of b are given, too."""

    anchor: np.ndarray
    axis: np.ndarray
    anchor_b: np.ndarray | None = None
    axis_b: np.ndarray | None = None

    def arguments(self) -> dict[str, tuple[float, ...]]:
        """For the command `join`."""
        return {name: tuple(map(float, value)) for name, value in vars(self).items() if value is not None}


def kinds(to_world: bool) -> dict[str, str]:
    """Kinds of joints that can be asked for, with what they are."""
    return {name: kind.doc for name, kind in joints.kinds().items() if name != "drag" and not (to_world and name in GEARED)}


def place(frame: Frame, kind: str, a: int, b: int) -> Place:
    """Where a joint of that kind ties a and b as they stand; a = 0: b to the world."""
    pos = frame.bodies["pos"]
    two = joints.kinds()[kind].anchors > 1
    if a == 0:
        return Place(pos[b] + HANGS * UP, UP, pos[b]) if two else Place(pos[b], UP)
    point, along = meeting(frame, a, b)
    axis = _level(along) if kind in ACROSS else along
    if kind in GEARED:
        axis = own_axis(frame, a, TURN, axis)
        tangent = np.cross(axis, along) if np.linalg.norm(np.cross(axis, along)) > 1e-3 else _level(axis)
        return Place(pos[a], axis, pos[b], own_axis(frame, b, OF_B[kind], axis if kind == "gear" else tangent))
    return Place(pos[a], axis, pos[b]) if two else Place(point, axis)


def meeting(frame: Frame, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """(point [m], unit direction from a to b): where they touch, else between their surfaces on the line of their centres."""
    contacts = frame.contacts
    pair = ((contacts["body_a"] == a) & (contacts["body_b"] == b)) | ((contacts["body_a"] == b) & (contacts["body_b"] == a))
    pos, quat = frame.poses(1.0)
    if pair.any():
        touching = contacts[pair]
        sign = np.where(touching["body_a"] == a, 1.0, -1.0)
        normal = (touching["normal"] * sign[:, None]).mean(axis=0)
        if np.linalg.norm(normal) > 1e-6:
            return contact_points(frame, pos, quat, touching).mean(axis=0), normal / np.linalg.norm(normal)
    way = pos[b] - pos[a]
    length = float(np.linalg.norm(way))
    if length < 1e-9:
        return pos[a].copy(), UP
    ends = []
    for body, start, direction in ((a, pos[b], -way), (b, pos[a], way)):
        hit = pick(_alone(frame, body), start, direction)
        ends.append(pos[body] if hit is None else hit[1])
    return 0.5 * (ends[0] + ends[1]), way / length


def own_axis(frame: Frame, body: int, kinds: tuple[str, ...], otherwise: np.ndarray) -> np.ndarray:
    """The axis, world frame, of the joint of such a kind that a body has; otherwise that one."""
    index, _, axes = joint_points(frame, *frame.poses(1.0))
    for j, axis in zip(index.tolist(), axes):
        joint = frame.joints[j]
        if body in (joint["body_a"], joint["body_b"]) and frame.joint_kinds[joint["kind"]] in kinds:
            return axis
    return otherwise


def _level(along: np.ndarray) -> np.ndarray:
    """A unit vector across a direction, level where that is possible in one way only; above one another: along y."""
    across = np.cross(UP, along)
    size = float(np.linalg.norm(across))
    return across / size if size > 0.05 else np.array([0.0, 1.0, 0.0])


def _alone(frame: Frame, body: int) -> Frame:
    """A frame with the shapes of one body."""
    shapes = copy_of(frame.shapes)
    shapes["body"][shapes["body"] != body] = -1
    return replace(frame, shapes=shapes)
