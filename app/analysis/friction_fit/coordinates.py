"""The measured coordinate of a scene: what a quantity's key moves, how it is pushed, how fast it starts. GL-free."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.i18n.message import message
from physics import BadInput, World
from physics.core.quaternions import product, rotate
from physics.core.records import Kind
from physics.joints import Motion
from physics.observe import quantities

SHIFTS = {"x": 0, "y": 1, "z": 2}
ROTATION_AXES = {"roll": 0, "pitch": 1, "yaw": 2}
"""Fields of a body that are coordinates, and their axes in the world."""

RATE_FIELDS = {**{f"v{axis}": axis for axis in SHIFTS}, "omega_x": "roll", "omega_y": "pitch", "omega_z": "yaw"}
"""Fields of a body that are rates, and of which coordinate."""


@dataclass(frozen=True)
class Coordinate:
    """A coordinate by its key: "body:block.x", "joint:hinge.angle". unit: "m" or "rad"; joint: its index, -1 for a body's;
    body: the one that moves, b of a joint; axis: of the body's field, or of the joint."""

    key: str
    unit: str
    joint: int
    body: int
    axis: int

    @property
    def rate_key(self) -> str:
        """Key of its velocity."""
        table, _, rest = self.key.partition(":")
        name, _, field = rest.rpartition(".")
        if table == "body":
            return f"body:{name}.{next(rate for rate, of in RATE_FIELDS.items() if of == field)}"
        return f"joint:{name}.{'rate' if field == 'angle' else f'{field}_rate'}"

    @property
    def force_unit(self) -> str:
        return "N" if self.unit == "m" else "N m"


def coordinate(world: World, key: str) -> Coordinate:
    """The coordinate of that key.

    Raises:
        BadInput: there is no such quantity, or it is no coordinate.
    """
    quantity = quantities.find(world, key)
    table, _, rest = key.partition(":")
    name, _, field = rest.rpartition(".")
    if table == "body" and field in SHIFTS | ROTATION_AXES:
        index = int(name[1:]) if name.startswith("#") else world.body(name)
        return Coordinate(key, quantity.unit, -1, index, (SHIFTS | ROTATION_AXES)[field])
    if table == "joint":
        j = int(name[1:]) if name.startswith("#") else world.joint(name)
        axes = [axis.name for axis in world.joint_kind(j).axes]
        if axes and (field in axes or field == "angle"):
            return Coordinate(key, quantity.unit, j, int(world.joints["body_b"][j]), axes.index(field) if field in axes else 0)
    raise BadInput(message("'{key}' is no position and no angle: name one such as body:NAME.x or joint:NAME.angle", key=key))


def of_rate(key: str) -> str:
    """Key of the coordinate of a rate; "" if it is none."""
    table, _, rest = key.partition(":")
    name, _, field = rest.rpartition(".")
    if table == "body" and field in RATE_FIELDS:
        return f"body:{name}.{RATE_FIELDS[field]}"
    if table == "joint" and field.endswith("rate"):
        return f"joint:{name}.{field.removesuffix('_rate') if field != 'rate' else 'angle'}"
    return ""


def frame_axis(world: World, at: Coordinate) -> np.ndarray:
    """Unit vector (3,) along or about which the coordinate moves, world frame.

    Raises:
        BadInput: it has no such axis.
    """
    if at.joint < 0:
        return np.eye(3)[at.axis]
    joint = world.joints[at.joint]
    if world.joint_kind(at.joint).axes[at.axis].motion not in (Motion.ALONG_Z, Motion.ABOUT_Z):
        raise BadInput(message("'{key}' cannot be pushed: only hinges and sliders take a measured force", key=at.key))
    return rotate(product(world.bodies["quat"][joint["body_a"]], joint["frame_a"]), np.array([0.0, 0.0, 1.0]))


def push(world: World, at: Coordinate, value: float) -> None:
    """Apply a force [N] or torque [N m] along the coordinate for the next part of a step, and its reaction on the joint's other
    body."""
    vector = value * frame_axis(world, at)
    if at.joint < 0:
        if at.unit == "m":
            world.apply_force(at.body, vector)
        else:
            world.apply_torque(at.body, vector)
        return
    joint = world.joints[at.joint]
    b = world.bodies[joint["body_b"]]
    point = b["pos"] + rotate(b["quat"], joint["anchor_b"])
    for body, sign in ((joint["body_b"], 1.0), (joint["body_a"], -1.0)):
        if world.bodies["kind"][body] == Kind.DYNAMIC:
            if at.unit == "m":
                world.apply_force(int(body), sign * vector, point)
            else:
                world.apply_torque(int(body), sign * vector)


def pushed_by(at: Coordinate, times: np.ndarray, values: np.ndarray, delay: float) -> Callable[[World], None]:
    """A driver that applies a measured force, linear between its samples and none outside: in each part of a step its mean over
    that part. delay: of the measured times [s]."""
    impulse = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times))])

    def until(t: float) -> float:
        n = int(np.clip(np.searchsorted(times, t) - 1, 0, len(times) - 2))
        past = np.clip(t, times[0], times[-1]) - times[n]
        slope = (values[n + 1] - values[n]) / (times[n + 1] - times[n])
        return float(impulse[n] + past * (values[n] + 0.5 * slope * past))

    def drive(world: World) -> None:
        start = world.time + delay
        force = (until(start + world.driver_dt) - until(start)) / world.driver_dt
        if force:
            push(world, at, force)
    return drive


def set_rate(world: World, at: Coordinate, rate: float) -> None:
    """Change the velocity of the coordinate [m/s], [rad/s]; other coordinates keep theirs."""
    if at.joint < 0:
        name = "vel" if at.unit == "m" else "omega"
        found = {one: world.bodies[one][at.body].copy() for one in ("vel", "omega")}
        found[name][at.axis] = rate
        world.set_velocity(at.body, found["vel"], found["omega"])
        return
    space, k = joint_place(world, at)
    for body in np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC).tolist():
        gain = (rate - space.qd[k]) * space.jacobian(body)[:, k]
        if gain.any():
            world.set_velocity(body, world.bodies["vel"][body] + gain[3:], world.bodies["omega"][body] + gain[:3])


def joint_place(world: World, at: Coordinate) -> tuple:
    """(joint space of the world, number of the coordinate in it).

    Raises:
        BadInput: the joint closes a loop, or is none of a tree.
    """
    space, name = world.joint_space(), world.joint_names[at.joint] or f"joint {at.joint}"
    axis = world.joint_kind(at.joint).axes[at.axis].name
    for wanted in (name, f"{name}.{axis}"):
        if wanted in space.names:
            return space, space.names.index(wanted)
    raise BadInput(message("'{key}' is no coordinate of a tree of joints: it closes a loop, or its joint is a spring or a rope",
                           key=at.key))


def turn_to(world: World, at: Coordinate, change: float) -> None:
    """Move the body of a hinge or slider by a change of its coordinate [rad], [m], with all that it carries; its joint then reads
    that much more.

    Raises:
        BadInput: it has no such axis, or is no coordinate of a tree.
    """
    frame_axis(world, at)
    space, k = joint_place(world, at)
    name = world.joint_names[at.joint] or f"joint {at.joint}"
    first = next(n for n, own in enumerate(space.names) if own == name or own.startswith(f"{name}."))
    places, _ = world.joint_coordinates(at.joint)
    places[k - first] += change
    world.set_joint_coordinates(at.joint, places)


def inertia_along(world: World, at: Coordinate) -> float:
    """Inertia that the coordinate sees [kg], [kg m^2]; that of its body alone where it is no coordinate of a tree."""
    if at.joint >= 0:
        try:
            space, k = joint_place(world, at)
            return float(space.H[k, k])
        except BadInput:
            pass
    body = world.bodies[at.body]
    return float(body["mass"]) if at.unit == "m" else float(np.trace(body["inertia"])) / 3.0
