"""Many contacts that agree."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, load_on, measured, option_set, predicted, ran
from scenes.pyramid import SCENE, SIDE, Parameters

WEIGHT = 1000.0 * SIDE**3 * 9.81
"""Of one box [N]."""


def boxes(parameters: Parameters) -> float:
    return 0.5 * parameters.width * (parameters.width + 1)


def counted(world: World, trace: Trace, parameters: Parameters) -> float:
    return float(sum(name.startswith("box ") for name in world.body_names))


def on_the_ground(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return load_on(world, "ground") if trace["time"][-1] > 0.2 else None


LESSON = Lesson(
    allowed=("width", "mu"),
    steps=(
        Step("Run the scene for a second. Nothing moves: all contacts share the load.", ran(1.0)),
        Step("Show the forces. Each box is carried by two others, and the load grows downwards.",
             action=Action("Show forces", "show", "forces")),
        Step("Reduce the iterations in the Physics panel, and watch the residual in the plot.",
             option_set("iterations", 5, ran(0.5)), Action("5 iterations", "option", "iterations", 5)),
        Step("Make a small pyramid, and pull a box out of its lowest row with the mouse.",
             lambda world, trace, p: p.width == 4 and trace["time"][-1] > 0.3, Action("Width 4", "set", "width", 4)),
    ),
    exercises=(
        Exercise("How many boxes has a pyramid with {width} boxes in its lowest row?",
                 "Rows of n, n - 1 and so on down to 1 sum to $n (n + 1)/2$.", ("Add the rows, or pair the first with the "
                                                            "last.",),
                 boxes, counted, tolerance=1e-6, seconds=0.1,
                 mistakes=(Mistake(lambda p: float(p.width**2), "Each row has one box less than the row below."),)),
        Exercise("A pyramid has {width} boxes in its lowest row, each 0.4 m high. How high is the centre of the topmost one?",
                 "It stands on $n - 1$ boxes, and its centre is half a box above: $(n - 1/2)\\,a$.",
                 ("How many boxes are below it?", "The centre is in the middle of the box."),
                 predicted(SCENE, "height"), measured(SCENE, "height"), "m", asked={"width": 6}, seconds=0.3,
                 mistakes=(Mistake(lambda p: p.width * SIDE, "That is the top of the box."),)),
        Exercise("Each box has 64 kg. What is the force of a pyramid of width {width} on the ground?",
                 "The ground carries the weight of all boxes.", ("How many boxes are there?", "A weight is mass times g."),
                 lambda p: boxes(p) * WEIGHT, on_the_ground, "N", asked={"width": 4}, seconds=0.5,
                 mistakes=(Mistake(lambda p: boxes(p) * WEIGHT / 9.81, "That is the mass. The question asks for the force."),
                           Mistake(lambda p: p.width * WEIGHT, "Include the rows above."))),
    ),
)
