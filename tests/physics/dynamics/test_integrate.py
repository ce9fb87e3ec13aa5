"""Velocities of bodies between the moments at which forces act on them."""

import numpy as np
import pytest

from physics.core.records import BODY
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
