"""Why flat faces lose energy and curved ones do not."""

from scenes.curved_faces import SCENE, kept
from scenes.lessons import PLOT, Action, Exercise, Lesson, Step, measured, parameter_set, ran

LESSON = Lesson(
    steps=(
        Step("Run the scene for half a second. The spin of the prisms falls in steps, that of the ellipsoid smoothly.",
             ran(0.45)),
        Step("Compare the prisms. The more faces, the more impacts, and the less each of them takes: in the limit, nothing.",
             ran(0.45), PLOT),
        Step("Start slower. Each impact takes the same share, whatever the spin.", parameter_set("spin", 4.5, 0.45),
             Action("Start at 4.5 rad/s", "set", "spin", 4.5)),
    ),
    exercises=(
        Exercise("Which share of its energy above the lowest position does the prism of 24 flat faces keep at an impact?",
                 "The impulse acts at the new corner, $s = R \\sin(\\pi/24)$ ahead: $r^2$ with $r = (J - m s^2)/(J + m s^2)$.",
                 ("Where does the impulse act, and what does it change?",), lambda p: kept(24),
                 measured(SCENE, "kept at an impact, 24"), seconds=0.5),
    ),
)
