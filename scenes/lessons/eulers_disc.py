"""The flatter, the faster."""

from physics import World
from scenes import Trace
from scenes.eulers_disc import SCENE, Parameters
from scenes.eulers_disc import measured as rate_of
from scenes.lessons import Action, Exercise, Lesson, Step, measured, parameter_set, predicted, ran


def middle_is_fast(world: World, trace: Trace, parameters: Parameters) -> bool:
    rate = rate_of("middle")(world, trace)
    return rate is not None and rate > 21.0


LESSON = Lesson(
    steps=(
        Step("Run the scene at a tenth of its speed and watch where each disc touches the floor.",
             action=Action("A tenth of the speed", "speed", "", 0.1)),
        Step("Run it for a second. The centres of the discs stay where they are.", ran(1.0),
             Action("Full speed", "speed", "", 1.0)),
        Step("Use smaller discs. They go round faster.", parameter_set("radius", 0.2),
             Action("Radius 0.2 m", "set", "radius", 0.2)),
    ),
    exercises=(
        Exercise("A thin disc of radius {radius} m is tilted by 12 degrees. At which rate does it go round, to 5 percent?",
                 "$W^2 = 4 g/(r \\sin\\alpha)$. The thickness raises it slightly.",
                 ("The angular momentum turns with the disc; the moment of the floor's force turns it.",),
                 predicted(SCENE, "rate of the flat disc"), measured(SCENE, "rate of the flat disc"), "rad/s", 0.06),
        Exercise("Try it: choose the radius so that the disc in the middle goes round faster than 21 rad/s.",
                 "The rate falls with the root of the radius: 0.18 m or less.", ("Which discs go round faster?",),
                 reached=middle_is_fast, solution={"radius": 0.15}),
    ),
)
