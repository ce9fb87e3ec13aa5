"""What laws of impact do with friction."""

from scenes.kane_impact import SCENE
from scenes.lessons import Exercise, Lesson, impact_steps, measured, predicted

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=impact_steps(0.4),
    exercises=(
        Exercise("Two thin rods of 1 m and 1 kg, jointed to each other, hang on a bearing at 20 and 30 degrees to the vertical "
                 "and turn towards it at 1 and 2 rad/s when the tip of the lower one, round with a radius of 3 cm, strikes the "
                 "floor, with $\\mu$ = {mu} and e = {restitution}, by the law: {law}. Which share of the energy is left after "
                 "the impact?",
                 "Each law ends the path of the impulse elsewhere: see the panel Impact.",
                 ("Open the impulse plane of the impact.",),
                 predicted(SCENE, "energy after the impact / before"), measured(SCENE, "energy after the impact / before"), "",
                 0.05),
    ),
)
