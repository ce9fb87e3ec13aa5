"""A tall box that lands flat and slides is tripped by friction: it turns about its leading edge, which sticks. Angular momentum
about the edge is kept: I_edge omega = m (h v_x - a v_down), and v = omega x r."""

import numpy as np
import pytest

from physics import Box, Plane, World, step

WIDE, TALL, AHEAD, DOWN = 0.1, 0.5, 6.0, 2.0


@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize("ground", ["plane", "box"])
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"])
def test_a_tall_box_is_tripped_and_does_not_spin(solver, ground, rate):
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver)
    if ground == "plane":
        world.add_body(Plane(), kind="static", friction=0.8)
    else:
        world.add_body(Box((5.0, 5.0, 0.5)), pos=(0.0, 0.0, -0.5), kind="static", friction=0.8)
    box = world.add_body(Box((WIDE, WIDE, TALL)), pos=(0.0, 0.0, TALL + 0.3), vel=(AHEAD, 0.0, -DOWN), mass=1.0, friction=0.8)
    while box.vel[2] < -0.9 * DOWN:
        step(world, 1 / rate)
    turn = (TALL * AHEAD - WIDE * DOWN) / ((WIDE**2 + TALL**2) / 3.0 + WIDE**2 + TALL**2)
    assert box.omega == pytest.approx([0.0, turn, 0.0], abs=2e-3)
    assert np.linalg.norm(box.vel) == pytest.approx(turn * np.hypot(WIDE, TALL), rel=1e-3) and abs(box.vel[1]) < 1e-3
