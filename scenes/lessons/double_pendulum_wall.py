"""A double pendulum and a wall: moments of impact, and an impulse that goes through both hinges."""

from scenes.double_pendulum_wall import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("upper", "lower", "restitution"),
    steps=(
        Step("Run the scene. The tip meets the wall, and the event-driven solver ends its step at that moment.", ran(1.5)),
        Step("Open the panel Events: the moments of impact are found to rounding, whatever the step.",
             action=Action("Open Events", "panel", "events")),
        Step("Make the impact plastic and watch the lower rod stay at the wall for a while.",
             lambda world, trace, p: p.restitution == 0.0,
             Action("Plastic impact", "set", "restitution", 0.0)),
    ),
    exercises=(
        Exercise("What is the angle of the upper rod after 0.9 s?",
                 "The two equations of motion are integrated between the impacts; at an impact both rates jump by H^-1 t times "
                 "the impulse.",
                 ("Between impacts energy is conserved.",),
                 predicted(SCENE, "angle of the upper rod after 0.9"), measured(SCENE, "angle of the upper rod after 0.9"),
                 "rad", 0.02),
    ),
)
