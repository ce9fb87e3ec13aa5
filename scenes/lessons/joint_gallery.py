"""What joints let go and what they hold."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.joint_gallery import LEAD, RADIUS, RATIO, RISE, SCENE, TOP, Parameters
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran


def freedoms(world: World, trace: Trace, parameters: Parameters) -> float:
    """Free directions of the sleeve on its bar, counted from one."""
    return float(len(world.joint_kind(world.joint("cylindrical")).axes) - 1)


def lead(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Height of the nut over its turns [m]."""
    angle = trace["joint:screw.angle"][-1]
    if abs(angle) < 1.0:
        return None
    height = world.bodies["pos"][world.body("nut"), 2] - TOP - 2.0 * RISE
    return float(height / (angle / (2.0 * np.pi)))


LESSON = Lesson(
    steps=(
        Step("Run the scene and find the joint without free directions: the fixed joint in the middle row.", ran(2.0)),
        Step("Select a joint and look at its axes in the Joints panel. Its kind decides which directions are free.",
             action=Action("Open the panel", "panel", "joints")),
        Step("Set the dry friction of all joints to 1. The oscillations end, at different times.",
             lambda world, trace, p: p.friction == 1.0 and trace["time"][-1] > 2.0, Action("Friction 1", "set", "friction", 1.0)),
        Step("Now use viscous friction instead. The motion decays and never quite stops.",
             lambda world, trace, p: p.viscous > 0.0 and trace["time"][-1] > 2.0, Action("Viscous 0.5", "set", "viscous", 0.5)),
    ),
    exercises=(
        Exercise("How many degrees of freedom has a sleeve on a bar?",
                 "It can slide along the bar and rotate about it: two degrees of freedom; four of six are constrained.",
                 ("It has the freedom of a hinge, plus one.",), lambda p: 1.0, freedoms,
                 choices=("one", "two", "three", "four"), seconds=0.1),
        Exercise("How many turns does wheel b make per turn of wheel a? A negative number means the opposite direction.",
                 "The wheels mesh and turn in opposite directions, and b has two thirds of the radius of a.",
                 ("Divide the two angles in the plot.", "They turn in opposite directions."),
                 lambda p: RATIO, measured(SCENE, "gear"), "", 0.01, seconds=2.0),
        Exercise("By how many metres does the nut rise in one turn?", "That is the lead of the thread.",
                 ("Select the nut and compare its height with its angle.",), lambda p: LEAD, lead, "m", 0.02, seconds=2.0),
        Exercise("The pinion has a radius of 0.12 m. By how many metres does the rack move per radian of the pinion? It moves in "
                 "the negative direction.",
                 "An arc is the radius times the angle in radians; the sign says which side of the pinion the rack is on.",
                 ("What is the length of an arc of one radian?",), predicted(SCENE, "rack"), measured(SCENE, "rack"), "m", 0.02,
                 seconds=3.0, mistakes=(Mistake(lambda p: 2.0 * RADIUS, "Take the radius, not the diameter."),)),
    ),
)
