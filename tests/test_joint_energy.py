"""Mechanisms without friction keep their energy and go where mechanics sends them, whatever their links are like."""

import math

import numpy as np
import pytest

from physics import World, set_option, step
from physics.core import dense
from tests.planar_chain import PlanarChain


def hung(lengths, masses, inertias, angles, solver: str = "sequential_impulses") -> World:
    """Links on hinges along y, centres in their middles; angles from straight down."""
    world, last, at = World(), 0, np.zeros(3)
    world.use_solver(solver)
    if solver == "sequential_impulses":
        set_option(world.solver.options, "budget", 0.0)
    for length, mass, inertia, angle in zip(lengths, masses, inertias, angles, strict=True):
        along = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        turn = 0.5 * (0.5 * math.pi - angle)
        body = world.add_body(None, pos=at + 0.5 * length * along, quat=(math.cos(turn), 0.0, math.sin(turn), 0.0), mass=mass,
                              inertia=(inertia, inertia, inertia))
        world.add_joint("revolute", last, body, anchor=at, axis=(0.0, -1.0, 0.0))
        last, at = body, at + length * along
    return world


@pytest.mark.parametrize("inertia", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("mass", [0.02, 5.0])
def test_links_of_next_to_no_inertia_start_as_they_must(inertia, mass):
    """Inverses of pivots lost the mass of such links: 1 kg with 1e-8 kg m^2 left within steps."""
    lengths, masses, angles = [0.7, 1.1, 0.4, 0.9], [mass, 2.0 * mass, mass, 0.3 * mass], [1.2, -0.4, 2.0, 0.3]
    inertias = [inertia * m for m in masses]
    world = hung(lengths, masses, inertias, angles)
    h = 1e-4
    step(world, h)
    # a fresh velocity lasts half a step
    measured = -world.bodies["omega"][1:, 1] / (0.5 * h)
    wanted = PlanarChain(lengths, 0.5 * np.array(lengths), masses, inertias).accelerations(np.array(angles), np.zeros(4))
    assert measured == pytest.approx(wanted, rel=1e-5)


def test_a_double_pendulum_of_points_goes_as_lagrange_says():
    """At one step for all: a smaller step has a quarter of the error."""
    for inertia in (1e-5, 1e-9):
        chain = PlanarChain([1.0, 1.0], [0.5, 0.5], [1.0, 1.0], [inertia, inertia])
        wanted, missed = chain.swing(np.full(2, 0.5 * math.pi), np.zeros(2), [0.5])[0], []
        for h in (2e-3, 1e-3):
            world = hung([1.0, 1.0], [1.0, 1.0], [inertia, inertia], [0.5 * math.pi, 0.5 * math.pi])
            set_option(world.solver.options, "substeps", 1)
            for _ in range(round(0.5 / h)):
                step(world, h)
            first = world.bodies["pos"][1] / 0.5
            second = (world.bodies["pos"][2] - first) / 0.5
            angles = [math.atan2(p[0], -p[2]) for p in (first, second)]
            missed.append(np.abs(angles - wanted).max())
        assert missed[1] < 2e-5 and 3.5 < missed[0] / missed[1] < 5.0


def test_eigenvectors_of_small_matrices():
    rng = np.random.default_rng(3)
    for n in range(1, 7):
        for rank in range(n + 1):
            half = rng.normal(size=(n, rank))
            matrix, vectors = np.zeros((6, 6)), np.zeros((6, 6))
            matrix[:n, :n] = half @ half.T
            given = matrix.copy()
            dense.eigen(matrix, vectors, n)
            values, v = np.diag(matrix)[:n], vectors[:n, :n]
            assert v.T @ v == pytest.approx(np.eye(n), abs=1e-13)
            assert v * values @ v.T == pytest.approx(given[:n, :n], abs=1e-13)
            assert np.sort(values) == pytest.approx(np.linalg.eigvalsh(given[:n, :n]), abs=1e-13)


def test_a_ring_that_floats_is_a_closed_loop():
    world, last = World(), None
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    bodies = [world.add_body(None, pos=(x, 0.0, z), mass=1.0, inertia=(0.1, 0.1, 0.1)) for x, z in corners]
    for k in range(4):
        last = world.add_joint("revolute", bodies[k - 1], bodies[k], anchor=(*corners[k][:1], 0.0, corners[k][1]),
                               axis=(0.0, 1.0, 0.0))
        assert world.lists.linkage.factors.loops.all() == (k == 3), last
