"""Handles: bodies and joints as objects, which are their indices, too."""

import copy
import json
import pickle

import numpy as np
import pytest

from physics import BadInput, Box, Friction, Motor, Plane, Sphere, World, step
from scenes import without_clock


@pytest.fixture
def world():
    made = World()
    made.add_body(Plane(), kind="static", friction=0.5, name="floor")
    return without_clock(made)


def test_a_body_is_its_index_and_an_object(world):
    box = world.add_body(Box((0.1, 0.2, 0.3)), pos=(1.0, 0.0, 2.0), mass=3.0, friction=0.4, restitution=0.2, name="box")
    assert box == 2 and isinstance(box, int) and f"{box}" == str(box) == "2" and world.body("box") == box
    assert json.dumps(box) == "2" and {box: 1}[2] == 1
    assert world.bodies["pos"][box].tolist() == box.pos.tolist() == [1.0, 0.0, 2.0]
    assert (box.name, box.kind, box.mass, box.friction, box.restitution, box.asleep) == ("box", "dynamic", 3.0, 0.4, 0.2, False)
    assert repr(box) == "<body 2 'box': dynamic, 3 kg at (1, 0, 2) m>"
    assert type(pickle.loads(pickle.dumps(box))) is int and copy.deepcopy({"body": box}) == {"body": 2}


def test_setting_a_property_is_checked_and_reaches_the_table(world):
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0))
    ball.pos, ball.vel, ball.omega = (0.0, 1.0, 2.0), (1.0, 2.0, 3.0), [0.0, 0.0, 4.0]
    ball.mass, ball.friction, ball.restitution, ball.name = 2.0, 0.7, 0.9, "ball"
    assert ball.pos.tolist() == [0.0, 1.0, 2.0] and ball.vel.tolist() == [1.0, 2.0, 3.0] and ball.omega[2] == 4.0
    assert world.body_names[ball] == "ball" and ball.kinetic_energy == pytest.approx(0.5 * 2.0 * 14.0 + 0.5 * 0.4 * 0.02 * 16.0)
    ball.quat = (0.0, 0.0, 0.0, 1.0)
    assert ball.to_world((0.1, 0.0, 0.0)) == pytest.approx((-0.1, 1.0, 2.0))
    assert ball.velocity_at((0.1, 1.0, 2.0)) == pytest.approx((1.0, 2.4, 3.0))
    for name, value in (("mass", -1.0), ("vel", (0.0, 0.0)), ("pos", "up"), ("friction", -0.1), ("kind", "flying"),
                        ("name", "floor")):
        with pytest.raises(BadInput):
            setattr(ball, name, value)
    ball.kind = "static"
    assert ball.kind == "static" and ball.mass == 0.0


def test_vectors_are_copies(world):
    ball = world.add_body(Sphere(0.1))
    ball.pos[2] = 9.0
    assert ball.pos[2] == 0.0


def test_the_contact_force_carries_the_weight(world):
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0)
    for _ in range(60):
        step(world, 1.0 / 240.0)
    assert box.contact_force == pytest.approx((0.0, 0.0, 2.0 * 9.81), abs=1e-6)
    assert world.body("floor").contact_force == pytest.approx((0.0, 0.0, -2.0 * 9.81), abs=1e-6)


def test_a_joint_tells_its_angle_rate_and_torques(world):
    arm = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 2.0), mass=1.0)
    hinge = world.add_joint("revolute", "world", arm, anchor=(0.0, 0.0, 2.0), axis=(0.0, -1.0, 0.0), max_friction=100.0,
                            name="hinge")
    assert hinge == 0 and world.joint("hinge") == hinge and hinge.kind == "revolute"
    assert repr(hinge) == f"<joint 0 'hinge': revolute of 'world' and '{arm.name}'>"
    for _ in range(10):
        step(world, 1.0 / 240.0)
    assert abs(hinge.angle) < 1e-9 and hinge.friction_torque == pytest.approx(0.5 * 9.81, rel=1e-6) and hinge.motor_torque == 0.0
    hinge.friction = Friction(static=0.5, kinetic=0.4)
    assert hinge.friction.kinetic == 0.4
    hinge.drive(Motor("velocity", 1.0, 500.0))
    for _ in range(24):
        step(world, 1.0 / 240.0)
    assert hinge.rate == pytest.approx(1.0, abs=1e-6) and hinge.motor_torque > 0.4 * 9.81
    with pytest.raises(BadInput, match="it has: angle, rate"):
        hinge.value("colour")
    hinge.remove()
    with pytest.raises(BadInput, match="there is no joint 0"):
        _ = hinge.angle


def test_a_removed_body_says_so(world):
    ball = world.add_body(Sphere(0.1), name="ball")
    ball.remove()
    with pytest.raises(BadInput, match="there is no body"):
        _ = ball.pos


def test_handles_are_taken_wherever_an_index_is(world):
    one, two = (world.add_body(Sphere(0.1), pos=(x, 0.0, 1.0)) for x in (0.0, 1.0))
    rod = world.add_joint("rod", one, two, anchor=one.pos, anchor_b=two.pos)
    one.apply_force((0.0, 0.0, 1.0))
    two.apply_torque((0.0, 1.0, 0.0))
    step(world, 1.0 / 240.0)
    assert np.linalg.norm(two.pos - one.pos) == pytest.approx(1.0, abs=1e-6) and rod.reaction >= 0.0
    with pytest.raises(BadInput, match="no shape"):
        _ = world.body("world").friction
