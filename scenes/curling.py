"""Two pucks on three feet start with the same speed, one of them spinning: it slides farther, and both motions end together.

At a foot, r_i from the centre, friction acts against its own velocity:

    m v' = -mu sum N_i u_i,   I w' = -mu sum N_i (r_i x u_i)_z,   u_i = (v + w x r_i) / |v + w x r_i|                (1)
    N_i bear the weight and the moments of the friction at the height h of the centre                                (2)

While a puck spins fast, the friction of its feet points round and hardly against its way: its deceleration is only about
mu g v / (2 R w). Translation and rotation stop at the same moment.
Z. Farkas and others, Frictional coupling between sliding and spinning motion, Physical Review Letters 90 (2003).
"""

import dataclasses
import functools
import math

import numpy as np

from physics import Compound, Cylinder, Sphere, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import G, add, check_predictions, ground, mark

MASS, R, FOOT, HALF = 2.0, 0.15, 0.02, 0.025   # [kg], of the circle of the feet, of a foot, half thickness [m]
DISC, BALLS = math.pi * 0.18**2 * 2.0 * HALF, 4.0 * math.pi * FOOT**3      # volumes of the disc and of all feet [m^3]
MIDDLE = 2.0 * FOOT + HALF                     # of the disc over the floor [m]
HEIGHT = MIDDLE - (HALF + FOOT) * BALLS / (DISC + BALLS)                   # h, of the centre of mass [m]
INERTIA = (0.5 * MASS * 0.18**2 / 2.0, 0.5 * MASS * 0.18**2 / 2.0, 0.5 * MASS * 0.18**2)
FEET = np.array([(R * math.cos(a), R * math.sin(a)) for a in math.pi / 3.0 + math.tau / 3.0 * np.arange(3)])
TURN = (1.0, 0.0, 0.0, 0.0)
SHAPE = Compound((Cylinder(0.18, HALF), (0.0, 0.0, 0.0), TURN),
                 *((Sphere(FOOT), (x, y, -HALF - FOOT), TURN) for x, y in FEET))
PUCKS = {"sliding puck": 0.0, "spinning puck": 1.0}


@dataclasses.dataclass
class Parameters:
    speed: float = option(1.5, unit="m/s", lo=0.5, hi=3.0, help="Initial speed of both pucks.")
    spin: float = option(25.0, unit="rad/s", lo=1.0, hi=60.0, help="Initial spin of the second puck.")
    mu: float = option(0.15, lo=0.05, hi=0.3, help="Friction coefficient of the feet.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=p.mu)
    for k, (name, share) in enumerate(PUCKS.items()):
        y = 0.35 * (1 - 2 * k)
        add(world, SHAPE, (0.0, y, MIDDLE), group=1 + 2 * k, mass=MASS, inertia=INERTIA, friction=p.mu,
            vel=(p.speed, 0.0, 0.0), omega=(0.0, 0.0, share * p.spin), name=name)
        mark(world, 0.0, y, f"start {k + 1}", 0.2)


@functools.cache
def stopped(speed: float, spin: float, mu: float) -> float:
    """Distance to rest [m], by integration of (1) and (2) with a Runge-Kutta method of order 4."""
    def rate(y: np.ndarray) -> np.ndarray:
        angle, v, w = y[2], y[3:5], y[5]
        c, s = math.cos(angle), math.sin(angle)
        arms = FEET @ np.array([[c, s], [-s, c]])
        slip = v + w * np.column_stack([-arms[:, 1], arms[:, 0]])
        u = slip / np.linalg.norm(slip, axis=1)[:, None]
        # N: weight, and the moments of gravity's centre about x and y; friction acts h below it
        rows = np.vstack([np.ones(3), arms[:, 0] - mu * HEIGHT * u[:, 0], arms[:, 1] - mu * HEIGHT * u[:, 1]])
        n = np.linalg.solve(rows, np.array([MASS * G, 0.0, 0.0]))
        force = -mu * (n[:, None] * u).sum(axis=0)
        torque = -mu * float((n * (arms[:, 0] * u[:, 1] - arms[:, 1] * u[:, 0])).sum())
        return np.array([*v, w, *(force / MASS), torque / INERTIA[2]])

    y, h = np.array([0.0, 0.0, 0.0, speed, 0.0, spin]), 4e-3
    while math.hypot(y[3], y[4]) > 3.0 * mu * G * h:
        a = rate(y)
        b = rate(y + 0.5 * h * a)
        c = rate(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(y + h * c))
    left = math.hypot(y[3], y[4]) ** 2 / (2.0 * float(np.linalg.norm(rate(y)[3:5])))
    return math.hypot(y[0], y[1]) + left


def distance(name: str, trace: Trace) -> float | None:
    """Way to rest [m]."""
    x, y = trace[f"body:{name}.x"], trace[f"body:{name}.y"]
    still = trace[f"body:{name}.speed"][-1] < 1e-3 and abs(trace[f"body:{name}.omega_z"][-1]) < 1e-2
    return math.hypot(x[-1] - x[0], y[-1] - y[0]) if still else None


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters
    return [Prediction("distance of the sliding puck", p.speed**2 / (2.0 * p.mu * G), "m", 5e-3,
                       lambda world, trace: distance("sliding puck", trace)),
            Prediction("distance of the spinning puck", stopped(p.speed, p.spin, p.mu), "m", 0.01,
                       lambda world, trace: distance("spinning puck", trace))]


def check(world: World, trace: Trace) -> None:
    """Both distances, and both motions of the spinning puck end at the same moment."""
    check_predictions(world, trace, predict(Parameters()))
    time = trace["time"]
    ends = [time[np.flatnonzero(np.abs(trace[f"body:spinning puck.{key}"]) > limit)[-1]]
            for key, limit in (("speed", 0.02), ("omega_z", 0.02 / R))]
    assert abs(ends[0] - ends[1]) < 0.06, f"the motions end at {ends}"


SCENE = Scene(
    title="Curling: spin carries farther",
    category="Contact friction",
    look_for="Two pucks leave the line equally fast on three feet each. The one that spins goes farther: the friction of each "
             "foot points against its own velocity, which at first is mainly that of the spin, so that little of it brakes the "
             "way. As the spin dies the braking grows, and sliding and spinning end at the same moment. The forces on the feet "
             "show it.",
    law=r"m\dot{\mathbf v} = -\mu \sum_i N_i \mathbf u_i, \quad \mathbf u_i = \frac{\mathbf v + \omega\times\mathbf r_i}"
        r"{|\mathbf v + \omega\times\mathbf r_i|}",
    law_text="m v' = -mu sum N_i u_i;  u_i: direction of v + omega x r_i",
    build=build,
    parameters=Parameters,
    live=("mu",),
    thumbnail=Thumbnail(1.2, View(target=(1.05, 0.0, 0.0), distance=2.9, azimuth=12.0, elevation=34.0)),
    view=View(target=(0.85, 0.0, 0.0), distance=3.9, azimuth=12.0, elevation=38.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("speed", "omega_z", "x", "y") for name in PUCKS),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    check_time=2.6,
    check=check,
    unreached={},
)
