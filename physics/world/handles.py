"""Bodies and joints as objects: their numbers by name, checked when set. Each is its index, too, and is taken wherever one is.

    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 1))
    box.vel = (1, 0, 0)                     # as world.set_velocity
    world.bodies["pos"][box]                # as an index into the tables

A handle reads the tables anew each time. It stays valid until its body or joint is removed; then a slot may be used again.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from physics.core.check import BadInput
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Drive, Kind
from physics.joints._settings import Friction, Motor, friction_of
from physics.observe import contact_impulses, joint_quantities
from physics.world.table import body_index, joint_index, shape_indices


class _Handle(int):
    """An index into a table of a world, which prints as a number, and is copied and pickled as one."""

    world: Any

    def __new__(cls, index: int, world: Any) -> Self:
        made = super().__new__(cls, index)
        made.world = world
        return made

    __str__ = int.__repr__
    __format__ = int.__format__

    def __reduce__(self) -> tuple:
        return int, (int(self),)


class Body(_Handle):
    """A body of a world. Vectors are copies, in the world frame."""

    def __repr__(self) -> str:
        record = self._record
        where = ", ".join(f"{x:.6g}" for x in record["pos"])
        mass = f", {self.mass:.6g} kg" if self.kind == "dynamic" else ""
        return f"<body {int(self)} '{self.name}': {self.kind}{mass} at ({where}) m>"

    @property
    def _record(self) -> np.void:
        return self.world.bodies[body_index(self.world, int(self))]

    @property
    def name(self) -> str:
        """Unique name; settable."""
        return self.world.body_names[self]

    @name.setter
    def name(self, name: str) -> None:
        self.world.rename_body(int(self), name)

    @property
    def kind(self) -> str:
        """"dynamic", "static" or "kinematic"; settable."""
        return Kind.name_of(self._record["kind"])

    @kind.setter
    def kind(self, kind: str) -> None:
        self.world.set_kind(int(self), kind)

    @property
    def pos(self) -> np.ndarray:
        """Centre of mass (3,) [m]; settable."""
        return self._record["pos"].copy()

    @pos.setter
    def pos(self, pos: Sequence[float]) -> None:
        self.world.set_pose(int(self), pos, self.quat)

    @property
    def quat(self) -> np.ndarray:
        """Orientation (w, x, y, z), body to world; settable."""
        return self._record["quat"].copy()

    @quat.setter
    def quat(self, quat: Sequence[float]) -> None:
        self.world.set_pose(int(self), self.pos, quat)

    @property
    def vel(self) -> np.ndarray:
        """Velocity (3,) [m/s]; settable."""
        return self._record["vel"].copy()

    @vel.setter
    def vel(self, vel: Sequence[float]) -> None:
        self.world.set_velocity(int(self), vel, self.omega)

    @property
    def omega(self) -> np.ndarray:
        """Angular velocity (3,) [rad/s]; settable."""
        return self._record["omega"].copy()

    @omega.setter
    def omega(self, omega: Sequence[float]) -> None:
        self.world.set_velocity(int(self), self.vel, omega)

    @property
    def mass(self) -> float:
        """Mass [kg], 0 if not dynamic; settable, the inertia with it."""
        return float(self._record["mass"])

    @mass.setter
    def mass(self, mass: float) -> None:
        self.world.set_mass(int(self), mass)

    @property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the centre of mass, body frame [kg m^2]."""
        return self._record["inertia"].copy()

    @property
    def friction(self) -> float:
        """Friction coefficient mu of its surface, of its first shape; settable."""
        return self._of_surface("friction")

    @friction.setter
    def friction(self, mu: float) -> None:
        self.world.set_friction(mu, int(self))

    @property
    def restitution(self) -> float:
        """Restitution e of its surface, of its first shape; settable."""
        return self._of_surface("restitution")

    @restitution.setter
    def restitution(self, e: float) -> None:
        self.world.set_restitution(e, int(self))

    @property
    def data(self) -> dict[str, Any]:
        """What a program keeps with the body, by name; no step reads it, no snapshot and no file holds it."""
        return self.world.body_data.setdefault(body_index(self.world, int(self)), {})

    @property
    def asleep(self) -> bool:
        """Whether it sleeps."""
        return bool(self._record["asleep"])

    @property
    def kinetic_energy(self) -> float:
        """Of translation and rotation [J]; 0 if not dynamic."""
        record, spin = self._record, self.to_body(self.omega)
        return 0.5 * float(record["mass"] * (record["vel"] @ record["vel"]) + spin @ record["inertia"] @ spin)

    def to_world(self, point: Sequence[float]) -> np.ndarray:
        """The world point (3,) [m] of a point in the body's frame."""
        return self.pos + rotate(self.quat, np.asarray(point, float))

    def to_body(self, vector: Sequence[float]) -> np.ndarray:
        """A world vector (3,) along the body's axes."""
        return rotate(conjugate(self.quat), np.asarray(vector, float))

    def velocity_at(self, point: Sequence[float]) -> np.ndarray:
        """Velocity (3,) [m/s] of its material point at a world point [m]."""
        return self.vel + np.cross(self.omega, np.asarray(point, float) - self.pos)

    def apply_force(self, force: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Apply a force (3,) [N] in the next step, at a world point [m], or at the centre of mass."""
        self.world.apply_force(int(self), force, point)

    def apply_torque(self, torque: Sequence[float]) -> None:
        """Apply a torque (3,) [N m] in the next step."""
        self.world.apply_torque(int(self), torque)

    def remove(self, with_joints: bool = False) -> None:
        """Remove it from its world."""
        self.world.remove_body(int(self), with_joints)

    @property
    def contact_force(self) -> np.ndarray:
        """Sum (3,) [N] of the contact forces on it in the last step, world frame; along its own axes: `to_body` of it."""
        return self._contact_wrench()[:3]

    @property
    def contact_torque(self) -> np.ndarray:
        """Torque (3,) [N m] of the contacts on it about its centre of mass in the last step, world frame."""
        return self._contact_wrench()[3:]

    def _contact_wrench(self) -> np.ndarray:
        """Force and torque about the centre of mass of all contacts, (6,)."""
        world = self.world
        return contact_impulses.of_step(world)[body_index(world, int(self))] / world.impulse_duration

    def _of_surface(self, name: str) -> float:
        own = shape_indices(self.world, int(self))
        if not len(own):
            raise BadInput(f"body '{self.name}' has no shape, so it has no surface")
        return float(self.world.shapes[name][own[0]])


class Joint(_Handle):
    """A joint of a world. `angle`, `rate`, `motor` ... of the only axis; `value(name)` reads any of its quantities."""

    def __repr__(self) -> str:
        record = self._record
        a, b = (self.world.body_names[record[side]] for side in ("body_a", "body_b"))
        return f"<joint {int(self)} '{self.name}': {self.kind} of '{a}' and '{b}'>"

    @property
    def _record(self) -> np.void:
        return self.world.joints[joint_index(self.world, int(self))]

    @property
    def name(self) -> str:
        """Unique name; settable."""
        return self.world.joint_names[self]

    @name.setter
    def name(self, name: str) -> None:
        self.world.rename_joint(int(self), name)

    @property
    def kind(self) -> str:
        """Its kind, as in `add_joint`."""
        return self.world.joint_kinds[self._record["kind"]]

    def value(self, name: str) -> float:
        """A quantity by its name: angle, travel, rate, friction, motor, limit, reaction, torque, error ...

        Raises:
            BadInput: it has none of that name; the message lists those that it has.
        """
        known = joint_quantities.fields_of(self.world.joint_kind(int(self)))
        if name not in known:
            raise BadInput(f"joint '{self.name}' has no quantity '{name}'; it has: {', '.join(known)}")
        return known[name].read(self.world, int(self))

    @property
    def angle(self) -> float:
        """Coordinate of its axis [rad], or travel [m]; of several axes the angle, else the first. Settable where it is the only
        one, as `q`."""
        return self.value("angle")

    @angle.setter
    def angle(self, angle: float) -> None:
        self.q = angle

    @property
    def rate(self) -> float:
        """Rate of that coordinate [rad/s] or [m/s]; settable where it is the only one, as `qd`."""
        return self.value("rate")

    @rate.setter
    def rate(self, rate: float) -> None:
        self.qd = rate

    @property
    def q(self) -> np.ndarray:
        """Its coordinates: slides [m], turns [rad], a quaternion where all turns are free. Setting them moves b (a, if only b is
        held) and all that hangs from it; one number does where there is one coordinate.

        Raises:
            BadInput: it has none, or another joint would be torn open; the world is unchanged.
        """
        return self.world.joint_coordinates(int(self))[0]

    @q.setter
    def q(self, q: float | Sequence[float]) -> None:
        self.world.set_joint_coordinates(int(self), q=q)

    @property
    def qd(self) -> np.ndarray:
        """Rates of its coordinates [m/s], [rad/s], three for a quaternion; settable as `q`."""
        return self.world.joint_coordinates(int(self))[1]

    @qd.setter
    def qd(self, qd: float | Sequence[float]) -> None:
        self.world.set_joint_coordinates(int(self), qd=qd)

    @property
    def data(self) -> dict[str, Any]:
        """What a program keeps with the joint, as `Body.data`."""
        return self.world.joint_data.setdefault(joint_index(self.world, int(self)), {})

    @property
    def friction(self) -> Friction:
        """Friction law of its first group of directions; settable, also by a bound alone."""
        return friction_of(self._record, 0)

    @friction.setter
    def friction(self, law: Friction | float) -> None:
        self.world.set_joint_friction(law, int(self))

    @property
    def friction_torque(self) -> float:
        """Dry and viscous friction in the last step [N m] or [N]."""
        return self.value("friction")

    @property
    def motor_torque(self) -> float:
        """Torque or force of its motor in the last step [N m] or [N]; 0 without a motor. Of several, `value` has each by name."""
        record = self._record
        driven = np.flatnonzero(record["motor_mode"] != Drive.OFF)
        if len(driven) > 1:
            raise BadInput(f"joint '{self.name}' has {len(driven)} motors: ask for one by its axis, as value(\"x_motor\")")
        return float(record["motor_impulse"][driven].sum()) / self.world.impulse_duration

    @property
    def reaction(self) -> float:
        """Size of its reaction force in the last step [N]."""
        return self.value("reaction")

    @property
    def torque(self) -> float:
        """Size of the torque that it transmitted about its point in the last step [N m]."""
        return self.value("torque")

    def wrench(self, frame: int | str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(force (3,) [N], torque (3,) [N m] about the joint's point) by which it acted on b in the last step: a force sensor.

        frame: the body along whose axes they are; None: the world.
        """
        world = self.world
        found = [impulse / world.impulse_duration for impulse in joint_quantities.point_impulse(world, int(self))]
        if frame is not None:
            axes = conjugate(joint_quantities.acted_at(world, body_index(world, frame)))
            found = [rotate(axes, one) for one in found]
        return found[0], found[1]

    def apply_torque(self, torque: float, axis: str = "") -> None:
        """Apply a torque [N m], or a force [N] along what slides, between its bodies in the next step: a torque motor."""
        self.world.apply_joint_torque(int(self), torque, axis)

    def drive(self, motor: Motor | None, axis: str = "") -> None:
        """Set the motor of an axis; None: no motor. axis: "" if there is only one."""
        self.world.set_joint_motor(int(self), motor, axis)

    def limit(self, lo: float | None, hi: float | None, axis: str = "") -> None:
        """Set the limits of an axis [rad] or [m]; None: no limit."""
        self.world.set_joint_limits(int(self), lo, hi, axis)

    def remove(self) -> None:
        """Remove it from its world."""
        self.world.remove_joint(int(self))
