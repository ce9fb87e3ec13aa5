"""Quantities by key: labels, units, values, listing, unknown and removed names."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Plane, Sphere, World, step
from physics.observe import quantities
from tests.tools.relative_time import cost

G = 9.81


@pytest.fixture
def world() -> World:
    """A door, a slider, a ball joint and a body whose name has a dot."""
    world = World()
    world.add_body(Plane(), kind="static", name="ground")
    door = world.add_body(Box((0.4, 0.02, 1.0)), pos=(0.4, 0.0, 1.5), mass=10.0, name="door")
    world.add_joint("revolute", 0, door, anchor=(0.0, 0.0, 1.5), axis=(0.0, 0.0, 1.0), max_friction=3.0, name="hinge")
    cart = world.add_body(Box((0.1, 0.1, 0.1)), pos=(5.0, 0.0, 1.0), mass=2.0, name="cart")
    world.add_joint("prismatic", 0, cart, anchor=(5.0, 0.0, 1.0), axis=(1.0, 0.0, 0.0), max_friction=4.0, name="rail")
    brick = world.add_body(Box((0.3, 0.1, 0.1)), pos=(0.0, 5.0, 2.0), mass=1.0, name="brick 0.5")
    world.add_joint("spherical", 0, brick, anchor=(0.0, 5.0, 2.0), max_friction=1.0, name="socket")
    return world


def read(world: World, key: str) -> float:
    return quantities.find(world, key).read(world)


def test_every_listed_key_can_be_found_and_read(world):
    step(world, 0.01)
    keys = list(quantities.all_keys(world))
    assert len(keys) == len(set(keys)) == len(quantities.all_keys(world))
    assert keys[-1] == quantities.all_keys(world)[-1]
    for key in keys:
        found = quantities.find(world, key)
        assert found.key == key and found.label
        assert math.isfinite(found.read(world)) != key.startswith("ledger."), key   # sequential impulses do not tell
    for wanted in ("body:door.omega_z", "body:brick 0.5.vx", "joint:hinge.angle", "world.energy", "solver.residual"):
        assert wanted in keys


def test_before_the_first_step_only_what_the_solver_reports_is_missing(world):
    for key in quantities.all_keys(world):
        missing = key.startswith(("solver.", "ledger.")) or key in ("world.contacts", "world.penetration")
        assert math.isnan(read(world, key)) == missing, key


def test_labels_and_units(world):
    for key, label, unit, header in [
            ("joint:hinge.angle", "hinge angle", "rad", "hinge angle [rad]"),
            ("joint:rail.angle", "rail travel", "m", "rail travel [m]"),
            ("joint:rail.friction", "rail friction", "N", "rail friction [N]"),
            ("joint:socket.friction_bound", "socket friction bound", "N m", "socket friction bound [N m]"),
            ("body:brick 0.5.speed", "brick 0.5 speed", "m/s", "brick 0.5 speed [m/s]"),
            ("world.contacts", "contacts", "", "contacts")]:
        found = quantities.find(world, key)
        assert (found.label, found.unit, found.header) == (label, unit, header)


def test_body_values(world):
    i = world.body("brick 0.5")
    world.set_pose(i, (1.0, 2.0, 3.0), (math.cos(0.2), 0.0, 0.0, math.sin(0.2)))
    world.set_velocity(i, (3.0, 0.0, 4.0), (0.0, 0.0, 2.0))
    values = {"x": 1.0, "y": 2.0, "z": 3.0, "vx": 3.0, "vz": 4.0, "speed": 5.0, "omega_z": 2.0, "omega": 2.0, "yaw": 0.4,
              "roll": 0.0, "pitch": 0.0, "kinetic": 0.5 * 25.0 + 0.5 * (0.09 + 0.01) / 3.0 * 4.0}
    for field, value in values.items():
        assert read(world, f"body:brick 0.5.{field}") == pytest.approx(value, abs=1e-12), field


@pytest.mark.parametrize(("field", "axis"), [("roll", 0), ("pitch", 1), ("yaw", 2)])
def test_roll_pitch_and_yaw_are_turns_about_x_y_and_z(world, field, axis):
    quat = np.zeros(4)
    quat[0], quat[1 + axis] = math.cos(0.35), math.sin(0.35)
    world.set_pose(world.body("cart"), (0.0, 0.0, 0.0), quat)
    for other in ("roll", "pitch", "yaw"):
        assert read(world, f"body:cart.{other}") == pytest.approx(0.7 if other == field else 0.0, abs=1e-12)


def test_joint_values(world):
    door, cart = world.body("door"), world.body("cart")
    world.set_pose(door, (0.4 * math.cos(0.3), 0.4 * math.sin(0.3), 1.5), (math.cos(0.15), 0.0, 0.0, math.sin(0.15)))
    world.set_velocity(door, (0.0, 0.0, 0.0), (0.0, 0.0, -1.5))
    world.set_pose(cart, (5.7, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    world.set_velocity(cart, (-2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.set_pose(world.body("brick 0.5"), (0.0, 5.0, 2.0), (math.cos(0.5), math.sin(0.5), 0.0, 0.0))
    assert read(world, "joint:hinge.angle") == pytest.approx(0.3, abs=1e-12)
    assert read(world, "joint:hinge.rate") == pytest.approx(-1.5, abs=1e-12)
    assert read(world, "joint:rail.angle") == pytest.approx(0.7, abs=1e-12)
    assert read(world, "joint:rail.rate") == pytest.approx(-2.0, abs=1e-12)
    assert read(world, "joint:socket.angle") == pytest.approx(1.0, abs=1e-12)
    assert read(world, "joint:hinge.friction_bound") == 3.0


def test_the_sign_of_a_travel_does_not_change_with_the_order_of_the_bodies():
    """A rail on a turning, moving body: d/dt of the travel is the rate."""
    world = World(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Box((0.5, 0.1, 0.1)), mass=3.0, vel=(0.3, -0.2, 0.1), omega=(0.0, 0.0, 2.0))
    b = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.8, 0.2, 0.0), mass=1.0, omega=(0.0, 0.0, 2.0))
    world.add_joint("prismatic", a, b, anchor=(0.8, 0.2, 0.0), axis=(0.6, 0.8, 0.0), name="rail")
    step(world, 1e-5)
    before, h = read(world, "joint:rail.angle"), 1e-5
    step(world, h)
    change = (read(world, "joint:rail.angle") - before) / h
    assert read(world, "joint:rail.rate") == pytest.approx(change, abs=1e-3)
    assert abs(change) > 0.1


def test_forces_are_impulses_over_the_step(world):
    for dt in (0.01, 0.002):
        step(world, dt)
    assert read(world, "joint:hinge.reaction") == pytest.approx(10.0 * G, rel=1e-6)
    assert read(world, "joint:rail.reaction") == pytest.approx(2.0 * G, rel=1e-6)
    assert read(world, "joint:rail.friction") == pytest.approx(0.0, abs=1e-9)


def test_a_hinge_angle_goes_on_beyond_pi():
    """Ten turns forwards, then on from a restored state."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.2, 0.2, 0.2)), omega=(0.0, 0.0, 10.0))
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge")
    angle = quantities.find(world, "joint:hinge.angle")
    start = world.snapshot()
    assert angle.read(world) == pytest.approx(0.0)
    for _ in range(628):
        step(world, 0.01)
        angle.read(world)
    assert angle.read(world) == pytest.approx(62.8, rel=1e-6)
    world.restore(start)
    assert angle.read(world) == pytest.approx(0.0, abs=1e-9)


def test_energy_and_momentum_add_up(world):
    rng = np.random.default_rng(3)
    dynamic = [world.body(name) for name in ("door", "cart", "brick 0.5")]
    for i in dynamic:
        quat = rng.normal(size=4)
        world.set_pose(i, rng.normal(size=3), quat / np.linalg.norm(quat))
        world.set_velocity(i, rng.normal(size=3), rng.normal(size=3))
    total = sum(read(world, f"body:{world.body_names[i]}.kinetic") for i in dynamic)
    assert read(world, "world.kinetic") == pytest.approx(total, rel=1e-12)
    height = sum(world.bodies["mass"][i] * G * world.bodies["pos"][i, 2] for i in dynamic)
    assert read(world, "world.potential") == pytest.approx(height, rel=1e-12)
    assert read(world, "world.energy") == pytest.approx(total + height, rel=1e-12)
    for k, axis in enumerate("xyz"):
        expected = sum(world.bodies["mass"][i] * world.bodies["vel"][i, k] for i in dynamic)
        assert read(world, f"world.momentum_{axis}") == pytest.approx(expected, rel=1e-12)


def test_angular_momentum_is_that_of_the_orbit_and_of_the_spin():
    """A brick turned a quarter about x: its own y axis is the world's z axis."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Box((0.4, 0.2, 0.1)), pos=(1.0, 2.0, 3.0), quat=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), mass=2.0,
                   vel=(0.5, -1.0, 2.0), omega=(0.0, 0.0, 3.0))
    orbit = 2.0 * np.cross((1.0, 2.0, 3.0), (0.5, -1.0, 2.0))
    spin = np.array([0.0, 0.0, 2.0 / 3.0 * (0.4**2 + 0.1**2) * 3.0])
    found = [read(world, f"world.angular_momentum_{axis}") for axis in "xyz"]
    assert found == pytest.approx(list(orbit + spin), rel=1e-12)


def test_angular_momentum_of_a_free_flight_is_constant():
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Box((0.2, 0.2, 0.2)), pos=(1.0, 2.0, 3.0), vel=(0.5, -1.0, 2.0), omega=(3.0, 2.0, 1.0))
    before = [read(world, f"world.angular_momentum_{axis}") for axis in "xyz"]
    for _ in range(200):
        step(world, 0.005)
    assert [read(world, f"world.angular_momentum_{axis}") for axis in "xyz"] == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize(("key", "near"), [
    ("body:dor.x", "door"), ("joint:hing.angle", "hinge"), ("world.enrgy", "world.energy"), ("body:door.omega_w", "omega_"),
    ("joint:hinge.angel", "angle"), ("door", "body:NAME"), ("", "body:NAME"), ("body:", "door"), ("body:door", "door"),
    ("body:#99.x", "door"), ("body:#-1.x", "door"), ("joint:#0x.angle", "hinge"), ("solver.residuum", "solver.residual")])
def test_unknown_keys_are_refused_with_near_names(world, key, near):
    with pytest.raises(BadInput) as refused:
        quantities.find(world, key)
    assert near in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_body_by_its_index(world):
    assert read(world, f"body:#{world.body('cart')}.x") == 5.0


def test_a_removed_body_reads_as_nan_and_a_new_one_of_that_name_is_found(world):
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 9.0), name="ball")
    height = quantities.find(world, "body:ball.z")
    assert height.read(world) == 9.0
    world.remove_body(ball)
    assert math.isnan(height.read(world))
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0), name="other")
    assert math.isnan(height.read(world))
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 2.0), name="ball")
    assert height.read(world) == 2.0


def test_default_keys_exist(world):
    assert quantities.default_keys(World())
    for key in quantities.default_keys(world):
        quantities.find(world, key)


def test_keys_can_be_searched_and_sliced(world):
    keys = quantities.all_keys(world)
    assert list(keys.find_matching("door OMEGA_z")) == ["body:door.omega_z"]
    assert keys[2:5] == list(keys)[2:5]
    with pytest.raises(IndexError):
        keys[len(keys)]


def test_listing_five_thousand_bodies_is_quick():
    world = World(gravity=(0.0, 0.0, 0.0))
    for i in range(200):
        world.add_body(Sphere(0.1), pos=(i, 0.0, 0.0))
    table = world.bodies.copy()

    class Large:
        """A world of 5000 bodies as `quantities` sees it."""

        bodies, joints, contacts = np.concatenate([table] * 25)[:5000], world.joints, world.contacts
        body_names, joint_names = [f"body {i}" for i in range(5000)], []
        gravity, time, steps, revision, last_dt, report = world.gravity, 0.0, 0, 0, 0.01, None

    def listed() -> tuple[quantities.Keys, list[str]]:
        keys = quantities.all_keys(Large)
        return keys, keys[40_000:40_020]

    keys, shown = listed()
    assert len(keys) > 5000 * len(quantities.BODY_FIELDS) and len(shown) == 20
    assert cost(listed) < 40.0
    found = quantities.find(Large, "body:body 4999.x")
    assert cost(lambda: found.read(Large)) < 0.2
