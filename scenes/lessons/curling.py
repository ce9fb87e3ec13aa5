"""Friction has only one direction."""

from physics import World
from scenes import Trace
from scenes.curling import SCENE, Parameters, distance
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def farther(world: World, trace: Trace, parameters: Parameters) -> bool:
    way = distance("spinning puck", trace)
    return way is not None and way > 2.6 and parameters.speed == 1.5 and parameters.mu == 0.15


LESSON = Lesson(
    steps=(
        Step("Run the scene until both pucks are at rest.", ran(2.5)),
        Step("Look at the plot: the speed and the spin of the spinning puck reach zero at the same moment.", action=PLOT),
        Step("Double the friction. Both distances shrink, but their ratio stays.", parameter_set("mu", 0.3, 1.5),
             Action("Friction 0.3", "set", "mu", 0.3)),
    ),
    exercises=(
        Exercise("A puck slides at {speed} m/s without spin, with $\\mu$ = {mu}. How far does it go?",
                 "All friction brakes it: $s = v^2/(2 \\mu g)$.", ("What is its deceleration?",),
                 predicted(SCENE, "distance of the sliding"), measured(SCENE, "distance of the sliding"), "m",
                 mistakes=(Mistake(lambda p: p.speed**2 / (p.mu * 9.81), "Its mean speed is half of the initial one."),)),
        Exercise("Which motion of the spinning puck ends first?",
                 "The slower of the two is braked less. So their ratio tends to a fixed value, and they end together.",
                 ("What does friction do to the slower of the two?",), lambda p: 2.0,
                 lambda world, trace, p: together(trace), choices=("sliding", "spinning", "both at once")),
        Exercise("Try it: spin the second puck so that it goes farther than 2.6 m. Leave speed and friction unchanged.",
                 "The faster it spins, the less of the friction brakes its way.", ("More spin or less?",), reached=farther,
                 solution={"spin": 32.0}, seconds=3.2),
    ),
)


def together(trace: Trace) -> float | None:
    """Index of the motion that ends first, 2 if both end within two hundredths of a second."""
    still = distance("spinning puck", trace)
    if still is None:
        return None
    ends = [float(trace["time"][(abs(trace[f"body:spinning puck.{key}"]) > limit).nonzero()[0][-1]])
            for key, limit in (("speed", 5e-3), ("omega_z", 5e-3 / 0.15))]
    return 2.0 if abs(ends[0] - ends[1]) < 0.02 else float(ends[0] > ends[1])
