"""Contact quantities: forces against weights, contacts that begin and end, refused keys."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Compound, Plane, Sphere, World, step
from physics.observe import quantities

G = 9.81


def incline(angle=0.0, friction=0.5):
    """A cube of 2 kg on a plane, under a gravity that leans."""
    world = World(gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    world.add_body(Plane(), kind="static", friction=friction, name="ground")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0, friction=friction, name="salt & pepper")
    for _ in range(60):
        step(world, 1.0 / 240.0)
    return world


def read(world, key):
    return quantities.find(world, key).read(world)


def keys(world, start):
    return [key for key in quantities.all_keys(world) if key.startswith(start)]


def test_the_forces_of_a_pair_are_the_weight_and_its_part_along_the_plane():
    angle = math.radians(20.0)
    world = incline(angle)
    pair = "pair:ground & salt & pepper"
    assert read(world, f"{pair}.normal") == pytest.approx(2.0 * G * math.cos(angle), rel=1e-3)
    assert read(world, f"{pair}.friction") == pytest.approx(2.0 * G * math.sin(angle), rel=1e-3)
    assert read(world, f"{pair}.contacts") == 4.0
    assert read(world, "pair:salt & pepper & ground.normal") == read(world, f"{pair}.normal"), "in either order"
    corners = [key for key in keys(world, "contact:") if key.endswith(".normal")]
    assert len(corners) == 4 and sum(read(world, key) for key in corners) == pytest.approx(read(world, f"{pair}.normal"))


def test_quantities_of_a_sliding_contact():
    world = incline(math.radians(40.0), friction=0.3)
    corner = keys(world, "contact:")[0].removesuffix(".normal")
    assert read(world, f"{corner}.friction") == pytest.approx(0.3 * read(world, f"{corner}.normal"), rel=1e-3)
    speed = G * (math.sin(math.radians(40.0)) - 0.3 * math.cos(math.radians(40.0))) * world.time
    assert read(world, f"{corner}.slip") == pytest.approx(speed, rel=1e-2)
    assert read(world, f"{corner}.case") in (3.0, 5.0) and abs(read(world, f"{corner}.gap")) < 1e-3


def test_contacts_come_and_go_under_one_key():
    world = World()
    world.add_body(Plane(), kind="static", name="ground")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0, restitution=0.0, name="ball")
    step(world, 0.01)
    [key] = [key for key in keys(world, "contact:") if key.endswith(".normal")]
    contact, pair = quantities.find(world, key), quantities.find(world, "pair:ground & ball.normal")
    assert contact.unit == "N" and contact.header.startswith("ground & ball #")
    touching = contact.read(world)
    world.set_pose(ball, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    step(world, 0.01)
    assert math.isnan(contact.read(world)) and pair.read(world) == 0.0, "in the air"
    assert quantities.find(world, key), "a key that was known is found again while nothing touches"
    world.set_pose(ball, (0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0))
    world.set_velocity(ball, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    step(world, 0.01)
    assert contact.read(world) == pytest.approx(touching, rel=0.05) == pytest.approx(pair.read(world))
    world.remove_body(ball)
    assert math.isnan(pair.read(world))


def test_bodies_without_names_have_contacts_too():
    world = World()
    world.add_body(Plane(), kind="static")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0)
    for _ in range(20):
        step(world, 0.01)
    names = [name or f"#{i}" for i, name in enumerate(world.body_names)][1:]
    assert read(world, f"pair:{names[0]} & {names[1]}.normal") == pytest.approx(G, rel=1e-2)


@pytest.mark.parametrize(("key", "words"), [
    ("contact:a & b #0/1/0.weight", "has no 'weight'"), ("contact:a & b.normal", "is not a contact"),
    ("contact:a & b #0/1.normal", "is not a contact"), ("contact:a & b #0/99/0.normal", "shape 0 or 99 of"),
    ("contact:a & b #0/x/0.normal", "is not a contact"), ("pair:ground & nobody.normal", "& nobody' is not a pair of bodies"),
    ("pair:ground.normal", "is not a pair of bodies"), ("pair:ground & salt & pepper.gap", "has no 'gap'")])
def test_an_invalid_contact_key_is_one_sentence(key, words):
    with pytest.raises(BadInput, match=words):
        quantities.find(incline(), key)


def test_solver_times_add_up_to_no_more_than_the_step():
    world = incline()
    parts = [read(world, f"solver.{name}") for name in ("time", "broad_time", "narrow_time")]
    assert all(part > 0.0 for part in parts) and sum(parts) < read(world, "solver.step_time")
    assert read(world, "solver.penetration") == read(world, "world.penetration") and np.isfinite(read(world, "solver.change"))


def test_contacts_of_a_compound_have_labels_of_their_own():
    """Features of its parts have equal numbers: eight contacts had four titles."""
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    box = Box((0.1, 0.1, 0.1))
    world.add_body(Compound((box, (-0.3, 0.0, 0.0)), (box, (0.3, 0.0, 0.0))), pos=(0.0, 0.0, 0.1), name="b")
    step(world, 1.0 / 240.0)
    keys = [key for key in quantities.all_keys(world) if key.startswith("contact:") and key.endswith(".normal")]
    assert len(keys) == len({quantities.find(world, key).header for key in keys}) == 8
