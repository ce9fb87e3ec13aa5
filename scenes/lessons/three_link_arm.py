"""An arm that leans on the floor: one force at the tip, and torques of its drives."""

from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran
from scenes.three_link_arm import SCENE

LESSON = Lesson(
    allowed=("mass", "elbow", "wrist"),
    steps=(
        Step("Run the scene. The arm rests on its tip; its drives hold the elbow and the wrist.", ran(0.4)),
        Step("Open the joint lens and select a joint to see the torque of its drive.",
             action=Action("Open the joint lens", "panel", "joint_lens")),
        Step("Make the links heavier.", lambda world, trace, p: p.mass == 4.0,
             Action("Mass 4 kg", "set", "mass", 4.0)),
    ),
    exercises=(
        Exercise("What is the force of the floor on the tip?",
                 "Moments about the shoulder, which carries no torque: the weights of the links balance the force of the floor.",
                 ("Take moments about the shoulder.",),
                 predicted(SCENE, "force of the floor on the tip"), measured(SCENE, "force of the floor on the tip"), "N", 0.02),
    ),
)
