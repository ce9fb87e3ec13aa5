"""The force of all contacts on a body is the change of its momentum, also in steps of several parts in which normals turn."""

import numpy as np
import pytest

from physics import Box, Capsule, Plane, Sphere, World, step

GRAVITY = np.array((0.0, 0.0, -9.81))


def _heap(solver: str, shape, seed: int) -> tuple[World, list]:
    """Three bodies that fall on one another, with spin."""
    world, random = World(), np.random.default_rng(seed)
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.5)
    bodies = []
    for k in range(3):
        quat = random.normal(size=4)
        bodies.append(world.add_body(shape, pos=(0.02 * k, 0.03 * k, 0.2 + 0.35 * k), quat=quat / np.linalg.norm(quat),
                                     omega=6.0 * random.normal(size=3), vel=(0.5, 0.0, 0.0), friction=0.5))
    return world, bodies


@pytest.mark.parametrize("solver", ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space", "compliant_contact"))
@pytest.mark.parametrize("shape", (Box((0.3, 0.2, 0.1)), Capsule(0.08, 0.2)), ids=("box", "capsule"))
@pytest.mark.parametrize("rate", (60, 240))
def test_contact_forces_change_the_momentum(solver, shape, rate):
    world, bodies = _heap(solver, shape, 2)
    in_parts = 0
    for _ in range(rate):
        before = [body.vel.copy() for body in bodies]
        step(world, 1.0 / rate)
        in_parts += world.step_start.contact_impulse is not None
        for body, vel in zip(bodies, before, strict=True):
            wanted = body.mass * ((body.vel - vel) / world.impulse_duration - GRAVITY)
            np.testing.assert_allclose(body.contact_force, wanted, atol=1e-9 * body.mass * 1e3)
    assert in_parts > 0 or solver == "compliant_contact"


def test_contact_torques_change_the_angular_momentum():
    """Of balls, whose moment of inertia is the same about all axes."""
    world, bodies = _heap("sequential_impulses", Sphere(0.12), 1)
    for _ in range(240):
        before = [body.omega.copy() for body in bodies]
        step(world, 1.0 / 240.0)
        for body, omega in zip(bodies, before, strict=True):
            inertia = 0.4 * body.mass * 0.12**2
            np.testing.assert_allclose(body.contact_torque, inertia * (body.omega - omega) / world.impulse_duration, atol=1e-7)


def test_what_pushed_is_told_after_a_snapshot():
    world, bodies = _heap("sequential_impulses", Box((0.3, 0.2, 0.1)), 2)
    while world.step_start is None or world.step_start.contact_impulse is None:
        step(world, 1.0 / 60.0)
    told, state = [body.contact_force for body in bodies], world.snapshot()
    step(world, 1.0 / 60.0)
    world.restore(state)
    np.testing.assert_array_equal([body.contact_force for body in bodies], told)
