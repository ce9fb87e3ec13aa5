"""A box on a slope: it stays, slides or tips over.

Its weight acts beyond the lower edge where tan(theta) > b / h (half length over half height). Friction holds it to
tan(theta) = mu; while it slides, the friction mu N at its base turns it about its centre, and the normal force moves forward by
mu h, to the edge where mu = b / h:

    sticks   tan(theta) < min(mu, b / h)
    slides   mu < b / h,  tan(theta) > mu
    tips     mu > b / h,  tan(theta) > b / h
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Box, World, option
from physics.core.quaternions import conjugate, product
from scenes import Scene, View
from scenes._parts import add, block, ground, turned
from scenes.maps import MapAxis, PhaseMap, line

HALF = (0.12, 0.15, 0.20)       # of the box, its length along the slope first [m]
LONG = 2.0                      # half length of the slope [m]
SLID, TILTED = 1e-3, math.radians(1.0)
RATIO = HALF[0] / HALF[2]


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.8, lo=0.02, hi=2.0, help="Friction coefficient between the box and the slope.")
    angle: float = option(35.0, unit="deg", lo=0.0, hi=60.0, help="Tilt of the slope.")


def start(parameters: Parameters) -> tuple[np.ndarray, tuple[float, ...]]:
    """Centre of the box (3,) [m] and its orientation."""
    theta = math.radians(parameters.angle)
    up = np.array([math.sin(theta), 0.0, math.cos(theta)])
    return np.array([0.0, 0.0, LONG * math.sin(theta) + 0.05]) + HALF[2] * up, turned((0.0, 1.0, 0.0), theta)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    place, tilt = start(parameters)
    theta = math.radians(parameters.angle)
    up = np.array([math.sin(theta), 0.0, math.cos(theta)])
    block(world, (LONG, 0.4, 0.03), tuple(place - (HALF[2] + 0.03) * up), quat=tilt, friction=parameters.mu, name="slope")
    add(world, Box(HALF), tuple(place), quat=tilt, friction=parameters.mu, density=500.0, name="box")


def classify(world: World, parameters: Parameters) -> str:
    """Tilted by more than a degree, else moved by more than a millimetre."""
    box, (place, tilt) = world.bodies[world.body("box")], start(parameters)
    turn = product(conjugate(np.array(tilt)), box["quat"])
    if 2.0 * math.asin(min(1.0, float(np.linalg.norm(turn[1:])))) > TILTED:
        return "tips"
    return "slides" if np.linalg.norm(box["pos"] - place) > SLID else "sticks"


def border(parameters: Parameters, mu: np.ndarray) -> Sequence[np.ndarray]:
    return (line(mu, np.degrees(np.arctan(np.minimum(mu, RATIO)))),
            line(RATIO, np.linspace(math.degrees(math.atan(RATIO)), 90.0, len(mu))))


SCENE = Scene(
    title="Slide or tip", category="Contact friction",
    look_for="A box on a slope. With little friction it slides as soon as the tangent of the angle exceeds the coefficient, "
             "and never tips. With much friction it tips over its lower edge, at an angle that depends on its shape only.",
    law=r"\tan\theta > \min(\mu,\, b/h)", law_text="it moves where tan(theta) > min(mu, b / h)",
    build=build, parameters=Parameters, view=View(target=(0.0, 0.0, 0.7), distance=4.0, azimuth=20.0, elevation=12.0),
    options={"cone": "circle"}, plots=("body:box.speed", "body:box.pitch"), show=("contacts", "forces"), check_time=0.6)

MAP = PhaseMap(
    title="Slide or tip", scene="maps.tipping", x=MapAxis("mu", 0.02, 1.2), y=MapAxis("angle", 0.0, 50.0),
    classes=("sticks", "slides", "tips"), classify=classify, border=border,
    law=r"\tan\theta = \min(\mu,\, b/h), \qquad \mu = b/h", law_text="tan(theta) = min(mu, b / h);   mu = b / h",
    source="statics of a box on a slope", seconds=0.6)
