"""A clutch: friction takes a flywheel at rest along with one that turns, until both have the same speed.

    the clutch transmits T until          omega = I1 omega1 / (I1 + I2)            whatever T is                     (1)
    which takes                           t = I1 I2 omega1 / ((I1 + I2) T)                                           (2)
    and becomes heat                      Q = I1 I2 omega1^2 / (2 (I1 + I2))       whatever T is                     (3)
"""

import dataclasses
import math

import numpy as np

from physics import Cylinder, Friction, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions, ground, turned

R, HALF, HEIGHT, APART = 0.35, 0.05, 0.6, 0.16          # of a flywheel, height of the shaft, their distance [m]
X = (1.0, 0.0, 0.0)


@dataclasses.dataclass
class Parameters:
    speed: float = option(12.0, unit="rad/s", lo=1.0, hi=30.0, help="Initial angular velocity of the first flywheel.")
    torque: float = option(5.0, unit="N m", lo=1.0, hi=40.0, help="Friction torque of the clutch.")
    driving: float = option(10.0, unit="kg", lo=2.0, hi=40.0, help="Mass of the flywheel that turns.")
    driven: float = option(15.0, unit="kg", lo=2.0, hi=40.0, help="Mass of the flywheel that is at rest.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    made = []
    for k, (name, mass) in enumerate((("driving flywheel", p.driving), ("driven flywheel", p.driven))):
        x = APART * (k - 0.5)
        made.append(add(world, Cylinder(R, HALF), (x, 0.0, HEIGHT), group=1 + 2 * k, mass=mass, mask=0,
                        quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi), omega=(p.speed * (1 - k), 0.0, 0.0), name=name))
        block(world, (0.03, 0.08, 0.5 * HEIGHT), (3.0 * x, 0.0, 0.5 * HEIGHT), mask=0, name=f"post {k + 1}")
    world.add_joint("revolute", 0, made[0], anchor=(-1.5 * APART, 0.0, HEIGHT), axis=X, name="bearing")
    world.add_joint("revolute", made[0], made[1], anchor=(0.0, 0.0, HEIGHT), axis=X, friction=Friction(static=p.torque),
                    name="clutch")


def moments(p: Parameters) -> tuple[float, float]:
    """I1, I2 [kg m^2]."""
    return 0.5 * p.driving * R * R, 0.5 * p.driven * R * R


def engaged(p: Parameters) -> tuple[float, float, float]:
    """(common speed [rad/s], time [s], heat [J]): (1), (2), (3)."""
    a, b = moments(p)
    return a * p.speed / (a + b), a * b * p.speed / ((a + b) * p.torque), 0.5 * a * b * p.speed**2 / (a + b)


def slipping(trace: Trace) -> np.ndarray:
    """Steps with slip."""
    return np.flatnonzero(np.abs(trace["joint:clutch.rate"]) > 1e-6)


def together(trace: Trace) -> bool:
    return bool(len(trace["time"]) > 1 and abs(trace["joint:clutch.rate"][-1]) < 1e-6)


def time_of(world: World, trace: Trace) -> float | None:
    """Time at which the slip ends [s], by extrapolation from its middle."""
    if not together(trace):
        return None
    k, t, slip = slipping(trace), trace["time"], np.abs(trace["joint:clutch.rate"])
    a, b = k[len(k) // 4], k[len(k) // 2]
    return float(t[b] + (t[b] - t[a]) * slip[b] / (slip[a] - slip[b]))


def heat(world: World, trace: Trace) -> float | None:
    return float(trace["world.kinetic"][0] - trace["world.kinetic"][-1]) if together(trace) else None


def predict(parameters: Parameters) -> list[Prediction]:
    speed, time, lost = engaged(parameters)
    return [Prediction("common speed", speed, "rad/s", 1e-3,
                       lambda world, trace: float(trace["body:driven flywheel.omega_x"][-1]) if together(trace) else None,
                       "body:driven flywheel.omega_x"),
            Prediction("time until the clutch sticks", time, "s", 0.01, time_of, "time"),
            Prediction("heat in the clutch", lost, "J", 2e-3, heat)]


def law_curves(parameters: Parameters) -> list[Curve]:
    speed, time, _ = engaged(parameters)
    return [Curve(f"body:{name} flywheel.omega_x", "T t / I", (0.0, time, time + 0.5), (start, speed, speed))
            for name, start in (("driving", parameters.speed), ("driven", 0.0))]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))


SCENE = Scene(
    title="Clutch",
    category="Joint friction",
    look_for="The first flywheel turns, the second is at rest, and the clutch between them slips with a constant friction "
             "torque. One slows down and the other speeds up until they turn together, and the clutch sticks. The common speed "
             "follows from the angular momentum alone, and so does the lost energy: a stronger clutch is quicker, but loses "
             "exactly as much.",
    law=r"\omega = \frac{I_1 \omega_1}{I_1 + I_2}, \quad Q = \frac{I_1 I_2}{I_1 + I_2}\,\frac{\omega_1^2}{2}",
    law_text="omega = I1 omega1 / (I1 + I2);  Q = I1 I2 omega1^2 / (2 (I1 + I2))",
    build=build,
    parameters=Parameters,
    live=("torque",),
    view=View(target=(0.02, 0.03, 0.58), distance=1.7, azimuth=35.0, elevation=14.0),
    plots=("body:driving flywheel.omega_x", "body:driven flywheel.omega_x", "joint:clutch.rate", "world.kinetic"),
    show=("joints", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.5,
    check=check,
    unreached={},
)
