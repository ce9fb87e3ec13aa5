"""How large friction is at rest, and how large in sliding."""

from physics import World
from scenes import Trace
from scenes.growing_push import FRICTION, MASS, SCENE, G, Parameters, largest, sliding
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def no_drop(world: World, trace: Trace, parameters: Parameters) -> bool:
    """It slid, and friction did not fall."""
    most, then = largest(world, trace), sliding(world, trace)
    return most is not None and then is not None and most < 1.02 * then and parameters.mu == 0.3


def at_one_second(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Friction after one second [N]."""
    return float(trace[FRICTION][trace["time"] <= 1.0][-1]) if trace["time"][-1] >= 1.0 else None


LESSON = Lesson(
    steps=(
        Step("Run the scene until the block slides.", ran(2.1)),
        Step("Show the friction cones. The force under the block leans more and more, until it lies on its cone: the block "
             "breaks away, and the arrow of friction shrinks.",
             action=Action("Show cones", "show", "cones")),
        Step("Make static friction twice kinetic friction. Friction falls by half when the block breaks away.",
             parameter_set("ratio", 2.0), Action("Ratio 2", "set", "ratio", 2.0)),
    ),
    exercises=(
        Exercise("The push grows by {rate} N each second, and the block rests on a track with $\\mu_k$ = {mu}. How large is "
                 "friction after one second?",
                 "The block rests, so friction balances the push: $R = F$. It is not $\\mu N$: that is only its bound.",
                 ("Which forces act along the track on a block at rest?",), lambda p: p.rate, at_one_second, "N",
                 mistakes=(Mistake(lambda p: p.mu * MASS * G, "That is friction in sliding; the block still rests."),
                           Mistake(lambda p: p.mu * p.ratio * MASS * G, "That is the largest friction that it could have."))),
        Exercise("At which push does the block of 5 kg break away, with $\\mu_s$ = {ratio} $\\mu_k$ and $\\mu_k$ = {mu}?",
                 "At the static bound, $F = \\mu_s m g$.", ("How large can friction get at rest?",),
                 predicted(SCENE, "largest friction"), measured(SCENE, "largest friction"), "N", 0.03),
        Exercise("Try it: change one parameter so that friction does not fall when the block breaks away.",
                 "With equal static and kinetic friction, a ratio of 1, it stays at its bound.",
                 ("From which value to which does it fall?",), reached=no_drop, solution={"ratio": 1.0}, seconds=2.0),
    ),
)
