"""A plank lands flat on a long edge, a rod on one end: plane impacts, marched here in small increments of the normal impulse.

    u = (normal, along),   du = W (1, f) dp,   f = -mu sign(slip) while it slips, what keeps it at rest where mu suffices

Poisson: the impulse of restitution is e times that of compression. The two points of an edge act as one, and without
restitution friction follows the path, too: nothing here depends on the order of impulses, on the step or on the solver.
"""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Plane, World, step
from tests.tools.each_value import each_value

SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space")
LENGTH, THICK, MASS = 0.5, 0.05, 1.0


def after(arm: tuple[float, float], inertia: float, velocity: tuple[float, float], mu: float, e: float) -> np.ndarray:
    """(v_x, v_z, omega_y) after the impact; arm: of the contact from the centre of mass, (x, z) [m]."""
    x, z = arm
    jacobian = np.array([[0.0, 1.0, -x], [1.0, 0.0, z]])
    inverse = np.diag([1.0 / MASS, 1.0 / MASS, 1.0 / inertia])
    response = jacobian @ inverse @ jacobian.T
    u, p, q, pressed, dp = jacobian @ (*velocity, 0.0), 0.0, 0.0, math.inf, 1e-4
    while p < (1.0 + e) * pressed:
        hold = -response[1, 0] / response[1, 1]
        sticks = abs(u[1]) < 4.0 * dp * response.max() and abs(hold) <= mu
        f = hold - u[1] / response[1, 1] / dp if sticks else -mu * np.sign(u[1] + 1e-300)
        u = u + response @ (dp, f * dp)
        p, q = p + dp, q + f * dp
        if u[0] >= 0.0:
            pressed = min(pressed, p)
    return np.array([*velocity, 0.0]) + inverse @ jacobian.T @ (p, q)


def thrown(shape: Box | Capsule, lowest: tuple[float, float], angle: float, inertia: float, velocity: tuple[float, float],
           mu: float, e: float, solver: str, rate: int) -> np.ndarray:
    """(v_x, v_z, omega_y) of a body that meets the floor with its lowest point or edge, (x, z) from its centre; no gravity."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver, impact_law="Poisson")
    world.add_body(Plane(), kind="static", friction=mu, restitution=e)
    body = world.add_body(shape, pos=(0.0, 0.0, 0.013 - lowest[1]), mass=MASS, inertia=(inertia, inertia, inertia), friction=mu,
                          quat=(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0), vel=(velocity[0], 0.0, velocity[1]),
                          restitution=e)
    for _ in range(2 + int(0.013 / abs(velocity[1]) * rate)):
        assert step(world, 1.0 / rate).audit.ok
    assert np.abs([body.vel[1], body.omega[0], body.omega[2]]).max() < 1e-9
    return np.array([body.vel[0], body.vel[2], body.omega[1]])


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("angle", "mu", "along"), [(0.6, 0.3, -0.3), (0.6, 0.3, -0.8), (0.9, 0.4, -0.5), (0.3, 0.6, -0.4)])
def test_an_edge_lands_as_one_point(angle, mu, along, e, rate, solver):
    cosine, sine = math.cos(angle), math.sin(angle)
    corners = [(x * cosine - THICK * sine, -x * sine - THICK * cosine) for x in (-LENGTH, LENGTH)]
    lowest, inertia = min(corners, key=lambda corner: corner[1]), MASS * (LENGTH**2 + THICK**2) / 3.0
    expected = after(lowest, inertia, (along, -2.0), mu, e)
    found = thrown(Box((LENGTH, 0.2, THICK)), lowest, angle, inertia, (along, -2.0), mu, e, solver, rate)
    assert found == pytest.approx(expected, abs=1e-3)


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize(("angle", "mu", "along"), [(-0.6, 0.3, -0.3), (0.9, 0.4, 0.5), (0.6, 0.3, 0.8)])
def test_without_restitution_friction_follows_the_path(angle, mu, along, rate, solver):
    end = (-math.copysign(LENGTH * math.sin(abs(angle)), angle), -LENGTH * math.cos(angle) - THICK)
    inertia = MASS * LENGTH**2 / 3.0
    expected = after(end, inertia, (along, -2.0), mu, 0.0)
    found = thrown(Capsule(THICK, LENGTH), end, angle, inertia, (along, -2.0), mu, 0.0, solver, rate)
    assert found == pytest.approx(expected, abs=1e-3)
