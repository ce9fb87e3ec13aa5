"""Why brakes squeal, and what makes them quiet."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted
from scenes.squealing_brake import SCENE, STIFFNESS, Parameters, bound, turns_back


def calm(world: World, trace: Trace, parameters: Parameters) -> bool:
    late = trace["time"] > trace["time"][-1] - 1.0
    return bool(trace["time"][-1] > 6.0 and np.ptp(trace["body:squealing block.x"][late]) < 0.01
                and parameters.static >= 0.5 and parameters.kinetic <= 0.3 and parameters.damping <= 4.0)


LESSON = Lesson(
    steps=(
        Step("Run the scene. The first block goes with its wheel until the spring tears it off.",
             lambda world, trace, p: len(turns_back(trace)) >= 1),
        Step("Compare both blocks in the plot. One goes on to swing, the other one comes to rest while its wheel slips below it.",
             lambda world, trace, p: len(turns_back(trace)) >= 4, PLOT),
        Step("Make both coefficients equal. The first brake goes quiet, too.", parameter_set("kinetic", 0.5, 4.0),
             Action("Equal coefficients", "set", "kinetic", 0.5)),
    ),
    exercises=(
        Exercise("Each block has a mass of 2 kg and is pressed down with {force} N besides its weight; the springs have a "
                 "stiffness of 200 N/m, and the kinetic coefficient is {kinetic}. Where does the quiet block come to rest?",
                 "The spring bears the kinetic friction: $k x = \\mu_k N$.", ("Which forces act on it along the rim?",),
                 predicted(SCENE, "place of the quiet block"), measured(SCENE, "place of the quiet block"), "m", 0.03,
                 mistakes=(Mistake(lambda p: p.kinetic * p.force / STIFFNESS, "The weight of the block presses, too."),
                           Mistake(lambda p: bound(p.static, p) / STIFFNESS, "While it slips, the kinetic friction acts.")),
                 seconds=5.0),
        Exercise("How long is the period of the squeal, by the law of the scene, to 3 percent?",
                 "Stick and slip add up: the way back to the release at the speed of the rim, and the damped swing about "
                 "$\\mu_k N/k$ until the speeds are equal again.",
                 ("Look at two releases in the plot.", "It is a little longer than the free swing, 0.63 s."),
                 predicted(SCENE, "period of the squeal"), measured(SCENE, "period of the squeal"), "s", 0.03, seconds=5.0),
        Exercise("Try it: make the first brake quiet by the speed of the wheels alone.",
                 "A fast rim is not caught up by the block any more: damping takes more from a swing than the drop of friction "
                 "gives, which does not grow with the speed.",
                 ("Turn the wheels faster.",), reached=calm, solution={"speed": 3.0}, seconds=7.0),
    ),
)
