"""History: every shown past step is exact to the bit, in bounded memory."""

import random

import numpy as np
import pytest

from app.engine import commands
from app.engine.command import COMMANDS, is_undoable
from app.engine.observers.impact_history import ImpactRecorder
from app.engine.simulation import Simulation
from app.engine.timeline import history
from physics import BadInput, Diverged
from tests.helpers import lived, meddle, samples, state, without_clock

FEW = ("pyramid", "chain", "door", "joint_gallery")


def check(simulation, states, traces, seed):
    """Go about, by jumps and by steps to and fro."""
    choose = random.Random(seed)
    last = len(states) - 1
    for wanted in [*(choose.randrange(last + 1) for _ in range(8)), last, last - 1, 0, last]:
        commands.go_to_step(simulation, wanted)
        simulation.timeline.go_to_goal()
        assert state(simulation) == states[wanted]
        assert samples(simulation) == traces[wanted]
    commands.step_back(simulation, 7)
    commands.step_back(simulation, 2)
    simulation.timeline.go_to_goal()
    assert state(simulation) == states[last - 9]
    for step in range(last - 8, last + 1):
        simulation.single_step()
        simulation.timeline.go_to_goal()
        assert state(simulation) == states[step] and samples(simulation) == traces[step]


@pytest.mark.parametrize("spacing", [1e9, 1e-3], ids=["made again", "kept often"])
@pytest.mark.parametrize("scene", FEW)
def test_every_past_step_is_restored_bit_for_bit(scene, spacing, monkeypatch):
    """Contacts, joints, drivers; friction, step size, gravity, mass, options, a mouse, a throw and a removal in between."""
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", spacing)
    simulation = Simulation(scene)
    without_clock(simulation)
    states, traces = lived(simulation, 80, meddle)
    check(simulation, states, traces, 1)


def test_seeking_restores_the_exact_solvers_sums(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    simulation = Simulation("pyramid")
    commands.set_parameter(simulation, "width", 2)
    commands.use_solver(simulation, "stewart_trinkle")
    commands.throw(simulation, (-1.0, 0.0, 0.3), (3.0, 0.0, 0.0))
    states, traces = lived(simulation, 25)
    assert simulation.world.energy_totals.steps == 25
    check(simulation, states, traces, 2)


def test_budget_cut_steps_are_stored_as_keyframes(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.02)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    ends = []
    states, traces = lived(simulation, 90, lambda simulation, step: ends.append(simulation.world.report))
    assert sum(report is not None and report.end == "budget" for report in ends) > 10
    check(simulation, states, traces, 3)


def test_an_unrepeatable_step_stays_so_after_branching():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 1e-6)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(30):
        simulation.step()
    past = simulation.history
    last = past.unrepeatable_steps[-1]
    past.forget_after(last)
    assert not past.is_repeatable_from(last - 1, last) and past.unrepeatable_steps[-1] == past.last == last


def test_leaving_the_present_stores_it(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 1e9)
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.001)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    states, _ = lived(simulation, 60)
    assert simulation.world.report.end == "budget"
    commands.step_back(simulation)
    simulation.timeline.go_to_goal()
    assert simulation.world.steps < 59 and state(simulation) == states[simulation.world.steps]
    simulation.single_step()
    assert state(simulation) == states[60]


def test_recomputed_steps_have_no_time_budget(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", np.inf)     # a first step that takes long would be kept, and not made again
    ends = []
    for budget, patient in ((0.0, False), (0.001, True), (0.001, False)):
        simulation = Simulation("pyramid")
        commands.set_option(simulation, "budget", budget)
        commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
        simulation.world.solver.ignore_budget = patient
        ends.append([(simulation.step(), simulation.world.report.end, simulation.world.bodies.tobytes())[1:] for _ in range(60)])
    assert ends[0] == ends[1] != ends[2]

    simulation, patience = Simulation("pendulum"), []
    real = simulation.compute_step
    simulation.compute_step = lambda: (patience.append(simulation.world.solver.ignore_budget), real())[1]
    lived(simulation, 2)
    commands.go_to_step(simulation, 0)
    commands.go_to_step(simulation, 1)
    simulation.timeline.go_to_goal()
    simulation.step()
    assert patience == [False, False, True, False]


def test_a_thinned_history_shows_exact_steps(monkeypatch):
    """Cut steps whose moments had to go are skipped, to the last one that can be had, and forwards to the next."""
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    simulation = Simulation("pyramid")
    simulation.history.budget = 8_000_000
    commands.set_option(simulation, "budget", 0.02)
    states, _ = lived(simulation, 200)
    assert simulation.history.size <= 8_000_000
    assert simulation.history.moments[0].step == 0 and len(simulation.history.moments) < 60
    met, here = [], 200
    while here > 0:
        commands.step_back(simulation)
        simulation.timeline.go_to_goal()
        assert simulation.world.steps < here and state(simulation) == states[simulation.world.steps]
        here = simulation.world.steps
        met.append(here)
    for here in reversed(met):
        assert simulation.world.steps == here
        simulation.single_step()
        simulation.timeline.go_to_goal()
    assert state(simulation) == states[200]


def test_the_reported_size_is_the_memory_used(monkeypatch):
    """Against what Python counts."""
    import tracemalloc

    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e-9)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    simulation = Simulation("pyramid")
    lived_through = 150
    for _ in range(30):
        simulation.step()
    commands.drag_begin(simulation, 9, (0.0, 0.0, 1.0))
    tracemalloc.start()
    before, told = tracemalloc.get_traced_memory()[0], simulation.history.size
    for step in range(lived_through):
        simulation.step()
        for move in range(20):
            commands.drag_move(simulation, (0.001 * step, 0.001 * move, 1.0 + 0.0001 * step))
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert simulation.history.size - told == pytest.approx(grown, rel=0.15)


def test_commands_alone_stay_within_the_budget(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL",
                        np.inf)     # moments are kept where this test keeps them, whatever the clock says
    simulation = Simulation("door")
    without_clock(simulation)
    simulation.history.budget = 2_000_000
    door = simulation.world.body("door")
    commands.drag_begin(simulation, door, (0.5, 0.0, 1.0))
    states = {}
    for step in range(400):
        for move in range(20):
            commands.drag_move(simulation, (0.5, 0.001 * step, 1.0 + 0.001 * move))
        states[step] = state(simulation)
        simulation.step()
        if step % 20 == 0:
            simulation.history.store_keyframe(simulation.moment)
    assert simulation.history.size <= 2_000_000 and simulation.history.first > 0
    commands.go_to_step(simulation, 0)
    assert state(simulation)[0] == simulation.history.first
    for wanted in (simulation.history.first + 3, 399):
        commands.go_to_step(simulation, wanted)
        simulation.timeline.go_to_goal()
        assert state(simulation) == states[wanted]


def test_branching_discards_the_future_with_one_message():
    simulation = Simulation("pyramid")
    without_clock(simulation)
    lived(simulation, 40)
    for _ in range(2):
        commands.step_back(simulation, 20)
        commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
        assert simulation.history.last == simulation.world.steps and not simulation.timeline.in_past
        assert simulation.traces.table()["time"][-1] == simulation.world.time
        for _ in range(20):
            simulation.step()
    assert sum("discarded" in text for text in simulation.messages) == 1
    here = state(simulation)
    commands.step_back(simulation, 15)
    simulation.single_step(15)
    simulation.timeline.go_to_goal()
    assert state(simulation) == here


def test_observers_discard_the_future_after_branching():
    simulation = Simulation("four_balls")
    seen = ImpactRecorder()
    simulation.observers.add(seen)
    for _ in range(20):
        simulation.step()
    commands.go_to_step(simulation, 8)
    simulation.timeline.go_to_goal()
    assert seen.last == 20
    commands.set_gravity(simulation, (0.0, 0.0, -1.0))
    assert seen.last == 8 and len(seen.steps) == 8


def test_an_unread_recorder_removes_itself():
    simulation = Simulation("four_balls")
    simulation.observers.add(ImpactRecorder(patience=-1.0))
    simulation.step()
    assert simulation.observers.items == () and not simulation.messages


def test_a_replayed_drag_ignores_the_present_mouse():
    simulation = Simulation("pyramid")
    without_clock(simulation)
    commands.drag_begin(simulation, 9, tuple(simulation.world.bodies["pos"][9]))
    for _ in range(10):
        commands.drag_move(simulation, (0.0, 0.0, 3.0))
        simulation.step()
    commands.drag_end(simulation)
    simulation.step()
    commands.go_to_step(simulation, 5)
    simulation.timeline.go_to_goal()
    seen = state(simulation)
    commands.drag_move(simulation, (9.0, 9.0, 9.0))
    commands.drag_end(simulation)
    assert state(simulation) == seen and simulation.dragged >= 0 and simulation.timeline.in_past
    simulation.step()
    assert simulation.dragged == -1 and not simulation.timeline.in_past


def test_a_bookmark_is_in_the_past_while_reachable():
    simulation = Simulation("pendulum")
    states, _ = lived(simulation, 20)
    commands.bookmark_state(simulation)
    lived(simulation, 20)
    commands.set_dt(simulation, 0.01)
    commands.return_to_state(simulation)
    assert (simulation.history.first, simulation.history.last) == (0, 20)
    on, _ = lived(simulation, 10)
    commands.go_to_step(simulation, 12)
    simulation.timeline.go_to_goal()
    assert state(simulation) == states[12]
    commands.go_to_step(simulation, 30)
    simulation.timeline.go_to_goal()
    assert state(simulation) == on[-1]
    commands.go_to_step(simulation, 5)
    simulation.step()
    commands.return_to_state(simulation)
    assert (simulation.history.first, simulation.history.last) == (20, 20), "another line"


def test_history_after_a_failed_step_and_a_refused_command(monkeypatch):
    simulation = Simulation("pyramid")
    without_clock(simulation)
    before, _ = lived(simulation, 10)

    def blow_up(world, dt):
        world.gravity[0] = 1.0      # whatever it leaves
        raise Diverged("body 'box' went away", 1)

    def refuse(self, e, body=None):
        raise BadInput("no")

    with monkeypatch.context() as patch:
        patch.setattr("app.engine.simulation.step", blow_up)
        assert not simulation.step()
    between, _ = lived(simulation, 5)
    simulation.world.set_friction(0.9)
    with monkeypatch.context() as patch, pytest.raises(BadInput):
        patch.setattr(type(simulation.world), "set_restitution", refuse)
        commands.restore_materials(simulation)
    after, _ = lived(simulation, 10)
    for wanted, seen in ((4, before[4]), (14, between[4]), (12, between[2]), (20, after[5]), (25, after[10])):
        commands.go_to_step(simulation, wanted)
        simulation.timeline.go_to_goal()
        assert state(simulation) == seen


def test_seeking_is_done_in_slices_of_a_few_milliseconds(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    simulation = Simulation("pyramid")
    without_clock(simulation)
    states, _ = lived(simulation, 300)
    commands.go_to_step(simulation, 290)
    assert simulation.timeline.goal == 290 and 0 < simulation.world.steps < 290
    commands.step_back(simulation)
    assert simulation.timeline.goal == 289
    simulation.set_speed(0.5)
    assert simulation.timeline.goal == 289
    simulation.timeline.go_to_goal()
    assert state(simulation) == states[289]


def test_seeking_by_time_finds_the_nearest_step_and_reset_clears_the_history():
    simulation = Simulation("pendulum")
    commands.set_dt(simulation, 0.01)
    lived(simulation, 30)
    for wanted, step in ((0.1049, 10), (0.1051, 11), (-3.0, 0), (99.0, 30)):
        commands.go_to_time(simulation, wanted)
        simulation.timeline.go_to_goal()
        assert simulation.world.steps == step
    commands.go_to_time(simulation, 0.1)
    simulation.reset()
    assert simulation.history.last == 0 and not simulation.timeline.in_past and simulation.world.steps == 0


def test_a_delayed_keyframe_is_stored_with_the_next_step(monkeypatch):
    """Else the steps from the one that the clock cut up to the next moment could not be had."""
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.001)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    simulation.history.storing_cost = 1e9
    while not simulation.world.report or simulation.world.report.end != "budget":
        simulation.step()
    assert simulation.history.past().moments == 1
    commands.set_option(simulation, "budget", 0.0)
    simulation.history.storing_cost = 0.0
    simulation.step()
    assert simulation.history.moments[-1].step == simulation.world.steps


def test_every_command_is_recorded_or_does_not_affect_steps():
    """A new command is `@undoable` or listed here."""
    elsewhere = {"load", "reset", "rebuild_changed_scene", "set_parameter", "bookmark_state", "return_to_state", "undo",
                 "redo"}  # their own way
    time = {"pause", "run", "toggle_pause", "single_step", "set_speed", "step_back", "go_to_step", "go_to_time", "set_time_share",
            "run_to_hit", "run_back_to_hit", "replay_last_steps", "replay", "play_back", "set_loop", "open_recording", "recover"}
    harmless = {"export_state", "follow", "unfollow", "set_gesture", "add_breakpoint", "remove_breakpoint", "set_breakpoint",
                "record_energy", "add_observer", "remove_observer", "start_recording", "save_recording", "resume_recording",
                "export_recent", "save_scene_file", "scene_file_saved", "export_python", "copy_link", "set_start"}
    noted = {name for name, function in COMMANDS.items() if is_undoable(function)}
    assert not noted & (elsewhere | time | harmless)
    assert COMMANDS.keys() - noted == elsewhere | time | harmless
