"""Restitution: speeds, heights, energy."""

import math

import numpy as np

from scenes.bouncing_balls import SCENE, apex
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran

G = 9.81
IMPACT = math.sqrt(2.0 * SCENE.parameters().height / G)
"""When all balls hit the floor [s]."""

LESSON = Lesson(
    allowed=("height",),
    steps=(
        Step("Run the scene until all balls have bounced. Each turns at the mark behind it, at $e^2 h$.", ran(1.5)),
        Step("Go back in time to the moment of the impact, step by step, and look at the velocity arrows: $v^+ = -e\\,v^-$.",
             action=Action("Back to the impact", "time", "", IMPACT)),
        Step("Drop them from 3 m. Every rebound is twice as high as before: the ratio is unchanged.",
             parameter_set("height", 3.0, 1.0), Action("Height 3 m", "set", "height", 3.0)),
        Step("See in the plot that the ball with $e = 1$ returns to its height and never above it: a rebound gains no energy.",
             ran(1.6), PLOT),
    ),
    exercises=(
        Exercise("The balls fall by {height} m. How high does the lowest point of the ball with $e$ = 0.5 rise after its "
                 "first impact?",
                 "It rebounds with half its approach speed. Height grows with the square of the speed: $h_1 = e^2 h$.",
                 ("Restitution is a ratio of speeds, not of heights.", "Height grows with the square of the speed."),
                 predicted(SCENE, "rebound height for e = 0.5"), measured(SCENE, "rebound height for e = 0.5"), "m",
                 mistakes=(Mistake(lambda p: 0.5 * p.height, "That would be half the height. It is half the speed."),)),
        Exercise("What is the speed of the balls when they hit the ground after falling {height} m?",
                 "All the potential energy has become kinetic: $v = \\sqrt{2 g h}$.",
                 ("Set the energy at the top equal to the energy at the ground.",),
                 lambda p: math.sqrt(2.0 * G * p.height),
                 lambda world, trace, p: None if trace["time"][-1] < 1.0 else
                 float(-np.min(np.diff(trace["body:ball e=1.z"]) / np.diff(trace["time"]))), "m/s",
                 mistakes=(Mistake(lambda p: math.sqrt(G * p.height), "A factor is missing under the root."),)),
        Exercise("What fraction of its energy does the ball with $e$ = 0.75 lose in one impact?",
                 "It keeps $e^2$ = 0.5625 of its kinetic energy and loses $1 - e^2$.",
                 ("Kinetic energy grows with the square of the speed.",), lambda p: 1.0 - 0.75**2,
                 lambda world, trace, p: None if (top := apex(trace, 0.75)) is None else 1.0 - top / p.height,
                 mistakes=(Mistake(lambda p: 0.25, "That is the fraction of its speed."),
                           Mistake(lambda p: 0.75**2, "That is the fraction it keeps."))),
        Exercise("Try it: choose the drop height so that the ball with $e$ = 0.5 rebounds to 1.0 m, within 2 percent.",
                 "With $h_1 = e^2 h$ the drop must be four times as high as the rebound.",
                 ("By which factor is the drop higher than the rebound?",),
                 reached=lambda world, trace, p: (top := apex(trace, 0.5)) is not None and abs(top - 1.0) <= 0.02,
                 solution={"height": 4.0}, seconds=1.8),
    ),
)
