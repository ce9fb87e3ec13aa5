"""Helpers for scenes: ground, coloured bodies, static blocks, forces over time, onset of a motion. Colours are group numbers; the
viewer has the palette."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics import Box, Motor, Plane, TriangleMesh, World
from physics.core.records import Kind
from scenes import Prediction, Trace

G = 9.81
"""Gravity of a new world [m/s^2]."""

GREY = 0
"""Colour group of static bodies."""

LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Quaternion that turns the axis z of a cylinder to -y: a wheel that rolls along x."""


def ground(world: World, friction: float = 0.5, restitution: float = 0.0) -> int:
    """Add the horizontal floor z = 0."""
    return world.add_body(Plane(), kind="static", friction=friction, restitution=restitution, name="ground")


def turned(axis: tuple[float, float, float], angle: float) -> tuple[float, float, float, float]:
    """Quaternion of a rotation about a unit axis; angle [rad]."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


def add(world: World, shape: object, pos: tuple[float, float, float], *, group: int = 1, **more: object) -> int:
    """Add a body with a shape and a colour group."""
    body = world.add_body(shape, pos=pos, **more)
    world.bodies["group"][body] = group
    return body


def block(world: World, half: tuple[float, float, float], pos: tuple[float, float, float], **more: object) -> int:
    """Add a static grey box: a wall, a post, a shelf."""
    return add(world, Box(half), pos, kind="static", group=GREY, **more)


def strip(x: np.ndarray, z: np.ndarray, half_width: float) -> TriangleMesh:
    """A surface along y through the points (n,) x, z [m] with growing x, seen from above."""
    vertices = np.array([(a, y, c) for a, c in zip(x, z, strict=True) for y in (-half_width, half_width)])
    first = 2 * np.arange(len(x) - 1)
    return TriangleMesh(vertices, np.vstack([np.column_stack([first, first + 2, first + 1]),
                                             np.column_stack([first + 1, first + 2, first + 3])]))


def mark(world: World, x: float, y: float, name: str, half_width: float = 0.2) -> int:
    """Add a line across x on the floor that touches nothing."""
    return block(world, (0.01, half_width, 0.002), (x, y, 0.0), mask=0, name=name)


def middle(world: World) -> float:
    """Time [s] at the middle of the part of the step that comes, at which a driver evaluates its force or speed: drivers are
    called before each part (physics/stepping/drivers.py)."""
    return world.time + 0.5 * world.driver_dt


def push(world: World, body: int, force: Callable[[World], Sequence[float]],
         point: Callable[[World], Sequence[float]] | None = None) -> None:
    """Add a driver that applies force(world) [N] to a body at point(world) [m, world], its centre if None, while it exists."""
    def drive(world: World) -> None:
        if body < len(world.bodies) and world.bodies["kind"][body] == Kind.DYNAMIC:
            world.apply_force(body, tuple(force(world)), None if point is None else tuple(point(world)))

    world.drivers.append(drive)


def carry(world: World, body: int, velocity: Callable[[float], Sequence[float]]) -> None:
    """Add a driver that moves a kinematic body with velocity(t) [m/s] while it exists, and give it that of t = 0."""
    def drive(world: World) -> None:
        if body < len(world.bodies) and world.bodies["kind"][body] == Kind.KINEMATIC:
            world.set_velocity(body, tuple(velocity(middle(world))), (0.0, 0.0, 0.0))

    world.set_velocity(body, tuple(velocity(0.0)), (0.0, 0.0, 0.0))
    world.drivers.append(drive)


TILTS = 0.08, 0.05
"""Largest rate [rad/s] and acceleration [rad/s^2] of a bench that is tilted: slow enough that nothing hops on it, and that what
a step loses or gains because the bench turns within it is below what the auditor tells."""

SETTLED = "bench at rest since"
"""Name of the control input with the time at which a tilted bench came to rest [s]; there is none before it turns."""


def tilt(world: World, turning: Sequence[int], upright: Sequence[int], place: Callable[[float], np.ndarray],
         angle: Callable[[World], float]) -> None:
    """Add a driver that turns kinematic bodies about +y until their tilt is angle(world) [rad].

    place: (tilt) -> positions (n, 3) [m] of these bodies, then of those that keep upright; they take part in the motion.
    """
    bodies = (*turning, *upright)
    names = [world.body_names[body] for body in bodies]

    def tilt(world: World) -> None:
        kinds = world.bodies["kind"]
        there = [(k, body) for k, body in enumerate(bodies)
                 if body < len(kinds) and kinds[body] == Kind.KINEMATIC and world.body_names[body] == names[k]]
        if not there or there[0][0] >= len(turning):
            return
        h, lead, (largest, grows) = world.driver_dt, world.bodies[there[0][1]], TILTS
        now, rate = 2.0 * math.atan2(lead["quat"][2], lead["quat"][0]), float(lead["omega"][1])
        left = angle(world) - now
        if abs(left) < 1e-12 and rate == 0.0:
            return
        if abs(left) <= 2.0 * grows * h * h:
            rate = left / h if abs(left) >= 1e-12 else 0.0      # it arrives
        else:
            wanted = math.copysign(min(largest, math.sqrt(2.0 * grows * abs(left))), left)
            rate = max(rate - grows * h, min(rate + grows * h, wanted))
        moved = (place(now + rate * h) - place(now)) / h
        for k, body in there:
            world.set_velocity(body, tuple(moved[k]), (0.0, rate if k < len(turning) else 0.0, 0.0))
        world.set_input(SETTLED, world.time + h)

    world.drivers.append(tilt)


def tilted(body: np.record) -> float:
    """Tilt of a body that `tilt` turns [deg]."""
    return math.degrees(2.0 * math.atan2(body["quat"][2], body["quat"][0]))


def of_body(name: str, read: Callable[[np.record], float]) -> Callable[[World], float]:
    """(world) -> a number of the body of that name; NaN if it is gone. For `Scene.actual`."""
    return lambda world: float(read(world.bodies[world.body_names.index(name)])) if name in world.body_names else math.nan


def move(world: World, joint: int, velocity: Callable[[World, float], float]) -> None:
    """Add a driver that sets the motor of a joint to velocity(world, t) [m/s, rad/s] while the joint exists."""
    name = world.joint_names[joint]

    def drive(world: World) -> None:
        if joint < len(world.joint_names) and world.joint_names[joint] == name:
            world.set_joint_motor(joint, Motor(target=velocity(world, middle(world))))

    world.drivers.append(drive)


FREQUENCY = "frequency of the vibration"
"""Name of the control input with the frequency [Hz] of `turns`."""

AHEAD = "turns ahead of the vibration"
"""Name of the control input with what `turns` has besides frequency times time."""


def turns(world: World, frequency: float, time: float) -> float:
    """Turns of a vibration at a time [s]; it goes on where it is when its frequency [Hz] is changed. For drivers."""
    before = world.inputs.get(FREQUENCY, frequency)
    if before != frequency or FREQUENCY not in world.inputs:
        world.set_input(AHEAD, world.inputs.get(AHEAD, 0.0) + (before - frequency) * time)
        world.set_input(FREQUENCY, frequency)
    return frequency * time + world.inputs[AHEAD]


def onset(time: np.ndarray, speed: np.ndarray, low: float, high: float) -> float | None:
    """Time [s] at which a motion began whose force has outgrown friction at a steady rate, so that its speed grows with the
    square of time: from the moments at which it exceeds `low` and `high` [m/s]. None before. The first tenth of a second is
    left out.

        v = c (t - t0)^2,   sqrt(v) is linear in t
    """
    settled = time > 0.1
    time, root = time[settled], np.sqrt(np.maximum(speed[settled], 0.0))
    second = int(np.argmax(root > math.sqrt(high))) if len(root) else 0
    slow = np.flatnonzero(root[:second] <= math.sqrt(low))
    if not len(slow):
        return None
    a, b = (float(np.interp(math.sqrt(level), root[k - 1:k + 1], time[k - 1:k + 1]))
            for level, k in ((low, int(slow[-1]) + 1), (high, second)))
    ratio = math.sqrt(low / high)
    return (a - ratio * b) / (1.0 - ratio)


def axis_of(trace: dict[str, np.ndarray], body: str) -> np.ndarray:
    """Axis z of a body in the world (n, 3), from the samples of its roll, pitch and yaw."""
    roll, pitch, yaw = (trace[f"body:{body}.{angle}"] for angle in ("roll", "pitch", "yaw"))
    return np.column_stack([np.cos(yaw) * np.sin(pitch) * np.cos(roll) + np.sin(yaw) * np.sin(roll),
                            np.sin(yaw) * np.sin(pitch) * np.cos(roll) - np.cos(yaw) * np.sin(roll),
                            np.cos(pitch) * np.cos(roll)])


def check_predictions(world: World, trace: Trace, predictions: Iterable[Prediction]) -> None:
    """Raise AssertionError where one of the predictions is not measured within its tolerance."""
    for prediction in predictions:
        got = prediction.measure(world, trace)
        assert prediction.holds(got), f"{prediction.name}: {got}, not {prediction.value}"


def turning_rate(time: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """Mean rate of the direction (x, y) about z [rad/s]."""
    angle = np.unwrap(np.arctan2(y, x))
    return float((angle[-1] - angle[0]) / (time[-1] - time[0]))


@dataclass(frozen=True)
class SlipLoad:
    """A load that grows steadily until something slips.

    name: of the prediction. at_slip: (parameters) -> the load at slip [N], inf: it holds any. body: (parameters) -> name of what
    then moves; along: "x", "-z", ..; speeds: of `onset` [m/s]. load: (parameters, t) -> load at the time t [s]. firm: share of
    the load at slip up to which nothing may creep.
    """

    name: str
    at_slip: Callable[[Any], float]
    body: Callable[[Any], str]
    along: str
    speeds: tuple[float, float]
    load: Callable[[Any, Any], Any] = lambda parameters, t: parameters.rate * t
    firm: float = 0.97

    def measured(self, parameters: Any, trace: Trace) -> float | None:
        """Load when the body began to move [N]."""
        speed = trace[f"body:{self.body(parameters)}.v{self.along[-1]}"]
        began = onset(trace["time"], -speed if self.along[0] == "-" else speed, *self.speeds)
        return None if began is None else self.load(parameters, began)

    def predict(self, parameters: Any) -> list[Prediction]:
        """The load at slip, if there is one that `onset` can find."""
        if not self.load(parameters, 0.1) < (expected := self.at_slip(parameters)) < math.inf:
            return []
        return [Prediction(self.name, expected, "N", 0.01, lambda world, trace: self.measured(parameters, trace))]

    def check(self, world: World, trace: Trace, parameters: Any) -> None:
        """Raise AssertionError unless it slips at the predicted load and holds before."""
        check_predictions(world, trace, self.predict(parameters))
        before = self.load(parameters, trace["time"]) < self.firm * self.at_slip(parameters)
        way = trace[f"body:{self.body(parameters)}.{self.along[-1]}"][before]
        assert np.ptp(way) < 5e-4, "it creeps before"
