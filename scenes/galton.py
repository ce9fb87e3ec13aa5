"""A Galton board: balls fall through rows of pins, to the left or to the right of each, and gather in bins.

A ball that turns either way with equal probability at each of n pins, without memory, arrives in bin k with the probability of k
turns to the right:

    binomial   P(k) = n! / (k! (n - k)! 2^n),   mean n / 2,   spread sqrt(n) / 2                                     (1)
    with a correlation c from each turn to the next   spread^2 = n / 4 (1 + c) / (1 - c),   n large                  (2)

Left and right are alike, so the mean is n / 2. A ball keeps some of its velocity from pin to pin, so turns need not be without
memory: with the surfaces of the scene their correlation, taken from the tracks between the rows, was 0.06 at 120 and at 240 Hz,
and the bins follow (1); without friction it was -0.5, for balls jump back from the next pin, and (2) is the law. With so
few balls a mean is uncertain by 0.2, a spread by an eighth.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Compound, Material, Plane, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, carry, check_predictions, turned

BALLS, ROWS = 26, 6
R, PIN, PITCH, RISE = 0.02, 0.008, 0.07, 0.06           # of balls and pins; distances of pins along x and of rows [m]
BINS = 0.42                                             # height of the bins [m]
LOWEST = BINS + 0.05                                    # height of the lowest row [m]
TOP = LOWEST + RISE * (ROWS - 1)
EDGE = 0.5 * (ROWS + 1)                                 # of the board, in distances of pins from its middle
SPEED, EVERY = 0.5, 0.28        # of the balls on the shelves [m/s], time between two of a shelf [s]
CHUTE, WIDE, SWINGS = 0.034, 0.16, 0.45                 # half widths of chute and funnel [m], swings of the funnel [1/s]
LAYER = math.sqrt((2.0 * R) ** 2 - (PITCH - 2.0 * R - 0.006) ** 2)      # height of a ball on balls in a bin [m]
WOOD = Material(friction=0.2, mixing={"restitution": "minimum"}, name="wood")


@dataclasses.dataclass
class Parameters:
    restitution: float = option(0.25, lo=0.0, hi=0.5, help="Restitution of the balls on the pins.")
    mu: float = option(0.2, lo=0.0, hi=1.0, help="Friction coefficient of balls and pins.")


def pins() -> Compound:
    """All pins, the lowest row at z = 0."""
    return Compound(*((Sphere(PIN), (PITCH * (k - EDGE + 1.0 - 0.5 * (row % 2)), 0.0, RISE * row))
                      for row in range(ROWS) for k in range(ROWS + row % 2)))


def funnel() -> Compound:
    """Two plates, and a chute below them."""
    long, tilt = 0.5 * math.hypot(0.1, WIDE - CHUTE), math.atan2(0.1, WIDE - CHUTE)
    return Compound(*((Box((long, 0.03, 0.003)), (side * 0.5 * (WIDE + CHUTE), 0.0, 0.05), turned((0.0, 1.0, 0.0), -side * tilt))
                      for side in (-1.0, 1.0)),
                    *((Box((0.003, 0.03, 0.03)), (side * (CHUTE + 0.003), 0.0, -0.03)) for side in (-1.0, 1.0)))


def build(world: World, parameters: Parameters) -> None:
    surface = {"friction": parameters.mu, "restitution": parameters.restitution}
    world.add_body(Plane(), kind="static", material=WOOD, name="ground")
    add(world, pins(), (0.0, 0.0, LOWEST), kind="static", group=0, name="pins", **surface)
    for k in range(ROWS + 2):
        tall = BINS if 0 < k < ROWS + 1 else TOP + 0.05
        block(world, (0.003, 0.03, 0.5 * tall), (PITCH * (k - EDGE), 0.0, 0.5 * tall), material=WOOD, name=f"wall {k}")
    for k in range(ROWS + 1):
        expected = BALLS * math.comb(ROWS, k) / 2.0**ROWS * LAYER
        block(world, (0.3 * PITCH, 0.002, 0.003), (PITCH * (k - 0.5 * ROWS), 0.05, expected), mask=0, name=f"binomial {k}")
    mouth = add(world, funnel(), (0.0, 0.0, TOP + 0.15), kind="kinematic", group=0, material=WOOD, name="funnel")
    carry(world, mouth, lambda t: (math.pi * PITCH * SWINGS * math.cos(2.0 * math.pi * SWINGS * t), 0.0, 0.0))
    shelf, long = TOP + 0.28, 0.25 * SPEED * EVERY * BALLS + 0.1
    for side in (-1.0, 1.0):
        block(world, (long, 0.04, 0.01), (side * (WIDE - 0.03 + long), 0.0, shelf - 0.01), material=WOOD, name=f"shelf {side:+g}")
    for k in range(BALLS):
        side = 1.0 - 2.0 * (k % 2)
        x = WIDE + 0.5 * SPEED * EVERY * (k + 0.5 * (0.618034 * k % 1.0))
        add(world, Sphere(R), (side * x, 0.0, shelf + R), group=2 + k % 2 * 3, density=1000.0, vel=(-side * SPEED, 0.0, 0.0),
            omega=(0.0, -side * SPEED / R, 0.0), name=f"ball {k}", **surface)


def places(world: World) -> np.ndarray | None:
    """Bins of the balls (n,), 0 for the one all to the left; None while one is on its way."""
    pos = world.bodies["pos"][[world.body(f"ball {k}") for k in range(BALLS)]]
    return np.round(pos[:, 0] / PITCH + 0.5 * ROWS) if (pos[:, 2] < LOWEST).all() else None


def mean(world: World, trace: Trace) -> float | None:
    """Mean number of the bins."""
    return None if (bins := places(world)) is None else float(bins.mean())


def spread(world: World, trace: Trace) -> float | None:
    """Standard deviation of the bins' numbers."""
    return None if (bins := places(world)) is None else float(bins.std())


def predict(parameters: Parameters) -> list[Prediction]:
    found = [Prediction("mean number of the bin", 0.5 * ROWS, "", 0.2, mean)]
    if 0.15 <= parameters.mu <= 0.3 and 0.2 <= parameters.restitution <= 0.3:       # turns without memory
        found.append(Prediction("spread of the bins", 0.5 * math.sqrt(ROWS), "", 0.25, spread))
    return found


def check(world: World, trace: Trace) -> None:
    """Mean and spread, and a middle with more balls than the sides."""
    check_predictions(world, trace, predict(Parameters()))
    middle = np.abs(places(world) - 0.5 * ROWS) < 1.5
    assert middle.sum() > 0.45 * BALLS, f"{middle.sum()} balls in the three bins of the middle"


SCENE = Scene(
    title="Galton board",
    category="Play",
    look_for="Balls roll off two shelves, and fall through rows of pins that send each of them to the left or to the right. "
             "Nobody can tell which way one goes, but together they pile up to a bell. The marks behind the bins show Galton's "
             "binomial law, for turns without memory. Take friction away: a ball that has turned jumps back from the next pin, "
             "turns are no longer independent, and the bell is narrower.",
    law=r"P(k) = \binom{n}{k}\,2^{-n},\qquad \sigma^2 = \frac{n}{4}\,\frac{1+c}{1-c}",
    law_text="P(k) = n! / (k! (n - k)! 2^n);  spread^2 = n / 4 (1 + c) / (1 - c), c = 0 without memory",
    build=build,
    parameters=Parameters,
    live=("restitution", "mu"),
    view=View(target=(0.0, 0.0, 0.52), distance=2.1, azimuth=0.0, elevation=4.0),
    options={"cone": "circle", "iterations": 100},
    plots=("world.kinetic",),
    show=(),
    predict=predict,
    check_time=5.2,
    check=check,
    unreached=dict.fromkeys(("joint_space", "stewart_trinkle"),
                            "rounding grows from bounce to bounce, and some balls leave the board sideways"),
)
