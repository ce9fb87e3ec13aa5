"""Two boxes on springs on a slow belt: one with static friction above kinetic jerks along, the other stands still in the slip.

    sticks with the belt (speed V) until      k x = mu_s m g
    slips:   m x'' = mu_k m g - k x,          x from the release at mu_s m g / k with x' = V
             swings about mu_k m g / k with amplitude sqrt(a^2 + V^2 m / k),   a = (mu_s - mu_k) m g / k
"""

import dataclasses
import math

import numpy as np

from physics import Box, Material, World, option
from scenes import PredictedPath, Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions, ground

G, MASS = 9.81, 1.0
HALF = (0.12, 0.12, 0.08)                     # of a box [m]
TOP, LENGTH, PITCH = 0.3, 1.2, 0.5            # height of the belts, half their length, their distance [m]
LANES = {"stick and slip": 0.5, "equal friction": -0.5}


@dataclasses.dataclass
class Parameters:
    speed: float = option(0.1, unit="m/s", lo=0.01, hi=1.0, log=True, help="Speed of the belts. At high speed the boxes no "
                                                                           "longer stick.")
    mu: float = option(0.3, lo=0.05, hi=0.8, help="Kinetic friction of both boxes.")
    ratio: float = option(1.7, lo=1.0, hi=2.5, help="Ratio of static to kinetic friction of the stick-slip box.")
    stiffness: float = option(40.0, unit="N/m", lo=10.0, hi=400.0, log=True, help="Stiffness of the springs.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for i, (name, side) in enumerate(LANES.items()):
        static = parameters.mu * (parameters.ratio if i == 0 else 1.0)
        surface = Material(friction=static, kinetic_friction=parameters.mu, name=name)
        belt = dataclasses.replace(surface, surface_velocity=(parameters.speed, 0.0, 0.0), name=f"belt: {name}")
        y = side * PITCH
        block(world, (LENGTH, 0.2, 0.5 * TOP), (0.2, y, 0.5 * TOP), material=belt, name=f"belt of {name}")
        z = TOP + HALF[2]
        block(world, (0.04, 0.12, 0.5 * TOP + HALF[2]), (-1.1, y, 0.5 * TOP + HALF[2]), name=f"post of {name}")
        box = add(world, Box(HALF), (0.0, y, z), group=1 + i, mass=MASS, material=surface, name=name)
        world.add_joint("spring", 0, box, anchor=(-1.06, y, z), anchor_b=(-HALF[0], y, z), stiffness=parameters.stiffness,
                        collide=True, name=f"spring of {name}")


def largest(trace: Trace) -> float | None:
    """Largest stretch after the first release [m]; None before the box has sprung back."""
    x = trace["body:stick and slip.x"]
    return float(x.max()) if len(x) > 1 and x[-1] < x.max() - 1e-3 else None


def resting(trace: Trace) -> float | None:
    """Where the other box slips at last, mean of two seconds [m]."""
    x, t = trace["body:equal friction.x"], trace["time"]
    return float(x[t > t[-1] - 2.0].mean()) if t[-1] >= 5.0 else None


def predict(parameters: Parameters) -> list[Prediction]:
    weight = MASS * G / parameters.stiffness
    excess = (parameters.ratio - 1.0) * parameters.mu * weight
    swing = math.sqrt(excess**2 + parameters.speed**2 * MASS / parameters.stiffness)
    return [Prediction("largest extension", parameters.mu * weight + swing, "m", 0.02, lambda world, trace: largest(trace),
                       "body:stick and slip.x", place=way("stick and slip")),
            Prediction("extension during slip", parameters.mu * weight, "m", 0.03, lambda world, trace: resting(trace),
                       "body:equal friction.x", place=way("equal friction"))]


def way(name: str) -> PredictedPath:
    """Along the front edge of a belt, below the middle of its box."""
    ends = np.array([0.0, LENGTH])
    return PredictedPath(name, np.array([(0.0, LANES[name] * PITCH, TOP)]) + ends[:, None] * (1.0, 0.0, 0.0), ends,
                         (0.0, 0.0, -HALF[2]))


def check(world: World, trace: Trace) -> None:
    """The stretch at the release and in the steady slip are those of theory, and the first box lets go again and again."""
    check_predictions(world, trace, predict(Parameters()))
    x = trace["body:stick and slip.x"]
    back = np.diff(x) < -1e-4
    assert np.count_nonzero(back[1:] & ~back[:-1]) >= 3, "it lets go again and again"


SCENE = Scene(
    title="Stick and slip on a belt",
    category="Contact friction",
    look_for="Two belts carry two boxes away from their posts. The box whose static friction exceeds its kinetic friction moves "
             "with the belt until the spring force breaks it away, jumps back and sticks again: the saw-tooth of stick-slip, as "
             "in a squealing brake or a bowed string. The other box has equal coefficients: after the first break-away it slips "
             "steadily where spring and friction balance. Make the belts faster and stick-slip stops.",
    law=r"k\,x_{\max} = \mu_k m g + \sqrt{(\mu_s-\mu_k)^2 m^2 g^2 + k\,m\,V^2}",
    law_text="k x_max = mu_k m g + sqrt((mu_s - mu_k)^2 m^2 g^2 + k m V^2)",
    build=build,
    parameters=Parameters,
    live=("speed", "mu", "ratio", "stiffness"),
    view=View(target=(-0.34, -0.07, 0.33), distance=2.1, azimuth=14.0, elevation=24.0),
    options={"cone": "circle"},
    plots=("body:stick and slip.x", "body:equal friction.x"),
    show=("contacts", "forces", "joints"),
    predict=predict,
    check_time=7.0,
    check=check,
    unreached={"compliant_contact": "contacts give way, and the box does not spring back as from a rigid one"},
)
