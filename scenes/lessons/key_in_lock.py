"""Why a key must not be turned while it is pulled out."""

from physics import World
from scenes import Trace
from scenes.key_in_lock import SCENE, THICK, WIDTHS, Parameters
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def holds(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The narrow key rests under a pull of 9 N."""
    p, rests = parameters, trace["body:narrow key.vx"].max() < 5e-3
    return bool(rests and p.rate * trace["time"][-1] > 9.0 and (p.torque, p.rate) == (1.0, 12.0))


def friction_from_pull(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """The friction coefficient, from the measured pull at which the wide key slips."""
    pull = measured(SCENE, "pull at which the wide key slips")(world, trace, parameters)
    return None if pull is None else pull * WIDTHS["wide key"] / parameters.torque


LESSON = Lesson(
    steps=(
        Step("Run the scene. The wide key comes out first.", ran(0.65)),
        Step("Show the friction cones. Each blade presses on its walls with two opposite edges.",
             action=Action("Show cones", "show", "cones")),
        Step("Set the torque to 0. Both keys come out at once.", parameter_set("torque", 0.0, 0.2),
             Action("Torque 0", "set", "torque", 0.0)),
    ),
    exercises=(
        Exercise("A hand turns the narrow key with {torque} N m. Its blade is 0.1 m wide, $\\mu$ = {mu}. At which pull does it "
                 "slip?",
                 "Two edges bear, each with $N = T/(2 w)$, half a width from the axis, and each rubs with $\\mu N$: "
                 "$F = \\mu T/w$.", ("How large must the forces at the edges be so that the key does not turn?",),
                 predicted(SCENE, "pull at which the narrow key slips"), measured(SCENE, "pull at which the narrow key slips"),
                 "N", 0.02, mistakes=(Mistake(lambda p: 0.5 * p.mu * p.torque / WIDTHS["narrow key"], "Both edges rub."),
                                      Mistake(lambda p: p.mu * p.torque / THICK, "The forces act across the blade: their lever "
                                                                                 "is its width, not its thickness."))),
        Exercise("The wide key, of 0.2 m, slips at a pull that you can measure. What follows for the friction coefficient?",
                 "$\\mu = F w/T$ with half the width.", ("Solve the law for the friction.",), lambda p: p.mu,
                 friction_from_pull, "", 0.02),
        Exercise("Try it: change only the friction so that a pull of 9 N does not move the narrow key.",
                 "It needs $\\mu > F w/T$ = 0.45.", ("At which pull does it slip now, and how much more is wanted?",),
                 reached=holds, solution={"mu": 0.6}, seconds=0.85),
    ),
)
