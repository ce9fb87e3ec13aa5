"""What laws of impact do with friction."""

from scenes.kane_impact import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=(
        Step("Run the scene past the first impact.", ran(0.4)),
        Step("Choose Poisson's law, which sets the impulse of the restitution.", lambda world, trace, p: p.law == "Poisson",
             Action("Poisson", "set", "law", "Poisson")),
        Step("Run again, and open the panel Impact to see what each law does.", ran(0.4)),
    ),
    exercises=(
        Exercise("Which share of the energy is left after the impact?",
                 "Each law ends the path of the impulse elsewhere: see the panel Impact.",
                 ("Open the impulse plane of the impact.",),
                 predicted(SCENE, "energy after the impact / before"), measured(SCENE, "energy after the impact / before"), "",
                 0.05),
    ),
)
