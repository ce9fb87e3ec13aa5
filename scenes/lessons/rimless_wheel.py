"""The simplest passive walker: each step costs what the slope gives."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.rimless_wheel import SCENE, Parameters, wheel

ENDS = ("it walks faster and faster", "it walks on at a steady speed", "it stops on two legs")


def end(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """How the run ends, as an index of ENDS."""
    if trace["time"][-1] < 5.0:
        return None
    rate = abs(trace["body:wheel.omega_y"][-400:])
    return 2.0 if rate.max() < 0.2 else float(rate.max() < 1.3 * wheel(parameters).steady_rate)


LESSON = Lesson(
    steps=(
        Step("Run the scene. The angular velocity rises from leg to leg and drops when one lands; the peaks approach a level.",
             ran(4.0)),
        Step("Start slower. The peaks approach the same level from below.", parameter_set("spin", 1.8, 4.0),
             Action("Start at 1.8 rad/s", "set", "spin", 1.8)),
        Step("Take 12 legs. The impacts are weaker, and the wheel walks faster.", parameter_set("legs", 12, 3.0),
             Action("12 legs", "set", "legs", 12)),
    ),
    exercises=(
        Exercise("The wheel of 8 legs starts on a slope of {angle} degrees. What happens in the end?",
                 "It does not come over its next leg: the slope gives less than an impact costs.",
                 ("Compare the energy that a step on the slope gives with the loss at an impact.",), lambda p: 2.0, end,
                 asked={"angle": 2.0}, choices=ENDS, seconds=5.5),
        Exercise("In the steady motion of 8 legs each impact multiplies $\\omega$ by $r = 0.775$, and a step of $s$ = 0.383 m "
                 "down {angle} degrees returns the loss. What is $\\omega$ before an impact, with $(J + m R^2)/m$ = 0.3256 m^2?",
                 "From $\\frac{1}{2}(J + m R^2)\\omega^2 (1 - r^2) = m g s\\,\\sin\\gamma$.",
                 ("The energy lost at an impact equals that of a step.", "An impact leaves $r^2$ of the kinetic energy."),
                 predicted(SCENE, "angular velocity before"), measured(SCENE, "angular velocity before"), "rad/s", 0.03,
                 mistakes=(Mistake(lambda p: wheel(p).ratio * wheel(p).steady_rate, "That is after the impact."),)),
    ),
)
