"""Two heaps of balls collapse: rough ones, with rolling friction, are left as a pile, smooth ones run apart to a single layer.

    a layer of thickness h on a slope:   it slides where  rho g h sin(a) > mu rho g h cos(a)
    so a pile is at most as steep as     tan(a) <= mu                                                                (1)

A smooth ball on a slope of others does not slide but rolls, and nothing but inertia holds against that: no pile is left where the
floor lets the lowest balls roll. A moment of at most c times the normal force against rolling keeps them, and the angle of repose
comes near to (1). There is no closed form for it: REPOSE is measured, here, between 0.7 and 0.92 with mu from 0.3 to 0.6, c from
0.25 to 0.5 of the radius, at 120 and 240 Hz; (1) says that it is at most 1.

    cone with the mean height z and the mean radius r of the balls' centres, above those on the floor:   tan(a) = 2 z / r    (2)
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Material, Plane, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions

R = 0.06                                       # of a ball [m]
RINGS = (2, 2, 2, 1, 1, 0)
"""Of six, twelve, .. balls around the one in the middle, by layers from the floor."""
APART, FENCE = 0.85, 0.72                      # place of the heaps, half side of their fences [m]
INNER = 57                                     # number of the ball in the middle of the fourth layer
HEAPS = {"rough": -1.0, "smooth": 1.0}
SETTLES = 2.0                                  # time after which slopes are measured [s]
REPOSE = 0.8
"""Slope of the rough pile over mu, measured."""


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.6, lo=0.1, hi=1.0, help="Friction coefficient of balls and floor.")
    rolling: float = option(0.25, lo=0.1, hi=0.5, help="Rolling friction of the rough balls: largest moment against rolling over "
                                                       "normal force and radius.")


def direction(angle: float) -> np.ndarray:
    """Unit vector (2,) at an angle [rad]."""
    return np.array([math.cos(angle), math.sin(angle)])


def heap() -> list[tuple[float, float, float]]:
    """Places (x, y, z) of the balls of a heap [m]: layers upon layers, each turned and a little out of place."""
    found = []
    for layer, rings in enumerate(RINGS):
        turn, z = 0.3 * layer, R + 2.0 * R * layer
        for ring in range(rings + 1):
            for k in range(max(1, 6 * ring)):
                corner, along = divmod(k, max(1, ring))
                a, b = (direction(turn + (corner + n) * math.pi / 3.0) for n in range(2))
                x, y = 2.04 * R * ((ring - along) * a + along * b) + 0.3 * R * direction(2.4 * layer)
                found.append((float(x), float(y), z))
    return found


BALLS = len(heap())


def build(world: World, parameters: Parameters) -> None:
    floor = Material(friction=parameters.mu, name="floor")
    world.add_body(Plane(), kind="static", material=floor, name="ground")
    for name, side in HEAPS.items():
        rough = parameters.rolling * R if name == "rough" else 0.0
        surface = Material(friction=parameters.mu, rolling=rough, name=name)
        for k in range(4):
            x, y = round(math.cos(0.5 * math.pi * k)), round(math.sin(0.5 * math.pi * k))
            half = (0.02 if x else FENCE + 0.04, 0.02 if y else FENCE, 0.05)
            block(world, half, (side * APART + x * (FENCE + 0.02), y * (FENCE + 0.02), 0.05), material=floor,
                  name=f"{name} fence {k}")
        for k, (x, y, z) in enumerate(heap()):
            add(world, Sphere(R), (side * APART + x, y, z), group=3 if name == "rough" else 6, density=1000.0, material=surface,
                name=f"{name} ball {k}")


def centres(world: World, name: str) -> np.ndarray:
    """Of the balls of a heap (n, 3) [m]."""
    return world.bodies["pos"][[world.body(f"{name} ball {k}") for k in range(BALLS)]]


def slope(world: World, name: str) -> float:
    """tan(a) by (2)."""
    pos = centres(world, name)
    return float(2.0 * (pos[:, 2].mean() - R) / np.hypot(*(pos[:, :2] - pos[:, :2].mean(axis=0)).T).mean())


def repose(parameters: Parameters) -> Callable[[World, Trace], float | None]:
    """Slope of the rough pile over mu."""
    return lambda world, trace: slope(world, "rough") / parameters.mu if trace["time"][-1] >= SETTLES else None


def flat(world: World, trace: Trace) -> float | None:
    """Share of the smooth balls that lie on the floor."""
    return float((centres(world, "smooth")[:, 2] < 1.1 * R).mean()) if trace["time"][-1] >= SETTLES else None


def predict(parameters: Parameters) -> list[Prediction]:
    found = [Prediction("share of the smooth balls on the floor", 1.0, "", 0.05, flat)]
    if 0.3 <= parameters.mu <= 0.6 and parameters.rolling >= 0.25:
        found.append(Prediction("slope of the rough pile over the friction coefficient", REPOSE, "", 0.25, repose(parameters)))
    return found


def check(world: World, trace: Trace) -> None:
    """The smooth heap is flat, the rough one steep, but not steeper than (1)."""
    check_predictions(world, trace, predict(Parameters()))
    assert slope(world, "smooth") < 0.02 < 0.3 < slope(world, "rough") < Parameters().mu


SCENE = Scene(
    title="Sand pile",
    category="Play",
    look_for="Both heaps have the same friction and collapse. The right one is of smooth balls: they cannot slide, but roll, "
             "and run apart until each lies on the floor. The left one is of rough balls, which resist rolling like grains with "
             "corners, and a pile is left. Its slope is the angle of repose: friction bears no slope steeper than mu, and it "
             "comes near to that. Give the balls less friction, and see how flat the pile becomes.",
    law=r"\tan\alpha \leq \mu",
    law_text="tan(a) <= mu, near to it with rolling friction, 0 without",
    build=build,
    parameters=Parameters,
    live=("mu",),
    dt=1.0 / 120.0,
    view=View(target=(0.0, 0.0, 0.2), distance=3.6, azimuth=0.0, elevation=24.0),
    options={"cone": "circle", "substeps": 1, "iterations": 100},
    plots=(f"body:rough ball {INNER}.z", f"body:smooth ball {INNER}.z", "world.kinetic"),
    show=(),
    predict=predict,
    check_time=2.5,
    check=check,
    unreached={**dict.fromkeys(("joint_space", "stewart_trinkle"),
                               "its 500 contacts at once take it two seconds a step, and minutes in all"),
               "compliant_contact": "balls bounce on their springs while the heaps collapse, and the rough one ends flatter",
               "soft_steps": "contacts give way, and rough balls creep down the slope"},
)
