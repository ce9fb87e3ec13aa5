"""Why drawers jam."""

from physics import World
from scenes import Trace
from scenes.drawer import DRAWERS, MASS, SCENE, Parameters, gained, limit
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def limit_from_motion(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Pull's distance at which the acceleration would be zero [m]."""
    a = gained(DRAWERS[0])(world, trace)
    return None if a is None else parameters.near / (1.0 - MASS * a / parameters.force)


def freed(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(trace[f"body:{DRAWERS[1]}.x"][-1] > 5e-3 and parameters.far == 0.35)


LESSON = Lesson(
    steps=(
        Step("Run the scene. One drawer slides out, the other stays.", ran(0.6)),
        Step("Show the friction cones. Each drawer bears on the rails with two opposite corners.",
             action=Action("Show cones", "show", "cones")),
        Step("Pull ten times as hard. The second drawer stays.", parameter_set("force", 50.0),
             Action("50 N", "set", "force", 50.0)),
    ),
    exercises=(
        Exercise("The drawer of 2 kg is 0.3 m long and pulled with {force} N at a distance of {near} m from its middle, $\\mu$ "
                 "= {mu}. What is its acceleration?",
                 "Moments give the force at each corner, $N = F a/L$; both rub: $m \\ddot{x} = F - 2 \\mu N$.",
                 ("How large must the forces at the corners be so that the drawer does not turn?",),
                 predicted(SCENE, "acceleration of the drawer pulled near"), measured(SCENE, "acceleration of the drawer "
                                                                                             "pulled near"),
                 "m/s^2", 0.02, mistakes=(Mistake(lambda p: p.force / MASS, "That is the acceleration without friction."),)),
        Exercise("At which distance from the middle does a pull no longer move the drawer?",
                 "Where friction equals the pull: $a = L/(2 \\mu)$, for any force.", ("When is the acceleration zero?",), limit,
                 limit_from_motion, "m", 0.02),
        Exercise("Try it: change only the friction so that the second drawer slides, too.",
                 "Its pull is 0.35 m from the middle: $\\mu < L/(2 a)$ = 0.43.", ("Solve the limit for the friction.",),
                 reached=freed, solution={"mu": 0.4}),
    ),
)
