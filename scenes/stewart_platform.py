"""A Stewart platform: six legs with motors carry a plate, which they shift, lift and turn.

With the plate at p, turned by R, feet at a_i and its joints at b_i, the legs have the lengths

    l_i = |p + R b_i - a_i|,   l_i' = u_i . (p' + w x R b_i),   u_i the leg's direction                              (1)

The motors run at the speeds l_i' of a path that is asked for, from rest to rest and back,

    p = p_0 + s d,   R = R_z(s psi),   s = (1 - cos(pi t / T)) / 2                                                  (2)

Nothing tells the plate its path: it has six freedoms, the legs take all six. Cut open the platform has 36 coordinates, of which
five loops leave six, and the motors none. At rest six forces F_i along the legs carry the plate,

    sum F_i u_i = m g,   sum F_i (R b_i x u_i) = 0                                                                  (3)
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Box, Cylinder, Motor, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions, ground, middle

LEGS = 6
BASE, PLATE = 0.8, 0.5                # radii of the circles of feet and of the plate's joints [m]
FOOT, HEIGHT = 0.12, 1.0              # of the feet, of the plate at the start [m]
TURN = 1.2                            # T of (2) [s]
HALF = 0.33                           # of a leg's two rods [m]
SHIFT = np.array([0.15, -0.1, 0.12])  # d [m]


@dataclasses.dataclass
class Parameters:
    turn: float = option(25.0, unit="deg", lo=-30.0, hi=30.0, help="Angle psi by which the plate turns about the vertical.")
    load: float = option(40.0, unit="kg", lo=5.0, hi=200.0, help="Mass of the plate.")


def circle(radius: float, z: float, spread: float, first: float) -> np.ndarray:
    """Six points in pairs, `spread` apart, on a circle (6, 3) [m]; angles [rad]."""
    angle = np.array([first + math.tau * pair / 3.0 + side * 0.5 * spread for pair in range(3) for side in (-1.0, 1.0)])
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(LEGS, z)])


FEET = circle(BASE, FOOT, math.radians(25.0), 0.0)
JOINTS = np.roll(circle(PLATE, 0.0, math.radians(25.0), math.pi / 3.0), 1, axis=0)      # b_i: a pair stands on two pairs of feet


def path(t: float, p: Parameters) -> tuple[np.ndarray, float]:
    """(position of the plate's middle [m], its angle [rad]) of (2)."""
    s = 0.5 * (1.0 - math.cos(math.pi * t / TURN))
    return np.array([0.0, 0.0, HEIGHT]) + s * SHIFT, s * math.radians(p.turn)


def ends(t: float, p: Parameters) -> np.ndarray:
    """p + R b_i (6, 3) [m]."""
    place, angle = path(t, p)
    c, s = math.cos(angle), math.sin(angle)
    return place + JOINTS @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T


def lengths(t: float, p: Parameters) -> np.ndarray:
    """l_i of (1) [m]."""
    return np.linalg.norm(ends(t, p) - FEET, axis=1)


def speeds(t: float, p: Parameters) -> np.ndarray:
    """l_i' of (1) [m/s]."""
    s = 0.5 * math.pi / TURN * math.sin(math.pi * t / TURN)
    there = ends(t, p)
    arms, legs = there - path(t, p)[0], there - FEET
    moved = s * SHIFT + s * math.radians(p.turn) * np.column_stack([-arms[:, 1], arms[:, 0], np.zeros(LEGS)])
    return np.einsum("ij,ij->i", legs, moved) / np.linalg.norm(legs, axis=1)


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    block(world, (BASE + 0.1, BASE + 0.1, 0.5 * FOOT), (0.0, 0.0, 0.5 * FOOT - 0.04), mask=0, name="base")
    plate = add(world, Cylinder(PLATE + 0.05, 0.03), (0.0, 0.0, HEIGHT), group=3, mass=p.load, mask=0, name="plate")
    for k, (foot, top) in enumerate(zip(FEET, ends(0.0, p), strict=True)):
        way = (top - foot) / np.linalg.norm(top - foot)
        tilt = math.acos(way[2])
        across = np.array([-way[1], way[0], 0.0]) / math.sin(tilt)
        quat = (math.cos(0.5 * tilt), *(math.sin(0.5 * tilt) * across))
        low = add(world, Box((0.03, 0.03, HALF)), tuple(foot + HALF * way), group=1, mass=1.0, mask=0, quat=quat,
                  name=f"cylinder {k + 1}")
        high = add(world, Box((0.018, 0.018, HALF)), tuple(top - HALF * way), group=2, mass=1.0, mask=0, quat=quat,
                   name=f"rod {k + 1}")
        world.add_joint("universal", 0, low, anchor=tuple(foot), axis=tuple(across), across=(0.0, 0.0, 1.0), name=f"foot {k + 1}")
        world.add_joint("prismatic", low, high, anchor=tuple(foot), axis=tuple(way), motor=Motor(target=0.0), name=f"leg {k + 1}")
        world.add_joint("spherical", high, plate, anchor=tuple(top), name=f"ball {k + 1}")

    def drive(world: World) -> None:
        for k, speed in enumerate(speeds(middle(world), p)):
            if f"leg {k + 1}" in world.joint_names:
                world.set_joint_motor(world.joint(f"leg {k + 1}"), Motor(target=float(speed)))
    world.drivers.append(drive)


def forces(p: Parameters) -> np.ndarray:
    """F_i of (3) at the start, with the legs' own weight left out [N]."""
    legs = ends(0.0, p) - FEET
    u = legs / np.linalg.norm(legs, axis=1)[:, None]
    return np.linalg.solve(np.vstack([u.T, np.cross(JOINTS, u).T]), np.array([0.0, 0.0, 9.81 * p.load, 0.0, 0.0, 0.0]))


def predict(parameters: Parameters) -> Sequence[Prediction]:
    p = parameters

    def largest(key: str, offset: float) -> Sequence[object]:
        return lambda world, trace: float(np.abs(trace[key] - offset).max()) if trace["time"][-1] > 1.02 * TURN else None
    found = [Prediction("shift of the plate along x", abs(SHIFT[0]), "m", 2e-3, largest("body:plate.x", 0.0)),
             Prediction("lift of the plate", abs(SHIFT[2]), "m", 2e-3, largest("body:plate.z", HEIGHT))]
    if p.turn:
        found.append(Prediction("turn of the plate", math.radians(abs(p.turn)), "rad", 2e-3, largest("body:plate.yaw", 0.0)))
    return found


def law_curves(p: Parameters) -> list[Curve]:
    """Way of the first leg by (1), there and back."""
    t = np.linspace(0.0, 2.0 * TURN, 200)
    return [Curve("joint:leg 1.angle", "|p + R b - a|", tuple(t), tuple(lengths(one, p)[0] - lengths(0.0, p)[0] for one in t))]


def check(world: World, trace: Trace) -> None:
    """The plate goes where (1) sends it, and every leg has the length that its place asks for."""
    p = Parameters()
    check_predictions(world, trace, predict(p))
    place, angle = path(world.time, p)
    plate = world.bodies[world.body("plate")]
    assert np.abs(plate["pos"] - place).max() < 2e-4, f"the plate is {plate['pos'] - place} m off its path"
    assert abs(2.0 * math.atan2(plate["quat"][3], plate["quat"][0]) - angle) < 2e-4, "its turn is off"
    way = world.joints["coordinate"][[world.joint(f"leg {k + 1}") for k in range(LEGS)], 0]
    assert np.abs(way - (lengths(world.time, p) - lengths(0.0, p))).max() < 2e-4, "legs have other lengths"
    assert world.joints["error"].max() < 1e-12, "a loop opened"


SCENE = Scene(
    title="Stewart platform",
    category="Mechanisms",
    look_for="Six motors change the lengths of six legs, and the plate above shifts, lifts and turns: flight simulators move so. "
             "Nothing but the legs holds the plate; each way of moving needs all six lengths at once. Turn it further, and see "
             "some legs shorten while it rises. Make it heavier: the path stays, the forces of the motors grow.",
    law=r"l_i = |p + R\,b_i - a_i|",
    law_text="l_i = |p + R b_i - a_i|",
    build=build,
    parameters=Parameters,
    solver="subsystems",
    options={"integrator": "RK2"},
    dt=0.01,
    view=View(target=(0.0, 0.0, 0.6), distance=3.6, azimuth=20.0, elevation=14.0),
    show=("joints",),
    plots=("body:plate.x", "body:plate.z", "body:plate.yaw", "joint:leg 1.angle", "joint:leg 1.motor"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.25,
    check=check,
    unreached={},
)
