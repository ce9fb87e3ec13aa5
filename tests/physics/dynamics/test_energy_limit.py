"""Restitution is reduced exactly where friction would make an impact gain energy.

Judged by the energy of random impacts, and by the planar impact of a rod by hand (Kane's puzzle).
"""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Plane, Sphere, World, set_option, step
from physics.dynamics import measure
from tests.tools.each_value import each_value

SHAPES = {
    "sphere": (Sphere(0.1), lambda r: 0.1),
    "box": (Box((0.1, 0.05, 0.2)), lambda r: np.abs(r) @ (0.1, 0.05, 0.2)),
    "rod": (Capsule(0.02, 0.3), lambda r: 0.02 + 0.3 * abs(r[2])),
    "bar": (Box((0.02, 0.02, 0.4)), lambda r: np.abs(r) @ (0.02, 0.02, 0.4)),
}


def down(quat: np.ndarray) -> np.ndarray:
    """The vertical in a body's frame."""
    w, x, y, z = quat
    return np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)])


def thrown(solver: str, shape: str, mu: float, e: float, quat, vel, omega, mass: float = 1.0) -> tuple[World, int]:
    """A body that touches the floor with its lowest point, without gravity."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver)
    for name, value in {"budget": 0.0, "cone": "circle"}.items():
        if hasattr(world.solver.options, name):
            set_option(world.solver.options, name, value)
    world.add_body(Plane(), kind="static", friction=mu, restitution=e)
    made, height = SHAPES[shape]
    body = world.add_body(made, pos=(0.0, 0.0, height(down(quat))), quat=quat, mass=mass, vel=vel, omega=omega, friction=mu,
                          restitution=e)
    return world, body


@each_value()
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps"])
def test_random_impacts_gain_nothing_and_spheres_keep_newtons_restitution(solver, dt):
    """About one in thirty would gain, up to a third of the energy; a sphere never does."""
    rng = np.random.default_rng(round(1 / dt))
    limited = 0
    for k in range(200):
        mu, e, shape = rng.choice([0.1, 0.5, 0.8, 1.2]), rng.choice([0.3, 0.6, 0.9, 1.0]), list(SHAPES)[k % 4]
        quat, vel = rng.normal(size=4), 2.0 * rng.normal(size=3)
        vel[2] = -abs(vel[2]) - 0.3
        world, body = thrown(solver, shape, mu, e, quat / np.linalg.norm(quat), vel, 5.0 * rng.normal(size=3))
        before = measure.energy(world.bodies, world.gravity)[0]
        step(world, dt)
        assert measure.energy(world.bodies, world.gravity)[0] <= before * (1.0 + 1e-6)     # of which the drift has some
        limited += world.contacts["restitution"].min() < e
        if shape == "sphere":
            assert world.bodies["vel"][body, 2] == pytest.approx(-e * vel[2], rel=1e-9)
            assert world.contacts["restitution"][0] == e
    assert 0 < limited < 30


def planar(angle: float, mu: float, e: float, speed: float, spin: float, inertia: float) -> tuple[float, float, float]:
    """(Energy that a rod of 1 kg gains by Newton's law with Coulomb's friction, its energy before, approach of its end) by hand.

    K (p_t, p_n) = u1 - u0 at the end of a rod that falls with that speed and spin; p_t stops the slip or is mu p_n against it.
    """
    r_t, r_n = -0.3 * math.cos(angle), -0.3 * math.sin(angle) - 0.02
    k_tt, k_nn, k_tn = 1.0 + r_n**2 / inertia, 1.0 + r_t**2 / inertia, -r_t * r_n / inertia
    u_t, u_n = -spin * r_n, -speed + spin * r_t
    solutions = [((-(1.0 + e) * u_n * k_tt + k_tn * u_t) / (k_nn * k_tt - k_tn**2), 0.0)]
    for sign in (-1.0, 1.0):
        solutions.append((-(1.0 + e) * u_n / (k_nn + sign * mu * k_tn), sign))
    for p_n, sign in solutions:
        p_t = sign * mu * p_n if sign else -(u_t + k_tn * p_n) / k_tt
        slip = u_t + k_tt * p_t + k_tn * p_n
        if p_n > 0.0 and (slip * sign < 0.0 if sign else abs(p_t) <= mu * p_n):
            break
    work = p_n * (u_n + 0.5 * (k_nn * p_n + k_tn * p_t)) + p_t * (u_t + 0.5 * (k_tn * p_n + k_tt * p_t))
    return work, 0.5 * (speed**2 + inertia * spin**2), -u_n


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps"])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 1000])
def test_only_impacts_that_would_gain_energy_are_limited(solver, dt):
    """Rods at many angles: where Newton's law takes energy, it is followed exactly; where it gives some, none is gained, and the
    restitution that is left is nearly the largest that gains nothing."""
    mu, e, speed = 1.0, 0.95, 1.0
    seen = {True: 0, False: 0}
    for angle in np.linspace(0.1, 1.4, 27):
        for spin in (-3.0, -1.0, 0.0, 2.0, 3.0):
            turn = 0.5 * (0.5 * math.pi - angle)
            world, body = thrown(solver, "rod", mu, e, np.array((math.cos(turn), 0.0, math.sin(turn), 0.0)), (0.0, 0.0, -speed),
                                 (0.0, -spin, 0.0))
            inertia = world.bodies["inertia"][body, 1, 1]
            work, energy, approach = planar(angle, mu, e, speed, spin, inertia)
            if approach < 0.2:
                continue
            step(world, dt)
            gained = measure.energy(world.bodies, world.gravity)[0] - energy
            seen[work > 0.0] += 1
            if work <= 0.0:
                assert gained == pytest.approx(work, abs=1e-9 * energy)
            else:
                left = world.contacts["restitution"].max() / e
                assert left < 1.0
                assert -1e-3 * energy < gained <= 1e-8 * energy
                assert planar(angle, mu, e * left, speed, spin, inertia)[0] == pytest.approx(gained, abs=1e-9 * energy)
    assert min(seen.values()) > 5
