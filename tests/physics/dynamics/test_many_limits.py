"""Trees of hinges that reach many of their limits at once, judged by the conditions of their complementarity problem in numpy."""

import math

import numpy as np
import pytest

from physics import Box, World, set_option, step
from physics.core import quat
from tests.tools.each_value import each_value

LIMIT = 0.3

TOLERANCE = 1000.0
"""Squares of the largest rates [rad^2/s^2]: by so much times dt the equations of the start are off in the end."""


def tree(seed: int, links: int, ratio: float, mass: float = 1.0, at_limits: bool = True) -> World:
    """Boxes on hinges about random axes, each on one of the three links before it and `ratio` times as heavy as that. at_limits:
    every hinge is at one of its limits; else in the middle between them."""
    rng = np.random.default_rng(seed)
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    bodies, ends, masses = [0], [np.zeros(3)], [mass / ratio]
    for k in range(links):
        parent = int(rng.integers(max(0, k - 2), k + 1))
        along = rng.normal(size=3)
        along /= np.linalg.norm(along)
        masses.append(masses[parent] * ratio)
        bodies.append(world.add_body(Box((0.05, 0.015, 0.015)), pos=ends[parent] + 0.05 * along, mass=masses[-1],
                                     quat=turned_to(along), mask=0))
        limits = ((0.0, LIMIT) if rng.random() < 0.5 else (-LIMIT, 0.0)) if at_limits else (-LIMIT, LIMIT)
        world.add_joint("revolute", bodies[parent], bodies[-1], anchor=ends[parent], axis=rng.normal(size=3), limits=limits)
        ends.append(ends[parent] + 0.1 * along)
    return world


def turned_to(along: np.ndarray) -> tuple[float, ...]:
    """The orientation whose x axis is `along`."""
    turn = np.array([1.0 + along[0], 0.0, -along[2], along[1]])
    return tuple(turn / np.linalg.norm(turn))


def jacobians(world: World) -> tuple[np.ndarray, np.ndarray]:
    """(of the five constraints of every hinge, of its angle): J (5 n, 6 bodies), (n, 6 bodies)."""
    held, free = np.zeros((2, 0, 6 * len(world.bodies)))
    pos, orientation = world.bodies["pos"], world.bodies["quat"]
    for joint in world.joints:
        a, b = int(joint["body_a"]), int(joint["body_b"])
        anchor = pos[a] + quat.rotate(orientation[a], joint["anchor_a"])
        axis = np.asarray(quat.rotate(orientation[a], quat.rotate(joint["frame_a"], np.array([0.0, 0.0, 1.0]))))
        across = np.linalg.svd(axis[None, :])[2][1:]
        rows = np.zeros((6, 6 * len(world.bodies)))
        for body, sign in ((a, -1.0), (b, 1.0)):
            x, y, z = anchor - pos[body]
            rows[:3, 6 * body: 6 * body + 3] = sign * np.eye(3)
            rows[:3, 6 * body + 3: 6 * body + 6] = sign * np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
            rows[3:5, 6 * body + 3: 6 * body + 6] = sign * across
            rows[5, 6 * body + 3: 6 * body + 6] = sign * axis
        held, free = np.vstack([held, rows[:5]]), np.vstack([free, rows[5:]])
    held[:, :6] = free[:, :6] = 0.0
    return held, free


def inverse_mass(world: World) -> np.ndarray:
    """M^-1 (6 bodies, 6 bodies) of what was built, 0 for the world."""
    found = np.zeros((6 * len(world.bodies), 6 * len(world.bodies)))
    for i, body in enumerate(world.bodies[1:], 1):
        turn = np.array([quat.rotate(body["quat"], unit) for unit in np.eye(3)]).T
        found[6 * i: 6 * i + 3, 6 * i: 6 * i + 3] = np.eye(3) / body["mass"]
        found[6 * i + 3: 6 * i + 6, 6 * i + 3: 6 * i + 6] = turn @ np.linalg.inv(body["inertia"]) @ turn.T
    return found


@each_value()
@pytest.mark.parametrize("dt", [1e-6, 1e-5])
@pytest.mark.parametrize("mass", [0.01, 100.0])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("links", [8, 24, 40])
def test_limits_reached_at_once_obey_their_law(links, ratio, mass, dt):
    """A blow drives half of the hinges beyond their limits: w >= 0, p >= 0, w p = 0, and no other impulses than those of the
    constraints. Without forces and in so short a step the equations are those of the start, to terms of dt."""
    pressed = 0
    for seed in range(5):
        world = tree(seed, links, ratio, mass)
        world.gravity[:] = 0.0
        held, free = jacobians(world)
        inverse = inverse_mass(world)
        rng = np.random.default_rng(seed)
        rates = rng.uniform(0.5, 2.0, links) * rng.choice((-1.0, 1.0), links)     # slower than REBOUND_SPEED is no impact
        before = np.linalg.lstsq(np.vstack([held, free]), np.append(np.zeros(len(held)), rates), rcond=None)[0].reshape(-1, 6)
        for body in range(1, links + 1):
            world.set_velocity(body, before[body, :3], before[body, 3:])
        report = step(world, dt)
        after = np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1).reshape(-1)
        sign = np.where(world.joints["limit_hi"][:, 0] > 0.0, 1.0, -1.0)
        w, p = sign * (free @ after), sign * world.joints["limit_impulse"][:, 0]
        rest = (after - before.reshape(-1)) - inverse @ free.T @ (sign * p)
        shares = inverse @ held.T
        rest -= shares @ np.linalg.lstsq(shares, rest, rcond=None)[0]
        p *= np.diag(free @ inverse @ free.T)       # by the speed that it gives
        assert report.end == "converged" and report.iterations < 20, seed
        assert np.abs(np.minimum(w, p)).max() < TOLERANCE * dt, seed
        assert np.abs(rest).max() < TOLERANCE * dt, seed
        pressed += (p > 0.0).sum()
    assert pressed > links


@each_value()
@pytest.mark.parametrize("hz", [60, 240])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_trees_that_fall_onto_their_limits_stay_together(seed, hz):
    """The links at the ends are a thousand times lighter than those at the root."""
    world = tree(seed, 24, 0.5, at_limits=False)
    least, gained = math.inf, 0.0
    for _ in range(hz):
        report = step(world, 1.0 / hz)
        assert report.end == "converged" and report.joint_error < 1e-6
        energy = sum(report.energy.values())
        least = min(least, energy)
        gained = max(gained, energy - least)
    assert gained < 1e-3
