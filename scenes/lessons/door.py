"""A door: speed on a straight line, angle on a parabola."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.door import F_MAX, INERTIA, SCENE, T1, Parameters, expected, motion
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran


def has_stopped(trace: Trace) -> bool:
    late = trace["time"] > T1 + 0.01
    return bool(np.any(late & (np.abs(trace["joint:hinge.rate"]) <= 1e-6)))


def thirty_degrees(world: World, trace: Trace, parameters: Parameters) -> bool:
    return has_stopped(trace) and parameters.max_friction == F_MAX and abs(math.degrees(motion(trace)[1]) - 30.0) <= 0.5


def fastest(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return float(np.max(trace["joint:hinge.rate"])) if trace["time"][-1] > T1 + 0.05 else None


def slowing(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """[rad/s^2], in the middle of the free motion."""
    used = (trace["time"] > T1 + 0.05) & (trace["time"] < 0.8)
    if trace["time"][-1] < 0.8:
        return None
    return float(-np.polyfit(trace["time"][used], trace["joint:hinge.rate"][used], 1)[0])


def angle_in_degrees(parameters: Parameters) -> float:
    return math.degrees(expected(parameters)[1])


LESSON = Lesson(
    allowed=("max_friction", "push"),
    steps=(
        Step("Run the scene. A hand pushes for 0.33 s; then only the hinge acts on the door.", ran(0.9)),
        Step("Look at the angular speed after the push: a straight line. Friction does not depend on speed.", action=PLOT),
        Step("Select the hinge and open the joint lens: after the stop, friction balances the load, up to its bound.",
             action=Action("Open the joint lens", "panel", "joint_lens")),
        Step("Remove the friction. The door keeps turning at the speed it reached.",
             lambda world, trace, p: p.max_friction == 0.0 and trace["time"][-1] > 0.6, Action("No friction", "set",
             "max_friction", 0.0)),
    ),
    exercises=(
        Exercise("The door has a moment of inertia of 8.06 kg m$^2$ about its hinge. By how much does its angular speed fall "
                 "each "
                 "second after the push, with {max_friction} N m in the hinge?",
                 "The only torque is the friction, so $\\dot\\omega = -F_{max}/I$.",
                 ("Torque is moment of inertia times angular acceleration.",), lambda p: p.max_friction / INERTIA, slowing,
                 "rad/s^2"),
        Exercise("Through which angle, in degrees, has the door turned when it comes to rest, after a push that begins with "
                 "{push} N m?",
                 "The push turns it through a first angle; from the speed it then has, friction lets it turn on by $\\omega_1^2 "
                 "I/(2 F_{max})$.",
                 ("Read the speed and the angle at 0.33 s from the plot.", "Then the door decelerates uniformly."),
                 angle_in_degrees, lambda world, trace, p: math.degrees(motion(trace)[1]) if has_stopped(trace) else None, "deg",
                 tolerance=0.03),
        Exercise("At what time does it stop?", "It stops $\\omega_1 I/F_{max}$ after the push ended at 0.33 s.",
                 ("Read the speed at the end of the push and divide it by the deceleration.",),
                 predicted(SCENE, "stops at"), measured(SCENE, "stops at"), "s", 0.03,
                 mistakes=(Mistake(lambda p: expected(p)[0] - T1, "That is the time after the push."),)),
        Exercise("Try it: choose the push so that the door stops at 30 degrees, within half a degree. Leave the friction "
                 "unchanged.",
                 "A push of about 76 N m is right. The angle grows faster than the push.",
                 ("A weaker push gives a smaller angle.", "Try two pushes and interpolate between them."),
                 reached=thirty_degrees, solution={"push": 76.5}),
    ),
)
