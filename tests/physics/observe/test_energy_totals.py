"""Energy totals of a world: against closed forms, across snapshots, and with solvers without a ledger."""

import math

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, step
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from physics.observe import quantities
from physics.observe.report import EnergyTotals, Report
from physics.solvers.stewart_trinkle import Solved

MU, MASS, G, DT = 0.3, 2.0, 9.81, 1.0 / 120.0


@pytest.fixture
def sliding() -> World:
    """A box that slides along x."""
    world = World()
    world.add_body(Plane(), kind="static", friction=MU)
    world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), vel=(2.0, 0.0, 0.0), mass=MASS, friction=MU, name="box")
    world.use_solver("stewart_trinkle")
    world.solver.options.half_step_gravity = False
    return world


def read(world: World, key: str) -> float:
    return quantities.find(world, key).read(world)


def run(world: World, steps: int) -> list[dict[str, float]]:
    return [step(world, DT).ledger for _ in range(steps)]


def test_friction_work_is_mu_m_g_times_the_distance(sliding):
    run(sliding, 30)
    way = read(sliding, "body:box.x")
    assert way > 0.3
    assert read(sliding, "ledger.friction") == pytest.approx(-MU * MASS * G * way, rel=1e-9)
    assert read(sliding, "ledger.impact") == 0.0


def test_the_columns_add_up_to_the_change_of_the_kinetic_energy(sliding):
    begin = read(sliding, "world.kinetic")
    told = run(sliding, 30)
    account, kinetic = sliding.energy_totals, read(sliding, "world.kinetic")
    assert account.steps == 30 and account.begin == pytest.approx(begin, rel=1e-12)
    for column in LEDGER_COLUMNS:
        assert account.ledger[column] == pytest.approx(sum(ledger[column] for ledger in told), rel=1e-12, abs=1e-15)
        assert read(sliding, f"ledger.{column.replace(' ', '_')}") == account.ledger[column]
    assert sum(account.ledger.values()) == pytest.approx(kinetic - begin, abs=1e-12)
    assert account.unexplained(kinetic) == pytest.approx(0.0, abs=1e-12)
    assert account.ledger["numerical"] == pytest.approx(-account.foreseen, rel=1e-6), "ST96 eq 24"


def test_changes_between_steps_are_the_unexplained_part(sliding):
    run(sliding, 5)
    before = read(sliding, "world.kinetic")
    sliding.set_velocity(sliding.body("box"), (5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    given = read(sliding, "world.kinetic") - before
    run(sliding, 5)
    assert sliding.energy_totals.unexplained(read(sliding, "world.kinetic")) == pytest.approx(given, rel=1e-9)


def test_an_impact_without_rebound_takes_the_kinetic_energy():
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1005), vel=(0.0, 0.0, -3.0), mass=MASS, friction=0.0)
    world.use_solver("stewart_trinkle")
    run(world, 4)
    assert read(world, "world.kinetic") == pytest.approx(0.0, abs=1e-9)
    assert read(world, "ledger.impact") == pytest.approx(-0.5 * MASS * 9.0, rel=0.01)


def test_going_back_restores_the_sums(sliding):
    run(sliding, 5)
    kept, account = sliding.snapshot(), sliding.energy_totals
    first = run(sliding, 7)
    ahead = sliding.energy_totals
    assert ahead.ledger["friction"] < account.ledger["friction"]
    sliding.restore(kept)
    assert sliding.energy_totals == account and read(sliding, "ledger.friction") == account.ledger["friction"]
    assert run(sliding, 7) == first and sliding.energy_totals == ahead
    other = World()
    other.restore(kept)
    assert other.energy_totals == account, "a world that takes over a state takes over its sums"


def test_a_solver_without_a_ledger_adds_nothing(sliding):
    assert math.isnan(read(sliding, "ledger.friction")) and math.isnan(read(sliding, "solver.unknowns"))
    run(sliding, 3)
    account = sliding.energy_totals
    assert read(sliding, "solver.unknowns") == 4 * (8 + 2) and read(sliding, "solver.pivots") > 0
    assert read(sliding, "solver.rounds") >= 1
    sliding.use_solver("sequential_impulses")
    step(sliding, DT)
    assert sliding.energy_totals is account and math.isnan(read(sliding, "ledger.friction"))
    assert read(sliding, "solver.unknowns") == read(sliding, "solver.pivots") == read(sliding, "solver.rounds") == 0.0
    sliding.use_solver("stewart_trinkle")
    step(sliding, DT)
    assert read(sliding, "ledger.friction") < account.ledger["friction"]


def test_rays_and_limits_are_counted():
    def report(rays: int, limits: int) -> Report:
        return Report("x", 0, "", 0.0, 0.0, 0, 0, 0.0, 0.0, ledger={"gravity": 1.0}, energy={"kinetic": 3.0},
                      solved=Solved(1, 0.0, (), rays, limits))

    account = EnergyTotals().after(report(2, 0)).after(report(1, 3))
    assert (account.ray_endings, account.pivot_limit_endings, account.steps, account.begin) == (3, 3, 2, 2.0)
    assert account.ledger == {"gravity": 2.0} and np.isclose(account.unexplained(5.0), 1.0)
