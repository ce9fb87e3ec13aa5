"""Boxes, balls and capsules in a low-walled court: something to drag, shoot at and stack."""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Sphere, World, option
from scenes import Scene, Trace, View
from scenes._parts import add, block, ground, turned

SIZE = 3.5       # half side of the court [m]


@dataclasses.dataclass
class Parameters:
    heap: int = option(30, lo=0, hi=300, help="Number of bodies dropped onto the middle of the court.")
    mu: float = option(0.5, lo=0.0, hi=1.5, help="Friction coefficient of all bodies.")
    restitution: float = option(0.2, lo=0.0, hi=1.0, help="Restitution of all bodies except the ground: ratio of rebound to "
                                                          "approach speed.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=p.mu)
    for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        half = (0.08 if x else SIZE + 0.16, 0.08 if y else SIZE, 0.2)
        block(world, half, (x * (SIZE + 0.08), y * (SIZE + 0.08), 0.2), friction=p.mu, name=f"wall {x:+g} {y:+g}")
    _wall(world, p.mu)
    _tower(world, p.mu)
    _ramp(world, p.mu)
    _heap(world, p)


def _wall(world: World, mu: float) -> None:
    """A wall of bricks, waiting to be shot at."""
    half = (0.2, 0.1, 0.1)
    for row in range(5):
        for i in range(5 - row % 2):
            x = (i - 2.0 + 0.5 * (row % 2)) * 2.02 * half[0]
            add(world, Box(half), (x, 2.2, (2 * row + 1) * half[2]), group=1 + row % 2, friction=mu,
                name=f"brick {row}.{i}")


def _tower(world: World, mu: float) -> None:
    for i in range(5):
        side = 0.22 - 0.03 * i
        z = sum(2.0 * (0.22 - 0.03 * j) for j in range(i)) + side
        add(world, Box((side, side, side)), (2.4, -1.8, z), group=3 + i % 3, friction=mu, name=f"tower {i}")


def _ramp(world: World, mu: float) -> None:
    """A tilted board with a box that holds and a ball that rolls."""
    tilt = math.radians(18.0)
    up = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    along = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    middle = np.array([-2.2, -1.8, 0.45])
    quat = turned((0.0, 1.0, 0.0), tilt)
    block(world, (1.1, 0.6, 0.05), tuple(middle), quat=quat, friction=mu, name="ramp")
    block(world, (0.05, 0.5, 0.35), (-3.1, -1.8, 0.35), name="trestle")
    side = np.array([0.0, 0.28, 0.0])
    add(world, Box((0.15, 0.15, 0.12)), tuple(middle - 0.6 * along + side + 0.17 * up), group=6, quat=quat, friction=mu,
        name="box on the ramp")
    add(world, Sphere(0.16), tuple(middle - 0.8 * along - side + 0.21 * up), group=7, friction=mu, name="ball on "
                                                                                                        "the ramp")


def _heap(world: World, p: Parameters) -> None:
    """Mixed bodies on a loose spiral above the middle, the same in every run."""
    for i in range(p.heap):
        angle, layer = 2.399963 * i, i // 6
        radius = 0.35 + 0.12 * (i % 6)
        pos = (radius * math.cos(angle), radius * math.sin(angle) - 0.4, 0.8 + 0.55 * layer)
        quat = turned((math.cos(angle), math.sin(angle), 0.0), 0.4 * (i % 5))
        shape = (Box((0.16, 0.12, 0.1)), Sphere(0.13), Capsule(0.09, 0.14))[i % 3]
        add(world, shape, pos, group=1 + i % 8, quat=quat, friction=p.mu, restitution=p.restitution,
            name=f"{shape.kind} {i}")


def check(world: World, trace: Trace) -> None:
    """Everything stays in the court, above the ground, and calms down."""
    moving = world.bodies["mass"] > 0.0
    pos = world.bodies["pos"][moving]
    assert np.max(np.abs(pos[:, :2])) < SIZE + 0.1, "something left the court"
    assert np.min(pos[:, 2]) > 0.05, "something sank into the ground"
    assert trace["world.penetration"][-1] < 0.01, f"penetration {trace['world.penetration'][-1]:.4f} m"
    assert trace["world.kinetic"][-1] < 0.05 * np.max(trace["world.kinetic"]), "it does not calm down"


SCENE = Scene(
    title="Playground",
    category="Play",
    look_for="Drag bodies with the mouse, shoot balls at the brick wall, pull the tower down. Then change the friction of all "
             "bodies while the simulation runs: at 0 the pile spreads, at 1 it can be steep. The box on the ramp slides when the "
             "coefficient falls below tan(18 deg) = 0.325; the ball rolls at any friction.",
    law=r"\|f_t\| \le \mu f_n, \qquad f_t = -\mu f_n\, \frac{v_t}{\|v_t\|} \;\; (v_t \ne 0)",
    law_text="|f_t| <= mu f_n at every contact; while it slides, f_t = -mu f_n v_t / |v_t|",
    build=build,
    parameters=Parameters,
    live=("mu", "restitution"),
    view=View(target=(0.0, 0.2, 0.4), distance=9.5, azimuth=25.0, elevation=28.0),
    plots=("world.kinetic", "world.energy", "world.penetration", "world.contacts"),
    show=("contacts",),
    check_time=4.0,
    check=check,
)
