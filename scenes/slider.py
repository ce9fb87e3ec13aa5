"""A block on a rail with dry friction (MS16 section 3, prismatic joint), shot uphill.

    m dv/dt = -F_max - m g sin(theta)  while it slides up,   stops after  s = v^2 / (2 (F_max/m + g sin(theta)))
    holds there if F_max >= m g sin(theta), else slides back with g sin(theta) - F_max/m
"""

import dataclasses
import math

import numpy as np

from physics import Box, World, option
from scenes import Curve, PredictedPath, Prediction, Scene, Trace, View
from scenes._parts import add, block, ground, turned

MASS = 2.0
G = 9.81
HALF = (0.16, 0.13, 0.11)
RAIL = 3.0               # half length [m]


@dataclasses.dataclass
class Parameters:
    speed: float = option(3.0, unit="m/s", lo=0.0, hi=6.0, help="Initial speed of the block, up the rail.")
    max_friction: float = option(8.0, unit="N", lo=0.0, hi=100.0, help="Bound of the friction force on the rail, independent of "
                                                                       "the normal force.")
    tilt: float = option(12.0, unit="deg", lo=-45.0, hi=45.0, help="Angle of the rail above the horizontal.")


def line(parameters: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where the carriage starts, the unit vector up the rail, the rail's middle, its orientation."""
    theta = math.radians(parameters.tilt)
    along = np.array([math.cos(theta), 0.0, math.sin(theta)])
    middle = np.array([0.0, 0.0, 0.4 + RAIL * abs(math.sin(theta))])
    return middle - (RAIL - 0.5) * along, along, middle, turned((0.0, 1.0, 0.0), -theta)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    start, along, middle, tilt = line(parameters)
    rail = block(world, (RAIL, 0.05, 0.04), tuple(middle), quat=tilt, name="rail")
    for end in (-1.0, 1.0):
        foot = middle + end * (RAIL - 0.1) * along
        tall = 0.5 * (foot[2] - 0.03)
        block(world, (0.04, 0.25, tall), (foot[0], 0.0, tall), name=f"foot {end:+g}")
    carriage = add(world, Box(HALF), tuple(start), group=2, quat=tilt, mass=MASS, vel=tuple(parameters.speed * along),
                   name="carriage")
    world.add_joint("prismatic", rail, carriage, anchor=tuple(start), axis=tuple(along),
                    max_friction=parameters.max_friction, name="slide")


def distance(parameters: Parameters) -> float:
    """Up the rail until it stops [m]; inf if it never does."""
    slowing = parameters.max_friction / MASS + G * math.sin(math.radians(parameters.tilt))
    return 0.5 * parameters.speed**2 / slowing if slowing > 0.0 else math.inf


def predict(parameters: Parameters) -> list[Prediction]:
    if not math.isfinite(distance(parameters)):
        return []

    def measure(world: World, trace: Trace) -> float | None:
        rate, travel = trace["joint:slide.rate"], trace["joint:slide.angle"]
        stopped = np.flatnonzero(rate <= 1e-9)
        stopped = stopped[stopped > 0]
        return float(travel[stopped[0]]) if len(stopped) else None

    return [Prediction("stops after", distance(parameters), "m", 0.01, measure, "joint:slide.angle", place=way(parameters))]


def way(parameters: Parameters) -> PredictedPath:
    """Of the carriage's middle, as far as the rail goes."""
    start, along, _, _ = line(parameters)
    ends = np.array([0.0, 2.0 * RAIL - 1.0])
    return PredictedPath("carriage", start + ends[:, None] * along, ends)


def law_curves(parameters: Parameters) -> list[Curve]:
    """Speed and way up the rail: slowed evenly, then held or pulled back as far as the rail goes."""
    pull, hold = G * math.sin(math.radians(parameters.tilt)), parameters.max_friction / MASS
    if not math.isfinite(distance(parameters)) or pull < 0.0 or distance(parameters) > 2.0 * RAIL - 0.8:
        return []
    stop = parameters.speed / (hold + pull)
    back = max(0.0, pull - hold)
    later = 2.0 if back == 0.0 else math.sqrt(2.0 * distance(parameters) / back)
    up, down = np.linspace(0.0, stop, 30), np.linspace(0.0, later, 30)
    times = tuple(np.concatenate((up, stop + down)))
    rates = tuple(np.concatenate((parameters.speed - (hold + pull) * up, -back * down)))
    ways = tuple(np.concatenate((parameters.speed * up - 0.5 * (hold + pull) * up**2,
                                 distance(parameters) - 0.5 * back * down**2)))
    return [Curve("joint:slide.rate", "law", times, rates), Curve("joint:slide.angle", "law", times, ways)]


def check(world: World, trace: Trace) -> None:
    """It stops where the closed form says and, since F_max > m g sin(theta), stays to the last digit."""
    p = Parameters()
    travel = trace["joint:slide.angle"]
    assert abs(travel[-1] / distance(p) - 1.0) < 0.01, f"stops after {travel[-1]:.4f} m, not {distance(p):.4f} m"
    rest = travel[trace["time"] > trace["time"][-1] - 0.5]
    assert np.ptp(rest) < 1e-9, f"creeps by {np.ptp(rest):.1e} m"
    hold = MASS * G * math.sin(math.radians(p.tilt))
    got = abs(trace["joint:slide.friction"][-1])
    assert abs(got / hold - 1.0) < 1e-6, f"holds with {got:.4f} N, gravity pulls with {hold:.4f} N"


SCENE = Scene(
    title="Slider with dry friction",
    category="Joint friction",
    look_for="The block is launched up the rail. Friction and gravity both slow it; then friction reverses and holds it against "
             "gravity, with just the force needed and not its bound. Watch the friction plot jump at that moment. Tilt the rail "
             "beyond the bound and the block slides back down.",
    law=r"s = \frac{v^2}{2\,(F_{max}/m + g \sin\theta)}",
    law_text="s = v^2 / (2 (F_max/m + g sin(theta))); then it holds if F_max >= m g sin(theta)",
    build=build,
    parameters=Parameters,
    live=("max_friction",),
    view=View(target=(-0.84, -0.24, 0.83), distance=4.2, azimuth=15.0, elevation=14.0),
    plots=("joint:slide.rate", "joint:slide.angle", "joint:slide.friction"),
    show=("contacts", "joints", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=2.0,
    check=check,
    unreached={},
)
