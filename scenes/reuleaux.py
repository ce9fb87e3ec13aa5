"""A plank on two rollers of constant width that are not round: it moves without rising or falling.

A Reuleaux triangle has the width w in every direction, so the plank lies at the height w. The points of contact above and below
are opposite each other, on one vertical, the lower one at rest:

    plank's speed = w omega,   way of the plank after one turn = 2 pi w                                              (1)

The centre of the roller moves up and down meanwhile, between w (1 - 1 / sqrt(3)) and w / sqrt(3). Barbier: the girth is pi w.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Hull, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, check_predictions, ground, turned

ARCS = 24                       # corners of each of the three arcs
THICK, LONG = 0.03, 1.3         # half thickness and half length of the plank [m]
AT = (-0.8, 0.4)                # places of the rollers at the start [m]


@dataclasses.dataclass
class Parameters:
    width: float = option(0.3, unit="m", lo=0.2, hi=0.4, help="Width of the rollers.")
    speed: float = option(0.8, unit="m/s", lo=0.5, hi=1.2, help="Initial speed of the plank.")
    mass: float = option(40.0, unit="kg", lo=20.0, hi=100.0, help="Mass of the plank.")


def profile(width: float) -> np.ndarray:
    """Corners (n, 2) of a Reuleaux triangle about its centre, one tip up [m]."""
    tips = width / math.sqrt(3.0) * np.array([(math.cos(a), math.sin(a)) for a in 0.5 * math.pi + math.tau / 3.0 * np.arange(3)])
    found = []
    for k in range(3):
        towards = tips[(k + 1) % 3] - tips[k]
        first = math.atan2(towards[1], towards[0])
        a = first + math.pi / 3.0 * np.arange(ARCS) / ARCS
        found.append(tips[k] + width * np.column_stack([np.cos(a), np.sin(a)]))
    return np.vstack(found)


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=0.9)
    roller = Hull([(x, y, z) for x, z in profile(p.width) for y in (-0.12, 0.12)])
    turns = p.speed / p.width
    for k, x in enumerate(AT):
        # a tip up or a tip down: the centre is at w (1 - 1 / sqrt(3)) or w / sqrt(3)
        high = p.width * (1.0 - 1.0 / math.sqrt(3.0) if k == 0 else 1.0 / math.sqrt(3.0))
        add(world, roller, (x, 0.0, high), group=1 + 2 * k, mass=1.0, friction=0.9, quat=turned((0.0, 1.0, 0.0), math.pi * k),
            vel=(turns * high, 0.0, 0.0), omega=(0.0, turns, 0.0), name=f"roller {k + 1}")
    add(world, Box((LONG, 0.2, THICK)), (-0.7, 0.0, p.width + THICK), group=5, mass=p.mass, friction=0.9, vel=(p.speed, 0.0, 0.0),
        name="plank")


def travelled(trace: Trace) -> tuple[float, float]:
    """Way of the plank [m], angle of the first roller [rad]."""
    w = trace["body:roller 1.omega_y"]
    return (float(trace["body:plank.x"][-1] - trace["body:plank.x"][0]),
            float(np.sum(w[1:] * np.diff(trace["time"]))))


def predict(parameters: Parameters) -> list[Prediction]:
    def height(world: World, trace: Trace) -> float | None:
        z = trace["body:plank.z"] - THICK
        return float(z[np.argmax(np.abs(z - parameters.width))]) if trace["time"][-1] > 1.0 else None

    def ratio(world: World, trace: Trace) -> float | None:
        way, angle = travelled(trace)
        return way / angle if trace["time"][-1] > 1.0 else None

    return [Prediction("height of the plank, where it is farthest from it", parameters.width, "m", 5e-3, height),
            Prediction("way of the plank over the roller's angle", parameters.width, "m", 0.01, ratio)]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))
    rises = np.ptp(trace["body:roller 1.z"])
    assert rises > 0.12 * Parameters().width, "the centre of the roller should move up and down"


SCENE = Scene(
    title="Rollers that are not round",
    category="Rolling and spinning",
    look_for="The rollers are Reuleaux triangles: three arcs, each about the opposite tip. Their centres hop, but the plank "
             "glides on them as on round rollers, without rising or falling, because they are equally wide in every direction. "
             "For a whole turn it moves by pi times the width, twice over, just as on a round roller. Such a shape makes a "
             "good roller and a bad wheel.",
    law=r"h = w, \quad s = w\,\varphi",
    law_text="h = w;  s = w phi",
    build=build,
    parameters=Parameters,
    dt=1.0 / 480.0,
    view=View(target=(0.0, 0.0, 0.15), distance=4.2, azimuth=6.0, elevation=7.0),
    options={"cone": "circle"},
    plots=("body:plank.z", "body:roller 1.z", "body:roller 2.z", "body:plank.x", "body:roller 1.omega_y"),
    show=("contacts",),
    predict=predict,
    check_time=1.6,
    check=check,
    unreached={"compliant_contact": "its contacts give way by millimetres below the plank"},
)
