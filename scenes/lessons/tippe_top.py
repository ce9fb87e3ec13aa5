"""Why a tippe top turns over, and what that costs."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.tippe_top import SCENE, Parameters, R


def slowly(world: World, trace: Trace, parameters: Parameters) -> bool:
    """It has hardly risen after 1.5 s."""
    p = parameters
    risen = trace["body:top.z"][-1] - R * (1.0 - p.offset)
    return bool(trace["time"][-1] > 1.5 and risen < 0.5 * p.offset * R and (p.spin, p.offset) == (120.0, 0.1) and p.mu > 0.0)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the ball has turned over.", ran(2.15)),
        Step("Look at the plots: the centre of mass rises while the spin falls.", action=PLOT),
        Step("Set the friction to 0.3. The same happens, more slowly.", parameter_set("mu", 0.3),
             Action("Friction 0.3", "set", "mu", 0.3)),
    ),
    exercises=(
        Exercise("The ball spins at {spin} rad/s, its centre of mass is {offset} of the radius below its middle. How fast does "
                 "it spin when it has turned over?",
                 "Jellett's number is kept: $I_3 w (R - a) = I_3 w' (R + a)$.",
                 ("How far is the centre of mass from the floor, before and after?",), predicted(SCENE, "spin when"),
                 measured(SCENE, "spin when"), "rad/s", 0.02,
                 mistakes=(Mistake(lambda p: p.spin, "Something pays for the rise of the weight."),)),
        Exercise("Try it: change only the friction so that the ball has risen by less than half after 1.5 s.",
                 "The moment that turns the axis is proportional to the friction.", ("Which force turns the axis?",),
                 reached=slowly, solution={"mu": 0.1}, seconds=1.6),
    ),
)
