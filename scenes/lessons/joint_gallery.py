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
        Step("Run the scene and find the joint that lets nothing go: the weld in the middle row.", ran(2.0)),
        Step("Select a joint and look at its axes in the panel Joints. Its kind decides which directions are free.",
             action=Action("Open the panel", "panel", "joints")),
        Step("Give all joints dry friction of 1. The swings end, at different times.",
             lambda world, trace, p: p.friction == 1.0 and trace["time"][-1] > 2.0, Action("Friction 1", "set", "friction", 1.0)),
        Step("Now take viscous friction instead. Things creep to rest and never quite stop.",
             lambda world, trace, p: p.viscous > 0.0 and trace["time"][-1] > 2.0, Action("Viscous 0.5", "set", "viscous", 0.5)),
    ),
    exercises=(
        Exercise("In how many directions can a sleeve move on a bar?",
                 "It can slide along the bar and turn about it: two freedoms, four of six are held.",
                 ("It can do what a hinge does, and one thing more.",), lambda p: 1.0, freedoms,
                 choices=("one", "two", "three", "four"), seconds=0.1),
        Exercise("How many times does wheel b turn for one turn of wheel a? A negative number is the other way round.",
                 "The wheels touch and turn against each other, and b has two thirds of the radius of a.",
                 ("Divide the two angles in the plot.", "They turn against each other."),
                 lambda p: RATIO, measured(SCENE, "gear"), "", 0.01, seconds=2.0),
        Exercise("By how many metres does the nut rise in one turn?", "That is the lead of the thread.",
                 ("Select the nut and compare its height with its angle.",), lambda p: LEAD, lead, "m", 0.02, seconds=2.0),
        Exercise("The pinion has a radius of 0.12 m. By how many metres does the rack move while the pinion turns by one "
                 "radian? It moves "
                 "to the negative side.",
                 "An arc is the radius times the angle in radians; the sign says which side of the pinion the rack is on.",
                 ("What is the length of an arc of one radian?",), predicted(SCENE, "rack"), measured(SCENE, "rack"), "m", 0.02,
                 seconds=3.0, mistakes=(Mistake(lambda p: 2.0 * RADIUS, "Take the radius, not the diameter."),)),
    ),
)
