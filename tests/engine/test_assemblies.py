"""Assemblies of the add menu: they stand where they are put, move as closed forms say, and are one edit each."""

import math

import numpy as np
import pytest

from app.engine import commands
from app.engine.assemblies import ASSEMBLIES, assemble, free_place
from app.engine.simulation import Simulation
from physics import BadInput, Box, Plane, Sphere, World, step
from scenes._parts import turned
from tests.helpers import frame_of

G, DT = 9.81, 1.0 / 240.0


def built(what, scale=1.0, friction=0.5):
    world = World()
    world.add_body(Plane(), kind="static", friction=friction)
    assemble(world, what, (0.5, -0.3, 0.0), scale)
    return world


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        step(world, DT)
    return world


@pytest.mark.parametrize("scale", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("what", [name for name in ASSEMBLIES if name != "pulley"])
def test_it_stands_where_it_is_put(what, scale):
    world = built(what, scale)
    before = world.bodies["pos"].copy()
    run(world, 0.5)
    assert np.abs(world.bodies["pos"] - before).max() < 2e-3 * scale
    assert not list(world.warnings)


def test_the_weights_of_the_pulley_accelerate_as_atwoods():
    world = built("pulley")
    light, heavy, wheel = (world.body(name) for name in ("lighter weight", "heavier weight", "pulley wheel"))
    m = world.bodies["mass"]
    inertia = np.linalg.eigvalsh(world.bodies["inertia"][wheel]).max()
    wanted = G * (m[heavy] - m[light]) / (m[heavy] + m[light] + inertia / 0.25**2)
    before = run(world, 0.1).bodies.copy()
    gained = run(world, 0.1).bodies["vel"][:, 2] - before["vel"][:, 2]
    assert gained[[light, heavy]] == pytest.approx(0.1 * wanted * np.array([1.0, -1.0]), rel=1e-3)
    turned = world.bodies["omega"][wheel, 1] - before["omega"][wheel, 1]
    assert abs(turned) == pytest.approx(0.1 * wanted / 0.25, rel=1e-3)


def test_the_spring_scale_shows_the_weight_on_it():
    world = built("spring scale")
    pan = world.body("scale pan")
    load = world.add_body(Box((0.05, 0.05, 0.05)), pos=(world.bodies["pos"][pan] + (0.0, 0.0, 0.066)), mass=3.0)
    run(world, 4.0)
    reaction = np.linalg.norm(world.joints["reaction"][world.joint("scale spring"), :3]) / DT
    assert reaction == pytest.approx(G * (3.0 + world.bodies["mass"][pan]), rel=1e-3)
    assert world.bodies["pos"][load, 2] > world.bodies["pos"][pan, 2]


def test_the_cart_rolls_without_slip_and_keeps_its_speed():
    world = built("cart")
    cart, wheels = world.body("cart"), [world.body(f"cart wheel {k}") for k in (1, 2, 3, 4)]
    for body in (cart, *wheels):
        world.set_velocity(body, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0) if body == cart else (0.0, 1.0 / 0.12, 0.0))
    run(world, 0.5)
    assert world.bodies["vel"][cart, 0] == pytest.approx(1.0, rel=1e-3)
    assert world.bodies["omega"][wheels, 1] == pytest.approx(np.full(4, 1.0 / 0.12), rel=1e-3)


@pytest.mark.parametrize(("friction", "stands"), [(0.5, True), (0.1, False)])
def test_the_ladder_stands_by_friction(friction, stands):
    """At 70 degrees tan(angle) exceeds (1 - mu_floor mu_wall) / (2 mu_floor) for 0.5, not for 0.1."""
    world = built("ladder")
    for name in ("ladder", "wall"):
        world.set_friction(friction, world.body(name))
    world.set_friction(friction, 1)
    assert (math.tan(math.radians(70.0)) > (1.0 - friction**2) / (2.0 * friction)) == stands
    before = float(world.bodies["pos"][world.body("ladder"), 2])
    fallen = before - run(world, 0.5).bodies["pos"][world.body("ladder"), 2]
    assert fallen < 1e-3 if stands else fallen > 0.01


def test_each_is_one_edit_and_several_have_names_of_their_own():
    simulation = Simulation("stack")
    bodies, joints = simulation.world.bodies.copy(), len(simulation.world.joints)
    for place in (5.0, 8.0):
        commands.assemble(simulation, "cart", (place, 0.0, 0.0))
    assert {"cart", "cart 2", "cart wheel 1", "cart wheel 1 2"} <= set(simulation.world.body_names)
    for _ in range(2):
        commands.undo(simulation)
    assert np.count_nonzero(simulation.world.bodies["kind"]) == np.count_nonzero(bodies["kind"])
    assert np.count_nonzero(simulation.world.joints["kind"][joints:] >= 0) == 0
    for bad in (("tower", (0.0, 0.0, 0.0), 1.0), ("cart", (0.0, math.nan, 0.0), 1.0), ("cart", (0.0, 0.0, 0.0), 0.0)):
        with pytest.raises(BadInput):
            commands.assemble(simulation, *bad)
    assert np.count_nonzero(simulation.world.bodies["kind"]) == np.count_nonzero(bodies["kind"])


OBSTACLES = {
    "nothing": (), "box": ((Box((0.2, 0.2, 0.15)), (0.6, -0.2, 0.15)),),
    "stack beside": ((Box((0.3, 0.3, 0.3)), (0.8, -0.3, 0.3)), (Box((0.1, 0.1, 0.1)), (0.8, -0.3, 0.7))),
    "roof": ((Box((2.0, 2.0, 0.05)), (0.5, -0.3, 8.0)),), "ball": ((Sphere(0.4), (0.2, -0.3, 0.4)),)}


@pytest.mark.parametrize("around", OBSTACLES)
@pytest.mark.parametrize("what", ASSEMBLIES)
def test_it_is_placed_free_of_what_is_there(what, around):
    world = World()
    world.add_body(Plane(), kind="static")
    for shape, pos in OBSTACLES[around]:
        world.add_body(shape, pos=pos, kind="static")
    there, point = len(world.bodies), np.array([0.5, -0.3, 0.0])
    found = free_place(frame_of(world), what, point)
    assert found[:2].tolist() == point[:2].tolist() and found[2] >= 0.0
    assert (found[2] == 0.0) == (around in ("nothing", "roof"))
    assemble(world, what, found)
    run(world, DT)
    for contact in world.contacts:
        if (contact["body_a"] < there) != (contact["body_b"] < there):
            assert contact["gap"] > -2e-3
    assert abs(world.bodies["vel"][there:]).max() < 0.2, "it does not jump"


def test_on_a_slope_without_end_it_is_lifted_until_it_is_free():
    world = World()
    tilt = math.radians(20.0)
    world.add_body(Plane(), kind="static", quat=turned((0.0, 1.0, 0.0), tilt))
    found = free_place(frame_of(world), "cart", (0.0, 0.0, 0.0))
    assert 0.26 * math.tan(tilt) < found[2] < 0.42 * math.tan(tilt) + 0.2
    assemble(world, "cart", found)
    assert not len(run(world, DT).contacts) or world.contacts["gap"].min() > -2e-3
