"""What jams the sleeve of a woodpecker toy."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.woodpecker import SCENE, Parameters


def slides(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The hanging toy has come down by 5 cm."""
    return bool(trace["body:sleeve 2.z"][0] - trace["body:sleeve 2.z"][-1] > 0.05)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the beak has struck three times.", ran(1.2)),
        Step("Look at the plots: the sleeve stands while it is pressed on the pole, and slips while it is not.", action=PLOT),
        Step("Set the friction to 0.4. The toy still comes down, for it is not friction that fails.", parameter_set("mu", 0.4),
             Action("Friction 0.4", "set", "mu", 0.4)),
    ),
    exercises=(
        Exercise("With which force does the sleeve of the hanging toy press on its pole?",
                 "Moments about the middle of the sleeve: $N h + W r = M g (l + L)$, nearly.",
                 ("What keeps the sleeve from tilting further?",), predicted(SCENE, "force of"), measured(SCENE, "force of"), "N",
                 0.03, mistakes=(Mistake(lambda p: 4.709, "That is the weight, which friction carries."),)),
        Exercise("Try it: change only the friction so that the hanging toy slides down.",
                 "It holds while $W \\leq \\mu N$; both are proportional to gravity.", ("How many times N is the weight?",),
                 reached=slides, solution={"mu": 0.27}, seconds=1.2),
    ),
)
