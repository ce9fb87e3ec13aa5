"""Friction that depends on the direction."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.anisotropic_skate import SCENE, Parameters, name
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran

MIDDLE = "transverse speed when the longitudinal speed has halved, skate 45 deg"


def speeds(trace: Trace, angle: int) -> tuple[np.ndarray, np.ndarray]:
    """Along and across the blade, as parts of what they were."""
    vx, vy = (trace[f"body:{name(angle)}.{axis}"] for axis in ("vx", "vy"))
    return vx / vx[0], vy / vy[0]


def kept(trace: Trace, angle: int) -> np.ndarray:
    """Samples while the skate glides."""
    along, across = speeds(trace, angle)
    return np.flatnonzero((along > 0.05) | (across > 0.05))


def turns_sideways(world: World, trace: Trace, parameters: Parameters) -> bool:
    along, across = speeds(trace, 45)
    late = kept(trace, 45)[-1]
    return bool(trace["time"][-1] > 0.5 and along[late] < 0.5 * across[late])


LESSON = Lesson(
    steps=(
        Step("Run the scene. All skates start with the same speed, and all end up gliding along their blades.",
             lambda world, trace, p: trace["time"][-1] > 1.0),
        Step("Compare $v_x$ and $v_y$ in the plot: the transverse speed decays first.", ran(1.0), PLOT),
        Step("Make friction isotropic. Every skate keeps its initial direction.",
             lambda world, trace, p: p.ratio == 1.0 and trace["time"][-1] > 0.5, Action("Ratio 1", "set", "ratio", 1.0)),
    ),
    exercises=(
        Exercise("A skate starts with {speed} m/s at 45 degrees to its blade, and friction across the blade is {ratio} times "
                 "that along it. What is its transverse speed when its longitudinal speed has halved?",
                 "By the law $v_y = v_{y0}\\,(1/2)^{r^2}$, with r the ratio.",
                 ("Start from the two components of the speed.", "The exponent in the law is the square of the ratio."),
                 predicted(SCENE, MIDDLE), measured(SCENE, MIDDLE), "m/s", 0.04,
                 mistakes=(Mistake(lambda p: p.speed * math.sin(math.radians(45.0)) * 0.5**p.ratio, "The exponent is the "
                                                            "square."),
                           Mistake(lambda p: p.speed * 0.5 ** (p.ratio**2), "First split the speed into components."))),
        Exercise("With isotropic friction, what is the transverse speed of the same skate at that moment?",
                 "A circular cone slows both components alike, so half of each remains.", ("Does the direction of the motion "
                                                            "change?",),
                 predicted(SCENE, MIDDLE), measured(SCENE, MIDDLE), "m/s", 0.04, asked={"ratio": 1.0}, seconds=2.0),
        Exercise("Try it: make the skates end up sliding sideways, across their blades.",
                 "With a ratio below 1 a blade resists more along than across.", ("Which direction must have the lower "
                                                                                  "friction?",),
                 reached=turns_sideways, solution={"ratio": 0.5}, seconds=2.0),
    ),
)
