"""Load distribution and grip: a gripper, a band round a drum, tables on three and four legs, a heavy box on light ones.

    gripper              holds while 2 mu N >= m g                                                                (1)
    band of N plates     T1 / T2 = ((1 + mu tan(d / 2)) / (1 - mu tan(d / 2)))^N, exp(mu phi) for many              (2)
    legs                 loads from force and moments; of four legs the least-squares ones (equal springs)         (3)
"""

import math
from collections.abc import Callable

import numpy as np

from physics import Box, Cylinder, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, Read, always
from scenes.truth._parts import G, add, ground, middle, turned
from scenes.truth.statics import COPIES, PLACES, ROUND, SHARES, SIDE, threshold

TOPIC = "Loads and grips"

def gripper(shares: tuple[float, ...]) -> Callable[[World], None]:
    """Boxes of 1 kg between pads pressed with 20 N from both sides; mu: each a share of the threshold of (1)."""
    def build(world: World) -> None:
        pads = []
        for k, share in enumerate(shares):
            mu = share * G / 40.0
            add(world, Box((0.05, 0.05, 0.05)), (0.0, 0.5 * k, 1.0), mass=1.0, friction=mu, name=f"box {k}")
            for side in (-1.0, 1.0):
                pad = add(world, Box((0.02, 0.04, 0.04)), (side * 0.07, 0.5 * k, 1.0), mass=0.5, friction=mu, group=2,
                          name=f"pad {k} {int(side)}")
                world.add_joint("prismatic", 0, pad, anchor=(side * 0.07, 0.5 * k, 1.0), axis=(1.0, 0.0, 0.0),
                                name=f"rail {k} {int(side)}")
                pads.append((pad, -20.0 * side))

        def press(world: World) -> None:
            for pad, force in pads:
                world.apply_force(pad, (force, 0.0, 0.0))

        world.drivers.append(press)
    return build


def unmoved(world: World, trace: Trace) -> float:
    """Largest displacement of the box [m], including its rotation times 0.1 m."""
    body = world.body("box 0")
    return float(np.linalg.norm(trace["pos"][:, body] - trace["pos"][0, body], axis=1).max()
                 + 0.2 * np.linalg.norm(world.bodies["quat"][body, 1:]))


MU, PLATES, ROUND_BY, DRUM, THICK = 0.3, 6, 0.5 * math.pi, 0.5, 0.005
EULER = ((1.0 + MU * math.tan(0.5 * ROUND_BY / PLATES)) / (1.0 - MU * math.tan(0.5 * ROUND_BY / PLATES))) ** PLATES


def band(world: World) -> None:
    """Hinged plates round a drum, pulled by 10 N at one end and by 10 N (1 + t / 4) at the other, without gravity."""
    world.set_gravity((0.0, 0.0, 0.0))
    world.add_body(Cylinder(DRUM, 0.2), kind="static", quat=turned((1.0, 0.0, 0.0), 0.5 * math.pi), friction=MU, name="drum")
    d, radius, made = ROUND_BY / PLATES, DRUM + THICK, []
    for k in range(PLATES):
        a = -0.5 * ROUND_BY + (k + 0.5) * d
        made.append(add(world, Box((0.9 * radius * math.tan(0.5 * d), 0.05, THICK)), (radius * math.sin(a), 0.0,
                                                                                      radius * math.cos(a)), group=k + 1,
                        mass=0.02, friction=MU, quat=turned((0.0, 1.0, 0.0), a), name=f"plate {k}"))
    far = radius / math.cos(0.5 * d)
    for k in range(PLATES - 1):
        a = -0.5 * ROUND_BY + (k + 1) * d
        world.add_joint("revolute", made[k], made[k + 1], anchor=(far * math.sin(a), 0.0, far * math.cos(a)),
                        axis=(0.0, 1.0, 0.0), name=f"hinge {k}")
    a = 0.5 * ROUND_BY
    right = np.array([far * math.sin(a), 0.0, far * math.cos(a)])

    def pull(world: World) -> None:
        more = 10.0 * (1.0 + 0.25 * middle(world))
        world.apply_force(made[0], (-10.0 * math.cos(a), 0.0, -10.0 * math.sin(a)), right * (-1.0, 1.0, 1.0))
        world.apply_force(made[-1], (more * math.cos(a), 0.0, -more * math.sin(a)), right)

    world.drivers.append(pull)


def slipped(world: World, trace: Trace) -> float:
    """T1 / T2 when the band's first plate has moved by 0.5 mm from its place at 0.3 s."""
    begun = int(np.searchsorted(trace["time"], 0.3))
    way = np.hypot(trace["x"] - trace["x"][begun], trace["z"] - trace["z"][begun]) * (trace["time"] > 0.3)
    at = np.flatnonzero(way > 5e-4)
    return 1.0 + 0.25 * float(trace["time"][at[0]]) if len(at) else math.nan


LOAD, WHERE = 30.0, (0.1, 0.05)     # on a table of 2 kg [N], offset from its centre [m]


def table(legs: tuple[tuple[float, float], ...]) -> Callable[[World], None]:
    """A plate on balls as legs, pressed down off its centre."""
    def build(world: World) -> None:
        for k, (x, y) in enumerate(legs):
            add(world, Sphere(0.05), (x, y, 0.05), kind="static", friction=0.5, name=f"leg {k}")
        plate = add(world, Box((0.5, 0.4, 0.02)), (0.0, 0.0, 0.12), mass=2.0, friction=0.5, group=2, name="table")
        world.drivers.append(lambda world: world.apply_force(plate, (0.0, 0.0, -LOAD), (*WHERE, 0.12)))
    return build


def shared(legs: tuple[tuple[float, float], ...]) -> np.ndarray:
    """Loads of the legs [N]: those that carry force and moment with the least sum of squares."""
    a = np.vstack([np.ones(len(legs)), np.array(legs).T])
    return np.linalg.pinv(a) @ np.array([LOAD + 2.0 * G, LOAD * WHERE[0], LOAD * WHERE[1]])


def loads_off(legs: tuple[tuple[float, float], ...]) -> Callable[[World, Trace], float]:
    """Largest error of a leg's load at the end [N]."""
    return lambda world, trace: float(np.abs(np.array([trace[f"leg {k}"][-1] for k in range(len(legs))]) - shared(legs)).max())


THREE, FOUR = ((-0.4, -0.3), (0.4, -0.3), (0.0, 0.3)), ((-0.4, -0.3), (0.4, -0.3), (-0.4, 0.3), (0.4, 0.3))


def legs_of(legs: tuple) -> dict[str, Read]:
    return {f"leg {k}": f"pair:leg {k} & table.normal" for k in range(len(legs))}


def heavy(world: World) -> None:
    """200 kg on a stack of four boxes of 1 kg."""
    ground(world)
    for k in range(4):
        add(world, Box((0.1, 0.1, 0.1)), (0.0, 0.0, 0.1 + 0.2 * k), mass=1.0, group=k + 1, name=f"box {k}")
    add(world, Box((0.2, 0.2, 0.2)), (0.0, 0.0, 1.0), mass=200.0, name="heavy")


EXPERIMENTS = (
    Experiment("gripper", "A gripper at the limit of "
                          "friction", "friction at which boxes slip, relative to statics", "", "m g / (2 N)",
               "statics", gripper(SHARES), 1.0, PLACES, threshold(SHARES, lambda k: f"box {k}"), 1.0, COPIES, options=ROUND,
               view=SIDE),
    Experiment("gripper_still", "A box in a gripper with a friction margin", "displacement and rotation in 1 s", "m",
               "1.5 times what it needs: it stays", "statics", gripper((1.5,)), 1.0, PLACES, unmoved, 0.0, always(1e-4),
               quick=True, view=View(target=(0.0, 0.0, 1.0), distance=1.0)),
    Experiment("capstan", "A belt around a drum", "ratio of the tensions at slip", "",
               "((1 + mu tan(d/2)) / (1 - mu tan(d/2)))^6, exp(mu phi) = 1.60", "Euler, Eytelwein", band, 2.7,
               {"x": "body:plate 0.x", "z": "body:plate 0.z"}, slipped, EULER, always(0.03), options=ROUND, view=SIDE),
    Experiment("table_three", "A table on three legs under an eccentric load", "largest error of a leg load", "N", "moments",
               "statics", table(THREE), 0.5, legs_of(THREE), loads_off(THREE), 0.0, always(0.01), quick=True, view=SIDE),
    Experiment("table_four", "A table on four legs under an eccentric load", "largest error of a leg load", "N",
               "moments, least squares", "statics of equal springs", table(FOUR), 0.5, legs_of(FOUR), loads_off(FOUR), 0.0,
               always(0.01), view=SIDE),
    Experiment("heavy_on_light", "200 kg on four boxes of 1 kg", "load on the floor", "N", "204 g", "statics", heavy, 1.0,
               {"n": "pair:ground & box 0.normal"}, lambda world, trace: float(trace["n"][-60:].mean()), 204.0 * G,
               always(0.01 * 204.0 * G), view=SIDE),
)
