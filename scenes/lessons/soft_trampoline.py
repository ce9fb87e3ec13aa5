"""A ball on a soft pad: contact time and restitution from stiffness and damping."""

from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran
from scenes.soft_trampoline import SCENE

LESSON = Lesson(
    allowed=("stiffness", "damping", "height"),
    steps=(
        Step("Run the scene. The ball sinks into the pad and is thrown back.", ran(1.0)),
        Step("Open the energy panel: the pad's spring stores energy, its damper takes some.",
             action=Action("Open Energy", "panel", "energy")),
        Step("Increase the damping of the pad.", lambda world, trace, p: p.damping == 100.0,
             Action("Damping 100 N s/m", "set", "damping", 100.0)),
    ),
    exercises=(
        Exercise("How long does the ball stay on the pad?",
                 "It makes half of a damped oscillation, until the pad can no longer push.",
                 ("The period of a mass on a spring is $2 \\pi \\sqrt{m/K}$.",),
                 predicted(SCENE, "time on the pad"), measured(SCENE, "time on the pad"), "s", 0.05),
    ),
)
