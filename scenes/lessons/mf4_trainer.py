"""Driving the robot: skidding turns, and a grip by friction."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Step, ran
from scenes.mf4_trainer import CARRY, DROPS, FETCH, MASS, OPEN_DOOR, PHASE, PHASES, TALL, TOP, Parameters, lift, predict


def scored(task: object) -> object:
    return lambda world, trace, p: world.inputs[task.score] > 0.0


def least(parameters: Parameters) -> float:
    """Normal force of one finger that just holds the cylinder [N]."""
    return MASS * 9.81 / (2.0 * parameters.mu)


def weight(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return predict(parameters)[0].measure(world, trace) if predict(parameters) else None


def shared(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """From the friction that the two fingers carry."""
    measured = weight(world, trace, parameters)
    return None if measured is None else measured / (2.0 * parameters.mu)


def slid_out(world: World, trace: Trace, parameters: Parameters) -> bool:
    """Whether the hand was lifted and the cylinder stayed behind."""
    return world.inputs[PHASE] > PHASES.index(lift) and trace["body:cylinder.z"].max() < TOP + TALL


LESSON = Lesson(
    allowed=("drives", "mu"),
    steps=(
        Step("Run the scene. The robot opens the door by driving against it.", scored(OPEN_DOOR)),
        Step("It turns on the spot: the belts run against each other, and the friction of the ground, against the slip of each "
             "contact, makes the moment. Look at the arrows.", ran(7.0), Action("Show the forces", "show", "forces")),
        Step("It closes the fingers and lifts the cylinder. Only friction holds it.", scored(FETCH)),
        Step("It carries the cylinder over the threshold. The jolt does not shake it loose.",
             lambda world, trace, p: world.inputs[CARRY.score] > 0.0 and world.inputs[DROPS] == 0.0),
        Step("Now drive yourself: reset, switch on the keyboard in the panel Controls, and earn the points.",
             action=Action("Open the controls", "panel", "controls")),
    ),
    exercises=(
        Exercise("The cylinder has a mass of 0.4 kg. With how many newtons must each of the two fingers press at least to hold "
                 "it, with the friction coefficient {mu}?",
                 "Two contacts carry the weight: $2\\mu p_n \\ge m g$. The drives press with far more.",
                 ("The friction of both fingers together carries the weight.", "Each of them carries half of it."), least, shared,
                 "N"),
        Exercise("Try it: choose a friction coefficient with which the cylinder slides out of the fingers.",
                 "The drives press with about 120 N, so the coefficient must be below $m g/(2 p_n)$, about 0.017.",
                 ("It must be very small.", "Compare the weight with twice the force of a drive."),
                 reached=slid_out, solution={"mu": 0.01}, seconds=18.0),
    ),
)
