"""Too much friction: a paradox, and an impulse that solves it."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Step, measured, ran, step_size_set
from scenes.rod_and_table import SCENE, G, Parameters, landing

SIDES = ("to the left", "to the right", "not at all")


def fastest_fall(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return float(-trace["body:rod.vz"].min()) if trace["time"][-1] > 0.45 else None


def side(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Where the rod slides after its first impact, as an index of SIDES."""
    if trace["time"][-1] < 0.5:
        return None
    speed = trace["body:rod.vx"][np.searchsorted(trace["time"], 0.45)]
    return 2.0 if abs(speed) < 1e-3 else float(speed > 0.0)


def lands_flat(world: World, trace: Trace, parameters: Parameters) -> bool:
    still = trace["time"][-1] > 0.6 and abs(trace["body:rod.omega_y"]).max() < 1e-6
    return bool(still and abs(trace["body:rod.vz"][-1]) < 1e-6)


LESSON = Lesson(
    steps=(
        Step("Run the scene to its end. The rod lands on one end, slides, hits with the other, and comes to rest without "
             "chattering.",
             ran(0.8)),
        Step("Compare the curves with our runs of the paper's figures (marks) and with its own times of the impacts (upright "
             "lines), and see the spike of the spin at the first contact.", ran(0.8), PLOT),
        Step("Choose a step size of 10 ms in the Transport bar and reset: the spike is lower because it is spread over a longer "
             "step.", step_size_set(0.01, 0.8), Action("Steps of 10 ms", "dt", "", 0.01)),
        Step("Remove the friction. The end slides off, and the rod gets no horizontal impulse.",
             lambda world, trace, p: p.friction == 0.0 and trace["time"][-1] > 0.5, Action("Friction 0", "set", "friction", 0.0)),
    ),
    exercises=(
        Exercise("A horizontal rod of radius 0.05 m falls from 1 m without spin. When does it hit the table?",
                 "It falls by 0.95 m: $t = \\sqrt{2 h/g}$.", ("Include the radius.",),
                 landing, measured(SCENE, "hits the table"), "s", 0.03, asked={"angle": 0.0, "spin": 0.0}, seconds=0.6),
        Exercise("The spinning rod first touches the table at 0.38 s. How fast does its centre fall then?",
                 "It fell freely until then: $v = g t$.", ("Nothing but gravity acted until then.",), lambda p: G * landing(p),
                 fastest_fall, "m/s", 0.03, seconds=0.6),
        Exercise("To which side does the rod slide after its first impact?",
                 "The lower end is to the right of the centre and moves to the right; friction accelerates the rod in the "
                 "opposite direction.",
                 ("In which direction does the end slip, and in which does friction act?",), lambda p: 0.0, side, choices=SIDES,
                 seconds=0.6),
        Exercise("Try it: make the rod land flat and stay at rest without rotating.",
                 "Horizontal and without spin, both ends hit the table at the same "
                 "time.", ("It must be horizontal, and stay so in "
                                                                                        "the fall.",),
                 reached=lands_flat, solution={"angle": 0.0, "spin": 0.0}, seconds=0.8),
    ),
)
