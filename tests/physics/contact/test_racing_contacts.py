"""Contacts that race round a rim, and rebounds of bodies that turn fast: no energy is lost unseen."""

import math

import numpy as np
import pytest

from physics import Cone, Cylinder, Ellipsoid, Plane, World, step
from physics.observe.audit.worst_places import Rule
from physics.stepping import time_of_impact
from scenes import without_clock
from tests.helpers import world_under

G = 9.81


def _thrown(shape, height, chance, restitution=0.0, spin=3.0):
    """A body thrown on rough ground, turned and spinning at random."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    quat = chance.normal(size=4)
    world.add_body(shape, pos=(0.0, 0.0, height), quat=quat / np.linalg.norm(quat), friction=0.5, restitution=restitution,
                   omega=spin * chance.normal(size=3))
    return world


def _largest_account(world, hz, seconds):
    """The largest unexplained gain or loss in a run, over what the auditor lets pass, a hundredth of the moving energy."""
    most = 0.0
    for _ in range(int(seconds * hz)):
        for finding in step(world, 1.0 / hz).audit.findings:
            if finding.rule in (Rule.GAINED, Rule.LOST):
                most = max(most, finding.ratio)
    return most


@pytest.mark.parametrize(("radius", "half", "hz", "seed"), [(0.3, 0.02, 240, 1), (0.3, 0.02, 240, 6), (0.3, 0.02, 120, 7),
                                                            (0.1, 0.01, 240, 7), (0.2, 0.05, 240, 6)])
def test_a_coin_that_falls_almost_flat_keeps_its_energy(radius, half, hz, seed):
    """Its contact races round the rim hundreds of times as fast as the coin turns, and no impact ends the fall: some of these
    lost more than half of their energy when the rows did not turn with such a contact."""
    world = _thrown(Cylinder(radius, half), radius + 0.05, np.random.default_rng(seed))
    assert _largest_account(world, hz, 3.0) < 4.0


@pytest.mark.parametrize("seed", [7, 8])
def test_so_does_a_cone(seed):
    world = _thrown(Cone(0.2, 0.2), 0.25, np.random.default_rng(seed))
    assert _largest_account(world, 240, 3.0) < 2.0


@pytest.mark.parametrize("seed", [0, 4])
def test_a_rebound_of_a_spinning_egg_is_an_impact_wherever_in_the_step_it_comes(seed):
    """Because it spins it reaches the ground a moment before a straight path would, perhaps at the end of a part of a step."""
    world = _thrown(Ellipsoid((0.3, 0.2, 0.15)), 0.8, np.random.default_rng(seed), restitution=0.8, spin=8.0)
    assert _largest_account(world, 60, 2.0) < 1.0


def _falling(solver, chance, turn, dt):
    """(world, fall from its start until it may touch the ground [m], speed at first [m/s]) of a cylinder that tumbles end over
    end by about `turn` a step [rad]."""
    world, reach, height, speed = without_clock(world_under(solver)), math.hypot(0.2, 0.1), 0.25, chance.uniform(0.0, 3.0)
    world.add_body(Plane(), kind="static")
    angle, tilt = chance.uniform(0.0, math.pi), chance.uniform(-0.1, 0.1)
    quat = np.array((math.cos(0.5 * angle), math.sin(0.5 * angle), tilt, 0.0))
    world.add_body(Cylinder(0.2, 0.1), pos=(0.0, 0.0, reach + height), quat=quat / np.linalg.norm(quat), vel=(0.0, 0.0, -speed),
                   omega=turn / dt * chance.uniform(0.5, 1.5) * np.array((1.0, chance.uniform(-0.1, 0.1), 0.0)))
    return world, height, speed


@pytest.mark.parametrize("solver, turn, dt, seed", [("soft_steps", 0.9, 1 / 60, 7), ("soft_steps", 0.9, 1 / 240, 7),
                                                    ("sequential_impulses", 2.0, 1 / 60, 110),
                                                    ("sequential_impulses", 2.0, 1 / 240, 98)])
def test_the_ground_does_not_push_a_tumbling_cylinder_before_it_can_touch_it(solver, turn, dt, seed):
    """Its lowest point jumps round the rim from step to step. If it went on at that rate it would meet the ground: one step in a
    hundred or in a thousand pushed the cylinder up from as far as 20 cm below, with each of these seeds. Velocities lag behind
    poses (`velocity_lag`)."""
    chance = np.random.default_rng(seed)
    for _ in range(10):
        world, height, speed = _falling(solver, chance, turn, dt)
        while speed * (world.time + dt) + 0.5 * G * (world.time + dt) ** 2 < height:
            step(world, dt)
            body = world.bodies[2]
            assert body["vel"][2] - G * body["velocity_lag"] == pytest.approx(-speed - G * world.time, abs=1e-9)


@pytest.mark.parametrize("last, foreseen", [(1.0 / 240.0, True), (1e-4, False)])
def test_nothing_is_foreseen_from_a_point_that_jumped_in_a_short_part(last, foreseen):
    """Above the ground, but in reach of it: its arm turned by a tenth of a radian since the part before. In a step that is a
    motion to go on with; in a fiftieth of one it is another point of the rim, and would press from 2 cm above."""
    world = World()
    world.add_body(Plane(), kind="static")
    body = world.add_body(Cylinder(0.09, 0.06), pos=(0.0, 0.0, 0.08), vel=(0.0, 0.0, -1.3), omega=(-7.0, -26.0, -2.5))
    step(world, 1.0 / 240.0)
    contacts = world.contacts.copy()
    sides = ["arm_a" if c["body_a"] == body else "arm_b" for c in contacts]
    for c, side in zip(contacts, sides, strict=True):
        to = (c["pos"] if side == "arm_a" else c["pos"] + c["shift"]) - world.bodies["pos"][body]
        c[side] = to + 0.1 * np.cross((0.0, 0.0, 1.0), to)
    time_of_impact.parts_for_turns(contacts, world.shapes, world.bodies, 1.0 / 240.0, last, 0.1, 8, 0.0)
    assert float(contacts["gap"].min()) > 0.005
    assert any(c[side].any() for c, side in zip(contacts, sides, strict=True)) == foreseen
