"""What one half-space per step does on a curved surface, and where it bounces although e = 0."""

from scenes.corner_and_large_step import SCENE, TRUE_GAP, deepest, depth, hop
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, parameter_set, ran, step_size_set

LESSON = Lesson(
    steps=(
        Step("Run the scene and watch the particle in the arc: it is inside the surface by 5 mm.", ran(1.2)),
        Step("See it leave the surface behind the arc, although nothing rebounds. It flies off at 0.08 m/s.", ran(1.2)),
        Step("Choose a step size of 25 ms in the Transport bar and reset: a quarter of the depth, and nearly half of the "
             "bounce.", step_size_set(0.025, 1.2), Action("Steps of 25 ms", "dt", "", 0.025)),
        Step("Choose true gaps. The particle stays on the surface to the end.", parameter_set("model", TRUE_GAP, 1.2),
             Action("True gaps", "set", "model", TRUE_GAP)),
    ),
    exercises=(
        Exercise("A particle slides at {speed} m/s on an arc of radius 1 m, in steps of 0.05 s along the tangent plane. How "
                 "deep in the surface does a step end?",
                 "By Pythagoras: $d = \\sqrt{\\rho^2 + h^2 v^2} - \\rho \\approx h^2 v^2/(2\\rho)$.",
                 ("How far does it go along the tangent, and how far is the end from the centre of the arc?",),
                 lambda p: depth(p.speed, SCENE.dt), lambda world, trace, p: deepest(trace), "m", 0.08,
                 mistakes=(Mistake(lambda p: p.speed * SCENE.dt, "That is its way along the tangent."),
                           Mistake(lambda p: (p.speed * SCENE.dt) ** 2, "Half of that: see the expansion of the root."))),
        Exercise("At which speed does the particle leave the straight part behind the arc at least, if the true gaps are used?",
                 "At none: the gap is zero at the end of every step, so nothing pushes it out.",
                 ("What would push it away from the surface?",), lambda p: 0.0,
                 lambda world, trace, p: None if hop(trace) is None else round(abs(hop(trace)), 6), "m/s", 0.01,
                 asked={"model": TRUE_GAP}),
    ),
)
