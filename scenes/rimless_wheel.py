"""A wheel of spokes without a rim walks down a slope: each spoke that lands costs energy, the slope returns it (McGeer 1990).

The simplest passive walker (_corner_impacts.py, R: length of a leg, 2 a: angle between two, J = (0.55 R)^2 m). In the steady
motion the loss at an impact equals the height of a step:

    omega-^2 = 2 m g s sin(gamma) / ((J + m R^2) (1 - r^2)),   r = (J + m R^2 cos 2a) / (J + m R^2),  s = 2 R sin a     (1)

From any start above the least one the speed comes closer to it by r^2 in every step. On a slope too flat it does not come over
its next leg and rocks to rest on two of them.
"""

import dataclasses
import functools
import math

import numpy as np

import scenes
from physics import Compound, Hull, World, option
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View
from scenes._corner_impacts import CornerWheel
from scenes._parts import add, block, ground, turned

R, GYRATION, HUB, HALF_WIDTH, LENGTH = 0.5, 0.55, 0.09, 0.12, 9.0    # leg [m], J / (m R^2) = 0.55^2, hub, half width, ramp [m]
GRIP = 1.2
LAST = 3
"""Steps at the end that the measured speed is the mean of."""


@dataclasses.dataclass
class Parameters:
    angle: float = option(5.0, unit="deg", lo=0.5, hi=10.0, help="Slope of the ramp. A wheel of 8 legs stops below 2.9 degrees.")
    legs: int = option(8, lo=6, hi=16, help="Number of legs. More legs lose less at each step and walk faster.")
    spin: float = option(2.6, unit="rad/s", lo=0.5, hi=3.5, help="Angular velocity at the start, about the leg in front.")


def wheel(parameters: Parameters) -> CornerWheel:
    return CornerWheel(R, math.pi / parameters.legs, (GYRATION * R) ** 2, math.radians(parameters.angle))


def shape(legs: int) -> Compound:
    """Wedges along y with their edges at the ends of the legs; the lowest two stand on a horizontal floor."""
    wedges = []
    for i in range(legs):
        turn = 2.0 * math.pi * (i + 0.5) / legs
        out, side = np.array([math.sin(turn), 0.0, -math.cos(turn)]), np.array([math.cos(turn), 0.0, math.sin(turn)])
        corners = [radius * out + width * side + np.array([0.0, y, 0.0]) for y in (-HALF_WIDTH, HALF_WIDTH)
                   for radius, width in ((R, 0.0), (HUB, -0.4 * HUB), (HUB, 0.4 * HUB))]
        hull = Hull(np.array(corners))
        wedges.append((hull, tuple(hull.centre)))
    return Compound(*wedges)


def build(world: World, parameters: Parameters) -> None:
    gamma, known = math.radians(parameters.angle), wheel(parameters)
    ground(world, friction=GRIP)
    along = np.array([math.cos(gamma), 0.0, -math.sin(gamma)])
    up = np.array([math.sin(gamma), 0.0, math.cos(gamma)])
    top = np.array([0.0, 0.0, 0.06 + (LENGTH - 0.8) * math.sin(gamma)])
    tilt = turned((0.0, 1.0, 0.0), gamma)
    block(world, (0.5 * LENGTH, 0.5, 0.05), tuple(top + (0.5 * LENGTH - 0.7) * along - 0.05 * up), friction=GRIP, quat=tilt,
          name="ramp")
    high = R * math.cos(known.half_angle)
    moment = known.gyration
    walker = add(world, shape(parameters.legs), tuple(top + high * up), group=3, mass=1.0, friction=GRIP, quat=tilt, name="wheel",
                 inertia=(0.6 * moment, moment, 0.6 * moment), omega=(0.0, parameters.spin, 0.0))
    world.bodies["vel"][walker] = parameters.spin * (high * along + R * math.sin(known.half_angle) * up)


def impacts(trace: Trace) -> np.ndarray:
    """Samples before the impacts: where the angular velocity is largest and then falls at once."""
    rate = trace["body:wheel.omega_y"]
    before = np.flatnonzero((rate[1:-4] >= rate[:-5]) & (rate[2:-3] < rate[1:-4]) & (rate[5:] < 0.95 * rate[1:-4])) + 1
    return before[np.diff(before, prepend=-100) > 10]


def predict(parameters: Parameters) -> list[Prediction]:
    known = wheel(parameters)
    walks = known.rolls_on

    def rate(world: World, trace: Trace) -> float | None:
        struck = impacts(trace)
        return float(trace["body:wheel.omega_y"][struck[-LAST:]].mean()) if walks and len(struck) > 2 * LAST else None

    def speed(world: World, trace: Trace) -> float | None:
        struck = impacts(trace)
        if not walks or len(struck) <= 2 * LAST:
            return None
        return float(LAST * known.pitch / (trace["time"][struck[-1]] - trace["time"][struck[-1 - LAST]]))

    return [Prediction("angular velocity before an impact", known.steady_rate if walks else 0.0, "rad/s", 0.02, rate,
                       "body:wheel.omega_y"),
            Prediction("speed of walking", known.pitch / known.step_time() if walks else 0.0, "m/s", 0.02, speed)]


def check(world: World, trace: Trace) -> None:
    """It walks, ever closer to the steady speed, and does not leave the ramp sideways."""
    struck = impacts(trace)
    assert len(struck) > 2 * LAST, f"only {len(struck)} steps"
    apart = np.abs(trace["body:wheel.omega_y"][struck] - wheel(Parameters()).steady_rate)
    assert apart[-1] < 0.5 * apart[0], f"differences from the steady motion: {apart}"
    assert abs(world.bodies["pos"][world.body("wheel"), 1]) < 0.02, "it walks aside"


@functools.cache
def walked(angle: float, legs: int) -> tuple[float, float]:
    """(angular velocity before an impact [rad/s], speed [m/s]) in the run of the scene with these parameters."""
    parameters = Parameters(angle, legs)
    world, trace = scenes.run(SCENE, parameters)
    return tuple(prediction.measure(world, trace) for prediction in predict(parameters))


def papers() -> list[PaperRow]:
    how = "mean of the last {} steps after {:g} s, sequential impulses, h = 1/1000 s; F11 prints no number, {}"
    rows = []
    for angle, legs in ((5.0, 8), (4.0, 12)):
        known, (rate, speed) = wheel(Parameters(angle, legs)), walked(angle, legs)
        case = f"rimless wheel of {legs} legs on {angle:g} degrees"
        rows += [PaperLaw("F11", "11.6, (11.57)", f"{case}: angular velocity before an impact", known.steady_rate, rate, "rad/s",
                          0.02 * known.steady_rate, how.format(LAST, SCENE.check_time, "closed form of McGeer (1990)")),
                 PaperLaw("F11", "11.6, (11.57)", f"{case}: speed", known.pitch / known.step_time(), speed, "m/s",
                          0.02 * speed, how.format(LAST, SCENE.check_time, "an inverted pendulum from impact to impact"))]
    return rows


SCENE = Scene(
    title="Rimless wheel walks down a slope",
    category="Geometry of contact",
    look_for="A wheel of spokes without a rim walks down a slope. In the plot its angular velocity rises while it falls from one "
             "leg to the next, and drops by the same factor each time a leg lands: that loss of energy equals the height of a "
             "step, so the speed approaches a steady one from above and from below. Below 2.9 degrees it stops on two legs. This "
             "is the simplest passive walker, without a motor.",
    law=r"\omega_-^2 = \frac{2 m g s \sin\gamma}{(J + m R^2)(1 - r^2)}, \qquad r = \frac{J + m R^2 \cos 2a}{J + m R^2}",
    law_text="omega-^2 = 2 m g s sin(gamma) / ((J + m R^2) (1 - r^2)),   r = (J + m R^2 cos 2a) / (J + m R^2)",
    build=build,
    parameters=Parameters,
    dt=1.0 / 1000.0,
    view=View(target=(1.52, -0.07, 0.92), distance=4.9, azimuth=15.0, elevation=14.0),
    plots=("body:wheel.omega_y", "body:wheel.speed"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=5.6,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "its legs sink in when they land, and lose another share of their energy"},
)
