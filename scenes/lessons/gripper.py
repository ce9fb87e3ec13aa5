"""How hard must one grip?"""

from physics import World
from scenes import Trace
from scenes.gripper import SCENE, G, Parameters, slipped
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def light_grip(world: World, trace: Trace, parameters: Parameters) -> bool:
    force = slipped(parameters, trace)
    return force is not None and force < 15.0 and parameters.mass == 2.0


LESSON = Lesson(
    steps=(
        Step("Run the scene until the box slips.", ran(1.25)),
        Step("Show the friction cones. While the pads press less and less, the cones shrink; the force in them stays as it is.",
             action=Action("Show cones", "show", "cones")),
        Step("Use a box of 5 kg. It slips earlier.", parameter_set("mass", 5.0), Action("5 kg", "set", "mass", 5.0)),
    ),
    exercises=(
        Exercise("A box of {mass} kg is lifted with an acceleration of {lift} m/s^2, $\\mu$ = {mu}. At which force of each pad "
                 "does it slip?",
                 "Two pads carry it: $2 \\mu F = m (g + a)$.", ("How many surfaces rub?", "Which force does the acceleration "
                                                                                          "need?"),
                 predicted(SCENE, "grip at which the box slips"), measured(SCENE, "grip at which the box slips"), "N", 0.02,
                 mistakes=(Mistake(lambda p: p.mass * (G + p.lift) / p.mu, "Both pads carry the box."),
                           Mistake(lambda p: p.mass * G / (2.0 * p.mu), "The box is not only held, it is accelerated, too."))),
        Exercise("Try it: choose the friction so that a grip of 15 N still holds the box of 2 kg.",
                 "It needs $\\mu > m (g + a)/(2 F)$ = 0.72.", ("Solve the law for the friction.",), reached=light_grip,
                 solution={"mu": 0.9}, seconds=1.7),
    ),
)
