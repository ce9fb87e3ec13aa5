"""What gives way first, the friction or the balance?"""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.tipping_or_sliding import MASS, SCENE, CabinetParameters, G


def high_slides(world: World, trace: Trace, parameters: CabinetParameters) -> bool:
    slid = trace["body:high push.vx"][-1] > 0.02 and abs(trace["body:high push.pitch"]).max() < 0.02
    return bool(slid and trace["time"][-1] > 2.0 and parameters.high_push_height == 1.2)


LESSON = Lesson(
    steps=(
        Step("Run the scene until one cabinet has fallen.", ran(3.0)),
        Step("Show the friction cones. Before it tips, the whole weight of the cabinet is on its front edge.",
             action=Action("Show cones", "show", "cones")),
        Step("Push the first cabinet as high as the second. Now both fall.", parameter_set("low_push_height", 1.2, 3.0),
             Action("Height 1.2 m", "set", "low_push_height", 1.2)),
    ),
    exercises=(
        Exercise("The cabinet has 40 kg and is 0.5 m wide. It is pushed at a height of {high_push_height} m. At which push does "
                 "it tip?",
                 "About its front edge the weight has the lever arm $b$ = 0.25 m, the push the arm $z$: $F = m g b/z$.",
                 ("Take moments about the edge on which it turns.",), predicted(SCENE, "push at which the cabinet 'high"),
                 measured(SCENE, "push at which the cabinet 'high"), "N", 0.03,
                 mistakes=(Mistake(lambda p: p.mu * MASS * G, "That is the push at which it would slide."),
                           Mistake(lambda p: 2.0 * 0.25 / p.high_push_height * MASS * G,
                                   "The weight acts in the middle of the cabinet."))),
        Exercise("At which push does the cabinet that is pushed low slide, with $\\mu$ = {mu}?",
                 "At the bound of friction, $F = \\mu m g$.", ("What is the largest force of friction?",),
                 predicted(SCENE, "push at which the cabinet 'low"), measured(SCENE, "push at which the cabinet 'low"),
                 "N", 0.03),
        Exercise("Try it: change only the friction so that the second cabinet slides and does not tip.",
                 "It slides where $\\mu < b/z$ = 0.21.", ("Compare the two pushes.",),
                 reached=high_slides, solution={"mu": 0.15}),
    ),
)
