"""Friction that depends on the direction."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.anisotropic_skate import SCENE, Parameters, name
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted

MIDDLE = "speed across the blade when half of that along it is left, skate 45 deg"


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
        Step("Run the scene. All skates are thrown equally fast, and all end by gliding along their blades.",
             lambda world, trace, p: trace["time"][-1] > 1.0),
        Step("Compare $v_x$ and $v_y$ in the plot: the speed across the blade dies first."),
        Step("Make friction equal in all directions. Every skate keeps the direction in which it was thrown.",
             lambda world, trace, p: p.ratio == 1.0 and trace["time"][-1] > 0.5, Action("Ratio 1", "set", "ratio", 1.0)),
    ),
    exercises=(
        Exercise("A skate is thrown with {speed} m/s at 45 degrees to its blade, and friction across the blade is {ratio} "
                 "times that along it. "
                 "How fast is it across the blade when half of its speed along the blade is left?",
                 "By the law $v_y = v_{y0}\\,(1/2)^{r^2}$, with r the ratio.",
                 ("Start from the two components of the speed.", "The exponent in the law is the square of the ratio."),
                 predicted(SCENE, MIDDLE), measured(SCENE, MIDDLE), "m/s", 0.04,
                 mistakes=(Mistake(lambda p: p.speed * math.sin(math.radians(45.0)) * 0.5**p.ratio, "The exponent is the "
                                                            "square."),
                           Mistake(lambda p: p.speed * 0.5 ** (p.ratio**2), "First split the speed into components."))),
        Exercise("With equal friction in all directions, how fast is the same skate across its blade at that moment?",
                 "A round cone slows both components alike, so half of each is left.", ("Does the direction of the motion "
                                                            "change?",),
                 predicted(SCENE, MIDDLE), measured(SCENE, MIDDLE), "m/s", 0.04, asked={"ratio": 1.0}, seconds=2.0),
        Exercise("Make it happen: let the skates end sideways, gliding across their blades.",
                 "With a ratio below 1 a blade resists more along than across.", ("Which direction must be the easy one?",),
                 reached=turns_sideways, solution={"ratio": 0.5}, seconds=2.0),
    ),
)
