"""Bodies of another size, shape or kind: mass, centre and inertia are those of the shape where it is in its body."""

import numpy as np
import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from physics import Box, Compound, Cylinder, Hull, World, step
from physics.core.quaternions import rotate

LYING = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
"""Turns z to -y."""

CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-0.5, 0.5) for z in (-0.2, 0.2)])


def lying(world, radius, half, at=(0.0, 0.0, 0.0), kind="dynamic"):
    return world.add_body(Compound((Cylinder(radius, half), at, LYING)), kind=kind, density=700.0)


def test_the_inertia_of_a_turned_shape_of_another_size():
    """It was along the axes of the shape: two of them were exchanged."""
    world = World()
    resized, fresh = lying(world, 0.1, 0.5), lying(world, 0.1, 0.6)
    world.set_shape(resized, Cylinder(0.1, 0.6))
    assert resized.mass == pytest.approx(fresh.mass)
    np.testing.assert_allclose(resized.inertia, fresh.inertia, atol=1e-12)
    assert not world.warnings.pop_new()


def test_a_static_shape_away_from_the_origin_becomes_dynamic_about_its_own_centre():
    world = World(gravity=(0.0, 0.0, 0.0))
    body, fresh = lying(world, 0.1, 0.5, (1.0, 0.0, 0.0), "static"), lying(world, 0.1, 0.5, (1.0, 0.0, 0.0))
    hinged = world.add_body(Box((0.1, 0.1, 0.1)), pos=(1.0, 0.0, 2.0))
    hinge = world.add_joint("revolute", body, hinged, anchor=(1.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
    world.set_kind(body, "dynamic", density=700.0)
    np.testing.assert_allclose(body.pos, (1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(body.inertia, fresh.inertia, atol=1e-12)
    assert not world.shapes["local_pos"][world.shapes["body"] == body].any()
    np.testing.assert_allclose(world.joints["anchor_a"][hinge], (0.0, 0.0, 1.0), atol=1e-12)
    step(world, 1.0 / 240.0)
    assert world.joints["error"][hinge] < 1e-12


def test_a_kinematic_body_that_becomes_dynamic_keeps_the_velocity_of_its_matter():
    world = World(gravity=(0.0, 0.0, 0.0))
    body = lying(world, 0.1, 0.5, (1.0, 0.0, 0.0), "kinematic")
    world.set_velocity(body, (0.0, 0.0, 3.0), (0.0, 0.0, 2.0))
    world.set_kind(body, "dynamic", density=700.0)
    np.testing.assert_allclose(body.vel, (0.0, 2.0, 3.0), atol=1e-12)


def robot_arm(world):
    """An arm with a given inertia and a shape beside its centre of mass."""
    arm = world.add_body(Box((0.3, 0.05, 0.05)), pos=(0.3, 0.0, 0.0), mass=2.0, inertia=(0.01, 0.2, 0.2), name="arm")
    world.shapes["local_pos"][world.shapes["body"] == arm] = (0.1, 0.0, 0.0)
    hinge = world.add_joint("revolute", "world", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return arm, hinge


def test_a_given_inertia_stays_where_the_size_is_what_it_was():
    world = World()
    arm, _ = robot_arm(world)
    world.set_shape(arm, Box((0.3, 0.05, 0.05)))
    np.testing.assert_array_equal(arm.inertia.diagonal(), (0.01, 0.2, 0.2))
    assert not world.warnings.pop_new()


def test_another_size_replaces_a_given_inertia_and_says_so():
    """The centre moves into the shape: what is fixed to the body stays where it was, and its matter moves on as before."""
    world = World(gravity=(0.0, 0.0, 0.0))
    arm, hinge = robot_arm(world)
    arm.vel, arm.omega = (0.0, 0.0, -0.6), (0.0, 2.0, 0.0)
    world.set_shape(arm, Box((0.3, 0.05, 0.1)))
    np.testing.assert_allclose(arm.pos, (0.4, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(arm.vel, (0.0, 0.0, -0.8), atol=1e-12)
    np.testing.assert_allclose(arm.pos + rotate(arm.quat, world.joints["anchor_b"][hinge]), 0.0, atol=1e-12)
    assert arm.mass == pytest.approx(4.0)
    np.testing.assert_allclose(arm.inertia.diagonal(), Box((0.3, 0.05, 0.1)).inertia(4.0), rtol=1e-12)
    assert any("inertia or centre of mass was given for another size" in sentence for sentence in world.warnings.pop_new())


def test_a_stretched_hull_that_is_turned_in_its_body():
    simulation = Simulation("empty")
    world = simulation.world
    body = world.add_body(Compound((Hull(CORNERS), (0.5, 0.0, 0.0), LYING)), pos=(1.0, 2.0, 3.0), density=700.0)
    commands.stretch(simulation, body, (1.0, 2.0, 1.0))
    wider = Hull(CORNERS * (1.0, 2.0, 1.0))
    fresh = world.add_body(Compound((wider, (0.5, 0.0, 0.0), LYING)), pos=(1.0, 2.0, 3.0), density=700.0)
    np.testing.assert_allclose(body.pos, fresh.pos, atol=1e-12)
    np.testing.assert_allclose(body.inertia, fresh.inertia, rtol=1e-9, atol=1e-9)
    assert body.mass == pytest.approx(fresh.mass)
