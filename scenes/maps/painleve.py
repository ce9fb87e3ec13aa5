"""Painlevé's rod: pushed along the floor, tip first, it slides; or no force satisfies both laws and it jams.

The tip is at (-x, -z) from the centre, x = l cos(theta), z = l sin(theta) + r, and moves to -x. A normal force N with friction
mu N accelerates it upwards by B N - g,

    B = 1 / m + x^2 / J - mu x z / J                                                                                 (1)

Where B < 0, the force that would lift it off presses it down: no force is a solution, but an impulse is, which ends the slip at
once (impact without collision). That is mu > mu* = (J / m + x^2) / (x z).
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Capsule, World, option
from scenes import Scene, View
from scenes._parts import add, ground, turned
from scenes.maps import MapAxis, PhaseMap, line

HALF, THIN, MASS, INERTIA = 0.5, 0.01, 1.0, 1.0 / 12.0      # l, r [m], [kg], J [kg m^2]


@dataclasses.dataclass
class Parameters:
    angle: float = option(60.0, unit="deg", lo=5.0, hi=85.0, help="Angle of the rod to the floor.")
    mu: float = option(1.6, lo=0.05, hi=4.0, help="Friction coefficient between the rod and the floor.")
    speed: float = option(20.0, unit="m/s", lo=1.0, hi=50.0, help="Speed of the rod along the floor at the start.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    theta = math.radians(parameters.angle)
    add(world, Capsule(THIN, HALF), (0.0, 0.0, THIN + HALF * math.sin(theta)), mass=MASS, vel=(-parameters.speed, 0.0, 0.0),
        friction=parameters.mu, inertia=(INERTIA, INERTIA, 1e-4), quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi - theta), name="rod")


def classify(world: World, parameters: Parameters) -> str:
    """By the speed of the tip along the floor."""
    rod = world.bodies[world.body("rod")]
    w, x, y, z = rod["quat"]
    down = HALF * np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])
    tip = rod["vel"] + np.cross(rod["omega"], -down - (0.0, 0.0, THIN))
    return "no force solution" if -tip[0] < 0.5 * parameters.speed else "slides"


def border(parameters: Parameters, angle: np.ndarray) -> Sequence[np.ndarray]:
    x, z = HALF * np.cos(np.radians(angle)), HALF * np.sin(np.radians(angle)) + THIN
    return (line(angle, (INERTIA / MASS + x * x) / (x * z)),)


SCENE = Scene(
    title="Painlevé's rod", category="Contact friction",
    look_for="A rod slides along the floor with its tip ahead. With little friction it goes on sliding. With much friction its "
             "own friction presses the tip into the floor: no finite force obeys both laws, and the tip stops at once although "
             "nothing collides.",
    law=r"\mu^* = \frac{J/m + x^2}{x\,z}", law_text="no force is a solution where mu > (J / m + x^2) / (x z)",
    build=build, parameters=Parameters, view=View(target=(-0.3, 0.0, 0.3), distance=3.0, azimuth=0.0, elevation=10.0),
    # close to the border each sweep adds little to the impulse that stops the tip
    options={"cone": "circle", "iterations": 1000}, plots=("body:rod.vx", "body:rod.omega_y"),
    show=("contacts", "forces", "velocities"), check_time=0.1)

MAP = PhaseMap(
    title="Painlevé's rod", scene="maps.painleve", x=MapAxis("angle", 20.0, 85.0), y=MapAxis("mu", 0.2, 4.0),
    classes=("slides", "no force solution"), classify=classify, border=border, law=r"\mu^* = \frac{J/m + x^2}{x\,z}",
    law_text="mu* = (J / m + x^2) / (x z)", source="Painlevé 1895", seconds=1.0 / 240.0)
