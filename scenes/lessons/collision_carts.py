"""An impact of two bodies."""

from scenes.collision_carts import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("law", "restitution"),
    steps=(
        Step("Run the scene past the first impact.", ran(0.9)),
        Step("Choose Poisson's law, which sets the impulse of the restitution.", lambda world, trace, p: p.law == "Poisson",
             Action("Poisson", "set", "law", "Poisson")),
        Step("Run again, and open the panel Impact to see what each law does.", ran(0.9)),
    ),
    exercises=(
        Exercise("What is the speed of the second cart after the impact?",
                 "Its share of the impulse is (1 + e) v / (1/m1 + 1/m2), over its mass.",
                 ("Momentum is conserved, and the relative speed becomes e times that before.",),
                 predicted(SCENE, "speed of cart 2 after"), measured(SCENE, "speed of cart 2 after"), "m/s", 0.05),
    ),
)
