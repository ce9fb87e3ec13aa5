"""Boxes on a tilted bench, one lane for each friction coefficient: who slides, and how fast.

    along the lane:   m a = m g sin(theta) - F,   |F| <= mu N,   N = m g cos(theta)
    sticks if tan(theta) <= mu, else a = g (sin(theta) - mu cos(theta))
"""

import dataclasses
import math

import numpy as np

from physics import Box, World, option
from scenes import CHANGED, Curve, Prediction, Scene, Trace, View, present
from scenes._parts import GREY, SETTLED, add, ground, of_body, tilt, tilted, turned

LENGTH, PITCH = 4.0, 0.5                      # of the bench, of its lanes [m]
HALF = (0.18, 0.15, 0.10)                     # of a box [m]
RATIOS = (0.5, 0.75, 1.0, 1.25, 1.5)          # friction of the lanes, in units of the parameter
TALL = 1.4                                    # half the height of the trestle, which sinks into the floor [m]
G = 9.81


@dataclasses.dataclass
class Parameters:
    angle: float = option(25.0, unit="deg", lo=0.0, hi=45.0, help="Tilt of the bench. A box slides when the tangent of this "
                                                                  "angle exceeds the friction coefficient of its lane.")
    mu: float = option(0.5, lo=0.0, hi=2.0, help="Friction coefficient of the middle lane; the other lanes have "
                       "0.5, 0.75, 1.25 and 1.5 times as much.")


def name(ratio: float) -> str:
    """Of the box on a lane."""
    return f"box {1 + RATIOS.index(ratio)}"


def place(theta: float) -> np.ndarray:
    """Positions of the lanes, and of the trestle below their upper end, (n, 3) [m]."""
    middle = np.array([0.0, 0.0, 0.5 * LENGTH * math.sin(theta) + 0.06])
    up = np.array([math.sin(theta), 0.0, math.cos(theta)])
    lanes = middle - 0.05 * up + np.outer(np.arange(len(RATIOS)) - 2, (0.0, PITCH, 0.0))
    return np.vstack([lanes, (-(0.5 * LENGTH - 0.15) * math.cos(theta), 0.0, LENGTH * math.sin(theta) - 0.1 - TALL)])


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    theta = math.radians(parameters.angle)
    along = np.array([math.cos(theta), 0.0, -math.sin(theta)])
    up = np.array([math.sin(theta), 0.0, math.cos(theta)])
    sloping, at, lanes = turned((0.0, 1.0, 0.0), theta), place(theta), []
    for i, ratio in enumerate(RATIOS):
        mu = ratio * parameters.mu
        lanes.append(add(world, Box((0.5 * LENGTH, 0.48 * PITCH, 0.05)), tuple(at[i]), kind="kinematic", group=GREY, quat=sloping,
                         friction=mu, name=f"lane {1 + i}"))
        start = at[i] - (0.5 * LENGTH - 0.35) * along + (0.05 + HALF[2]) * up
        add(world, Box(HALF), tuple(start), group=1 + i, quat=sloping, friction=mu, name=name(ratio))
    trestle = add(world, Box((0.06, 2.4 * PITCH, TALL)), tuple(at[-1]), kind="kinematic", group=GREY, mask=0, name="trestle")
    tilt(world, lanes, [trestle], place, lambda world: math.radians(present(parameters, world.inputs).angle))


def acceleration(angle: float, mu: float) -> float:
    """Along the lane [m/s^2]; angle in degrees."""
    theta = math.radians(angle)
    return max(0.0, G * (math.sin(theta) - mu * math.cos(theta)))


def measured(world: World, trace: Trace, ratio: float) -> float | None:
    """Mean acceleration, from the speeds of a second since the start, or since the bench or the friction was last changed; each
    is that of the middle of a step."""
    since = max(world.inputs.get(CHANGED, 0.0), world.inputs.get(SETTLED, 0.0))
    box = world.bodies[world.body(name(ratio))]
    if since > 0.0 and (world.time <= since or abs(box["pos"][0]) > 0.45 * LENGTH):
        return None         # the bench turns, or the box has left it
    t, v = trace["time"], trace[f"body:{name(ratio)}.speed"]
    used = (t > since) & (t <= since + 1.0)
    t, v = t[used], v[used]
    return float((v[-1] - v[0]) / (t[-1] - t[0])) if len(t) > 1 else None


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"acceleration of {name(ratio)}, on mu = {ratio * parameters.mu:.3g}",
                       acceleration(parameters.angle, ratio * parameters.mu), "m/s^2", 1e-3,
                       lambda world, trace, ratio=ratio: measured(world, trace, ratio), follows=True)
            for ratio in RATIOS]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Speeds from rest, v = a t, as far as the bench goes."""
    found = []
    for ratio in RATIOS:
        a = acceleration(parameters.angle, ratio * parameters.mu)
        end = math.sqrt(2.0 * (LENGTH - 1.0) / a) if a > 0.7 else 3.0
        found.append(Curve(f"body:{name(ratio)}.speed", "a t", (0.0, end), (0.0, a * end)))
    return found


def check(world: World, trace: Trace) -> None:
    """Lanes below tan(angle) slide with g (sin - mu cos), the others do not move at all."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        error = abs(got - prediction.value)
        assert error <= max(1e-3 * prediction.value, 1e-6), f"{prediction.name}: {got}, not {prediction.value}"
    for ratio in RATIOS:
        if ratio * Parameters().mu > math.tan(math.radians(Parameters().angle)):
            speed = np.max(trace[f"body:{name(ratio)}.speed"])
            assert speed < 1e-6, f"{name(ratio)} creeps with {speed:.2e} m/s"


SCENE = Scene(
    title="Slip angle on a tilted bench",
    category="Contact friction",
    look_for="Five identical boxes on lanes of increasing friction. Tilt the bench slowly: lane after lane breaks away, each "
             "when the tangent of the angle exceeds its coefficient. Mass and size do not matter. A sticking box does not creep; "
             "a sliding one accelerates uniformly. At the default angle two boxes slide and three stick.",
    law=r"\tan\theta > \mu \;\Rightarrow\; a = g\,(\sin\theta - \mu\cos\theta)",
    law_text="slides if tan(theta) > mu, then a = g (sin(theta) - mu cos(theta)); else a = 0",
    build=build,
    parameters=Parameters,
    live=("angle", "mu"),
    actual={"angle": of_body("lane 1", tilted)},
    view=View(target=(-0.68, -0.15, 1.25), distance=3.6, azimuth=32.0, elevation=24.0),
    options={"cone": "circle", "substeps": 2},
    plots=tuple(f"body:{name(ratio)}.speed" for ratio in RATIOS),
    show=("contacts", "forces", "cones"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.0,
    check=check,
    unreached={"compliant_contact": "its contacts give way, and the boxes slip a little while they settle",
               "soft_steps": "boxes slip by traces while their contacts are pressed in"},
)
