"""Joining bodies at default places: expected anchors and axes, and joints that hold as created."""

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.engine import commands
from app.engine.simulation import Simulation
from app.engine.undo import edit_list
from app.gui.viewport import joint_placement
from app.session import Selection
from physics import Box, Plane, Sphere, World, step
from physics.core.records import Kind
from tests.helpers import still_frame
from tests.tools.person import click, fresh_spots

BOTH = sorted(joint_placement.kinds(to_world=False))


def two_balls(way=(3.0, 0.0, 4.0)):
    world = World(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Sphere(0.5), pos=(1.0, 2.0, 3.0))
    return world, a, world.add_body(Sphere(1.5), pos=np.add((1.0, 2.0, 3.0), way))


@pytest.mark.parametrize(("kind", "along"), [("revolute", False), ("universal", False), ("prismatic", True), ("screw", True),
                                             ("planar", True), ("spherical", True)])
def test_the_joint_is_half_way_between_the_surfaces(kind, along):
    """Two balls at a distance of 5 m, of 0.5 and 1.5 m: their surfaces are 3 m apart, the middle is 2 m from the first one."""
    world, a, b = two_balls()
    found, line = joint_placement.place(still_frame(world), kind, a, b), np.array([0.6, 0.0, 0.8])
    assert np.allclose(found.anchor, np.array([1.0, 2.0, 3.0]) + 2.0 * line) and found.anchor_b is None
    if along:
        assert np.allclose(found.axis, line)
    else:
        assert abs(found.axis @ line) < 1e-12 and abs(found.axis[2]) < 1e-12 and np.linalg.norm(found.axis) == pytest.approx(1.0)
    assert np.allclose(joint_placement.place(still_frame(world), kind, b, a).anchor, found.anchor)


def test_ropes_join_centres_and_single_bodies_hang_from_the_world():
    world, a, b = two_balls()
    frame, pos = still_frame(world), world.bodies["pos"]
    rope = joint_placement.place(frame, "rope", a, b)
    assert np.allclose(rope.anchor, pos[a]) and np.allclose(rope.anchor_b, pos[b])
    hung = joint_placement.place(frame, "rod", 0, b)
    assert np.allclose(hung.anchor - pos[b], (0.0, 0.0, joint_placement.SUSPENSION_HEIGHT)) and np.allclose(hung.anchor_b, pos[b])
    assert np.allclose(joint_placement.place(frame, "fixed", 0, b).anchor, pos[b])
    assert "gear" not in joint_placement.kinds(to_world=True) and "drag" not in joint_placement.kinds(to_world=False)


def test_bodies_that_touch_are_joined_where_they_touch():
    world = World()
    world.add_body(Plane(), kind="static")
    low = world.add_body(Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5))
    high = world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.3, 0.1, 1.2))
    for _ in range(5):
        step(world, 1.0 / 240.0)
    found = joint_placement.place(still_frame(world), "prismatic", low, high)
    assert np.allclose(found.anchor, (0.3, 0.1, 1.0), atol=2e-3) and np.allclose(found.axis, (0.0, 0.0, 1.0), atol=1e-6)
    assert np.allclose(joint_placement.place(still_frame(world), "prismatic", high, low).axis, (0.0, 0.0, -1.0), atol=1e-6)
    assert np.allclose(joint_placement.place(still_frame(world), "revolute", low, high).axis, (0.0, 1.0, 0.0))


def test_wheels_and_racks_take_the_axes_of_their_joints():
    world = World()
    wheel, other, bar = (world.add_body(Box((0.1, 0.1, 0.1)), pos=(x, 0.0, 1.0)) for x in (0.0, 1.0, 2.0))
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 1.0), axis=(0.0, 0.6, 0.8))
    world.add_joint("revolute", 0, other, anchor=(1.0, 0.0, 1.0), axis=(0.0, 0.8, 0.6))
    world.add_joint("prismatic", 0, bar, anchor=(2.0, 0.0, 1.0), axis=(1.0, 0.0, 0.0))
    gear, rack = (joint_placement.place(still_frame(world), kind, wheel, b) for kind, b in (("gear", other), ("rack", bar)))
    assert np.allclose(gear.axis, (0.0, 0.6, 0.8)) and np.allclose(gear.axis_b, (0.0, 0.8, 0.6))
    assert np.allclose(rack.axis, (0.0, 0.6, 0.8)) and np.allclose(rack.axis_b, (1.0, 0.0, 0.0))


@pytest.mark.parametrize("kind", BOTH)
def test_every_kind_of_joint_holds_when_created_and_is_undone(kind):
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.0)
    commands.set_gravity(simulation, (0.0, 0.0, 0.0))
    commands.spawn(simulation, Box((0.2, 0.1, 0.1)), (0.0, 5.0, 5.0))
    commands.spawn(simulation, Sphere(0.2), (0.7, 5.3, 5.2))
    a, b = len(simulation.world.bodies) - 2, len(simulation.world.bodies) - 1
    simulation.edits = edit_list.EditList()
    frame = still_frame(simulation.world)
    commands.join(simulation, kind, a, b, **joint_placement.place(frame, kind, a, b).arguments())
    j = int(np.flatnonzero(simulation.world.joints["kind"] >= 0)[-1])
    assert {int(simulation.world.joints[side][j]) for side in ("body_a", "body_b")} == {a, b}
    before = simulation.world.bodies["pos"][[a, b]].copy()
    for _ in range(5):
        simulation.step()
    assert simulation.world.joints["error"][j] < 1e-9
    assert np.allclose(simulation.world.bodies["pos"][[a, b]], before, atol=1e-6), "nothing is pulled"
    assert simulation.edits.done[-1].text == f"added {kind.replace('_', ' ')}"
    commands.undo(simulation)
    assert not np.any(simulation.world.joints["kind"] >= 0)


def test_two_selected_bodies_are_joined_by_the_menu(person):
    person.load("pyramid")
    session = person.session
    session.selection = Selection()
    person.look(3)
    moving = np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC)
    high = moving[np.argsort(session.frame.bodies["pos"][moving, 2])][-2:].tolist()
    click(person, high[0])
    click(person, high[1], key.MOD_CTRL)
    person.press(*person.body_at(high[1]), mouse.RIGHT)
    person.release(*person.body_at(high[1]), mouse.RIGHT)
    person.look(4)

    def spot(end):
        return next(name for name in fresh_spots(person) if name.endswith(end))

    person.click(spot("/Join"))
    person.look(4)
    assert {kind.replace("_", " ") for kind in BOTH} <= {name.rpartition("/")[2] for name in fresh_spots(person)}
    person.click(spot("/universal"))
    assert person.wait(lambda: np.any(session.frame.joints["kind"] >= 0))
    j = int(np.flatnonzero(session.frame.joints["kind"] >= 0)[-1])
    assert [int(session.frame.joints[side][j]) for side in ("body_a", "body_b")] == high
    assert session.frame.joint_kinds[session.frame.joints["kind"][j]] == "universal"
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: not np.any(session.frame.joints["kind"] >= 0))
