"""Two cabinets are pushed with a growing force, one low, one high: it slides, or tips over its edge.

Pushed at height z with a force F it slides at F = mu m g, or, if that comes first, turns about its lower edge, half a width b
away from its middle, at F z = m g b:

    F = m g min(mu, b / z)                                                                                           (1)
"""

import dataclasses
import math
from collections.abc import Callable

from physics import Box, World, option
from physics.core import former_names
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import G, add, block, ground, middle, onset, push

HALF, MASS = (0.25, 0.3, 0.7), 40.0            # of a cabinet [m], [kg]
GROWTH = 60.0                                  # of the pushes [N/s]
MORE = 1.05
"""A push ends at that share of what is needed, so that what slides does not run away."""

TILTED = 0.4
"""A cabinet that leans farther is no longer pushed [rad]."""

SIDES = {"low push": 0.5, "high push": -0.5}

former_names.FIELDS["CabinetParameters"] = {"low": "low_push_height", "high": "high_push_height"}


@former_names.accepts_former
@dataclasses.dataclass
class CabinetParameters:
    mu: float = option(0.4, lo=0.1, hi=1.0, help="Friction coefficient with the floor.")
    low_push_height: float = option(0.4, unit="m", lo=0.05, hi=1.35, help="Height at which the first cabinet is pushed.")
    high_push_height: float = option(1.2, unit="m", lo=0.05, hi=1.35, help="Height at which the second cabinet is pushed.")


def height(name: str, parameters: CabinetParameters) -> float:
    return parameters.low_push_height if name == "low push" else parameters.high_push_height


def needed(name: str, parameters: CabinetParameters) -> float:
    """Push [N] at which it gives way: (1)."""
    return MASS * G * min(parameters.mu, HALF[0] / height(name, parameters))


def build(world: World, parameters: CabinetParameters) -> None:
    ground(world, friction=parameters.mu)
    for k, (name, y) in enumerate(SIDES.items()):
        z = height(name, parameters)
        body = add(world, Box(HALF), (0.0, y, HALF[2]), group=1 + 2 * k, mass=MASS, friction=parameters.mu, name=name)
        mark = block(world, (0.02, 0.1, 0.02), (-HALF[0] - 0.03, y, z), mask=0, name=f"height {k + 1}")
        push(world, body, force(body, lambda world, name=name: MORE * needed(name, present(parameters, world.inputs))),
             point(body, mark, lambda world, name=name: height(name, present(parameters, world.inputs))))


def force(body: int, largest: Callable[[World], float]) -> Callable[[World], tuple[float, float, float]]:
    """The growing push, until the cabinet leans."""
    def at(world: World) -> tuple[float, float, float]:
        leans = 2.0 * abs(math.asin(max(-1.0, min(1.0, float(world.bodies["quat"][body, 2]))))) > TILTED
        return (0.0 if leans else min(GROWTH * middle(world), largest(world)), 0.0, 0.0)
    return at


def point(body: int, mark: int, height: Callable[[World], float]) -> Callable[[World], tuple[float, float, float]]:
    """Where it is pushed: behind its middle, at this height [m], which the mark follows."""
    def at(world: World) -> tuple[float, float, float]:
        z = height(world)
        if world.body_names[mark].startswith("height") and world.bodies["pos"][mark, 2] != z:
            world.set_pose(mark, (*world.bodies["pos"][mark, :2], z), world.bodies["quat"][mark])
        return float(world.bodies["pos"][body, 0]) - HALF[0], float(world.bodies["pos"][body, 1]), z
    return at


def gives_way(name: str) -> Callable[[World, Trace], float | None]:
    def measure(world: World, trace: Trace) -> float | None:
        began = onset(trace["time"], trace[f"body:{name}.vx"], 2e-3, 8e-3)
        return None if began is None else GROWTH * began
    return measure


def predict(parameters: CabinetParameters) -> list[Prediction]:
    return [Prediction(f"push at which the cabinet '{name}' {'slides' if slides(name, parameters) else 'tips'}",
                       needed(name, parameters), "N", 0.015, gives_way(name)) for name in SIDES]


def slides(name: str, parameters: CabinetParameters) -> bool:
    return parameters.mu < HALF[0] / height(name, parameters)


def check(world: World, trace: Trace) -> None:
    """Both give way at the predicted push, one without leaning, the other without sliding before."""
    for prediction in predict(CabinetParameters()):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) < prediction.tolerance * prediction.value, f"{got} N"
    assert abs(trace["body:low push.pitch"]).max() < 1e-3, "the cabinet pushed low leans"
    assert trace["body:high push.pitch"][-1] > 1.0, "the cabinet pushed high has not fallen"


SCENE = Scene(
    title="Sliding or tipping",
    category="Contact friction",
    look_for="Two equal cabinets are pushed with the same growing force, at the height of the small grey marks. The one pushed "
             "low slides as soon as the push exceeds the friction bound. The one pushed high tips before: the lever arm of the "
             "push is longer than half the width over mu. Watch the contact forces move to the front edge before it tips. With "
             "less friction both slide.",
    law=r"F = m g\,\min\left(\mu, \frac{b}{z}\right)",
    law_text="F = m g min(mu, b / z);  b: half the width, z: height of the push",
    build=build,
    parameters=CabinetParameters,
    live=("mu", "low_push_height", "high_push_height"),
    view=View(target=(0.14, 0.09, 0.59), distance=3.9, azimuth=-30.0, elevation=16.0),
    options={"cone": "circle"},
    plots=("body:low push.vx", "body:high push.vx", "body:high push.pitch", "body:low push.pitch"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=3.5,
    check=check,
    unreached={"compliant_contact": "the floor gives way by millimetres under the edge while the push grows"},
)
