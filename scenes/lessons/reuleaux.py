"""Constant width."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, parameter_set, ran
from scenes.reuleaux import Parameters, travelled


def way(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the plank, for one turn of a roller [m]."""
    distance, turned = travelled(trace)
    return distance / turned * math.tau if trace["time"][-1] > 1.0 else None


def hop(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Range of the height of a roller's centre [m]."""
    return float(np.ptp(trace["body:roller 1.z"])) if trace["time"][-1] > 1.5 else None


LESSON = Lesson(
    steps=(
        Step("Run the scene and watch the plank: it does not rise or fall.", ran(1.0)),
        Step("Look at the plots. The centres of the rollers hop, in turns.", action=PLOT),
        Step("Make the rollers wider. The plank lies higher, and glides just as well.", parameter_set("width", 0.4),
             Action("0.4 m", "set", "width", 0.4)),
    ),
    exercises=(
        Exercise("The rollers have the width {width} m. How far does the plank move while a roller turns once?",
                 "Its speed is $w \\omega$, so it moves by $2 \\pi w$: the girth is $\\pi w$, and the roller itself moves, too.",
                 ("Compare with a round roller of this diameter.",), lambda p: math.tau * p.width, way, "m",
                 mistakes=(Mistake(lambda p: math.pi * p.width, "That is how far the roller moves."),)),
        Exercise("By how much do the centres of the rollers rise and fall?",
                 "The centre is $w/\\sqrt{3}$ from the tips and $w - w/\\sqrt{3}$ from the middles of the arcs.",
                 ("How far is the centre from a tip, and from the arc opposite?",),
                 lambda p: p.width * (2.0 / math.sqrt(3.0) - 1.0), hop, "m", 0.06),
    ),
)
