"""Velocities of bodies between the moments at which forces act on them."""

import numpy as np
import pytest

from physics import Box, Sphere, World, step
from physics.core import quat
from physics.core.records import BODY
from physics.dynamics import measure
from physics.dynamics.integrate import shift_poses, synchronise


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


@pytest.mark.parametrize("gyroscopic", [True, False])
def test_a_shift_of_poses_turns_no_angular_momentum(gyroscopic):
    """As a drift: I(q1) omega1 = I(q0) omega0 in the world, to rounding, however large the shift; or omega is kept."""
    world, rng = World(), np.random.default_rng(5)
    for size in rng.uniform(0.01, 0.5, (20, 3)):
        turn = rng.normal(size=4)
        world.add_body(Box(size), quat=turn / np.linalg.norm(turn), omega=rng.normal(scale=20.0, size=3), mask=0)
    bodies = world.bodies

    def spins():
        frames = [np.array([quat.rotate(b["quat"], axis) for axis in np.eye(3)]).T for b in bodies[1:]]
        return np.array([r @ b["inertia"] @ r.T @ b["omega"] for r, b in zip(frames, bodies[1:], strict=True)])

    before, omega, pos, push = spins(), bodies["omega"].copy(), bodies["pos"].copy(), rng.normal(size=(len(bodies), 6))
    shift_poses(bodies, push, 0.3, gyroscopic)
    assert bodies["pos"][1:] == pytest.approx(pos[1:] + 0.3 * push[1:, :3], abs=1e-14)
    if gyroscopic:
        assert spins() == pytest.approx(before, rel=1e-11, abs=1e-13)
        assert np.abs(bodies["omega"] - omega).max() > 1.0
    else:
        assert (bodies["omega"] == omega).all()
