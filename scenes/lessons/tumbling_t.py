"""The axis that does not hold."""

import math

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.tumbling_t import HANDLE, MASS, SCENE, TIP, Parameters, interval, turns

EVERY = predicted(SCENE, "flips every")
MEASURED = measured(SCENE, "flips every")


def each_second(world: World, trace: Trace, parameters: Parameters) -> bool:
    found = MEASURED(world, trace, parameters)
    return found is not None and abs(found - 1.0) < 0.03


def energy(parameters: Parameters) -> float:
    """At the start [J]."""
    x, _, z = (float(HANDLE.inertia(MASS)[k, k]) for k in range(3))
    return 0.5 * parameters.spin**2 * (x * math.sin(TIP) ** 2 + z * math.cos(TIP) ** 2)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the handle has flipped without any external torque.", lambda world, trace,
            p: len(turns(trace)) >= 1),
        Step("Wait for the next flip. They occur at regular intervals.", lambda world, trace, p: len(turns(trace)) >= 2),
        Step("Look at the kinetic energy and the angular momentum in the plot: both are conserved while the handle tumbles.",
             lambda world, trace, p: len(turns(trace)) >= 1, PLOT),
        Step("Spin it twice as fast.", lambda world, trace, p: p.spin == 16.0 and len(turns(trace)) >= 2,
             Action("16 rad/s", "set", "spin", 16.0)),
    ),
    exercises=(
        Exercise("At {spin:g} rad/s, what is the time between two flips?",
                 "Euler's equations have no time scale of their own: twice the spin gives half the time.",
                 ("If everything turns twice as fast, how do all times change?",), EVERY, MEASURED, "s", 0.04,
                 asked={"spin": 16.0},
                 mistakes=(Mistake(lambda p: interval(0.5 * p.spin), "That is with half the spin."),)),
        Exercise("What is the kinetic energy of the handle, if its moment of inertia about the stem is 0.1227 kg m$^2$ and it "
                 "spins at {spin} rad/s?",
                 "$E = \\frac{1}{2} I \\omega^2$, and it is conserved.", ("It is the energy of a rotation about one axis.",),
                 energy, lambda world, trace, p: float(trace["world.kinetic"][0]), "J", 0.03,
                 mistakes=(Mistake(lambda p: 2.0 * energy(p), "A factor of one half is missing."),)),
        Exercise("Try it: choose the spin so that it flips once per second, within 3 percent.",
                 "Spin times interval is constant: take the interval of 8 rad/s in seconds, times 8.",
                 ("Measure the interval for one spin; the product of both is always the same.",),
                 reached=each_second, solution={"spin": round(8.0 * interval(8.0), 2)}),
    ),
)
