"""Balls that meet off-centre, without restitution: the line of centres at the moment of impact decides, not that of the step's
start. Closed forms of a smooth impact: the impulse acts along the normal alone."""

import math

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, step
from tests.tools.each_value import each_value

SOLVERS = ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"]
MASS, SPEED = 0.17, 4.0


def struck(solver, rate, radius, sine, start, others=0, gravity=9.81):
    """Velocity of a ball at rest after another one struck it, with the sine of the angle between its way and the line of
    centres. others: balls far away."""
    world = World(gravity=(0.0, 0.0, -gravity))
    world.use_solver(solver)
    if gravity:
        world.add_body(Plane(), kind="static", friction=0.0)
    cue = world.add_body(Sphere(radius), pos=(-2 * radius - start, 2 * radius * sine, radius), vel=(SPEED, 0, 0), mass=MASS,
                         friction=0.0)
    ball = world.add_body(Sphere(radius), pos=(0, 0, radius), mass=MASS, friction=0.0)
    for k in range(others):
        world.add_body(Sphere(radius), pos=(0, 5 + 0.5 * k, radius), mass=MASS)
    while cue.pos[0] < 4 * radius and world.time < 1.2 * (start + 8 * radius) / SPEED:
        step(world, 1 / rate)
    return ball.vel


@each_value()
@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize("sine", [0.3, 0.6, 0.9])
@pytest.mark.parametrize(("radius", "start"), [(0.028, 0.5), (0.005, 0.513)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_ball_leaves_along_the_line_of_centres(solver, radius, start, sine, rate):
    cosine = math.sqrt(1.0 - sine * sine)
    expected = 0.5 * SPEED * cosine * np.array([cosine, -sine, 0.0])
    for gravity in (0.0, 9.81):
        assert struck(solver, rate, radius, sine, start, 0, gravity) == pytest.approx(expected, abs=4e-3)


@pytest.mark.parametrize(("radius", "rate", "sine"), [(0.005, 60, 0.6), (0.005, 240, 0.9), (0.028, 60, 0.9)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_in_a_crowd_none_passes_through_another(solver, radius, rate, sine):
    cosine = math.sqrt(1.0 - sine * sine)
    ball = struck(solver, rate, radius, sine, 0.5, 100, 0.0)
    assert np.linalg.norm(ball) == pytest.approx(0.5 * SPEED * cosine, rel=1e-2)


@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize("shape", [Sphere(0.01), Box((0.2, 0.2, 0.05))], ids=["ball", "edge"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_ball_slides_off_what_it_strikes(solver, shape, rate):
    """Without friction and restitution it keeps what is along the surface there, v sin."""
    radius, sine, speed = 0.01, 0.5, 3.0
    reach = radius + (0.01 if isinstance(shape, Sphere) else 0.0)
    edge = np.zeros(3) if isinstance(shape, Sphere) else np.array([0.2, 0.0, 0.05])
    for start in (0.3, 0.311, 0.324):
        world = World(gravity=(0.0, 0.0, 0.0))
        world.use_solver(solver)
        world.add_body(shape, pos=-edge, kind="static", friction=0.0)
        ball = world.add_body(Sphere(radius), pos=(reach * sine, 0.0, start), vel=(0.0, 0.0, -speed), mass=0.1, friction=0.0)
        while world.time < (start + 0.05) / speed:
            step(world, 1 / rate)
        assert np.linalg.norm(ball.vel) == pytest.approx(speed * sine, rel=3e-3)


@pytest.mark.parametrize("rate", [60, 120, 240])
@pytest.mark.parametrize("solver", ["sequential_impulses", "stewart_trinkle", "joint_space"])
def test_three_balls_share_the_blow_of_a_fourth(solver, rate):
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.8, restitution=0.6)
    radius, around = 0.1, 0.2 / math.sqrt(3.0)
    places = [(around * math.cos(a), around * math.sin(a), radius) for a in np.radians([90.0, 210.0, 330.0])]
    below = [world.add_body(Sphere(radius), pos=p, mass=1.0, friction=0.8, restitution=0.6) for p in places]
    rest = radius + math.sqrt(4.0 * radius**2 - around**2)
    top = world.add_body(Sphere(radius), pos=(0, 0, rest + 0.3), mass=2.0, friction=0.8, restitution=0.6)
    while top.vel[2] <= 0.0:
        step(world, 1 / rate)
    assert np.abs(top.vel[:2]).max() < 1e-6
    out = [np.dot(ball.vel[:2], ball.pos[:2]) / np.linalg.norm(ball.pos[:2]) for ball in below]
    assert out == pytest.approx([out[0]] * 3, rel=1e-6)
