"""Spin does not pass from ball to ball."""

from physics import World
from scenes import Trace
from scenes.billiards import SCENE, Parameters, rolling
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def drawn_fast(world: World, trace: Trace, parameters: Parameters) -> bool:
    v = rolling("cue ball, draw")(world, trace)
    return v is not None and v < -0.4


LESSON = Lesson(
    steps=(
        Step("Run the scene. One cue ball comes back, one nearly stops, one follows.", ran(0.7)),
        Step("Show the spins. The impact leaves them as they are: just after it all cue balls are slow, and only then their "
             "spin acts.",
             action=Action("Show spins", "show", "spins")),
        Step("Make the balls less elastic. More of the speed stays with the cue balls.", parameter_set("restitution", 0.5, 0.7),
             Action("Restitution 0.5", "set", "restitution", 0.5)),
    ),
    exercises=(
        Exercise("A cue ball rolls at {speed} m/s and hits an equal ball with restitution {restitution}. How fast does it roll "
                 "at last?",
                 "Its speed becomes $(1-e) v/2$, its spin stays; rolling it has 5/7 of the one and 2/7 of the other.",
                 ("What is its speed just after the impact?", "What does its spin become on the cloth?"),
                 predicted(SCENE, "final velocity of the cue ball (follow)"),
                 measured(SCENE, "final velocity of the cue ball (follow)"), "m/s", 0.03,
                 mistakes=(Mistake(lambda p: 0.5 * (1.0 - p.restitution) * p.speed, "That is its speed just after the "
                                                                                    "impact."),)),
        Exercise("And the ball that it has hit?", "It leaves with $(1+e) v/2$ and without spin, and keeps 5/7 of it.",
                 ("It has to begin to roll.",), predicted(SCENE, "final velocity of the object ball (follow)"),
                 measured(SCENE, "final velocity of the object ball (follow)"), "m/s", 0.02),
        Exercise("Try it: let the ball with backspin come back at more than 0.4 m/s.",
                 "It comes back with about 2/7 of its initial speed times its spin: twice the speed is enough.",
                 ("What does its speed depend on after the impact?",), reached=drawn_fast, solution={"speed": 2.0}, seconds=1.2),
    ),
)
