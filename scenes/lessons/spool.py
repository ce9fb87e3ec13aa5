"""Where does a pull have no moment?"""

import math

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.spool import CORE, MASS, OUTER, SCENE, Parameters, angle, gained


def balance(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Angle between flat and steep pull at which the acceleration is zero [deg]; it is linear in the cosine."""
    flat, steep = gained("flat pull")(world, trace), gained("steep pull")(world, trace)
    if flat is None or steep is None:
        return None
    a, b = math.cos(angle("flat pull", parameters)), math.cos(angle("steep pull", parameters))
    return math.degrees(math.acos(a - flat * (a - b) / (flat - steep)))


def slow(world: World, trace: Trace, parameters: Parameters) -> bool:
    a = gained("flat pull")(world, trace)
    return a is not None and 0.0 < a < 0.1 and parameters.force == 3.0


LESSON = Lesson(
    steps=(
        Step("Before you run the scene, say for each spool in which direction it will roll.",
             action=Action("Predict first", "predict", "")),
        Step("Run the scene for a second.", ran(1.0)),
        Step("Pull harder. All rates grow, but no direction changes.", parameter_set("force", 6.0), Action("6 N", "set", "force",
                                                                                                         6.0)),
    ),
    exercises=(
        Exercise("The spool has an outer radius of 0.25 m and a core of 0.12 m. At which angle of the thread to the floor does "
                 "it stay?",
                 "Where the line of the thread meets the line of contact: $\\cos\\varphi = r/R$.",
                 ("About the line of contact friction and weight have no moment.",),
                 lambda p: math.degrees(math.acos(CORE / OUTER)), balance, "deg", 0.02,
                 mistakes=(Mistake(lambda p: math.degrees(math.asin(CORE / OUTER)), "Measure the angle from the floor."),)),
        Exercise("A spool of 4 kg is pulled with {force} N at {flat} degrees. What is its acceleration, to 5 percent? Its "
                 "moment of inertia is about $0.4\\,m R^2$.",
                 "$a = F (\\cos\\varphi - r/R)/(m (1+k))$.", ("Take moments about the line of contact.",),
                 predicted(SCENE, "acceleration of the spool with the flat"), measured(SCENE, "acceleration of the spool with "
                                                                                              "the flat"),
                 "m/s^2", 0.06,
                 mistakes=(Mistake(lambda p: p.force * math.cos(math.radians(p.flat)) / MASS, "It rolls, and the thread turns "
                                                                                              "it, too."),)),
        Exercise("Try it: change the angle of the first thread so that its spool comes, but with less than 0.1 m/s^2.",
                 "Just below the angle of balance, 61 degrees.", ("Make the pull steeper.",),
                 reached=slow, solution={"flat": 50.0}),
    ),
)
