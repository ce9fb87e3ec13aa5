"""Why interleaved books hold."""

from physics import World
from scenes import Trace
from scenes.books import SCENE, SLIP, G, Parameters
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def easy(world: World, trace: Trace, parameters: Parameters) -> bool:
    force, p = SLIP.measured(parameters, trace), parameters
    return force is not None and force < 26.0 and (p.mu, p.pairs, p.load) == (0.4, 2, 1.0)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the book comes out.", ran(0.42)),
        Step("Show the friction cones, as high as the normal forces: each sheet presses on the next one harder than the load on "
             "top.",
             action=Action("Show cones", "show", "cones")),
        Step("Take three sheets of each book. The pull nearly triples.", parameter_set("pairs", 3, 0.3),
             Action("Three sheets", "set", "pairs", 3)),
    ),
    exercises=(
        Exercise("One sheet of each book: {weight} kg each, under a load of {load} kg, $\\mu$ = {mu}. The strap of the lower one "
                 "slopes by $\\tan\\alpha$ = 0.05. At which pull does it come out?",
                 "It bears $P + w$ on top and presses on the table with $P + 2 w + T\\tan\\alpha$; both rub. The strap of "
                 "the upper sheet, $\\tan\\alpha$ = 0.15, adds its share to $P + w$.",
                 ("On which surfaces does the lower sheet rub?", "The straps pull the sheets down."),
                 predicted(SCENE, "pull at which the book"), measured(SCENE, "pull at which the book"), "N", 0.02,
                 asked={"pairs": 1, "rate": 30.0}, seconds=0.6,
                 mistakes=(Mistake(lambda p: p.mu * G * (2.0 * p.load + 3.0 * p.weight),
                                   "The straps pull the sheets down, too."),)),
        Exercise("Try it: change only the height of the spines so that the book comes out at less than 26 N.",
                 "With level straps the pull presses nothing together.", ("What makes the pull press the sheets together?",),
                 reached=easy, solution={"spine": 0.06}),
    ),
)
