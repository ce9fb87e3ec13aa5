"""The tracked robot MF-4 of MS16 (figures 4 and 5), with its control inputs: of the scenes in which it drives.

The paper shows the robot and gives no sizes; those here are of a robot of its class. Its frame: x forward, y to the left, z up,
origin on the ground between the tracks.

    tracks      the belt runs with the speed v -+ w B / 2 (left, right) under its body; Coulomb's law with this surface velocity
                drives, brakes, turns on the spot by skidding, slips on ice and climbs a kerb                              (1)
    arm         base (yaw), shoulder, elbow, wrist (pitch), roll, and two fingers, each with dry friction |p| <= F_max dt
                (MS16 eq 16) and a drive of limited torque                                                                 (2)
    hand        shoulder to wrist by two links of length a, b at elevations p, q over the horizon:
                x = a cos p + b cos q,   z = a sin p + b sin q                                                             (3)
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Capsule, Compound, Cylinder, Material, Motor, World
from physics.constraints.joint_rows import SERVO_RATE
from physics.core.quaternions import product, rotate
from scenes import Control, Eye
from scenes._parts import add, turned

GAUGE = 0.42            # B: distance of the tracks' middles [m]
LOW, WIDE = 0.10, 0.05  # half height and half width of a track [m]
LONG = 0.24             # half length of its level part [m]
SHOULDER = (0.15, 0.40)     # (x, z) of the shoulder [m]
UPPER, FORE = 0.42, 0.38    # a, b [m]
WRIST, PALM, FINGER = 0.08, 0.06, 0.10      # lengths from the wrist to the tips [m]
HAND = WRIST + PALM + FINGER                # from the wrist's pitch axis to the tips [m]
OPENING = 0.045         # way of each finger [m]
GRIP = 120.0             # force of a finger's drive [N]
ACCELERATION = 1.5      # largest of the belts [m/s^2]
SERVO = SERVO_RATE        # of position motors: 1 / their time constant [1/s]


@dataclasses.dataclass(frozen=True)
class ArmJoint:
    """A joint of the arm. friction, torque: bounds of dry friction and drive [N m]; lo, hi: limits [rad]; speed: largest asked
    by its control [rad/s]; keys, axis, help: of that control."""

    friction: float
    torque: float
    lo: float
    hi: float
    speed: float
    keys: tuple[str, str]
    axis: str
    help: str


ARM = {"base": ArmJoint(2.0, 60.0, -2.8, 2.8, 0.8, ("L", "J"), "right stick x", "Turns the arm to the left."),
       "shoulder": ArmJoint(3.0, 140.0, -0.3, 2.6, 0.8, ("K", "I"), "right stick y", "Raises the upper arm."),
       "elbow": ArmJoint(2.0, 90.0, -2.6, 0.2, 1.0, ("O", "U"), "", "Raises the forearm."),
       "wrist": ArmJoint(1.0, 25.0, -2.0, 2.0, 1.5, ("H", "Y"), "", "Raises the hand."),
       "roll": ArmJoint(0.5, 8.0, -3.1, 3.1, 2.0, ("N", "B"), "", "Rolls the hand.")}
"""The arm from its base to its hand. Positive: to the left, upwards, and about x; 0: straight ahead, level."""

ROBOT_FILTER = {"category": 2, "mask": 0xFFFFFFFD}
"""Collision filter of its parts: with everything but one another."""

FINGERS = ("left finger", "right finger")

SCRIPT = "script"
"""Input: 1 while the script drives, 0 once a person has."""

CONTROLS = (
    Control("drive", "m/s", -0.8, 0.8, ("S", "W"), "left stick y", "Speed of both belts."),
    Control("turn", "rad/s", -1.5, 1.5, ("D", "A"), "left stick x", "Turns to the left: the belts run against each other."),
    *(Control(name, "rad/s", -joint.speed, joint.speed, joint.keys, joint.axis, joint.help) for name, joint in ARM.items()),
    Control("grip", "", -1.0, 1.0, ("G", "T"), "triggers", "Opens (positive) or closes the fingers."))
"""What a person drives."""

EYE = Eye("palm", (-0.02, 0.0, 0.10), (1.0, 0.0, -0.35))
"""The camera on the hand, over the fingers."""


class ArmOnBase:
    """A robot built in a world. It keeps no state: that of its drives is in the world's tables and inputs.

    place: of its origin (3,) [m]; angle: its heading [rad]; hand: (x, z) of the wrist over the shoulder [m], the hand level;
    script: drives it until a person does, (world, robot) -> None; None: nobody does.
    """

    def __init__(self, world: World, place: tuple[float, float, float], angle: float, hand: tuple[float, float],
                 script: Callable[[World, "ArmOnBase"], None] | None = None) -> None:
        pose = (*elevations(*hand), 0.0)
        self._place, self._quat, self._pose, self._script = np.array(place), turned((0.0, 0.0, 1.0), angle), pose, script
        self.start = {"base": 0.0, "shoulder": pose[0], "elbow": pose[1] - pose[0], "wrist": pose[2] - pose[1], "roll": 0.0}
        self._build_chassis(world)
        self._build_arm(world)
        self.joints = {name: world.joint(name) for name in (*ARM, *FINGERS)}
        for control in CONTROLS:
            world.set_input(control.name, 0.0)
        world.set_input(SCRIPT, float(script is not None))
        world.drivers.append(self.drive)

    def _at(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        return tuple(self._place + rotate(np.array(self._quat), np.array((x, y, z))))

    def _build_chassis(self, world: World) -> None:
        self.chassis = add(world, Box((0.26, 0.14, 0.07)), self._at(0.0, 0.0, 0.20), group=4, quat=self._quat, mass=24.0,
                           name="chassis", **ROBOT_FILTER)
        for name, y in (("left track", 0.5 * GAUGE), ("right track", -0.5 * GAUGE)):
            belt = Material(friction=0.8, name=name)
            track = add(world, _track(), self._at(0.0, y, LOW), group=7, quat=self._quat, mass=8.0, material=belt, name=name,
                        **ROBOT_FILTER)
            world.add_joint("fixed", self.chassis, track, anchor=self._at(0.0, y, 0.2), name=f"{name} mount")

    def _build_arm(self, world: World) -> None:
        x, z = SHOULDER
        across = rotate(np.array(self._quat), np.array((0.0, -1.0, 0.0)))
        turret = add(world, Cylinder(0.07, 0.05), self._at(x, 0.0, 0.33), group=5, mass=3.0, name="turret", **ROBOT_FILTER)
        self._hinge(world, "base", self.chassis, turret, (x, 0.0, 0.28), (0.0, 0.0, 1.0))
        last = turret
        for name, joint, length, radius, mass, rise in (("upper arm", "shoulder", UPPER, 0.035, 3.0, self._pose[0]),
                                                        ("forearm", "elbow", FORE, 0.03, 2.0, self._pose[1]),
                                                        ("wrist link", "wrist", WRIST, 0.025, 0.6, self._pose[2])):
            end = (x + length * math.cos(rise), z + length * math.sin(rise))
            link = add(world, Capsule(radius, 0.5 * length - radius), self._at(0.5 * (x + end[0]), 0.0, 0.5 * (z + end[1])),
                       group=6, quat=self._pitched(0.5 * math.pi - rise), mass=mass, name=name, **ROBOT_FILTER)
            self._hinge(world, joint, last, link, (x, 0.0, z), across)
            (x, z), last = end, link
        self._build_hand(world, last, x, z)

    def _build_hand(self, world: World, wrist: int, x: float, z: float) -> None:
        rise = self._pose[2]
        ahead = np.array((math.cos(rise), 0.0, math.sin(rise)))
        quat, start = self._pitched(-rise), np.array((x, 0.0, z))
        self.palm = add(world, Box((0.5 * PALM, 0.07, 0.03)), self._at(*(start + 0.5 * PALM * ahead)), group=5, quat=quat,
                        mass=2.0, name="palm", **ROBOT_FILTER)
        self._hinge(world, "roll", wrist, self.palm, tuple(start), rotate(np.array(self._quat), ahead))
        for name, side in zip(FINGERS, (1.0, -1.0), strict=True):
            y = side * (0.012 + OPENING)
            where = start + (PALM + 0.5 * FINGER) * ahead + np.array((0.0, y, 0.0))
            finger = add(world, Box((0.5 * FINGER, 0.01, 0.02)), self._at(*where), group=3, quat=quat, mass=1.0, friction=0.9,
                         name=name, **ROBOT_FILTER)
            world.add_joint("prismatic", self.palm, finger, anchor=self._at(*where),
                            axis=rotate(np.array(self._quat), np.array((0.0, -side, 0.0))), limits=(0.0, OPENING),
                            max_friction=2.0, motor=Motor("position", OPENING, GRIP, 0.15), name=name)

    def _pitched(self, angle: float) -> tuple[float, ...]:
        """Orientation of a part turned about the robot's y axis [rad]."""
        return tuple(product(np.array(self._quat), np.array(turned((0.0, 1.0, 0.0), angle))))

    def _hinge(self, world: World, name: str, a: int, b: int, where: tuple[float, ...], axis: object) -> None:
        joint, start = ARM[name], self.start[name]
        world.add_joint("revolute", a, b, anchor=self._at(*where), axis=axis, max_friction=joint.friction,
                        limits=(joint.lo - start, joint.hi - start), motor=Motor("position", 0.0, joint.torque, 8.0), name=name)

    # ---- the drives

    def drive(self, world: World) -> None:
        """Make the inputs act: belts by (1), joints by moving the targets of their drives. Until the first, the script drives."""
        if world.inputs[SCRIPT]:
            if not any(world.inputs[control.name] for control in CONTROLS):
                self._script(world, self)
                return
            world.set_input(SCRIPT, 0.0)
        self.run_belts(world, world.inputs["drive"], world.inputs["turn"])
        targets = world.joints["motor_target"]
        for name, joint in ARM.items():
            if rate := world.inputs[name]:
                j, start = self.joints[name], self.start[name]
                targets[j, 0] = min(joint.hi - start, max(joint.lo - start, targets[j, 0] + rate * world.driver_dt))
        if grip := world.inputs["grip"]:
            for name in FINGERS:
                j = self.joints[name]
                targets[j, 0] = min(OPENING, max(0.0, targets[j, 0] - 0.15 * grip * world.driver_dt))

    def run_belts(self, world: World, speed: float, turn: float = 0.0) -> None:
        """Accelerate the belts towards a speed [m/s] and turn [rad/s] of the robot."""
        for name, side in (("left track", -1.0), ("right track", 1.0)):
            asked = -(speed + side * 0.5 * GAUGE * turn)
            now = world.materials.items[world.materials.index(name)].surface_velocity[0]
            if now != asked:
                most = ACCELERATION * world.driver_dt
                world.change_material(name, surface_velocity=(now + max(-most, min(most, asked - now)), 0.0, 0.0))

    def pose(self, world: World) -> tuple[float, float, float]:
        """(x, y, heading) [m, rad] of the chassis."""
        body = world.bodies[self.chassis]
        ahead = rotate(body["quat"], np.array((1.0, 0.0, 0.0)))
        return float(body["pos"][0]), float(body["pos"][1]), math.atan2(ahead[1], ahead[0])

    def steer(self, world: World, heading: float, speed: float) -> None:
        """Drive at a speed [m/s] and turn towards a heading [rad]."""
        off = math.remainder(heading - self.pose(world)[2], math.tau)
        self.run_belts(world, speed, max(-2.0, min(2.0, 6.0 * off)))

    def faces(self, world: World, heading: float, within: float) -> bool:
        """Whether it has turned to a heading [rad]."""
        return abs(math.remainder(heading - self.pose(world)[2], math.tau)) < within

    def grip(self, world: World, closed: bool) -> None:
        """Close the fingers, or open them."""
        for name in FINGERS:
            world.joints["motor_target"][self.joints[name], 0] = OPENING if closed else 0.0

    def reach(self, world: World, hand: tuple[float, float], speed: tuple[float, float] = (0.0, 0.0)) -> None:
        """Move the wrist to (x, z) over the shoulder [m], there with this speed [m/s], by (3), the hand level."""
        p, q = elevations(*hand)
        rates = np.linalg.solve([[-UPPER * math.sin(p), -FORE * math.sin(q)], [UPPER * math.cos(p), FORE * math.cos(q)]], speed)
        for name, angle, rate in (("shoulder", p, rates[0]), ("elbow", q - p, rates[1] - rates[0]), ("wrist", -q, -rates[1])):
            world.joints["motor_target"][self.joints[name], 0] = angle - self.start[name] + rate / SERVO


def elevations(x: float, z: float) -> tuple[float, float]:
    """(p, q) of (3), elbow up."""
    far = min(math.hypot(x, z), 0.999 * (UPPER + FORE))
    inner = math.acos((UPPER**2 + far**2 - FORE**2) / (2.0 * UPPER * far))
    p = math.atan2(z, x) + inner
    return p, math.atan2(z - UPPER * math.sin(p), x - UPPER * math.cos(p))


def _track() -> Compound:
    """The belt's outline: a level part, and ends that rise by 45 degrees, in whose frames the belt runs along x, too. They begin
    0.1 mm above the ground: over it they run at 0.7 times the speed, and which of two parts at one place carries is open."""
    slope, half = 0.25 * math.pi, 0.09
    x = LONG + half * math.cos(slope) - 0.03 * math.sin(slope)
    z = 0.0001 - LOW + half * math.sin(slope) + 0.03 * math.cos(slope)
    end = Box((half, WIDE, 0.03))
    return Compound((Box((LONG, WIDE, LOW)), (0.0, 0.0, 0.0)), (end, (x, 0.0, z), turned((0.0, 1.0, 0.0), -slope)),
                    (end, (-x, 0.0, z), turned((0.0, 1.0, 0.0), slope)))
