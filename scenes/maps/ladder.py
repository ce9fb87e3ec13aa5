"""A ladder between floor and wall: which angle and which friction hold it.

A rod of length L with round ends of radius r; its lower centre is the origin, theta its angle to the floor. Both ends about to
slip, F = mu N at the floor and F = nu N at the wall, moments about the lower centre:

    N_w = mu N_f,   N_f + nu N_w = m g
    (L / 2) cos(theta) m g = N_w (L sin(theta) + nu (L cos(theta) + r) + r)                                          (1)

    cos(theta) (1 - mu nu) / 2 = mu (sin(theta) + (1 + nu) r / L)                                                    (2)

It slips where the left side is larger. With r = 0 that is tan(theta) < (1 - mu nu) / (2 mu).
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Capsule, World, option
from scenes import Scene, View
from scenes._parts import add, block, ground, turned
from scenes.maps import MapAxis, PhaseMap, line

LONG, THIN = 2.0, 0.02          # L, r [m]
SLIPPED = 1e-3


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.4, lo=0.02, hi=2.0, help="Friction coefficient between the ladder and the floor.")
    angle: float = option(60.0, unit="deg", lo=5.0, hi=88.0, help="Angle of the ladder to the floor.")
    wall: float = option(0.3, lo=0.0, hi=1.0, help="Friction coefficient between the ladder and the wall.")


def centre(parameters: Parameters) -> np.ndarray:
    """Of the ladder (3,) [m]; its lower end is over the origin."""
    theta = math.radians(parameters.angle)
    return np.array([0.5 * LONG * math.cos(theta), 0.0, THIN + 0.5 * LONG * math.sin(theta)])


def build(world: World, parameters: Parameters) -> None:
    # of a pair counts the root of both coefficients
    ground(world, friction=parameters.mu**2)
    theta = math.radians(parameters.angle)
    block(world, (0.1, 0.5, 1.1), (LONG * math.cos(theta) + THIN + 0.1, 0.0, 1.1), friction=parameters.wall**2, name="wall")
    add(world, Capsule(THIN, 0.5 * LONG), tuple(centre(parameters)), mass=10.0, friction=1.0,
        quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi - theta), name="ladder")


def classify(world: World, parameters: Parameters) -> str:
    moved = np.linalg.norm(world.bodies["pos"][world.body("ladder")] - centre(parameters))
    return "slips" if moved > SLIPPED else "sticks"


def border(parameters: Parameters, mu: np.ndarray) -> Sequence[np.ndarray]:
    """By (2): a cos(theta) - b sin(theta) = c."""
    a, b, c = 0.5 * (1.0 - mu * parameters.wall), mu, mu * (1.0 + parameters.wall) * THIN / LONG
    size = np.hypot(a, b)
    return (line(mu, np.degrees(np.arccos(np.clip(c / size, -1.0, 1.0)) - np.arctan2(b, a))),)


SCENE = Scene(
    title="Ladder", category="Contact friction",
    look_for="A ladder leans against a wall. Below some angle its foot slips. The more friction at the floor, the flatter it may "
             "stand; friction at the wall helps less.",
    law=r"\tan\theta < \frac{1 - \mu\nu}{2\mu}", law_text="it slips where tan(theta) < (1 - mu nu) / (2 mu), nu at the wall",
    build=build, parameters=Parameters, view=View(target=(0.6, 0.0, 0.9), distance=5.0, azimuth=15.0, elevation=12.0),
    options={"cone": "circle"}, plots=("body:ladder.speed", "body:ladder.z"), show=("contacts", "forces", "cones"),
    check_time=0.6)

MAP = PhaseMap(
    title="Ladder", scene="maps.ladder", x=MapAxis("mu", 0.02, 1.2), y=MapAxis("angle", 15.0, 85.0), classes=("sticks", "slips"),
    classify=classify, border=border,
    law=r"\cos\theta\,\frac{1 - \mu\nu}{2} = \mu\left(\sin\theta + (1 + \nu)\frac{r}{L}\right)",
    law_text="cos(theta) (1 - mu nu) / 2 = mu (sin(theta) + (1 + nu) r / L)", source="statics of a ladder", seconds=0.6)
