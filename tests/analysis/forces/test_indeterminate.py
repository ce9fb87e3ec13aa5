"""Bounds of indeterminate contact forces in stepped worlds."""

import math

import numpy as np
import pytest

import scenes
from app.analysis.forces.indeterminate import force_bounds
from app.panels.contact_lens import bounds_words
from physics import Box, Hull, Plane, Sphere, World, fields, step
from physics.articulated import contact
from scenes import table_legs
from tests.helpers import still_frame

G = 9.81


def rested(world, steps=60):
    for _ in range(steps):
        step(world, 1.0 / 120.0)
    return still_frame(world)


def test_a_box_on_four_corners_and_a_tripod():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Box((0.3, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.0)
    feet = [(math.cos(t), math.sin(t), 0.0) for t in 2.0 * math.pi / 3.0 * np.arange(3)]
    tripod = Hull(0.3 * np.array([*feet, (0.0, 0.0, 1.0)]))
    world.add_body(tripod, pos=np.array([3.0, 0.0, 0.0]) + tripod.centre, mass=3.0, friction=0.0)
    frame = rested(world)
    assert len(frame.contacts) == 7
    for i, c in enumerate(frame.contacts):
        found = force_bounds(frame, i)
        if 3 in (c["body_a"], c["body_b"]):
            assert found.contacts == found.suffice == 3 and found.determined and found.least == pytest.approx(G, rel=1e-3)
        else:
            assert found.contacts == found.suffice == 4 and not found.determined
            assert found[:2] == pytest.approx((0.0, 0.5 * 4.0 * G), abs=1e-3)


def test_a_joint_carries_the_remaining_load():
    """A beam on a hinge at one end and a block at the other: statically determined, m g / 2, whatever the joint transmits."""
    world = World()
    block = world.add_body(Box((0.1, 0.1, 0.1)), kind="static", pos=(1.0, 0.0, 0.1), friction=0.0)
    beam = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 0.22), mass=2.0, friction=0.0)
    world.add_joint("revolute", 0, beam, anchor=(0.0, 0.0, 0.22), axis=(0.0, 1.0, 0.0))
    frame = rested(world)
    loads = [force_bounds(frame, i) for i in range(len(frame.contacts))]
    assert {int(c["body_a"]) for c in frame.contacts} | {int(c["body_b"]) for c in frame.contacts} == {block, beam}
    arms = np.array([c["pos"][0] for c in frame.contacts])
    moment = 2.0 * G * 0.5
    for arm, load in zip(arms, loads):
        if load is not None:
            assert load.greatest == pytest.approx(moment / arm, rel=2e-2), "it may bear all"


def test_friction_widens_the_bounds_and_an_open_contact_has_none():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.8)
    world.add_body(Box((0.3, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.8)
    frame = rested(world)
    found = force_bounds(frame, 0)
    assert not found.determined and found.least == pytest.approx(0.0, abs=1e-6) and found.greatest > 2.0 * G - 1e-3
    frame.contacts["impulse"][0] = 0.0
    assert force_bounds(frame, 0) is None


def test_the_forces_of_the_step_are_possible_just_before_slip_in_every_direction():
    """Between corners of the cone's polygon friction is up to 7.6 % weaker than mu allows, and the step's own is not."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((0.3, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.5)
    frame = rested(world)
    contacts, at_rest = frame.contacts, force_bounds(frame, 0)
    for angle in np.radians([0.0, 11.0, 22.5, 67.5, 200.0]):
        along = np.cos(angle) * contacts["tangent"] + np.sin(angle) * np.cross(contacts["normal"], contacts["tangent"])
        contacts["friction_impulse"] = (0.99 * 0.5 * contacts["impulse"])[:, None] * along
        found = force_bounds(frame, 0)
        assert found.found and found.least <= contacts["impulse"][0] / frame.impulse_duration <= found.greatest
        assert found.dimension == at_rest.dimension == 6


def test_bounds_that_are_not_found_leave_the_null_space(monkeypatch):
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((0.3, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.5)
    monkeypatch.setattr(contact, "force_range", lambda *arguments: None)
    bounds = force_bounds(rested(world), 0)
    assert not bounds.found and not bounds.determined and bounds.dimension == 6
    seen, meaning = bounds_words(bounds)
    assert seen == "not found" and meaning != bounds_words(None)[1]


def test_a_sliding_box_is_pressed_by_its_friction():
    """Friction mu m g at the floor presses the front: both in front bear m g / 2 + push, both on a side m g / 2."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.4)
    world.add_body(Box((0.3, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.4, vel=(3.0, 0.0, 0.0))
    frame = rested(world, 12)
    ahead = [i for i, c in enumerate(frame.contacts) if c["pos"][0] > frame.bodies["pos"][2][0]]
    weight, push = 4.0 * G, 0.4 * 4.0 * G * 0.1 / 0.6
    for i in ahead:
        assert force_bounds(frame, i)[:2] == pytest.approx((push, 0.5 * weight), rel=1e-6)


def test_a_fifth_foot_in_the_middle_is_not_needed():
    world = World()
    for x, y in ((-0.25, -0.25), (-0.25, 0.25), (0.25, -0.25), (0.25, 0.25), (0.0, 0.0)):
        world.add_body(Sphere(0.1), kind="static", pos=(x, y, 0.0), friction=0.0)
    world.add_body(Box((0.3, 0.3, 0.05)), pos=(0.0, 0.0, 0.15), mass=4.0, friction=0.0)
    frame = rested(world)
    found = force_bounds(frame, int(np.argmax(frame.contacts["impulse"])))
    assert (found.contacts, found.suffice) == (5, 4)


@pytest.mark.parametrize(("mass", "half"), [(4.0, 0.3), (0.05, 0.3), (900.0, 2.0)])
def test_the_null_space_of_four_feet_are_their_affine_dependences(mass, half):
    """Forces z with sum z = 0 and sum z x = 0 move nothing: on four feet one such z, whatever the mass, here (1, -2, 2, -1)."""
    world = World()
    feet = {(-1.0, -0.5): 1.0, (-0.5, 0.5): -2.0, (0.5, 0.5): 2.0, (1.0, -0.5): -1.0}
    for x, y in feet:
        world.add_body(Sphere(0.1), kind="static", pos=(half * x, half * y, 0.0), friction=0.0)
    world.add_body(Box((1.2 * half, 1.2 * half, 0.05)), pos=(0.0, 0.0, 0.15), mass=mass, friction=0.0)
    frame = rested(world, 10)
    places = {i: tuple(np.round(c["pos"][:2] / half, 6)) for i, c in enumerate(frame.contacts)}
    for i in range(4):
        found = force_bounds(frame, i)
        assert found.dimension == 1 and found.sharing == (0, 1, 2, 3)
        expected = [feet[places[j]] / feet[places[i]] for j in found.sharing]
        assert found.exchange[:, :2] == pytest.approx(0.0, abs=1e-9)
        assert np.abs(found.exchange[:, 2]) == pytest.approx(np.abs(expected), rel=1e-6)
        assert np.sign(found.exchange[:, 2] * found.exchange[i, 2]) == pytest.approx(np.sign(expected))


def test_walls_that_clamp_a_block_push_back_with_as_much():
    """One newton more from one side of a slot is one more from the other."""
    world = World()
    for x in (-0.2, 0.2):
        world.add_body(Sphere(0.1), kind="static", pos=(x, 0.0, 0.0), friction=0.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.0), mass=2.0, friction=0.0)
    world.set_gravity((0.0, 0.0, 0.0))
    frame = rested(world, 1)
    frame.contacts["impulse"] = 3.0
    found = force_bounds(frame, 0)
    assert found.dimension == 1 and math.isinf(found.greatest)
    assert np.einsum("ck,ck->c", found.exchange, found.normals) == pytest.approx([1.0, 1.0], rel=1e-9)


def test_friction_that_sticks_takes_part_in_the_null_space():
    """Twelve components on four corners, six equations of a free body: six dimensions, and each change moves nothing."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.8)
    box = world.add_body(Box((0.3, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=4.0, friction=0.8)
    frame = rested(world)
    for i in range(4):
        found = force_bounds(frame, i)
        arms = frame.contacts["pos"] - frame.bodies["pos"][box]
        assert found.dimension == 6 and found.exchange[i] @ found.normals[i] == pytest.approx(1.0)
        assert np.abs(found.exchange.sum(axis=0)).max() < 1e-9
        assert np.abs(np.cross(arms, found.exchange).sum(axis=0)).max() < 1e-4     # contacts lie micrometres from the corners


def test_friction_leaves_the_bounds_of_legs_on_a_plane_as_they_are():
    """As the scene says: friction acts in the plane of the feet, and has no moment about lines in it."""
    found = []
    for mu in (0.0, 0.6):
        world = scenes.make_world(table_legs.SCENE, table_legs.Parameters(mu=mu))
        frame = rested(world)
        own = table_legs.of_legs(world, table_legs.FOUR)
        found.append([(b.least, b.greatest) for b in (force_bounds(frame, int(c)) for c in own)])
    np.testing.assert_allclose(*found, atol=0.1)


def test_the_centre_of_mass_of_a_table_is_where_its_parameter_says():
    parameters = table_legs.Parameters()
    world = scenes.make_world(table_legs.SCENE, parameters)
    pair = [world.body(name) for name in (table_legs.FOUR, table_legs.LOADS[table_legs.FOUR])]
    mass, x = world.bodies["mass"][pair], world.bodies["pos"][pair, 0]
    option = next(f for f in fields(parameters) if f.name == "off_centre")
    assert (mass * x).sum() / mass.sum() == pytest.approx(parameters.off_centre)
    assert "centre of mass of table and load" in option.metadata["help"]
