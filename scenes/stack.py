"""A tower of boxes, the lowest carrying all the others."""

import dataclasses

import numpy as np

from physics import Box, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, ground

HALF = (0.25, 0.25, 0.2)


@dataclasses.dataclass
class Parameters:
    count: int = option(10, lo=1, hi=40, help="Number of boxes.")
    mu: float = option(0.5, lo=0.0, hi=1.5, help="Friction coefficient of the boxes and of the ground.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    for i in range(parameters.count):
        add(world, Box(HALF), (0.0, 0.0, (2 * i + 1) * HALF[2]), group=1 + i % 8, friction=parameters.mu,
            name=f"box {i}")


def predict(parameters: Parameters) -> list[Prediction]:
    def measure(world: World, trace: Trace) -> float:
        return float(world.bodies["pos"][world.body(f"box {parameters.count - 1}"), 2])

    return [Prediction("height of the topmost centre", (2 * parameters.count - 1) * HALF[2], "m", 2e-3, measure)]


def check(world: World, trace: Trace) -> None:
    """The tower stands, straight and at its height."""
    count = Parameters().count
    pos = world.bodies["pos"][[world.body(f"box {i}") for i in range(count)]]
    assert np.max(np.hypot(pos[:, 0], pos[:, 1])) < 1e-3, "the tower leans"
    sunk = (2 * np.arange(count) + 1) * HALF[2] - pos[:, 2]
    assert np.max(np.abs(sunk)) < 5e-3, f"a box is {np.max(np.abs(sunk)):.1e} m off its height"
    assert trace["world.kinetic"][-1] < 1e-4, f"kinetic energy {trace['world.kinetic'][-1]:.1e} J"


SCENE = Scene(
    title="Stack of ten boxes",
    category="Stacks",
    look_for="Ten boxes stand on one another and nothing moves. The lowest contact carries the weight of all ten: the contact "
             "force arrows grow downwards. Sweeps pass the load down one box at a time, so the tower needs many of them from a "
             "cold start and, with warm starting, a single one in most of the later steps; the taller it is, the later.",
    law=r"N_i = (n - i)\,m\,g",
    law_text="the contact below box i (counted from 0) carries (n - i) m g",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.0, 0.0, 2.0), distance=7.5, azimuth=35.0, elevation=10.0),
    plots=("world.kinetic", "world.penetration", "solver.iterations"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=2.0,
    check=check,
    unreached={"compliant_contact": "contacts give way by millimetres under the load"},
)
