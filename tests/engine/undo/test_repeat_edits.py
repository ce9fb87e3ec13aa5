"""A reset keeps what was built by hand: at the start of the scene each body stands where it was put."""

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.engine.simulation import Simulation
from physics import Box, Hull, Sphere

CRATE = Box((0.2, 0.2, 0.2))


def run(simulation, steps=60):
    for _ in range(steps):
        assert simulation.step()


def pose(simulation, name):
    body = simulation.world.bodies[simulation.world.body(name)]
    return body["pos"].tolist()


@pytest.mark.parametrize("late", [False, True])
def test_a_built_body_returns_to_where_it_was_put(late):
    simulation = Simulation(scenes.EMPTY)
    if late:
        run(simulation, 30)
    commands.spawn(simulation, CRATE, (0.0, 0.0, 2.0), name="crate")
    commands.set_pose(simulation, simulation.world.body("crate"), (1.0, 0.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    for _ in range(3):
        run(simulation)
        assert pose(simulation, "crate")[2] < 2.8
        simulation.reset()
        assert simulation.world.steps == 0 and pose(simulation, "crate") == [1.0, 0.0, 3.0]
    commands.undo(simulation)
    assert pose(simulation, "crate")[2] < 2.8, "the last reset is undone"


def test_hulls_joints_and_materials_are_kept_and_throws_are_not():
    simulation = Simulation("stack")
    run(simulation, 10)
    commands.throw(simulation, (0.0, -5.0, 1.0), (0.0, 1.0, 0.0))
    points = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.1, 0.2)])
    commands.spawn(simulation, Hull(points), (3.0, 0.0, 1.0), name="hull")
    commands.assemble(simulation, "cart", (5.0, 0.0, 0.0))
    commands.set_mass(simulation, 3, 77.0)
    commands.set_friction(simulation, 0.123, 4)
    joints = [name for name in simulation.world.joint_names if name]
    assert joints
    for _ in range(2):
        run(simulation, 20)
        simulation.reset()
        world = simulation.world
        assert "hull" in world.body_names and not any(name.startswith("thrown") for name in world.body_names)
        assert [name for name in world.joint_names if name] == joints
        assert world.bodies["mass"][3] == 77.0 and float(world.shapes["friction"][world.shapes["body"] == 4][0]) == 0.123
    run(simulation, 60)
    commands.spawn(simulation, Sphere(0.2), (8.0, 0.0, 1.0), name="after")
    assert "after" in simulation.world.body_names


def test_a_body_of_the_scene_that_was_moved_in_the_run_returns_but_one_moved_at_the_start_stays():
    simulation = Simulation("stack")
    was = simulation.world.bodies["pos"].copy()
    commands.set_pose(simulation, 10, (4.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    run(simulation, 5)
    commands.set_pose(simulation, 9, (-4.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    simulation.reset()
    assert simulation.world.bodies["pos"][10].tolist() == [4.0, 0.0, 1.0]
    assert np.array_equal(simulation.world.bodies["pos"][9], was[9])


def test_an_edit_that_was_undone_is_not_kept_and_one_of_all_bodies_comes_in_its_order():
    simulation = Simulation("stack")
    commands.set_friction(simulation, 0.7)
    commands.set_friction(simulation, 0.2, 4)
    commands.spawn(simulation, CRATE, (3.0, 0.0, 1.0), name="crate")
    commands.undo(simulation)
    for _ in range(2):
        run(simulation, 5)
        simulation.reset()
        friction = [float(simulation.world.shapes["friction"][simulation.world.shapes["body"] == i][0]) for i in (3, 4)]
        assert friction == [0.7, 0.2] and "crate" not in simulation.world.body_names


def test_a_removed_body_stays_away_until_the_removal_is_undone():
    simulation = Simulation("stack")
    name = simulation.world.body_names[10]
    commands.remove_body(simulation, 10)
    run(simulation, 5)
    simulation.reset()
    assert name not in simulation.world.body_names
    commands.undo(simulation, 2)
    simulation.reset()
    assert name in simulation.world.body_names


def test_a_scene_without_edits_starts_bit_for_bit_as_before():
    simulation = Simulation("pyramid")
    first = simulation.world.bodies.tobytes()
    run(simulation, 20)
    commands.throw(simulation, (0.0, -5.0, 1.0), (0.0, 9.0, 0.0))
    run(simulation, 20)
    simulation.reset()
    assert simulation.world.bodies.tobytes() == first and simulation.start.snapshot is None


def test_what_a_parameter_takes_away_is_named():
    simulation = Simulation("stack")
    commands.spawn(simulation, CRATE, (3.0, 0.0, 1.0), name="crate")
    simulation.messages.clear()
    commands.set_parameter(simulation, "count", 5)
    assert any("crate" in text and "Undo" in text for text in simulation.messages)
    commands.undo(simulation)
    assert "crate" in simulation.world.body_names


def test_a_joint_made_in_the_run_stays_where_it_fits_at_the_start_and_is_named_where_not():
    simulation = Simulation(scenes.EMPTY)
    commands.spawn(simulation, CRATE, (0.0, 0.0, 2.0), name="falling")
    commands.spawn(simulation, CRATE, (3.0, 0.0, 2.0), kind="static", name="post")
    commands.spawn(simulation, CRATE, (3.5, 0.0, 2.0), name="arm")
    commands.join(simulation, "revolute", simulation.world.body("post"), simulation.world.body("arm"), (3.25, 0.0, 2.0))
    run(simulation, 40)
    commands.join(simulation, "spherical", 0, simulation.world.body("falling"), pose(simulation, "falling"))
    simulation.messages.clear()
    simulation.reset()
    assert "revolute" in simulation.world.joint_names and "spherical" not in simulation.world.joint_names
    assert any("spherical" in text for text in simulation.messages)
    run(simulation, 40)
