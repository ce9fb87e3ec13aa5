"""A plate goes to and fro, forwards slowly and back with a jerk: boxes on it walk, although it comes back each time.

Over a period T the plate's velocity rises from -V to V with a1 < mu g during T - t2, and falls back with a2 > mu g during t2:

    forwards the box sticks, in the jerk it slips on with -mu g:
    slip velocity      (a2 - mu g) t2 at the end of the jerk, then less by a1 + mu g                                 (1)
    it sticks again    t = (2 V + a1 t2) / (a1 + mu g) after the beginning of the jerk                               (2)
    way a period       s = (a2 - mu g) t2 t / 2,   mean speed s / T                                                  (3)

A box with mu g > a2 never slips, and goes nowhere.
"""

import dataclasses

import numpy as np

from physics import Box, Motor, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import G, add, ground, mark, move, turns

HALF = (0.1, 0.12, 0.08)                       # of a box [m]
LONG, TOP = 1.2, 0.3                           # half length and height of the plate [m]
START, SIDE = -0.9, 0.25                       # place of the boxes at the start [m]
STICKY = 2.0
"""Friction of the box that stays."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(0.6, unit="m/s", lo=0.1, hi=0.8, help="Largest speed of the plate.")
    period: float = option(0.5, unit="s", lo=0.3, hi=0.8, help="Period of the plate's motion.")
    jerk: float = option(0.2, lo=0.05, hi=0.5, help="Fraction of the period in which it moves back. At 0.5 the motion is "
                                                     "symmetric, and nothing walks.")
    mu: float = option(0.4, lo=0.1, hi=0.8, help="Friction coefficient of the box that walks.")


def velocity(p: Parameters, turn: float) -> float:
    """Of the plate [m/s] after this number of periods: first the slow half from the middle on."""
    slow = 1.0 - p.jerk
    phase = (turn + 0.5 * slow) % 1.0
    return p.speed * (2.0 * phase / slow - 1.0) if phase < slow else p.speed * (1.0 - 2.0 * (phase - slow) / p.jerk)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    place = (0.0, 0.0, 0.5 * TOP + 0.05)
    plate = add(world, Box((LONG, 0.5, 0.5 * TOP - 0.05)), place, group=2, mass=20.0, friction=1.0, name="plate")
    rail = world.add_joint("prismatic", 0, plate, anchor=place, axis=(1.0, 0.0, 0.0), motor=Motor(), name="rail")

    def plate_speed(world: World, t: float) -> float:
        p = present(parameters, world.inputs)
        return velocity(p, turns(world, 1.0 / p.period, t))

    move(world, rail, plate_speed)
    # of a pair counts the root of both coefficients
    for k, (name, mu) in enumerate((("walker", parameters.mu), ("sticky box", STICKY))):
        y = SIDE * (1 - 2 * k)
        add(world, Box(HALF), (START, y, TOP + HALF[2]), group=1 + 2 * k, mass=1.0, friction=mu * mu, name=name)
        mark(world, START, y * 2.4, f"start {k + 1}", 0.1)


def mean_speed(p: Parameters) -> float | None:
    """(3) [m/s]; None where the box slips on the way forwards too, or has not come to rest at the next jerk."""
    t2 = p.jerk * p.period
    a1, a2, grip = 2.0 * p.speed / (p.period - t2), 2.0 * p.speed / t2, p.mu * G
    if a1 >= grip:
        return None
    if a2 <= grip:
        return 0.0
    slips = (2.0 * p.speed + a1 * t2) / (a1 + grip)
    return 0.5 * (a2 - grip) * t2 * slips / p.period if slips <= p.period else None


def walked(p: Parameters, trace: Trace) -> float | None:
    """Mean speed over whole periods after the first [m/s]."""
    t, x = trace["time"], trace["body:walker.x"] - trace["body:plate.x"]
    periods = int((t[-1] + 1e-9) / p.period) - 1
    if periods < 2:
        return None
    ends = np.interp((p.period, (1 + periods) * p.period), t, x)
    return float((ends[1] - ends[0]) / (periods * p.period))


def predict(parameters: Parameters) -> list[Prediction]:
    speed = mean_speed(parameters)
    return [] if speed is None else [Prediction("mean speed of the walker", speed, "m/s", 0.025,
                                                lambda world, trace: walked(parameters, trace))]


def check(world: World, trace: Trace) -> None:
    got, expected = walked(Parameters(), trace), mean_speed(Parameters())
    assert abs(got - expected) < 0.025 * expected, f"{got} m/s"
    stays = np.ptp(trace["body:sticky box.x"] - trace["body:plate.x"])
    assert stays < 1e-3, f"the sticky box slips by {stays} m"


SCENE = Scene(
    title="Walking by vibration",
    category="Contact friction",
    look_for="The plate moves forwards slowly and back with a jerk. Going forwards the box sticks to it; in the jerk friction "
             "is too weak to hold the box, which slips on. So it walks forwards, jerk by jerk, though the plate ends every "
             "period where it began: the way vibratory feeders and piezo drives work. The second box has enough friction to "
             "take part in the jerk, and goes nowhere.",
    law=r"\bar v = \frac{(a_2-\mu g)\,t_2}{2T}\,\frac{2V + a_1 t_2}{a_1+\mu g}",
    law_text="mean speed = (a2 - mu g) t2 (2 V + a1 t2) / (2 T (a1 + mu g))",
    build=build,
    parameters=Parameters,
    live=("speed", "period", "mu"),
    dt=1.0 / 480.0,
    view=View(target=(0.0, 0.0, 0.3), distance=3.6, azimuth=20.0, elevation=26.0),
    options={"cone": "circle"},
    plots=("body:walker.x", "body:plate.x", "body:walker.vx", "body:plate.vx", "body:sticky box.x"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=1.6,
    check=check,
    unreached={},
)
