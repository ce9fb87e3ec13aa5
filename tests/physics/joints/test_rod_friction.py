"""Friction at the ends of a rod (joints/rod.py), against closed forms."""

import math

import numpy as np
import pytest

from physics import Friction, World, step
from physics.dynamics import measure
from tests.tools.joint_tools import quiet

DT = 1.0 / 240.0
LENGTH, MASS, G = 0.5, 1.0, 9.81


def pendulum(angle: float, friction) -> World:
    """A ball on a rod that hangs on the world."""
    world = quiet((0.0, 0.0, -G))
    at = LENGTH * np.array((math.sin(angle), 0.0, -math.cos(angle)))
    ball = world.add_body(mass=MASS, inertia=(0.01, 0.01, 0.01), pos=at)
    world.add_joint("rod", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=at, friction=friction, name="rod")
    return world


@pytest.mark.parametrize("share, moves", [(0.98, False), (1.02, True)])
def test_a_tilted_rod_holds_below_its_friction_bound(share, moves):
    """Its weight's moment m g l sin(angle) against the bound: it creeps less than 1 nm in a second, or it falls."""
    bound = 0.7
    world = pendulum(math.asin(share * bound / (MASS * G * LENGTH)), {"first": bound})
    start = world.bodies["pos"][1].copy()
    for _ in range(240):
        step(world, DT)
    way = np.linalg.norm(world.bodies["pos"][1] - start)
    assert way > 1e-3 if moves else way < 1e-9


def test_viscous_friction_damps_a_pendulum():
    """theta = theta_0 exp(-c t / (2 m l^2)) at the turning points."""
    viscous, angle = 0.04, 0.02
    world = pendulum(angle, {"first": Friction(viscous=viscous)})
    angles = []
    for _ in range(2400):
        step(world, DT)
        angles.append(math.asin(world.bodies["pos"][1, 0] / LENGTH))
    angles = np.array(angles)
    peaks = np.flatnonzero((angles[1:-1] > angles[:-2]) & (angles[1:-1] >= angles[2:])) + 1
    assert len(peaks) >= 6
    rate = viscous / (2.0 * MASS * LENGTH**2)
    assert angles[peaks] == pytest.approx(angle * np.exp(-rate * DT * (peaks + 1.0)), rel=5e-3)


def test_a_spinning_ball_at_the_second_end_drags_the_rod():
    """In free space: I omega is shared, (I + m/2 l^2) omega_end = I omega; the other ball, without friction, does not spin."""
    world, inertia, spin = quiet((0.0, 0.0, 0.0)), 0.05, 6.0
    a = world.add_body(mass=MASS, inertia=(0.02, 0.02, 0.02))
    b = world.add_body(mass=MASS, inertia=(inertia,) * 3, pos=(LENGTH, 0.0, 0.0), omega=(0.0, 0.0, spin))
    world.add_joint("rod", a, b, anchor=(0.0, 0.0, 0.0), anchor_b=(LENGTH, 0.0, 0.0), friction={"second": Friction(viscous=0.5)})
    for _ in range(480):
        step(world, DT)
    end = inertia * spin / (inertia + 0.5 * MASS * LENGTH**2)
    assert world.bodies["omega"][b] == pytest.approx([0.0, 0.0, end], rel=1e-3, abs=1e-9)
    assert np.abs(world.bodies["omega"][a]).max() < 1e-9
    linear, angular = measure.momentum(world.bodies)
    assert linear == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert angular == pytest.approx((0.0, 0.0, inertia * spin), abs=1e-4 * inertia * spin)


def test_a_rod_turns_freely_about_itself():
    """A ball that spins about the rod keeps its spin whatever the friction."""
    world = quiet((0.0, 0.0, 0.0))
    a = world.add_body(mass=MASS, inertia=(0.02, 0.02, 0.02))
    b = world.add_body(mass=MASS, inertia=(0.02, 0.02, 0.02), pos=(LENGTH, 0.0, 0.0), omega=(5.0, 0.0, 0.0))
    world.add_joint("rod", a, b, anchor=(0.0, 0.0, 0.0), anchor_b=(LENGTH, 0.0, 0.0), max_friction=1.0)
    for _ in range(240):
        step(world, DT)
    assert world.bodies["omega"][b] == pytest.approx([5.0, 0.0, 0.0], abs=1e-9)
