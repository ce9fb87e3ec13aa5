"""Double support: the load of both feet is determined, that of each contact is not."""

from scenes.biped import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("torso", "lean", "knee"),
    steps=(
        Step("Run the scene. The biped stands on both feet.", ran(0.4)),
        Step("Open the contact lens and select a contact under a foot to see its possible forces.",
             action=Action("Open the contact lens", "panel", "contact_lens")),
        Step("Let the torso lean to the right.", lambda world, trace, p: p.lean == -0.05,
             Action("Lean to the right", "set", "lean", -0.05)),
    ),
    exercises=(
        Exercise("Where is the centre of pressure, measured to the left?",
                 "The moment of the weights about the middle vanishes at the centre of pressure: it lies below the common "
                 "centre of mass.",
                 ("Where is the centre of mass of torso and legs?",),
                 predicted(SCENE, "centre of pressure"), measured(SCENE, "centre of pressure"), "m", 0.03),
    ),
)
