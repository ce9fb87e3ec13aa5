"""Why one speed shakes most."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.bumpy_road import RESONANCE, SCENE, WAVE, Parameters, amplitude
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def speed_from_waves(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Wave length times the measured frequency of the cart in the middle [m/s], from its passages through the mean height."""
    z, time = trace["body:resonant cart.z"], trace["time"]
    if time[-1] < 1.0:
        return None
    z = z - 0.5 * (z.max() + z.min())
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    return None if len(up) < 2 else float(WAVE * (len(up) - 1) / (time[up[-1]] - time[up[0]]))


def calm(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The cart in the middle heaves by less than 1.2 times the road."""
    heave = amplitude("resonant", parameters.speed)(world, trace)
    return bool(heave is not None and heave < 1.2 * parameters.height and parameters.speed == WAVE * RESONANCE)


LESSON = Lesson(
    steps=(
        Step("Run the scene. The three carts meet the same waves, at three speeds.", ran(0.4)),
        Step("Go on and compare the amplitudes in the plot.", ran(1.1)),
        Step("Set the damping to 0.6. The cart in the middle calms down.", parameter_set("damping", 0.6),
             Action("Damping 0.6", "set", "damping", 0.6)),
    ),
    exercises=(
        Exercise("The road's waves are 0.6 m long, and the springs' natural frequency is 2 Hz. At which speed do the waves come "
                 "in the rhythm of the springs?",
                 "One wave a period: $v = \\lambda f_0$.", ("How many waves a second does the cart meet?",),
                 lambda p: WAVE * RESONANCE, speed_from_waves, "m/s", 0.02),
        Exercise("The waves have an amplitude of {height} m, the damping ratio is {damping}. What is the amplitude of the cart "
                 "in the middle, at resonance?",
                 "At $r = 1$: $|T| = \\sqrt{1 + 4 D^2}/(2 D)$.", ("Which terms vanish for $r = 1$?",),
                 predicted(SCENE, "amplitude of the resonant cart"), measured(SCENE, "amplitude of the resonant cart"), "m", 0.03,
                 mistakes=(Mistake(lambda p: 0.5 * p.height / p.damping, "That is the law of a force on the chassis; here the "
                                                                         "damper passes on the road's motion, too."),)),
        Exercise("Try it: change only the damping so that the cart in the middle heaves by less than 1.2 times the road.",
                 "$\\sqrt{1 + 4 D^2}/(2 D) < 1.2$ where $D > 0.75$.", ("Use the law at resonance.",), reached=calm,
                 solution={"damping": 0.9}),
    ),
)
