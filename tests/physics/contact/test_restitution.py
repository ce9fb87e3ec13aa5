"""Restitution: exact rebound heights, no energy gain in stacks, rest stays rest.

What simultaneous Newton impacts cannot do is stated as well: the row of touching balls at the end.
"""

import math

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, set_option, step
from tests.tools.each_value import each_value

G = 9.81


def new_world(substeps: int = 1, gravity: float = G) -> World:
    world = World(gravity=(0.0, 0.0, -gravity))
    for name, value in (("budget", 0.0), ("substeps", substeps), ("iterations", 1000)):
        set_option(world.solver.options, name, value)
    return world


def energy(world: World, report, dt: float) -> float:
    """Exact in a fall [J]."""
    return sum(report.energy.values()) + 0.5 * float(world.bodies["mass"] @ (G * world.bodies["velocity_lag"]) ** 2)


@each_value()
@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 100, 1 / 240, 1 / 480])
@pytest.mark.parametrize("e", [0.1, 0.25, 0.5, 0.8, 1.0])
def test_rebounds_reach_e2_h(e, dt, substeps):
    for height in (0.5, 0.7, 1.0, 1.3, 2.0):
        world = new_world(substeps)
        world.add_body(Plane(), kind="static")
        ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 + height), restitution=e)
        while True:
            step(world, dt)
            v = world.bodies["vel"][ball, 2] - G * world.bodies["velocity_lag"][ball]
            if v > 0.0:
                break
            assert world.time < 2.0 * math.sqrt(2.0 * height / G), "no rebound"
        apex = world.bodies["pos"][ball, 2] - 0.1 + v * v / (2.0 * G)
        assert apex == pytest.approx(e * e * height, rel=1e-9), f"from {height} m"


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize("substeps", [1, 4])
def test_a_stack_of_perfect_boxes_does_not_gain_energy(dt, substeps):
    """Five boxes with e = 1 dropped on one another, gaps between."""
    world = new_world(substeps)
    world.add_body(Plane(), kind="static")
    for i in range(5):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.3 + 0.25 * i), restitution=1.0)
    start = G * float(world.bodies["mass"] @ world.bodies["pos"][:, 2])
    worst = -math.inf
    while world.time < 2.5:
        worst = max(worst, energy(world, step(world, dt), dt))
    assert worst <= start * (1.0 + 1e-6)


def test_a_perfect_stack_at_rest_stays_at_rest():
    world = new_world()
    world.add_body(Plane(), kind="static", restitution=1.0)
    for i in range(5):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1 + 0.2 * i), restitution=1.0)
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert np.abs(world.bodies["vel"]).max() < 1e-9
    assert world.bodies["pos"][2:, 2] == pytest.approx(0.1 + 0.2 * np.arange(5), abs=1e-6)


@pytest.mark.parametrize("substeps", [1, 4])
def test_resting_contact_makes_no_noise(substeps):
    """Dropped with e = 0.5, the stack comes to rest altogether."""
    world = new_world(substeps)
    world.add_body(Plane(), kind="static")
    for i in range(3):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.2 + 0.25 * i), restitution=0.5)
    while world.time < 5.0:
        step(world, 1.0 / 240.0)
    for _ in range(60):
        step(world, 1.0 / 240.0)
        assert np.abs(world.bodies["vel"]).max() < 1e-9 and np.abs(world.bodies["omega"]).max() < 1e-9


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0])
def test_a_light_ball_dropped_above_a_heavy_one(ratio):
    """The heavy one turns first; then the light one is hit at -v and leaves with v (3 - ratio) / (1 + ratio)."""
    world = new_world(gravity=0.0)
    world.add_body(Plane(), kind="static", restitution=1.0)
    world.add_body(Sphere(0.2), pos=(0.0, 0.0, 0.5), vel=(0.0, 0.0, -3.0), mass=1.0, restitution=1.0)
    light = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.85), vel=(0.0, 0.0, -3.0), mass=ratio, restitution=1.0)
    for _ in range(120):
        step(world, 1.0 / 240.0)
    assert world.bodies["vel"][light, 2] == pytest.approx(3.0 * (3.0 - ratio) / (1.0 + ratio), rel=1e-9)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize("gap", [1e-6, 1e-3])
def test_stacked_balls_dropped_together_do_not_gain_energy(dt, gap):
    world = new_world()
    world.add_body(Plane(), kind="static", restitution=1.0)
    world.add_body(Sphere(0.2), pos=(0.0, 0.0, 1.2), restitution=1.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.5 + gap), restitution=1.0)
    start = G * float(world.bodies["mass"] @ world.bodies["pos"][:, 2])
    while world.time < 3.0:
        assert energy(world, step(world, dt), dt) <= start * (1.0 + 1e-6)


def row_of_balls(gap: float, dt: float) -> np.ndarray:
    """Speeds of five equal balls with e = 1 after the first came in with 1 m/s."""
    world = new_world(gravity=0.0)
    balls = [world.add_body(Sphere(0.1), pos=((0.2 + gap) * i, 0.0, 0.0), mass=1.0, restitution=1.0) for i in range(5)]
    world.bodies["pos"][balls[0], 0] -= 0.1
    world.set_velocity(balls[0], (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(round(0.8 / dt)):
        step(world, dt)
    return world.bodies["vel"][balls, 0]


@pytest.mark.parametrize("dt", [1 / 240, 1 / 1000])
def test_newtons_cradle_with_gaps_wider_than_a_step(dt):
    """One in, one out, where the impacts happen one after the other."""
    assert row_of_balls(1.1 * dt, dt) == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0], abs=1e-9)


def test_touching_balls_are_hit_as_one_body():
    """The limit of simultaneous impacts: only the first contact approaches, so four balls leave together, with the momentum and
    the energy of the blow; a real cradle sends one."""
    v = row_of_balls(0.0, 1.0 / 240.0)
    assert v == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)
    assert v.sum() == pytest.approx(1.0, abs=1e-12) and v @ v == pytest.approx(1.0, abs=1e-9)
