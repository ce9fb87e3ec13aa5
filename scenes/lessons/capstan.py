"""What a chain around a drum holds."""

import math

from physics import World
from scenes import Trace
from scenes.capstan import SCENE, TURN, G, Parameters, pull
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def holds(world: World, trace: Trace, parameters: Parameters) -> bool:
    """It rests under a pull of 80 N."""
    p = parameters
    return bool(pull(p, trace["time"][-1]) > 80.0 and trace["body:handle.speed"].max() < 5e-3 and p.load == 3.0 and p.mu == 0.3)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the chain slips.", ran(0.45)),
        Step("Show the friction cones, as high as the normal forces. Every link presses on the drum harder than the one before "
             "it.",
             action=Action("Show cones", "show", "cones")),
        Step("Set the friction to 0.5. The chain holds far longer.", parameter_set("mu", 0.5),
             Action("Friction 0.5", "set", "mu", 0.5)),
    ),
    exercises=(
        Exercise("The chain turns by 15 degrees at each of {links} links, $\\mu$ = {mu}, and the weight has {load} kg. At which "
                 "pull does it slip, to 6 percent, as if it weighed nothing?",
                 "Each link multiplies the force by $(1 + \\mu\\tan(\\delta/2))/(1 - \\mu\\tan(\\delta/2))$, all together by "
                 "about $e^{\\mu n \\delta}$; the weight of the links adds a little.",
                 ("By which factor does one link multiply the force?",), predicted(SCENE, "pull at which the chain slips"),
                 measured(SCENE, "pull at which the chain slips"), "N", 0.06,
                 mistakes=(Mistake(lambda p: p.load * G * (1.0 + p.mu * p.links * TURN),
                                   "The friction of a link grows with the force that it carries already."),
                           Mistake(lambda p: p.load * G * math.exp(2.0 * p.mu * p.links * TURN), "Count each link once."))),
        Exercise("Try it: change only the number of links so that a pull of 80 N does not move the chain.",
                 "It needs $n > \\ln(80/29)/(\\mu\\delta)$, about 13.", ("How many times the weight is 80 N?",), reached=holds,
                 solution={"links": 15}, seconds=0.7),
    ),
)
