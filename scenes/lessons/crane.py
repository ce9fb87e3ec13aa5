"""When to stop pulling."""

import math

from physics import World
from scenes import Trace
from scenes.crane import SCENE, G, Parameters, angles, period
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def back(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Time at which the load of the first trolley hangs below it again, by a parabola about the smallest angle [s]."""
    t, x = trace["time"], angles(trace, "whole period")
    near = (t > 0.8 * period(parameters)) & (t < period(parameters) - 0.01)
    if t[-1] < 1.2 * period(parameters):
        return None
    # the angle falls to zero with the square of the time that is left
    root = (-x[near]).clip(0.0) ** 0.5
    return float(t[near][0] + (t[near][-1] - t[near][0]) * root[0] / (root[0] - root[-1]))


def small(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace["time"][-1] > 3.0 and abs(angles(trace, "half period")).max() < math.radians(5.0)
                and parameters.length == 1.2)


LESSON = Lesson(
    steps=(
        Step("Run the scene until one load hangs still and the other swings.", ran(3.5)),
        Step("Show the trails of the loads.", action=Action("Show trails", "show", "trails")),
        Step("Use longer ropes. The trolleys accelerate for a longer time.", parameter_set("length", 1.8, 2.0),
             Action("1.8 m", "set", "length", 1.8)),
    ),
    exercises=(
        Exercise("A trolley accelerates at {acceleration} m/s^2 from rest. What is the largest angle of its rope, in radians?",
                 "It swings about the direction $\\arctan(a/g)$ of apparent gravity, from zero to twice this angle.",
                 ("In which direction would the load hang at rest?",), predicted(SCENE, "largest angle while"),
                 measured(SCENE, "largest angle while"), "rad", 0.02,
                 mistakes=(Mistake(lambda p: math.atan(p.acceleration / G), "There it would hang at rest. But it arrives there "
                                                                            "with a speed."),)),
        Exercise("The rope has {length} m. After which time does the load hang straight below the trolley again, to 5 percent?",
                 "After a period in the apparent gravity, $T \\approx 2 \\pi \\sqrt{l/\\sqrt{g^2 + a^2}}$.",
                 ("It is a pendulum in a slightly stronger gravity.",), period, back, "s", 0.1),
        Exercise("Try it: without changing the rope, keep the angle of all ropes below 5 degrees.",
                 "The largest angle is $2 \\arctan(a/g)$: less than 0.43 m/s^2 will do.", ("Accelerate more gently.",),
                 reached=small, solution={"acceleration": 0.4}),
    ),
)
