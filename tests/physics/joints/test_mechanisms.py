"""Mechanisms without friction: energy, momentum and closed joints over long times."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, World, set_option, step
from physics.constraints.joint_layout import mechanisms
from physics.dynamics import measure


def energy(world: World) -> float:
    return sum(measure.energy(world.bodies, world.gravity))


def spinning_pair(kind: str) -> World:
    """Two bricks joined in free space, spinning about all axes."""
    world = World(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Box((0.3, 0.1, 0.05)), mass=1.0, omega=(5.0, 3.0, 8.0))
    b = world.add_body(Box((0.3, 0.1, 0.05)), mass=2.0, pos=(0.6, 0.0, 0.0), omega=(5.0, 3.0, -8.0), vel=(0.0, 5.0, -2.0))
    world.add_joint(kind, a, b, anchor=(0.3, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    set_option(world.solver.options, "budget", 0.0)
    step(world, 1 / 240)
    return world


def chain(with_contacts: bool, links: int = 12) -> World:
    """A chain of capsules, let go horizontally: it whips and, with contacts, hits itself."""
    world, last = World(), 0
    for i in range(links):
        shape = Capsule(0.05, 0.15)
        body = world.add_body(shape if with_contacts else None, pos=(0.2 + 0.4 * i, 0.0, 3.0), mass=1.0,
                              quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0), inertia=shape.inertia(1.0))
        world.add_joint("spherical", last, body, anchor=(0.4 * i, 0.0, 3.0))
        last = body
    set_option(world.solver.options, "budget", 0.0)
    return world


@pytest.mark.parametrize("kind, loss", [("spherical", 0.002), ("revolute", 0.005), ("fixed", 0.002)])
def test_a_spinning_pair_keeps_its_energy_and_momentum(kind, loss):
    """10 s at 240 Hz; the share of energy lost, and joints closed to 1e-7."""
    world = spinning_pair(kind)
    before, momentum = energy(world), np.array(measure.momentum(world.bodies)[0])
    for _ in range(2400):
        report = step(world, 1 / 240)
        assert report.joint_error < 1e-7
    assert energy(world) == pytest.approx(before, rel=loss)
    assert np.array(measure.momentum(world.bodies)[0]) == pytest.approx(momentum, abs=1e-9)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
@pytest.mark.parametrize("arm", [0.05, 0.3])
@pytest.mark.parametrize("substeps, dt", [(1, 1 / 60), (1, 1 / 240), (4, 1 / 60)])
def test_a_pair_that_flies_apart_is_caught_with_all_its_angular_momentum(kind, arm, substeps, dt):
    """The blow of its first substep is no lasting force. Under such a force the pair would swing faster than a substep resolves,
    and what damps that took seven eighths of its rotation."""
    world, rate, apart = World(gravity=(0.0, 0.0, 0.0)), 5.0, 6.0 * arm * substeps / dt
    world.solver.set(budget=0.0, substeps=substeps)
    for side in (-1.0, 1.0):
        world.add_body(Box((0.9 * arm, 0.3 * arm, 0.2 * arm)), mass=1.0, pos=(side * arm, 0.0, 0.0),
                       vel=(side * apart, side * rate * arm, 0.0), omega=(0.0, 0.0, rate))
    world.add_joint(kind, 1, 2, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    before = measure.momentum(world.bodies)[1][2]
    for _ in range(4):
        step(world, dt)
        assert measure.momentum(world.bodies)[1][2] == pytest.approx(before, rel=1e-12)


@pytest.mark.parametrize("with_contacts", [False, True])
def test_a_whipping_chain_gains_no_energy_and_stays_together(with_contacts):
    """6 s of wild swinging: never above the start by more than 0.5 % of the fall, joints within 1 mm."""
    world = chain(with_contacts)
    start, falls = energy(world), 12 * 9.81 * 2.4
    for _ in range(6 * 240):
        report = step(world, 1 / 240)
        assert energy(world) <= start + 0.005 * falls
        assert report.joint_error < 1e-3


def test_mechanisms_are_bodies_connected_by_joints():
    """Bodies joined through moving bodies share a group; the world does not tie."""
    world = World()
    bodies = [world.add_body(Box((0.1, 0.1, 0.1)), pos=(i, 0.0, 0.0)) for i in range(6)]
    for a, b in ((5, 4), (3, 4), (0, 1), (0, 2)):
        world.add_joint("spherical", bodies[a] if a else 0, bodies[b], anchor=(0.0, 0.0, 0.0))
    of_joint, of_body = mechanisms(world.joints, world.bodies["kind"] == 3)
    assert of_body[bodies[3]] == of_body[bodies[4]] == of_body[bodies[5]] >= 0
    assert of_body[bodies[1]] != of_body[bodies[2]] and min(of_body[bodies[1]], of_body[bodies[2]]) >= 0
    assert of_body[0] == of_body[bodies[0]] == -1
    assert of_joint.tolist() == [of_body[bodies[3]], of_body[bodies[3]], of_body[bodies[1]], of_body[bodies[2]]]
