"""Impacts against closed forms: rebound heights, momentum, Newton's law, no energy gain."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Plane, Sphere, World, set_option, step
from tests.tools.each_value import each_value

G = 9.81
SHAPES = {
    "sphere": (Sphere(0.1), 0.1),
    "box": (Box((0.15, 0.12, 0.1)), 0.1),
    "capsule": (Capsule(0.08, 0.1), 0.18),      # upright
}


def new_world(gravity=(0.0, 0.0, -G)) -> World:
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    set_option(world.solver.options, "substeps", 1)
    return world


def drop(shape: str, floor: str, e: float, height: float, dt: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Height of the lowest point above the floor [m] and vertical velocity at the sample times [m/s]."""
    world = new_world()
    if floor == "plane":
        world.add_body(Plane(), kind="static")
    else:
        world.add_body(Box((1.0, 1.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5))
    body, low = SHAPES[shape]
    i = world.add_body(body, pos=(0.0, 0.0, low + height), restitution=e)
    z, v = [height], [0.0]
    for _ in range(round(seconds / dt)):
        step(world, dt)
        z.append(world.bodies["pos"][i, 2] - low)
        # semi-implicit Euler keeps the velocity of the middle of the step
        v.append(world.bodies["vel"][i, 2] - 0.5 * G * dt)
    return np.array(z), np.array(v)


def first_apex(z: np.ndarray, v: np.ndarray) -> float:
    """Highest point of the parabola after the first impact [m]; 0 if there is no rebound."""
    up = np.flatnonzero(v > 0.0)
    if len(up) == 0:
        return 0.0
    # well clear of the impact: two samples later, still on the same parabola
    n = min(up[0] + 1, len(v) - 1)
    return float(z[n] + v[n] * abs(v[n]) / (2.0 * G))


@each_value()
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("e", [0.25, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("height", [0.3, 4.0])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 1000])
def test_rebound_height_is_e2_h_and_never_more(shape, e, height, dt):
    z, v = drop(shape, "plane", e, height, dt, (1.0 + 2.2 * e) * math.sqrt(2.0 * height / G) + 0.1)
    # e^2 a dt^2 / 8 is what a parabola between two samples hides; see physics/constraints/rows.py
    assert first_apex(z, v) == pytest.approx(e * e * height, rel=0.01, abs=e * e * G * dt**2 / 8.0)
    assert np.max(z) <= height * (1.0 + 1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_a_ball_rebounds_from_a_box(shape, e):
    z, v = drop(shape, "box", e, 1.0, 1.0 / 240.0, 1.2)
    assert first_apex(z, v) == pytest.approx(e * e, rel=0.01)
    assert np.max(z) <= 1.0 + 1e-12


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 777])
def test_without_restitution_there_is_no_rebound(shape, dt):
    z, _ = drop(shape, "plane", 0.0, 1.0, dt, 1.5)
    landed = np.flatnonzero(z < 1e-3)[0]
    assert np.max(z[landed:]) < 1e-3
    assert np.min(z) > -1e-3
    assert abs(z[-1]) < 1e-3


@each_value()
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("height", [0.37, 1.0, 2.91])
def test_a_perfect_ball_never_rises_above_its_drop_height(dt, height):
    """Ten seconds of bouncing with e = 1: the tops never grow and lose less than 1 % a bounce."""
    z, _ = drop("sphere", "plane", 1.0, height, dt, 10.0)
    assert np.max(z) <= height * (1.0 + 1e-12)
    bounces = 10.0 / (2.0 * math.sqrt(2.0 * height / G))
    assert np.max(z[-round(3.0 * math.sqrt(2.0 * height / G) / dt):]) > height * 0.99**bounces


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("ratio", [0.1, 1.0, 7.0])
def test_two_balls_keep_momentum_and_obey_newtons_law(e, ratio):
    world = new_world(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Sphere(0.1), pos=(-0.5, 0.0, 0.0), vel=(2.0, 0.0, 0.0), mass=1.0, restitution=e)
    b = world.add_body(Sphere(0.1), pos=(0.5, 0.0, 0.0), vel=(-1.0, 0.0, 0.0), mass=ratio, restitution=e)
    before = 2.0 - ratio
    for _ in range(240):
        step(world, 1.0 / 240.0)
    va, vb = world.bodies["vel"][a, 0], world.bodies["vel"][b, 0]
    assert va + ratio * vb == pytest.approx(before, abs=1e-9)
    assert vb - va == pytest.approx(3.0 * e, abs=1e-6)
    assert np.abs(world.bodies["vel"][[a, b], 1:]).max() < 1e-12


def test_an_oblique_impact_with_friction_turns_the_ball():
    """Frictional impact, F11 eq 11.72 with e = 0: sticking at once leaves v = 5/7 of the tangential speed, rolling."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static", friction=2.0)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.2), vel=(1.0, 0.0, -2.0), friction=2.0)
    for _ in range(60):
        step(world, 1.0 / 240.0)
    assert world.bodies["vel"][ball] == pytest.approx([5.0 / 7.0, 0.0, 0.0], abs=1e-9)
    assert world.bodies["omega"][ball, 1] == pytest.approx(5.0 / 7.0 / 0.1, rel=1e-9)


def test_an_oblique_impact_within_the_cone_slides_by_mu():
    """mu small: the tangential impulse is mu times the normal one."""
    mu = 0.1
    world = new_world(gravity=(0.0, 0.0, 0.0))
    set_option(world.solver.options, "cone", "circle")
    world.add_body(Plane(), kind="static", friction=mu)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.2), vel=(3.0, 0.0, -2.0), friction=mu, restitution=0.5)
    for _ in range(60):
        step(world, 1.0 / 240.0)
    assert world.bodies["vel"][ball] == pytest.approx([3.0 - mu * 3.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_tumbling_bodies_never_gain_energy(e, dt):
    """Boxes and capsules thrown onto the ground: the energy never rises above the start, restitution 1 included.

    Velocities are a little older than poses (`since`): the energy at the end of a step needs them that much later.
    """
    world = new_world()
    world.add_body(Plane(), kind="static", friction=0.4)
    rng = np.random.default_rng(7)
    for i in range(6):
        quat = rng.normal(size=4)
        world.add_body((Box((0.2, 0.15, 0.1)), Capsule(0.1, 0.2))[i % 2], pos=(2.0 * i, 0.0, 0.8),
                       quat=quat / np.linalg.norm(quat), vel=(1.0, 0.5, 0.0), omega=3.0 * rng.normal(size=3),
                       friction=0.4, restitution=e)
    start, worst = None, -math.inf
    for _ in range(round(3.0 / dt)):
        report = step(world, dt)
        late = G * world.bodies["velocity_lag"]
        energy = sum(report.energy.values()) + 0.5 * world.bodies["mass"] @ late**2       # exact in a fall
        start = energy if start is None else start
        worst = max(worst, energy - start)
    assert worst <= 1e-3 * start, f"gained {worst / start:.2%}"


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"])
@pytest.mark.parametrize("stiffness", [100.0, 1000.0])
def test_a_spring_passes_no_impact_on(solver, stiffness):
    """The lower of two balls on a spring strikes the floor. A spring that held its length in an impact threw the upper one up
    at 3.5 m/s; its own force changes velocities by 0.1 m/s in the rest of the step."""
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=1.0)
    low = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.3), vel=(0.0, 0.0, -5.0), mass=30.0, restitution=1.0, friction=1.0)
    high = world.add_body(Sphere(0.1), pos=(0.3, 0.0, 1.3), vel=(0.0, 0.0, -5.0), mass=60.0, friction=1.0)
    world.add_joint("spring", low, high, anchor=(0.0, 0.0, 0.3), anchor_b=(0.3, 0.0, 1.3), length=1.0, stiffness=stiffness)
    for _ in range(20):
        report = step(world, 1.0 / 240.0)
        assert not report.audit.findings
        assert world.bodies["vel"][high, 2] == pytest.approx(-5.0 - G * world.time, abs=0.15)
    assert world.bodies["vel"][low, 2] > 4.0


@pytest.mark.parametrize(("solver", "dt", "mass", "offset", "tilt"), [
    *(("soft_steps", *case) for case in ((1 / 60, 100.0, 0.2, 0.2), (1 / 240, 10.0, 0.2, 0.2), (1 / 240, 1000.0, 0.2, 0.0),
                                         (1 / 60, 100.0, 0.4, 0.05))),
    *(("sequential_impulses", *case) for case in ((1 / 240, 1000.0, 0.4, 0.05), (1 / 240, 1000.0, 0.2, 0.2)))])
def test_a_heavy_block_does_not_rebound_from_a_light_box(solver, dt, mass, offset, tilt):
    """No step raises the energy by a tenth of that of the fall, where sweeps that had not converged raised it by 0.1 to 2.6."""
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=1.0)
    world.add_body(Box((0.16, 0.16, 0.07)), pos=(0.0, 0.0, 0.07), mass=1.0, friction=1.0)
    lowest = 0.3 * math.cos(tilt) + 0.5 * math.sin(tilt)
    world.add_body(Box((0.5, 0.5, 0.3)), pos=(offset, 0.0, 0.15 + lowest), vel=(0.0, 0.0, -0.5), mass=mass, friction=1.0,
                   quat=(math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0))
    energies = [sum(step(world, dt).energy.values()) for _ in range(round(0.3 / dt))]
    assert np.diff(energies).max() < 0.1 * 0.5 * mass * 0.5**2
