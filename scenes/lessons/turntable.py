"""Balls that go round."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, ran
from scenes.turntable import SCENE, Parameters


def radius(trace: Trace, name: str) -> float:
    """Of the circle of a ball, once it is complete [m]."""
    return 0.5 * float(np.ptp(trace[f"body:{name}.y"]))


def period(world: World, trace: Trace, parameters: Parameters) -> float | None:
    rate = measured(SCENE, "angular velocity of the slow")(world, trace, parameters)
    return None if rate is None else math.tau / rate


def small(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace["time"][-1] > 4.0 and radius(trace, "fast") < 0.3)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the balls have closed their circles.", ran(4.4)),
        Step("Show the trails of the balls and compare the two circles.", action=Action("Show trails", "show", "trails")),
        Step("Turn the table faster. Both circles become smaller.", parameter_set("table", 7.0, 2.0),
             Action("7 rad/s", "set", "table", 7.0)),
    ),
    exercises=(
        Exercise("The table turns at {table} rad/s. How long does a ball need for its circle?",
                 "The velocity turns at $\\frac{2}{7} \\Omega$: three and a half turns of the table.",
                 ("The force of friction changes velocity and spin together.",), lambda p: 7.0 * math.pi / p.table, period, "s",
                 mistakes=(Mistake(lambda p: math.tau / p.table, "That is a turn of the table."),)),
        Exercise("The fast ball has 0.6 m/s. What is the radius of its circle?",
                 "$v = \\omega r$ with $\\omega = \\frac{2}{7} \\Omega$.", ("How far does it go in a whole circle?",),
                 lambda p: 0.6 * 3.5 / p.table,
                 lambda world, trace, p: radius(trace, "fast") if trace["time"][-1] > 4.4 else None, "m", 0.04),
        Exercise("Try it: choose the speed of the table so that the circle of the fast ball has a radius of less than 0.3 m.",
                 "$r = 7 v/(2 \\Omega)$: the table has to turn faster than 7 rad/s.", ("Solve for the speed of the table.",),
                 reached=small, solution={"table": 7.5}),
    ),
)
