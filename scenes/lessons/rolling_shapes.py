"""Rolling: only the distribution of the mass counts."""

import math

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.rolling_shapes import SCENE, G, Parameters
from scenes.rolling_shapes import measured as acceleration

ORDER = ("the ball", "the capsule", "the cylinder", "the pencil")


def sliding(parameters: Parameters) -> float:
    """Acceleration of something that slides without friction [m/s^2]."""
    return G * math.sin(math.radians(parameters.angle))


def first(world: World, trace: Trace, parameters: Parameters) -> float | None:
    if trace["time"][-1] < 1.2:
        return None
    speeds = [trace[f"body:{name.removeprefix('the ')}.speed"][-1] for name in ORDER]
    return float(speeds.index(max(speeds)))


LESSON = Lesson(
    allowed=("angle",),
    steps=(
        Step("Run the scene and see which is first. Ball and ellipsoid stay side by side.", ran(1.2)),
        Step("Look at the speeds in the plot: straight lines, each with its own slope $g\\,\\sin\\theta/(1 + I/(m r^2))$.",
             ran(1.2), PLOT),
        Step("Make the slope steeper. All are faster, and the order is unchanged.", parameter_set("angle", 30.0, 1.0),
             Action("Tilt to 30 degrees", "set", "angle", 30.0)),
    ),
    exercises=(
        Exercise("Which of these is first at the foot of the slope of {angle} degrees?",
                 "The ball has its mass closest to the axis, so the smallest part of its energy goes into rotation.",
                 ("Which one puts the smallest fraction of its energy into "
                  "rotation?",), lambda p: 0.0, first, choices=ORDER, seconds=1.3),
        Exercise("A ball has $I = \\frac{2}{5} m r^2$. What is its acceleration down {angle} degrees, rolling?",
                 "It is $\\frac{5}{7} g\\,\\sin\\theta$: friction spins the ball and takes two sevenths of the driving force.",
                 ("Write the equations of motion for the forces and for the torque of friction, with $a = r \\dot\\omega$.",),
                 predicted(SCENE, "acceleration of the ball"), measured(SCENE, "acceleration of the ball"), "m/s^2",
                 mistakes=(Mistake(sliding, "That is the acceleration of a body that slides without friction."),)),
        Exercise("What is the acceleration of the cylinder, with $I = \\frac{1}{2} m r^2$, on {angle} degrees?",
                 "It is $\\frac{2}{3} g\\,\\sin\\theta$.", ("The same as for the ball, with another moment of inertia.",),
                 predicted(SCENE, "acceleration of the cylinder"), measured(SCENE, "acceleration of the cylinder"), "m/s^2",
                 asked={"angle": 10.0}, seconds=1.6,
                 mistakes=(Mistake(sliding, "That is the acceleration of a body that slides without friction."),)),
        Exercise("Try it: tilt the slope so that the cylinder accelerates at 2.0 m/s per second, within 1 percent.",
                 "From $a = \\frac{2}{3} g\\,\\sin\\theta$ follows an angle of 17.8 degrees.", ("Solve for the sine of the "
                                                            "angle.",),
                 reached=lambda world, trace, p: trace["time"][-1] > 1.0 and abs(acceleration(trace, "cylinder") - 2.0) < 0.02,
                 solution={"angle": 17.8}, seconds=1.3),
    ),
)
