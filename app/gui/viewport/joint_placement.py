"""Default place and axis of a joint between two bodies. No window.

Bodies that touch are joined at their contact, others half way between their surfaces, on the line of their centres; rods,
ropes and springs go from centre to centre. The axis of a hinge-like joint is horizontal and across that line, so that
the bodies swing; sliding joints slide along the line. A body is joined to the world at its centre. A joint that couples the
motions of two others takes their axes, and cannot be attached to the world.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.engine.frame import Frame
from app.render.scene.picking import pick
from app.render.scene.transforms import contact_points, joint_points
from physics import joints
from physics.core.records import copy_of

UPWARDS = np.array([0.0, 0.0, 1.0])
SUSPENSION_HEIGHT = 1.0
"""Height above a body at which a rod, rope or spring is attached to the world [m]."""


@dataclass(frozen=True)
class JointPlacement:
    """anchor, axis (3,): point [m] and axis of the joint, world frame; those of body a where b has its own."""

    anchor: np.ndarray
    axis: np.ndarray
    anchor_b: np.ndarray | None = None
    axis_b: np.ndarray | None = None

    def arguments(self) -> dict[str, tuple[float, ...]]:
        """Arguments for the command `join`."""
        return {name: tuple(map(float, value)) for name, value in vars(self).items() if value is not None}


def kinds(to_world: bool) -> dict[str, str]:
    """Kinds of joints to choose from, with their descriptions."""
    return {name: kind.doc for name, kind in joints.kinds().items() if not (kind.pulled or (to_world and kind.couples))}


def place(frame: Frame, kind: str, a: int, b: int) -> JointPlacement:
    """Place of a joint of that kind between a and b in their present poses; a = 0: b to the world."""
    pos = frame.bodies["pos"]
    made = joints.kinds()[kind]
    two = made.anchors > 1
    if a == 0:
        return JointPlacement(pos[b] + SUSPENSION_HEIGHT * UPWARDS, UPWARDS, pos[b]) if two else JointPlacement(pos[b], UPWARDS)
    point, along = common_point(frame, a, b)
    axis = _level(along) if made.across else along
    if made.couples:
        axis = own_axis(frame, a, made.couples[0], axis)
        tangent = np.cross(axis, along) if np.linalg.norm(np.cross(axis, along)) > 1e-3 else _level(axis)
        return JointPlacement(pos[a], axis, pos[b], own_axis(frame, b, made.couples[1],
                                                  axis if made.couples[0] == made.couples[1] else tangent))
    return JointPlacement(pos[a], axis, pos[b]) if two else JointPlacement(point, axis)


def common_point(frame: Frame, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """(point [m], unit direction from a to b): the contact, else half way between the surfaces on the line of centres."""
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
        return pos[a].copy(), UPWARDS
    ends = []
    for body, start, direction in ((a, pos[b], -way), (b, pos[a], way)):
        hit = pick(_alone(frame, body), start, direction)
        ends.append(pos[body] if hit is None else hit[1])
    return 0.5 * (ends[0] + ends[1]), way / length


def own_axis(frame: Frame, body: int, motion: joints.Motion, otherwise: np.ndarray) -> np.ndarray:
    """Axis, world frame, of the joint that bears the body in this motion; `otherwise` if it has none."""
    known = joints.kinds()
    index, _, axes = joint_points(frame, *frame.poses(1.0))
    for j, axis in zip(index.tolist(), axes):
        joint = frame.joints[j]
        if body in (joint["body_a"], joint["body_b"]) and known[frame.joint_kinds[joint["kind"]]].bears(motion):
            return axis
    return otherwise


def _level(along: np.ndarray) -> np.ndarray:
    """Unit vector across a direction, horizontal if that is unique; for a vertical direction along y."""
    across = np.cross(UPWARDS, along)
    size = float(np.linalg.norm(across))
    return across / size if size > 0.05 else np.array([0.0, 1.0, 0.0])


def _alone(frame: Frame, body: int) -> Frame:
    """A frame with the shapes of one body only."""
    shapes = copy_of(frame.shapes)
    shapes["body"][shapes["body"] != body] = -1
    return replace(frame, shapes=shapes)
