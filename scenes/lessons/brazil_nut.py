"""When shaking sorts."""

from scenes.brazil_nut import NUT, SCENE
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran

GENTLY = "height of the nut that is shaken gently"


LESSON = Lesson(
    steps=(
        Step("Run the scene until the nut in the left box has risen.", ran(2.5)),
        Step("Look at the plots: the nut in the right box moves with its box, the other one climbs in steps.", action=PLOT),
        Step("Set the acceleration to 1.2 times that of gravity. Everything is thrown up, but only just.",
             parameter_set("gamma", 1.2), Action("Gamma 1.2", "set", "gamma", 1.2)),
    ),
    exercises=(
        Exercise("The nut has a radius of 0.1 m. How high above the floor of its box is its centre in the right box at last?",
                 "For $\\Gamma < 1$ nothing leaves the floor, and the nut stays on it.",
                 ("Is the floor ever faster than a fall?",),
                 predicted(SCENE, GENTLY), measured(SCENE, GENTLY), "m",
                 mistakes=(Mistake(lambda p: 2.0 * NUT, "That is the height of its top."),), seconds=0.5),
    ),
)
