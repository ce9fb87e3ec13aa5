"""Static above kinetic friction: a block holds to mu_s N, slips as a whole and slides with mu_k; all solvers.

Limits and cycles are closed forms; sizes, masses, steps and solvers vary.
"""

import math

import numpy as np
import pytest

from physics import Box, Material, Plane, World, set_option, step
from tests.tools.each_value import each_value

G = 9.81
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")
CRATE, TILE, BEAM, TOWER = (0.1, 0.1, 0.05), (0.1, 0.1, 0.02), (0.2, 0.05, 0.07), (0.1, 0.1, 0.12)


def on_ground(solver: str, half, mass: float, static: float, kinetic: float, **options: object) -> tuple[World, int]:
    """A block on level ground, at rest."""
    world = World()
    world.use_solver(solver)
    for name, value in {"budget": 0.0, "cone": "circle", **options}.items():
        if hasattr(world.solver.options, name):
            set_option(world.solver.options, name, value)
    material = Material(friction=static, kinetic_friction=kinetic)
    world.add_body(Plane(), kind="static", material=material)
    return world, world.add_body(Box(half), pos=(0.0, 0.0, half[2]), mass=mass, material=material)


def settle(world: World, dt: float, seconds: float = 0.1) -> None:
    for _ in range(round(seconds / dt)):
        step(world, dt)


def break_away(solver: str, dt: float, half, mass: float, static: float, kinetic: float, rate: float, **options: object) -> float:
    """By what share the force at which a contact first slides is off mu_s N. rate: growth of the force over the mass [m/s^3]."""
    world, block = on_ground(solver, half, mass, static, kinetic, **options)
    settle(world, dt)
    limit = static * mass * G
    force = 0.9 * limit
    while force < 1.2 * limit:
        world.apply_force(block, (force, 0.0, 0.0))
        step(world, dt)
        if world.contacts["friction"].min() < static:
            return force / limit - 1.0
        force += rate * mass * dt
    raise AssertionError("it never let go")


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("dt", "within", "half", "mass", "static", "kinetic"), [
    (1 / 60, 0.01, CRATE, 1.0, 0.6, 0.3), (1 / 60, 0.01, BEAM, 20.0, 0.5, 0.45), (1 / 60, 0.01, TOWER, 0.1, 0.8, 0.2),
    (1 / 240, 1e-3, CRATE, 1.0, 0.6, 0.3), (1 / 240, 1e-3, TILE, 1.0, 0.6, 0.3), (1 / 240, 1e-3, BEAM, 20.0, 0.5, 0.45),
    (1 / 240, 1e-3, TOWER, 0.1, 0.8, 0.2), (1 / 1000, 1e-3, TOWER, 0.1, 0.8, 0.2)])
def test_a_slowly_loaded_block_slips_at_the_limit_of_static_friction(solver, dt, within, half, mass, static, kinetic):
    """The rear corners are at their limit long before; two steps of the ramp, 3e-4 of it, pass before the slip is seen."""
    assert break_away(solver, dt, half, mass, static, kinetic, max(0.25, 1e-3 / dt)) == pytest.approx(0.0, abs=within)


@pytest.mark.parametrize("iterations", [5, 20])
@pytest.mark.parametrize("cone", ["circle", "polygon"])
def test_unconverged_sweeps_release_no_corner(iterations, cone):
    assert break_away("sequential_impulses", 1 / 240, TOWER, 3.0, 0.8, 0.2, 1.0, iterations=iterations,
                      cone=cone) == pytest.approx(0.0, abs=5e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("share", "holds"), [(0.95, True), (1.02, False)])
def test_a_block_that_is_pushed_high_holds_though_its_rear_corners_are_saturated(solver, share, holds):
    """At its upper edge: almost all of the weight is on the front corners."""
    dt = 1 / 240
    world, block = on_ground(solver, CRATE, 2.0, 0.6, 0.3)
    settle(world, dt)
    limit = 0.6 * 2.0 * G
    for k in range(480):
        edge = world.bodies["pos"][block] + (0.0, 0.0, 0.05)
        world.apply_force(block, (limit * share * min(1.0, k / 240), 0.0, 0.0), point=edge)
        step(world, dt)
    moved = world.bodies["pos"][block, 0]
    assert (moved < 1e-4) if holds else (moved > 1.0)
    assert set(world.contacts["friction"]) == ({0.6} if holds else {0.3})


def stick_slip(solver: str, dt: float, mass: float, stiffness: float, speed: float, static: float, kinetic: float):
    """Period [s] and swing of the spring [m] of a block that a spring pulls at constant speed, and their closed forms.

    Measured in the second cycle; the first one begins at rest.

    The spring goes on by D = (mu_s - mu_k) m g / k beyond the force of kinetic friction, and then with the block, w^2 = k / m:
    e - mu_k m g / k = D cos(w t) + (v / w) sin(w t), until e' = v again, at -D, after 2 (pi - atan(D w / v)) / w.
    """
    world, block = on_ground(solver, CRATE, mass, static, kinetic)
    settle(world, dt)
    rest, begin = kinetic * mass * G / stiffness, world.time

    def stretch() -> float:
        return rest + speed * (world.time - begin) - world.bodies["pos"][block, 0]

    world.drivers.append(lambda w: w.apply_force(block, (stiffness * stretch(), 0.0, 0.0)))
    more, w = (static - kinetic) * mass * G / stiffness, math.sqrt(stiffness / mass)
    period = 2.0 * more / speed + 2.0 * (math.pi - math.atan(more * w / speed)) / w
    swing = 2.0 * math.hypot(more, speed / w)
    e, x = [], []
    for _ in range(round(2.6 * period / dt)):
        step(world, dt)
        e.append(stretch())
        x.append(world.bodies["pos"][block, 0])
    goes = np.diff(x) > 0.5 * speed * dt
    begins = np.flatnonzero(goes[1:] & ~goes[:-1])
    late = np.array(e[len(e) // 3:])
    return np.diff(begins)[1:].mean() * dt, late.max() - late.min(), period, swing


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("mass", "stiffness", "speed"), [(5.0, 200.0, 0.05), (0.5, 10.0, 0.08)])
def test_a_block_on_a_spring_sticks_and_slips_as_the_closed_form_says(solver, mass, stiffness, speed):
    period, swing, expected, widest = stick_slip(solver, 1 / 240, mass, stiffness, speed, 0.6, 0.4)
    assert period == pytest.approx(expected, rel=0.02)
    assert swing == pytest.approx(widest, rel=0.02)


@pytest.mark.parametrize("solver", ["sequential_impulses", "stewart_trinkle"])
@pytest.mark.parametrize("hertz", [1.0, 3.0])
def test_nothing_creeps_on_a_shaken_table(solver, hertz):
    """0.8 mu_s g at most, above mu_k g: three seconds, less than a micrometre."""
    dt, mu = 1 / 240, 0.5
    world, block = on_ground(solver, CRATE, 1.0, mu, 0.6 * mu)
    table = world.add_body(Box((1.0, 1.0, 0.1)), kind="kinematic", pos=(3.0, 0.0, 0.1),
                           material=Material(friction=mu, kinetic_friction=0.6 * mu))
    world.set_pose(block, (3.0, 0.0, 0.25), (1.0, 0.0, 0.0, 0.0))
    w, fastest = 2.0 * math.pi * hertz, 0.8 * mu * G / (2.0 * math.pi * hertz)
    settle(world, dt)
    begin, offset = world.time, world.bodies["pos"][block, 0] - world.bodies["pos"][table, 0]

    def shake(world: World) -> None:
        world.set_velocity(table, (fastest * math.sin(w * (world.time - begin + 0.5 * dt)), 0.0, 0.0), (0.0, 0.0, 0.0))

    world.drivers.append(shake)
    settle(world, dt, 3.0)
    assert world.bodies["pos"][block, 0] - world.bodies["pos"][table, 0] == pytest.approx(offset, abs=1e-6)
    assert set(world.contacts["friction"]) == {mu}
