"""A ball rolls off a fixed one: it leaves at cos = 10/17 of that of its start, and spins on as fast as it rolled then. What has
just come free is not pushed away: its normal turns, whatever the ball's own spin."""

import math

import pytest

from physics import Sphere, World, step
from tests.tools.each_value import each_value

BELOW, RADIUS, START, GRAVITY = 1.0, 0.2, 0.2, 9.81


@each_value()
@pytest.mark.parametrize(("rate", "error"), [(60, 0.025), (120, 0.008), (240, 0.005), (1000, 0.002)])
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"])
def test_a_ball_that_rolled_off_keeps_the_spin_it_left_with(solver, rate, error):
    world, reach = World(), BELOW + RADIUS
    world.use_solver(solver)
    world.add_body(Sphere(BELOW), kind="static", friction=50.0)
    ball = world.add_body(Sphere(RADIUS), pos=(reach * math.sin(START), 0, reach * math.cos(START)), mass=1.0, friction=50.0)
    while world.time < 1.15:
        step(world, 1 / rate)
    speed = math.sqrt(GRAVITY * reach * 10.0 / 17.0 * math.cos(START))
    assert ball.omega[1] == pytest.approx(speed / RADIUS, rel=error)
    assert abs(ball.omega[0]) + abs(ball.omega[2]) < 1e-9
