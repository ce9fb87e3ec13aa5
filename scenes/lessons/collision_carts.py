"""An impact of two bodies."""

from scenes.collision_carts import SCENE
from scenes.lessons import Exercise, Lesson, impact_steps, measured, predicted

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=impact_steps(0.9),
    exercises=(
        Exercise("A cart of {first} kg at {speed} m/s hits one of {second} kg, which is at rest, with e = {restitution}. What is "
                 "the speed of the second cart after the impact?",
                 "Its share of the impulse is (1 + e) v / (1/m1 + 1/m2), over its mass.",
                 ("Momentum is conserved, and the relative speed becomes e times that before.",),
                 predicted(SCENE, "speed of cart 2 after"), measured(SCENE, "speed of cart 2 after"), "m/s", 0.05),
    ),
)
