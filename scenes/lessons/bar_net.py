"""A net: how few ways a hundred bars have to move, and its slowest swing."""

from physics import World
from scenes import Trace
from scenes.bar_net import SCENE, Parameters
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran


def swings_wide(world: World, trace: Trace, parameters: Parameters) -> bool:
    return parameters.lean >= 30.0 and bool(trace["time"][-1] > 0.4)


LESSON = Lesson(
    allowed=("lean",),
    steps=(
        Step("Run the scene. All bars of a row stay parallel.", ran(0.4)),
        Step("Open the subsystems panel and click a cell: its bars are selected in the picture.",
             action=Action("Open Subsystems", "panel", "subsystems")),
        Step("Release it from 40 degrees: the rows no longer pass the vertical together.", swings_wide,
             Action("Lean 40 deg", "set", "lean", 40.0)),
    ),
    exercises=(
        Exercise("How long does the net take from rest until it hangs straight, in its slowest swing?",
                 "A quarter of its period, $\\pi / (2 \\omega)$ with the smallest $\\omega$ of $(K - \\omega^2 A)\\,u = 0$.",
                 ("In one pure swing all rows pass the vertical at the same moment.",), predicted(SCENE, "time until"),
                 measured(SCENE, "time until"), "s", seconds=0.5),
    ),
)
