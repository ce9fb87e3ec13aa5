"""Energy ledgers of the solvers in joint coordinates: they close, friction takes, impacts lose what the textbook says."""

import math

import pytest

import scenes
from physics import Box, Friction, Plane, Sphere, World, step
from physics.dynamics import measure
from physics.dynamics.energy_ledger import LEDGER_COLUMNS

DT, G = 1.0 / 240.0, 9.81
JOINTS, EVENTS = "joint_space", "event_driven"
CASES = ((JOINTS, "chain", 0.01), (JOINTS, "incline", 1e-9), (JOINTS, "star_burst", 1e-9), (EVENTS, "double_pendulum_wall", 1e-6),
         (EVENTS, "cradle", 1e-6), (EVENTS, "two_ball_drop", 1e-9))
"""Solver, scene, and the share of the largest kinetic energy that may be numerical."""


def use(world: World, solver: str) -> World:
    world.use_solver(solver)
    world.records_energy = True
    return world


def kinetic(world: World) -> float:
    return measure.energy(world.bodies, world.gravity)[0]


@pytest.mark.parametrize("solver, name, share", CASES)
def test_the_columns_add_up_and_little_of_them_is_numerical(solver, name, share):
    world = use(scenes.make_world(scenes.find(name)), solver)
    begin, most = kinetic(world), 1e-9
    for _ in range(120):
        before = kinetic(world)
        ledger = step(world, DT).ledger
        most = max(most, kinetic(world))
        assert tuple(ledger) == LEDGER_COLUMNS and ledger["friction"] <= 1e-12 * most
        assert sum(ledger.values()) == pytest.approx(kinetic(world) - before, abs=1e-9 * most)
        assert abs(world.energy_totals.ledger["numerical"]) < share * most
    assert sum(world.energy_totals.ledger.values()) == pytest.approx(kinetic(world) - begin, abs=1e-9 * most)


@pytest.mark.parametrize("solver", (JOINTS, EVENTS))
@pytest.mark.parametrize("e", (0.0, 0.5))
def test_an_impact_loses_what_restitution_does_not_return(solver, e):
    """(1 - e^2) m v^2 / 2 of a ball on a fixed floor, without gravity."""
    world = use(World(gravity=(0.0, 0.0, 0.0)), solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.2), vel=(0.3, 0.0, -3.0), mass=2.0, friction=0.0, restitution=e)
    for _ in range(20):
        step(world, DT)
    ledger = world.energy_totals.ledger
    assert ledger["impact"] == pytest.approx(-(1.0 - e * e) * 9.0, rel=1e-9)
    assert ledger["numerical"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", (JOINTS, EVENTS))
def test_a_lift_is_the_work_of_its_mover(solver):
    """A box on a plate that rises at a constant speed: m g v t, from the mover."""
    world = use(World(), solver)
    world.add_body(Box((0.5, 0.5, 0.05)), kind="kinematic", pos=(0.0, 0.0, 0.0), vel=(0.0, 0.0, 0.2), friction=0.0)
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.15), vel=(0.0, 0.0, 0.2), mass=3.0, friction=0.0)
    for _ in range(120):
        step(world, DT)
    ledger = world.energy_totals.ledger
    assert ledger["movers"] == pytest.approx(3.0 * G * 0.2 * 0.5, rel=0.01)
    assert ledger["gravity"] == pytest.approx(-ledger["movers"], rel=0.01)


def test_viscous_joint_friction_takes_all_of_a_wheel():
    """omega = omega0 exp(-c t / I): what is lost is joint friction, by the integral of c omega^2."""
    world = use(World(gravity=(0.0, 0.0, 0.0)), EVENTS)
    wheel = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 1.0), omega=(0.0, 0.0, 4.0), mass=2.0)
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 1.0), axis=(0.0, 0.0, 1.0),
                    friction=Friction(viscous=0.05))
    inertia, begin = world.bodies["inertia"][wheel, 2, 2], kinetic(world)
    for _ in range(60):
        step(world, DT)
    lost = begin * (1.0 - math.exp(-2.0 * 0.05 * 60 * DT / inertia))
    assert world.energy_totals.ledger["joint friction"] == pytest.approx(-lost, rel=1e-8)
