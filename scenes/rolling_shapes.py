"""A race of round bodies down a slope: only I / (m r^2) counts. And a pencil with corners, which gets nowhere faster.

    a = g sin(theta) / (1 + I / (m r^2))       ball and ellipsoid 2/5, capsule 0.45, cylinder 1/2
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Cylinder, Ellipsoid, Hull, Sphere, World, option
from scenes import Curve, Prediction, Scene, Trace, View, present
from scenes._parts import GREY, add, block, ground, of_body, tilt, tilted, turned

LENGTH, PITCH = 7.0, 0.55              # of the slope, of its lanes [m]
R = 0.15                               # radius of all of them [m]
CATCH = 4.6                            # where a low wall ends the race, on the ground behind the slope [m]
SIDES = 10                             # of the pencil
G = 9.81
ROUND = {"ball": Sphere(R), "ellipsoid": Ellipsoid((R, R, 0.22)), "capsule": Capsule(R, 0.1), "cylinder": Cylinder(R, 0.2)}
PENCIL = Hull([(R * math.cos(2 * math.pi * k / SIDES), R * math.sin(2 * math.pi * k / SIDES), z)
               for k in range(SIDES) for z in (-0.2, 0.2)])


@dataclasses.dataclass
class Parameters:
    angle: float = option(20.0, unit="deg", lo=1.0, hi=30.0, help="Tilt of the slope. Without an initial push the pencil starts "
                                                                  "to roll above half the angle between two corners, 18 degrees.")


def frame(parameters: Parameters) -> tuple[np.ndarray, np.ndarray, tuple]:
    """(down the slope, up from it, its orientation)."""
    theta = math.radians(parameters.angle)
    return (np.array([math.cos(theta), 0.0, -math.sin(theta)]), np.array([math.sin(theta), 0.0, math.cos(theta)]),
            turned((0.0, 1.0, 0.0), theta))


def place(theta: float) -> np.ndarray:
    """Position of the slope (1, 3) [m]."""
    return np.array([(-0.05 * math.sin(theta), 0.0, 0.5 * LENGTH * math.sin(theta) + 0.06 - 0.05 * math.cos(theta))])


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    along, up, sloping = frame(parameters)
    theta = math.radians(parameters.angle)
    middle = place(theta)[0] + 0.05 * up
    slope = add(world, Box((0.5 * LENGTH, 2.6 * PITCH, 0.05)), tuple(place(theta)[0]), kind="kinematic", group=GREY, quat=sloping,
                friction=0.9, name="slope")
    tilt(world, [slope], (), place, lambda world: math.radians(present(parameters, world.inputs).angle))
    block(world, (0.06, 2.6 * PITCH, 0.25), (CATCH, 0.0, 0.25), friction=0.0, name="catch")
    lying = turned((1.0, 0.0, 0.0), 0.5 * math.pi)
    for i, (name, shape) in enumerate([*ROUND.items(), ("pencil", PENCIL)]):
        high = R * (math.cos(math.pi / SIDES) if name == "pencil" else 1.0)
        start = middle - (0.5 * LENGTH - 0.4) * along + high * up + np.array([0.0, (i - 2) * PITCH, 0.0])
        add(world, shape, tuple(start), group=1 + i, quat=multiplied(sloping, lying), friction=0.9, name=name)
    pencil = world.body("pencil")
    world.bodies["omega"][pencil] = (0.0, 6.0, 0.0)
    world.bodies["vel"][pencil] = 6.0 * R * along


def multiplied(p: tuple, q: tuple) -> tuple[float, float, float, float]:
    """Quaternion of first q, then p."""
    w, v = p[0] * q[0] - np.dot(p[1:], q[1:]), p[0] * np.array(q[1:]) + q[0] * np.array(p[1:]) + np.cross(p[1:], q[1:])
    return (float(w), *map(float, v))


def ratio(name: str) -> float:
    """I / (m r^2) about the axis that it rolls about."""
    return float(ROUND[name].inertia(1.0)[2]) / R**2


def acceleration(name: str, parameters: Parameters) -> float:
    return G * math.sin(math.radians(parameters.angle)) / (1.0 + ratio(name))


def measured(trace: Trace, name: str) -> float | None:
    """Mean acceleration from rest, from the speed."""
    t, v = trace["time"], trace[f"body:{name}.speed"]
    used = (t > 0.0) & (t <= 1.2)
    return float(v[used][-1] / t[used][-1]) if np.any(used) else None


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"acceleration of the {name} (I = {ratio(name):.3g} m r^2)", acceleration(name, parameters), "m/s^2", 2e-3,
                       lambda world, trace, name=name: measured(trace, name)) for name in ROUND]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Speeds from rest, v = a t, as far as the slope goes."""
    found = []
    for name in ROUND:
        a = acceleration(name, parameters)
        end = math.sqrt(2.0 * (LENGTH - 1.0) / a)
        found.append(Curve(f"body:{name}.speed", "a t", (0.0, end), (0.0, a * end)))
    return found


def check(world: World, trace: Trace) -> None:
    """Each rolls as its inertia says, and none of them hops; ball and ellipsoid stay side by side; the pencil falls behind."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert abs(got - prediction.value) <= 2e-3 * prediction.value, f"{prediction.name}: {got}, not {prediction.value}"
    speeds = [trace[f"body:{name}.speed"] for name in ("ball", "ellipsoid")]
    assert np.max(np.abs(speeds[0] - speeds[1])) < 1e-6 * np.max(speeds[0])
    _, up, _ = frame(Parameters())
    heights = [world.bodies["pos"][world.body(name)] @ up for name in ROUND]
    assert np.ptp(heights) < 1e-3 * R, "one of them hops"
    pencil, cylinder = (world.bodies["pos"][world.body(name)][0] for name in ("pencil", "cylinder"))
    assert pencil < cylinder - R, "the pencil keeps up in spite of its corners"


SCENE = Scene(
    title="Which shape rolls fastest?",
    category="Contact friction",
    look_for="A ball, an ellipsoid, a capsule and a cylinder of equal radius roll down together. Mass and length do not matter: "
             "ball and ellipsoid stay side by side, because both have 2/5 m r^2 about their rolling axis, and the cylinder with "
             "1/2 m r^2 falls behind. The pencil starts with a push, but each of its ten corners is an impact that dissipates "
             "energy, so it is last.",
    law=r"a = \frac{g\,\sin\theta}{1 + I/(m r^2)}",
    law_text="a = g sin(theta) / (1 + I / (m r^2))",
    build=build,
    parameters=Parameters,
    live=("angle",),
    actual={"angle": of_body("slope", tilted)},
    view=View(target=(-0.9, 0.0, 1.5), distance=4.8, azimuth=-45.0, elevation=30.0),
    options={"cone": "circle"},
    plots=(*(f"body:{name}.speed" for name in ROUND), "body:pencil.speed"),
    show=("contacts",),
    predict=predict,
    law_curves=law_curves,
    check_time=1.6,
    check=check,
    unreached={},
)
