"""Drivers act at the middle of the time for which they are asked, under every solver (physics/stepping/drivers.py)."""

import numpy as np
import pytest

from physics import BadInput, Sphere, World, set_option, solvers, step
from tests.tools.each_value import each_value

STIFF = 100.0


def sprung(solver: str, **options: float) -> World:
    """A ball on a spring that a driver makes: omega = 10 rad/s, amplitude 0.2 m."""
    world = World()
    world.set_gravity((0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.1), pos=(0.2, 0.0, 0.0), mass=1.0)
    world.use_solver(solver)
    for name, value in {"budget": 0.0, **options}.items():
        if hasattr(world.solver.options, name):
            set_option(world.solver.options, name, value)
    world.drivers.append(lambda world: world.apply_force(ball, -STIFF * world.bodies["pos"][ball]))
    return world


@each_value()
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize(("solver", "options"), [(name, {}) for name in solvers.available()] + [
    ("sequential_impulses", {"substeps": 8}), ("soft_steps", {"substeps": 3})])
def test_a_spring_made_by_a_driver_keeps_its_amplitude(solver, options, rate):
    world = sprung(solver, **options)
    seen = []
    for _ in range(2 * rate):       # held for 4 ms too long, the force would make it grow to 1.2 times
        step(world, 1.0 / rate)
        seen.append(world.bodies["pos"][1, 0])
    assert max(np.abs(seen[-rate:])) == pytest.approx(0.2, rel=8e-3 if rate == 60 else 1e-3)


@pytest.mark.parametrize("solver", ["sequential_impulses", "subsystems"])
@pytest.mark.parametrize(("dt", "asked"), [(1.0 / 240.0, 1), (1.0 / 60.0, 4)])
def test_drivers_are_told_for_how_long_they_act(solver, dt, asked):
    world, told = sprung(solver), []
    world.drivers.append(lambda world: told.append((world.time, world.driver_dt)))
    step(world, dt)
    assert len(told) == asked and sum(span for _, span in told) == pytest.approx(dt)
    assert [time for time, _ in told] == pytest.approx([n * dt / asked for n in range(asked)])


@pytest.mark.parametrize("solver", ["sequential_impulses", "event_driven"])
def test_poses_that_a_driver_sets_stay(solver):
    """event_driven shows its drivers the poses of the middle, and puts back those that they have not set."""
    world = World()
    world.set_gravity((0.0, 0.0, 0.0))
    moved, free = (world.add_body(Sphere(0.1), pos=(x, 0.0, 0.0), vel=(0.0, 3.0, 0.0), friction=0.0) for x in (1.0, 2.0))
    world.use_solver(solver)
    world.drivers.append(lambda world: world.set_pose(moved, (1.0, 5.0, 0.0), (1.0, 0.0, 0.0, 0.0)))
    step(world, 0.004)
    assert world.bodies["pos"][moved, 1] == pytest.approx(5.012, abs=1e-12)
    assert world.bodies["pos"][free, 1] == pytest.approx(0.012, abs=1e-12)


def test_a_driver_that_raises_leaves_the_world_as_it_was():
    world = sprung("subsystems")
    world.set_velocity(1, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    step(world, 0.004)
    before = world.bodies.copy()

    def refuse(world: World) -> None:
        raise BadInput("no")

    world.drivers.append(refuse)
    with pytest.raises(BadInput, match="no"):
        step(world, 0.004)
    assert world.bodies.tobytes() == before.tobytes()
