"""Balls roll on a turntable without slipping: they do not fly off, but go round in circles of their own.

Rolling on a table that turns with Omega, with I = k m r^2:  m v' = F,  I omega' = -r n x F,  v = r omega x n + Omega n x x:

    v' = k / (1 + k) Omega n x v,    a turn of v at k / (1 + k) Omega: 2/7 Omega for a ball                          (1)

whatever its speed, its place and its mass. Even a ball put down at rest on the floor's frame goes in a circle.
J. A. Burns, Ball rolling on a turntable: analog for charged particle dynamics, American Journal of Physics 49 (1981).
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Cylinder, Material, Sphere, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, block, ground, turning_rate

R, TABLE, TOP = 0.08, 1.6, 0.3                 # of a ball, of the table, its height [m]
BALLS = {"slow": ((0.6, 0.0), 0.3), "fast": ((-0.6, 0.0), 0.6)}
"""Place (x, y) [m] and speed along y [m/s]."""


@dataclasses.dataclass
class Parameters:
    table: float = option(5.0, unit="rad/s", lo=2.0, hi=8.0, help="Angular velocity of the turntable.")
    mu: float = option(0.8, lo=0.2, hi=2.0, help="Friction coefficient of balls and table; enough of it to roll without slip.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    felt = Material(friction=parameters.mu, name="felt")
    block(world, (0.2, 0.2, 0.5 * TOP - 0.05), (0.0, 0.0, 0.5 * TOP - 0.05), mask=0, name="foot")
    add(world, Cylinder(TABLE, 0.03), (0.0, 0.0, TOP - 0.03), kind="kinematic", group=0, omega=(0.0, 0.0, parameters.table),
        material=felt, name="turntable")
    for k in range(6):
        a = math.pi * k / 6.0
        add(world, Box((TABLE, 0.01, 0.005)), (0.0, 0.0, TOP), kind="kinematic", group=0, mask=0,
                     quat=(math.cos(0.5 * a), 0.0, 0.0, math.sin(0.5 * a)), omega=(0.0, 0.0, parameters.table),
                     name=f"stripe {k + 1}")
    for k, (name, ((x, y), speed)) in enumerate(BALLS.items()):
        # rolling: r omega x n is the velocity against the surface
        against = np.array([0.0, speed, 0.0]) - parameters.table * np.array([-y, x, 0.0])
        add(world, Sphere(R), (x, y, TOP + R), group=1 + 2 * k, mass=1.0, material=felt, vel=(0.0, speed, 0.0),
            omega=tuple(np.cross((0.0, 0.0, 1.0), against) / R), name=name)


def measured(name: str) -> Callable[[World, Trace], float | None]:
    """Rate at which the direction of the velocity turns [rad/s], over a second or more."""
    def measure(world: World, trace: Trace) -> float | None:
        if trace["time"][-1] < 1.0:
            return None
        return turning_rate(trace["time"][1:], trace[f"body:{name}.vx"][1:], trace[f"body:{name}.vy"][1:])
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"angular velocity of the {name} ball on its circle", 2.0 / 7.0 * parameters.table, "rad/s", 5e-3,
                       measured(name)) for name in BALLS]


def check(world: World, trace: Trace) -> None:
    """The rate of (1), circles of the radius v / rate, and no change of speed."""
    rate = 2.0 / 7.0 * Parameters().table
    for name, (_, speed) in BALLS.items():
        got = measured(name)(world, trace)
        assert abs(got - rate) < 5e-3 * rate, f"the {name} ball turns with {got} rad/s"
        size = np.hypot(trace[f"body:{name}.vx"], trace[f"body:{name}.vy"])
        assert np.abs(size / speed - 1.0).max() < 0.03, f"the {name} ball changes its speed"
        assert abs(0.5 * np.ptp(trace[f"body:{name}.y"]) - speed / rate) < 0.02 * speed / rate


SCENE = Scene(
    title="Balls on a turntable",
    category="Rolling and spinning",
    look_for="Two balls roll on a turntable without slipping. One would expect the table to throw them off; instead each goes "
             "round in a circle of its own, whose centre stays where it is, and both need exactly the same time: three and a "
             "half turns of the table. The circle of the faster ball is larger in proportion. Friction acts across the "
             "velocity like the magnetic force on a charge.",
    law=r"\dot{\mathbf v} = \tfrac{2}{7}\,\mathbf\Omega \times \mathbf v",
    law_text="v' = 2/7 Omega x v: a circle at 2/7 Omega",
    build=build,
    parameters=Parameters,
    live=("table", "mu"),
    thumbnail=Thumbnail(1.5),
    view=View(target=(0.0, 0.0, 0.3), distance=4.6, azimuth=20.0, elevation=40.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("x", "y", "vx", "vy") for name in BALLS),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    check_time=4.5,
    check=check,
    unreached={},
)
