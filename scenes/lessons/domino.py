"""Energy that waits, and a nudge that lets it go."""

import math

from physics import World
from scenes import Trace
from scenes.domino import HALF, Parameters, fallen
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, ran

G, MASS = 9.81, 600.0 * 8.0 * HALF[0] * HALF[1] * HALF[2]
DIAGONAL = math.hypot(HALF[0], HALF[2])
BARRIER = MASS * G * (DIAGONAL - HALF[2])
"""Energy that lifts the centre of a tile over its edge [J]."""

NUDGE = math.sqrt(2.0 * BARRIER / (4.0 / 3.0 * MASS * DIAGONAL**2))
"""Angular velocity with just this energy [rad/s]."""


def lifted(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Largest rise of the potential energy [J]."""
    rise = trace["world.potential"] - trace["world.potential"][0]
    return float(rise.max()) if rise[-1] < 0.0 else None


def wave(world: World, trace: Trace, parameters: Parameters) -> bool:
    return fallen(world) == parameters.count and parameters.count >= 10 and parameters.nudge <= 1.1 * NUDGE


LESSON = Lesson(
    allowed=("count", "mu", "nudge"),
    steps=(
        Step("Run the scene. After a few tiles the wave has its own speed.", ran(2.0)),
        Step("Look at the plots: potential energy falls, tile after tile, and friction and impacts dissipate it.",
             ran(2.0), PLOT),
        Step("Push the first tile so gently that it falls back.",
             lambda world, trace, p: p.nudge < NUDGE and trace["time"][-1] > 1.0 and fallen(world) == 0,
             Action("0.5 rad/s", "set", "nudge", 0.5)),
        Step("Remove most of the friction. The tiles slip at their base.",
             lambda world, trace, p: p.mu == 0.05 and trace["time"][-1] > 1.0, Action("Friction 0.05", "set", "mu", 0.05)),
    ),
    exercises=(
        Exercise("A tile of 4.15 kg is 0.48 m high and 0.06 m thick. How much energy raises its centre over its edge?",
                 "The centre rises from $h/2$ to half the diagonal: $E = m g (\\sqrt{h^2 + d^2} - h)/2$.",
                 ("How high is the centre when the tile stands on its edge?",), lambda p: BARRIER, lifted, "J", 0.05,
                 asked={"count": 2, "nudge": 1.0}, seconds=2.0,
                 mistakes=(Mistake(lambda p: 2.0 * BARRIER, "The centre is at half the height of the tile."),)),
        Exercise("Try it: find the weakest initial push, within 10 percent, that topples 10 tiles or more.",
                 "The initial push must supply the energy to reach the edge: $\\frac{1}{2} I \\omega^2 = E$ with $I = m (h^2 + "
                 "d^2)/3$ about the edge, which gives 0.69 rad/s.",
                 ("Compare the energy of the initial push with that at the "
                  "edge.", "The tile rotates about its edge, not about its "
                                                                            "centre."),
                 reached=wave, solution={"count": 10, "nudge": 0.73}, seconds=5.0),
    ),
)
