"""How fast a coin must spin to stay on its edge."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.spinning_coin import SCENE, Parameters, least_spin


def spins_slowly(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The least spin is below 5 rad/s."""
    return bool(least_spin(parameters) < 5.0 and trace["time"][-1] > 0.5)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the slow coin has fallen.", ran(1.2)),
        Step("Look at the plots: two coins wobble, the lean of the third grows.", action=PLOT),
        Step("Set the radius to 0.15 m. All that happens, happens more quickly.", parameter_set("radius", 0.15),
             Action("Radius 0.15 m", "set", "radius", 0.15)),
    ),
    exercises=(
        Exercise("The fast coin, of {radius} m, spins at twice the least rate at which a coin stays up. How fast does it wobble?",
                 "$\\sqrt{w^2 - w_0^2} = \\sqrt{3}\\,w_0$, with $w_0 = \\sqrt{4 g / (5 r)}$.",
                 ("Which rate does $w^2 - w_0^2$ give?",), predicted(SCENE, "rate of the fast"),
                 measured(SCENE, "rate of the fast"), "rad/s", 0.02,
                 mistakes=(Mistake(lambda p: 2.0 * least_spin(p), "That is how fast it spins. Its weight slows the wobble."),)),
        Exercise("Try it: change only the radius so that coins stay up from 5 rad/s on.",
                 "The least rate falls with the square root of the radius.", ("What does $w_0$ depend on?",),
                 reached=spins_slowly, solution={"radius": 0.34}, seconds=1.0),
    ),
)
