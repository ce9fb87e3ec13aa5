"""A biped that stands on both feet: a floating tree of drives, with more contact forces than equations.

At rest the forces N_i of the corners of both feet, at y_i to the left, add up to the weight with the same moment:

    sum N_i = M g,   sum N_i y_i = sum m_k g y_k                                   links k

More the laws do not say: how the feet share the load depends on where in each foot it acts, and friction may brace the legs.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Motor, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, ground, turned

WIDTH, SHANK, THIGH, SOLE, G = 0.3, 0.4, 0.4, 0.03, 9.81
"""Distance of the feet, lengths of shank and thigh, half height of a foot [m]; [m/s^2]."""

LEG = {"thigh": 6.0, "shank": 4.0, "foot": 1.5}
"""Masses [kg]."""


@dataclasses.dataclass
class Parameters:
    torso: float = option(25.0, unit="kg", lo=1.0, hi=100.0, help="Mass of the torso.")
    lean: float = option(0.05, unit="m", lo=-0.1, hi=0.1, help="Offset of the torso to the left: that foot bears more.")
    knee: float = option(40.0, unit="deg", lo=0.0, hi=90.0, help="Bend of the knees.")
    mu: float = option(0.8, lo=0.1, hi=1.5, help="Friction coefficient of the ground.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    half = 0.5 * math.radians(parameters.knee)
    hip = 2.0 * SOLE + (SHANK + THIGH) * math.cos(half)
    ahead = SHANK * math.sin(half)
    torso = add(world, Box((0.08, 0.12, 0.25)), (0.0, parameters.lean, hip + 0.3), group=1, mass=parameters.torso, name="torso")
    hold = Motor("position", 0.0, 1e4)
    for side, y in (("left", 0.5 * WIDTH), ("right", -0.5 * WIDTH)):
        knee = 2.0 * SOLE + SHANK * math.cos(half)
        thigh = add(world, Box((0.04, 0.04, 0.5 * THIGH - 0.03)), (0.5 * ahead, y, 0.5 * (hip + knee)), group=2, mask=0,
                    mass=LEG["thigh"], quat=turned((0.0, 1.0, 0.0), -half), name=f"{side} thigh")
        shank = add(world, Box((0.035, 0.035, 0.5 * SHANK - 0.03)), (0.5 * ahead, y, 0.5 * (knee + 2.0 * SOLE)), group=3, mask=0,
                    mass=LEG["shank"], quat=turned((0.0, 1.0, 0.0), half), name=f"{side} shank")
        foot = add(world, Box((0.13, 0.05, SOLE)), (0.03, y, SOLE), group=4, mass=LEG["foot"], friction=parameters.mu,
                   name=f"{side} foot")
        for name, a, b, place in (("hip", torso, thigh, (0.0, y, hip)), ("knee", thigh, shank, (ahead, y, knee)),
                                  ("ankle", shank, foot, (0.0, y, 2.0 * SOLE))):
            world.add_joint("revolute", a, b, anchor=place, axis=(0.0, 1.0, 0.0), motor=hold, name=f"{side} {name}")


def predict(parameters: Parameters) -> list[Prediction]:
    mass = parameters.torso + 2.0 * sum(LEG.values())

    def load(world: World, trace: Trace) -> float:
        return float(world.contacts["impulse"].sum() / world.impulse_duration)

    def centre(world: World, trace: Trace) -> float | None:
        forces = world.contacts["impulse"]
        return float(forces @ world.contacts["pos"][:, 1] / forces.sum()) if forces.any() else None
    return [Prediction("load of both feet", mass * G, "N", 1e-3, load),
            Prediction("centre of pressure, to the left", parameters.torso * parameters.lean / mass, "m", 2e-3, centre)]


def check(world: World, trace: Trace) -> None:
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        bound = prediction.tolerance * abs(prediction.value)
        assert abs(got - prediction.value) < bound, f"{prediction.name}: {got}, not {prediction.value}"
    assert np.abs(world.bodies["vel"]).max() < 1e-5, "it moves"


SCENE = Scene(
    title="Biped in double support",
    category="Statics",
    look_for="Both feet are on the ground: a loop through the floor that no joint closes. The weight and its moment give two "
             "equations for the forces on eight corners; how the feet share the load, and how hard the legs brace against each "
             "other by friction, the laws leave open. Move the torso to the left: the centre of pressure follows.",
    law=r"\sum N_i = M g, \quad \sum N_i\,y_i = \sum m_k g\,y_k",
    law_text="sum N_i = M g; sum N_i y_i = sum m_k g y_k",
    build=build,
    parameters=Parameters,
    live=("torso", "mu"),
    solver="joint_space",
    view=View(target=(0.0, 0.0, 0.7), distance=2.8, azimuth=35.0, elevation=12.0),
    plots=("body:torso.z", "world.contacts"),
    show=("contacts", "normal_forces", "corners", "force_bounds"),
    predict=predict,
    check_time=0.5,
    check=check,
    unreached={"compliant_contact": "it rocks from foot to foot on contacts that give way",
               "soft_steps": "it rocks from foot to foot on contacts and joints that give way"},
)
