"""The axis that does not hold."""

import math

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.tumbling_t import HANDLE, MASS, SCENE, TIP, Parameters, interval, turns

EVERY = predicted(SCENE, "turns over every")
MEASURED = measured(SCENE, "turns over every")


def each_second(world: World, trace: Trace, parameters: Parameters) -> bool:
    found = MEASURED(world, trace, parameters)
    return found is not None and abs(found - 1.0) < 0.03


def energy(parameters: Parameters) -> float:
    """At the start [J]."""
    x, _, z = (float(HANDLE.inertia(MASS)[k, k]) for k in range(3))
    return 0.5 * parameters.spin**2 * (x * math.sin(TIP) ** 2 + z * math.cos(TIP) ** 2)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the handle has turned over. Nothing touched it.", lambda world, trace,
            p: len(turns(trace)) >= 1),
        Step("Wait for the next turn-over. They come at regular intervals.", lambda world, trace, p: len(turns(trace)) >= 2),
        Step("Look at the kinetic energy and the angular momentum in the plot: both stay, while the handle tumbles."),
        Step("Spin it twice as fast.", lambda world, trace, p: p.spin == 16.0 and len(turns(trace)) >= 2,
             Action("16 rad/s", "set", "spin", 16.0)),
    ),
    exercises=(
        Exercise("With {spin:g} rad/s, how long is it from one turn-over to the next?",
                 "Nothing in Euler's equations has a time of its own: twice the spin is half the time.",
                 ("If everything turns twice as fast, what becomes of all times?",), EVERY, MEASURED, "s", 0.04,
                 asked={"spin": 16.0},
                 mistakes=(Mistake(lambda p: interval(0.5 * p.spin), "That is with half the spin."),)),
        Exercise("How much kinetic energy has the handle, if its moment of inertia about the stem is 0.1227 kg m$^2$ and it "
                 "spins with "
                 "{spin} rad/s?",
                 "$E = \\frac{1}{2} I \\omega^2$, and it stays so.", ("It is the energy of a rotation about one axis.",),
                 energy, lambda world, trace, p: float(trace["world.kinetic"][0]), "J", 0.03,
                 mistakes=(Mistake(lambda p: 2.0 * energy(p), "There is a half in it."),)),
        Exercise("Make it happen: choose the spin so that it turns over once a second, to 3 percent.",
                 "Spin times interval is constant: take the interval of 8 rad/s in seconds, times 8.",
                 ("Measure the interval for one spin; the product of both is always the same.",),
                 reached=each_second, solution={"spin": round(8.0 * interval(8.0), 2)}),
    ),
)
