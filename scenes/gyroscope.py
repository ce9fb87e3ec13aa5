"""Two gyroscopes on pivots, the axis level: instead of falling they go round, the one that spins fast more slowly.

    the torque of gravity m g l turns the angular momentum I3 w:   W = m g l / (I3 w)                                (1)

exactly so where the axis is level, else I1 W^2 cos(theta) - I3 w W + m g l = 0 (scenes/truth/spinning.py, 4).
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Cylinder, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import GREY, G, add, block, check_predictions, ground, turned, turning_rate

R, HALF, ARM, MASS = 0.15, 0.02, 0.25, 2.0     # of the disc, its distance from the pivot [m], [kg]
I3 = 0.5 * MASS * R * R
HEIGHT, PITCH = 0.6, 0.9                       # of the pivots, their distance [m]
SPINS = {"fast": 1.0, "slow": 0.6}
"""Spin relative to the parameter."""


@dataclasses.dataclass
class Parameters:
    spin: float = option(150.0, unit="rad/s", lo=80.0, hi=300.0, help="Spin of the fast gyroscope about its axis. The slow one "
                                                                      "has 0.6 of it.")


def rate(name: str, parameters: Parameters) -> float:
    """(1) [rad/s]"""
    return MASS * G * ARM / (I3 * SPINS[name] * parameters.spin)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for k, (name, share) in enumerate(SPINS.items()):
        x, going = PITCH * (k - 0.5), rate(name, parameters)
        pivot = np.array([x, 0.0, HEIGHT])
        block(world, (0.03, 0.03, 0.5 * HEIGHT - 0.02), (x, 0.0, 0.5 * HEIGHT - 0.02), mask=0, name=f"post {k + 1}")
        add(world, Sphere(0.03), tuple(pivot), kind="static", group=GREY, mask=0, name=f"tip {k + 1}")
        # the axis points along -y, and the spin is about it
        body = add(world, Cylinder(R, HALF), tuple(pivot - (0.0, ARM, 0.0)), group=1 + 2 * k, mass=MASS, mask=0,
                   quat=turned((1.0, 0.0, 0.0), 0.5 * math.pi), vel=(going * ARM, 0.0, 0.0),
                   omega=(0.0, -share * parameters.spin, going), name=name)
        world.add_joint("spherical", 0, body, anchor=tuple(pivot), name=f"pivot {k + 1}")


def measured(name: str) -> Callable[[World, Trace], float | None]:
    """Mean rate of the precession [rad/s], of half a second or more."""
    def measure(world: World, trace: Trace) -> float | None:
        if trace["time"][-1] < 0.5:
            return None
        x = PITCH * (list(SPINS).index(name) - 0.5)
        return turning_rate(trace["time"], trace[f"body:{name}.x"] - x, trace[f"body:{name}.y"])
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"precession of the {name} gyroscope", rate(name, parameters), "rad/s", 5e-3, measured(name))
            for name in SPINS]


def check(world: World, trace: Trace) -> None:
    """The rates, and axes that stay level."""
    check_predictions(world, trace, predict(Parameters()))
    for name in SPINS:
        assert np.ptp(trace[f"body:{name}.z"]) < 0.01 * ARM, f"the {name} gyroscope nods"


SCENE = Scene(
    title="Gyroscopes",
    category="Rolling and spinning",
    look_for="Each disc is held at one end of its axis only, and does not fall: gravity's torque is level and turns the "
             "angular momentum sideways instead, so that the axis goes round. The faster a disc spins, the slower it goes "
             "round. Pull one down with the mouse: it gives way sideways, and nods when you let go.",
    law=r"W = \frac{m g l}{I_3\,\omega}",
    law_text="W = m g l / (I3 omega)",
    build=build,
    parameters=Parameters,
    dt=1.0 / 480.0,
    view=View(target=(0.07, 0.03, 0.49), distance=2.3, azimuth=15.0, elevation=22.0),
    plots=tuple(f"body:{name}.{axis}" for axis in "xyz" for name in SPINS),
    show=("joints",),
    predict=predict,
    check_time=1.0,
    check=check,
    unreached={},
)
