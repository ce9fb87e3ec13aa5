"""A spiral of dominoes; a nudge to the first one fells them all."""

import dataclasses
import math

import numpy as np

from physics import Box, World, option
from scenes import Scene, Trace, View
from scenes._parts import add, ground, turned

HALF = (0.03, 0.12, 0.24)        # thickness, width, height / 2 [m]
STEP = 0.19                      # between neighbours along the spiral [m]


@dataclasses.dataclass
class Parameters:
    count: int = option(60, lo=2, hi=300, help="Number of dominoes.")
    mu: float = option(0.4, lo=0.05, hi=1.0, help="Friction coefficient of dominoes and ground.")
    nudge: float = option(2.0, unit="rad/s", lo=0.0, hi=10.0, help="Initial angular velocity of the first domino. Below about "
                                                                   "0.7 rad/s it does not topple.")


def places(count: int) -> list[tuple[float, float, float]]:
    """x, y and heading of every domino on a spiral that opens outwards [m, rad]."""
    found, phi = [], 0.0
    for _ in range(count):
        radius = 0.9 + 0.09 * phi
        found.append((radius * math.cos(phi), radius * math.sin(phi), phi + 0.5 * math.pi - math.atan(0.09 / radius)))
        phi += STEP / radius
    return found


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    for i, (x, y, heading) in enumerate(places(parameters.count)):
        tile = add(world, Box(HALF), (x, y, HALF[2]), group=1 + (i // 6) % 8, friction=parameters.mu, density=600.0,
                   quat=turned((0.0, 0.0, 1.0), heading), name=f"tile {i}")
        if i == 0:
            # about its front lower edge: v = omega x r
            axis = np.array([-math.sin(heading), math.cos(heading), 0.0])
            arm = np.array([-HALF[0] * math.cos(heading), -HALF[0] * math.sin(heading), HALF[2]])
            world.set_velocity(tile, np.cross(parameters.nudge * axis, arm), parameters.nudge * axis)


def fallen(world: World) -> int:
    """Dominoes that lean by more than 30 degrees."""
    tiles = [i for i, name in enumerate(world.body_names) if name.startswith("tile ")]
    q = world.bodies["quat"][tiles]
    return int(np.sum(1.0 - 2.0 * (q[:, 1] ** 2 + q[:, 2] ** 2) < math.cos(math.radians(30.0))))


def check(world: World, trace: Trace) -> None:
    """All have fallen, the last one too."""
    assert fallen(world) == Parameters().count, f"only {fallen(world)} of {Parameters().count} fell"
    assert np.all(np.isfinite(trace["world.kinetic"]))


SCENE = Scene(
    title="Dominoes",
    category="Impacts",
    look_for="A small initial push runs through the whole spiral: each tile stores the potential energy of standing upright and "
             "passes part of it on. After a few tiles the wave has its own speed, whatever the initial push. Reduce the friction "
             "and the tiles slip at their base: the wave slows down or stops.",
    law=r"\Delta E = m g \left(\sqrt{h^2 + d^2} - h\right)/2 \;\ll\; m g h / 2",
    law_text="to topple a tile of height h and thickness d takes m g (sqrt(h^2 + d^2) - h)/2, far less than it "
             "gives back",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.11, 0.03, 0.06), distance=4.7, azimuth=30.0, elevation=35.0),
    plots=("world.kinetic", "world.potential"),
    drawn=("world.kinetic",),       # the potential energy is a hundred times as large
    show=(),
    check_time=6.0,
    check=check,
)
