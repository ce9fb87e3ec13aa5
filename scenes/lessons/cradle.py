"""Impacts one after the other."""

from scenes.cradle import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=(
        Step("Run the scene past the first impact.", ran(1.4)),
        Step("Choose Poisson's law, which sets the impulse of the restitution.", lambda world, trace, p: p.law == "Poisson",
             Action("Poisson", "set", "law", "Poisson")),
        Step("Run again, and open the panel Impact to see what each law does.", ran(1.4)),
    ),
    exercises=(
        Exercise("How far does the last ball swing, in degrees?",
                 "With gaps each impact passes on the share (1 + e)/2 of the speed.",
                 ("What does one impact of two equal balls do?",),
                 predicted(SCENE, "swing of the last ball"), measured(SCENE, "swing of the last ball"), "deg", 0.05),
    ),
)
