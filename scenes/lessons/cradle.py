"""Impacts one after the other."""

from scenes.cradle import SCENE
from scenes.lessons import Exercise, Lesson, impact_steps, measured, predicted

LESSON = Lesson(
    allowed=("law", "gap", "touching", "restitution"),
    steps=impact_steps(1.4),
    exercises=(
        Exercise("The first of five equal balls with gaps between them is released at {angle} degrees, with e = {restitution}. "
                 "How far does the last ball swing, in degrees?",
                 "With gaps each impact passes on the share (1 + e)/2 of the speed.",
                 ("What does one impact of two equal balls do?",),
                 predicted(SCENE, "swing of the last ball"), measured(SCENE, "swing of the last ball"), "deg", 0.05),
    ),
)
