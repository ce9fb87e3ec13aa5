"""A ball that rolls to and fro."""

import math

from physics import World
from scenes import Trace
from scenes.bowl import RADIUS, SCENE, G, Parameters, R, crossings
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran

SLIDING = math.tau * math.sqrt((R - RADIUS) / G)
"""Period of something that slides without friction [s]."""

PERIOD = measured(SCENE, "period of the ball")


def slower(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Measured period over that of sliding."""
    period = PERIOD(world, trace, parameters)
    return None if period is None else period / SLIDING


LESSON = Lesson(
    steps=(
        Step("Run the scene until the ball has returned once. It rolls over many small triangles as over a smooth trough.",
            ran(4.0)),
        Step("Look at y and z in the plot: the edges between the triangles deflect the ball neither sideways nor upwards.",
             ran(4.0), PLOT),
        Step("Select the ball and follow the contact under it.", action=Action("Select the ball", "select", "ball")),
        Step("Reduce the friction of all bodies. Boxes slide farther down the slopes; the ball still rolls.",
             lambda world, trace, p: p.mu == 0.1 and len(crossings(trace)) >= 1, Action("Friction 0.1", "set", "mu", 0.1)),
    ),
    exercises=(
        Exercise("The trough has a radius of 4 m, the ball 0.12 m. What is the period of its oscillation?",
                 "Its centre moves on a circle of radius $R - r$, and rolling adds two fifths to the mass.",
                 ("It is a pendulum. How long is it?", "Rolling also needs energy: its effective mass is 7/5 of its mass."),
                 predicted(SCENE, "period of the ball"), PERIOD, "s", 0.03,
                 mistakes=(Mistake(lambda p: SLIDING, "That is the period of a body that slides without friction."),)),
        Exercise("How many times longer is the period of the rolling ball than that of a body that slides without friction?",
                 "The effective mass is 7/5 of the mass at the same restoring force, so the factor is $\\sqrt{7/5}$.",
                 ("The period grows with the square root of the effective "
                  "mass.",), lambda p: math.sqrt(1.4), slower, tolerance=0.03,
                 mistakes=(Mistake(lambda p: 1.4, "The period grows with the square root."),)),
    ),
)
