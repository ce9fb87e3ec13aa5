"""A disc in a slot that narrows: no forces hold it, and the small overlap that a simulation must allow."""

from scenes.disc_in_slot import SCENE
from scenes.lessons import Action, Exercise, Lesson, Step, measured, predicted, ran

LESSON = Lesson(
    allowed=("radius", "speed"),
    steps=(
        Step("Run the scene. The disc moves towards the narrow part of the slot.", ran(0.09)),
        Step("Open the panel Events and read what was found: no contact forces satisfy the law.",
             action=Action("Open Events", "panel", "events")),
        Step("Let the disc move faster.", lambda world, trace, p: p.speed == 1.0,
             Action("Speed 1 m/s", "set", "speed", 1.0)),
    ),
    exercises=(
        Exercise("How far does the disc move until it stops?",
                 "Where both arcs would have to push and pull at once no forces satisfy the law; the disc moves on until the "
                 "overlap reaches its bound.",
                 ("Which normal forces would stop the disc, and which way do they point?",),
                 predicted(SCENE, "way until it stops"), measured(SCENE, "way until it stops"), "m", 0.05),
    ),
)
