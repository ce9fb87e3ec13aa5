"""Forces that statics determines, and forces that it does not."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran
from scenes.table_legs import FOUR, GRAVITY, REACH, SCENE, THREE, Parameters, forces

ON_THREE, ON_FOUR = "force on the leg at +x of three", "greatest force on a leg at +x of four"


def share(world: World) -> float | None:
    """Share of the weight on the leg at +x of three."""
    loads = forces(world, THREE)
    return None if loads is None else float(loads[0] / loads.sum())


def two_fifths(world: World, trace: Trace, parameters: Parameters) -> bool:
    found = share(world)
    return found is not None and abs(found - 0.4) < 0.005 and trace["time"][-1] > 0.2


LESSON = Lesson(
    allowed=("mass", "off_centre", "mu"),
    steps=(
        Step("Run the scene for half a second. Both tables stand still, and the arrows show the force on each leg.", ran(0.4)),
        Step("Select a contact under a leg of the table on four, by a click on it: the band is what this leg may bear.",
             action=Action("Select a contact", "contact", FOUR)),
        Step("Put the load in the middle. The legs of three bear a third each. Of four, each may bear anything up to one half.",
             lambda world, trace, p: p.off_centre == 0.0 and trace["time"][-1] > 0.2,
             Action("Load in the middle", "set", "off_centre", 0.0)),
    ),
    exercises=(
        Exercise("A table on three legs weighs {mass} kg with its load, whose common centre of mass is {off_centre} m off the "
                 "middle towards one leg. The legs are 0.4 m from the middle. What is the force on that leg?",
                 "Moments about the line through the other two legs: $n = \\frac{1}{3} m g (1 + 2x/R)$.",
                 ("The moments about any axis are balanced.", "The line through the other two legs is R/2 behind the middle."),
                 predicted(SCENE, ON_THREE), measured(SCENE, ON_THREE), "N", 0.02,
                 mistakes=(Mistake(lambda p: p.mass * GRAVITY / 3.0, "That is a third: right only for a load in the middle."),)),
        Exercise("And the table on four legs: what is the greatest force that one of the two legs on the loaded side can have, "
                 "without friction?",
                 "Both legs on a side bear half of the weight together, so no leg can bear more.",
                 ("Opposite legs may take over load from the other two.", "A leg cannot pull: which one is empty first?"),
                 predicted(SCENE, ON_FOUR), measured(SCENE, ON_FOUR), "N", 0.02,
                 mistakes=(Mistake(lambda p: p.mass * GRAVITY * (0.5 + p.off_centre / REACH / 2.0**0.5),
                                   "That is what both legs in front bear together."),)),
        Exercise("Try it: shift the load until the leg at +x of the table on three bears 40 % of the weight.",
                 "$\\frac{1}{3} (1 + 2x/R) = 0.4$: x = 0.04 m.", ("A third is 33 %. Which way must the load go?",),
                 reached=two_fifths, solution={"off_centre": 0.04}),
    ),
)
