"""A net: how few ways a hundred bars have to move, and its slowest swing."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.bar_net import SCENE, Parameters
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran


def at_rest(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(parameters.friction > 0.0 and trace["time"][-1] > 0.3 and np.all(trace["world.kinetic"][-10:] < 1e-12))


LESSON = Lesson(
    allowed=("lean", "friction"),
    steps=(
        Step("Run the scene. All bars of a row stay parallel.", ran(0.6)),
        Step("Open the subsystems panel and click a cell: its bars are selected in the picture.",
             action=Action("Open Subsystems", "panel", "subsystems")),
        Step("Give the hinges 0.5 N m of dry friction: the net stays where it hangs.", at_rest,
             Action("Friction 0.5 N m", "set", "friction", 0.5)),
    ),
    exercises=(
        Exercise("How long does the net take from rest until it hangs straight, in its slowest swing?",
                 "A quarter of its period, $\\pi / (2 \\omega)$ with the smallest $\\omega$ of $(K - \\omega^2 A)\\,u = 0$.",
                 ("In one pure swing all rows pass the vertical at the same moment.",), predicted(SCENE, "time until"),
                 measured(SCENE, "time until"), "s", seconds=0.7),
    ),
)
