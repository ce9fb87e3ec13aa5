"""A pendulum on a hinge with dry friction M: the swings shrink by nearly equal amounts, then it stops off the vertical.

From one turning point theta_n to the next, energy falls by the work of the constant torque:

    m g L (cos theta_n+1 - cos theta_n) = M (|theta_n| + |theta_n+1|)

For small swings the loss is the same every time, 2 M / (m g L): amplitudes fall on a straight line, not on an
exponential. It stops at a turning point where m g L sin|theta| <= M.
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, World, option
from scenes import Curve, PredictedPath, Prediction, Scene, Trace, View
from scenes._parts import add, block, ground, turned

ROD, RADIUS, MASS = 1.0, 0.06, 2.0     # length between the end centres [m], radius [m], mass [kg]
ARM = 0.5 * ROD                        # from the hinge to the centre of mass [m]
PIVOT = 1.8                            # height of the hinge [m]
G = 9.81


@dataclasses.dataclass
class Parameters:
    start: float = option(60.0, unit="deg", lo=1.0, hi=170.0, help="Initial angle from the vertical.")
    friction: float = option(0.4, unit="N m", lo=0.0, hi=10.0, help="Dry friction bound of the hinge. Above 9.81 N m times the "
                                                                    "sine of the initial angle the pendulum does not move.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    angle = math.radians(parameters.start)
    rod = add(world, Capsule(RADIUS, ARM), (0.0, 0.0, PIVOT - ARM), group=3, mass=MASS, name="rod")
    block(world, (0.07, 0.07, 0.07), (0.0, 0.22, PIVOT), name="bearing")
    block(world, (0.05, 0.05, 0.5 * PIVOT), (0.0, 0.33, 0.5 * PIVOT), name="stand")
    block(world, (0.5, 0.35, 0.02), (0.0, 0.1, 0.02), name="foot")
    # hung straight down, so that this is angle 0; axis -y: a positive angle swings towards +x
    world.add_joint("revolute", 0, rod, anchor=(0.0, 0.0, PIVOT), axis=(0.0, -1.0, 0.0),
                    max_friction=parameters.friction, name="hinge")
    world.set_pose(rod, (ARM * math.sin(angle), 0.0, PIVOT - ARM * math.cos(angle)), turned((0.0, 1.0, 0.0), -angle))


def next_turn(angle: float, friction: float) -> float:
    """|theta_n+1| [rad] after a turning point |theta_n|; the angle itself where friction holds it."""
    weight = MASS * G * ARM
    if weight * math.sin(angle) <= friction:
        return angle
    lo, hi = 0.0, angle

    def surplus(end: float) -> float:
        return weight * (math.cos(end) - math.cos(angle)) - friction * (angle + end)

    if surplus(0.0) <= 0.0:
        # it stops before the lowest point: on its own side, theta_n+1 = -end
        hi, lo = 0.0, -angle
        for _ in range(200):
            middle = 0.5 * (lo + hi)
            short = weight * (math.cos(middle) - math.cos(angle)) - friction * (angle + middle)
            lo, hi = (middle, hi) if short > 0.0 else (lo, middle)
        return -0.5 * (lo + hi)
    for _ in range(200):
        middle = 0.5 * (lo + hi)
        lo, hi = (middle, hi) if surplus(middle) > 0.0 else (lo, middle)
    return 0.5 * (lo + hi)


def turns(parameters: Parameters, count: int) -> list[float]:
    """The first turning points after the start, absolute values [rad]."""
    angles = [math.radians(parameters.start)]
    for _ in range(count):
        angles.append(next_turn(angles[-1], parameters.friction))
    return angles[1:]


def turning_points(trace: Trace) -> np.ndarray:
    """|angle| where a swing ends: the rate changes its sign or becomes zero [rad]."""
    angle, rate = trace["joint:hinge.angle"], trace["joint:hinge.rate"]
    moving = np.abs(rate) > 1e-9
    ends = np.flatnonzero(moving[:-1] & (~moving[1:] | (rate[:-1] * rate[1:] < 0.0)))
    return np.maximum(np.abs(angle[ends]), np.abs(angle[ends + 1]))


def predict(parameters: Parameters) -> list[Prediction]:
    def measure(k: int) -> object:
        def read(world: World, trace: Trace) -> float | None:
            found = turning_points(trace)
            return float(found[k]) if len(found) > k else None
        return read

    return [Prediction(f"amplitude after {k + 1} half swing{'s' if k else ''}", angle, "rad", 1e-3, measure(k),
                       place=way(parameters, k)) for k, angle in enumerate(turns(parameters, 5))]


def way(parameters: Parameters, k: int) -> PredictedPath:
    """Of the rod's end, to both sides a little farther than its start; the half swings end on one side and the other."""
    angles = np.linspace(-1.1, 1.1, 80) * math.radians(parameters.start)
    side, end = (-1.0) ** (k + 1) * angles, ROD + RADIUS
    points = np.column_stack([end * np.sin(side), np.zeros(80), PIVOT - end * np.cos(side)])
    return PredictedPath("rod", points, angles, (0.0, 0.0, -ARM - RADIUS))


def law_curves(parameters: Parameters) -> list[Curve]:
    """Angle over time: from each turning point to the next by the equation of motion, in closed form for the speed,

        I omega^2 / 2 = m g L (cos theta - cos theta_n) - M |theta - theta_n|

    and for the time by a sum over theta = middle + swing cos(s), which takes the root's infinities at both ends away.
    """
    inertia = float(Capsule(RADIUS, ARM).inertia(MASS)[0]) + MASS * ARM**2
    weight, friction = MASS * G * ARM, parameters.friction
    start, side, times, angles = math.radians(parameters.start), 1.0, [0.0], [math.radians(parameters.start)]
    s = np.linspace(0.0, math.pi, 161)
    while times[-1] < 12.0:
        end = next_turn(start, friction)
        if end == start:
            return [Curve("joint:hinge.angle", "law", (*times, 12.0 + times[-1]), (*angles, side * start), 0.03)]
        theta = 0.5 * (start - end) + 0.5 * (start + end) * np.cos(s)
        middle = 0.5 * (theta[1:] + theta[:-1])
        square = 2.0 / inertia * (weight * (np.cos(middle) - math.cos(start)) - friction * (start - middle))
        step = 0.5 * (start + end) * np.sin(0.5 * (s[1:] + s[:-1])) * (s[1] - s[0]) / np.sqrt(np.maximum(square, 1e-12))
        reached = times[-1] + np.cumsum(step)
        times, angles = [*times, *map(float, reached)], [*angles, *(side * theta[1:])]
        start, side = abs(end), -side if end >= 0.0 else side
    return [Curve("joint:hinge.angle", "law", tuple(times), tuple(angles), 0.03)]


def check(world: World, trace: Trace) -> None:
    """Turning points follow the energy balance; at the end it is at rest where friction can hold it."""
    found = turning_points(trace)
    for k, expected in enumerate(turns(Parameters(), 5)):
        assert abs(found[k] - expected) < 1e-3 * expected, f"turn {k + 1}: {found[k]:.4f} rad, not {expected:.4f} rad"
    last = trace["joint:hinge.angle"][trace["time"] > trace["time"][-1] - 0.5]
    assert np.ptp(last) < 1e-9, "it creeps at the end"
    assert MASS * G * ARM * abs(math.sin(last[-1])) <= Parameters().friction, "it rests where friction cannot hold it"


SCENE = Scene(
    title="Pendulum with dry friction",
    category="Joint friction",
    look_for="Look at the envelope of the angle: with dry friction the amplitude decreases by equal amounts, linearly, and the "
             "motion stops abruptly. With viscous damping it would decrease by equal ratios and never quite stop. The pendulum "
             "often stops visibly off the vertical, where friction carries its weight.",
    law=r"m g L\,(\cos\theta_{n+1} - \cos\theta_n) = M\,(|\theta_n| + |\theta_{n+1}|)",
    law_text="m g L (cos theta_n+1 - cos theta_n) = M (|theta_n| + |theta_n+1|); small swings lose 2 M / (m g L) each",
    build=build,
    parameters=Parameters,
    live=("friction",),
    view=View(target=(0.05, 0.05, 1.34), distance=3.3, azimuth=12.0, elevation=10.0),
    plots=("joint:hinge.angle", "joint:hinge.rate", "world.energy"),
    predict=predict,
    law_curves=law_curves,
    check_time=12.0,
    check=check,
    unreached={},
)
