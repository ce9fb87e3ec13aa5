"""Joints that carry more than they stand break: removed at the end of the step, and reported in `World.broken`."""

import math
from dataclasses import dataclass
from typing import Any

from physics.joint_quantities import reaction_force, reaction_torque


@dataclass(frozen=True)
class Broken:
    """A joint that broke in the last step: end of the step [s], its name, one sentence that says why."""

    time: float
    name: str
    text: str


def break_joints(world: Any) -> list[Broken]:
    """Remove the joints whose reaction passed what they stand, and say which.

    Force and torque are means over the last step: an impact breaks sooner with a smaller step.
    """
    broken = []
    for j in world.lists.joints.breakable.tolist():
        joint, name = world.joints[j], world.joint_names[j]
        for quantity, size, most, unit in (("force", reaction_force(world, j), float(joint["break_force"]), "N"),
                                           ("torque", reaction_torque(world, j), float(joint["break_torque"]), "N m")):
            if size > most and math.isfinite(most):
                broken.append(Broken(world.time, name, f"{name} broke: it carried a {quantity} of {size:.4g} {unit} "
                                                               f"and stands {most:.4g} {unit}"))
                world.remove_joint(j)
                break
    return broken
