"""Creep and slip on a slope of compliant contacts."""

from scenes.compliant_slope import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("angle", "tangential_stiffness", "mu"),
    steps=(
        Step("Run the scene. One block creeps a little and then holds; the other slips.", ran(0.9)),
        Step("Open the contact lens and select a contact to see its force within the cone.",
             action=Action("Open the contact lens", "panel", "contact_lens")),
        Step("Make the contacts softer along the slope.", lambda world, trace, p: p.tangential_stiffness == 500.0,
             Action("Stiffness 500 N/m", "set", "tangential_stiffness", 500.0)),
    ),
    exercises=(
        Exercise("What is the acceleration of the block that slips?",
                 "Friction at its bound: a = g (sin a - mu cos a).",
                 ("How large is the friction while it slips?",),
                 predicted(SCENE, "acceleration of the block"), measured(SCENE, "acceleration of the block"), "m/s^2", 0.02),
    ),
)
