"""Walking without a motor: a motion that repeats itself."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, parameter_set, ran
from scenes.walking_toy import HIP, MASS, G, Parameters, gait, length, passings

ENDS = ("it walks faster and faster", "it comes back to its gait", "it falls")


def end(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """How the run ends, as an index of ENDS."""
    if trace["time"][-1] < 4.5:
        return None
    steps, (_, steady) = np.diff(passings(trace)), gait(parameters.angle)
    return 2.0 if len(steps) < 4 else float(abs(steps[-2:].mean() / steady - 1.0) < 0.05)


def cost(parameters: Parameters) -> float:
    """Energy lost in a step of the steady gait [J]."""
    return (HIP + 2.0 * MASS) * G * length(-gait(parameters.angle)[0][0]) * np.sin(np.radians(parameters.angle))


def lost(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """The same from the way down the ramp between the last passings of the legs [J]: the speed there is always the same."""
    found = passings(trace)
    if len(found) < 6:
        return None
    x = np.interp(found[[-3, -1]], trace["time"], trace["body:hip.x"])
    return float((HIP + 2.0 * MASS) * G * np.ptp(x) / 2.0 * np.tan(np.radians(parameters.angle)))


def fast(world: World, trace: Trace, parameters: Parameters) -> bool:
    """It has walked for some steps, the last of them with more than 0.49 m/s."""
    found = passings(trace)
    return len(found) > 5 and float(np.ptp(np.interp(found[[-3, -1]], trace["time"], trace["body:hip.x"]))) > 0.49 * np.ptp(
        found[[-3, -1]])


LESSON = Lesson(
    steps=(
        Step("Run the scene for five seconds. See in the plot of both angles which leg stands and which one swings.", ran(4.5)),
        Step("Push it more. After a few steps the plot looks as before.", parameter_set("push", 1.08, 4.0),
             Action("Push it more", "set", "push", 1.08)),
        Step("Push it too little. It does not come over its standing leg.", parameter_set("push", 0.9, 1.5),
             Action("Push it less", "set", "push", 0.9)),
    ),
    exercises=(
        Exercise("The toy starts at 1.06 times the speed of its gait. What happens?",
                 "A faster step costs more energy at its landing than the ramp gives, a slower one less.",
                 ("Does a faster landing cost more?",), lambda p: 1.0, end, asked={"push": 1.06}, choices=ENDS, seconds=5.0),
        Exercise("Hip and legs have a mass of 6 kg. A step on a ramp of {angle} degrees is 0.318 m long. How much energy does a "
                 "landing cost in the steady gait?",
                 "As much as a step down the ramp gives: $M g s\\,\\sin\\gamma$.",
                 ("In the steady gait each step begins with the same energy.",), cost, lost, "J", 0.05,
                 mistakes=(Mistake(lambda p: cost(p) / np.sin(np.radians(p.angle)), "The toy comes down by less than the length "
                                                                                    "of a step."),), seconds=5.0),
        Exercise("Try it: choose a ramp on which the toy walks faster than 0.49 m/s.",
                 "A steeper ramp gives more energy for each step; the steps get longer.", ("Which slope makes longer steps?",),
                 reached=fast, solution={"angle": 2.4}, seconds=5.0),
    ),
)
