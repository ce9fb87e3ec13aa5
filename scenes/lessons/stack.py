"""Loads in a tower."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, load_on, measured, predicted, ran
from scenes.stack import HALF, SCENE, Parameters

WEIGHT = 8000.0 * HALF[0] * HALF[1] * HALF[2] * 9.81
"""Of one box [N]."""


def on_the_ground(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return load_on(world, "ground") if trace["time"][-1] > 0.3 else None


def on_box_six(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return load_on(world, "box 6") if trace["time"][-1] > 0.3 else None


LESSON = Lesson(
    steps=(
        Step("Run the scene for a second. The tower stands, and the force arrows grow downwards.", ran(1.0)),
        Step("Select the lowest box and read its contacts in the inspector.", action=Action("Select it", "select", "box 0")),
        Step("Build a tower of 20 boxes. The lowest contact now carries twice as much.",
             lambda world, trace, p: p.count == 20 and trace["time"][-1] > 0.3, Action("20 boxes", "set", "count", 20)),
        Step("Build the tower of 10 boxes again and run it for two seconds.",
             lambda world, trace, p: p.count == 10 and trace["time"][-1] > 2.0, Action("10 boxes", "set", "count", 10)),
        Step("Look at the iterations in the plot. In the first third of a second they reach the limit, 50, in nearly every step. "
             "Then most steps need a single one, for the impulses of the step before fit already; about every tenth step "
             "needs up to 50 again.", ran(2.0), PLOT),
    ),
    exercises=(
        Exercise("Each box has 100 kg. What force does the ground carry under {count} boxes?",
                 "The lowest contact carries all of them: $n m g$.", ("What does the whole tower weigh?",),
                 lambda p: p.count * WEIGHT, on_the_ground, "N", seconds=0.5,
                 mistakes=(Mistake(lambda p: p.count * WEIGHT / 9.81, "That is the mass. The question asks for the force."),)),
        Exercise("What force acts between the third and the fourth box from the top?",
                 "It carries the three boxes above it, independent of those below.", ("How many boxes are above that "
                                                            "contact?",),
                 lambda p: 3.0 * WEIGHT, on_box_six, "N", seconds=0.5,
                 mistakes=(Mistake(lambda p: 4.0 * WEIGHT, "Count only the boxes above the contact."),)),
        Exercise("A tower has {count} boxes of 0.4 m. How high is the centre of the topmost one?",
                 "Its centre is $n - 1/2$ boxes above the ground.", ("How many whole boxes are below it?",),
                 predicted(SCENE, "height"), measured(SCENE, "height"), "m", 0.005, asked={"count": 20}, seconds=0.3,
                 mistakes=(Mistake(lambda p: 2.0 * p.count * HALF[2], "That is the top of the tower."),)),
    ),
)
