"""Speed, friction and the way to rest."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.stopping_distance import SCENE, G, Parameters, distance


def short(world: World, trace: Trace, parameters: Parameters) -> bool:
    way = distance("light")(world, trace)
    return way is not None and way < 0.3 and parameters.mu == 0.4


LESSON = Lesson(
    steps=(
        Step("Run the scene until all four crates are at rest.", ran(2.2)),
        Step("Compare the speeds in the plot: three curves fall equally fast, that of the slippery crate four times more "
             "slowly.", ran(2.2), PLOT),
        Step("Double the friction. All distances are halved.", parameter_set("mu", 0.8),
             Action("Friction 0.8", "set", "mu", 0.8)),
    ),
    exercises=(
        Exercise("A crate starts at {speed} m/s on a floor with $\\mu$ = {mu}. How far does it slide?",
                 "Friction does the work $\\mu m g s$ on the kinetic energy $m v^2/2$, so $s = v^2/(2 \\mu g)$. The mass "
                 "cancels.",
                 ("Which energy does the crate have at the start, and which force takes it?",), predicted(SCENE, "distance of "
                                                                                                                 "the crate "
                                                                                                                 "'light'"),
                 measured(SCENE, "distance of the crate 'light'"), "m",
                 mistakes=(Mistake(lambda p: p.speed**2 / (p.mu * G), "The mean speed is half of the initial one."),)),
        Exercise("And the crate that starts at twice this speed?", "The distance grows with the square of the speed.",
                 ("How much kinetic energy does it have?",), predicted(SCENE, "distance of the crate 'fast'"),
                 measured(SCENE, "distance of the crate 'fast'"), "m",
                 mistakes=(Mistake(lambda p: p.speed**2 / (p.mu * G), "Twice the speed is four times the energy."),)),
        Exercise("Try it: without changing the friction, let the light crate stop within 30 cm.",
                 "It needs $v < \\sqrt{2 \\mu g s}$, here 1.53 m/s.", ("Solve the law for the speed.",), reached=short,
                 solution={"speed": 1.5}),
    ),
)
