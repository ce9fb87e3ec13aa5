"""Editing of bodies: names, kinds, sizes; copies; removed records put back into their slots.

Also the mass properties of a body, and its SHAPE records.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from physics import shapes
from physics.basics.check import BadInput, check_choice, number, shown_value, vector
from physics.basics.frames import inverse, principal_inertia
from physics.basics.quaternions import to_matrix
from physics.basics.warnings import Warnings
from physics.collide import narrow
from physics.core.records import Kind
from physics.shapes import Shape
from physics.shapes._geometry import GeometryPool
from physics.world.table import check_name_unused, set_name

IMPLAUSIBLE = 1e6
"""An inertia off by this factor probably has a wrong unit."""


def check_shape(what: str, shape: shapes.Shape, dynamic: bool, known: tuple[str, ...], met: Iterable[str],
                say: Callable[[str], None] = lambda sentence: None) -> None:
    """Raise BadInput unless kind and sizes are allowed, the mass finite if dynamic, and it can touch the kinds `met`.

    say: called
    with the note of an allowed shape.
    """
    if isinstance(shape, type) or not isinstance(getattr(shape, "kind", None), str):
        raise BadInput(f"{what}: unknown shape {shown_value(shape)}; use one of {', '.join(known)}, with its dimensions, or a "
                       "Compound")
    if shape.kind not in known:
        raise BadInput(f"{what}: unknown shape '{shape.kind}'; allowed: {', '.join(known)}")
    shapes.check_shape(what, shape)
    if dynamic and not math.isfinite(shape.volume()):
        raise BadInput(f"{what}: a {shape.kind} has no finite mass: make the body static or kinematic")
    for kind in met:
        if not narrow.supported(shape.kind, kind):
            raise BadInput(f"{what}: collisions between {shape.kind} and {kind} are not supported")
    if note := getattr(shape, "note", str)():
        say(f"{what}: {note}")


def mass_properties(what: str, shape: shapes.Shape | None, mass: float | None, density: float,
                    inertia: Any, warnings: Warnings) -> tuple[float, np.ndarray]:
    """(mass [kg], inertia tensor (3, 3) [kg m^2]) from what is given; arguments as in `World.add_body`."""
    if shape is None and (mass is None or inertia is None):
        raise BadInput(f"{what} has no shape: specify its mass and inertia")
    if mass is None:
        mass = number(f"{what}: density", density, lo=0.0, hi=1e9, unit="kg/m^3", open_lo=True) * shape.volume()
    mass = number(f"{what}: mass", mass, lo=0.0, hi=1e12, unit="kg", open_lo=True)
    tensor = principal_inertia(what, shape.inertia(mass) if inertia is None else inertia)
    if inertia is not None and shape is not None:
        ratio = np.trace(tensor) / np.trace(principal_inertia(what, shape.inertia(mass)))
        if not 1.0 / IMPLAUSIBLE < ratio < IMPLAUSIBLE:
            warnings.add(f"{what}: its inertia is {ratio:.3g} times that of its shape and mass; check the unit (kg m^2) or omit "
                         "it to compute it from the shape")
    return mass, tensor


def write_shape(record: np.void, shape: shapes.Shape, kind: int, pool: GeometryPool) -> GeometryPool:
    """Write kind, dims, rounding and geometry of a shape into its SHAPE record; the pool with the geometry in it."""
    record["kind"], record["dims"], record["rounding"] = kind, shape.dims, shapes.rounding_of(shape)
    record["geometry"] = -1
    if (data := shapes.geometry_of(shape)) is not None:
        pool, record["geometry"] = pool.add(data)
    return pool


KINDS = {"static": Kind.STATIC, "kinematic": Kind.KINEMATIC, "dynamic": Kind.DYNAMIC}

def check_static_has_no_velocity(what: str, vel: np.ndarray, omega: np.ndarray) -> None:
    """BadInput where a static body is given a velocity."""
    if vel.any() or omega.any():
        raise BadInput(f"{what} is static: vel and omega must be 0; use a kinematic body for prescribed motion")


_FOUND = ("impulse", "friction_impulse", "slip", "limit_impulse", "motor_impulse", "reaction", "load", "error", "residual",
          "case")
"""Fields of a joint that steps compute."""


class BodyEditing:
    """Mixin of `World`: editing."""

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
            BadInput: no such body, or one made of something else; the message names it.
        """
        i = self._check_body(i)
        what, own = f"body '{self.body_names[i]}'", np.flatnonzero(self.shapes["body"] == i)
        if len(own) != 1:
            raise BadInput(f"{what} consists of {len(own) or 'no'} shapes: size and kind can be changed for single shapes only")
        record = self.shapes[own[0]]
        title = self.shape_kinds[record["kind"]]
        kind = self._shape_kinds[title]
        if kind.geometric or not np.any(record["dims"]):
            raise BadInput(f"{what}: the size of a {title.replace('_', ' ')} cannot be changed: replace the body")
        return kind.make(record["dims"])

    def set_shape(self, i: int, shape: Shape) -> None:
        """Make a body of another size or kind of shape, of the same density.

        Raises:
            BadInput: a size out of range, or the old shape is none that can be exchanged. Nothing is changed.
        """
        i = self._check_thing(i)
        old, what, b = self.shape_of(i), f"body '{self.body_names[i]}'", self.bodies[i]
        dynamic = b["kind"] == Kind.DYNAMIC
        check_shape(what, shape, bool(dynamic), self.shape_kinds, self._shape_kinds_present(), self.warnings.add)
        if dynamic:
            mass, tensor = mass_properties(what, shape, None, float(b["mass"]) / old.volume(), None, self.warnings)
            _set_mass(b, mass, tensor)
        record = self.shapes[np.flatnonzero(self.shapes["body"] == i)[0]]
        self.pool = write_shape(record, shape, self.shape_kinds.index(shape.kind), self.pool)
        self.refresh_after_edit()

    def set_kind(self, i: int, kind: str, density: float = 1000.0) -> None:
        """Make a body "static", "kinematic" or "dynamic". density: of one that becomes dynamic [kg/m^3].

        Raises:
            BadInput: the body "world", no such kind, a joint that would tie two bodies that do not move, or a shape whose mass is
                not known. Nothing is changed.
        """
        i = self._check_thing(i)
        check_choice("body kind", kind, KINDS)
        what, b = f"body '{self.body_names[i]}'", self.bodies[i]
        if b["kind"] == KINDS[kind]:
            return
        if kind == "dynamic":
            shape = self.shape_of(i)
            check_shape(what, shape, True, self.shape_kinds, self._shape_kinds_present())
            _set_mass(b, *mass_properties(what, shape, None, density, None, self.warnings))
        else:
            self._check_still_moves(what, i)
            b["vel"], b["omega"], b["mass"], b["inv_mass"] = 0.0, 0.0, 0.0, 0.0
            b["inertia"], b["inv_inertia"], b["inv_inertia_world"] = 0.0, 0.0, 0.0
        b["kind"] = KINDS[kind]
        self.unchecked_bodies.add(i)
        self.refresh_after_edit()

    def copy_body(self, i: int, shift: Any, name: str) -> int:
        """Add a copy of body i, at rest, shift (3,) [m] away in the world frame, without joints; returns its index.

        Raises:
            BadInput: no such body, the body "world", or a name that is taken. Nothing is changed.
        """
        i, shift = self._check_thing(i), vector("shift", shift)
        check_name_unused("the copy", name, self.body_names)
        record, shapes = self.bodies[i].copy(), self.shapes[self.shapes["body"] == i].copy()
        twin = self._bodies.add(lambda bodies: bodies["kind"] == Kind.FREE)
        set_name(self.body_names, twin, name)
        record["pos"] += shift
        for field in ("vel", "omega", "force", "torque", "asleep", "rest_time"):
            record[field] = 0
        record["velocity_lag"] = 0.0
        self.bodies[twin] = record
        for shape in shapes:
            slot = self._shapes.add(lambda table: table["body"] < 0)
            self.shapes[slot] = shape
            self.shapes[slot]["body"] = twin
        self.unchecked_bodies.add(twin)
        self.refresh_after_edit()
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
        check_name_unused("the copy", name, self.joint_names)
        record = self.joints[j].copy()
        for side, body in (("a", a), ("b", b)):
            if record[f"body_{side}"] == body:
                record[f"anchor_{side}"] += shift @ to_matrix(self.bodies["quat"][body])
            record[f"body_{side}"] = body
        for field in _FOUND:
            record[field] = 0
        twin = self._joints.add(lambda joints: joints["kind"] < 0)
        self.joints[twin] = record
        set_name(self.joint_names, twin, name)
        self.refresh_after_edit()
        return twin

    # ---- back into the slots they had

    def put_body(self, i: int, record: np.void, name: str, slots: np.ndarray, shapes: np.ndarray) -> None:
        """Put a body that was removed into its slot again. record: BODY; slots, shapes: of its SHAPE records.

        Raises:
            BadInput: something else is there by now. Nothing is changed.
        """
        free = i < len(self.bodies) and self.bodies["kind"][i] == Kind.FREE
        if not free or np.any(slots >= len(self.shapes)) or np.any(self.shapes["body"][slots] >= 0):
            raise BadInput(f"body '{name}' cannot be restored: its slot is in use")
        check_name_unused(f"body '{name}'", name, self.body_names)
        self.bodies[i], self.body_names[i] = record, name
        self.bodies[i]["asleep"], self.bodies[i]["rest_time"], self.bodies[i]["velocity_lag"] = 0, 0.0, 0.0
        self.shapes[slots] = shapes
        self.unchecked_bodies.add(i)
        self.refresh_after_edit()

    def put_joint(self, j: int, record: np.void, name: str) -> None:
        """Put a joint that was removed into its slot again; record: JOINT. Raises as `put_body`."""
        free = j < len(self.joints) and self.joints["kind"][j] < 0
        if not free or any(self.bodies["kind"][record[side]] == Kind.FREE for side in ("body_a", "body_b")):
            raise BadInput(f"joint '{name}' cannot be restored: its slot is in use")
        check_name_unused(f"joint '{name}'", name, self.joint_names)
        self.joints[j], self.joint_names[j] = record, name
        self.refresh_after_edit()

    def refresh_after_edit(self) -> None:
        """Notify the world that records were written directly: what steps derive from them is rebuilt, and all bodies wake."""
        self._kinds_met = set()
        self._changed()
        self.wake()

    # ---- inside

    def _check_thing(self, i: int | str) -> int:
        i = self._check_body(i)
        if i == 0:
            raise BadInput("body 0, 'world', is the fixed ground and cannot be changed")
        return i

    def _check_still_moves(self, what: str, i: int) -> None:
        """A body that stops being dynamic must leave no joint without a dynamic body."""
        for j in np.flatnonzero(self.joints["kind"] >= 0).tolist():
            pair = (int(self.joints["body_a"][j]), int(self.joints["body_b"][j]))
            if i in pair and self.bodies["kind"][pair[0] + pair[1] - i] != Kind.DYNAMIC:
                raise BadInput(f"{what}: its joint '{self.joint_names[j]}' would connect two immovable bodies: remove the joint "
                               "first")


def _set_mass(b: Any, mass: float, tensor: np.ndarray) -> None:
    b["mass"], b["inv_mass"], b["inertia"], b["inv_inertia"] = mass, 1.0 / mass, tensor, inverse(tensor)


def _new_name(what: str, name: str, names: list[str], own: int) -> str:
    name = name.strip() if isinstance(name, str) else ""
    if not name:
        raise BadInput(f"{what}: the name is empty; give at least one letter")
    check_name_unused(what, name, [other for k, other in enumerate(names) if k != own])
    return name
