"""Stability limits: ladders, cards, logs, boxes on slopes, an arch, a rod that slides on its end.

Thresholds are found with several copies, each at a share of the threshold by statics: the measured number is the mean of
the last copy that held and the first that did not, and should be 1.

    rod of length L on a floor, against a smooth wall or its mirror image, ends of radius r:
        mu = L cos / (2 (L sin + r));  released without friction it leaves the wall at 2/3 of its height             (1)
    log on two logs      mu = tan 15 deg between them                                                            (2)
    box on a slope       tips over where tan theta > half width / half height                                     (3)
    ball in a groove     turns in it where the torque exceeds mu r m g / (cos 45 (1 + mu^2))                      (4)
    arch                 a line of thrust fits through each joint: rho = (M + W x) / (W sin + H cos), least t / R (5)
        0.1075 for a half circle of many stones (Milankovitch 1907)
    rod sliding on its end, f = -+ mu, from its centre to the end x = l cos, y = l sin + r:
        N (1 / m + x (x - y f) / I) = g - l sin theta'^2,   I theta'' = (y f - x) N                                 (6)
"""

import functools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from physics import Box, Capsule, Cylinder, Hull, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, Read, always, first_order, second_order
from scenes.truth._parts import G, add, block, gained, ground, motion, solve, tilted, turned

TOPIC = "Statics"
SHARES = (0.90, 0.94, 0.98, 1.02, 1.06, 1.10)
COPIES = always(0.021)
"""Tolerance of a threshold between copies that are 4 % apart."""
ROUND = {"stewart_trinkle": {"facets": 32}}


def middles(world: World) -> np.ndarray:
    """Positions of all bodies (n, 3)."""
    return world.bodies["pos"].copy()


PLACES: dict[str, Read] = {"pos": middles}


def threshold(shares: Sequence[float], name_of: Callable[[int], str], moved: float = 5e-3) -> Callable[[World, Trace], float]:
    """Mean of the shares of the copies that held and that failed; NaN if they are not two groups. name_of: of a copy."""
    def read(world: World, trace: Trace) -> float:
        gave = [bool(np.linalg.norm(trace["pos"][-1, world.body(name_of(k))] - trace["pos"][0, world.body(name_of(k))]) > moved)
                for k in range(len(shares))]
        if sum(a != b for a, b in pairwise(gave)) != 1:
            return math.nan if any(gave) and not all(gave) else (shares[0] if gave[0] == gave[-1] and not gave[0] else shares[-1])
        k = next(k for k in range(len(gave) - 1) if gave[k] != gave[k + 1])
        return 0.5 * (shares[k] + shares[k + 1])
    return read


# ---- ladders, cards, logs

LONG, THIN, LEAN = 1.0, 0.02, math.radians(60.0)
MIN_FRICTION = LONG * math.cos(LEAN) / (2.0 * (LONG * math.sin(LEAN) + THIN))


def leaning(world: World, name: str, foot: float, y: float, mu: float, side: float = 1.0) -> int:
    """A rod whose lower end stands at x = foot, leaning towards +x (side 1) or -x; mu against a floor of friction 1."""
    return add(world, Capsule(THIN, 0.5 * LONG), (foot + side * 0.5 * LONG * math.cos(LEAN), y,
                                                  THIN + 0.5 * LONG * math.sin(LEAN)),
               mass=1.0, friction=mu * mu, quat=turned((0.0, 1.0, 0.0), side * (0.5 * math.pi - LEAN)), name=name)


def ladders(world: World) -> None:
    ground(world, friction=1.0)
    block(world, (0.1, 2.0, 1.0), (LONG * math.cos(LEAN) + THIN + 0.1, 0.5, 1.0), friction=0.0, name="wall")
    for k, share in enumerate(SHARES):
        leaning(world, f"rod {k}", 0.0, 0.2 * k, share * MIN_FRICTION)


def cards(world: World) -> None:
    ground(world, friction=1.0)
    way = LONG * math.cos(LEAN) + THIN
    for k, share in enumerate(SHARES):
        leaning(world, f"rod {k}", -way, 0.2 * k, share * MIN_FRICTION)
        leaning(world, f"other {k}", way, 0.2 * k, share * MIN_FRICTION, -1.0)


def slipping(world: World) -> None:
    """A rod without friction slides down a wall."""
    ground(world, friction=0.0)
    block(world, (0.1, 1.0, 1.0), (-0.1, 0.0, 1.0), friction=0.0, name="wall")
    a = math.radians(70.0)
    add(world, Capsule(THIN, 0.5 * LONG), (THIN + 0.5 * LONG * math.cos(a), 0.0, THIN + 0.5 * LONG * math.sin(a)), mass=1.0,
        friction=0.0,
        quat=turned((0.0, 1.0, 0.0), a - 0.5 * math.pi), inertia=(LONG**2 / 12.0, LONG**2 / 12.0, 1e-4), name="rod")


def leaves() -> float:
    """Speed along the floor at which it leaves the wall, l sin theta' at sin = 2/3 sin0, constant from then on."""
    s = math.sin(math.radians(70.0))
    return LONG / 3.0 * s * math.sqrt(G * s / LONG)


def logs(world: World) -> None:
    """Two logs side by side, a third on them; friction on the floor is twice that between them, where a third would suffice."""
    mu = math.tan(math.radians(15.0))
    lying = turned((1.0, 0.0, 0.0), 0.5 * math.pi)
    ground(world, friction=4.0 * mu)
    for k, share in enumerate(SHARES):
        for name, x, z in ((f"left {k}", -0.1, 0.1), (f"right {k}", 0.1, 0.1), (f"top {k}", 0.0, 0.1 + 0.1 * math.sqrt(3.0))):
            add(world, Cylinder(0.1, 0.1), (x, 0.5 * k, z), mass=1.0, friction=share * mu, quat=lying, name=name)


def boxes(world: World) -> None:
    """Tall boxes on a slope of 20 degrees."""
    tilted(world, math.radians(20.0))
    ground(world, friction=2.0)
    for k, share in enumerate(SHARES):
        w = 0.3 * math.tan(math.radians(20.0)) * share
        add(world, Box((w, 0.1, 0.3)), (0.0, 0.5 * k, 0.3), mass=1.0, friction=2.0, name=f"box {k}")


def turning(world: World) -> None:
    """Balls in a groove, each turned by a torque along it."""
    mu, r = 0.4, 0.1
    limit = mu * r * G / (math.cos(0.25 * math.pi) * (1.0 + mu * mu))
    for side in (-1.0, 1.0):
        world.add_body(Box((0.2, 5.0, 0.05)), kind="static", friction=mu, name=f"wall {int(side)}",
                       pos=(side * 0.15 / math.sqrt(2.0) + side * 0.05 / math.sqrt(2.0), 0.0,
                            0.15 / math.sqrt(2.0) - 0.05 / math.sqrt(2.0)),
                       quat=turned((0.0, 1.0, 0.0), -side * 0.25 * math.pi))
    made = [(add(world, Sphere(r), (0.0, 0.5 * k, r * math.sqrt(2.0)), mass=1.0, friction=mu, name=f"ball {k}"), share * limit)
            for k, share in enumerate(SHARES)]

    def drive(world: World) -> None:
        for body, torque in made:
            world.apply_torque(body, (0.0, torque, 0.0))

    world.drivers.append(drive)


def turned_in_groove(world: World, trace: Trace) -> float:
    gave = [bool(abs(trace[f"w{k}"][-1]) > 0.05) for k in range(len(SHARES))]
    change = [k for k in range(len(gave) - 1) if gave[k] != gave[k + 1]]
    return 0.5 * (SHARES[change[0]] + SHARES[change[0] + 1]) if len(change) == 1 else (SHARES[0] if gave[0] else SHARES[-1])


# ---- the arch

STONES = 12


def stone(k: int, t: float) -> np.ndarray:
    """Corners (4, 2) of a stone in the x z plane, from the left springing on; mean radius 1."""
    a, b = (math.pi - j * math.pi / STONES for j in (k, k + 1))
    lo, hi = 1.0 - 0.5 * t, 1.0 + 0.5 * t
    return np.array([[r * math.cos(p), r * math.sin(p)] for r, p in ((lo, a), (hi, a), (hi, b), (lo, b))])


def centroid(p: np.ndarray) -> tuple[float, np.ndarray]:
    """(area, centre) of a polygon."""
    q = np.roll(p, -1, axis=0)
    cross = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    return float(abs(0.5 * cross.sum())), (p + q).T @ cross / (3.0 * cross.sum())


def stands(t: float) -> bool:
    """Whether a line of thrust fits into an arch of thickness t, by (5), from the crown to the right springing."""
    weights, ways, joints = [], [], []
    total, moment = 0.0, 0.0
    for k in range(STONES // 2, STONES):
        area, c = centroid(stone(k, t))
        total, moment = total + area, moment + area * c[0]
        weights.append(total), ways.append(moment), joints.append((k + 1 - STONES // 2) * math.pi / STONES)
    w, wx, phi = np.array([0.0, *weights]), np.array([0.0, *ways]), np.array([0.0, *joints])

    def room(thrust: float) -> float:
        reach = w * np.sin(phi) + thrust * np.cos(phi)
        return float(((1.0 + 0.5 * t) * reach - wx).min() - ((1.0 - 0.5 * t) * reach - wx).max())

    lo, hi = 0.0, 2.0 * total
    for _ in range(80):
        a, b = lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0
        lo, hi = (a, hi) if room(a) < room(b) else (lo, b)
    return room(0.5 * (lo + hi)) >= 0.0


@functools.cache
def thinnest() -> float:
    """Smallest t / R that stands."""
    lo, hi = 0.05, 0.15
    for _ in range(40):
        lo, hi = (lo, 0.5 * (lo + hi)) if stands(0.5 * (lo + hi)) else (0.5 * (lo + hi), hi)
    return hi


ARCHES = (0.93, 1.07)


def arches(world: World) -> None:
    ground(world, friction=0.9)
    for n, share in enumerate(ARCHES):
        for k in range(STONES):
            corners = stone(k, share * thinnest())
            _, centre = centroid(corners)
            points = [(x - centre[0], y, z - centre[1]) for x, z in corners for y in (-0.15, 0.15)]
            add(world, Hull(points), (centre[0], 1.0 * n, centre[1]), density=2000.0, friction=0.9, group=1 + k % 8,
                name=f"stone {n} {k}")


# ---- a rod that slides on its end

def sliding(mu: float, angle: float, vel: float) -> Callable[[World], None]:
    def build(world: World) -> None:
        ground(world, friction=mu)
        add(world, Capsule(0.01, 0.5), (0.0, 0.0, 0.01 + 0.5 * math.sin(angle)), mass=1.0, vel=(vel, 0.0, 0.0), friction=mu,
            inertia=(1.0 / 12.0, 1.0 / 12.0, 1e-4), quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi - angle), name="rod")
    return build


def slid(mu: float, angle: float, vel: float, t: float) -> float:
    """Angle to the floor after t by (6), while it slides in one direction."""
    f, l, r, inertia = -math.copysign(mu, vel), 0.5, 0.01, 1.0 / 12.0

    def rate(y: np.ndarray) -> np.ndarray:
        a, w = y
        x, z = l * math.cos(a), l * math.sin(a) + r
        n = (G - l * math.sin(a) * w * w) / (1.0 + x * (x - z * f) / inertia)
        return np.array([w, (z * f - x) * n / inertia])

    return float(solve(rate, (angle, 0.0), (t,))[0, 0])


def angle_of(world: World, trace: Trace) -> float:
    return 0.5 * math.pi - float(trace["pitch"][-1])


def rod_gained(world: World, trace: Trace) -> float:
    return gained(world, trace, 2.0 + 0.5 * G)


PITCH: dict[str, Read] = {"pitch": "body:rod.pitch"}
SIDE = View(target=(0.3, 0.4, 0.4), distance=4.0)
STEPS = "2 x 12 stones with 52 contacts: minutes"

EXPERIMENTS = (
    Experiment("ladder", "Ladders against a smooth wall", "friction at which they slip, relative to statics", "",
               "L cos / (2 (L sin + r))", "statics", ladders, 1.0, PLACES, threshold(SHARES, lambda k: f"rod {k}"), 1.0, COPIES,
               options=ROUND, quick=True, view=SIDE),
    Experiment("card_house", "Two cards lean on each other", "friction at which they slip, relative to statics", "",
               "L cos / (2 (L sin + r))", "statics", cards, 1.0, PLACES, threshold(SHARES, lambda k: f"rod {k}"), 1.0, COPIES,
               options=ROUND, view=SIDE),
    Experiment("ladder_leaves", "A falling frictionless rod leaves its wall", "speed along the floor", "m/s",
               "leaves at 2/3 of its height", "statics of a falling rod", slipping, 0.55, {"vx": "body:rod.vx"},
               lambda world, trace: float(trace["vx"][-1]), leaves, first_order(0.02), ordered=True, view=SIDE),
    Experiment("log_pile", "A log resting on two logs", "friction at which it falls, relative to "
                                                "statics", "", "tan 15 degrees", "statics",
               logs, 1.0, PLACES, threshold(SHARES, lambda k: f"top {k}"), 1.0, COPIES, options=ROUND, view=SIDE),
    Experiment("box_tips", "Boxes on a slope of 20 degrees", "width at which they topple, relative to statics", "",
               "half height times tan", "statics", boxes, 1.5, PLACES, threshold(SHARES, lambda k: f"box {k}"), 1.0, COPIES,
               quick=True, view=SIDE),
    Experiment("ball_in_groove", "Balls in a groove under a torque", "torque at which they turn, relative to statics", "",
               "mu r m g / (cos 45 (1 + mu^2))", "statics", turning, 0.5,
               {f"w{k}": f"body:ball {k}.omega_y" for k in range(len(SHARES))}, turned_in_groove, 1.0, COPIES, options=ROUND,
               view=SIDE),
    Experiment("arch", "Arches slightly thinner and thicker than the thinnest", "minimum thickness relative to that of the line "
                                                                                "of thrust",
               "", "t / R of 12 stones; 0.1075 of many", "Milankovitch 1907", arches, 1.5, PLACES,
               threshold(ARCHES, lambda k: f"stone {k} {STONES // 2}", 0.02), 1.0, COPIES,
               not_run={("stewart_trinkle", rate): STEPS for rate in (60, 240, 1000)},
               view=View(target=(0.0, 0.5, 0.5), distance=5.0)),
    Experiment("rod_pulled", "A rod slides with its end trailing", "angle after 0.25 s", "rad", "one contact that slides",
               "own integration, 1e-12", sliding(0.4, 1.0, 2.0), 0.25, PITCH, angle_of, lambda: slid(0.4, 1.0, 2.0, 0.25),
               second_order(0.02, 1e-5), ordered=True, view=SIDE),
    Experiment("rod_pushed", "A rod slides with its end leading", "angle after 0.25 s", "rad", "one contact that slides",
               "own integration, 1e-12", sliding(0.4, 1.0, -2.0), 0.25, PITCH, angle_of, lambda: slid(0.4, 1.0, -2.0, 0.25),
               second_order(0.02, 1e-5), ordered=True, view=SIDE),
    Experiment("painleve", "Painlevé's rod, where no force satisfies both laws", "energy gained", "",
               "it jams: impact without collision", "Painlevé 1895", sliding(2.0, 1.2, -2.0), 0.5, {"motion": motion},
               rod_gained, 0.0, always(1e-3), quick=True, view=SIDE),
)
