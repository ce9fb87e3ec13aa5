"""What slides over a body that moves, too, without turning, is pushed where it touches: at the ball's lowest point, at the box's
corners, not half way to where they were on the other body. Substeps find no contacts; arms must follow."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Material, Plane, Sphere, World, step

SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rate", (60, 240))
def test_a_smooth_ball_slides_along_a_free_plank_without_spin(solver, rate):
    """Forces without friction have no moment about the centre of a ball."""
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Box((5.0, 1.0, 0.1)), pos=(0.0, 0.0, 0.1), mass=100.0, friction=0.0)
    ball = world.add_body(Sphere(0.01), pos=(-2.0, 0.0, 0.21), vel=(1.0, 0.0, 0.0), mass=1.0, friction=0.0)
    for _ in range(rate // 5):
        step(world, 1.0 / rate)
        assert abs(ball.omega[1]) < (0.05 if solver == "soft_steps" else 1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tall_box_slides_upright_on_a_free_slab(solver):
    """mu = 0.95 of what tips it."""
    half, height = 0.03, 0.15
    world, material = World(), Material(friction=0.95 * half / height, mixing={"friction": "product"})
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -0.2), friction=0.0)
    world.add_body(Box((10.0, 1.0, 0.1)), pos=(0.0, 0.0, -0.1), mass=1000.0, material=material)
    box = world.add_body(Box((half, 0.1, height)), pos=(-3.0, 0.0, height), vel=(4.0, 0.0, 0.0), mass=1.0, friction=1.0)
    for _ in range(30):
        step(world, 1.0 / 60.0)
        assert 2.0 * abs(box.quat[2]) < (1e-3 if solver == "soft_steps" else 1e-5)
    assert box.pos[0] + 3.0 == pytest.approx(4.0 * 0.5 - 0.5 * 0.19 * 9.81 * 0.25, abs=2e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rate", (60, 240))
@pytest.mark.parametrize(("speed", "mu"), ((-2.0, 0.8), (-0.5, 0.8), (-2.0, 0.6), (2.0, 0.5)))
def test_an_arm_drags_on_a_free_plate(solver, rate, speed, mu):
    """Moments about the hinge of an arm at the angle b below it: N L (cos b -+ mu sin b) = m g L' cos b / 2, no jam."""
    length, angle, radius = 0.1, 0.8, 0.005
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -0.2), friction=0.0)
    world.add_body(Box((5.0, 1.0, 0.1)), pos=(0.0, 0.0, -0.1), vel=(speed, 0.0, 0.0), mass=1000.0,
                   material=Material(friction=mu, mixing={"friction": "product"}))
    hinge = np.array([-length * math.cos(angle), 0.0, length * math.sin(angle)])
    tip = np.array([0.0, 0.0, radius])
    lean = 0.5 * math.atan2(tip[0] - hinge[0], tip[2] - hinge[2])
    arm = world.add_body(Capsule(radius, 0.5 * float(np.linalg.norm(tip - hinge))), pos=0.5 * (hinge + tip),
                         quat=(math.cos(lean), 0.0, math.sin(lean), 0.0), mass=1.0, friction=1.0)
    world.add_joint("revolute", "world", arm, anchor=hinge, axis=(0.0, 1.0, 0.0))
    pull = mu * math.copysign(1.0, speed) * math.sin(angle)
    normal = 0.5 * (tip - hinge)[0] * 9.81 / (length * (math.cos(angle) + pull))
    for _ in range(10):
        step(world, 1.0 / rate)
        assert arm.contact_force[2] == pytest.approx(normal, rel=0.1 if solver == "soft_steps" else 2e-3)
