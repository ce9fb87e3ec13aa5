"""No force will do."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Step, measured, parameter_set, predicted, ran
from scenes.painleve import SCENE, RodParameters


def slides_on(world: World, trace: Trace, parameters: RodParameters) -> bool:
    early = trace["time"] < 0.01
    calm = abs(trace["body:rough rod.omega_y"][early]).max() < 2.0
    return bool(calm and trace["time"][-1] >= 0.05 and parameters.rough_rod_mu == 2.0)


def jams(world: World, trace: Trace, parameters: RodParameters) -> float | None:
    """0 if the rough rod has jammed in the first moment, else 1."""
    if trace["time"][-1] < 0.05:
        return None
    return float(not abs(trace["body:rough rod.omega_y"][trace["time"] < 0.01]).max() > 2.0)


LESSON = Lesson(
    steps=(
        Step("Run the scene. One rod slides, the other somersaults.", ran(0.3)),
        Step("Show the friction cones. The force at the tip of the smooth rod leans backwards, on its cone.",
             action=Action("Show cones", "show", "cones")),
        Step("Give both rods little friction. Neither jams.", parameter_set("rough_rod_mu", 0.5, 0.2),
             Action("Friction 0.5", "set", "rough_rod_mu", 0.5)),
    ),
    exercises=(
        Exercise("A rod of 1 kg and 1 m, $J = 1/12$ kg m^2, slides at {speed} m/s at {angle} degrees and jams. What is its "
                 "spin just after that, to 4 percent?",
                 "The tip is at rest at once, and the angular momentum about it is kept: $\\omega = m v z/(J + m (x^2 + z^2))$.",
                 ("The impulse acts at the tip.", "About the tip it has no moment."), predicted(SCENE, "spin of the rough"),
                 measured(SCENE, "spin of the rough"), "rad/s", 0.05),
        Exercise("Does the rough rod jam with $\\mu$ = {rough_rod_mu}?",
                 "The paradox begins at $\\mu^* = (J/m + x^2)/(x z)$, 1.32 at 60 degrees.",
                 ("Compare its friction with the law of the scene.",), lambda p: 1.0, jams, choices=("yes", "no"),
                 asked={"rough_rod_mu": 1.0}, seconds=0.2),
        Exercise("Try it: leave the friction at 2 and find an angle at which the rough rod does not jam.",
                 "A flat rod has a larger $\\mu^*$: at 30 degrees it is 2.4.", ("Should the rod be steeper or flatter?",),
                 reached=slides_on, solution={"angle": 30.0}, seconds=0.2),
    ),
)
