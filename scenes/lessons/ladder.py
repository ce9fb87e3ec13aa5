"""How high can one climb?"""

from physics import World
from scenes import Trace
from scenes.ladder import SCENE, START, Parameters
from scenes.lessons import Action, Exercise, Lesson, Step, measured, parameter_set, predicted, ran


def near_the_top(world: World, trace: Trace, parameters: Parameters) -> bool:
    """The ladder stands, and the climber is high; of the parameters only the angle is another one."""
    others = all(getattr(parameters, name) == getattr(Parameters(), name) for name in ("mu", "climber", "speed"))
    stands = abs(trace["body:ladder.x"] - trace["body:ladder.x"][0]).max() < 1e-3
    return bool(stands and START + trace["joint:rungs.angle"][-1] > 2.5 and others)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the ladder slips.", ran(3.2)),
        Step("Show the friction cones. At the wall the force is level; at the floor it leans, until it lies on its cone.",
             action=Action("Show cones", "show", "cones")),
        Step("Make the floor slippery. The ladder slips at once.", parameter_set("mu", 0.2), Action("Friction 0.2", "set", "mu",
                                                                                                   0.2)),
    ),
    exercises=(
        Exercise("The ladder of 3 m and 10 kg, its ends round with a radius of 3 cm, stands at {angle} degrees, $\\mu$ = {mu} "
                 "at the floor and none at the wall. At which distance from the foot is a climber of {climber} kg when it "
                 "slips?",
                 "The force of the wall equals the friction, at most $\\mu (m+M) g$. Its moment about the middle of the lower "
                 "end balances, with that of the friction, those of both weights: "
                 "$\\mu (m+M) (L \\tan\\theta + r/\\cos\\theta) = m L/2 + M s$.",
                 ("Which forces act along the floor?", "Take moments about the foot."),
                 predicted(SCENE, "place of the climber"), measured(SCENE, "place of the climber"), "m", 0.04),
        Exercise("Try it: change only the angle so that the climber comes higher than 2.5 m.",
                 "The steeper the ladder, the smaller the force at the wall: from 64 degrees on it is enough.",
                 ("When is the force at the wall smaller?",), reached=near_the_top, solution={"angle": 68.0}, seconds=3.5),
    ),
)
