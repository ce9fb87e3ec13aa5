"""Compared solvers: each runs as it would alone, and all stay at the leader's step."""

import numpy as np
import pytest

from app.engine import commands
from app.engine.command import COMMANDS
from app.engine.comparison import COMPARISON_COMMANDS, MAX_FOLLOWERS, Comparison, file_of, is_shared, moved
from app.engine.simulation import Simulation
from physics import BadInput


def comparison(scene="incline", *names, **options):
    """A leader without a wall-clock budget, and followers under these solvers."""
    leader = Simulation(scene)
    commands.set_option(leader, "budget", 0.0)
    made = Comparison(leader)
    for name in names:
        made.apply_command(Comparison.compare_with, (name,), {})
    for i, follower in enumerate(made.followers):
        if follower.solver.has_allowance:
            made.apply_command(Comparison.set_follower_option, (i, "budget", 0.0), {})
    return made


def run(made, steps):
    for _ in range(steps):
        made.step()


def state(simulation):
    return simulation.world.steps, simulation.world.bodies.tobytes()


def alone(scene, solver, steps):
    """The bodies after so many steps under that solver, without a comparison."""
    simulation = Simulation(scene)
    commands.use_solver(simulation, solver)
    if simulation.world.solver.has_allowance:
        commands.set_option(simulation, "budget", 0.0)
    for _ in range(steps):
        simulation.step()
    return state(simulation)


def test_every_follower_moves_as_it_would_alone():
    made = comparison("stack", "stewart_trinkle", "soft_steps")
    run(made, 40)
    assert state(made.followers[0].simulation) == alone("stack", "stewart_trinkle", 40)
    assert state(made.followers[1].simulation) == alone("stack", "soft_steps", 40)
    assert state(made.leader) != state(made.followers[0].simulation)


def test_what_is_done_to_the_leader_is_done_to_all():
    made = comparison("incline", "stewart_trinkle")
    run(made, 5)
    made.apply_command(commands.set_friction, (0.11,), {})
    made.apply_command(commands.set_gravity, ((0.0, 0.0, -3.0),), {})
    made.apply_command(commands.throw, ((0.0, 0.0, 3.0), (0.0, 0.0, 1.0)), {})
    run(made, 5)
    follower = made.followers[0].simulation
    assert follower.friction == 0.11 and follower.world.gravity[2] == -3.0
    assert list(follower.world.body_names) == list(made.leader.world.body_names)
    made.apply_command(commands.use_solver, ("soft_steps",), {})
    assert file_of(follower.world.solver) == "stewart_trinkle" and file_of(made.leader.world.solver) == "soft_steps"


def test_going_back_and_forth_and_branching_goes_for_all():
    made = comparison("stack", "stewart_trinkle")
    states = []
    for _ in range(30):
        states.append([state(simulation) for simulation in made.simulations])
        run(made, 1)
    for step in (12, 3, 25, 0, 29):
        made.apply_command(commands.go_to_step, (step,), {})
        while made.is_seeking:
            made.catch_up()
        assert [state(simulation) for simulation in made.simulations] == states[step]
    made.apply_command(commands.step_back, (9,), {})
    made.apply_command(Simulation.single_step, (3,), {})
    while made.is_seeking:
        made.catch_up()
    assert [state(simulation) for simulation in made.simulations] == states[23]
    made.apply_command(commands.set_friction, (0.05,), {})
    run(made, 4)
    assert [simulation.history.last for simulation in made.simulations] == [27, 27]


def test_one_that_joins_late_is_not_there_before_and_begins_anew_on_another_way():
    made = comparison("incline")
    run(made, 20)
    made.apply_command(Comparison.compare_with, ("stewart_trinkle",), {})
    run(made, 10)
    assert made.followers[0].is_at(30)
    made.apply_command(commands.go_to_step, (5,), {})
    while made.is_seeking:
        made.catch_up()
    assert not made.followers[0].is_at(5)
    made.apply_command(commands.go_to_step, (25,), {})
    while made.is_seeking:
        made.catch_up()
    assert made.followers[0].is_at(25)
    made.apply_command(commands.go_to_step, (5,), {})
    run(made, 2)
    follower = made.followers[0]
    assert follower.is_at(7) and follower.simulation.history.first == 5
    assert file_of(follower.simulation.world.solver) == "stewart_trinkle"


def test_the_mouse_holds_the_same_point_of_the_body_in_every_world():
    made = comparison("stack", "soft_steps")
    run(made, 3)
    box = next(i for i, b in enumerate(made.leader.world.bodies) if b["mass"] > 0)
    follower = made.followers[0].simulation
    follower.world.set_pose(box, follower.world.bodies["pos"][box] + (0.3, 0.1, 0.2), (np.cos(0.3), 0.0, np.sin(0.3), 0.0))
    point = made.leader.world.bodies["pos"][box] + (0.1, 0.05, 0.0)
    made.apply_command(commands.drag_begin, (box, tuple(point)), {})
    ours, theirs = (s.world.joints[s.dragged] for s in made.simulations)
    assert np.allclose(ours["anchor_b"], theirs["anchor_b"], atol=1e-12)
    made.apply_command(commands.drag_move, ((0.0, 0.0, 5.0),), {})
    ours, theirs = (s.world.joints[s.dragged] for s in made.simulations)
    assert tuple(ours["anchor_a"]) == tuple(theirs["anchor_a"]) == (0.0, 0.0, 5.0)
    made.apply_command(commands.drag_end, (), {})
    assert [s.dragged for s in made.simulations] == [-1, -1]


def test_another_scene_keeps_the_compared_solvers_and_options():
    made = comparison("incline", "stewart_trinkle")
    made.apply_command(Comparison.set_follower_option, (0, "facets", 4), {})
    made.apply_command(Simulation.load, ("stack",), {})
    follower = made.followers[0]
    assert follower.simulation.scene_name == "stack" and file_of(follower.simulation.world.solver) == "stewart_trinkle"
    assert follower.simulation.world.solver.options.facets == 4
    run(made, 2)
    made.apply_command(Simulation.reset, (), {})
    assert follower.is_at(0) and follower.simulation.world.solver.options.facets == 4


def test_an_unsupported_scene_stops_only_that_solver():
    made = comparison("pendulum", "subsystems")
    made.apply_command(Simulation.load, ("stack",), {})
    assert made.leader.scene_name == "stack"
    follower = made.followers[0]
    run(made, 3)
    assert "does not support this scene" in follower.stopped_because
    assert made.leader.world.steps == 3 and not follower.is_at(3)
    made.apply_command(Simulation.load, ("pendulum",), {})
    assert not follower.stopped_because and file_of(follower.simulation.world.solver) == "subsystems"


def test_leader_and_follower_can_be_swapped():
    made = comparison("incline", "stewart_trinkle")
    made.apply_command(Comparison.set_follower_option, (0, "facets", 4), {})
    made.apply_command(Comparison.swap_leader, (0,), {})
    assert file_of(made.leader.world.solver) == "stewart_trinkle" and made.leader.world.solver.options.facets == 4
    assert file_of(made.followers[0].simulation.world.solver) == "sequential_impulses"


def test_at_most_four_followers():
    made = comparison("incline", *["soft_steps"] * MAX_FOLLOWERS)
    with pytest.raises(BadInput, match="remove one"):
        made.apply_command(Comparison.compare_with, ("soft_steps",), {})
    with pytest.raises(BadInput, match="available"):
        Comparison(Simulation("incline")).apply_command(Comparison.compare_with, ("magic",), {})
    made.apply_command(Comparison.stop_comparing, (1,), {})
    assert len(made.followers) == MAX_FOLLOWERS - 1
    made.apply_command(Comparison.stop_comparing, (), {})
    assert not made.followers


def test_edits_apply_to_all_and_clock_commands_to_the_leader():
    shared = {"set_friction", "throw", "drag_move", "load", "reset", "undo", "redo", "follow", "set_pose"}
    assert all(is_shared(COMMANDS[name]) for name in shared)
    own = {"use_solver", "set_option", "single_step", "go_to_time", "pause", "run_to_hit", "export_state", "set_breakpoint",
           "add_observer", "replay_last_steps"}
    assert not any(is_shared(COMMANDS[name]) for name in own)


def test_breakpoints_stop_the_leader_and_all_wait_there():
    made = comparison("bouncing_balls", "soft_steps")
    made.apply_command(commands.set_breakpoint, (0, "on", True), {})
    made.apply_command(commands.run_to_hit, (), {})
    for _ in range(400):
        if made.leader.paused and made.leader.breakpoints.hit is not None:
            break
        made.step()
    assert made.leader.breakpoints.hit is not None and made.followers[0].is_at(made.leader.world.steps)
    assert made.followers[0].simulation.breakpoints.hit is None


def test_an_edit_is_undone_in_all_worlds():
    made = comparison("incline", "soft_steps")
    before = [simulation.world.shapes["friction"].copy() for simulation in made.simulations]
    made.apply_command(commands.set_friction, (0.9,), {})
    made.apply_command(commands.undo, (), {})
    assert all(np.array_equal(s.world.shapes["friction"], b) for s, b in zip(made.simulations, before))


def test_no_command_of_a_comparison_is_one_of_a_simulation():
    assert COMPARISON_COMMANDS and not {command.__name__ for command in COMPARISON_COMMANDS} & COMMANDS.keys()


def test_points_are_mapped_between_worlds():
    one, other = (np.zeros(1, [("pos", float, 3), ("quat", float, 4)])[0] for _ in range(2))
    one["pos"], one["quat"] = (1.0, 2.0, 3.0), (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    other["pos"], other["quat"] = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)
    assert np.allclose(moved((1.0, 3.0, 3.5), one, other), (1.0, 0.0, 1.5))


def test_a_solver_that_supports_the_scene_with_other_options_alone_is_compared_and_becomes_the_leader():
    made = comparison("incline", "sequential_impulses")
    with pytest.raises(BadInput, match="friction"):
        made.apply_command(Comparison.compare_with, ("event_driven",), {})
    assert len(made.followers) == 1
    made.apply_command(Comparison.compare_with, ("event_driven",), {"friction": "left out", "longest_step": 0.002})
    chosen = made.followers[1].simulation.world.solver.options
    run(made, 3)
    assert made.followers[1].is_at(3)
    made.apply_command(Comparison.swap_leader, (1,), {})
    run(made, 2)
    assert made.leader.world.solver.options == chosen and chosen.friction == "left out" and chosen.longest_step == 0.002
    assert made.leader.world.steps == 5 and not made.followers[1].stopped_because


def test_a_recorded_choice_of_a_solver_with_its_options_is_replayed(tmp_path):
    simulation = Simulation("incline")
    commands.use_solver(simulation, "event_driven", friction="left out", impact_law="Poisson")
    for _ in range(3):
        simulation.step()
    end = state(simulation)
    commands.go_to_step(simulation, 1)
    simulation.timeline.go_to_goal()
    commands.go_to_step(simulation, 3)
    simulation.timeline.go_to_goal()
    assert state(simulation) == end and simulation.world.solver.options.impact_law == "Poisson"
