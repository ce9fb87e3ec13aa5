"""Steps of time, in whole numbers: a lesson to do with pencil and paper."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step
from scenes.particle_and_wall import EXPLICIT, FREE, MOVING, TABLES, WALL, Parameters


def after_four(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Where it is [m]."""
    return float(trace["body:particle.x"][4]) if len(trace["time"]) > 4 else None


LESSON = Lesson(
    steps=(
        Step("Run the scene, or step through it. In every second the force of 1 N increases the speed of the 1 kg particle by 1 "
             "m/s.",
             lambda world, trace, p: len(trace["time"]) > 4),
        Step("Watch the impact: the fifth step allows the particle only the remaining metre, and the sixth stops it.",
             lambda world, trace, p: p.case == WALL and len(trace["time"]) > 7),
        Step("Let the wall move towards the particle. In the end the particle moves with it.",
             lambda world, trace, p: p.case == MOVING and len(trace["time"]) > 6, Action("Moving wall", "set", "case", MOVING)),
        Step("Update positions with the old velocity, as in explicit Euler. The particle lags one step behind.",
             lambda world, trace, p: p.case == EXPLICIT and len(trace["time"]) > 4, Action("Explicit", "set", "case", EXPLICIT)),
    ),
    exercises=(
        Exercise("From rest at x = 0, with one step a second and $v_1 = v_0 + 1$, $x_1 = x_0 + v_1$: where is the free "
                 "particle after "
                 "four steps?",
                 "The velocities are 1, 2, 3, 4, and the positions 1, 3, 6, 10. By the exact law it would be at 8.",
                 ("Write down the velocities first.", "Each position is the one before plus the new velocity."),
                 lambda p: float(TABLES[FREE]["x"][4]), after_four, "m", 1e-6, asked={"case": FREE}, seconds=5.0,
                 mistakes=(Mistake(lambda p: 8.0, "That is the exact law of free fall. Go step by step."),
                           Mistake(lambda p: 6.0, "That is with the old velocity in each step."))),
        Exercise("And where is it after four steps if each position is updated with the old velocity, $x_1 = x_0 + v_0$?",
                 "The velocities before the steps are 0, 1, 2, 3, so it is at 6.", ("The first step has velocity zero.",),
                 lambda p: float(TABLES[EXPLICIT]["x"][4]), after_four, "m", 1e-6, asked={"case": EXPLICIT}, seconds=5.0,
                 mistakes=(Mistake(lambda p: 10.0, "That is with the new velocity."),)),
        Exercise("After four steps the particle is at 10 m with 4 m/s, and the wall is at 11 m. What is its velocity after the "
                 "fifth step, by $v_1 = (x_1 - x_0)/h$?",
                 "One metre is left for one second: 1 m/s. The impulse was 4 + 1 - 1 = 4 N s.",
                 ("How far does it move in this step?",), lambda p: 1.0,
                 lambda world, trace, p: float(trace["body:particle.vx"][5]) if len(trace["time"]) > 5 else None, "m/s", 1e-6,
                 mistakes=(Mistake(lambda p: 0.0, "It moves in this step. Only the next one stops it."),
                           Mistake(lambda p: 5.0, "That is without the wall."))),
    ),
)
