"""What holds a pile of grains."""

from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.sand_pile import SCENE, SETTLES

LESSON = Lesson(
    steps=(
        Step("Run the scene until both heaps have come to rest.", ran(SETTLES)),
        Step("Look at the plots: a ball from within the smooth heap goes down to the floor, that of the rough one stays above "
             "it.", action=PLOT),
        Step("Set the friction to 0.3. The rough pile becomes flatter, for a layer of it slides earlier.",
             parameter_set("mu", 0.3), Action("Friction 0.3", "set", "mu", 0.3)),
    ),
    exercises=(
        Exercise("Which share of the smooth balls lies on the floor at last?",
                 "They need not slide to come down, they roll, and only friction against rolling could stop that.",
                 ("What stops a ball that rolls?",), predicted(SCENE, "share"), measured(SCENE, "share"), tolerance=0.1,
                 mistakes=(Mistake(lambda p: 0.5, "The balls have as much friction as the rough ones, but nothing against "
                                                  "rolling."),)),
    ),
)
