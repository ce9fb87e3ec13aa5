"""Velocities of bodies between the moments at which forces act on them."""

import numpy as np
import pytest

from physics import Box, Sphere, World, step
from physics.core.records import BODY
from physics.dynamics import measure
from physics.dynamics.integrate import synchronise


def test_a_velocity_is_brought_to_the_time_of_its_pose():
    """v + t (g + F / m), w + t I^-1 T, where it lags by t; and again nothing is left to do."""
    rng, (body,) = np.random.default_rng(3), np.zeros(1, BODY).view(np.recarray)
    gravity, lag = np.array((1.0, -2.0, -9.81)), 0.3
    for field in ("vel", "omega", "force", "torque", "inv_inertia_world"):
        body[field] = rng.normal(size=body[field].shape)
    body["inv_mass"], body["velocity_lag"] = 0.25, lag
    vel, omega = (body["vel"] + lag * (gravity + 0.25 * body["force"]),
                  body["omega"] + lag * body["inv_inertia_world"] @ body["torque"])
    for _ in range(2):
        synchronise(body, gravity)
        assert body["vel"] == pytest.approx(vel, abs=1e-14) and body["omega"] == pytest.approx(omega, abs=1e-14)


@pytest.mark.parametrize("shape", [Sphere(0.3), Box((0.2, 0.2, 0.2))], ids=["ball", "cube"])
def test_a_body_of_equal_moments_turns_evenly(shape):
    """Without torque omega keeps every bit, and the orientation is that of a rotation by omega t."""
    world = World(gravity=(0.0, 0.0, 0.0))
    omega = np.array((3.0, -7.0, 11.0))
    i = world.add_body(shape, omega=omega)
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert (world.bodies["omega"][i] == omega).all()
    angle = 2.0 * np.linalg.norm(omega)
    expected = (np.cos(0.5 * angle), *np.sin(0.5 * angle) * omega / np.linalg.norm(omega))
    found = world.bodies["quat"][i]
    assert abs(found @ expected) == pytest.approx(1.0, abs=1e-12)


def test_a_body_of_almost_equal_moments_keeps_its_angular_momentum_instead():
    world = World(gravity=(0.0, 0.0, 0.0))
    i = world.add_body(Box((0.2, 0.2, 0.21)), omega=(3.0, -7.0, 11.0))
    before, omega = measure.momentum(world.bodies)[1], world.bodies["omega"][i].copy()
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert measure.momentum(world.bodies)[1] == pytest.approx(before, rel=1e-12)
    assert np.abs(world.bodies["omega"][i] - omega).max() > 0.01
