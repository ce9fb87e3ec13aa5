"""Why locked wheels brake badly."""

from physics import World
from scenes import Trace
from scenes.braking_cars import SCENE, Parameters, distance
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def within_five_metres(world: World, trace: Trace, parameters: Parameters) -> bool:
    way = distance("locked")(world, trace)
    return way is not None and way < 5.0 and parameters.surface == "asphalt"


WAYS = ("as far", "more than a quarter less", "farther")


def shorter(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """How far the third car goes, as an index of WAYS."""
    ways = [distance(car)(world, trace) for car in ("anti-lock", "locked")]
    if None in ways:
        return None
    share = ways[0] / ways[1]
    return 1.0 if share < 0.75 else 2.0 if share > 1.02 else 0.0


LESSON = Lesson(
    steps=(
        Step("Run the scene until all cars stand.", ran(1.7)),
        Step("Show the friction cones, as high as the normal forces. The front wheels carry more than the rear ones as long as "
             "the cars brake.",
             action=Action("Show cones", "show", "cones")),
        Step("Switch the anti-lock system off. The third car now stops where the first one does.",
             parameter_set("abs", "off", 1.7),
             Action("Anti-lock system off", "set", "abs", "off")),
        Step("Brake on ice. After two seconds the cars are still fast.", parameter_set("surface", "ice", 1.5),
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
        Exercise("The third car brakes on ice, from {speed} m/s, with its anti-lock system on. How far does it go, compared with "
                 "the first one?",
                 "Its wheels roll most of the time, near the static limit of 0.15; locked wheels have 0.08.",
                 ("Which friction have wheels that roll?",), lambda p: 1.0, shorter, asked={"surface": "ice", "speed": 4.0},
                 choices=WAYS, seconds=6.0),
        Exercise("Try it: choose the speed so that the car with locked wheels stops within 5 m on asphalt.",
                 "$v < \\sqrt{2 \\mu_k g s}$, 8 m/s.", ("Solve the law for the speed.",), reached=within_five_metres,
                 solution={"speed": 7.0}),
    ),
)
