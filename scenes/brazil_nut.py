"""Two boxes of grains with a large one, the nut, at the bottom are shaken: in one it rises, in the other nothing moves.

    floor   z = A (1 - cos(w t)),   its largest acceleration downwards A w^2 = Gamma g                               (1)
    Gamma < 1    nothing ever leaves the floor: all moves with it, and the nut stays where it is                     (2)
    Gamma > 1    everything is thrown up once a period, the grains part, and small ones fall below the nut:
                 it rises to the top, and stays there (A. Rosato and others, Phys. Rev. Lett. 58 (1987) 1038)       (3)

Its way down is closed, for that many small ones would have to move aside at once. At last it lies on the surface of the grains,
in the mean: at their area / (width x share they fill), 0.85 for discs in a plane, and it is thrown up by up to its size.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Compound, Motor, Sphere, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import G, add, check_predictions, ground, move

R, NUT = 0.03, 0.1                             # radii of grains and nut [m]
GRAINS = {"shaken": 26, "gentle": 14}
HALF, TALL, FLOOR, THICK = 0.22, 0.7, 0.2, 0.02        # of a box: half width, height, of its floor at the start, plates [m]
WIDE = int(2.0 * HALF / (2.06 * R))           # grains in a row
APART, FREQUENCY = 0.36, 4.0                   # place of the boxes [m], their shaking [Hz]
GENTLE = 0.8
"""Gamma of the gently shaken box."""


@dataclasses.dataclass
class Parameters:
    gamma: float = option(3.5, lo=1.2, hi=4.0, help="Largest acceleration of the box that is shaken hard, in units of g.")
    mu: float = option(0.5, lo=0.0, hi=1.0, help="Friction coefficient of grains and boxes.")


def filled() -> list[tuple[float, float]]:
    """Places (x, z) of the grains above the floor [m], in rows around the nut and above."""
    found, row = [], 0
    while len(found) < GRAINS["shaken"]:
        z = R + row * 1.76 * R
        for k in range(WIDE - row % 2):
            x = (k - 0.5 * (WIDE - 1 - row % 2)) * 2.04 * R + 0.02 * R * (2.0 * (0.618034 * len(found) % 1.0) - 1.0)
            if math.hypot(x, z - NUT) > R + NUT and len(found) < GRAINS["shaken"]:
                found.append((x, z))
        row += 1
    return found


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for name, side in (("shaken", -1.0), ("gentle", 1.0)):
        at = side * APART
        plates = Compound((Box((HALF + 2.0 * THICK, 0.06, THICK)), (0.0, 0.0, -THICK)),
                          *((Box((THICK, 0.06, 0.5 * TALL)), (k * (HALF + THICK), 0.0, 0.5 * TALL)) for k in (-1.0, 1.0)))
        box = add(world, plates, (at, 0.0, FLOOR), group=5, mass=50.0, friction=parameters.mu, name=f"{name} box")
        drive = world.add_joint("prismatic", 0, box, anchor=(at, 0.0, FLOOR), axis=(0.0, 0.0, 1.0), motor=Motor(),
                                name=f"{name} drive")
        move(world, drive, speed(parameters, name))
        add(world, Sphere(NUT), (at, 0.0, FLOOR + NUT), group=2, density=1000.0, friction=parameters.mu, name=f"{name} nut")
        for k, (x, z) in enumerate(filled()[:GRAINS[name]]):
            add(world, Sphere(R), (at + x, 0.0, FLOOR + z), group=6, density=1000.0, friction=parameters.mu,
                name=f"{name} grain {k}")


def speed(parameters: Parameters, name: str) -> Callable[[World, float], float]:
    """Of a box by (1) [m/s], for `move`."""
    w = 2.0 * math.pi * FREQUENCY

    def at(world: World, t: float) -> float:
        gamma = present(parameters, world.inputs).gamma if name == "shaken" else GENTLE
        return gamma * G / w * math.sin(w * t)
    return at


def height(name: str, trace: Trace) -> np.ndarray:
    """Of a nut's centre above the floor of its box [m]."""
    above = trace[f"body:{name} nut.z"] - trace[f"body:{name} box.z"]
    return NUT + above - above[0]


def risen(world: World, trace: Trace) -> float | None:
    """Mean height over four periods of the nut that is shaken hard [m]; None in the first seconds."""
    last = trace["time"] > trace["time"][-1] - 4.0 / FREQUENCY
    return float(height("shaken", trace)[last].mean()) if trace["time"][-1] > 2.5 else None


def predict(parameters: Parameters) -> list[Prediction]:
    surface = math.pi * (GRAINS["shaken"] * R**2 + NUT**2) / (2.0 * HALF * 0.85)
    found = [Prediction("height of the nut that is shaken gently", NUT, "m", 0.01,
                        lambda world, trace: float(height("gentle", trace)[-1]))]
    if parameters.gamma >= 3.0 and parameters.mu >= 0.4:        # else it takes longer
        found.append(Prediction("height of the nut that is shaken hard", surface, "m", 0.35, risen))
    return found


def check(world: World, trace: Trace) -> None:
    """One nut stays, the other rises to the top, over its own size."""
    check_predictions(world, trace, predict(Parameters()))
    assert np.ptp(height("gentle", trace)) < 1e-3, "the gently shaken nut moves"
    assert risen(world, trace) > 2.2 * NUT, "the nut does not rise"


SCENE = Scene(
    title="Brazil nut",
    category="Play",
    look_for="Both boxes are shaken up and down, with a large ball at the bottom among small ones. In the right box the "
             "acceleration stays below that of gravity: everything moves with the floor, as if glued to it. In the left box it "
             "exceeds it: everything is thrown up once a period, small balls fall into the gap below the large one, and it "
             "rises to the top, as the largest nuts in a packet do. Shake more or less, and see how long it takes.",
    law=r"\Gamma = \frac{A\,\omega^2}{g} > 1 \;\Rightarrow\; \Delta z > 0",
    law_text="Gamma = A w^2 / g > 1: it rises; < 1: nothing moves",
    build=build,
    parameters=Parameters,
    live=("gamma", "mu"),
    view=View(target=(0.0, 0.0, 0.45), distance=2.1, azimuth=0.0, elevation=6.0),
    options={"cone": "circle", "substeps": 1, "iterations": 100},
    plots=("body:shaken nut.z", "body:gentle nut.z", "body:shaken box.z", "body:gentle box.z"),
    show=(),
    predict=predict,
    check_time=4.5,
    check=check,
    violations="Grains that are thrown together in numbers need more sweeps than a step has, and not all the work of the drive "
               "is found again in them: less with more sweeps.",
    unreached={"compliant_contact": "its contacts spring back, and the nut ends a little higher than the grains lie"},
)
