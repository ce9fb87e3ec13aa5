"""An impact that passes through a row of balls."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.four_balls import RADIUS, SCENE, STARTS, G, Parameters
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran

DROP = STARTS[0][2] - RADIUS
"""Of the thrown ball to the table [m]."""

BALLS = ("the first", "the second", "the third", "the fourth")


def fastest_fall(world: World, trace: Trace, parameters: Parameters) -> float | None:
    if trace["time"][-1] < 0.45:
        return None
    return float(-np.min(np.diff(trace["body:ball 1.z"]) / np.diff(trace["time"])))


def farthest(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Which ball of the four has gone farthest from its start along the row at the end, the thrown one left out."""
    if trace["time"][-1] < 0.9:
        return None
    return 1.0 + float(np.argmax([trace[f"body:ball {k}.x"][-1] - trace[f"body:ball {k}.x"][0] for k in (2, 3, 4)]))


LESSON = Lesson(
    steps=(
        Step("Run the scene for a second: the thrown ball hits the table at 0.42 s and the row at 0.59 s.", ran(0.9)),
        Step("Go back to 0.59 s on the timeline, and step through the impact: the arrows are the forces.",
             action=Action("Back to 0.59 s", "time", "", 0.59)),
        Step("Open the Exact panel: seven contacts with ten unknowns each make a problem of 70.",
             action=Action("Open it", "panel", "exact")),
        Step("Remove the friction. No ball is lifted, and none spins.",
             lambda world, trace, p: p.friction == 0.0 and trace["time"][-1] > 0.7, Action("Friction 0", "set", "friction", 0.0)),
    ),
    exercises=(
        Exercise("The centre of the thrown ball starts 1 m above the table, its radius is 0.1 m, and g = 9.82 m/s$^2$. When does "
                 "it hit the table?",
                 "It falls by 0.9 m: $t = \\sqrt{2 h/g}$. The horizontal speed does not matter.",
                 ("How far does its lowest point fall?",), predicted(SCENE, "hits the table"), measured(SCENE, "hits the "
                                                                                                                "table"), "s",
                 mistakes=(Mistake(lambda p: math.sqrt(2.0 / G), "The ball has a radius."),)),
        Exercise("What is its vertical speed then?", "$v = \\sqrt{2 g h}$ with the same 0.9 m.",
                 ("All the potential energy of the fall has become "
                  "kinetic.",), lambda p: math.sqrt(2.0 * G * DROP), fastest_fall, "m/s",
                 mistakes=(Mistake(lambda p: math.sqrt(2.0 * G * DROP + p.speed**2 + p.aside**2), "The question asks for the "
                                                                                                  "vertical component only."),)),
        Exercise("Which ball of the row of three travels farthest? The thrown ball is the first, and the row has the second to "
                 "the fourth.",
                 "The impact travels through the row, and nothing stops the last one.", ("Run it and look.",), lambda p: 3.0,
                 farthest,
                 choices=BALLS),
    ),
)
