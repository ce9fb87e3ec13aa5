"""Band brakes: a band over a spinning drum, held at one end and drawn by a weight at the other.

The drum drags the band towards the weight, or towards the hold. On the way from the weight to the hold each of n links multiplies
the force as in scenes/capstan.py, by the factor or by its inverse,

    T_hold = k^(+-n) m g,   k = (1 + mu tan(d / 2)) / (1 - mu tan(d / 2)),   k^n -> exp(mu n d)                      (1)
    torque = |T_hold - m g| R cos(d / 2)                                                                             (2)

so that one way the brake helps itself. The predictions count the weights of the links, too.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from physics import Cylinder, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import LYING, add, block, check_predictions, ground
from scenes.capstan import TOP, R, chain, hinge, over_drum

LINKS, HALF = 12, 0.12                          # half a turn; half the length of a drum [m]
SIDE, HELD = 0.4, 0.45                          # half the distance of the drums, length of the rod that holds a band [m]
WAYS = {"helped": 1.0, "hindered": -1.0}
"""Brakes: of a drum that drags its band towards the weight, so that the hold bears more, and of one that relieves the hold."""
Y = (0.0, 1.0, 0.0)


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.3, lo=0.05, hi=0.6, help="Friction coefficient of band and drum.")
    load: float = option(3.0, unit="kg", lo=0.5, hi=8.0, help="Mass of each weight.")
    speed: float = option(16.0, unit="rad/s", lo=2.0, hi=40.0, help="Angular velocity of both drums at the start.")
    drum: float = option(20.0, unit="kg", lo=5.0, hi=80.0, help="Mass of each drum.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    for k, (name, way) in enumerate(WAYS.items()):
        y = SIDE * (1 - 2 * k)
        drum = add(world, Cylinder(R, HALF), (0.0, y, TOP), group=3 + 4 * k, mass=p.drum, quat=LYING, friction=p.mu,
                   omega=(0.0, -way * p.speed, 0.0), name=f"{name} drum")
        world.add_joint("revolute", 0, drum, anchor=(0.0, y, TOP), axis=Y, name=f"bearing {name}")
        block(world, (0.04, 0.02, 0.5 * TOP), (0.0, y + HALF + 0.04, 0.5 * TOP), mask=0, name=f"post {name}")
        last = chain(world, p.mu, p.load, LINKS, y, f"{name}: ")
        at = hinge(LINKS, LINKS, y)
        held = at - (0.0, 0.0, HELD)
        block(world, (0.05, 0.05, 0.5 * held[2]), (held[0], y, 0.5 * held[2]), mask=0, name=f"hold {name}")
        world.add_joint("rod", 0, last, anchor=tuple(held), anchor_b=tuple(at), name=f"rod {name}")


def torque(way: float, parameters: Parameters) -> float:
    """Of a brake [N m]: friction of all links times the radius."""
    return R * parameters.mu * over_drum(way * parameters.mu, parameters.load, LINKS)[1]


def braked(name: str, parameters: Parameters) -> Callable[[World, Trace], float | None]:
    """Torque that slows a drum down [N m], over the time in which it still turns fast."""
    def measure(world: World, trace: Trace) -> float | None:
        rate, time = np.abs(trace[f"joint:bearing {name}.rate"]), trace["time"]
        turns = np.flatnonzero((time > 0.1) & (rate > 0.2 * parameters.speed))
        if len(turns) < 10:
            return None
        a, b = turns[0], turns[-1]
        return float(0.5 * parameters.drum * R * R * (rate[a] - rate[b]) / (time[b] - time[a]))
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"torque of the {name} brake", torque(way, parameters), "N m", 0.01, braked(name, parameters))
            for name, way in WAYS.items()]


def check(world: World, trace: Trace) -> None:
    """Both brakes have the predicted torques, and no band slips away."""
    check_predictions(world, trace, predict(Parameters()))
    for name in WAYS:
        assert np.ptp(trace[f"body:{name}: weight.z"]) < 2e-3, f"the weight of the {name} brake moves"


SCENE = Scene(
    title="Band brakes",
    category="Contact friction",
    look_for="Two drums spin, one each way, and over each hangs a band with the same weight at one end; a rod holds the other "
             "end. The orange drum drags its band towards the weight: link by link the band is drawn tighter, and the brake "
             "helps itself. The pink drum drags its band towards the rod and relieves it: the same weight brakes less than half "
             "as hard. More friction makes the difference far larger.",
    law=r"M = m g R\,\left(e^{\mu\pi} - 1\right), \quad M' = m g R\,\left(1 - e^{-\mu\pi}\right) \;\; (w \to 0)",
    law_text="M = m g R (exp(mu pi) - 1);  M' = m g R (1 - exp(-mu pi)), for many links of no weight w; the prediction counts "
             "their number and weight",
    build=build,
    parameters=Parameters,
    live=("mu", "load"),
    view=View(target=(0.0, 0.0, 0.8), distance=3.2, azimuth=40.0, elevation=16.0),
    options={"cone": "circle"},
    plots=("joint:bearing helped.rate", "joint:bearing hindered.rate", "joint:rod helped.reaction",
           "joint:rod hindered.reaction", "body:helped: weight.z", "body:hindered: weight.z"),
    show=("contacts", "forces", "joints"),
    predict=predict,
    check_time=1.2,
    check=check,
)
