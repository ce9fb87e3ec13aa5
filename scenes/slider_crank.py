"""A crank of length r turns, a rod of length l pushes a piston along a guide that may lie aside by e.

    x = r cos(phi) + sqrt(l^2 - (r sin(phi) - e)^2)                                                                  (1)
    v = -omega (r sin(phi) + (r sin(phi) - e) r cos(phi) / sqrt(l^2 - (r sin(phi) - e)^2))                           (2)
    stroke = sqrt((l + r)^2 - e^2) - sqrt((l - r)^2 - e^2)                                                           (3)

With e = 0 the stroke is 2 r. The piston is fastest before the crank is upright, and dwells longer at the near
end than at the far.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Cylinder, Motor, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import LYING, add, block, check_predictions, ground, turned

CRANK, HEIGHT = 0.3, 0.6        # r, height of the shaft [m]
Y = (0.0, 1.0, 0.0)


@dataclasses.dataclass
class Parameters:
    speed: float = option(4.0, unit="rad/s", lo=0.5, hi=12.0, help="Angular velocity of the crank.")
    rod: float = option(0.75, unit="m", lo=0.5, hi=1.5, help="Length of the connecting rod; the crank has 0.3 m.")
    offset: float = option(0.0, unit="m", lo=0.0, hi=0.15, help="Height of the guide above the shaft. With an offset one "
                                                                "stroke takes longer than the other.")


def place(phi: np.ndarray | float, p: Parameters) -> np.ndarray:
    """x of (1) [m]."""
    return CRANK * np.cos(phi) + np.sqrt(p.rod**2 - (CRANK * np.sin(phi) - p.offset) ** 2)


def build(world: World, parameters: Parameters) -> None:
    p, shaft = parameters, np.array([0.0, 0.0, HEIGHT])
    ground(world)
    pin = shaft + np.array([CRANK, 0.0, 0.0])
    end = np.array([float(place(0.0, p)), 0.0, HEIGHT + p.offset])
    between, slope = 0.5 * (pin + end), -math.asin(p.offset / p.rod)
    block(world, (0.05, 0.05, 0.5 * HEIGHT), (0.0, 0.2, 0.5 * HEIGHT), mask=0, name="post")
    block(world, (0.5, 0.06, 0.02), (end[0] - CRANK, 0.0, end[2] - 0.1), mask=0, name="guide")
    wheel = add(world, Cylinder(CRANK + 0.05, 0.03), (0.0, 0.1, HEIGHT), group=1, quat=LYING, mask=0, mass=8.0,
                omega=(0.0, p.speed, 0.0), name="crank")
    rod = add(world, Box((0.5 * p.rod, 0.02, 0.03)), tuple(between), group=2, quat=turned(Y, slope), mass=1.0, mask=0, name="rod")
    piston = add(world, Box((0.1, 0.07, 0.08)), tuple(end), group=3, mass=2.0, mask=0, name="piston")
    world.add_joint("revolute", 0, wheel, anchor=tuple(shaft), axis=Y, motor=Motor(target=p.speed), name="shaft")
    world.add_joint("revolute", wheel, rod, anchor=tuple(pin), axis=Y, name="crank pin")
    world.add_joint("revolute", rod, piston, anchor=tuple(end), axis=Y, name="piston pin")
    world.add_joint("prismatic", 0, piston, anchor=tuple(end), axis=(1.0, 0.0, 0.0), name="slide")
    # the crank's pin moves down at first, with omega about +y
    down = np.array([0.0, 0.0, -p.speed * CRANK])
    turning = p.speed * CRANK / (p.rod * math.cos(slope))
    world.set_velocity(piston, (-turning * p.offset, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.set_velocity(rod, tuple(down + np.cross((0.0, -turning, 0.0), between - pin)), (0.0, -turning, 0.0))


def stroke(p: Parameters) -> float:
    """(3) [m]"""
    return math.sqrt((p.rod + CRANK) ** 2 - p.offset**2) - math.sqrt((p.rod - CRANK) ** 2 - p.offset**2)


def fastest(p: Parameters) -> float:
    """Largest speed of the piston by (2) [m/s]; the crank turns downwards, phi < 0."""
    phi = np.linspace(0.0, math.tau, 20001)
    up = CRANK * np.sin(phi) - p.offset
    return float(np.abs(p.speed * CRANK * (np.sin(phi) + up * np.cos(phi) / np.sqrt(p.rod**2 - up**2))).max())


def turned_once(trace: Trace, p: Parameters) -> bool:
    return bool(trace["time"][-1] > 1.05 * math.tau / p.speed)


def predict(p: Parameters) -> list[Prediction]:
    return [Prediction("stroke of the piston", stroke(p), "m", 1e-3,
                       lambda world, trace: float(np.ptp(trace["joint:slide.angle"])) if turned_once(trace, p) else None),
            Prediction("largest speed of the piston", fastest(p), "m/s", 2e-3,
                       lambda world, trace: float(np.abs(trace["joint:slide.rate"]).max()) if turned_once(trace, p) else None)]


def law_curves(p: Parameters) -> list[Curve]:
    """Way of the piston by (1), for two turns."""
    t = np.linspace(0.0, 2.0 * math.tau / p.speed, 400)
    way = place(-p.speed * t, p) - place(0.0, p)
    return [Curve("joint:slide.angle", "r cos + sqrt(l^2 - (r sin - e)^2)", tuple(t), tuple(way))]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))
    assert world.joints["error"].max() < 1e-3, "the loop comes apart"


SCENE = Scene(
    title="Slider-crank",
    category="Mechanisms",
    look_for="A crank at constant speed moves a piston to and fro, as in every piston engine. The motion is not a sine: the "
             "piston is fastest before the crank is upright and dwells longer at the end close to the shaft. Make the rod "
             "longer, and it comes closer to a sine. Raise the guide: now one stroke is slower than the other, a quick return.",
    law=r"x = r\cos\varphi + \sqrt{l^2 - (r\sin\varphi - e)^2}",
    law_text="x = r cos(phi) + sqrt(l^2 - (r sin(phi) - e)^2)",
    build=build,
    parameters=Parameters,
    live=("speed",),
    view=View(target=(0.45, 0.01, 0.59), distance=2.1, azimuth=6.0, elevation=8.0),
    plots=("joint:slide.angle", "joint:slide.rate", "joint:shaft.angle"),
    show=("joints",),
    predict=predict,
    law_curves=law_curves,
    check_time=3.0,
    check=check,
    expected_warnings=("joints 'shaft', 'crank pin', 'piston pin', 'slide' form a closed loop with 3 redundant constraints",),
    unreached={},
)
