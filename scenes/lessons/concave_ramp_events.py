"""What a kink takes, at its very moment."""

from scenes.concave_ramp_events import SCENE, speed_behind
from scenes.lessons import PLOT, Action, Exercise, Lesson, Step, measured, parameter_set, ran

LESSON = Lesson(
    steps=(
        Step("Run the scene until all balls are on the level. Each step in the plot is one kink.", ran(0.8)),
        Step("Compare the balls. Twice as many kinks, each of half the angle, take about half as much altogether.",
             ran(0.8), PLOT),
        Step("Start slower. The kinks take the same shares of the energy, whatever the speed.", parameter_set("speed", 0.5, 0.5),
             Action("Start at 0.5 m/s", "set", "speed", 0.5)),
    ),
    exercises=(
        Exercise("How fast is the ball of 4 kinks behind the ramp?",
                 "Between the kinks it gains $g$ times the height, at each of them it keeps $\\cos^2\\delta$ of its energy.",
                 ("What does the impulse of the next facet leave of the velocity?",), lambda p: speed_behind(4, p),
                 measured(SCENE, "final speed, ball, 4"), "m/s", seconds=0.85),
    ),
)
