"""Facets that land: why polyhedra do badly in place of round bodies."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.polyhedra_ramp import SCENE, Parameters, wheel

SLOWEST = ("the ball", "the prism of 24 facets", "the hexagon")


def last(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Index of the slowest in SLOWEST."""
    if trace["time"][-1] < 1.0:
        return None
    speeds = [float(trace[f"body:{name}.speed"][-60:].mean()) for name in ("ball", "24 facets", "6 facets")]
    return float(speeds.index(min(speeds)))


LESSON = Lesson(
    steps=(
        Step("Run the scene and compare the curves: each facet that lands is a step down in the speed.", ran(1.0)),
        Step("Compare the prism of 96 facets with the ball. They look alike, and the speeds separate all the same.",
             ran(1.0), PLOT),
        Step("Make the ramp flatter. The hexagon does not come over its next corner and stops.",
             parameter_set("angle", 2.0, 1.0), Action("Slope 2 degrees", "set", "angle", 2.0)),
    ),
    exercises=(
        Exercise("All start with the same angular velocity, on a slope of {angle} degrees. Which is the slowest after a second?",
                 "The larger the angle between two facets, the more of its velocity a landing corner stops.",
                 ("Which one has the hardest impacts?",), lambda p: 2.0, last, choices=SLOWEST, seconds=1.2),
        Exercise("What share of its kinetic energy does a regular prism of 96 facets keep in one turn, with "
                 "$\\omega^+/\\omega^- = r = (J + m R^2 \\cos(2\\pi/k))/(J + m R^2)$ and $J = m R^2/2$?",
                 "With 96 impacts in a turn it is $r^{192} \\approx e^{-8\\pi^2/(3 \\cdot 96)}$, about three quarters.",
                 ("Each impact keeps $r^2$ of the energy.", "How many impacts are there in one turn?"),
                 predicted(SCENE, "energy kept in one turn of 96"), measured(SCENE, "energy kept in one turn of 96"), "", 0.07,
                 mistakes=(Mistake(lambda p: wheel(96, p).ratio ** 2, "That is the share of one impact."),
                           Mistake(lambda p: wheel(96, p).ratio ** 96 * 1.0,
                                   "That is the share of the angular velocity. The energy has its square."))),
    ),
)
