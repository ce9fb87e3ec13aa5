"""Two crane trolleys start with the same acceleration; one for a whole period of its load, the other for half of one.

In the frame of a trolley that accelerates with a, gravity points backwards by delta = atan(a / g) and has the size
g' = sqrt(g^2 + a^2). The load starts at rest at the angle delta from it, swings to the other side, and is at rest in that frame
after the period

    T = 2 pi sqrt(l / g') / agm(1, cos(delta / 2)),   largest angle 2 delta                                          (1)

If the acceleration ends at that moment, the load hangs still. If it ends after T / 2, the load is at 2 delta and swings on.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Sphere, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import G, add, block, carry, ground
from scenes.truth._parts import agm

HEIGHT, SIDE, START = 2.2, 0.7, -2.0           # of the rails, half their distance, of the trolleys at the start [m]
TROLLEYS = {"whole period": 1.0, "half period": 0.5}


@dataclasses.dataclass
class Parameters:
    acceleration: float = option(1.0, unit="m/s^2", lo=0.2, hi=2.0, help="Acceleration of both trolleys.")
    length: float = option(1.2, unit="m", lo=0.6, hi=1.8, help="Length of the ropes, to the centre of the load.")


def tilt(p: Parameters) -> float:
    """delta [rad]"""
    return math.atan(p.acceleration / G)


def period(p: Parameters) -> float:
    """T of (1) [s]."""
    return math.tau * math.sqrt(p.length / math.hypot(G, p.acceleration)) / agm(1.0, math.cos(0.5 * tilt(p)))


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    for k, (name, share) in enumerate(TROLLEYS.items()):
        y = SIDE * (1 - 2 * k)
        top, end = (START, y, HEIGHT), share * period(p)
        block(world, (4.0, 0.04, 0.04), (1.5, y, HEIGHT + 0.1), mask=0, name=f"rail {k + 1}")
        trolley = add(world, Box((0.2, 0.12, 0.06)), top, kind="kinematic", group=0, mask=0, name=f"trolley, {name}")
        carry(world, trolley, lambda t, end=end: (p.acceleration * min(t, end), 0.0, 0.0))
        load = add(world, Sphere(0.16), (START, y, HEIGHT - p.length), group=2 + 2 * k, mass=5.0, mask=0,
                   inertia=(1e-3, 1e-3, 1e-3), name=f"load, {name}")
        # a rod cannot go slack, and turns freely at both ends
        world.add_joint("rod", trolley, load, anchor=top, anchor_b=(START, y, HEIGHT - p.length), name=f"rope {k + 1}")


def angles(trace: Trace, name: str) -> np.ndarray:
    """Of a rope from the vertical [rad]."""
    return np.arctan2(trace[f"body:load, {name}.x"] - trace[f"body:trolley, {name}.x"],
                      HEIGHT - trace[f"body:load, {name}.z"])


def largest(p: Parameters, trace: Trace, name: str) -> float | None:
    """Largest angle to either side after the acceleration has ended [rad]."""
    later = trace["time"] > TROLLEYS[name] * period(p) + 0.02
    enough = trace["time"][-1] > 1.6 * period(p)
    return float(np.abs(angles(trace, name)[later]).max()) if enough else None


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters
    return [Prediction("largest angle while the trolley accelerates", 2.0 * tilt(p), "rad", 5e-3,
                       lambda world, trace: float(np.abs(angles(trace, "whole period")).max())
                       if trace["time"][-1] > period(p) else None),
            Prediction("swing that is left after half a period", 2.0 * tilt(p), "rad", 0.01,
                       lambda world, trace: largest(p, trace, "half period"))]


def check(world: World, trace: Trace) -> None:
    p = Parameters()
    for prediction in predict(p):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) < prediction.tolerance * prediction.value, (
            f"{prediction.name}: {got} rad")
    left = largest(p, trace, "whole period")
    assert left < 0.02 * tilt(p), f"the load still swings by {left} rad after a whole period"


SCENE = Scene(
    title="A crane without sway",
    category="Mechanisms",
    look_for="Both trolleys accelerate alike. The load falls behind to twice the angle at which it could hang at rest, and comes "
             "back. The first trolley stops accelerating just when its load has come back: from then on it hangs still. The "
             "second one stops half a period earlier, and its load keeps swinging. Crane drivers feel this; crane controllers "
             "compute it. Change the length of the rope, and the time changes with its root.",
    law=r"T = 2\pi\sqrt{\frac{l}{\sqrt{g^2+a^2}}}, \quad \theta_{\max} = 2\arctan\frac{a}{g}",
    law_text="T = 2 pi sqrt(l / sqrt(g^2 + a^2)), for small angles;  largest angle 2 atan(a / g)",
    build=build,
    parameters=Parameters,
    thumbnail=Thumbnail(1.1, View(target=(0.2, 0.0, 1.75), distance=6.2, azimuth=12.0, elevation=6.0), joints=True),
    view=View(target=(1.2, 0.0, 1.6), distance=8.6, azimuth=12.0, elevation=6.0),
    plots=tuple(f"body:{body}, {name}.{key}" for name in TROLLEYS for body, key in (("load", "x"), ("trolley", "x"),
                                                                                      ("load", "z"))),
    show=("joints", "velocities"),
    predict=predict,
    check_time=3.9,
    check=check,
    unreached={},
)
