"""When does a box slide, and how fast?"""

import math

from physics import World
from scenes import Trace
from scenes.incline import RATIOS, SCENE, G, Parameters, acceleration, name
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted


def speed(trace: Trace, ratio: float) -> float:
    """Of a box now [m/s]."""
    return float(trace[f"body:{name(ratio)}.speed"][-1])


def sliding(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """How many boxes slide."""
    return float(sum(speed(trace, ratio) > 0.01 for ratio in RATIOS)) if trace["time"][-1] >= 0.5 else None


def three_slide(world: World, trace: Trace, parameters: Parameters) -> bool:
    return trace["time"][-1] >= 0.5 and speed(trace, 1.0) > 0.01 and speed(trace, 1.25) < 1e-6 and parameters.mu == 0.5


def just_holds(world: World, trace: Trace, parameters: Parameters) -> bool:
    needed = math.tan(math.radians(parameters.angle))
    held = trace["time"][-1] >= 0.5 and speed(trace, 1.0) < 1e-6
    return held and parameters.angle == 25.0 and parameters.mu <= 1.02 * needed


LESSON = Lesson(
    allowed=("angle", "mu"),
    steps=(
        Step("Run the scene. The bench is tilted by {angle} degrees, and $\\tan\\theta$ decides: a lane breaks away where its "
             "friction coefficient is smaller.", lambda world, trace, p: trace["time"][-1] > 0.5 and speed(trace, 0.5) > 0.1),
        Step("Select the middle box and look at its friction cone: the contact force stays inside the cone while a box sticks, "
             "and lies on its surface while the box slides.",
             action=Action("Select the middle box", "select", name(1.0))),
        Step("Lower the bench to 15 degrees. The second box stops; the first, with $0.5\\,\\mu$, goes on sliding.",
             lambda world, trace, p: p.angle == 15.0 and trace["time"][-1] > 0.5 and speed(trace, 0.75) < 1e-6
             and speed(trace, 0.5) > 0.01, Action("Tilt to 15 degrees", "set", "angle", 15.0)),
        Step("Remove the friction. All five boxes accelerate alike, at $g\\,\\sin\\theta$.",
             lambda world, trace, p: p.mu == 0.0 and trace["time"][-1] > 0.3 and min(speed(trace, r) for r in RATIOS) > 0.1,
             Action("Friction 0", "set", "mu", 0.0)),
    ),
    exercises=(
        Exercise("The bench is tilted by {angle} degrees and the middle lane has $\\mu$ = {mu}. What is the acceleration of "
                 "the first "
                 "box, whose lane has half of this coefficient?",
                 "Along the lane gravity pulls with $m g\\,\\sin\\theta$ and friction opposes it with $\\mu m g\\,\\cos\\theta$. "
                 "The mass cancels: $a = g\\,(\\sin\\theta - \\mu\\,\\cos\\theta)$ with the coefficient of the lane.",
                 ("Resolve the weight into components along and normal to the lane.",
                  "The normal force is the normal component, and friction is the coefficient times it."),
                 predicted(SCENE, "acceleration of box 1"), measured(SCENE, "acceleration of box 1"), "m/s^2",
                 mistakes=(Mistake(lambda p: G * math.sin(math.radians(p.angle)), "That is the acceleration without friction."),
                           Mistake(lambda p: acceleration(p.angle, p.mu), "That is the middle box. The first lane has half its "
                                                                          "friction."),
                           Mistake(lambda p: G * (math.sin(math.radians(p.angle)) - 0.5 * p.mu),
                                   "The normal force is smaller than the weight on a slope.")),
                 seconds=1.0),
        Exercise("How many of the five boxes slide at {angle} degrees?",
                 "A box slides where its coefficient is below $\\tan\\theta$ = 0.70. Only the last lane, with 0.75, is above.",
                 ("Compare each coefficient with the tangent of the angle.",),
                 lambda p: sum(ratio * p.mu < math.tan(math.radians(p.angle)) for ratio in RATIOS) - 1.0,
                 lambda world, trace, p: None if (n := sliding(world, trace, p)) is None else n - 1.0,
                 choices=("one", "two", "three", "four", "five"), asked={"angle": 35.0}, seconds=0.6),
        Exercise("Try it: tilt the bench so that exactly three boxes slide. Leave the friction at {mu}.",
                 "The angle must be between $\\arctan(0.5)$ = 26.6 and $\\arctan(0.625)$ = 32.0 degrees.",
                 ("The tangent of the angle must lie between the coefficients of the third and the fourth lane.",),
                 reached=three_slide, solution={"angle": 29.0}, seconds=0.6),
        Exercise("Try it: at 25 degrees find the smallest friction coefficient at which the middle box stays at rest, within 2 "
                 "percent.",
                 "It stays at rest as long as $\\mu \\geq \\tan\\theta$, here 0.466. A box at the limit does not creep at all.",
                 ("Bisect the interval: try a value, see whether the middle box slides, and continue in one half.",),
                 reached=just_holds, solution={"mu": 0.47}, seconds=0.6),
    ),
)
