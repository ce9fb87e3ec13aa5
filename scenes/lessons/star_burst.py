"""Stopping distances, and the shape of the friction cone."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, settled
from scenes.star_burst import SCENE, G, Parameters, distance, facets, reach

QUESTION = ("All boxes start at {speed} m/s on a floor with $\\mu$ = {mu}. How far from its start does each stop?")
ANSWER, MEASURED = predicted(SCENE, "mean stopping"), measured(SCENE, "mean stopping")


def two_metres(world: World, trace: Trace, parameters: Parameters) -> bool:
    return settled(world, trace, parameters) and parameters.speed == 3.5 and abs(reach(world).mean() - 2.0) <= 0.04


LESSON = Lesson(
    allowed=("speed", "mu"),
    steps=(
        Step("Run the scene and wait until all boxes have stopped. They lie on a circle: friction is isotropic.", settled),
        Step("Double the friction. The circle shrinks to half the distance, for $s = v^2/(2 \\mu g)$.",
             parameter_set("mu", 0.8), Action("Friction 0.8", "set", "mu", 0.8)),
        Step("Set the solver's cone to polygon. Friction then has only a few directions, and the boxes stop on a polygon.",
             lambda world, trace, p: facets(world) > 0 and settled(world, trace, p),
             Action("Polygon", "option", "cone", "polygon")),
        Step("Change the number of facets in the Physics panel and reset. With 8 facets the polygon is almost a circle.",
             lambda world, trace, p: facets(world) == 8 and settled(world, trace, p),
             Action("8 facets", "option", "facets", 8)),
    ),
    exercises=(
        Exercise(QUESTION, "Friction slows every box by $\\mu g$, whatever its mass. From $v^2 = 2 \\mu g s$ follows the "
                           "distance.",
                 ("What is the deceleration of a box that slides on level ground?",
                  "The deceleration is uniform, so the distance is the mean speed times the time."),
                 ANSWER, MEASURED, "m", mistakes=(
                     Mistake(lambda p: 2.0 * distance(p), "Half the speed is the mean speed while it slows down."),
                     Mistake(lambda p: p.speed**2 / (2.0 * G), "Include the friction coefficient."))),
        Exercise("The boxes start twice as fast, with {speed} m/s, on the same floor with $\\mu$ = {mu}. How far do they "
                 "slide now?",
                 "Twice the speed is four times the energy, and friction dissipates the same energy per metre.",
                 ("The distance grows with the square of the speed.",), ANSWER, MEASURED, "m", asked={"speed": 7.0}, seconds=2.5,
                 mistakes=(Mistake(lambda p: 0.5 * distance(p), "Not twice as far: consider the energy."),)),
        Exercise("How long does a box slide, from {speed} m/s with $\\mu$ = {mu}?",
                 "The speed falls by $\\mu g$ every second: $t = v/(\\mu g)$.", ("By how much does the speed fall in a second?",),
                 lambda p: p.speed / (p.mu * G),
                 lambda world, trace, p: float(trace["time"][trace["world.kinetic"] < 1e-9][0]) if settled(world, trace,
                 p) else None,
                 "s"),
        Exercise("Try it: by friction alone make the boxes stop after 2.0 m, within 2 percent. Leave the speed at {speed} m/s.",
                 "Solved for the coefficient: $\\mu = v^2/(2 g s)$ = 0.312.",
                 ("Less friction lets them slide farther.", "Solve the formula of the distance for the coefficient."),
                 reached=two_metres, solution={"mu": 0.312}, seconds=2.0),
    ),
)
