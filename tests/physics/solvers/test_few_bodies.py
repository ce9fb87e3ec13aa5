"""Steps of the few bodies that move among many at rest (physics/solvers/impulses/few_bodies.py)."""

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, set_option, step
from physics.solvers.impulses.few_bodies import FEW, MANY


def moving(others: int) -> tuple[World, list[int]]:
    """A ball and a box that fall and slide on a crate, a mover, and `others` static boxes far away, before and after them."""
    world = World()
    world.add_body(Plane(), kind="static")
    for k in range(others // 2):
        world.add_body(Box((0.1, 0.1, 0.1)), kind="static", pos=(100.0 + k, 0.0, 0.1))
    crate = world.add_body(Box((1.0, 1.0, 0.2)), kind="static", pos=(0.0, 0.0, 0.2), friction=0.3)
    ball = world.add_body(Sphere(0.1), pos=(0.2, 0.0, 0.8), vel=(0.4, 0.3, 0.0), omega=(1.0, 5.0, 2.0))
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(-0.4, 0.0, 0.51), vel=(1.0, 0.1, 0.0))
    for k in range(others - others // 2):
        world.add_body(Box((0.1, 0.1, 0.1)), kind="static", pos=(-100.0 - k, 0.0, 0.1))
    mover = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic", pos=(0.9, 0.0, 0.5), vel=(-0.5, 0.0, 0.0))
    return world, [crate, ball, box, mover]


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_the_motion_is_that_of_the_whole_table_bit_by_bit(dt):
    """A step that keeps the energy ledger takes all bodies."""
    worlds, pressed = [moving(int(MANY / FEW)) for _ in range(2)], 0
    worlds[1][0].records_energy = True
    for _ in range(round(1.5 / dt)):
        for world, rows in worlds:
            world.apply_force(rows[2], (0.2, 0.0, 0.1))
            step(world, dt)
        (few, rows), (whole, _) = worlds
        assert few.report.iterations == whole.report.iterations and few.report.residual == whole.report.residual
        assert few.bodies.tobytes() == whole.bodies.tobytes() and few.contacts.tobytes() == whole.contacts.tobytes()
        assert {*few.contacts["body_a"], *few.contacts["body_b"]} <= {0, 1, *rows}
        pressed = max(pressed, np.count_nonzero(few.contacts["impulse"]))
    assert pressed >= 5


def test_a_force_on_a_body_at_rest_ends_with_the_step():
    world, _ = moving(int(MANY / FEW))
    world.bodies["force"][5] = (0.0, 0.0, 1.0)
    step(world, 1 / 60)
    assert not world.bodies["force"].any()


def test_sleepers_are_left_out_and_woken():
    world = World()
    world.add_body(Plane(), kind="static")
    for k in range(MANY + 100):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.3 * (k % 30), 0.3 * (k // 30), 0.1))
    set_option(world.sleeping, "enabled", True)
    for _ in range(60):
        step(world, 1 / 60)
    assert world.sleep.count == MANY + 100
    before = world.bodies["pos"].copy()
    world.add_body(Sphere(0.1), pos=(-0.3, 0.0, 0.1), vel=(3.0, 0.0, 0.0), mass=5.0)
    for _ in range(20):
        step(world, 1 / 60)
    went = np.linalg.norm(world.bodies["pos"][1:-1] - before[1:], axis=1)
    assert went[1] > 0.05 and went[100:].max() < 1e-6 and MANY < world.sleep.count < MANY + 100
