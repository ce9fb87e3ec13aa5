"""Two impacts, one after the other."""

from scenes.lessons import Exercise, Lesson, impact_steps, measured, predicted
from scenes.two_ball_drop import SCENE

LESSON = Lesson(
    allowed=("law", "gap", "restitution"),
    steps=impact_steps(1.5),
    exercises=(
        Exercise("A big ball of {ratio} times the mass of a small one and the small one above it, {gap} m apart, fall {height} m "
                 "onto the floor, all with e = {restitution}. How high does the small ball rise from where it was struck?",
                 "The big ball rebounds first and meets the small one, which still falls.",
                 ("Which impact comes first?",),
                 predicted(SCENE, "rise of the small ball"), measured(SCENE, "rise of the small ball"), "m", 0.05),
    ),
)
