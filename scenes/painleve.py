"""Painlevé's paradox: two rods slide along the floor, tip first. With little friction one goes on; with much the other jams.

At the tip, (-x, -z) from the centre, a normal force N with friction mu N accelerates the tip upwards by B N - g,
B = 1 / m + x^2 / J - mu x z / J (scenes/maps/painleve.py, 1). Where B < 0, beyond mu* = (J / m + x^2) / (x z), no force obeys
both laws. An impulse does: it stops the tip at once although nothing collides. Angular momentum about the tip is kept,

    omega = m v z / (J + m (x^2 + z^2))                                                                              (1)

Below mu* the rod slides, its angle follows by integration (scenes/truth/statics.py, 6).
P. Painlevé, Sur les lois du frottement de glissement, Comptes Rendus 121 (1895).
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, World, option
from physics.core import former_names
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, check_predictions, ground, mark, turned
from scenes.maps.painleve import HALF, INERTIA, MASS, THIN
from scenes.truth.statics import slid

SIDE, AFTER = 0.3, 0.15         # half distance of the rods [m], time at which the angle is compared [s]

former_names.FIELDS["RodParameters"] = {"low": "smooth_rod_mu", "high": "rough_rod_mu"}


@former_names.accepts_former
@dataclasses.dataclass
class RodParameters:
    angle: float = option(60.0, unit="deg", lo=30.0, hi=75.0, help="Angle of the rods to the floor.")
    speed: float = option(3.0, unit="m/s", lo=1.0, hi=10.0, help="Speed of the rods along the floor.")
    smooth_rod_mu: float = option(0.5, lo=0.1, hi=0.9, help="Friction coefficient of the first rod.")
    rough_rod_mu: float = option(2.0, lo=0.1, hi=3.0, help="Friction coefficient of the second rod. At 60 degrees the paradox "
                                                           "begins at 1.32.")


def build(world: World, parameters: RodParameters) -> None:
    # of a pair counts the root of both coefficients
    ground(world, friction=1.0)
    theta = math.radians(parameters.angle)
    for k, (name, mu) in enumerate((("smooth rod", parameters.smooth_rod_mu), ("rough rod", parameters.rough_rod_mu))):
        y = SIDE * (1 - 2 * k)
        add(world, Capsule(THIN, HALF), (0.0, y, THIN + HALF * math.sin(theta)), group=1 + 2 * k, mass=MASS, friction=mu * mu,
            vel=(-parameters.speed, 0.0, 0.0), inertia=(INERTIA, INERTIA, 1e-4),
            quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi - theta), name=name)
        mark(world, -HALF * math.cos(theta), y, f"start {k + 1}", 0.15)


def arm(parameters: RodParameters) -> tuple[float, float]:
    """x, z [m]."""
    theta = math.radians(parameters.angle)
    return HALF * math.cos(theta), HALF * math.sin(theta) + THIN


def paradox(parameters: RodParameters) -> float:
    """mu*"""
    x, z = arm(parameters)
    return (INERTIA / MASS + x * x) / (x * z)


def jammed(parameters: RodParameters) -> float:
    """(1) [rad/s]"""
    x, z = arm(parameters)
    return MASS * parameters.speed * z / (INERTIA + MASS * (x * x + z * z))


def spin(world: World, trace: Trace) -> float | None:
    """Of the rough rod, just after the beginning [rad/s]."""
    early = (trace["time"] > 0.0) & (trace["time"] < 0.02)
    return float(np.abs(trace["body:rough rod.omega_y"][early]).max()) if trace["time"][-1] > 0.02 else None


def leaning(world: World, trace: Trace) -> float | None:
    """Angle of the smooth rod to the floor after a while [rad]."""
    if trace["time"][-1] < AFTER:
        return None
    return 0.5 * math.pi - float(np.interp(AFTER, trace["time"], trace["body:smooth rod.pitch"]))


def predict(parameters: RodParameters) -> list[Prediction]:
    found = []
    if parameters.smooth_rod_mu < 0.95 * paradox(parameters):
        found.append(Prediction("angle of the smooth rod after 0.15 s",
                                slid(parameters.smooth_rod_mu, math.radians(parameters.angle), -parameters.speed, AFTER), "rad",
                                0.01, leaning))
    if parameters.rough_rod_mu > 1.05 * paradox(parameters):
        found.append(Prediction("spin of the rough rod after it jams", jammed(parameters), "rad/s", 0.02, spin,
                                "body:rough rod.omega_y"))
    return found


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(RodParameters()))
    early = trace["time"] < AFTER
    assert trace["body:smooth rod.vx"][early].max() < -0.5 * RodParameters().speed, "the smooth rod stops"


SCENE = Scene(
    title="Chalk that hops: Painlevé's paradox",
    category="Paradoxes",
    look_for="Two rods, pieces of chalk, are pushed along the floor, tip ahead. The smooth one slides on and slowly falls. The "
             "rough one ought to slide too, but its own friction presses the tip into the floor, which increases the friction: "
             "beyond a certain coefficient no finite force satisfies both laws. The tip stops at once, as if it had hit "
             "something, and the rod somersaults. So does chalk hop over the blackboard and draw dots.",
    law=r"\mu^* = \frac{J/m + x^2}{x z}, \quad \omega = \frac{m v z}{J + m (x^2 + z^2)}",
    law_text="no force is a solution where mu > (J / m + x^2) / (x z); then omega = m v z / (J + m (x^2 + z^2))",
    build=build,
    parameters=RodParameters,
    live=("smooth_rod_mu", "rough_rod_mu"),
    view=View(target=(-0.2, 0.0, 0.35), distance=2.2, azimuth=40.0, elevation=18.0),
    options={"cone": "circle", "iterations": 1000},
    plots=("body:rough rod.omega_y", "body:smooth rod.omega_y", "body:rough rod.vx", "body:smooth rod.vx",
           "body:smooth rod.pitch"),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    check_time=0.4,
    check=check,
    unreached={"compliant_contact": "its contacts give way in the jam, and spring back"},
)
