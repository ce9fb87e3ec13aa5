"""The largest push that friction holds, in every direction, and what a cone with corners makes of it."""

import math

from physics import World
from scenes import Trace
from scenes.diagonal_push import GROWTH, SCENE, G, Parameters, bound, slips_at
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.star_burst import facets

QUESTION = ("A crate of {mass} kg stands on a floor with $\\mu$ = {mu} and is pushed with growing force. At which push does it "
            "begin to slide?")
ANSWER, MEASURED = predicted(SCENE, "push at 45"), measured(SCENE, "push at 45")


def slid(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The crates at both ends of the row."""
    return all(slips_at(angle, parameters, world, trace) is not None for angle in (0, 45))


LESSON = Lesson(
    allowed=("mass", "mu", "push"),
    steps=(
        Step("Run the scene until all crates slide. They break away at the same push, $F = \\mu m g$, in any direction.", slid),
        Step("Set the solver's cone to four facets and reset. Now the crate that is pushed along the diagonal slides first.",
             lambda world, trace, parameters: facets(world) == 4 and slid(world, trace, parameters),
             Action("Polygon", "option", "cone", "polygon")),
        Step("Increase the facets in the Physics panel and reset, several times. How many are enough for one percent?",
             lambda world, trace, parameters: facets(world) >= 16 and slid(world, trace, parameters),
             Action("16 facets", "option", "facets", 16)),
    ),
    exercises=(
        Exercise(QUESTION, "Friction holds up to $\\mu$ times the normal force, and on level ground that is the weight: "
                           "$F = \\mu m g$.",
                 ("How large is the normal force on level ground?",), ANSWER, MEASURED, "N", seconds=3.0,
                 mistakes=(Mistake(lambda p: p.mass * G, "Include the friction coefficient."),
                           Mistake(lambda p: p.mu * p.mass, "The normal force is the weight, not the mass."))),
        Exercise("The push stays constant once it reaches {push} N. With $\\mu$ = {mu} and {mass} kg, what is then the "
                 "acceleration of the sliding crate?",
                 "The push minus friction accelerates the crate: $a = F/m - \\mu g$.",
                 ("Which force remains after subtracting friction?",), lambda p: (p.push - bound(p)) / p.mass,
                 lambda world, trace, p: gain(trace, p), "m/s^2", seconds=4.0,
                 mistakes=(Mistake(lambda p: p.push / p.mass, "Friction cancels part of the push."),)),
    ),
)


def gain(trace: Trace, parameters: Parameters) -> float | None:
    """Acceleration over the last half second, once the push is whole [m/s^2]."""
    time, speed = trace["time"], trace["body:crate 0 deg.speed"]
    k = int((time < time[-1] - 0.5).sum())
    if time[-1] < parameters.push / GROWTH + 0.6 or math.isclose(speed[k], 0.0, abs_tol=1e-4):
        return None
    return float((speed[-1] - speed[k]) / (time[-1] - time[k]))
