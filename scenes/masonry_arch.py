"""A masonry arch without mortar bears a growing load beside its crown: at which load does it fall?

The joints of the stones bear pressure only, and friction holds them from sliding. The arch falls when four hinges make it a
mechanism, where the line of thrust touches the arch's inner and outer edges in turn. Of all such mechanisms, each with small
turns of its three moving parts about hinges i, j, k, l at corners of the joints,

    F = min  sum(w_n dz_n) / (-dz_F)     w_n: weight of a stone, dz_n: its rise, dz_F: rise of the loaded point        (1)

over those whose hinges open on the other side (kinematic theorem; J. Heyman, The stone skeleton, Int. J.
Solids Struct. 2 (1966)).
"""

import dataclasses
import functools
import itertools
import math

import numpy as np

from physics import Hull, World, option
from physics.core.quaternions import rotate
from scenes import Scene, Trace, View, present
from scenes._parts import G, SlipLoad, add, block, ground, middle, push

BASE = 0.3                      # height of the abutments [m]
STONES, R, WIDE = 7, 1.0, 0.15  # number, middle radius, half width [m]
DENSITY = 500.0                 # [kg/m^3]
MU, FALLEN = 0.8, 0.1           # friction coefficient, sinking of the loaded stone at which the load is gone [m]


@dataclasses.dataclass
class Parameters:
    thickness: float = option(0.18, unit="m", lo=0.12, hi=0.3,
                              help="Thickness of the arch, whose middle line has a radius of 1 m.")
    loaded: int = option(5, lo=1, hi=STONES, help="The stone that is loaded, counted from the left.")
    rate: float = option(1000.0, unit="N/s", lo=50.0, hi=2000.0, help="Rate at which the load grows.")


def joint(n: int) -> np.ndarray:
    """Direction (2,) of the n-th joint from the arch's middle, in the plane x, z."""
    angle = math.pi * n / STONES
    return np.array([-math.cos(angle), math.sin(angle)])


def corners(n: int, thickness: float) -> np.ndarray:
    """Corners (4, 2) of the n-th stone [m]: inner and outer of its two joints."""
    return np.array([(R + side * thickness) * joint(m) for m in (n, n + 1) for side in (-0.5, 0.5)])


def centre(n: int, thickness: float) -> np.ndarray:
    """Centre of mass (2,) of the n-th stone [m]: of two triangles."""
    a, b, c, d = corners(n, thickness)
    first, second = np.abs([(b - a)[0] * (d - a)[1] - (b - a)[1] * (d - a)[0], (d - a)[0] * (c - a)[1] - (d - a)[1] * (c - a)[0]])
    return (first * (a + b + d) + second * (a + d + c)) / (3.0 * (first + second))


def area(thickness: float) -> float:
    """Of a stone's front [m^2]."""
    return R * thickness * math.sin(math.pi / STONES)


def place_of_load(parameters: Parameters) -> np.ndarray:
    """(2,) [m], in the middle of the loaded stone's outer face."""
    return corners(parameters.loaded - 1, parameters.thickness)[1::2].mean(axis=0)


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    for k, side in enumerate((-1.0, 1.0)):
        block(world, (0.5 * p.thickness + 0.1, WIDE, 0.5 * BASE), (side * R, 0.0, 0.5 * BASE), friction=MU,
              name=f"abutment {k + 1}")
    for n in range(STONES):
        x, z = centre(n, p.thickness)
        stone = add(world, Hull([(a, y, b) for a, b in corners(n, p.thickness) for y in (-WIDE, WIDE)]), (x, 0.0, z + BASE),
                    group=1 + n % 2, mass=DENSITY * area(p.thickness) * 2.0 * WIDE, friction=MU, name=f"stone {n + 1}")
        if n == p.loaded - 1:
            press(world, stone, place_of_load(p) - (x, z), p)


def press(world: World, stone: int, local: np.ndarray, p: Parameters) -> None:
    """Load a stone at a point (2,) of its frame [m], until it has fallen."""
    high = world.bodies["pos"][stone, 2]

    def load(world: World) -> tuple[float, float, float]:
        falls = world.bodies["pos"][stone, 2] < high - FALLEN
        return 0.0, 0.0, 0.0 if falls else -present(p, world.inputs).rate * middle(world)
    push(world, stone, load, lambda world: world.bodies["pos"][stone] + rotate(world.bodies["quat"][stone],
                                                                              np.array([local[0], 0.0, local[1]])))


def turns(hinges: tuple[int, ...], first: float, thickness: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Rates (3,) of the three parts between four hinges, and the points (3, 2) about which they turn; None: it cannot move so.

    first: side of the first hinge, -0.5 inner, 0.5 outer; the others are on either side in turn.
    """
    sides = first * np.array([1.0, -1.0, 1.0, -1.0])
    a, b, c, d = ((R + side * thickness) * joint(n) for n, side in zip(hinges, sides, strict=True))
    ways = np.column_stack([b - a, c - d])
    if abs(np.linalg.det(ways)) < 1e-9:
        return None
    q = a + np.linalg.solve(ways, d - a)[0] * (b - a)           # the middle part turns about it: on a b, and on c d
    u = float((b - a) @ (b - a)) / float((b - q) @ (b - a))     # b moves with both parts, and so does c
    v = u * float((c - q) @ (c - d)) / float((c - d) @ (c - d))
    opening = np.array([1.0, u - 1.0, v - u, -v]) * sides
    if abs(np.sign(opening).sum()) < 4.0:
        return None                                             # a joint would have to overlap
    return math.copysign(1.0, opening[0]) * np.array([1.0, u, v]), np.array([a, q, d])


@functools.cache
def falls_at(thickness: float, loaded: int) -> float:
    """Load at which the arch falls [N], by (1); 0: by itself."""
    weight = DENSITY * area(thickness) * 2.0 * WIDE * G
    x = np.array([centre(n, thickness)[0] for n in range(STONES)])
    x_load, least = place_of_load(Parameters(thickness=thickness, loaded=loaded))[0], math.inf
    for hinges in itertools.combinations(range(STONES + 1), 4):
        for first in (-0.5, 0.5):
            if (moving := turns(hinges, first, thickness)) is None:
                continue
            part = np.searchsorted(hinges, np.arange(STONES), side="right") - 1
            rate = np.where((part >= 0) & (part < 3), moving[0][part % 3], 0.0)
            rises = rate * (x - moving[1][part % 3, 0])
            at_load = rate[loaded - 1] * (x_load - moving[1][part[loaded - 1] % 3, 0])
            if at_load < -1e-9:
                least = min(least, weight * float(rises.sum()) / -at_load)
            elif rises.sum() < 0.0:
                return 0.0
    return max(0.0, float(least))


SLIP = SlipLoad("load at which the arch falls", lambda p: falls_at(p.thickness, p.loaded), lambda p: f"stone {p.loaded}", "-z",
                (1e-3, 1e-2), firm=0.95)


def check(world: World, trace: Trace) -> None:
    """It falls at the predicted load, and stands still before."""
    SLIP.check(world, trace, Parameters())


SCENE = Scene(
    title="Masonry arch",
    category="Statics",
    look_for="Stones without mortar stand as an arch, for the forces from stone to stone stay inside it. A load grows on one of "
             "them and bends the line of these forces, until it touches the edges of four joints in turn: these open as hinges, "
             "and the arch falls. Its strength does not matter, only its shape. A little more thickness bears far more; load the "
             "crown instead, and it bears most.",
    law=r"F = \min_{i<j<k<l} \frac{\sum_n w_n\,\delta z_n}{-\delta z_F}",
    law_text="F = min over mechanisms of four hinges of  sum(w_n dz_n) / (-dz_F)",
    build=build,
    parameters=Parameters,
    live=("rate",),
    view=View(target=(0.0, 0.0, 0.75), distance=3.3, azimuth=12.0, elevation=12.0),
    options={"cone": "circle", "iterations": 200},
    plots=(*(f"body:stone {n}.vz" for n in range(1, STONES + 1)), *(f"body:stone {n}.z" for n in range(1, STONES + 1))),
    drawn=tuple(f"body:stone {n}.vz" for n in range(1, STONES // 2 + 2)),
    show=("contacts", "forces"),
    predict=SLIP.predict,
    dt=1.0 / 480.0,
    check_time=0.43,
    check=check,
    unreached={"compliant_contact": "its joints give way like springs, and the loaded stone sinks from the start",
               "soft_steps": "its contacts give way while the load grows"},
)
