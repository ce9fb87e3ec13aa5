"""Stick and slip on a belt."""

import math

from physics import World
from scenes import Trace
from scenes.belt import MASS, SCENE, G, Parameters, largest
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran


def twenty_centimetres(world: World, trace: Trace, parameters: Parameters) -> bool:
    stretch = largest(trace)
    return stretch is not None and stretch > 0.2 and parameters.mu == 0.3 and parameters.ratio == 1.7


LESSON = Lesson(
    steps=(
        Step("Run the scene until the first box has jumped back.", lambda world, trace, p: largest(trace) is not None),
        Step("Wait and compare the two curves: a saw-tooth, and a line that finally becomes straight.", ran(5.0)),
        Step("Show the velocity arrows. While the first box sticks it has exactly the speed of the belt.",
             action=Action("Show velocities", "show", "velocities")),
        Step("Make the belts ten times faster. The box no longer sticks.",
             lambda world, trace, p: p.speed == 1.0 and trace["time"][-1] > 2.0, Action("1 m/s", "set", "speed", 1.0)),
    ),
    exercises=(
        Exercise("A box of 1 kg slips on its belt with $\\mu$ = {mu}; its spring has {stiffness} N/m. What is the extension of "
                 "the spring while the second box slips steadily?",
                 "The spring balances the kinetic friction: $x = \\mu_k m g/k$.", ("Which two forces balance?",),
                 predicted(SCENE, "extension during slip"), measured(SCENE, "extension during slip"), "m", 0.06),
        Exercise("The static friction of the first box is {ratio} times the kinetic friction. What is its largest extension?",
                 "It breaks away at $\\mu_s m g/k$ while it still moves with the belt, and swings slightly further: see the law "
                 "of the scene.",
                 ("At which extension does it break away?", "Then it oscillates about the extension of steady slip."),
                 predicted(SCENE, "largest extension"), measured(SCENE, "largest extension"), "m", 0.04,
                 mistakes=(Mistake(lambda p: p.mu * MASS * G / p.stiffness, "That is with the kinetic friction."),)),
        Exercise("What is the period of a box of 1 kg on its spring, with {stiffness} N/m, without friction?",
                 "$T = 2 \\pi \\sqrt{m/k}$. A slip takes slightly more than half of it.", ("It is the formula of every mass on a "
                                                            "spring.",),
                 lambda p: math.tau * math.sqrt(MASS / p.stiffness),
                 lambda world, trace, p: swing(trace), "s", 0.06),
        Exercise("Try it: choose the spring so that the first box extends it by more than 20 cm. Leave the friction unchanged.",
                 "A softer spring is extended further by the same friction: $x = \\mu_s m g/k$ needs k below 25 N/m.",
                 ("Should the spring be softer or stiffer?",), reached=twenty_centimetres, solution={"stiffness": 20.0},
                 seconds=5.0),
    ),
)


def swing(trace: Trace) -> float | None:
    """From the acceleration of the slip, -omega^2 (x - x_slip), at the point where the box turns back [s]."""
    x, t = trace["body:stick and slip.x"], trace["time"]
    k = int(x.argmax())
    if not 3 < k < len(x) - 3 or x[-1] > x[k] - 1e-3:
        return None
    slope = (x[k + 3] - 2.0 * x[k] + x[k - 3]) / (t[k + 3] - t[k]) ** 2
    rest = float(trace["body:equal friction.x"][t > t[-1] - 2.0].mean())
    return math.tau * math.sqrt((x[k] - rest) / -slope)
