"""Two keys are pulled out of their locks while a hand still turns them: the blade of a turned key presses on its keyway.

A torque T turns a blade of the width 2 w until two opposite edges bear on the walls. With the play d of a blade 2 b thick it then
stands at the angle f, and

    b cos(f) + w sin(f) = b + d                                                                                      (1)
    T = 2 N a,   a = w cos(f) - b sin(f),    pull at which it slips  F = 2 mu N = mu T / a, nearly mu T / w          (2)
"""

import dataclasses
import math

from physics import Box, Compound, Cylinder, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import LYING, SlipLoad, add, block, ground, middle, push

LONG, THICK, PLAY = 0.25, 0.02, 2e-5            # half length of a blade, b, d [m]
WIDTHS = {"narrow key": 0.05, "wide key": 0.1}  # w [m], by name
BOW, STEM = 0.12, 0.05                          # radius of what the hand holds, half length of the stem before it [m]
MASS, APART, AXIS = 0.4, 0.26, 0.3              # of a key [kg], of the keys from the middle, height of their axes [m]
REACH = 0.15                                    # how far they are pulled [m]


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.3, lo=0.05, hi=1.0, help="Friction coefficient of keys and locks.")
    torque: float = option(1.0, unit="N m", lo=0.0, hi=3.0, help="Torque with which a hand turns each key.")
    rate: float = option(12.0, unit="N/s", lo=5.0, hi=50.0, help="Rate at which the pull grows.")


def lever(name: str) -> float:
    """a of (2) [m]."""
    w = WIDTHS[name]
    f = math.asin((THICK + PLAY) / math.hypot(THICK, w)) - math.atan2(THICK, w)
    return w * math.cos(f) - THICK * math.sin(f)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for k, (name, w) in enumerate(WIDTHS.items()):
        y = APART * (1 - 2 * k)
        for side in (-1, 1):
            block(world, (LONG, 0.07, 0.16), (-LONG, y + side * (THICK + PLAY + 0.07), AXIS), friction=parameters.mu,
                  name=f"lock {2 * k + (side + 3) // 2}")
        filler = 0.5 * (0.16 - w) - 0.005           # above and below the keyway
        for side in (-1, 1):
            block(world, (LONG, THICK + PLAY, filler), (-LONG, y, AXIS + side * (0.16 - filler)), mask=0,
                  name=f"filler {2 * k + (side + 3) // 2}")
        # the blade first: its edges lie on the axis' both sides, and so does the rest
        shape = Compound((Box((LONG, THICK, w)), (-LONG, 0.0, 0.0)), (Box((STEM, THICK, 0.03)), (STEM, 0.0, 0.0)),
                         (Cylinder(BOW, THICK), (2.0 * STEM + BOW, 0.0, 0.0), LYING))
        place = (0.0, y, AXIS)
        key = add(world, shape, place, group=2 + 3 * k, mass=MASS, friction=parameters.mu, name=name)
        world.add_joint("cylindrical", 0, key, anchor=place, axis=(1.0, 0.0, 0.0), name=f"guide {k + 1}")
        turn_and_pull(world, key, parameters)


def turn_and_pull(world: World, key: int, parameters: Parameters) -> None:
    """Add the hand: a torque, and a pull that grows until the key has come as far as it shall."""
    start = float(world.bodies["pos"][key, 0])

    def pull(world: World) -> tuple[float, float, float]:
        p = present(parameters, world.inputs)
        world.apply_torque(key, (p.torque, 0.0, 0.0))
        return p.rate * middle(world) if world.bodies["pos"][key, 0] < start + REACH else 0.0, 0.0, 0.0

    push(world, key, pull)


SLIPS = [SlipLoad(f"pull at which the {name} slips", lambda p, name=name: p.mu * p.torque / lever(name),
                  lambda p, name=name: name, "x", (5e-3, 3e-2)) for name in WIDTHS]


def predict(parameters: Parameters) -> list[Prediction]:
    return [prediction for slip in SLIPS for prediction in slip.predict(parameters)]


def check(world: World, trace: Trace) -> None:
    """Both slip at the predicted pulls, and hold before."""
    for slip in SLIPS:
        slip.check(world, trace, Parameters())


SCENE = Scene(
    title="Key in a lock",
    category="Contact friction",
    look_for="A hand turns both keys with the same torque and pulls, harder and harder. The torque presses two opposite edges "
             "of a blade on the walls of the keyway, and their friction holds the key. The edges of the wide blade are twice as "
             "far from the axis, press half as hard, and it comes out at half the pull. Do not turn a key that shall come out: "
             "without a torque it slips at once.",
    law=r"F = \frac{\mu\,T}{w}",
    law_text="F = mu T / w",
    build=build,
    parameters=Parameters,
    live=("mu", "torque", "rate"),
    view=View(target=(0.05, 0.0, 0.28), distance=1.7, azimuth=60.0, elevation=28.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{axis}" for axis in ("x", "vx") for name in WIDTHS),
    show=("contacts", "forces"),
    predict=predict,
    check_time=0.7,
    check=check,
    unreached={"compliant_contact": "its friction lets the keys creep, faster and faster, before they slip"},
)
