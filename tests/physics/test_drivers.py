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


EDITS = {
    "cruise": lambda ball, dt: setattr(ball, "vel", (2.0, *ball.vel[1:])),
    "nothing new": lambda ball, dt: setattr(ball, "vel", ball.vel),
    "spin": lambda ball, dt: setattr(ball, "omega", (0.0, 0.0, 5.0)),
    "drag": lambda ball, dt: setattr(ball, "vel", (1.0 - 0.5 * dt) * ball.vel),
}
"""What a driver may do to velocities for a time of dt [s]."""


@each_value()
@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("as_driver", [True, False])
@pytest.mark.parametrize("solver", [name for name in solvers.available() if name != "subsystems"])
def test_gravity_acts_in_full_on_a_body_whose_velocity_is_set_in_every_step(solver, as_driver, edit, rate):
    """It did for half of each step."""
    world, dt = World(), 1.0 / rate
    world.use_solver(solver)
    ball = world.add_body(Sphere(0.1), mass=1.0, vel=(2.0, 0.0, 0.0))
    if as_driver:
        world.drivers.append(lambda world: EDITS[edit](ball, world.driver_dt))
    for _ in range(rate):
        if not as_driver:
            EDITS[edit](ball, dt)
        step(world, dt)
    fall = 9.81 / 0.5 * (1.0 - (1.0 - np.exp(-0.5)) / 0.5) if edit == "drag" else 0.5 * 9.81
    assert -ball.pos[2] == pytest.approx(fall, rel=1.5e-2 if edit == "drag" and rate == 60 else 3e-3)


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space", "event_driven"])
def test_a_velocity_that_is_set_once_belongs_to_the_pose(solver):
    """The path of a ball thrown in the middle of a run is exact, whenever its velocity was set before."""
    world, dt = World(), 1.0 / 60.0
    world.use_solver(solver)
    ball = world.add_body(Sphere(0.1), mass=1.0)
    for _ in range(2):
        for _ in range(3):
            step(world, dt)
        start, ball.vel = ball.pos, (3.0, 0.0, 4.0)
        for _ in range(6):
            step(world, dt)
        assert ball.pos - start == pytest.approx((0.3, 0.0, 0.4 - 0.5 * 9.81 * 0.01), abs=1e-9)


def test_velocities_set_in_every_step_go_on_from_a_snapshot():
    def drawn():
        world = World()
        ball = world.add_body(Sphere(0.1), mass=1.0, vel=(2.0, 0.0, 1.0))
        world.drivers.append(lambda world: setattr(world.body("body 1"), "vel", 0.99 * world.body("body 1").vel))
        return world, ball

    (world, ball), (other, twin) = drawn(), drawn()
    for _ in range(4):
        step(world, 0.01)
    other.restore(world.snapshot())
    for _ in range(4):
        step(world, 0.01)
        step(other, 0.01)
    assert (ball.vel == twin.vel).all() and (ball.pos == twin.pos).all()


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


@pytest.mark.parametrize("solver", ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"))
@pytest.mark.parametrize("every", (1, 2, 3, 7, 20))
def test_a_controller_that_nudges_a_velocity_takes_nothing_from_gravity(solver, every):
    """A velocity that is set belongs to the pose; those of a controller are made of what it reads, which lags."""
    world = World()
    world.use_solver(solver)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 100.0), mass=1.0)
    for k in range(240):
        if k % every == 0:
            ball.vel = np.add(ball.vel, (1e-6, 0.0, 0.0))
        step(world, 1.0 / 240.0)
    assert 100.0 - ball.pos[2] == pytest.approx(0.5 * 9.81, rel=1e-3)


def test_a_body_that_is_put_back_is_thrown_anew():
    """Its pose is set as well: half a step of gravity acts first."""
    world = World()
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 100.0), mass=1.0)
    for _ in range(3):
        world.set_pose(ball, (0.0, 0.0, 100.0), (1.0, 0.0, 0.0, 0.0))
        world.set_velocity(ball, (0.0, 0.0, 5.0), (0.0, 0.0, 0.0))
        for _ in range(24):
            step(world, 1.0 / 240.0)
        assert ball.pos[2] == pytest.approx(100.0 + 0.5 - 0.5 * 9.81 * 0.01, abs=1e-9)
