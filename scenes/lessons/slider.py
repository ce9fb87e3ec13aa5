"""Friction that slows, turns round and holds."""

import math

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.slider import MASS, SCENE, G, Parameters, distance


def stands(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace["time"][-1] > 0.2 and abs(trace["joint:slide.rate"][-1]) < 1e-9)


def slides_back(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace["joint:slide.rate"].min() < -0.01)


def just_slides_back(world: World, trace: Trace, parameters: Parameters) -> bool:
    limit = math.degrees(math.asin(min(1.0, parameters.max_friction / (MASS * G))))
    return slides_back(world, trace, parameters) and parameters.max_friction == 8.0 and parameters.tilt <= 1.05 * limit


def holding(parameters: Parameters) -> float:
    """[N]"""
    return MASS * G * math.sin(math.radians(parameters.tilt))


LESSON = Lesson(
    allowed=("speed", "max_friction", "tilt"),
    steps=(
        Step("Run the scene until the block stops. On its way up both friction and gravity slow it.", stands),
        Step("Look at the plot of the friction. It jumps when the block stops, from its bound to the value needed for "
             "equilibrium.", stands, PLOT),
        Step("Tilt the rail to 30 degrees. Gravity is now stronger than the bound, and the block comes back.",
             lambda world, trace, p: p.tilt == 30.0 and slides_back(world, trace, p), Action("Tilt 30", "set", "tilt", 30.0)),
        Step("Set the rail horizontal. The block stops after $s = v^2 m/(2 F)$, and then friction is zero: there is no load to "
             "balance.",
             lambda world, trace, p: p.tilt == 0.0 and stands(world, trace, p), Action("Level", "set", "tilt", 0.0)),
    ),
    exercises=(
        Exercise("The block of 2 kg starts up a rail of {tilt} degrees at {speed} m/s; friction is {max_friction} N. How far "
                 "does it travel?",
                 "It decelerates at $F/m + g\\,\\sin\\theta$, so $s = v^2 / (2 (F/m + g\\,\\sin\\theta))$.",
                 ("Two forces slow it. Add their contributions to its deceleration.", "Then use the uniform deceleration."),
                 predicted(SCENE, "stops after"), measured(SCENE, "stops after"), "m",
                 mistakes=(Mistake(lambda p: p.speed**2 * MASS / (2.0 * p.max_friction), "Gravity slows it too."),
                           Mistake(lambda p: 2.0 * distance(p), "The mean speed is half the initial speed."))),
        Exercise("What friction force holds the block of 2 kg at {tilt} degrees at rest?",
                 "It equals the component of gravity along the rail, $m g\\,\\sin\\theta$, and not its bound.",
                 ("Static friction only balances the load.",), holding,
                 lambda world, trace, p: float(abs(trace["joint:slide.friction"][-1])) if stands(world, trace, p) else None, "N",
                 mistakes=(Mistake(lambda p: p.max_friction, "That is the largest torque it could carry."),)),
        Exercise("Try it: find the tilt at which the block just slides back, within 5 percent. Leave the friction at "
                 "{max_friction} N.",
                 "It slides back where $m g\\,\\sin\\theta$ exceeds the bound: $\\theta = \\arcsin(F/(m g))$ = 24.1 degrees.",
                 ("At the limit the component of gravity along the rail equals the "
                  "bound.",), reached=just_slides_back, solution={"tilt": 25.0}),
    ),
)
