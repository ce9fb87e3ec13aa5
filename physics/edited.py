"""What a person changes of the things in a world: names, kinds, sizes; and records put back into the slots they had."""

from typing import Any

import numpy as np

from physics import matter
from physics.check import one_of, vector
from physics.core.records import Kind
from physics.errors import BadInput
from physics.frames import inverse, rotation
from physics.names import check_free, put
from physics.shapes import Shape

KINDS = {"static": Kind.STATIC, "kinematic": Kind.KINEMATIC, "dynamic": Kind.DYNAMIC}

def check_still(what: str, vel: np.ndarray, omega: np.ndarray) -> None:
    """BadInput where a static body is given a velocity."""
    if vel.any() or omega.any():
        raise BadInput(f"{what} is static and never moves: its vel and omega must be 0; make it kinematic to move it")


_FOUND = ("impulse", "friction_impulse", "slip", "limit_impulse", "motor_impulse", "reaction", "load", "error", "residual",
          "case")
"""What steps find out about a joint."""


class Edited:
    """What `World` inherits: its side of editing by hand."""

    bodies: np.ndarray
    shapes: np.ndarray
    joints: np.ndarray
    body_names: list[str]
    joint_names: list[str]

    def rename_body(self, i: int, name: str) -> None:
        """Give a body another name, which no other body has.

        Raises:
            BadInput: no such body, the body "world", no name, or one that is taken. Nothing is changed.
        """
        i = self._check_thing(i)
        self.body_names[i] = _new_name(f"body '{self.body_names[i]}'", name, self.body_names, i)

    def rename_joint(self, j: int, name: str) -> None:
        """Give a joint another name, which no other joint has; raises as `rename_body`."""
        j = self._check_joint(j)
        self.joint_names[j] = _new_name(f"joint '{self.joint_names[j]}'", name, self.joint_names, j)

    def shape_of(self, i: int) -> Shape:
        """The shape of a body that is made of one, which three numbers describe.

        Raises:
            BadInput: no such body, or one made of something else; the sentence says what.
        """
        i = self._check_body(i)
        what, own = f"body '{self.body_names[i]}'", np.flatnonzero(self.shapes["body"] == i)
        if len(own) != 1:
            raise BadInput(f"{what} is made of {len(own) or 'no'} shapes: size and kind of one shape alone can be changed")
        record = self.shapes[own[0]]
        title = self.shape_kinds[record["kind"]]
        kind = self._shape_kinds[title]
        if kind.geometric or not np.any(record["dims"]):
            raise BadInput(f"{what}: a {title.replace('_', ' ')} has no size that can be changed: put another body in its place")
        return kind.make(record["dims"])

    def set_shape(self, i: int, shape: Shape) -> None:
        """Make a body of another size or kind of shape, of the same density.

        Raises:
            BadInput: a size out of range, or the old shape is none that can be exchanged. Nothing is changed.
        """
        i = self._check_thing(i)
        old, what, b = self.shape_of(i), f"body '{self.body_names[i]}'", self.bodies[i]
        dynamic = b["kind"] == Kind.DYNAMIC
        matter.check(what, shape, bool(dynamic), self.shape_kinds, self._met(), self.warnings.add)
        if dynamic:
            mass, tensor = matter.mass_properties(what, shape, None, float(b["mass"]) / old.volume(), None, self.warnings)
            _give_mass(b, mass, tensor)
        record = self.shapes[np.flatnonzero(self.shapes["body"] == i)[0]]
        self.pool = matter.describe(record, shape, self.shape_kinds.index(shape.kind), self.pool)
        self.was_edited()

    def set_kind(self, i: int, kind: str, density: float = 1000.0) -> None:
        """Make a body "static", "kinematic" or "dynamic". density: of one that becomes dynamic [kg/m^3].

        Raises:
            BadInput: the body "world", no such kind, a joint that would tie two bodies that do not move, or a shape whose mass is
                not known. Nothing is changed.
        """
        i = self._check_thing(i)
        one_of("body kind", kind, KINDS)
        what, b = f"body '{self.body_names[i]}'", self.bodies[i]
        if b["kind"] == KINDS[kind]:
            return
        if kind == "dynamic":
            shape = self.shape_of(i)
            matter.check(what, shape, True, self.shape_kinds, self._met())
            _give_mass(b, *matter.mass_properties(what, shape, None, density, None, self.warnings))
        else:
            self._check_still_moves(what, i)
            b["vel"], b["omega"], b["mass"], b["inv_mass"] = 0.0, 0.0, 0.0, 0.0
            b["inertia"], b["inv_inertia"], b["inv_inertia_world"] = 0.0, 0.0, 0.0
        b["kind"] = KINDS[kind]
        self.unseen.add(i)
        self.was_edited()

    def copy_body(self, i: int, shift: Any, name: str) -> int:
        """Add a body like body i, at rest and `shift` (3,) [m] away, without its joints; returns its index."""
        i, shift = self._check_thing(i), vector("shift", shift)
        check_free("the copy", name, self.body_names)
        record, shapes = self.bodies[i].copy(), self.shapes[self.shapes["body"] == i].copy()
        twin = self._bodies.add(lambda bodies: bodies["kind"] == Kind.FREE)
        put(self.body_names, twin, name)
        record["pos"] += shift
        for field in ("vel", "omega", "force", "torque", "asleep", "calm"):
            record[field] = 0
        record["since"] = 0.0
        self.bodies[twin] = record
        for shape in shapes:
            slot = self._shapes.add(lambda table: table["body"] < 0)
            self.shapes[slot] = shape
            self.shapes[slot]["body"] = twin
        self.unseen.add(twin)
        self.was_edited()
        return twin

    def copy_joint(self, j: int, a: int, b: int, shift: Any, name: str) -> int:
        """Add a joint like joint j, with its laws, limits and motors, between bodies a and b; returns its index.

        a, b: they stand to one another as those of joint j; the one that is the same stays where it is and holds the new joint
        `shift` (3,) [m] away, world frame.

        Raises:
            BadInput: no such joint or body, or neither of them moves. Nothing is changed.
        """
        j, shift = self._check_joint(j), vector("shift", shift)
        a, b = self._check_bodies("the copy", a, b)
        check_free("the copy", name, self.joint_names)
        record = self.joints[j].copy()
        for side, body in (("a", a), ("b", b)):
            if record[f"body_{side}"] == body:
                record[f"anchor_{side}"] += shift @ rotation(self.bodies["quat"][body])
            record[f"body_{side}"] = body
        for field in _FOUND:
            record[field] = 0
        twin = self._joints.add(lambda joints: joints["kind"] < 0)
        self.joints[twin] = record
        put(self.joint_names, twin, name)
        self.was_edited()
        return twin

    # ---- back into the slots they had

    def put_body(self, i: int, record: np.void, name: str, slots: np.ndarray, shapes: np.ndarray) -> None:
        """Put a body that was removed into its slot again. record: BODY; slots, shapes: of its SHAPE records.

        Raises:
            BadInput: something else is there by now. Nothing is changed.
        """
        free = i < len(self.bodies) and self.bodies["kind"][i] == Kind.FREE
        if not free or np.any(slots >= len(self.shapes)) or np.any(self.shapes["body"][slots] >= 0):
            raise BadInput(f"body '{name}' cannot be put back: something else has taken its place")
        check_free(f"body '{name}'", name, self.body_names)
        self.bodies[i], self.body_names[i] = record, name
        self.bodies[i]["asleep"], self.bodies[i]["calm"], self.bodies[i]["since"] = 0, 0.0, 0.0
        self.shapes[slots] = shapes
        self.unseen.add(i)
        self.was_edited()

    def put_joint(self, j: int, record: np.void, name: str) -> None:
        """Put a joint that was removed into its slot again; record: JOINT. Raises as `put_body`."""
        free = j < len(self.joints) and self.joints["kind"][j] < 0
        if not free or any(self.bodies["kind"][record[side]] == Kind.FREE for side in ("body_a", "body_b")):
            raise BadInput(f"joint '{name}' cannot be put back: something else has taken its place")
        check_free(f"joint '{name}'", name, self.joint_names)
        self.joints[j], self.joint_names[j] = record, name
        self.was_edited()

    def was_edited(self) -> None:
        """Fields of records were written by hand: whatever steps derive from them is made anew, and nothing sleeps on."""
        self._kinds_met = set()
        self._changed()
        self.wake()

    # ---- inside

    def _check_thing(self, i: int | str) -> int:
        i = self._check_body(i)
        if i == 0:
            raise BadInput("body 0, 'world', is the ground of everything and stays as it is")
        return i

    def _check_still_moves(self, what: str, i: int) -> None:
        """Whoever stops to be dynamic must leave no joint without a body that moves."""
        for j in np.flatnonzero(self.joints["kind"] >= 0).tolist():
            pair = (int(self.joints["body_a"][j]), int(self.joints["body_b"][j]))
            if i in pair and self.bodies["kind"][pair[0] + pair[1] - i] != Kind.DYNAMIC:
                raise BadInput(f"{what}: its joint '{self.joint_names[j]}' would tie two bodies that do not move: "
                               "remove the joint first")


def _give_mass(b: Any, mass: float, tensor: np.ndarray) -> None:
    b["mass"], b["inv_mass"], b["inertia"], b["inv_inertia"] = mass, 1.0 / mass, tensor, inverse(tensor)


def _new_name(what: str, name: str, names: list[str], own: int) -> str:
    name = name.strip() if isinstance(name, str) else ""
    if not name:
        raise BadInput(f"{what}: an empty name; give it at least one letter")
    check_free(what, name, [other for k, other in enumerate(names) if k != own])
    return name
