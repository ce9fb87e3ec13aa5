"""A chain on spherical joints with dry friction: it swings down and freezes in a shape that friction can hold.

Each joint resists any turning with ||tau|| <= F_max (MS16 eq 8). At rest the torque of gravity about a joint, m g times
the horizontal distance of what hangs from it, must stay below that bound.
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, Sphere, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import GREY, add, ground, turned

LINK, RADIUS = 0.25, 0.045        # length of a link between its joints, radius [m]
MASS = 0.3                      # of a link [kg]
G = 9.81


@dataclasses.dataclass
class Parameters:
    links: int = option(8, lo=1, hi=60, help="Number of links.")
    friction: float = option(3.0, unit="N m", lo=0.0, hi=50.0, help="Dry friction bound of every joint. If it is large enough, "
                                                                    "the chain stays rigid: one link alone needs m g l / 2 = "
                                                                    "0.37 N m.")


def top(links: int) -> float:
    """Height of the first joint [m]: the chain hangs clear of the ground."""
    return links * LINK + 0.2


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    z = top(parameters.links)
    add(world, Sphere(0.09), (0.0, 0.0, z), kind="static", group=GREY, name="hook")
    lying = turned((0.0, 1.0, 0.0), 0.5 * math.pi)
    last = world.body("hook")
    for i in range(parameters.links):
        link = add(world, Capsule(RADIUS, 0.5 * LINK - RADIUS), ((i + 0.5) * LINK, 0.0, z), group=1 + i % 8, quat=lying,
                   mass=MASS, name=f"link {i}")
        world.add_joint("spherical", last, link, anchor=(i * LINK, 0.0, z), max_friction=parameters.friction,
                        name=f"joint {i}")
        last = link


def predict(parameters: Parameters) -> list[Prediction]:
    """The load of the whole chain on its hook, once it hangs."""
    def measure(world: World, trace: Trace) -> float | None:
        if trace["world.kinetic"][-1] > 1e-6:
            return None
        return float(np.hypot.reduce(world.joints["impulse"][world.joint("joint 0"), :3]) / world.last_dt)

    return [Prediction("load on the hook at rest", parameters.links * MASS * G, "N", 0.01, measure)]


def check(world: World, trace: Trace) -> None:
    """The links stay together, energy only falls, and the friction keeps its bound."""
    assert np.max(world.joints["error"][: len(world.joint_names)]) < 1e-2, "the chain came apart"
    energy = trace["world.energy"]
    assert np.max(np.diff(energy)) < 1e-3 * (energy[0] - energy[-1]), "a step gained energy"
    assert energy[-1] < energy[0], "the chain did not fall"
    bound = Parameters().friction * world.last_dt
    size = np.linalg.norm(world.joints["friction_impulse"], axis=1)
    assert np.max(size) <= bound * (1.0 + 1e-9), "friction beyond its bound"


SCENE = Scene(
    title="Chain with stiff joints",
    category="Joint friction",
    look_for="The chain is released from a horizontal position. Without friction it would swing for a long time; here every "
             "joint resists rotation with the same friction torque at any speed, so the swinging soon ends, and the chain stops "
             "in a slightly bent shape held by friction. Increase the friction: at the free end, where the load is small, links "
             "begin to stand out.",
    law=r"\|\tau\| \le F_{max}, \qquad \tau = -F_{max}\,\frac{\omega}{\|\omega\|} \;\; (\omega \ne 0)",
    law_text="|tau| <= F_max in every joint; while it turns at omega, tau = -F_max omega / |omega|",
    build=build,
    parameters=Parameters,
    live=("friction",),
    thumbnail=Thumbnail(0.5, View(target=(0.3, 0.0, 1.5), distance=3.4, azimuth=10.0, elevation=10.0)),
    view=View(target=(0.37, 0.01, 1.31), distance=4.9, azimuth=10.0, elevation=10.0),
    plots=("world.energy", "world.kinetic", "joint:joint 0.angle", "joint:joint 0.reaction"),
    predict=predict,
    check_time=10.0,
    check=check,
    unreached={},
)
