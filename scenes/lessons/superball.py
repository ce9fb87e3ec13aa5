"""Spin and speed at an impact."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran
from scenes.superball import RADIUS, SCENE, TANGENTIAL, Parameters, after_first


def comes_back(world: World, trace: Trace, parameters: Parameters) -> bool:
    speed = after_first(trace, 1.0)
    return speed is not None and speed < -0.05 and parameters.speed > 0.0


def alike(world: World, trace: Trace, parameters: Parameters) -> bool:
    speeds = [after_first(trace, e_t) for e_t in TANGENTIAL]
    return None not in speeds and max(speeds) - min(speeds) < 0.02 and parameters.speed == 1.0


LESSON = Lesson(
    allowed=("speed", "spin", "restitution", "mu"),
    steps=(
        Step("Run the scene until the balls have bounced twice. The superball alternates between short and long hops.", ran(1.7)),
        Step("Show the spins. After the first bounce the superball is slow and spins; the second restores its speed.",
             action=Action("Show spins", "show", "spins")),
        Step("Remove the friction. No ball starts to spin, and all keep their horizontal speed.",
             lambda world, trace, p: p.mu == 0.0 and trace["time"][-1] > 1.0, Action("Friction 0", "set", "mu", 0.0)),
    ),
    exercises=(
        Exercise("The balls are thrown at {speed} m/s without spin. What is the horizontal speed of the superball ($e_t$ = 1) "
                 "after its first bounce?",
                 "$v^+ = v - \\frac{2}{7} (1 + e_t)\\,s$ with $s = v$: three sevenths of the speed remain.",
                 ("The angular momentum about the contact point is conserved, since the impulse has no moment arm about it.",
                  "The slip of the contact point changes its sign."),
                 predicted(SCENE, "speed after the first bounce, e_t = 1"), measured(SCENE, "speed after the first bounce, "
                                                            "e_t = 1"),
                 "m/s", 0.06, mistakes=(Mistake(lambda p: 5.0 / 7.0 * p.speed, "That is the ball whose slip only stops."),)),
        Exercise("And the ball with $e_t$ = 0, which rolls after the bounce?",
                 "Only the slip is lost: $v^+ = \\frac{5}{7} v$.", ("After the bounce its contact point is at rest.",),
                 lambda p: 5.0 / 7.0 * p.speed, lambda world, trace, p: after_first(trace, 0.0), "m/s", 0.06),
        Exercise("Try it: throw the superball forwards so that it comes back after its first bounce.",
                 "With backspin the slip is larger: it comes back where $-r\\omega > 0.75\\,v$.", ("Which way must it spin?",),
                 reached=comes_back, solution={"spin": -10.0}),
        Exercise("Try it: at {speed} m/s choose the spin at which all three balls bounce alike.",
                 "Without slip nothing is reversed: $\\omega = v/r$ = 6.67 rad/s.",
                 ("How do they differ? When does that have no effect?",), reached=alike,
                 solution={"spin": round(1.0 / RADIUS, 2)}),
    ),
)
