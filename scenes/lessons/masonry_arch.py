"""What an arch bears."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Step, parameter_set, ran
from scenes.masonry_arch import SLIP, Parameters, falls_at

SHARES = ("less", "as much", "more")


def beside(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Whether it bears less, as much or more than with the load on stone 5; None before it falls."""
    if (load := SLIP.measured(parameters, trace)) is None:
        return None
    ratio = load / falls_at(parameters.thickness, 5)
    return 0.0 if ratio < 0.98 else 1.0 if ratio < 1.02 else 2.0


def bears(world: World, trace: Trace, parameters: Parameters) -> bool:
    """450 N without falling."""
    p = parameters
    still = abs(trace[f"body:stone {p.loaded}.vz"]).max() < 1e-3
    return bool(p.rate * trace["time"][-1] > 450.0 and still and p.thickness == 0.18)


LESSON = Lesson(
    steps=(
        Step("Run the scene until the arch falls.", ran(0.43)),
        Step("Show the friction cones. Where a joint opens, the force passes through its edge.",
             action=Action("Show cones", "show", "cones")),
        Step("Make the arch 0.24 m thick. It bears almost three times as much.", parameter_set("thickness", 0.24, 0.3),
             Action("0.24 m", "set", "thickness", 0.24)),
    ),
    exercises=(
        Exercise("Stone {loaded} is loaded in place of stone 5. How much does the arch bear?",
                 "Seen from behind it is the same arch, with stone 5 loaded.", ("Go round the arch, and look from behind.",),
                 lambda p: 1.0, beside, asked={"loaded": 3}, choices=SHARES),
        Exercise("Try it: change only the stone that is loaded so that the arch bears 450 N.",
                 "Near its feet the load flows straight down, and no mechanism gives way to it easily.",
                 ("Where does the load change the shape of the line of thrust least?",), reached=bears, solution={"loaded": 2},
                 seconds=0.5),
    ),
)
