"""A closed loop: energy, the folded pose, and what keeps the loop closed."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.four_bars import SCENE, Parameters, speed
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran


def spin_at_fold(parameters: Parameters) -> float:
    """Of every bar [rad/s]."""
    return speed(0.0, math.radians(parameters.spread))


def at_rest(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(parameters.friction > 0.0 and trace["time"][-1] > 2.0 and np.all(trace["world.kinetic"][-20:] < 1e-12))


LESSON = Lesson(
    allowed=("spread", "friction"),
    steps=(
        Step("Run the scene. The square falls, folds, swings through and opens on the other side.", ran(2.5)),
        Step("Open the energy panel: what gravity gives, the bars have as kinetic energy, before and after the fold.",
             action=Action("Open Energy", "panel", "energy")),
        Step("Give the hinges 2 N m of dry friction. They stop one after the other, and the loop stays where it is.",
             at_rest, Action("Friction 2 N m", "set", "friction", 2.0)),
    ),
    exercises=(
        Exercise("Four bars of 1 m and 1 kg form a square that is released from rest at {spread} degrees. How fast does each bar "
                 "turn as the loop folds?",
                 "The four centres fall; at the fold all bars turn at the same rate, and "
                 "$4 m g l (1 - \\cos s) = (A - C)\\,\\dot a^2$ with $A - C = \\frac{1}{2} m l^2 + 2 I$.",
                 ("Which energy is lost from rest to the fold?", "At the fold, which bars move fastest?"),
                 spin_at_fold, measured(SCENE, "spin of a bar"), "rad/s", asked={"spread": 60.0}, seconds=1.5,
                 mistakes=(Mistake(lambda p: math.degrees(spin_at_fold(p)), "That is in degrees per second."),)),
        Exercise("How long does the square take from rest at {spread} degrees until it folds?",
                 "Integrate $da / \\dot a$ with the speed from energy conservation.",
                 ("Use the law of the scene.",), predicted(SCENE, "time until"), measured(SCENE, "time until"), "s",
                 seconds=1.5),
    ),
)
