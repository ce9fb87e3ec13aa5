"""Why sand tells the time and water does not."""

from scenes.hourglass import SCENE
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran

LESSON = Lesson(
    steps=(
        Step("Run the scene until the half filled glass is nearly empty.", ran(1.0)),
        Step("Look at the plots: both tallies rise along straight lines.", action=PLOT),
        Step("Set the outlets to 0.25 m. The rate falls more than the width does, for grains need room for themselves.",
             parameter_set("outlet", 0.25), Action("Outlets of 0.25 m", "set", "outlet", 0.25)),
    ),
    exercises=(
        Exercise("The full glass holds twice as many grains. How many times as fast do they run out of it at first?",
                 "The rate does not contain the filling height: friction of the walls bears what is above.",
                 ("What bears the weight of the grains high above the outlet?",), predicted(SCENE, "rate of the full"),
                 measured(SCENE, "rate of the full"), tolerance=0.4,
                 mistakes=(Mistake(lambda p: 2.0, "Outlets are equally wide, and no grain is pushed through by those above."),)),
    ),
)
