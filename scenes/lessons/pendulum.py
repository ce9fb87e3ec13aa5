"""Dry friction in a hinge: equal losses, and a stop off the vertical."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran
from scenes.pendulum import ARM, MASS, SCENE, G, Parameters, turning_points

WEIGHT = MASS * G * ARM
"""Torque of the weight where the rod lies level [N m]."""


def limit(parameters: Parameters) -> float:
    """Largest angle at which friction holds the rod [deg]."""
    return math.degrees(math.asin(min(1.0, parameters.friction / WEIGHT)))


def stays(world: World, trace: Trace, parameters: Parameters) -> bool:
    still = trace["time"][-1] >= 1.0 and np.abs(trace["joint:hinge.rate"]).max() < 1e-9
    return bool(still and parameters.friction == 0.4 and parameters.start >= 0.85 * limit(parameters))


def loss(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the first half swing [deg]."""
    turns = turning_points(trace)
    return parameters.start - math.degrees(turns[0]) if len(turns) else None


LESSON = Lesson(
    allowed=("start", "friction"),
    steps=(
        Step("Run the scene and follow the oscillation in the plot of the angle. The amplitude decreases linearly.", ran(5.0)),
        Step("Wait until the rod stops. It may stop off the vertical, where friction can carry its weight.",
             lambda world, trace, p: trace["time"][-1] > 3.0 and np.abs(trace["joint:hinge.rate"][-20:]).max() < 1e-9),
        Step("Remove the friction. Now every swing is as large as the one before.",
             lambda world, trace, p: p.friction == 0.0 and len(turning_points(trace)) > 1, Action("No friction", "set",
             "friction", 0.0)),
        Step("Double the friction. Each swing loses twice as much, so there are half as many.",
             lambda world, trace, p: p.friction == 0.8 and len(turning_points(trace)) > 1, Action("0.8 N m", "set", "friction",
             0.8)),
    ),
    exercises=(
        Exercise("The weight of the rod gives a torque of 9.81 N m times $\\sin\\theta$. It is released at {start} degrees with "
                 "{friction} N m of friction. By how many degrees is the next turning point smaller?",
                 "The energy decreases by friction times the angle travelled. For small swings the loss is $2 M/(m g L)$, "
                 "whatever the amplitude.",
                 ("Between two turning points the potential energy falls by the work of the friction.",
                  "For small angles the potential energy is half the weight's torque times the square of the angle.",
                  "The answer comes out in radians."),
                 lambda p: math.degrees(2.0 * p.friction / WEIGHT), loss, "deg", 0.03, asked={"start": 10.0}, seconds=2.0,
                 mistakes=(Mistake(lambda p: math.degrees(p.friction / WEIGHT), "It moves down and up: think of both parts."),)),
        Exercise("The rod is released at {start} degrees with {friction} N m of friction. How large is its angle at the next "
                 "turning point, in radians?",
                 "$m g L (\\cos\\theta_1 - \\cos\\theta_0) = M (\\theta_0 + \\theta_1)$, solved by trial or by a computer.",
                 ("Write the energy balance. It has no closed solution, but can be solved numerically.",),
                 predicted(SCENE, "amplitude after 1 half"), measured(SCENE, "amplitude after 1 half"), "rad", 0.01, seconds=2.0,
                 mistakes=(Mistake(lambda p: math.radians(p.start), "That is without friction."),)),
        Exercise("Try it: release it at an angle at which friction holds it, but not more than 15 percent below the limit.",
                 "It holds where $m g L\\,\\sin\\theta \\leq M$, that is up to 2.34 degrees.",
                 ("The torque of the weight at this angle must not exceed the "
                  "friction.",), reached=stays, solution={"start": 2.2},
                 seconds=1.2),
    ),
)
