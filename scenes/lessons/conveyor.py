"""Half of the work is lost."""

from physics import World
from scenes import Trace
from scenes.conveyor import MASS, SCENE, Parameters, slipped
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def slips_far(world: World, trace: Trace, parameters: Parameters) -> bool:
    way = slipped("smooth", parameters)(world, trace)
    return way is not None and way > 1.0 and parameters.mu == 0.5


LESSON = Lesson(
    steps=(
        Step("Run the scene until both parcels move with their belts.", ran(0.9)),
        Step("Show the friction cones. The force under a parcel lies on its cone while it slips, and stands upright once it "
             "rides along.",
             action=Action("Show cones", "show", "cones")),
        Step("Make the belts slower. The slip is much shorter.", parameter_set("speed", 0.5),
             Action("0.5 m/s", "set", "speed", 0.5)),
    ),
    exercises=(
        Exercise("A parcel is put at rest on a belt at {speed} m/s, $\\mu$ = {mu}. What length of belt passes below it until "
                 "it rides along?",
                 "Its mean speed is half of the belt's, for the time $V/(\\mu g)$: $s = V^2/(2 \\mu g)$.",
                 ("How long does it slip?", "How far do belt and parcel go meanwhile?"), predicted(SCENE, "slip on the rough"),
                 measured(SCENE, "slip on the rough"), "m"),
        Exercise("The parcel has 2 kg. How much heat does its slip on the smooth belt produce?",
                 "As much as the kinetic energy that it gains, $m V^2/2$, whatever the friction.",
                 ("Multiply the force of friction by the slip.",), predicted(SCENE, "heat on the smooth"),
                 measured(SCENE, "heat on the smooth"), "J",
                 mistakes=(Mistake(lambda p: MASS * p.speed**2, "That is the work of the belt. The parcel keeps half of it."),)),
        Exercise("Try it: let the parcel slip by more than 1 m on the smooth belt. Leave the friction unchanged.",
                 "With $\\mu$ = 0.2 the belt has to run at 1.98 m/s or faster.", ("Solve the law for the speed.",),
                 reached=slips_far, solution={"speed": 2.0}, seconds=1.3),
    ),
)
