"""The flatter, the harder it pulls."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.rope_bridge import MASS, PLANKS, SCENE, G, Parameters


def gentle(world: World, trace: Trace, parameters: Parameters) -> bool:
    pull = measured(SCENE, "pull on a tower")(world, trace, parameters)
    return pull is not None and pull < 800.0 and parameters.load == 60.0


LESSON = Lesson(
    steps=(
        Step("Run the scene. The bridge hangs at rest.", ran(1.0)),
        Step("Select a plank and look at the forces of its hinges: the horizontal part is the same at all of them.",
             action=Action("Select the middle plank", "select", f"plank {PLANKS // 2 + 1}")),
        Step("Tighten the bridge. The pull on the towers grows.", parameter_set("span", 3.2),
             Action("3.2 m", "set", "span", 3.2)),
    ),
    exercises=(
        Exercise("The load of {load} kg hangs in the middle of 11 planks of 4 kg each; the bridge sags by 0.65 m. How hard "
                 "does it pull on a tower, to 3 percent? The horizontal force is 854 N.",
                 "Each tower bears half of the weight, and the horizontal force: $\\sqrt{H^2 + V^2}$.",
                 ("What is the vertical part of the force on a tower?",), predicted(SCENE, "pull on a tower"),
                 measured(SCENE, "pull on a tower"), "N", 0.03,
                 mistakes=(Mistake(lambda p: 0.5 * G * (p.load + PLANKS * MASS), "That is the vertical part alone."),)),
        Exercise("Try it: move the towers so that the pull is below 800 N, with the load of 60 kg.",
                 "Closer towers let it sag more, and the same weight needs less horizontal force.",
                 ("When does the rope pull less, taut or slack?",), reached=gentle, solution={"span": 2.6}),
    ),
)
