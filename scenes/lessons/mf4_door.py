"""The robot at the door: a push on loan, friction to the end."""

import math

from physics import World
from scenes import Trace
from scenes.door import INERTIA
from scenes.lessons import Action, Exercise, Lesson, Step, predicted, ran
from scenes.mf4_door import PUSH, SCENE, T1, Parameters, motion, release


def slowing(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """[rad/s^2], from the release until the door stops."""
    stop, _ = motion(trace)
    return None if math.isnan(stop) else release(trace)[1] / (stop - T1)


def stops(world: World, trace: Trace, parameters: Parameters) -> float | None:
    stop, _ = motion(trace)
    return None if math.isnan(stop) else stop


LESSON = Lesson(
    allowed=("max_friction",),
    steps=(
        Step("Run the scene. The belts carry the robot to the door, the hand touches it and waits.", ran(PUSH - 0.5)),
        Step("At 4 s the arm pushes for 0.33 s. Look at the angular speed of the hinge beside the published curve.",
             ran(PUSH + T1)),
        Step("Open the panel Controls: each joint of the arm shows the torque of its drive and its dry friction.",
             action=Action("Open the controls", "panel", "controls")),
        Step("The door has left the fingers. Only the hinge acts on it now, and it stops.",
             lambda world, trace, p: not math.isnan(motion(trace)[0])),
    ),
    exercises=(
        Exercise("The door has a moment of inertia of 8.06 kg m$^2$ about its hinge. By how much does its angular speed fall "
                 "each second once the robot has let go, with {max_friction} N m in the hinge?",
                 "The only torque is the friction, so $\\dot\\omega = -F_{max}/I$, whoever pushed before.",
                 ("Torque is moment of inertia times angular acceleration.",), lambda p: p.max_friction / INERTIA, slowing,
                 "rad/s^2", tolerance=0.03),
        Exercise("How long after the push began does the door stop, if the hinge has {max_friction} N m?",
                 "It lets go at 1.34 rad/s after 0.33 s, and friction takes $\\omega_1 I/F_{max}$ more.",
                 ("Divide the angular speed at the release by the deceleration.",),
                 predicted(SCENE, "stops after the push began"), stops, "s", 0.03, asked={"max_friction": 15.0}),
    ),
)
