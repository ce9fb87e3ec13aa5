"""Transport without going anywhere."""

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.vibration_ratchet import SCENE, G, Parameters, walked


def fast(world: World, trace: Trace, parameters: Parameters) -> bool:
    speed = walked(parameters, trace)
    return speed is not None and speed > 0.25 and parameters.mu == 0.4


def largest_hold(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Largest deceleration of the walker, which is that of its slip [m/s^2]."""
    v, t = trace["body:walker.vx"], trace["time"]
    return float(-((v[3:] - v[:-3]) / (t[3:] - t[:-3])).min()) if t[-1] > 1.0 else None


LESSON = Lesson(
    steps=(
        Step("Run the scene for three periods. One box walks.", ran(1.5)),
        Step("Look at the plot and compare the speeds of walker and plate: equal on the way forwards, apart after the jerk.",
             action=PLOT),
        Step("Take away the asymmetry. The box slips to and fro.", parameter_set("jerk", 0.5, 1.5),
             Action("Fraction 0.5", "set", "jerk", 0.5)),
    ),
    exercises=(
        Exercise("The plate turns round from +{speed} m/s to -{speed} m/s. What is the deceleration of the walker while it "
                 "slips, with $\\mu$ = {mu}?",
                 "Friction alone acts on it: $\\mu g$, however violent the jerk.", ("Which force acts on a box that slips?",),
                 lambda p: p.mu * G, largest_hold, "m/s^2", 0.04,
                 mistakes=(Mistake(lambda p: 2.0 * p.speed / (p.jerk * p.period), "That is the deceleration of the plate."),)),
        Exercise("What is the mean speed of the walker, by the law of the scene, to 5 percent?",
                 "A period contributes $s = (a_2 - \\mu g)\\,t_2\\,t/2$, the area between the two speeds.",
                 ("First find the two accelerations of the plate.", "The slip velocity rises in the jerk and falls afterwards."),
                 predicted(SCENE, "mean speed of the walker"), measured(SCENE, "mean speed of the walker"), "m/s", 0.06),
        Exercise("Try it: change the plate's speed so that the box walks faster than 0.25 m/s. Leave the friction unchanged.",
                 "A faster plate carries it farther, as long as it sticks on the way forwards: $2 V/(T - t_2) < \\mu g$.",
                 ("Is the box to slip on the way forwards?",), reached=fast, solution={"speed": 0.75}),
    ),
)
