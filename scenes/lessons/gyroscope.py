"""Why it does not fall."""

import math

from physics import World
from scenes import Trace
from scenes.gyroscope import ARM, SCENE, SPINS, G, Parameters, R
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def turn(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Time of a whole turn of the slow gyroscope [s]."""
    rate = measured(SCENE, "precession of the slow")(world, trace, parameters)
    return None if rate is None else math.tau / rate


def takes_five_seconds(world: World, trace: Trace, parameters: Parameters) -> bool:
    time = turn(world, trace, parameters)
    return time is not None and time > 5.0


LESSON = Lesson(
    steps=(
        Step("Run the scene. Both axes stay level and go round.", ran(0.9)),
        Step("Show the velocities. The disc that spins faster goes round more slowly.",
             action=Action("Show velocities", "show", "velocities")),
        Step("Halve the spin, roughly: both go round twice as fast.", parameter_set("spin", 80.0),
             Action("80 rad/s", "set", "spin", 80.0)),
    ),
    exercises=(
        Exercise("A disc of radius 0.15 m spins at {spin} rad/s, 0.25 m from its pivot. At which rate does its level axis go "
                 "round?",
                 "The moment $m g l$ turns the angular momentum $I_3 \\omega$, so $W = m g l/(I_3 \\omega)$ with $I_3 = m "
                 "r^2/2$.",
                 ("Torque is the rate of change of the angular momentum.", "The mass cancels."),
                 predicted(SCENE, "precession of the fast"), measured(SCENE, "precession of the fast"), "rad/s", 0.03,
                 mistakes=(Mistake(lambda p: G * ARM / (R * R * p.spin), "The moment of inertia of a disc has a factor of one "
                                                                         "half."),)),
        Exercise("The slow gyroscope has 0.6 of this spin. How long does it take to go round once?",
                 "Its rate is larger in the ratio of the spins.", ("Does it go round faster or more slowly?",),
                 lambda p: math.pi * R * R * SPINS["slow"] * p.spin / (G * ARM), turn, "s", 0.03),
        Exercise("Try it: choose the spin so that the slow gyroscope takes more than 5 s for a turn.",
                 "The time is proportional to the spin: 290 rad/s or more.", ("Spin it faster.",), reached=takes_five_seconds,
                 solution={"spin": 300.0}),
    ),
)
