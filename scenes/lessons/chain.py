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
        Step("Run the scene. The chain swings down, and the friction of its joints soon stops it.", ran(3.0)),
        Step("Open the lens on a joint and compare its friction with the bound while it turns, and when it stands.",
             action=Action("Open the joint's lens", "panel", "joint_lens")),
        Step("Take the friction away. The chain swings for a long time.",
             lambda world, trace, p: p.friction == 0.0 and trace["time"][-1] > 3.0, Action("No friction", "set", "friction",
             0.0)),
    ),
    exercises=(
        Exercise("A chain of {links} links of 0.3 kg each hangs at rest. Which force is on its hook?",
                 "At rest the hook bears the weight of all links, however they are bent.", ("What does the whole chain weigh?",),
                 predicted(SCENE, "load on the hook"), measured(SCENE, "load on the hook"), "N",
                 mistakes=(Mistake(lambda p: p.links * MASS, "That is the mass. The force is asked for."),)),
        Exercise("A chain of {links} links, 0.3 kg and 0.25 m each, is held level by its friction of {friction} N m. Which "
                 "torque does the "
                 "first joint bear?",
                 "The weight acts at the middle of the chain: $n m g \\cdot n l/2$. It grows with the square of the length.",
                 ("Where is the centre of mass of the level chain?",), lambda p: needed(p.links), torque, "N m",
                 asked={"links": 3, "friction": 5.0}, seconds=0.5,
                 mistakes=(Mistake(lambda p: 2.0 * needed(p.links), "The centre of mass is half way."),
                           Mistake(lambda p: p.friction, "That is the most it could bear."))),
        Exercise("Make it happen: find the smallest friction, to 5 percent, that holds a chain of 4 links level.",
                 "The first joint needs $n^2 m g l/2$ = 5.89 N m; all others need less.",
                 ("Which joint has the most to bear?", "Set the number of links to 4 first, then try."),
                 reached=just_stays, solution={"links": 4, "friction": 6.0}, seconds=1.2),
    ),
)
