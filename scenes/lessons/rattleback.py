"""Why a rattleback turns back, and why it does so one way only."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.rattleback import SCENE, Parameters


def back_early(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The unwilling stone turns the other way within 1.6 s."""
    turned_back = trace["body:unwilling.omega_z"] > 0.0
    return bool(turned_back.any() and trace["time"][int(turned_back.argmax())] < 1.6 and parameters.spin == Parameters().spin)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the unwilling stone has turned back.", ran(3.6)),
        Step("Look at the plots: the pitching is largest where the spin is 0.", action=PLOT),
        Step("Turn the masses further, to 9 degrees. It turns back sooner.", parameter_set("askew", 9.0),
             Action("9 degrees", "set", "askew", 9.0)),
    ),
    exercises=(
        Exercise("How fast does the unwilling stone, spun at {spin} rad/s, turn when it has turned back?",
                 "Rolling without slip loses nothing: the pitching takes all energy of the spin, and gives it back.",
                 ("Which friction does work here?",), predicted(SCENE, "spin of"), measured(SCENE, "spin of"), "rad/s", 0.03,
                 mistakes=(Mistake(lambda p: 0.5 * p.spin, "Nothing is lost on the way."),)),
        Exercise("Try it: change only the angle of the masses so that the unwilling stone turns back before 1.6 s.",
                 "The growth rate is nearly proportional to the angle.", ("What takes energy out of the spin?",),
                 reached=back_early, solution={"askew": 10.0}, seconds=1.7),
    ),
)
