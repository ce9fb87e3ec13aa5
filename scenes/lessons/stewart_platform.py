"""A platform on six legs: lengths from a place."""


import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, ran
from scenes.stewart_platform import SHIFT, TURN, Parameters, lengths


def longest_way(parameters: Parameters) -> float:
    """Of the first leg at the far end of the path, from the start [m]."""
    return float(lengths(TURN, parameters)[0] - lengths(0.0, parameters)[0])


def measured_way(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the first leg there [m]; None before."""
    return float(np.interp(TURN, trace["time"], trace["joint:leg 1.angle"])) if trace["time"][-1] >= TURN else None


def heavy(world: World, trace: Trace, parameters: Parameters) -> bool:
    return parameters.load >= 150.0 and bool(trace["time"][-1] > 0.5)


LESSON = Lesson(
    allowed=("turn", "load"),
    steps=(
        Step("Run the scene: the plate shifts, rises and turns, and comes back.", ran(1.1)),
        Step("Open the subsystems panel: the legs are parts of their own, and the plate joins them.",
             action=Action("Open Subsystems", "panel", "subsystems")),
        Step("Make the plate 150 kg heavy. It takes the same path.", heavy, Action("Load 150 kg", "set", "load", 150.0)),
    ),
    exercises=(
        Exercise("The plate turns by {turn} degrees. By how much has the first leg grown at the far end of the path?",
                 "The difference of $|p + R\\,b - a|$ at both ends: a length follows from the place alone.",
                 ("Where are the leg's two ends, before and after?",), longest_way, measured_way, "m", asked={"turn": 10.0},
                 seconds=TURN + 0.05,
                 mistakes=(Mistake(lambda p: float(np.linalg.norm(SHIFT)), "That is how far the plate moves."),)),
    ),
)
