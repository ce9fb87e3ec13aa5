"""A pyramid of boxes that has to stand still: many contacts, all sticking."""

import dataclasses

import numpy as np

from physics import Box, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, ground

SIDE = 0.4       # of a box [m]
GAP = 0.04       # between neighbours [m]


@dataclasses.dataclass
class Parameters:
    width: int = option(10, lo=2, hi=40, help="Boxes in the lowest row: a pyramid of width n has n (n + 1) / 2 boxes.")
    mu: float = option(0.5, lo=0.05, hi=1.5, help="Friction coefficient of all boxes and of the ground.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    half = 0.5 * SIDE
    for row in range(parameters.width):
        for i in range(parameters.width - row):
            x = (i - 0.5 * (parameters.width - row - 1)) * (SIDE + GAP)
            add(world, Box((half, half, half)), (x, 0.0, half + row * SIDE), group=1 + row % 8, friction=parameters.mu,
                name=f"box {row}.{i}")


def predict(parameters: Parameters) -> list[Prediction]:
    def measure(world: World, trace: Trace) -> float:
        return float(world.bodies["pos"][world.body(f"box {parameters.width - 1}.0"), 2])

    return [Prediction("height of the topmost centre", (parameters.width - 0.5) * SIDE, "m", 2e-3, measure)]


def check(world: World, trace: Trace) -> None:
    """Nothing moves: the top stays where it was put, and no box has speed."""
    top = Parameters().width - 1
    pos = world.bodies["pos"][world.body(f"box {top}.0")]
    assert np.hypot(pos[0], pos[1]) < 1e-3, f"the top moved sideways to {pos[:2]}"
    assert abs(pos[2] - (top + 0.5) * SIDE) < 5e-3, f"the top is at {pos[2]:.4f} m"
    assert trace["world.kinetic"][-1] < 1e-4, f"kinetic energy {trace['world.kinetic'][-1]:.1e} J"


SCENE = Scene(
    title="Pyramid",
    category="Stacks",
    look_for="Nothing should move. Every box is carried by two others, and all contacts must share the load consistently. Watch "
             "the residual while you reduce the number of iterations, then pull a box out of the lowest row with the mouse.",
    law=r"\sum_i p_i = m\,g\,\Delta t",
    law_text="the contact impulses on every box sum to m g dt",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.0, 0.0, 1.6), distance=9.5, azimuth=25.0, elevation=12.0),
    plots=("world.kinetic", "world.penetration", "solver.residual"),
    show=("contacts",),
    predict=predict,
    check_time=2.0,
    check=check,
    unreached={"compliant_contact": "contacts give way by millimetres under the load",
               "joint_space": "the direct solution for 400 contacts takes two seconds a step: a quarter of an hour in all"},
)
