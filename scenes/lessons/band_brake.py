"""Why a band brake helps itself one way and not the other."""

import math

from physics import World
from scenes import Trace
from scenes._parts import G
from scenes.band_brake import SCENE, Parameters, R, torque
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def three_times(world: World, trace: Trace, parameters: Parameters) -> bool:
    """One brake is more than three times as strong as the other."""
    helped, hindered = (one.measure(world, trace) for one in SCENE.predict(parameters))
    return helped is not None and hindered is not None and helped > 3.0 * hindered


LESSON = Lesson(
    steps=(
        Step("Run the scene until the orange drum has stopped.", ran(1.15)),
        Step("Show the friction cones, as high as the normal forces. On the orange drum they grow from the weight to the rod, "
             "on the pink one they shrink.",
             action=Action("Show cones", "show", "cones")),
        Step("Double the weights. Both brakes become twice as strong.", parameter_set("load", 6.0),
             Action("6 kg", "set", "load", 6.0)),
    ),
    exercises=(
        Exercise("Each band hangs over half a drum of 0.3 m radius, $\\mu$ = {mu}, with a weight of {load} kg. What is the "
                 "torque of the brake that helps itself, to 10 percent?",
                 "The rod bears $m g\\,e^{\\mu\\pi}$; the torque is the difference of both forces times the radius.",
                 ("By how much is the force in the rod larger than the weight?",),
                 predicted(SCENE, "torque of the helped"), measured(SCENE, "torque of the helped"), "N m", 0.1,
                 mistakes=(Mistake(lambda p: p.load * G * R * math.exp(p.mu * math.pi), "The weight pulls the other way."),
                           Mistake(lambda p: torque(-1.0, p), "That is the other brake."))),
        Exercise("And the torque of the other brake, to 10 percent?",
                 "Its rod bears only $m g\\,e^{-\\mu\\pi}$, and the weight the rest.",
                 ("Which end of its band is the tight one?",),
                 predicted(SCENE, "torque of the hindered"), measured(SCENE, "torque of the hindered"), "N m", 0.1,
                 mistakes=(Mistake(lambda p: torque(1.0, p), "That is the other brake."),)),
        Exercise("Try it: make one brake more than three times as strong as the other.",
                 "Their ratio is $e^{\\mu\\pi}$, whatever the weight: it needs $\\mu$ > 0.35.",
                 ("Does the ratio depend on the weight?",), reached=three_times, solution={"mu": 0.45}, seconds=0.5),
    ),
)
