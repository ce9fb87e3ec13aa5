"""The commands that move a joint's points and turn its axis; what `Simulation` inherits.

With x_a, x_b the joint's points and F_a, F_b its frames in the world as the bodies stand, every kind of joint is a condition on
x_b - x_a seen from F_a, and on F_a^-1 F_b. So a joint that is satisfied stays so, with the same coordinates, if

    both points move by the same way,      x' = x + s
    or all turns about x_a by one turn R,  F' = R F,  x_b' - x_a = R (x_b - x_a)

and nobody is pulled by an edit. Where a joint ties two points that may be apart (anchors = 2) each moves alone: a rod is then as
long as it must be, a rope at least so long, a spring is stretched; wheels and racks begin to count anew as they stand.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.poses import back, inside, outside
from app.engine.rewinding import changes
from app.engine.together import Together
from physics import BadInput
from physics.check import vector
from physics.frames import joint_record, product, rotate
from physics.joints import JointKind

SIDES = ("a", "b")
AXIS = np.array([0.0, 0.0, 1.0])
"""Of a joint frame."""
IMPULSES = ("impulse", "friction_impulse", "limit_impulse", "motor_impulse")
"""What a step begins with; they push elsewhere now."""


class Jointing(Together):
    """Where joints are, and along which axis."""

    world: Any

    @changes
    def set_joint_anchor(self, joint: int, side: str, point: Sequence[float]) -> None:
        """Move a joint's point on body "a" or "b" [m, frame of that body]; that on the other one goes along if they must meet.

        Raises:
            BadInput: no such joint or side, a bad number. Nothing is changed.
        """
        known, record, bodies = self._opened(joint, side)
        point = vector(f"joint '{self.world.joint_names[joint]}': anchor in {side}", point)
        way = rotate(bodies[side]["quat"], point - record[f"anchor_{side}"])
        record[f"anchor_{side}"] = point
        if known.anchors == 1:
            other = SIDES[side == "a"]
            record[f"anchor_{other}"] += rotate(back(bodies[other]["quat"]), way)
        else:
            self._fit(joint, known, record, bodies, _axes(record, bodies))
        self._put(joint, record)

    @changes
    def set_joint_axis(self, joint: int, axis: Sequence[float], side: str = "a") -> None:
        """Turn a joint's axis into a direction (3,), world frame; of wheels and racks that of body "a" or "b" alone.

        Raises:
            BadInput: no such joint or side, no direction, a joint without an axis. Nothing is changed.
        """
        known, record, bodies = self._opened(joint, side)
        what = f"joint '{self.world.joint_names[joint]}'"
        if not has_axis(known):
            raise BadInput(f"{what} has no axis to be turned: {known.doc[0].lower()}{known.doc[1:]}")
        axis = vector(f"{what}: axis", axis)
        length = float(np.linalg.norm(axis))
        if not length > 1e-9:
            raise BadInput(f"{what}: axis = {tuple(axis.tolist())} has no direction: give at least one number that is not 0")
        axes = _axes(record, bodies)
        if known.anchors > 1:
            self._fit(joint, known, record, bodies, axes | {side: axis / length})
        else:
            turn = shortest(axes["a"], axis / length)
            start, end = (_point(record, bodies, one) for one in SIDES)
            for one in SIDES:
                record[f"frame_{one}"] = product(back(bodies[one]["quat"]),
                                                 product(turn, product(bodies[one]["quat"], record[f"frame_{one}"])))
            record["anchor_b"] = inside(bodies["b"]["pos"], bodies["b"]["quat"], start + rotate(turn, end - start))
        self._put(joint, record)

    # ---- inside

    def _opened(self, joint: int, side: str) -> tuple[JointKind, np.void, dict[str, np.void]]:
        """(its kind, a copy of its record, its bodies)."""
        known, record = self.world.joint_kind(joint), self.world.joints[joint].copy()
        if side not in SIDES:
            raise BadInput(f"joint '{self.world.joint_names[joint]}' ties body a and body b; there is no side {side!r}")
        return known, record, {one: self.world.bodies[record[f"body_{one}"]] for one in SIDES}

    def _fit(self, joint: int, known: JointKind, record: np.void, bodies: dict[str, np.void],
             axes: dict[str, np.ndarray]) -> None:
        """What follows from the two points as they are now."""
        points = {one: _point(record, bodies, one) for one in SIDES}
        if known.axis:      # wheels and racks
            fresh = joint_record(f"joint '{self.world.joint_names[joint]}'", bodies["a"], bodies["b"], points["a"], axes["a"],
                                 points["b"], axes["b"])
            for one in SIDES:
                for name in ("frame", "rest"):
                    record[f"{name}_{one}"] = fresh[f"{name}_{one}"]
            record["coordinate"] = 0.0
            known.prepare(record, bodies["a"], bodies["b"])
            return
        far, length = float(np.linalg.norm(points["b"] - points["a"])), next(p for p in known.params if p.name == "length")
        if length.field == "param" or (length.field == "limit_hi" and record[length.field][length.slot] < far):
            record[length.field][length.slot] = math.nan
            known.prepare(record, bodies["a"], bodies["b"])

    def _put(self, joint: int, record: np.void) -> None:
        for name in IMPULSES:
            record[name] = 0.0
        self.world.joints[joint] = record
        self.world.was_edited()


def has_axis(known: JointKind) -> bool:
    """Whether a kind of joint has an axis that means anything."""
    return known.axis or (known.anchors == 1 and bool(known.axes))


def shortest(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The quaternion of the shortest turn from one unit vector to another."""
    half = np.concatenate([[1.0 + start @ end], np.cross(start, end)])
    size = float(np.linalg.norm(half))
    if size > 1e-9:
        return half / size
    across = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])       # half a turn about anything across
    return np.concatenate([[0.0], across / np.linalg.norm(across)])


def _axes(record: np.void, bodies: dict[str, np.void]) -> dict[str, np.ndarray]:
    """Unit axes of both frames, world frame."""
    return {one: rotate(product(bodies[one]["quat"], record[f"frame_{one}"]), AXIS) for one in SIDES}


def _point(record: np.void, bodies: dict[str, np.void], side: str) -> np.ndarray:
    """The joint's point on a side, world frame [m]."""
    return outside(bodies[side]["pos"], bodies[side]["quat"], record[f"anchor_{side}"])
