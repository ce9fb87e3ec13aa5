"""Four crates slide to rest: the distance grows with the square of the speed, and does not depend on the mass.

    v' = -mu g,   t = v / (mu g),   s = v^2 / (2 mu g)
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from physics import Box, World, option
from scenes import Curve, PredictedPath, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import G, add, ground, mark

PITCH = 0.7                                    # between lanes [m]
HALF = (0.15, 0.15, 0.1)                       # of a crate of 1 kg [m]
LANES = {"light": (1.0, 1.0, 1.0), "heavy": (8.0, 1.0, 1.0), "fast": (1.0, 2.0, 1.0), "slippery": (1.0, 1.0, 0.25)}
"""Mass [kg], speed and friction relative to the parameters, by name."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(2.0, unit="m/s", lo=0.2, hi=4.0, help="Initial speed. The fast crate has twice as much.")
    mu: float = option(0.4, lo=0.1, hi=1.0, help="Friction coefficient with the floor. The slippery crate has a quarter of it.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=1.0)
    for k, (name, (mass, speed, grip)) in enumerate(LANES.items()):
        y, half = side(name), np.array(HALF) * np.cbrt(mass)
        # of a pair counts the root of both coefficients
        add(world, Box(tuple(half)), (-half[0], y, half[2]), group=1 + k, mass=mass, vel=(speed * parameters.speed, 0.0, 0.0),
            friction=(grip * parameters.mu) ** 2, name=name)
        mark(world, 0.0, y, f"start {k + 1}", 0.3)


def side(name: str) -> float:
    """Place of a lane along y [m]."""
    return PITCH * (1.5 - list(LANES).index(name))


def stops(name: str, parameters: Parameters) -> tuple[float, float]:
    """Time [s] and distance [m] to rest."""
    _, speed, grip = LANES[name]
    v, a = speed * parameters.speed, grip * parameters.mu * G
    return v / a, v * v / (2.0 * a)


def distance(name: str) -> Callable[[World, Trace], float | None]:
    def measure(world: World, trace: Trace) -> float | None:
        x = trace[f"body:{name}.x"]
        return float(x[-1] - x[0]) if trace[f"body:{name}.speed"][-1] < 1e-6 else None
    return measure


def path(name: str, end: float) -> PredictedPath:
    """Along the floor beside the start, for the front edge of a crate."""
    front, _, low = np.array(HALF) * np.cbrt(LANES[name][0])
    ends = np.array([0.0, 2.0 * end])
    return PredictedPath(name, np.array([(0.0, side(name), 0.0)]) + ends[:, None] * (1.0, 0.0, 0.0), ends, (front, 0.0, -low))


def predict(parameters: Parameters) -> list[Prediction]:
    found = {name: stops(name, parameters)[1] for name in LANES}
    return [Prediction(f"distance of the crate '{name}'", way, "m", 5e-3, distance(name), place=path(name, way))
            for name, way in found.items()]


def law_curves(parameters: Parameters) -> list[Curve]:
    return [Curve(f"body:{name}.speed", "v - mu g t", (0.0, stops(name, parameters)[0]),
                  (LANES[name][1] * parameters.speed, 0.0)) for name in LANES]


def check(world: World, trace: Trace) -> None:
    """Twice the speed goes as far as a quarter of the friction, and mass makes no difference."""
    way = {name: distance(name)(world, trace) for name in LANES}
    for name, expected in ((name, stops(name, Parameters())[1]) for name in LANES):
        assert way[name] is not None and abs(way[name] - expected) < 5e-3 * expected, f"'{name}' goes {way[name]} m"
    assert abs(way["fast"] / way["slippery"] - 1.0) < 2e-3 and abs(way["light"] / way["heavy"] - 1.0) < 1e-3


SCENE = Scene(
    title="Stopping distance",
    category="Contact friction",
    look_for="Four crates cross the line at the same moment. The light and the heavy one stop side by side: a larger mass has "
             "more momentum, and more friction in the same proportion. The fast one has twice the speed and goes four times as "
             "far. The slippery one has a quarter of the friction and goes just as far as the fast one, but takes twice as "
             "long.",
    law=r"s = \frac{v^2}{2 \mu g}, \quad t = \frac{v}{\mu g}",
    law_text="s = v^2 / (2 mu g);  t = v / (mu g)",
    build=build,
    parameters=Parameters,
    live=("mu",),
    thumbnail=Thumbnail(1.0, View(target=(0.76, -0.05, 0.0), distance=3.2, azimuth=8.0, elevation=40.0)),
    view=View(target=(0.76, -0.09, 0.01), distance=4.0, azimuth=8.0, elevation=42.0),
    options={"cone": "circle"},
    plots=(*(f"body:{name}.speed" for name in LANES), *(f"body:{name}.x" for name in LANES)),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=2.3,
    check=check,
    unreached={},
)
