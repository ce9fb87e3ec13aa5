"""The joints' side of a world: adding, removing and changing them."""

from collections.abc import Sequence

import numpy as np

from physics import joints as joint_package
from physics.check import name_hint, number
from physics.core.records import JOINT, Kind
from physics.errors import BadInput
from physics.frames import joint_frames
from physics.names import check_free, find, put
from physics.table import Table


class Jointed:
    """What `World` inherits: its table of joints."""

    bodies: np.ndarray
    body_names: list[str]

    def __init__(self) -> None:
        super().__init__()
        self._joint_kinds = joint_package.kinds()
        self.joint_kinds = tuple(self._joint_kinds)
        self._joints = Table(JOINT)
        self.joint_names: list[str] = []

    @property
    def joints(self) -> np.ndarray:
        """JOINT records, a view; valid until the next addition."""
        return self._joints.records

    def joint(self, name: str) -> int:
        """Index of the joint of that name."""
        return find("joint", name, self.joint_names)

    def add_joint(self, kind: str, a: int, b: int, *, anchor: Sequence[float],
                  axis: Sequence[float] = (0.0, 0.0, 1.0), max_friction: float = 0.0, collide: bool = False,
                  name: str = "", **param: float) -> int:
        """Join two bodies as they stand now and return the joint's index.

        Args:
            kind: one of `joint_kinds`.
            a, b: bodies; a = 0 joins b to the world.
            anchor: the joint's point, world frame [m].
            axis: the joint's axis, world frame, of any length.
            max_friction: bound of the dry friction, F_max of MS16 eq 8 [N m], or [N] for a slider or the mouse.
            collide: whether the two bodies also collide with one another.
            name: unique; "" gives "joint 3".
            param: what the kind has besides, see its file.

        Raises:
            BadInput: unknown kind or parameter, a body joined to itself or to nothing that moves, a bad number. Nothing is added.
        """
        if kind not in self._joint_kinds:
            raise BadInput(f"there is no joint '{kind}'; there are: {', '.join(self.joint_kinds)}")
        what = f"joint '{name}'" if name else "the joint"
        self._check_body(a)
        self._check_body(b)
        if a == b:
            raise BadInput(f"{what} joins body '{self.body_names[a]}' to itself: name two different bodies")
        if Kind.DYNAMIC not in (self.bodies["kind"][a], self.bodies["kind"][b]):
            raise BadInput(f"{what} joins '{self.body_names[a]}' and '{self.body_names[b]}', neither of which can move")
        bound = number(f"{what}: max_friction", max_friction, lo=0.0, hi=1e9)
        given = dict(self._joint_kinds[kind].params)
        for key, value in param.items():
            if key not in given:
                raise BadInput(f"{what}: a {kind} joint has no parameter '{key}'{name_hint(key, given)}")
            given[key] = number(f"{what}: {key}", value, lo=0.0)
        record = joint_frames(what, self.bodies[a], self.bodies[b], anchor, axis)
        check_free(what, name, self.joint_names)

        j = self._joints.add(self.joints["kind"] < 0)
        self.joints[j] = record
        self.joints[j]["kind"] = self.joint_kinds.index(kind)
        self.joints[j]["body_a"], self.joints[j]["body_b"] = a, b
        self.joints[j]["max_friction"], self.joints[j]["collide"] = bound, collide
        self.joints[j]["param"][: len(given)] = list(given.values())
        put(self.joint_names, j, name or f"joint {j}")
        self._changed()
        return j

    def remove_joint(self, j: int) -> None:
        """Remove a joint."""
        self._check_joint(j)
        self.joints[j] = np.zeros((), JOINT)
        self.joints[j]["kind"] = -1
        self.joint_names[j] = ""
        self._changed()

    def set_joint_friction(self, bound: float, joint: int | None = None) -> None:
        """Bound of the dry friction of one joint, or of all but the mouse [N m] or [N]."""
        bound = number("joint friction", bound, lo=0.0, hi=1e9)
        if joint is not None:
            self._check_joint(joint)
            self.joints["max_friction"][joint] = bound
        else:
            self.joints["max_friction"][self.joints["kind"] != self.joint_kinds.index("drag")] = bound

    def _check_joint(self, j: int) -> None:
        if not 0 <= j < len(self.joints) or self.joints["kind"][j] < 0:
            raise BadInput(f"there is no joint {j}")
