"""Watt's linkage: a point that moves straight where everything turns, and its speed from energy."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran
from scenes.watt_linkage import ARM, SCENE, Parameters, pin_height


def rise(parameters: Parameters) -> float:
    """Of the beam's lower end over its lowest height [m]."""
    return 2.0 * ARM * (1.0 - math.cos(math.radians(parameters.angle)))


def measured_rise(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the same, from the middle of the beam [m]; None before the beam hangs."""
    z = trace["body:beam.z"]
    return float(2.0 * (z[0] - z.min())) if (trace["body:beam.x"] < 0.0).any() else None


def bends(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(parameters.friction == 0.0 and np.ptp(pin_height(trace)) > 0.01)


def at_rest(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(parameters.friction > 0.0 and trace["time"][-1] > 1.0 and np.all(trace["world.kinetic"][-20:] < 1e-12))


LESSON = Lesson(
    allowed=("angle", "friction"),
    steps=(
        Step("Run the scene and follow the pin at the lower right: it runs along a level line.", ran(2.5)),
        Step("Release it from 25 degrees. The line is longer, and its ends bend by more than a centimetre.", bends,
             Action("Angle 25 degrees", "set", "angle", 25.0)),
        Step("Give the hinges 0.5 N m of dry friction. The linkage comes to rest and stays, also away from the middle.",
             at_rest, Action("Friction 0.5 N m", "set", "friction", 0.5)),
    ),
    exercises=(
        Exercise("The beam is 1.2 m long and starts at {angle} degrees. How far does its lower end come down until it hangs?",
                 "An arc of radius $2 b$: $2 b\\,(1 - \\cos a)$. The pin beside it leaves its line by a few millimetres only.",
                 ("How far is the end below the pivot at the start, and how far in the end?",), rise, measured_rise, "m",
                 seconds=2.5, mistakes=(Mistake(lambda p: 0.5 * rise(p), "That is how far the middle of the beam comes down."),)),
        Exercise("How fast does the beam turn as it hangs, after a release at {angle} degrees?",
                 "$\\frac{1}{2} J a'^2$ is the lost potential energy. As the beam hangs, the link and the front link do not "
                 "turn: they and the rod between them move sideways only.",
                 ("Which bars turn as the beam hangs, and which only move?", "Use the law of the scene."),
                 predicted(SCENE, "spin"), measured(SCENE, "spin"), "rad/s", seconds=2.5),
    ),
)
