"""A ball rolls to and fro in a bowl of small triangles, beside hills with a few other things: inner edges do not catch.

The bowl is a height field, z = x^2 / (2 R) along the way of the ball. The centre of a ball of radius r that rolls, not slips,
in a trough of radius R swings like a pendulum of length R - r with 7/5 of the mass (rolling adds 2/5):

    T = 2 pi sqrt(7 (R - r) / (5 g))        for small swings
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Cylinder, HeightField, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import GREY, add

R, SPACING, COUNT = 4.0, 0.05, 81        # radius of the trough [m], of the grid [m], points a side
RADIUS, START, G = 0.12, 0.5, 9.81       # of the ball [m], where it is let go [m], gravity [m/s^2]


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.6, lo=0.1, hi=1.0, help="Friction coefficient of all bodies. With too little, the ball slips on the "
                                                 "slope.")


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A trough along y = 0, and hills beyond |y| = 0.6 [m]."""
    away = np.clip(np.abs(y) - 0.6, 0.0, None)
    return x**2 / (2.0 * R) + 0.25 * (1.0 - np.cos(2.0 * away)) * (1.0 + 0.5 * np.sin(3.0 * x))


def build(world: World, parameters: Parameters) -> None:
    line = (np.arange(COUNT) - 0.5 * (COUNT - 1)) * SPACING
    x, y = np.meshgrid(line, line, indexing="ij")
    ground = world.add_body(HeightField(height(x, y), SPACING), kind="static", friction=parameters.mu, name="ground")
    world.bodies["group"][ground] = GREY
    tilt = math.atan(START / R)
    add(world, Sphere(RADIUS), (START - RADIUS * math.sin(tilt), 0.0, START**2 / (2.0 * R) + RADIUS * math.cos(tilt) + 1e-4),
        group=3, friction=parameters.mu, name="ball")
    for i, shape in enumerate((Box((0.12, 0.1, 0.08)), Capsule(0.08, 0.1), Cylinder(0.1, 0.08), Box((0.09, 0.09, 0.09)))):
        add(world, shape, (-1.2 + 0.8 * i, 1.15 if i % 2 else -1.15, 1.1), group=4 + i, friction=parameters.mu,
            name=f"{shape.kind} {i}")


def period() -> float:
    """[s], for small swings."""
    return 2.0 * math.pi * math.sqrt(7.0 * (R - RADIUS) / (5.0 * G))


def crossings(trace: Trace) -> np.ndarray:
    """Times when the ball passes the lowest line [s]."""
    x = trace["body:ball.x"]
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    return trace["time"][k] + (trace["time"][k + 1] - trace["time"][k]) * x[k] / (x[k] - x[k + 1])


def predict(parameters: Parameters) -> list[Prediction]:
    def measured(world: World, trace: Trace) -> float | None:
        times = crossings(trace)
        return float(2.0 * (times[-1] - times[0]) / (len(times) - 1)) if len(times) > 1 else None

    return [Prediction("period of the ball", period(), "s", 0.03, measured)]


def check(world: World, trace: Trace) -> None:
    """It swings along its line in time, and nothing falls through the ground."""
    assert len(crossings(trace)) >= 2, "the ball does not swing"
    assert np.max(np.abs(trace["body:ball.y"])) < 0.02, "the ball was thrown aside"
    assert np.max(trace["body:ball.z"]) < START**2 / (2.0 * R) + RADIUS + 0.01, "the ball was thrown up"
    moving = world.bodies["mass"] > 0.0
    assert np.min(world.bodies["pos"][moving][:, 2]) > 0.0, "something fell through the ground"


SCENE = Scene(
    title="Bowl of triangles",
    category="Surfaces",
    look_for="A ball rolls back and forth in a trough made of 12800 small triangles as smoothly as on a cylinder: internal edges "
             "do not catch. It oscillates like a pendulum, slower by sqrt(7/5) because it also rotates. Boxes and rollers slide "
             "down the slopes beside it.",
    law=r"T = 2 \pi \sqrt{\frac{7 (R - r)}{5 g}}",
    law_text="T = 2 pi sqrt(7 (R - r) / (5 g))",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.0, 0.0, 0.3), distance=6.0, azimuth=30.0, elevation=30.0),
    plots=("body:ball.x", "body:ball.y", "body:ball.z", "world.kinetic"),
    show=("contacts",),
    predict=predict,
    check_time=4.5,
    check=check,
    unreached={"compliant_contact": "boxes and rollers slide on from their slopes, and hit the ball"},
)
