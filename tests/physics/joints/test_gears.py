"""Gears and racks: ratios, torques and momentum, on the world and on bodies that move (joints/gear.py, joints/rack.py)."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Motor, World, step
from physics.dynamics import measure
from tests.tools.joint_tools import energy, quiet, read

DT = 1.0 / 240.0
X, Y, Z = np.eye(3)


def angular_momentum(world: World) -> np.ndarray:
    return np.array(measure.momentum(world.bodies)[1])


def wheel(world: World, mass: float, radius: float = 0.1, **state) -> int:
    """A body of a wheel's mass and inertia that touches nothing."""
    inertia = mass * radius**2 * np.array((0.3, 0.3, 0.5))
    return world.add_body(mass=mass, inertia=inertia, **state)


def run(world: World, seconds: float) -> None:
    for _ in range(round(seconds / DT)):
        step(world, DT)


def wheels(ratio: float, axis_b=(0.0, 0.0, 1.0)) -> World:
    world = quiet()
    a = world.add_body(Box((0.1, 0.1, 0.02)), mass=1.0, omega=(0.0, 0.0, 30.0))
    b = world.add_body(Box((0.1, 0.1, 0.02)), pos=(0.5, 0.0, 0.0), mass=2.0)
    world.add_joint("revolute", 0, a, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="a")
    world.add_joint("revolute", 0, b, anchor=(0.5, 0.0, 0.0), axis=axis_b, name="b")
    world.add_joint("gear", a, b, anchor=(0.0, 0.0, 0.0), anchor_b=(0.5, 0.0, 0.0), axis_b=axis_b, ratio=ratio, name="mesh")
    return world


@pytest.mark.parametrize("ratio", [-2.5, 0.4])
@pytest.mark.parametrize("axis_b", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])
def test_gears_turn_by_their_ratio(ratio, axis_b):
    world = wheels(ratio, axis_b)
    before = energy(world)
    axis = np.array(axis_b)
    inertia_b = axis @ world.bodies["inertia"][2] @ axis
    inertia_a = world.bodies["inertia"][1, 2, 2]
    for _ in range(2400):
        step(world, DT)
    assert read(world, "joint:b.angle") == pytest.approx(ratio * read(world, "joint:a.angle"), abs=1e-7)
    assert abs(read(world, "joint:a.angle")) > 6.0 * math.pi, "several turns"
    # the jerk of the first step: the wheels take a common motion, momentum weighted by the ratio is kept
    rate = 30.0 * inertia_a / (inertia_a + ratio**2 * inertia_b)
    assert read(world, "joint:a.rate") == pytest.approx(rate, rel=1e-6)
    assert energy(world) <= before


def test_a_rack_moves_by_the_radius_times_the_turn():
    world = quiet()
    pinion = world.add_body(Box((0.1, 0.1, 0.02)), mass=1.0, omega=(0.0, 0.0, 20.0))
    rack = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.0, -0.2, 0.0), mass=3.0)
    world.add_joint("revolute", 0, pinion, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="bearing")
    world.add_joint("prismatic", 0, rack, anchor=(0.0, -0.2, 0.0), axis=(1.0, 0.0, 0.0), name="rail")
    world.add_joint("rack", pinion, rack, anchor=(0.0, 0.0, 0.0), anchor_b=(0.0, -0.2, 0.0), axis_b=(1.0, 0.0, 0.0), radius=0.2)
    for _ in range(1200):
        step(world, DT)
    assert read(world, "joint:rail.angle") == pytest.approx(0.2 * read(world, "joint:bearing.angle"), abs=1e-7)
    assert abs(read(world, "joint:rail.angle")) > 0.5


def gearbox(ratio: float, omega=(0.0, 0.0, 0.0), motor: Motor | None = None) -> World:
    """A box that floats with two wheels in it."""
    world = quiet()
    box = wheel(world, 5.0, 0.4, omega=omega, name="box")
    wheels = []
    for name, x, mass in (("a", -0.2, 1.0), ("b", 0.15, 0.6)):
        at = np.array((x, 0.0, 0.0))
        wheels.append(wheel(world, mass, pos=at, vel=np.cross(omega, at), omega=omega))
        world.add_joint("revolute", box, wheels[-1], anchor=at, axis=Z, name=name, motor=motor if name == "a" else None)
    world.add_joint("gear", *wheels, anchor=(-0.2, 0.0, 0.0), axis=Z, anchor_b=(0.15, 0.0, 0.0), axis_b=Z, ratio=ratio)
    return world


@pytest.mark.parametrize("ratio", [-2.5, 0.4])
def test_a_free_gearbox_keeps_ratio_and_momentum(ratio):
    """Its motor starts inside: what wheels and box turn adds up to nothing, and the wheels stay in step over 700 rad."""
    world = gearbox(ratio, motor=Motor(target=40.0, force=0.5))
    run(world, 20.0)
    assert read(world, "joint:a.angle") > 700.0
    assert read(world, "joint:b.angle") == pytest.approx(ratio * read(world, "joint:a.angle"), abs=1e-7)
    assert np.abs(angular_momentum(world)).max() < 1e-7, "of 0.2 N m s in the first wheel: what closing the joints moves"
    assert np.abs(measure.momentum(world.bodies)[0]).max() < 1e-11
    assert abs(read(world, "body:box.omega_z")) > 0.1, "the box turns the other way"


def test_a_gearbox_that_tumbles_keeps_energy_and_momentum():
    world = gearbox(-2.5, omega=(1.0, 2.0, 0.5))
    world.bodies["omega"][[2, 3], 2] += 10.0, -25.0
    step(world, DT)
    before, angular = energy(world), angular_momentum(world)
    run(world, 5.0)
    assert energy(world) == pytest.approx(before, rel=1e-3)
    assert angular_momentum(world) == pytest.approx(angular, abs=1e-3 * np.linalg.norm(angular))
    assert read(world, "joint:b.angle") == pytest.approx(-2.5 * read(world, "joint:a.angle"), abs=1e-7)
    assert abs(read(world, "joint:a.angle")) > 30.0


@pytest.mark.parametrize("carried", [False, True])
def test_torques_have_the_ratio_of_the_gear(carried):
    """A motor that holds b still against the carrier bears torque / ratio; the mount bears what was applied."""
    world, ratio, torque = quiet(), -2.5, 0.7
    carrier = wheel(world, 5.0) if carried else 0
    if carried:
        world.add_joint("fixed", 0, carrier, anchor=(0.0, 0.0, 0.0), name="mount")
    a = wheel(world, 1.0, pos=(-0.25, 0.0, 0.0))
    b = wheel(world, 1.0, pos=(0.1, 0.0, 0.0))
    world.add_joint("revolute", carrier, a, anchor=(-0.25, 0.0, 0.0), axis=Z, name="a")
    world.add_joint("revolute", carrier, b, anchor=(0.1, 0.0, 0.0), axis=Z, name="b", motor=Motor(target=0.0))
    world.add_joint("gear", a, b, anchor=(-0.25, 0.0, 0.0), anchor_b=(0.1, 0.0, 0.0), ratio=ratio, name="mesh")
    for _ in range(10):
        world.apply_torque(a, (0.0, 0.0, torque))
        step(world, DT)
    holds = world.joints["motor_impulse"][world.joint("b"), 0] / DT
    assert holds == pytest.approx(-torque / ratio, rel=1e-9)
    # the force of the teeth at the pitch circle, r_a = 0.25 m, across the line of centres
    teeth = world.joints["reaction"][world.joint("mesh"), :3] / DT
    assert np.abs(teeth) == pytest.approx([0.0, torque / 0.25, 0.0], abs=1e-9)
    if carried:
        assert world.joints["reaction"][world.joint("mount"), 5] / DT == pytest.approx(-torque, rel=1e-6)


@pytest.mark.parametrize("free", [False, True])
def test_a_planetary_gear_obeys_willis(free):
    """(omega_sun - omega_carrier) / (omega_ring - omega_carrier) = -z_ring / z_sun, three planets, everything turning."""
    world, sun_radius, planet_radius = quiet(), 0.2, 0.15
    ring_radius = sun_radius + 2.0 * planet_radius
    frame = wheel(world, 3.0, 0.5) if free else 0
    sun, carrier, ring = (wheel(world, m, 0.2, omega=(0.0, 0.0, w)) for m, w in ((1.0, 30.0), (2.0, -4.0), (3.0, 0.0)))
    for body, name in ((sun, "sun"), (carrier, "carrier"), (ring, "ring")):
        world.add_joint("revolute", frame, body, anchor=(0.0, 0.0, 0.0), axis=Z, name=name)
    for k in range(3):
        turn = 2.0 * math.pi * k / 3.0
        at = (sun_radius + planet_radius) * np.array((math.cos(turn), math.sin(turn), 0.0))
        planet = wheel(world, 0.3, pos=at, vel=np.cross((0.0, 0.0, -4.0), at), omega=(0.0, 0.0, -4.0))
        world.add_joint("revolute", carrier, planet, anchor=at, axis=Z)
        world.add_joint("gear", sun, planet, anchor=(0.0, 0.0, 0.0), anchor_b=at, ratio=-sun_radius / planet_radius)
        world.add_joint("gear", ring, planet, anchor=(0.0, 0.0, 0.0), anchor_b=at, ratio=ring_radius / planet_radius)
    step(world, DT)
    before = angular_momentum(world)
    run(world, 10.0)
    if free:
        assert angular_momentum(world) == pytest.approx(before, abs=1e-7)
    angle = {name: read(world, f"joint:{name}.angle") for name in ("sun", "carrier", "ring")}
    assert abs(angle["sun"]) > 50.0 and abs(angle["carrier"]) > 5.0 and abs(angle["ring"]) > 1.0
    seen = angle["sun"] - angle["carrier"], angle["ring"] - angle["carrier"]
    assert seen[0] == pytest.approx(-ring_radius / sun_radius * seen[1], abs=1e-6)


def test_a_differential_shares_turns_between_its_shafts():
    """Two side gears on x, a spider on y in a cage that turns about x: omega_left + omega_right = 2 omega_cage (bevel gears)."""
    world, half = quiet(), 0.2
    cage = wheel(world, 3.0, 0.3, omega=(5.0, 0.0, 0.0))
    world.add_joint("revolute", 0, cage, anchor=(0.0, 0.0, 0.0), axis=X, name="cage")
    spider = wheel(world, 0.5, pos=(0.0, half, 0.0), vel=(0.0, 0.0, 5.0 * half), omega=(5.0, 0.0, 0.0))
    world.add_joint("revolute", cage, spider, anchor=(0.0, half, 0.0), axis=Y, name="spider")
    for name, side, omega in (("left", -1.0, 12.0), ("right", 1.0, -2.0)):
        shaft = wheel(world, 1.0, pos=(side * half, 0.0, 0.0), omega=(omega, 0.0, 0.0))
        world.add_joint("revolute", 0, shaft, anchor=(side * half, 0.0, 0.0), axis=X, name=name)
        world.add_joint("gear", shaft, spider, anchor=(side * half, 0.0, 0.0), axis=X, anchor_b=(0.0, half, 0.0), axis_b=Y,
                        ratio=side)
    run(world, 10.0)
    left, right, middle = (read(world, f"joint:{name}.angle") for name in ("left", "right", "cage"))
    assert abs(left - right) > 50.0 and middle > 30.0
    assert left + right == pytest.approx(2.0 * middle, abs=1e-6)


def test_a_rack_on_a_carriage_keeps_momentum():
    """Pinion and rack on a body that floats: way = radius times turn, seen from there; all momenta stay."""
    world = quiet()
    frame = wheel(world, 4.0, 0.3, omega=(0.0, 0.0, 0.3), name="frame")
    pinion = wheel(world, 1.0, omega=(0.0, 0.0, 20.0))
    rack = wheel(world, 3.0, 0.5, pos=(0.0, -0.2, 0.0), vel=(0.06, 0.0, 0.0), omega=(0.0, 0.0, 0.3))
    world.add_joint("revolute", frame, pinion, anchor=(0.0, 0.0, 0.0), axis=Z, name="bearing")
    world.add_joint("prismatic", frame, rack, anchor=(0.0, -0.2, 0.0), axis=X, name="rail")
    world.add_joint("rack", pinion, rack, anchor=(0.0, 0.0, 0.0), axis_b=X, radius=0.2)
    linear, angular = (np.array(v) for v in measure.momentum(world.bodies))
    run(world, 5.0)
    assert read(world, "joint:rail.angle") == pytest.approx(0.2 * read(world, "joint:bearing.angle"), abs=1e-7)
    assert abs(read(world, "joint:rail.angle")) > 0.5 and abs(read(world, "body:frame.omega_z")) > 0.01
    assert np.array(measure.momentum(world.bodies)[0]) == pytest.approx(linear, abs=1e-11)
    assert angular_momentum(world) == pytest.approx(angular, abs=1e-3 * np.linalg.norm(angular))


def test_a_pinion_climbs_a_rack_that_is_the_world():
    """A cart on a rail, driven by its pinion along a rack that stands: a = torque / radius / (m + I / radius^2)."""
    world = quiet()
    cart = wheel(world, 2.0)
    pinion = wheel(world, 0.5)
    world.add_joint("prismatic", 0, cart, anchor=(0.0, 0.0, 0.0), axis=X, name="rail")
    world.add_joint("revolute", cart, pinion, anchor=(0.0, 0.0, 0.0), axis=Z)
    world.add_joint("rack", pinion, 0, anchor=(0.0, 0.0, 0.0), axis_b=X, radius=-0.1)
    for _ in range(240):
        world.apply_torque(pinion, (0.0, 0.0, 0.3))
        step(world, DT)
    inertia = world.bodies["inertia"][pinion, 2, 2]
    speed = read(world, "joint:rail.rate")
    assert abs(speed) == pytest.approx((240.0 - 0.5) * DT * 0.3 / 0.1 / (2.5 + inertia / 0.01), rel=5e-3)


def test_wheels_on_one_shaft_are_geared_against_the_world():
    """No line between them tells how a frame turns; on bearings of the world that is as good."""
    world = quiet()
    a, b = (wheel(world, 1.0, pos=(0.0, 0.0, z), omega=(0.0, 0.0, w)) for z, w in ((0.0, 10.0), (0.3, 0.0)))
    for body, z, name in ((a, 0.0, "a"), (b, 0.3, "b")):
        world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, z), axis=Z, name=name)
    world.add_joint("gear", a, b, anchor=(0.0, 0.0, 0.0), anchor_b=(0.0, 0.0, 0.3), ratio=3.0)
    run(world, 5.0)
    assert read(world, "joint:b.angle") == pytest.approx(3.0 * read(world, "joint:a.angle"), abs=1e-7)
    assert read(world, "joint:a.rate") == pytest.approx(1.0, rel=1e-6)


def test_a_rack_along_the_pinions_axis_is_refused():
    world = quiet()
    a, b = (wheel(world, 1.0, pos=(x, 0.0, 0.0)) for x in (0.0, 1.0))
    with pytest.raises(BadInput, match="perpendicular to the pinion's axis"):
        world.add_joint("rack", a, b, anchor=(0.0, 0.0, 0.0), axis=Z)
    assert len(world.joint_names) == 0
