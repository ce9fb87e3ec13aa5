"""Frictionless mechanisms keep their energy and follow classical mechanics, for any link."""

import math

import numpy as np
import pytest

from physics import Box, Motor, Sphere, World, set_option, step
from physics.core import dense
from tests.tools.each_value import each_value
from tests.tools.planar_chain import PlanarChain


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
def test_links_with_negligible_inertia_start_correctly(inertia, mass):
    """Inverses of pivots lost the mass of such links: 1 kg with 1e-8 kg m^2 left within steps."""
    lengths, masses, angles = [0.7, 1.1, 0.4, 0.9], [mass, 2.0 * mass, mass, 0.3 * mass], [1.2, -0.4, 2.0, 0.3]
    inertias = [inertia * m for m in masses]
    world = hung(lengths, masses, inertias, angles)
    set_option(world.solver.options, "substeps", 1)
    h = 1e-4
    step(world, h)
    # a fresh velocity lasts half a step
    measured = -world.bodies["omega"][1:, 1] / (0.5 * h)
    wanted = PlanarChain(lengths, 0.5 * np.array(lengths), masses, inertias).accelerations(np.array(angles), np.zeros(4))
    assert measured == pytest.approx(wanted, rel=1e-5)


def test_a_double_pendulum_of_points_follows_lagranges_equations():
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
        assert missed[1] < 5e-5 and missed[0] / missed[1] > 3.9


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
        assert world.layout.joint_system.factors.loops.all() == (k == 3), last


@each_value()
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle"])
@pytest.mark.parametrize("hertz, mass, h", [(1.6, 1.0, 1 / 240), (5.0, 0.03, 1 / 240), (0.7, 20.0, 1 / 60)])
def test_a_spring_without_a_damper_swings_on(solver, hertz, mass, h):
    """Implicit Euler damps by h omega / 2 of the critical damping: 1.6 Hz were all but still after 10 s."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver)
    body = world.add_body(Sphere(0.1), pos=(1.25, 0.0, 0.0), mass=mass, mask=0)
    world.add_joint("spring", 0, body, anchor=(0.0, 0.0, 0.0), anchor_b=(1.25, 0.0, 0.0), length=1.0, damping=0.0,
                    stiffness=mass * (2.0 * math.pi * hertz) ** 2)
    stretch = []
    for _ in range(round(10.0 / h)):
        step(world, h)
        stretch.append(world.bodies["pos"][body, 0] - 1.0)
    assert np.abs(stretch[-round(2.0 / hertz / h):]).max() == pytest.approx(0.25, rel=1e-3 + 0.5 * (2.0 * hertz * h) ** 2)


@pytest.mark.parametrize("h", [1 / 60, 1 / 500])
@pytest.mark.parametrize("ratio", [0.05, 0.7])
def test_a_damped_spring_decays_by_its_closed_form(h, ratio):
    """Of second order in the step, its damper, too; the first kick of a body at rest lasts half a step."""
    omega, mass = 8.0, 2.5
    world = World(gravity=(0.0, 0.0, 0.0))
    set_option(world.solver.options, "substeps", 1)
    body = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.3), mass=mass, mask=0)
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                    motor=Motor("spring", -0.3, stiffness=mass * omega**2, damping=2.0 * ratio * mass * omega))
    free, worst = omega * math.sqrt(1.0 - ratio**2), 0.0
    for n in range(1, round(1.5 / h) + 1):
        step(world, h)
        t = n * h
        wanted = 0.3 * math.exp(-ratio * omega * t) * (math.cos(free * t) + ratio * omega / free * math.sin(free * t))
        worst = max(worst, abs(world.bodies["pos"][body, 2] - wanted))
    assert worst < 0.3 * 0.6 * (omega * h) ** 2


@pytest.mark.parametrize("stiffness", [1e4, 1e6])
@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_unresolved_springs_stay_stable(stiffness, damping):
    """Two bars on springs of hundreds of radians a step swing; the trapezoidal rule alone threw them away."""
    world = World()
    near = world.add_body(Box((0.3, 0.05, 0.05)), pos=(1.3, 0.0, 0.0), mass=1.0, vel=(0.0, 2.0, 0.0), mask=0)
    far = world.add_body(Box((0.3, 0.05, 0.05)), pos=(2.3, 0.0, 0.0), mass=0.1, mask=0)
    for a, b, start, end in ((0, near, 0.0, 1.0), (near, far, 1.6, 2.0)):
        world.add_joint("spring", a, b, anchor=(start, 0.0, 0.0), anchor_b=(end, 0.0, 0.0), length=end - start,
                        stiffness=stiffness, damping=damping)
    fall = 9.81 * (1.0 * 1.3 + 0.1 * 2.3)
    for _ in range(1200):
        assert sum(step(world, 1 / 240).energy.values()) < 2.0 + 0.1 * fall
