"""A climber on a ladder against a smooth wall: how high before it slips?

Rod of length L and mass m, with round ends of radius r, at the angle theta to the floor; the climber, mass M, is at the distance
s from the centre of the lower end. The wall bears no friction, the floor mu. Moments about that centre, at the moment of slip:

    mu (m + M) g (L sin(theta) + r) = g cos(theta) (m L / 2 + M s)                                                   (1)
    s = (mu (m + M) (L tan(theta) + r / cos(theta)) - m L / 2) / M                                                   (2)

The lower the climber, the greater the share of the weight that acts close to the foot, where it only adds to the friction.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Motor, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, ground, onset, turned

LONG, THIN = 3.0, 0.03          # L, r [m]
LADDER, START = 10.0, 0.8       # m [kg], s at the start [m]


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.4, lo=0.05, hi=1.0, help="Friction coefficient between the ladder and the floor.")
    angle: float = option(60.0, unit="deg", lo=45.0, hi=80.0, help="Angle of the ladder to the floor.")
    climber: float = option(60.0, unit="kg", lo=10.0, hi=150.0, help="Mass of the climber. The ladder has 10 kg.")
    speed: float = option(0.5, unit="m/s", lo=0.1, hi=1.0, help="Speed at which the climber climbs.")


def frame(parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """(centre of the lower end, direction up the ladder), each (3,)."""
    theta = math.radians(parameters.angle)
    return np.array([-LONG * math.cos(theta) - THIN, 0.0, THIN]), np.array([math.cos(theta), 0.0, math.sin(theta)])


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    block(world, (0.1, 0.9, 1.6), (0.1, 0.0, 1.6), friction=0.0, name="wall")
    foot, up = frame(parameters)
    lean = turned((0.0, 1.0, 0.0), 0.5 * math.pi - math.radians(parameters.angle))
    ladder = add(world, Capsule(THIN, 0.5 * LONG), tuple(foot + 0.5 * LONG * up), group=2, mass=LADDER, friction=parameters.mu,
                 quat=lean, name="ladder")
    place = tuple(foot + START * up)
    climber = add(world, Box((0.1, 0.14, 0.2)), place, group=1, mass=parameters.climber, quat=lean, mask=0,
                  vel=tuple(parameters.speed * up), name="climber")
    world.add_joint("prismatic", ladder, climber, anchor=place, axis=tuple(up), limits=(-START, LONG - START),
                    motor=Motor(target=parameters.speed), name="rungs")


def highest(parameters: Parameters) -> float:
    """s of (2) [m]: below 0 the ladder slips without a climber, above L it never does."""
    p, theta = parameters, math.radians(parameters.angle)
    return (p.mu * (LADDER + p.climber) * (LONG * math.tan(theta) + THIN / math.cos(theta)) - 0.5 * LADDER * LONG) / p.climber


def reached(world: World, trace: Trace) -> float | None:
    """How far up the climber was when the ladder began to slip [m]."""
    began = onset(trace["time"], trace["body:ladder.speed"], 2e-3, 8e-3)
    return None if began is None else START + float(np.interp(began, trace["time"], trace["joint:rungs.angle"]))


def predict(parameters: Parameters) -> list[Prediction]:
    s = highest(parameters)
    if not START + 0.05 < s < LONG - 0.05:
        return []
    return [Prediction("place of the climber at the slip", s, "m", 0.01, reached)]


def check(world: World, trace: Trace) -> None:
    """It slips where statics says, and stands still before."""
    got, expected = reached(world, trace), highest(Parameters())
    assert got is not None and abs(got - expected) < 0.01 * expected, f"{got} m"
    before = trace["joint:rungs.angle"] < expected - START - 0.1
    assert np.ptp(trace["body:ladder.x"][before]) < 1e-3, "the ladder creeps"


SCENE = Scene(
    title="A climber on a ladder",
    category="Statics",
    look_for="The wall is smooth, so friction at the floor alone keeps the ladder from slipping. The climber starts low, and "
             "the ladder stands still. With every step the force on the wall grows, and with it the friction at the foot, "
             "until its bound is reached and the ladder slips. A steeper ladder lets the climber reach the top; the climber's "
             "own mass matters little.",
    law=r"s = \frac{\mu\,(m+M)\,(L\tan\theta + r/\cos\theta) - m L/2}{M}",
    law_text="s = (mu (m + M) (L tan(theta) + r / cos(theta)) - m L / 2) / M;  r: radius of the ladder's round ends",
    build=build,
    parameters=Parameters,
    live=("mu", "climber", "speed"),
    view=View(target=(-0.72, 0.02, 1.32), distance=4.9, azimuth=10.0, elevation=10.0),
    options={"cone": "circle"},
    plots=("joint:rungs.angle", "body:ladder.x", "body:ladder.speed"),
    drawn=("joint:rungs.angle", "body:ladder.x"),       # until the slip the speed is a rounding error
    show=("contacts", "forces"),
    predict=predict,
    check_time=3.6,
    check=check,
    unreached={"compliant_contact": "the ladder sways on contacts that give way"},
)
