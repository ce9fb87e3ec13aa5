"""Stable upside down."""

import math

from physics import World
from scenes import Trace
from scenes.kapitza import SCENE, G, L, Parameters, swing
from scenes.lessons import Action, Exercise, Lesson, Step, measured, parameter_set, predicted, ran


def lowest_frequency(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """By extrapolation of the measured swing, whose stiffness grows with the square of the frequency [Hz]."""
    period = swing(parameters, trace)
    if period is None:
        return None
    return parameters.frequency * math.sqrt(G / L / ((math.tau / period) ** 2 + G / L))


def falls(world: World, trace: Trace, parameters: Parameters) -> bool:
    return bool(abs(trace["body:shaken pendulum.pitch"]).max() > 0.8 and parameters.amplitude == 0.02)


LESSON = Lesson(
    steps=(
        Step("Run it at a fiftieth of its speed: the rod nods in the rhythm of its pivot.",
             action=Action("A fiftieth of the speed", "speed", "", 0.02)),
        Step("Run the scene. One pendulum falls, the other stands.", ran(0.7), Action("Full speed", "speed", "", 1.0)),
        Step("Halve the amplitude. The pendulum falls.", parameter_set("amplitude", 0.01), Action("1 cm", "set", "amplitude",
                                                                                                 0.01)),
    ),
    exercises=(
        Exercise("The pivot moves by {amplitude} m at {frequency} Hz; the reduced length is 0.4 m. What is the period of the "
                 "swing about the top?",
                 "$\\Omega^2 = a^2 w^2/(2 l^2) - g/l$ with $w = 2 \\pi f$.", ("Averaged, the vibration acts like a spring.",),
                 predicted(SCENE, "period of the swing"), measured(SCENE, "period of the swing"), "s", 0.04),
        Exercise("At which frequency of the pivot does it lose its stability, with the same amplitude?",
                 "Where $a w = \\sqrt{2 g l}$.", ("Set the square of the rate to zero.",),
                 lambda p: math.sqrt(2.0 * G * L) / (math.tau * p.amplitude), lowest_frequency, "Hz", 0.04),
        Exercise("Try it: leave the amplitude at 2 cm, and let the pendulum fall.", "Below 22 Hz the vibration is too slow.",
                 ("Change the frequency.",), reached=falls, solution={"frequency": 12.0}, seconds=0.9),
    ),
)
