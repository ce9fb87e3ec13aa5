"""The cases of Coulomb's law in a plane (T08): particles side by side, each in one of them.

    0 <= l_f1 _|_ v_t + s >= 0,    0 <= l_f2 _|_ -v_t + s >= 0,    0 <= s _|_ mu l_n - l_f1 - l_f2 >= 0

l_f1, l_f2: friction impulses along +x and -x, s: sliding speed. Each is positive or zero, which makes eight cases
(physics/contact/friction_cone.py). In the sixth and the fourth a push is held, in the fifth and the third a push of just mu m g
keeps up a slide, in the seventh nothing rubs, in the eighth nothing has to. The first is empty, and in the second two impulses
partly cancel, which Lemke's algorithm has no need to find.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from physics import Sphere, World, option
from physics.contact import friction_cone
from scenes import Scene, Trace, View
from scenes._parts import G, add, ground, mark, push

RADIUS, MASS = 0.15, 1.0                # [m], [kg]
TURNS = ("rx", "ry", "rz")
"""Axes that are locked: a sphere that cannot turn is a particle."""

LIFT = 0.01
"""Gap below the particle that is carried [m]."""


class Lane(NamedTuple):
    """speed at the start [m/s]; push: part of mu m g along x; rubs: with friction; carried: held above the ground; state, cases:
    as physics.contact.friction_cone.classify tells, the sign case and the planar case of T08."""

    speed: float
    push: float
    rubs: bool
    carried: bool
    state: str
    sign_case: int
    planar_case: int


SLOW = 0.1
"""Speed of those who slide [m/s]."""

LANES = {
    "held, pushed right": Lane(0.0, 0.5, True, False, "stick", 6, 1),
    "held, pushed left": Lane(0.0, -0.5, True, False, "stick", 4, 1),
    "slides right": Lane(SLOW, 1.0, True, False, "slide", 5, 3),
    "slides left": Lane(-SLOW, -1.0, True, False, "slide", 3, 2),
    "at rest": Lane(0.0, 0.0, True, False, "stick", 8, 1),
    "without friction": Lane(SLOW, 0.0, False, False, "degenerate", 7, 4),
    "carried": Lane(SLOW, 0.0, True, True, "open", 7, 4),
}


@dataclasses.dataclass
class Parameters:
    friction: float = option(0.5, lo=0.1, hi=1.0, help="Friction coefficient of all particles but one. The pushes scale with it.")
    push: float = option(0.5, lo=0.0, hi=0.95, help="Push on the held particles, relative to the friction bound.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=1.0)
    for k, (name, lane) in enumerate(LANES.items()):
        y, mu = 0.5 * (3 - k), parameters.friction if lane.rubs else 0.0
        place = (0.0, y, RADIUS + (LIFT if lane.carried else 0.0))
        body = add(world, Sphere(RADIUS), place, group=k + 1, mass=MASS, vel=(lane.speed, 0.0, 0.0), friction=mu * mu, name=name)
        world.add_joint("six_dof", 0, body, anchor=place, limits=dict.fromkeys(TURNS, (0.0, 0.0)), name=f"no turn {k + 1}")
        part = lane.push if abs(lane.push) == 1.0 else np.sign(lane.push) * parameters.push
        force = (part * mu * MASS * G, 0.0, MASS * G if lane.carried else 0.0)
        push(world, body, lambda world, force=force: force)
        mark(world, 0.0, y, f"start {k + 1}")


def cases(world: World) -> dict[str, friction_cone.Classified]:
    """The case of each particle's contact with the ground, by name; who touches nothing is left out."""
    found, floor = {}, world.body("ground")
    for contact in world.contacts:
        a, b = contact["body_a"], contact["body_b"]
        if floor in (a, b):
            found[world.body_names[b if a == floor else a]] = friction_cone.classify(contact)
    return found


def check(world: World, trace: Trace) -> None:
    """Each in its case at the end, and as fast as in the beginning."""
    found = cases(world)
    for name, lane in LANES.items():
        assert found[name] == (lane.state, lane.sign_case, lane.planar_case), f"'{name}' is {found[name]}"
        off = np.abs(trace[f"body:{name}.vx"] - lane.speed).max()
        assert off < 1e-9, f"'{name}' changes its speed by {off:.1e} m/s"


SCENE = Scene(
    title="All cases of friction in a plane",
    category="Contact friction",
    look_for="Seven particles that cannot roll, each in a different case of Coulomb's law. Two are pushed and held: friction "
             "equals the push. Two are pushed with a force equal to the friction bound and slide at constant speed, with "
             "friction at its bound and opposed to the motion. One rests without any friction force, one is frictionless, and "
             "one is supported just above the ground, where a contact exists but carries no load. Pull one with the mouse and "
             "see its case change.",
    law=r"0 \le \lambda_{f1} \perp v_t + s \ge 0, \quad 0 \le \lambda_{f2} \perp -v_t + s \ge 0, \quad "
        r"0 \le s \perp \mu\lambda_n - \lambda_{f1} - \lambda_{f2} \ge 0",
    law_text="0 <= lf1 _|_ vt + s >= 0;  0 <= lf2 _|_ -vt + s >= 0;  0 <= s _|_ mu ln - lf1 - lf2 >= 0",
    build=build,
    parameters=Parameters,
    solver="stewart_trinkle",
    options={"facets": 2, "contacts": "all", "half_step_gravity": False},
    view=View(target=(-0.08, -0.14, 0.05), distance=3.9, azimuth=52.0, elevation=30.0),
    show=("contacts", "forces", "velocities"),
    plots=tuple(f"body:{name}.vx" for name in LANES),
    check_time=2.0,
    check=check,
)
