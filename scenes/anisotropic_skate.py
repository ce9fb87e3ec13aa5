"""Skates thrown over ice in five directions, their blades all along x: friction is an ellipse, and they drift to the easy way.

    |f_x / mu_x|^2 + |f_y / mu_y|^2 <= N^2,    mu_y = ratio mu_x        x along the blade, y across it
    of all f inside the one that takes most power:   f = -N (mu_x^2 v_x, mu_y^2 v_y) / sqrt(mu_x^2 v_x^2 + mu_y^2 v_y^2)

Both components have the same root, so dv_y / dv_x = ratio^2 v_y / v_x, whatever the speed, and

    v_y / v_y0 = (v_x / v_x0)^(ratio^2)

A round cone (ratio 1) leaves the direction as it was.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Compound, Material, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, check_predictions, ground

ANGLES = (15, 30, 45, 60, 75)                 # of the throw against the blade [degrees]
BLADE = (0.22, 0.012, 0.025)                  # half lengths [m]
SEAT = (0.18, 0.1, 0.012)
GAUGE = 0.08                                  # from the middle to a blade [m]
APART = 0.3                                   # at the start [m]


@dataclasses.dataclass
class Parameters:
    speed: float = option(3.0, unit="m/s", lo=0.5, hi=6.0, help="Initial speed.")
    mu: float = option(0.2, lo=0.02, hi=0.5, help="Friction coefficient along the blades.")
    ratio: float = option(2.0, lo=0.25, hi=4.0, log=True, help="Ratio of the friction across the blades to that along them; 1: "
                                                               "isotropic.")


def name(angle: int) -> str:
    return f"skate {angle} deg"


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    steel = Material(friction=parameters.mu, anisotropy=parameters.ratio, name="blade")
    shape = Compound(*((Box(BLADE), (0.0, side * GAUGE, BLADE[2]), (1.0, 0.0, 0.0, 0.0)) for side in (-1.0, 1.0)),
                     (Box(SEAT), (0.0, 0.0, 2.0 * BLADE[2] + SEAT[2]), (1.0, 0.0, 0.0, 0.0)))
    for i, angle in enumerate(ANGLES):
        way = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0.0])
        add(world, shape, (0.0, APART * (i - 2), 0.0), group=1 + i,
            vel=tuple(parameters.speed * way), density=1000.0, material=steel, name=name(angle))


def across(trace: Trace, angle: int) -> float | None:
    """Speed across the blade when that along it has halved [m/s]; None before."""
    vx, vy = trace[f"body:{name(angle)}.vx"], trace[f"body:{name(angle)}.vy"]
    late = np.flatnonzero(vx <= 0.5 * vx[0])
    if len(late) == 0:
        return None
    k = late[0]
    share = (vx[k - 1] - 0.5 * vx[0]) / (vx[k - 1] - vx[k])
    return float(vy[k - 1] + share * (vy[k] - vy[k - 1]))


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"transverse speed when the longitudinal speed has halved, {name(angle)}",
                       parameters.speed * math.sin(math.radians(angle)) * 0.5 ** (parameters.ratio**2), "m/s", 0.02,
                       lambda world, trace, angle=angle: across(trace, angle)) for angle in ANGLES]


def check(world: World, trace: Trace) -> None:
    """The speeds are those of the ellipse, no skate turns, and all come to rest."""
    check_predictions(world, trace, predict(Parameters()))
    for angle in ANGLES:
        body = world.bodies[world.body(name(angle))]
        assert abs(body["quat"][3]) < 1e-3, f"{name(angle)} turned"
        assert np.linalg.norm(body["vel"]) < 1e-6, f"{name(angle)} still moves"


SCENE = Scene(
    title="Skates",
    category="Contact friction",
    look_for="All sledges start with the same speed in different directions, and all blades point along the x axis. Friction "
             "across a blade is twice that along it, so the transverse motion decays first: every skate ends up gliding along "
             "its blade, whatever its initial direction. With a ratio of 1 all keep their direction; below 1 they end up sliding "
             "sideways.",
    law=r"\frac{v_y}{v_{y0}} = \left(\frac{v_x}{v_{x0}}\right)^{(\mu_y/\mu_x)^2}",
    law_text="v_y / v_y0 = (v_x / v_x0)^((mu_y / mu_x)^2)",
    build=build,
    parameters=Parameters,
    live=("mu", "ratio"),
    dt=1.0 / 480.0,
    thumbnail=Thumbnail(1.0, View(target=(0.9, 0.25, 0.0), distance=3.2, azimuth=12.0, elevation=42.0)),
    view=View(target=(0.9, 0.25, 0.0), distance=3.4, azimuth=12.0, elevation=42.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name(angle)}.{axis}" for axis in ("vx", "vy") for angle in ANGLES),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=4.0,
    check=check,
    unreached={},
)
