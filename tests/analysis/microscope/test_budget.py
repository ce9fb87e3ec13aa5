"""Effect of a larger budget: numbers against real steps, and the panel."""

import numpy as np
import pytest

import scenes
from app.analysis.microscope.budget import BUDGET_FACTORS, BudgetComparison, outcome, sweeps_reached
from app.engine import commands
from app.engine.commands.observation import ExportedState
from app.engine.simulation import Simulation
from physics import set_option, step
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


@pytest.fixture(scope="module")
def struck() -> ExportedState:
    """A pyramid whose next step needs many sweeps."""
    scene = scenes.find("pyramid")
    world = scenes.without_clock(scenes.make_world(scene, scene.parameters(width=5)))
    for _ in range(10):
        step(world, DT)
    for body in range(2, len(world.bodies)):
        world.set_velocity(body, (0.3 * (body % 3), 0.1 * (body % 2), 0.0), (0.0, 0.0, 0.2))
    return ExportedState("pyramid", world.snapshot(), DT)


def real(state: ExportedState, sweeps: int):
    world = state.world()
    set_option(world.solver.options, "iterations", sweeps)
    step(world, state.dt)
    return world


def test_both_steps_equal_real_steps_and_the_difference_is_reported(struck):
    found = BudgetComparison(struck, 4)
    found.run()
    assert found.done and not found.problem
    few, many = real(struck, 4), real(struck, 4 * BUDGET_FACTORS)
    assert np.array_equal(found.here.pos, few.bodies["pos"]) and np.array_equal(found.there.pos, many.bodies["pos"])
    assert found.here.report.residual == few.report.residual > found.there.report.residual == many.report.residual
    apart = np.linalg.norm(many.bodies["vel"] - few.bodies["vel"], axis=1)
    d = found.difference
    assert d.speed == apart.max() == apart[d.body] > 1e-6
    assert d.distance == np.linalg.norm(many.bodies["pos"] - few.bodies["pos"], axis=1).max() <= d.speed * DT * 1.01
    assert d.energy == pytest.approx(sum(few.report.energy.values()) - sum(many.report.energy.values()))
    assert d.bodies == 15 >= d.moved.sum() > 0


def test_the_curve_contains_all_runs(struck):
    found = BudgetComparison(struck, 4)
    found.run()
    assert [n for n, _ in found.curve] == [1, 2, 4, 8, 16, 32, 40]
    for n, residual in found.curve:
        assert residual == outcome(struck, n).report.residual


def test_enough_sweeps_leave_no_difference(struck):
    world = struck.world()
    set_option(world.solver.options, "tolerance", 1e-3)
    found = BudgetComparison(ExportedState("pyramid", world.snapshot(), DT), 400)
    found.run()
    assert found.here.report.end == found.there.report.end == "converged"
    assert found.difference.speed == 0.0 and not found.difference.moved.any()


def test_the_time_budget_does_not_apply_to_the_comparison(struck):
    world = struck.world()
    set_option(world.solver.options, "budget", 0.001)
    set_option(world.solver.options, "early_stop", False)
    assert outcome(ExportedState("pyramid", world.snapshot(), DT), 30).report.iterations == 30


def test_sweeps_reached_are_per_substep(struck):
    world = struck.world()
    assert sweeps_reached(None) == 1
    for name, value in (("iterations", 3), ("substeps", 4), ("tolerance", 0.0)):
        set_option(world.solver.options, name, value)
    assert step(world, DT).substeps == 4 and world.report.iterations == 12 and sweeps_reached(world.report) == 3
    world.report.iteration_unit = "pivots"
    assert sweeps_reached(world.report) == 1, "pivots are no sweeps"


def test_a_solver_without_sweeps_is_refused_with_a_reason(struck):
    world = struck.world()
    world.use_solver("stewart_trinkle")
    found = BudgetComparison(ExportedState("pyramid", world.snapshot(), DT), 4)
    found.run()
    assert found.done and "has no sweeps" in found.problem and found.difference is None


# ---- the panel


@pytest.fixture
def seeing(person):
    size = person.window.get_size()
    person.window.set_size(1700, 1000)
    person.load("pyramid")
    person.window.gui.panels.open("budget")
    person.look(6)
    yield person
    person.window.set_size(*size)
    person.look(3)


def state_of(person):
    from app.panels.budget import BudgetState as Shown

    return person.session.state(Shown)


def test_a_paused_step_is_compared_automatically(seeing):
    seeing.session.post(Simulation.single_step, 2)
    state = state_of(seeing)
    assert seeing.wait(lambda: state.shown is not None and state.shown.difference is not None
                       and state.shown.state.snapshot.steps == seeing.session.frame.step == 2)
    wanted = {"live residual", "live lateness, 99 %", "compared velocity", "compared energy", "budget", "curve"}
    assert seeing.wait(lambda: wanted <= {name.split("/", 1)[1] for name in fresh_spots(seeing)}, 5.0)     # numbers change slowly
    before = state.shown
    seeing.click(next(name for name in fresh_spots(seeing) if name.endswith("/compare")))
    assert seeing.wait(lambda: state.shown is not before)
    assert not seeing.window.gui.panels.all["budget"].error


def test_the_slider_sets_the_budget(seeing):
    seeing.type_into("budget/budget", "7.5")
    assert seeing.wait(lambda: seeing.session.simulation.world.solver.options.budget == 7.5, 5.0)


def test_the_exact_solver_has_no_budget(seeing):
    seeing.session.post(commands.use_solver, "stewart_trinkle")
    assert seeing.wait(lambda: not any(name.endswith("/compare") for name in fresh_spots(seeing)), 5.0)
    assert not seeing.window.gui.panels.all["budget"].error
