"""Why locked wheels brake badly."""

from physics import World
from scenes import Trace
from scenes.braking_cars import SCENE, Parameters, distance
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def within_five_metres(world: World, trace: Trace, parameters: Parameters) -> bool:
    way = distance("locked")(world, trace)
    return way is not None and way < 5.0 and parameters.surface == "asphalt"


LESSON = Lesson(
    steps=(
        Step("Run the scene until both cars stand.", ran(1.7)),
        Step("Show the forces. The front wheels carry more than the rear ones as long as the cars brake.",
             action=Action("Show forces", "show", "forces")),
        Step("Brake on ice. After two seconds both cars are still fast.", parameter_set("surface", "ice", 1.5),
             Action("Ice", "set", "surface", "ice")),
    ),
    exercises=(
        Exercise("A car at {speed} m/s slides with locked wheels on asphalt, $\\mu_k$ = 0.65. How far does it go?",
                 "$s = v^2/(2 \\mu_k g)$, whatever its mass.", ("What is its deceleration?",),
                 predicted(SCENE, "braking distance with locked"), measured(SCENE, "braking distance with locked"), "m"),
        Exercise("The other car uses 85 percent of the static friction, $\\mu_s$ = 0.9. How far does it go?",
                 "$s = v^2/(2 f \\mu_s g)$, a sixth less than with locked wheels.", ("Do rolling wheels slip on the road?",),
                 predicted(SCENE, "braking distance with rolling"), measured(SCENE, "braking distance with rolling"), "m",
                 mistakes=(Mistake(lambda p: p.speed**2 / (2.0 * 0.65 * 9.81), "Its wheels do not slide."),)),
        Exercise("Try it: choose the speed so that the car with locked wheels stops within 5 m on asphalt.",
                 "$v < \\sqrt{2 \\mu_k g s}$, 8 m/s.", ("Solve the law for the speed.",), reached=within_five_metres,
                 solution={"speed": 7.0}),
    ),
)
