"""How chance makes a bell."""


from scenes.galton import ROWS, SCENE
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran

LESSON = Lesson(
    steps=(
        Step("Run the scene until half of the balls are in the bins.", ran(3.0)),
        Step("Look at the plot: each ball that falls adds kinetic energy, and each pin takes some.", action=PLOT),
        Step("Set the friction to 0. Balls jump back from the next pin, so turns are no longer independent.",
             parameter_set("mu", 0.0), Action("No friction", "set", "mu", 0.0)),
    ),
    exercises=(
        Exercise("The bins are numbered from 0 to 6. What is their mean number, over all balls?",
                 "Left and right are alike: half of the 6 turns are to the right.", ("How many turns does a ball make?",),
                 predicted(SCENE, "mean"), measured(SCENE, "mean"), tolerance=0.15,
                 mistakes=(Mistake(lambda p: float(ROWS), "That is the last bin, of balls that always turned to the right."),)),
        Exercise("By how many bins do the balls spread, as a standard deviation?",
                 "$\\sigma = \\sqrt{n}/2$ for $n$ turns without memory.", ("Variances of independent turns add up: $1/4$ each.",),
                 predicted(SCENE, "spread"), measured(SCENE, "spread"), tolerance=0.31,       # twice what 26 balls tell
                 mistakes=(Mistake(lambda p: 0.5 * ROWS, "Then all balls would be in the first or in the last bin."),)),
    ),
)
