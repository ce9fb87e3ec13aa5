"""A bridge of planks on hinges hangs between two towers, with a load in its middle: how hard does it pull?

N planks of length a and mass m, N odd, the load M on the middle one. H: horizontal force, the same everywhere. Moments about the
hinges of plank j, counted from the middle: its slope is that of the force in its centre,

    tan(alpha_j) = V_j / H,   V_j = g (M / 2 + j m)                                                                  (1)
    span = a (1 + 2 sum cos(alpha_j)),   from which H follows                                                        (2)
    pull on a tower = sqrt(H^2 + g^2 (M / 2 + N m / 2)^2),   sag = a sum sin(alpha_j)                                (3)

The discrete catenary, and with M = 0 and many planks the catenary itself.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Friction, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import G, add, block, check_predictions, ground, turned

PLANKS, LONG, MASS, TOP = 11, 0.3, 4.0, 1.6    # N, a [m], m [kg], height of the towers [m]
HALF = (0.12, 0.12, 0.3)                       # of the load [m]
THICK = 0.02                                   # half thickness of a plank [m]
DAMPING = 3.0
"""Viscous friction of the hinges [N m s]: it stops the swinging, and bears nothing at rest."""


@dataclasses.dataclass
class Parameters:
    load: float = option(60.0, unit="kg", lo=1.0, hi=150.0, help="Mass of the load on the middle plank.")
    span: float = option(3.0, unit="m", lo=2.0, hi=3.2, help="Distance of the towers. The planks together are 3.3 m long.")


def slopes(force: float, parameters: Parameters) -> np.ndarray:
    """alpha_j (5,) of (1), from the middle outwards [rad]."""
    return np.arctan(G * (0.5 * parameters.load + MASS * np.arange(1, PLANKS // 2 + 1)) / force)


def horizontal(parameters: Parameters) -> float:
    """H [N] of (2), by bisection."""
    lo, hi = 1.0, 1e6
    for _ in range(100):
        force = math.sqrt(lo * hi)
        wide = LONG * (1.0 + 2.0 * float(np.cos(slopes(force, parameters)).sum())) > parameters.span
        lo, hi = (lo, force) if wide else (force, hi)
    return math.sqrt(lo * hi)


def pull(parameters: Parameters) -> float:
    """(3) [N]"""
    return math.hypot(horizontal(parameters), G * 0.5 * (parameters.load + PLANKS * MASS))


def sag(parameters: Parameters) -> float:
    """(3) [m]"""
    return LONG * float(np.sin(slopes(horizontal(parameters), parameters)).sum())


def build(world: World, parameters: Parameters) -> None:
    outwards = slopes(horizontal(parameters), parameters)
    angles = np.concatenate([-outwards[::-1], [0.0], outwards])
    ground(world)
    hinge, last = np.array([-0.5 * parameters.span, 0.0, TOP]), 0
    for side in (-1, 1):
        block(world, (0.15, 0.4, 0.5 * TOP), (side * (0.5 * parameters.span + 0.17), 0.0, 0.5 * TOP), mask=0,
              name=f"tower {(side + 3) // 2}")
    for k, slope in enumerate(angles):
        along = np.array([math.cos(slope), 0.0, math.sin(slope)])
        plank = add(world, Box((0.46 * LONG, 0.3, THICK)), tuple(hinge + 0.5 * LONG * along), group=1 + k % 2 * 2, mass=MASS,
                    quat=turned((0.0, 1.0, 0.0), -slope), friction=0.6, name=f"plank {k + 1}")
        world.add_joint("revolute", last, plank, anchor=tuple(hinge), axis=(0.0, 1.0, 0.0), friction=Friction(viscous=DAMPING),
                        name=f"hinge {k + 1}")
        hinge, last = hinge + LONG * along, plank
    world.add_joint("revolute", 0, last, anchor=tuple(hinge), axis=(0.0, 1.0, 0.0), friction=Friction(viscous=DAMPING),
                    name=f"hinge {PLANKS + 1}")
    add(world, Box(HALF), (0.0, 0.0, TOP - sag(parameters) + THICK + HALF[2]), group=5, mass=parameters.load, friction=0.6,
        name="load")


def predict(parameters: Parameters) -> list[Prediction]:
    def later(key: str, sign: float = 1.0, level: float = 0.0) -> object:
        """Mean of the last half second: level + sign times the quantity."""
        def measure(world: World, trace: Trace) -> float | None:
            t = trace["time"]
            return level + sign * float(trace[key][t > t[-1] - 0.5].mean()) if t[-1] >= 1.0 else None
        return measure

    return [Prediction("pull on a tower", pull(parameters), "N", 0.01, later("joint:hinge 1.reaction"), "joint:hinge 1.reaction"),
            Prediction("sag of the middle plank", sag(parameters), "m", 0.01,
                       later(f"body:plank {PLANKS // 2 + 1}.z", -1.0, TOP))]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))
    assert trace["body:load.z"].min() > TOP - sag(Parameters()), "the load falls through"


SCENE = Scene(
    title="Rope bridge",
    category="Statics",
    look_for="Planks on hinges hang between two towers and carry a load. Each plank has the slope of the force in it: the "
             "horizontal part is the same everywhere, the vertical part grows outwards by the weight of one plank after the "
             "other. Move the towers apart: the bridge becomes flatter, and the pull grows without bound. Push the load about "
             "with the mouse and see the slopes follow.",
    law=r"\tan\alpha_j = \frac{g\,(M/2 + j m)}{H}",
    law_text="tan(alpha_j) = g (M / 2 + j m) / H",
    build=build,
    parameters=Parameters,
    live=("load",),
    view=View(target=(0.09, 0.04, 1.24), distance=4.5, azimuth=18.0, elevation=14.0),
    plots=("joint:hinge 1.reaction", f"body:plank {PLANKS // 2 + 1}.z", "body:load.z"),
    show=("contacts", "joints", "forces"),
    predict=predict,
    check_time=1.5,
    check=check,
    expected_warnings=("joints 'hinge 1', 'hinge 2', 'hinge 3', 'hinge 4', 'hinge 5' and others form a closed loop with 3",),
    unreached={},
)
