"""A gripper lifts a box and lets go slowly: at which grip does the box slip?

Two pads press with F from both sides; friction of both carries the box, which is lifted with an acceleration a:

    2 mu F >= m (g + a)                                                                                              (1)
"""

import dataclasses

import numpy as np

from physics import Box, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import G, add, block, ground, middle, onset, push

HALF, PAD, HEIGHT = 0.12, (0.03, 0.08, 0.08), 0.3       # of the box, of a pad, height of the box's centre at the start [m]
REACH = HALF + PAD[0]
HAND, PAD_MASS = 20.0, 0.5      # masses [kg]; the hand is heavy, so that it goes on evenly when the box slips
BRAKING = 15.0                  # share of its speed that the hand loses per second once the box has dropped out [1/s]


@dataclasses.dataclass
class Parameters:
    mass: float = option(2.0, unit="kg", lo=0.5, hi=5.0, help="Mass of the box.")
    mu: float = option(0.4, lo=0.1, hi=1.0, help="Friction coefficient of box and pads.")
    lift: float = option(1.0, unit="m/s^2", lo=0.0, hi=2.0, help="Acceleration of the hand, upwards.")
    grip: float = option(70.0, unit="N", lo=20.0, hi=200.0, help="Force of each pad at the start.")
    release: float = option(40.0, unit="N/s", lo=5.0, hi=100.0, help="Rate at which that force falls.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    block(world, (0.3, 0.3, 0.5 * (HEIGHT - HALF) - 1e-3), (0.0, 0.0, 0.5 * (HEIGHT - HALF) - 1e-3), name="table")
    box = add(world, Box((HALF, HALF, HALF)), (0.0, 0.0, HEIGHT), group=1, mass=p.mass, friction=p.mu, name="box")
    hand = add(world, Box((REACH + 0.1, 0.05, 0.03)), (0.0, 0.0, HEIGHT + 0.3), group=2, mass=HAND, mask=0, name="hand")
    world.add_joint("prismatic", 0, hand, anchor=(0.0, 0.0, HEIGHT + 0.3), axis=(0.0, 0.0, 1.0), name="lift")

    def lift(world: World) -> tuple[float, float, float]:
        pads, height = HAND + 2.0 * PAD_MASS, world.bodies["pos"][:, 2]
        if height[hand] - height[box] > 0.3 + HALF + PAD[2]:        # the box has dropped out: the hand stays in the picture
            return 0.0, 0.0, pads * (G - BRAKING * float(world.bodies["vel"][hand, 2]))
        return 0.0, 0.0, (pads + p.mass) * (G + present(p, world.inputs).lift)

    push(world, hand, lift)

    def grip(side: float, world: World) -> tuple[float, float, float]:
        now = present(p, world.inputs)
        return -side * max(0.0, now.grip - now.release * middle(world)), 0.0, 0.0

    for k, side in enumerate((-1.0, 1.0)):
        place = (side * REACH, 0.0, HEIGHT)
        pad = add(world, Box(PAD), place, group=3, mass=PAD_MASS, friction=p.mu, name=f"pad {k + 1}")
        world.add_joint("prismatic", hand, pad, anchor=place, axis=(1.0, 0.0, 0.0), name=f"slide {k + 1}")
        push(world, pad, lambda world, side=side: grip(side, world))


def needed(parameters: Parameters) -> float:
    """Force of each pad at which the box slips [N], by (1)."""
    return parameters.mass * (G + parameters.lift) / (2.0 * parameters.mu)


def slipped(parameters: Parameters, trace: Trace) -> float | None:
    """Force of each pad when the box began to slip down [N]."""
    began = onset(trace["time"], trace["body:pad 1.vz"] - trace["body:box.vz"], 5e-3, 2e-2)
    return None if began is None else parameters.grip - parameters.release * began


def predict(parameters: Parameters) -> list[Prediction]:
    if needed(parameters) > parameters.grip - 0.1 * parameters.release:
        return []
    return [Prediction("grip at which the box slips", needed(parameters), "N", 0.01,
                       lambda world, trace: slipped(parameters, trace))]


def check(world: World, trace: Trace) -> None:
    """It slips at the predicted grip, and is carried without a slip before."""
    p = Parameters()
    got = slipped(p, trace)
    assert got is not None and abs(got - needed(p)) < 0.01 * needed(p), f"{got} N"
    before = p.grip - p.release * trace["time"] > 1.05 * needed(p)
    slip = np.ptp((trace["body:box.z"] - trace["body:pad 1.z"])[before])
    assert slip < 1e-4, f"the box slips by {slip} m before"


SCENE = Scene(
    title="A gripper lets go",
    category="Contact friction",
    look_for="Two pads lift a box by friction alone, pressing less and less. As long as the friction bound of both exceeds "
             "weight and inertia the box moves with the hand as if glued to it. Then it slips, at twice mu times the grip. "
             "Lift faster and it slips earlier; a rougher box needs less.",
    law=r"2 \mu F \geq m\,(g + a)",
    law_text="2 mu F >= m (g + a)",
    build=build,
    parameters=Parameters,
    live=("mu", "lift", "grip", "release"),
    view=View(target=(0.0, 0.02, 0.95), distance=2.7, azimuth=15.0, elevation=12.0),
    options={"cone": "circle"},
    plots=("body:box.vz", "body:pad 1.vz", "body:box.z", "body:pad 1.z"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=1.3,
    check=check,
    unreached={},
)
