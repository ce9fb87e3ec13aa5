"""Two impacts, one after the other."""

from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran
from scenes.two_ball_drop import SCENE

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=(
        Step("Run the scene past the first impact.", ran(1.5)),
        Step("Choose Poisson's law, which sets the impulse of the restitution.", lambda world, trace, p: p.law == "Poisson",
             Action("Poisson", "set", "law", "Poisson")),
        Step("Run again, and open the panel Impact to see what each law does.", ran(1.5)),
    ),
    exercises=(
        Exercise("How high does the small ball rise from where it was struck?",
                 "The big ball rebounds first and meets the small one, which still falls.",
                 ("Which impact comes first?",),
                 predicted(SCENE, "rise of the small ball"), measured(SCENE, "rise of the small ball"), "m", 0.05),
    ),
)
