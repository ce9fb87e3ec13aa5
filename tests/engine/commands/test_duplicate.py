"""Copies of bodies include the joints between them and move like the originals."""

import numpy as np
import pytest
from pyglet.window import key

from app.engine import commands
from app.engine.undo.difference import MOUSE_SPRING
from app.session import Selection
from physics import BadInput, Friction, Motor
from physics.core.records import Kind
from tests.helpers import authored, quiet

FAR = (0.0, 40.0, 0.0)


def moving(world):
    return np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC).tolist()


def joints(world):
    return np.flatnonzero(world.joints["kind"] >= 0).tolist()


@pytest.mark.parametrize("scene", ["chain", "joint_gallery", "planetary_gear"])
def test_a_copied_mechanism_moves_like_the_original(scene):
    """Everything starts from rest in a tilted field, so both have the same equations but for the shift."""
    simulation = quiet(scene)
    world = simulation.world
    world.drivers.clear()
    some, first = moving(world), joints(world)
    for i in some:
        world.set_velocity(i, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    commands.duplicate(simulation, some, FAR)
    copies = moving(world)[len(some):]
    assert len(joints(world)) == 2 * len(first) and len(copies) == len(some)
    world.set_gravity((1.0, 2.0, -9.0))
    for _ in range(60):
        assert simulation.step()
    gone = world.bodies["pos"][some]
    assert np.abs(world.bodies["vel"][some]).max() > 1e-3, "something happens"
    assert np.abs(world.bodies["pos"][copies] - gone - FAR).max() < 1e-5
    for j, twin in zip(first, joints(world)[len(first):]):
        assert np.allclose(world.joints["coordinate"][twin], world.joints["coordinate"][j], atol=1e-5), world.joint_names[j]


def test_copies_keep_joint_settings_and_undo_as_one_edit():
    simulation = quiet("joint_gallery")
    world = simulation.world
    hinge = world.joint("revolute")
    commands.set_joint_law(simulation, hinge, "turn", Friction(static=3.0, kinetic=2.0, stribeck=0.1, viscous=0.5))
    commands.set_joint_limits(simulation, hinge, "angle", -0.3, 0.7)
    commands.set_joint_motor(simulation, hinge, "angle", Motor(mode="position", target=0.2, force=9.0, speed=2.0))
    commands.set_joint_strength(simulation, hinge, 800.0, 90.0)
    before, count = authored(simulation), len(simulation.edits.done)
    commands.duplicate(simulation, (int(world.joints["body_b"][hinge]),), FAR)
    twin = joints(world)[-1]
    one, other = world.joints[hinge], world.joints[twin]
    changed = {name for name in world.joints.dtype.names if not np.array_equal(one[name], other[name])}
    assert changed == {"body_b", "anchor_a"}
    assert np.allclose(world.joints["anchor_a"][twin] - world.joints["anchor_a"][hinge], FAR)
    assert world.joint_names[twin] == "revolute 2" and len(simulation.edits.done) == count + 1
    after = authored(simulation)
    commands.undo(simulation)
    assert authored(simulation) == before
    commands.redo(simulation)
    assert authored(simulation) == after


def test_joints_to_other_bodies_and_the_mouse_are_not_copied():
    simulation = quiet("chain")
    world = simulation.world
    links = moving(world)
    count = len(joints(world))
    commands.drag_begin(simulation, links[1], tuple(world.bodies["pos"][links[1]]))
    commands.duplicate(simulation, links[1:4], FAR)
    new = joints(world)[count + 1:]
    ends = {*world.joints["body_a"][new].tolist(), *world.joints["body_b"][new].tolist()}
    assert len(new) == 2 and ends == {*moving(world)[-3:]}
    assert [name for name in world.joint_names if name == MOUSE_SPRING] == [MOUSE_SPRING]
    state = authored(simulation)
    with pytest.raises(BadInput, match="body 999 does not exist"):
        commands.duplicate(simulation, (links[0], 999), FAR)
    assert authored(simulation) == state, "none is copied where one cannot be"


def test_a_copied_static_post_holds_the_copied_pendulum():
    """A static body among the copied: the joint is between the copies and not shifted."""
    simulation = quiet("chain")
    world = simulation.world
    first = int(world.joints["body_a"][0])
    assert world.bodies["kind"][first] == Kind.STATIC
    link = int(world.joints["body_b"][0])
    commands.duplicate(simulation, (first, link), FAR)
    twin = joints(world)[-1]
    assert world.bodies["kind"][world.joints["body_a"][twin]] == Kind.STATIC and world.joints["body_a"][twin] != first
    assert np.array_equal(world.joints["anchor_a"][twin], world.joints["anchor_a"][0])


def test_copies_are_recomputed():
    simulation = quiet("chain")
    for _ in range(10):
        simulation.step()
    commands.duplicate(simulation, moving(simulation.world), FAR)
    for _ in range(10):
        simulation.step()
    state = simulation.world.bodies.tobytes(), simulation.world.joints.tobytes()
    commands.go_to_step(simulation, 3)
    simulation.timeline.go_to_goal()
    commands.go_to_step(simulation, 20)
    simulation.timeline.go_to_goal()
    assert (simulation.world.bodies.tobytes(), simulation.world.joints.tobytes()) == state


def test_the_window_copies_part_of_a_chain(person):
    session = person.session
    person.load("chain")
    world = session.simulation.world
    links, count = moving(world), len(joints(world))
    session.selection = Selection.of(links[:5])
    person.hit(key.D, key.MOD_CTRL)
    assert person.wait(lambda: len(joints(world)) == count + 5), "four between them, one to the static end"
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: len(joints(world)) == count and moving(world) == links)
