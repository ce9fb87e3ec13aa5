"""A wedge under a load that is guided vertically: it holds, or is squeezed out.

The wedge, mass m and angle alpha, lies on the floor under a load of mass M, with friction phi = atan(mu) on both of its faces.
About to slip, the force R from the load is inclined by alpha - phi:

    R cos(alpha - phi) = M g,   R sin(alpha - phi) = mu (M + m) g
    tan(alpha - phi) = mu (1 + m / M)                                                                                (1)

It is squeezed out at larger alpha. Without mass, m = 0, that is alpha = 2 phi.
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Hull, World, option
from scenes import Scene, View
from scenes._parts import add, ground
from scenes.maps import MapAxis, PhaseMap, line

LONG, WIDE = 0.8, 0.15                      # length and half width of the wedge [m]
LOADED = (0.25, 0.65)                       # part of its length that the load covers [m]
MASS, LOAD = 1.0, 10.0
SLIPPED = 1e-3


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.2, lo=0.01, hi=1.0, help="Friction coefficient of both faces of the wedge.")
    angle: float = option(15.0, unit="deg", lo=2.0, hi=50.0, help="Angle of the wedge.")


def prism(corners: Sequence[tuple[float, float]]) -> tuple[Hull, tuple[float, float, float]]:
    """A hull with these corners x, z and its centre of mass [m]."""
    return Hull([(x, y, z) for x, z in corners for y in (-WIDE, WIDE)]), _centroid(corners)


def _centroid(corners: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Of a polygon's area, counter-clockwise."""
    x, z = np.array(corners).T
    cross = x * np.roll(z, -1) - np.roll(x, -1) * z
    area = 0.5 * cross.sum()
    return (float(((x + np.roll(x, -1)) * cross).sum() / (6.0 * area)), 0.0,
            float(((z + np.roll(z, -1)) * cross).sum() / (6.0 * area)))


def places(parameters: Parameters) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Corners x, z of the wedge and of the load [m]."""
    slope = math.tan(math.radians(parameters.angle))
    a, b = LOADED
    top = LONG * slope + 0.15
    return ([(0.0, 0.0), (LONG, 0.0), (0.0, LONG * slope)],
            [(a, (LONG - a) * slope), (b, (LONG - b) * slope), (b, top), (a, top)])


def build(world: World, parameters: Parameters) -> None:
    # of a pair counts the root of both coefficients
    ground(world, friction=parameters.mu**2)
    (wedge, at), (load, over) = map(prism, places(parameters))
    add(world, wedge, at, group=1, mass=MASS, friction=1.0, name="wedge")
    body = add(world, load, over, group=2, mass=LOAD, friction=parameters.mu**2, name="load")
    world.add_joint("prismatic", 0, body, anchor=over, axis=(0.0, 0.0, 1.0), name="guide")


def classify(world: World, parameters: Parameters) -> str:
    x = world.bodies["pos"][world.body("wedge"), 0]
    return "slips" if abs(x - LONG / 3.0) > SLIPPED else "sticks"


def border(parameters: Parameters, mu: np.ndarray) -> Sequence[np.ndarray]:
    return (line(mu, np.degrees(np.arctan(mu) + np.arctan(mu * (1.0 + MASS / LOAD)))),)


SCENE = Scene(
    title="Wedge", category="Contact friction",
    look_for="A load, guided vertically, presses on a wedge. A flat wedge holds any load: its two faces need a friction angle of "
             "half of its angle each. A steeper one is squeezed out, whatever the load weighs.",
    law=r"\tan(\alpha - \varphi) = \mu\,(1 + m/M)", law_text="it is squeezed out beyond tan(alpha - phi) = mu (1 + m / M)",
    build=build, parameters=Parameters, view=View(target=(0.4, 0.0, 0.2), distance=3.0, azimuth=15.0, elevation=12.0),
    options={"cone": "circle"}, plots=("body:wedge.speed", "body:load.z"), show=("contacts", "forces", "joints"),
    check_time=0.5)

MAP = PhaseMap(
    title="Wedge", scene="maps.wedge", x=MapAxis("mu", 0.02, 0.5), y=MapAxis("angle", 2.0, 48.0), classes=("sticks", "slips"),
    classify=classify, border=border, law=r"\tan(\alpha - \varphi) = \mu\,(1 + m/M), \quad \varphi = \arctan\mu",
    law_text="tan(alpha - phi) = mu (1 + m / M),   phi = atan(mu)", source="statics of a wedge", seconds=0.5)
