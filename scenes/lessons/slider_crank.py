"""From rotation to strokes."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.slider_crank import CRANK, SCENE, Parameters


def longer(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace["time"][-1] > 1.7 and trace["joint:slide.angle"].max() - trace["joint:slide.angle"].min() > 0.61)


LESSON = Lesson(
    steps=(
        Step("Run the scene for a whole turn.", ran(1.6)),
        Step("Look at the speed of the piston in the plot. Its peaks are not in the middle between its zeros.", ran(1.6), PLOT),
        Step("Use a longer rod. The motion comes closer to a sine.", parameter_set("rod", 1.5, 1.6),
             Action("Rod 1.5 m", "set", "rod", 1.5)),
    ),
    exercises=(
        Exercise("The crank has 0.3 m, the rod {rod} m, the guide is at the height of the shaft. What is the stroke of the "
                 "piston?",
                 "Between the two positions in which crank and rod lie in line: $(l+r) - (l-r) = 2 r$.",
                 ("Where does the piston turn back?",), predicted(SCENE, "stroke"), measured(SCENE, "stroke"), "m",
                 mistakes=(Mistake(lambda p: CRANK, "The crank points away from the piston half a turn later."),)),
        Exercise("The crank turns at {speed} rad/s. What is the largest speed of the piston, to 3 percent?",
                 "Slightly more than $\\omega r$: the rod's tilt adds to it before the crank is upright.",
                 ("With a very long rod it would be the speed of the crank pin.",), predicted(SCENE, "largest speed"),
                 measured(SCENE, "largest speed"), "m/s", 0.03,
                 mistakes=(Mistake(lambda p: p.speed * CRANK, "That holds for a very long rod."),)),
        Exercise("Try it: make the stroke longer than 0.61 m, with the same crank.",
                 "An offset of the guide lengthens the stroke a little.", ("Move the guide.",), reached=longer,
                 solution={"offset": 0.15}),
    ),
)
