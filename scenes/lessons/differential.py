"""Speeds and torques of a differential."""

from physics import World
from scenes import Trace
from scenes.differential import SCENE, Parameters, moments, speed
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def both_turn(world: World, trace: Trace, parameters: Parameters) -> bool:
    """Both wheels turn, by the engine alone."""
    p, given = parameters, Parameters()
    return bool(trace["time"][-1] > 0.5 and min(speed(trace, "left brake"), speed(trace, "right brake")) > 0.1
                and (p.left, p.right) == (given.left, given.right))


LESSON = Lesson(
    steps=(
        Step("Run the scene: the blue wheel rests, the red one spins.", ran(1.0)),
        Step("Compare the plots of the carrier and of the right wheel: one is twice the other at all times.",
             action=Action("Show the plot", "panel", "plot")),
        Step("Set both brakes to 1 N m. Now both wheels turn alike.", parameter_set("left", 1.0),
             Action("Left brake 1 N m", "set", "left", 1.0)),
    ),
    exercises=(
        Exercise("The engine turns the carrier with {torque} N m. How large is the torque at the wheel that rests?",
                 "Half of that of the engine: the planets are levers with equal arms. A little of it turns the carrier faster.",
                 ("How does a planet share the force of its pin between the two bevel wheels?",), lambda p: 0.5 * p.torque,
                 lambda world, trace, p: abs(float(trace["joint:left brake.friction"][-1])) if trace["time"][-1] > 0.5 else None,
                 "N m", 0.1, mistakes=(Mistake(lambda p: p.torque, "The other wheel gets its share, too."),)),
        Exercise("What is the angular acceleration of the wheel that spins? Its brake takes {right} N m, wheel and shaft have "
                 "0.33 kg m^2. The carrier adds a little: 10 percent are close enough.",
                 "Half of the torque less the brake, over the moment of inertia.", ("Which torques act on this wheel?",),
                 predicted(SCENE, "angular acceleration of the right"), measured(SCENE, "angular acceleration of the right"),
                 "rad/s^2", 0.1, mistakes=(Mistake(lambda p: (p.torque - p.right) / moments()[0],
                                                   "The other wheel gets its share, too."),)),
        Exercise("Try it: let both wheels turn, by the engine alone.",
                 "Half of its torque must exceed the stronger brake: more than 8 N m.", ("What holds the left wheel?",),
                 reached=both_turn, solution={"torque": 12.0}, seconds=1.0),
    ),
)
