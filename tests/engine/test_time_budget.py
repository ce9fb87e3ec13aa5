"""Time budgets: never a default of the physics, a share of real time in the window, reported where they end a step."""

import time

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.engine.solver_budget import MIN_SOLVER_SHARE, TIME_SHARE, time_for_sweeps
from app.engine.thread import PhysicsThread
from physics import BadInput, Box, Material, Plane, Report, World, set_option, solvers, step

DT = 1.0 / 60.0


def pile(width=12):
    world = World()
    world.add_body(Plane(), kind="static")
    for row in range(width):
        for c in range(width - row):
            world.add_body(Box((0.25, 0.25, 0.25)), pos=((c - (width - row) / 2) * 0.52, 0.0, 0.25 + row * 0.5))
    return world


def test_no_solver_has_a_time_budget_by_default():
    for kind in solvers.available().values():
        assert getattr(kind().options, "budget", 0.0) == 0.0
        assert getattr(kind(), "allowance", 0.0) == 0.0


def test_equal_runs_are_equal_bit_for_bit():
    """Twelve rows that tumble at first: with a default budget of 2 ms three runs were three results."""
    runs = set()
    for _ in range(2):
        world = pile()
        ends = {step(world, DT).end for _ in range(30)}
        assert "budget" not in ends and world.energy_totals.budget_ended_steps == 0
        runs.add(b"".join(world.bodies[field].tobytes() for field in ("pos", "quat", "vel", "omega")))
    assert len(runs) == 1


@pytest.mark.parametrize("half_height", [0.05, 0.02])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_default_options_hold_static_friction(dt, half_height):
    """F = 0.99 mu m g is held, 1.03 mu m g is not."""
    moved = []
    for share in (0.99, 1.03):
        world = World()
        stuff = Material(friction=0.6)
        world.add_body(Plane(), kind="static", material=stuff)
        box = world.add_body(Box((0.1, 0.1, half_height)), pos=(0.0, 0.0, half_height), mass=1.0, material=stuff)
        for _ in range(int(0.2 / dt)):
            step(world, dt)
        for _ in range(int(1.0 / dt)):
            world.apply_force(box, (share * 0.6 * 9.81, 0.0, 0.0))
            step(world, dt)
        moved.append(world.bodies["pos"][box, 0])
    assert moved[0] < 1e-4 < 1e-2 < moved[1]


def test_the_default_cone_holds_as_much_in_every_direction():
    """With eight facets a push at 22.5 degrees was held by 8 % less."""
    for name in ("sequential_impulses", "soft_steps"):
        assert solvers.available()[name]().options.polygon_facets == 0
    for angle in (0.0, np.pi / 8.0, 0.3):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5)
        box = world.add_body(Box((0.1, 0.1, 0.02)), pos=(0.0, 0.0, 0.02), mass=1.0, friction=0.5)
        for _ in range(10):
            step(world, DT)
        world.set_velocity(box, (2.0 * np.cos(angle), 2.0 * np.sin(angle), 0.0), (0.0, 0.0, 0.0))
        for _ in range(40):
            step(world, DT)
        assert np.hypot(*world.bodies["pos"][box, :2]) == pytest.approx(4.0 / (2.0 * 0.5 * 9.81), rel=5e-3)


# ---- steps that the clock ended


def test_budget_cut_steps_are_counted_and_warned_of_once():
    world = pile()
    set_option(world.solver.options, "budget", 1e-4)
    said = []
    for k in range(5):
        assert step(world, DT).end == "budget" and world.energy_totals.budget_ended_steps == k + 1
        said += [sentence for sentence in world.warnings.pop_new() if "time budget ended a step" in sentence]
    assert len(said) == 1 and "friction may be too weak" in said[0]
    kept = world.snapshot()
    step(world, DT)
    world.restore(kept)
    assert world.energy_totals.budget_ended_steps == 5


def test_budget_cut_steps_are_counted_with_the_energy_ledger():
    world = pile(4)
    world.records_energy = True
    set_option(world.solver.options, "budget", 1e-4)
    for _ in range(3):
        step(world, DT)
    assert world.energy_totals.budget_ended_steps == world.energy_totals.steps == 3


# ---- the window's share


def report(**times):
    return Report("", 1, "converged", 0.0, 0.0, 0, 0, 0.0, 0.0, times=times)


def test_sweeps_get_the_time_left_by_other_phases():
    assert time_for_sweeps(None, 0.01, 0.65) == pytest.approx(0.0065)
    took = report(step=0.006, solve=0.003, integrate=0.001, broad=0.001, narrow=0.001)
    assert time_for_sweeps(took, 0.01, 0.9) == pytest.approx(0.007)
    assert time_for_sweeps(report(step=0.02, solve=0.001, integrate=0.0), 0.01, 0.65) == pytest.approx(MIN_SOLVER_SHARE * 0.01)
    assert time_for_sweeps(took, 0.01, 0.0) == 0.0


def driven(simulation, **settings):
    """(thread, allowances of its steps): a physics thread that is not started."""
    thread, seen = PhysicsThread(simulation), []
    for name, value in settings.items():
        setattr(simulation, name, value)
    simulation.world.drivers.append(lambda world: seen.append(world.solver.allowance))
    return thread, seen


def test_the_window_gives_a_share_of_the_real_time_at_the_chosen_speed():
    thread, seen = driven(Simulation("pyramid"), speed=0.5)
    thread.rebuilt = False
    thread.advance(time.perf_counter(), time.perf_counter())
    dt = thread.simulation.dt
    assert seen == [pytest.approx(TIME_SHARE * dt / 0.5)]
    thread.simulation.speed = 2.0
    thread.advance(time.perf_counter(), time.perf_counter())
    assert MIN_SOLVER_SHARE * dt / 2.0 <= seen[1] < TIME_SHARE * dt / 2.0      # the last step took some besides
    assert thread.simulation.world.solver.allowance == 0.0
    thread.simulation.single_step()
    assert seen[2] == 0.0, "who steps by hand has time"


def test_the_time_budget_can_be_switched_off():
    thread, seen = driven(Simulation("pyramid"))
    commands.set_time_share(thread.simulation, 0.0)
    thread.advance(time.perf_counter(), time.perf_counter())
    assert seen == [0.0] and thread.simulation.world.report.budget == 0.0
    for wrong in (-0.1, 1.1, float("nan"), "half"):
        with pytest.raises(BadInput, match="share of real time"):
            commands.set_time_share(thread.simulation, wrong)
    assert thread.simulation.budget.time_share == 0.0


def test_a_solvers_own_budget_takes_precedence():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 7.0)
    thread, _ = driven(simulation)
    thread.advance(time.perf_counter(), time.perf_counter())
    assert simulation.world.report.budget == pytest.approx(7e-3)


def test_solvers_that_are_compared_share_the_time():
    simulation = Simulation("pyramid")
    thread = PhysicsThread(simulation)
    thread.comparison = Comparison(simulation)
    thread.comparison.compare_with("sequential_impulses")
    seen = []
    for one in thread.comparison.simulations:
        one.world.drivers.append(lambda world: seen.append(world.solver.allowance))
    thread.advance(time.perf_counter(), time.perf_counter())
    assert seen == [pytest.approx(TIME_SHARE * simulation.dt / 2.0)] * 2


def test_budget_cut_steps_are_marked_in_the_history():
    """They cannot be made again, so what is left of the past is: gone back and forth, states are the same bit for bit."""
    simulation = Simulation("pyramid")
    commands.set_time_share(simulation, 1e-4)
    thread, _ = driven(simulation)
    import app.engine.solver_budget as pacing

    kept, pacing.MIN_SOLVER_SHARE = pacing.MIN_SOLVER_SHARE, 1e-6
    try:
        for _ in range(6):
            thread.advance(time.perf_counter(), time.perf_counter())
    finally:
        pacing.MIN_SOLVER_SHARE = kept
    assert simulation.world.energy_totals.budget_ended_steps == 6
    now = simulation.world.bodies.tobytes()
    commands.go_to_step(simulation, 3)
    simulation.timeline.go_to_goal()
    commands.go_to_step(simulation, 6)
    simulation.timeline.go_to_goal()
    assert simulation.world.bodies.tobytes() == now


def test_snapshots_do_not_contain_the_time_budget():
    simulation = Simulation("pyramid")
    thread, _ = driven(simulation)
    thread.advance(time.perf_counter(), time.perf_counter())
    assert simulation.world.snapshot().solver.allowance == 0.0


# ---- said beside the numbers that suffer


def session_of(simulation):
    from types import SimpleNamespace

    from app.engine.frame import RealTimePace, capture, poses

    before, kept = poses(simulation.world), {}
    frame = capture(simulation.world, scene="pyramid", dt=simulation.dt, paused=False, before=before, pace=RealTimePace())
    return SimpleNamespace(frame=frame, fps=60.0, state=lambda kind: kept.setdefault(kind, kind()))


def test_the_status_bar_and_tables_warn_of_budget_cut_friction():
    from app.panels import budget, cost, status

    simulation = Simulation("pyramid")
    for short in (0, 3):
        if short:
            commands.set_option(simulation, "budget", 1e-4)
        for _ in range(max(1, short)):
            simulation.step()
        session = session_of(simulation)
        texts = [text for text, _, _ in status.items(session)]
        assert any("time budget exceeded: friction may be too weak" in text for text in texts) == bool(short)
        for rows in (cost.sizes(session.frame), budget.facts(session)):
            said = [row for row in rows if row[:2] == ("time budget exceeded", "friction may be too weak")]
            assert len(said) == bool(short) and all(f": {short}." in row[2] for row in said)


@pytest.mark.parametrize("name", ["chain", "pendulum", "door"])
def test_a_mechanism_without_any_budget_stays_closed(name):
    """Its joints get a few sweeps whatever the clock says: half solved it came apart and blew up within 20 steps."""
    world = scenes.make_world(scenes.find(name))
    set_option(world.solver.options, "budget", 0.001)
    for _ in range(240):
        assert step(world, 1.0 / 240.0).joint_error < 1e-5
