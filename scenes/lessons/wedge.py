"""Which wedges hold by themselves?"""

import math

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.wedge import LOAD, MASS, SCENE, G, Parameters, gained


def border(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Angle at which the acceleration would be zero, from the steep wedge's by bisection of its law [deg]."""
    a, alpha = gained("steep wedge")(world, trace), math.radians(parameters.steep)
    if a is None:
        return None
    # the measured acceleration gives the friction angle, and this the border
    lo, hi = 0.0, alpha
    for _ in range(60):
        phi = 0.5 * (lo + hi)
        more = math.tan(alpha - phi) - math.tan(phi)
        faster = G * (LOAD * more - math.tan(phi) * MASS) / (MASS + LOAD * math.tan(alpha) * more) > a
        lo, hi = (phi, hi) if faster else (lo, phi)
    return math.degrees(phi + math.atan(math.tan(phi) * (1.0 + MASS / LOAD)))


def both_hold(world: World, trace: Trace, parameters: Parameters) -> bool:
    still = max(trace[f"body:{name}.speed"].max() for name in ("flat wedge", "steep wedge")) < 1e-2
    return bool(still and trace["time"][-1] > 0.2 and parameters.steep == 30.0)


LESSON = Lesson(
    steps=(
        Step("Run the scene. One wedge holds, the other is squeezed out.", ran(0.3)),
        Step("Show the friction cones. Both forces on the wedge that holds lie inside of them.",
             action=Action("Show cones", "show", "cones")),
        Step("Halve the friction. Now both are squeezed out.", parameter_set("mu", 0.1, 0.3),
             Action("Friction 0.1", "set", "mu", 0.1)),
    ),
    exercises=(
        Exercise("A wedge of 1 kg lies under a load of 10 kg, with $\\mu$ = {mu} on both faces. Up to which angle does it hold?",
                 "The force of the load is inclined by $\\alpha - \\varphi$; the floor bears its horizontal part as long as "
                 "$\\tan(\\alpha - \\varphi) \\leq \\mu (1 + m/M)$.",
                 ("What is the angle of friction?", "A wedge without mass holds up to twice that angle."),
                 lambda p: math.degrees(math.atan(p.mu) + math.atan(p.mu * (1.0 + MASS / LOAD))), border, "deg", 0.02,
                 mistakes=(Mistake(lambda p: math.degrees(math.atan(p.mu)), "Both faces rub."),)),
        Exercise("What is the acceleration of the wedge of {steep} degrees, to 3 percent?",
                 "The load falls by $a \\tan\\alpha$; see the law at the top of the scene's file.",
                 ("How fast does the load fall when the wedge moves?", "Write down the forces on each of them."),
                 predicted(SCENE, "acceleration of the steep"), measured(SCENE, "acceleration of the steep"), "m/s^2", 0.03),
        Exercise("Try it: change only the friction so that the wedge of 30 degrees holds, too.",
                 "The angle of friction must be more than about 15 degrees: $\\mu$ = 0.26 is enough.",
                 ("Compare the angle of the wedge with twice the angle of friction.",), reached=both_hold, solution={"mu": 0.28}),
    ),
)
