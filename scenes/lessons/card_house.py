"""When cards stand."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.card_house import SLIP, Parameters
from scenes.lessons import Action, Exercise, Lesson, Step, parameter_set, ran

TENTS = ("the upper one", "the lower ones", "all at the same moment")


def first(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Index of the tent that slips first; None before."""
    if SLIP.measured(parameters, trace) is None:
        return None
    upper, lower = (float(np.ptp(trace[f"body:card {card}.x"])) for card in (5, 1))
    return 0.0 if lower < 0.25 * upper else 1.0 if upper < 0.25 * lower else 2.0


def bears(world: World, trace: Trace, parameters: Parameters) -> bool:
    """20 N on the lid."""
    p = parameters
    return bool(p.rate * trace["time"][-1] > 20.0 and np.ptp(trace["body:lid.z"]) < 2e-3 and (p.lean, p.rate) == (25.0, 20.0))


LESSON = Lesson(
    steps=(
        Step("Run the scene until the lid sinks.", ran(0.5)),
        Step("Show the friction cones. The forces on the feet of the tent that slips lie on their edge.",
             action=Action("Show cones", "show", "cones")),
        Step("Set the friction to 0.4. The house bears a larger load.", parameter_set("mu", 0.4),
             Action("Friction 0.4", "set", "mu", 0.4)),
    ),
    exercises=(
        Exercise("Which tent slips first?",
                 "A card of the upper tent bears half of the lid's force, one of the lower tents a quarter; they carry more "
                 "cards, but these weigh little.",
                 ("How many cards share the force at each level?",), lambda p: 0.0, first, choices=TENTS),
        Exercise("Try it: change only the friction so that the house bears 20 N on the lid.",
                 "From $\\mu = l\\sin\\alpha/(l\\cos\\alpha + r)$ = 0.45 on it bears any load; 20 N need hardly less.",
                 ("Which friction does a large load need? Compare thrust and weight of a card without mass.",), reached=bears,
                 solution={"mu": 0.5}, seconds=1.05),
    ),
)
