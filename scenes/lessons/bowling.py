"""What a thrown ball keeps of its speed."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.bowling import BODIES, SCENE, Parameters, R, final, rolls
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def slides_for(trace: Trace, name: str) -> float:
    """Time at which the slip falls below 1 cm/s [s]."""
    slip = trace[f"body:{name}.vx"] - R * trace[f"body:{name}.omega_y"]
    return float(trace["time"][np.flatnonzero(slip > 0.01)[-1]])


def hoop_time(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return None if final("hoop")(world, trace) is None else slides_for(trace, "hoop")


def soon(world: World, trace: Trace, parameters: Parameters) -> bool:
    return final("ball")(world, trace) is not None and slides_for(trace, "ball") < 0.2 and parameters.speed == 3.0


LESSON = Lesson(
    steps=(
        Step("Run the scene until all three roll.", ran(1.0)),
        Step("Show the spins, and look at the plots: speeds fall and spins grow along straight lines, until the slip ends.",
             action=Action("Show spins", "show", "spins")),
        Step("Double the friction. They roll earlier, with the same speeds.", parameter_set("mu", 0.5),
             Action("Friction 0.5", "set", "mu", 0.5)),
    ),
    exercises=(
        Exercise("The ball is thrown at {speed} m/s without spin. How fast is it when it rolls?",
                 "The angular momentum about a point of the floor is kept: $m r v_0 = (1 + k) m r v$ with $k = 2/5$.",
                 ("Friction acts along the floor. About which points has it no moment?",), predicted(SCENE, "final speed of "
                                                                                                            "the ball"),
                 measured(SCENE, "final speed of the ball"), "m/s",
                 mistakes=(Mistake(lambda p: p.speed * (5.0 / 7.0) ** 0.5, "Energy is not kept: friction does work while it "
                                                                           "slides."),)),
        Exercise("How long does the hoop slide, with $\\mu$ = {mu}?",
                 "It loses half of its speed with $\\mu g$: $t = v_0/(2 \\mu g)$.",
                 ("How much speed does it lose, and at which rate?",), lambda p: rolls("hoop", p)[0], hoop_time, "s", 0.04),
        Exercise("Which of them keeps the smallest part of its energy?",
                 "Translation and rotation together keep $1/(1+k)$, which is smallest where the mass is farthest from the axis.",
                 ("Add the energy of the rotation.",), lambda p: 2.0, lambda world, trace, p: least(world, trace),
                 choices=("the ball", "the cylinder", "the hoop")),
        Exercise("Try it: without changing the speed, let the ball roll within 0.2 s.",
                 "It needs $\\mu > 2 v_0/(7 g t)$ = 0.44.", ("What ends the slip sooner?",), reached=soon, solution={"mu": 0.6}),
    ),
)


def least(world: World, trace: Trace) -> float | None:
    """Index of the body with the least kinetic energy once all roll."""
    speeds = [final(name)(world, trace) for name in BODIES]
    if None in speeds:
        return None
    return float(np.argmin([(1.0 + k) * v**2 for k, v in zip(BODIES.values(), speeds, strict=True)]))
