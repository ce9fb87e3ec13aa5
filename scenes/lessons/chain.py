"""Loads and torques along a chain."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.chain import LINK, MASS, SCENE, G, Parameters
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, ran


def needed(links: int) -> float:
    """Torque of a level chain on its hook [N m]."""
    return 0.5 * links**2 * MASS * G * LINK


def just_stays(world: World, trace: Trace, parameters: Parameters) -> bool:
    stays = trace["time"][-1] >= 1.0 and trace["world.kinetic"].max() < 1e-6
    return bool(stays and parameters.links == 4 and parameters.friction <= 1.05 * needed(4))


def torque(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the friction on the hook while the chain stays level [N m]."""
    if trace["time"][-1] < 0.2 or trace["world.kinetic"].max() > 1e-6:
        return None
    return float(np.linalg.norm(world.joints["friction_impulse"][world.joint("joint 0")]) / world.last_dt)


LESSON = Lesson(
    allowed=("links", "friction"),
    steps=(
        Step("Run the scene. The chain swings down and joint friction soon stops it.", ran(3.0)),
        Step("Open the joint lens and compare the friction with its bound while the joint turns, and when it is at rest.",
             action=Action("Open the joint lens", "panel", "joint_lens")),
        Step("Remove the friction. The chain swings for a long time.",
             lambda world, trace, p: p.friction == 0.0 and trace["time"][-1] > 3.0, Action("No friction", "set", "friction",
             0.0)),
    ),
    exercises=(
        Exercise("A chain of {links} links of 0.3 kg each hangs at rest. What is the force on its hook?",
                 "At rest the hook carries the weight of all links, however they are "
                 "bent.", ("What does the whole chain weigh?",),
                 predicted(SCENE, "load on the hook"), measured(SCENE, "load on the hook"), "N",
                 mistakes=(Mistake(lambda p: p.links * MASS, "That is the mass. The question asks for the force."),)),
        Exercise("A chain of {links} links, 0.3 kg and 0.25 m each, is held horizontal by its friction of {friction} N m. What "
                 "torque does the first joint carry?",
                 "The weight acts at the middle of the chain: $n m g \\cdot n l/2$. It grows with the square of the length.",
                 ("Where is the centre of mass of the horizontal chain?",), lambda p: needed(p.links), torque, "N m",
                 asked={"links": 3, "friction": 5.0}, seconds=0.5,
                 mistakes=(Mistake(lambda p: 2.0 * needed(p.links), "The centre of mass is at half the length."),
                           Mistake(lambda p: p.friction, "That is the largest torque it could carry."))),
        Exercise("Try it: find the smallest friction, within 5 percent, that holds a chain of 4 links horizontal.",
                 "The first joint needs $n^2 m g l/2$ = 5.89 N m; all others need less.",
                 ("Which joint carries the largest torque?", "Set the number of links to 4 first, then try."),
                 reached=just_stays, solution={"links": 4, "friction": 6.0}, seconds=1.2),
    ),
)
