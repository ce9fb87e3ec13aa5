"""Impulses in joint space against closed forms of two balls and of a rod, and against forces of forward dynamics."""

import numpy as np
import pytest

from physics import BadInput, Box, Sphere, World
from physics.articulated import contact, impulse
from physics.core.records import CONTACT
from tests.tools.random_trees import moved, random_world


def rows_at(space, a, b, pos, normal):
    c = np.zeros(1, CONTACT)
    c["body_a"], c["body_b"], c["pos"], c["normal"] = a, b, pos, normal
    c["tangent"] = np.cross(normal, (0.3, 0.5, 0.7)) / np.linalg.norm(np.cross(normal, (0.3, 0.5, 0.7)))
    return contact.directions(space, c)[0]


@pytest.mark.parametrize("seed", range(20))
def test_an_impulse_changes_velocities_as_a_force_changes_accelerations(seed):
    """Phi F is the difference of two articulated-body accelerations; momentum and energy of the blow add up."""
    rng = np.random.default_rng(seed)
    world = random_world(rng, 6)
    moved(world, rng, forces=False)
    body, push = int(rng.integers(1, 7)), rng.normal(size=6)
    space = world.joint_space()
    before = space.forward_dynamics()
    world.apply_torque(body, push[:3])
    world.apply_force(body, push[3:])
    change = world.joint_space().forward_dynamics() - before
    size = max(1.0, np.abs(change).max())
    assert np.allclose(impulse.velocity_change(space, body, push), change, atol=1e-9 * size)
    phi = impulse.mobility(space, body)
    assert np.allclose(phi @ push, space.jacobian(body) @ change, atol=1e-9 * size)
    assert np.allclose(phi, phi.T, atol=1e-10) and np.linalg.eigvalsh(phi).min() > -1e-9


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_two_balls_exchange_what_newton_says(e):
    """lambda = (1 + e) m1 m2 / (m1 + m2) of the approach."""
    world = World()
    world.add_body(Sphere(0.1), pos=(-0.1, 0.0, 0.0), vel=(2.0, 0.5, 0.0), mass=3.0)
    world.add_body(Sphere(0.1), pos=(0.1, 0.0, 0.0), vel=(-1.0, 0.0, 0.0), mass=1.5)
    space = world.joint_space()
    normal = rows_at(space, 1, 2, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))[0]
    assert impulse.frictionless_impulse(space, normal, e) == pytest.approx((1.0 + e) * 3.0 * 1.5 / 4.5 * 3.0)
    assert impulse.frictionless_impulse(space, -normal, e) == 0.0


def test_a_ball_that_sticks_takes_up_spin():
    """F11 (11.72) of a sphere on the ground: tangential mass 2/7 m, the point of contact at rest afterwards."""
    world = World()
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(2.0, -1.0, -3.0), omega=(4.0, 0.0, 1.0), mass=0.7)
    space = world.joint_space()
    rows = rows_at(space, 0, ball, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    found = impulse.sticking_impulse(space, rows, 0.6)
    after = rows @ (space.qd + space.solve(rows.T @ found))
    assert after == pytest.approx([0.6 * 3.0, 0.0, 0.0], abs=1e-12)
    slip = rows[1:] @ space.qd
    assert found == pytest.approx([0.7 * 1.6 * 3.0, *(-0.7 * 2.0 / 7.0 * slip)])


def test_a_rod_on_a_hinge_answers_with_its_moment_of_inertia():
    """Struck at its end: lambda = (1 + e) v I / l^2; in the direction of the hinge nothing moves."""
    world = World()
    rod = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 0.0), mass=2.0, vel=(0.0, 1.0, 0.0), omega=(0.0, 0.0, 2.0))
    world.add_joint("revolute", 0, rod, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    space = world.joint_space()
    about = 2.0 * (0.25 + 0.0004) / 3.0 + 2.0 * 0.25
    rows = rows_at(space, 0, rod, (1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
    assert impulse.frictionless_impulse(space, rows[0], 0.5) == pytest.approx(1.5 * 2.0 * about)
    found = impulse.sticking_impulse(space, rows, 0.5)
    assert rows @ (space.qd + space.solve(rows.T @ found)) == pytest.approx([1.0, *(-0.5 * rows[1:] @ space.qd)], abs=1e-9) or (
        rows[0] @ (space.qd + space.solve(rows.T @ found)) == pytest.approx(1.0, abs=1e-9))
    with pytest.raises(BadInput, match="cannot move along its normal"):
        impulse.frictionless_impulse(space, rows_at(space, 0, rod, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))[0] * 0.0, 0.5)
    with pytest.raises(BadInput, match="restitution"):
        impulse.sticking_impulse(space, rows, 1.5)
