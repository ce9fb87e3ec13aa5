"""Equal crates on level ground, pushed harder and harder in different directions: which way friction holds least.

Coulomb's circular cone holds a push F in any direction up to mu m g. The regular k-gon inside it (ST96 section 3), with a corner
along x, holds a push at the angle phi from x up to

    F_k = mu m g cos(pi/k) / cos(phi - phi_s)                                                                       (1)

phi_s: the middle of the polygon's side that phi crosses. That is mu m g at a corner and less by 1 - cos(pi/k) in the middle of
a side. From then on a crate goes along phi_s, not along the push. (SimBenchmark pushes 35 kg at mu 0.4 with 150 N along the
diagonal: in engines with a square around the circle nothing moves, for that holds sqrt(2) mu m g = 194 N there.)
"""

import dataclasses
import functools
import math

import numpy as np

from physics import Box, World, option
from scenes import Curve, Prediction, Scene, Trace, View, present
from scenes._parts import G, add, ground, push, turned

HALF = (0.3, 0.2, 0.1)
GROWTH = 60.0
"""Of the pushes [N/s]."""

ANGLES = (0, 15, 30, 45)
"""Directions of the pushes from x [deg]."""

MOVES = 1e-2
"""A crate that is faster slides [m/s]."""


@dataclasses.dataclass
class Parameters:
    mass: float = option(35.0, unit="kg", lo=1.0, hi=100.0, help="Mass of each crate.")
    mu: float = option(0.4, lo=0.05, hi=1.0, help="Friction coefficient between the crates and the ground.")
    push: float = option(150.0, unit="N", lo=1.0, hi=1000.0, help="Final push; the pushes grow by 60 N per second.")


def title(angle: int) -> str:
    """Name of the crate that is pushed in that direction [deg]."""
    return f"crate {angle} deg"


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    for k, angle in enumerate(ANGLES):
        phi = math.radians(angle)
        body = add(world, Box(HALF), (0.0, 1.1 * (k - 1.5), HALF[2]), group=k + 1, mass=parameters.mass, friction=parameters.mu,
                   quat=turned((0.0, 0.0, 1.0), phi), name=title(angle))
        way = np.array([math.cos(phi), math.sin(phi), 0.0])
        push(world, body, lambda world, way=way: min(GROWTH * world.time, present(parameters, world.inputs).push) * way)


def bound(parameters: Parameters) -> float:
    """mu m g [N]."""
    return parameters.mu * parameters.mass * G


def slips_at(angle: int, parameters: Parameters, world: World, trace: Trace) -> float | None:
    """The push at which a crate began to slide [N]; from then on its speed grows with the square of time."""
    speed = trace[f"body:{title(angle)}.speed"]
    k = int(np.argmax(speed > MOVES))
    if not speed[k] > MOVES:
        return None
    return GROWTH * float(trace["time"][k] - math.sqrt(2.0 * parameters.mass * speed[k] / GROWTH))


def predict(parameters: Parameters) -> list[Prediction]:
    if bound(parameters) > 0.98 * parameters.push:
        return []       # friction holds them all
    return [Prediction(f"push at {angle} deg that makes it slide", bound(parameters), "N", 0.01,
                       functools.partial(slips_at, angle, parameters)) for angle in ANGLES]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Speeds under a circular cone: m v' = F(t) - mu m g from the moment that this is positive."""
    start, full = bound(parameters) / GROWTH, parameters.push / GROWTH
    times = np.array([0.0, *np.linspace(min(start, full), full, 30), full + 1.5])
    grown = GROWTH * (np.clip(times, start, max(start, full)) - start) ** 2 / (2.0 * parameters.mass)
    later = max(0.0, parameters.push - bound(parameters)) / parameters.mass * np.maximum(times - full, 0.0)
    return [Curve(f"body:{title(angle)}.speed", "law", tuple(times), tuple(grown + later)) for angle in ANGLES]


def check(world: World, trace: Trace) -> None:
    """All begin to slide at mu m g, each along its push."""
    parameters = Parameters()
    for angle in ANGLES:
        force, way = slips_at(angle, parameters, world, trace), world.bodies["vel"][world.body(title(angle))]
        assert force is not None and abs(force / bound(parameters) - 1.0) < 0.01, f"'{title(angle)}' slides at {force} N"
        off = math.degrees(math.atan2(way[1], way[0])) - angle
        assert abs(off) < 0.1, f"'{title(angle)}' goes {off:.2g} degrees beside its push"


SCENE = Scene(
    title="Diagonal push: where a polygonal cone is weakest",
    category="Contact friction",
    look_for="Four crates are pushed with growing force in different directions. Friction holds all of them up to the same push, "
             "and then they slide along it. Now set the solver's cone to polygon, with 4 facets here, and reset: towards a "
             "corner of the polygon friction is as strong as before, but on the diagonal it yields 29 percent too early, and in "
             "between the crates deviate from the direction of the push. With 8 facets the loss is 8 percent, with 16 only 2.",
    law=r"F = \mu\, m\, g, \qquad F_k = \mu\, m\, g\,\frac{\cos(\pi/k)}{\cos(\varphi - \varphi_s)}",
    law_text="a circular cone holds F = mu m g in any direction; a k-gon F_k = mu m g cos(pi/k) / cos(phi - phi_s), phi_s the "
             "middle of its side",
    build=build,
    parameters=Parameters,
    live=("mu", "push"),
    view=View(target=(-0.13, -0.18, -0.12), distance=4.7, azimuth=30.0, elevation=38.0),
    options={"cone": "circle", "facets": 4},
    plots=tuple(f"body:{title(angle)}.speed" for angle in ANGLES),
    show=("contacts", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=3.0,
    check=check,
    unreached={"compliant_contact": "its contacts give way, and the boxes creep before they slide"},
)
