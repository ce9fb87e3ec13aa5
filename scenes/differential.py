"""A differential: bevel wheels on two shafts, and between them planets on a carrier that the engine turns.

Seen from the carrier the shafts turn oppositely, and the planets roll between them:

    omega_c = (omega_l + omega_r) / 2,    Omega = (r_s / r_p) (omega_l - omega_r) / 2                                (1)

so each shaft gets half of the torque T, whatever its speed; with brakes of b_l, b_r at the wheels

    (I_l + J + K) a_l + (J - K) a_r = T / 2 - b_l,   (J - K) a_l + (I_r + J + K) a_r = T / 2 - b_r                   (2)

J = I_c / 4, K = I_p (r_s / 2 r_p)^2, of the carrier with its planets about the shafts, and of the planets about their own axes.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Compound, Cylinder, Motor, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import LYING, add, block, check_predictions, ground, turned

TOP, R, OUT = 0.6, 0.35, 0.75                   # height of the shafts, radius of a road wheel, its distance from the middle [m]
SUN, PLANET, THICK = 0.16, 0.12, 0.025          # radii of the bevel wheels, half their thickness [m]
WHEEL, SPIDER, CAGE = 6.0, 0.4, 1.5             # masses of a road wheel with its shaft, a planet, the carrier [kg]
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
SIDES = {"left": 1.0, "right": -1.0}
FAST = 1e3                                      # speed that the engine never reaches: its torque is constant [rad/s]
UPON_X = turned(Y, 0.5 * math.pi)


@dataclasses.dataclass
class Parameters:
    torque: float = option(6.0, unit="N m", lo=0.5, hi=20.0, help="Torque of the engine at the carrier.")
    left: float = option(4.0, unit="N m", lo=0.0, hi=15.0, help="Brake of the left wheel: as on asphalt it holds against it.")
    right: float = option(1.0, unit="N m", lo=0.0, hi=15.0, help="Brake of the right wheel: as on ice it yields early.")


def half_axle(side: float) -> Compound:
    """A bevel wheel, the shaft and a road wheel with two spokes to be seen, about the middle; side: 1 left, -1 right."""
    return Compound((Cylinder(SUN - 0.5 * THICK, THICK), (0.0, side * PLANET, 0.0), LYING),
                    (Cylinder(0.025, 0.5 * (OUT - PLANET)), (0.0, 0.5 * side * (OUT + PLANET), 0.0), LYING),
                    (Cylinder(R, 0.05), (0.0, side * OUT, 0.0), LYING),
                    (Box((0.9 * R, 0.015, 0.03)), (0.0, side * (OUT + 0.055), 0.0)))


CARRIER = Compound(*((Box((0.02, PLANET + 0.07, 0.04)), (x * (SUN + 0.06), 0.0, 0.0)) for x in (-1.0, 1.0)),
                   *((Box((SUN + 0.08, 0.015, 0.04)), (0.0, y * (PLANET + 0.07), 0.0)) for y in (-1.0, 1.0)))


def build(world: World, parameters: Parameters) -> None:
    p, middle = parameters, (0.0, 0.0, TOP)
    ground(world)
    halves = {}
    for k, (name, side) in enumerate(SIDES.items()):
        halves[name] = add(world, half_axle(side), middle, group=1 + 4 * k, mass=WHEEL, mask=0, name=f"{name} wheel")
        at = (0.0, side * 0.5 * OUT, TOP)
        world.add_joint("revolute", 0, halves[name], anchor=at, axis=Y, max_friction=getattr(p, name), name=f"{name} brake")
        block(world, (0.03, 0.03, 0.5 * TOP - 0.0125), (0.0, at[1], 0.5 * TOP - 0.0125), mask=0, name=f"{name} post")
    carrier = add(world, CARRIER, middle, group=3, mass=CAGE, mask=0, name="carrier")
    world.add_joint("revolute", 0, carrier, anchor=middle, axis=Y, motor=Motor(target=FAST, force=p.torque), name="engine")
    for k, x in enumerate((1.0, -1.0)):
        at = (x * SUN, 0.0, TOP)
        planet = add(world, Cylinder(PLANET - 0.5 * THICK, THICK), at, group=4, mass=SPIDER, quat=UPON_X, mask=0,
                     name=f"planet {k + 1}")
        world.add_joint("revolute", carrier, planet, anchor=at, axis=X, name=f"pin {k + 1}")
        for name, side in tuple(SIDES.items())[:2 - k]:         # one of four teeth would be redundant
            centre = (0.0, side * PLANET, TOP)
            world.add_joint("gear", halves[name], planet, anchor=centre, anchor_b=at, axis=Y, axis_b=X,
                            ratio=-side * x * SUN / PLANET, name=f"teeth {name} {k + 1}")


def moments() -> tuple[float, float, float]:
    """I of a wheel with its shaft, J and K of (2) [kg m^2]."""
    planet = Cylinder(PLANET - 0.5 * THICK, THICK).inertia(SPIDER)
    cage = CARRIER.inertia(CAGE)[1, 1] + 2.0 * (planet[0] + SPIDER * SUN**2)
    return half_axle(1.0).inertia(WHEEL)[1, 1], 0.25 * cage, 2.0 * planet[2] * (0.5 * SUN / PLANET) ** 2


def accelerations(parameters: Parameters) -> dict[str, float]:
    """Of both wheels from rest [rad/s^2], by (2); a brake holds its wheel as long as it can."""
    own, common, opposite = moments()
    matrix = np.array([[own + common + opposite, common - opposite], [common - opposite, own + common + opposite]])
    free = 0.5 * parameters.torque - np.array([parameters.left, parameters.right])
    turns = np.linalg.solve(matrix, free)
    for k in (0, 1):
        if turns[k] < 0.0:
            turns = np.zeros(2)
            turns[1 - k] = max(0.0, free[1 - k] / matrix[1 - k, 1 - k])
    return dict(zip(SIDES, turns.tolist()))


def speed(trace: Trace, name: str) -> float:
    return float(trace[f"joint:{name}.rate"][-1])


def mean_acceleration(name: str) -> Callable[[World, Trace], float | None]:
    """Of a joint since the start [rad/s^2]."""
    return lambda world, trace: speed(trace, name) / float(trace["time"][-1]) if trace["time"][-1] > 0.5 else None


def predict(parameters: Parameters) -> list[Prediction]:
    found = [Prediction(f"angular acceleration of the {name} wheel", value, "rad/s^2", 5e-3, mean_acceleration(f"{name} brake"))
             for name, value in accelerations(parameters).items()]
    return [*found, Prediction("angular acceleration of the carrier", 0.5 * sum(one.value for one in found), "rad/s^2", 5e-3,
                               mean_acceleration("engine"))]


def check(world: World, trace: Trace) -> None:
    """The braked wheel rests, the other one turns twice as fast as the carrier."""
    check_predictions(world, trace, predict(Parameters()))
    assert np.abs(trace["joint:left brake.rate"]).max() < 1e-9, "the left wheel turns"
    missed = trace["joint:engine.rate"] - 0.5 * (trace["joint:left brake.rate"] + trace["joint:right brake.rate"])
    assert np.abs(missed).max() < 1e-6, f"the speeds miss the law by {np.abs(missed).max():.1e} rad/s"


SCENE = Scene(
    title="Differential",
    category="Mechanisms",
    look_for="The engine turns the orange carrier, and its planets hand half of the torque to each wheel, whatever their speeds: "
             "so a car can go round a bend. But here the left wheel is held as on asphalt and the right one is on ice: half of "
             "the torque is not enough for the left wheel, and the right one spins, twice as fast as the carrier. Make both "
             "brakes equal: the wheels turn alike, and the planets stand still in their carrier.",
    law=r"\omega_c = \frac{\omega_l + \omega_r}{2}, \quad T_l = T_r = \frac{T}{2}",
    law_text="omega_c = (omega_l + omega_r) / 2;  T_l = T_r = T / 2",
    build=build,
    parameters=Parameters,
    live=("torque", "left", "right"),
    view=View(target=(0.0, 0.0, 0.5), distance=3.2, azimuth=60.0, elevation=24.0),
    plots=("joint:left brake.rate", "joint:right brake.rate", "joint:engine.rate", "joint:left brake.friction",
           "joint:right brake.friction"),
    show=("joints",),
    predict=predict,
    check_time=1.0,
    check=check,
    unreached={},
)
