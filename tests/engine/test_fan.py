"""A fan of what-ifs: worlds that differ in one setting, under one hand, at the time of the main simulation."""

import itertools
import math

import numpy as np
import pytest

from app.engine import commands
from app.engine.command import COMMANDS
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from physics import BadInput
from tests.helpers import without_clock


def fan(scene, variable, values, steps=0):
    """A leader without a wall-clock budget after some steps, and a fan that starts there."""
    leader = Simulation(scene)
    without_clock(leader)
    made = Comparison(leader)
    run(made, steps)
    made.apply_command(Comparison.start_fan, (variable, values), {})
    for member in made.members:
        without_clock(member.simulation)
    return made


def run(made, steps):
    for _ in range(steps):
        assert made.step()


def seek(made, step):
    made.apply_command(commands.go_to_step, (step,), {})
    while made.is_seeking:
        made.catch_up()


def state(simulation):
    return simulation.world.steps, simulation.world.bodies.tobytes()


def hand(made, body):
    """Drag a body of all worlds to the side and upwards while they step."""
    point = tuple(map(float, made.leader.world.bodies["pos"][body] + (0.05, 0.0, 0.05)))
    made.apply_command(commands.drag_begin, (body, point), {})
    for k in range(20):
        made.apply_command(commands.drag_move, ((point[0] + 0.02 * k, point[1], point[2] + 0.02 * k),), {})
        run(made, 1)
    made.apply_command(commands.drag_end, (), {})


def test_a_member_with_the_settings_of_the_simulation_equals_it_bit_for_bit_under_a_hand():
    made = fan("stack", "friction", (0.1, 0.6, 1.0), 10)
    made.apply_command(commands.set_friction, (0.6,), {})     # of the main simulation only
    hand(made, 2)
    run(made, 30)
    first, same, last = (member.simulation for member in made.members)
    assert state(same) == state(made.leader)
    assert state(first) != state(made.leader) != state(last)
    assert [member.simulation.friction for member in made.members] == [0.1, 0.6, 1.0]


def test_members_follow_a_drag():
    """Frictionless, the boxes of a stack do not follow one another: only the one that is dragged moves far."""
    made = fan("stack", "friction", (0.0, 0.5, 0.9), 5)
    starts = [member.simulation.world.bodies["pos"].copy() for member in made.members]
    hand(made, 2)
    moves = [(m.simulation.world.bodies["pos"] - start)[:, 0] for m, start in zip(made.members, starts)]
    assert moves[0][2] > 0.01 > 5.0 * abs(moves[0][4]), moves[0]
    assert moves[0][2] > moves[1][2] > moves[2][2] > 1e-4, "the more friction, the less it follows the hand"


@pytest.mark.parametrize("scene, variable, values", [
    ("bouncing_balls", "restitution", (0.0, 0.5, 1.0)), ("door", "joint_friction", (0.0, 5.0, 50.0)),
    ("stack", "solver", ("sequential_impulses", "soft_steps", "stewart_trinkle")),
    ("bouncing_balls", "dt", (0.002, 0.004, 0.02))])
def test_each_member_moves_as_a_simulation_with_its_setting_alone(scene, variable, values):
    setting = {"restitution": commands.set_restitution, "joint_friction": commands.set_joint_friction,
               "solver": commands.use_solver, "dt": commands.set_dt}[variable]
    made = fan(scene, variable, values)
    run(made, 60)
    for member, value in zip(made.members, values):
        alone = Simulation(scene)
        without_clock(alone)
        if variable != "solver" or value != "sequential_impulses":
            setting(alone, value)
        without_clock(alone)
        while alone.world.steps < member.simulation.world.steps:
            alone.step()
        assert state(alone) == state(member.simulation), value


def test_a_solver_that_needs_options_for_the_scene_runs_with_them():
    """The boxes of the stack are rough: event-driven simulation takes them with their friction left out."""
    made = fan("stack", "solver", ("sequential_impulses", "event_driven", "soft_steps"))
    run(made, 3)
    solver = made.members[1].simulation.world.solver
    assert solver.name.startswith("event-driven") and solver.options.friction == "left out"
    assert made.members[1].simulation.world.steps == made.leader.world.steps == 3


def test_members_with_their_own_step_are_at_the_time_of_the_simulation():
    made = fan("bouncing_balls", "dt", (0.001, 0.004, 0.03))
    for _ in range(50):
        run(made, 1)
        for member, h in zip(made.members, (0.001, 0.004, 0.03)):
            late = made.leader.world.time - member.simulation.world.time
            assert -1e-9 <= late < h * (1.0 + 1e-9)
    states = [[state(member.simulation) for member in made.members]]
    seek(made, 20)
    for member, h in zip(made.members, (0.001, 0.004, 0.03)):
        assert -1e-9 <= made.leader.world.time - member.simulation.world.time < h * (1.0 + 1e-6)
    seek(made, 50)
    assert [state(member.simulation) for member in made.members] == states[0]


def test_a_fan_from_a_past_moment_repeats_what_was_done_since_and_equals_what_was_recorded():
    leader = Simulation("stack")
    without_clock(leader)
    commands.set_friction(leader, 0.6)
    made = Comparison(leader)
    run(made, 10)
    hand(made, 3)
    made.apply_command(commands.throw, ((0.0, -3.0, 1.0), (0.0, 9.0, 0.0)), {})
    run(made, 30)
    end = state(leader)
    seek(made, 6)
    made.apply_command(Comparison.start_fan, ("friction", (0.1, 0.6, 1.0)), {})
    assert [member.simulation.world.steps for member in made.members] == [6, 6, 6] and leader.timeline.in_past
    seek(made, 60)      # over the recorded drag and throw, in one jump
    assert state(leader) == end and leader.history.last == 60
    assert state(made.members[1].simulation) == end
    assert len({member.simulation.world.bodies.tobytes() for member in made.members}) == 3
    seek(made, 20)
    seek(made, 60)
    assert state(made.members[1].simulation) == end


def test_a_fan_from_a_past_moment_goes_on_from_there():
    made = fan("stack", "friction", (0.1, 0.5, 1.0), 30)
    made.apply_command(Comparison.end_fan, (), {})
    seek(made, 12)
    made.apply_command(Comparison.start_fan, ("restitution", (0.0, 0.5, 1.0)), {})
    run(made, 5)
    assert [one.world.steps for one in made.simulations] == [17] * 4 and made.leader.history.last == 17


def test_undo_reverts_the_same_edit_in_all_worlds_and_never_their_own_setting():
    made = fan("stack", "friction", (0.1, 0.6, 1.0), 5)
    made.apply_command(commands.set_gravity, ((0.0, 0.0, -3.0),), {})
    made.apply_command(commands.set_friction, (0.3,), {})
    made.apply_command(commands.undo, (2,), {})
    assert [one.world.gravity[2] for one in made.simulations] == [-9.81] * 4
    assert [member.simulation.friction for member in made.members] == [0.1, 0.6, 1.0] and made.leader.friction is None
    made.apply_command(commands.redo, (2,), {})
    assert [one.world.gravity[2] for one in made.simulations] == [-3.0] * 4 and made.leader.friction == 0.3
    assert [float(member.simulation.world.shapes["friction"][1]) for member in made.members] == [0.1, 0.6, 1.0]


def test_an_option_of_a_compared_solver_is_no_edit_of_the_others():
    """Undo in the follower took back its own option instead of the friction."""
    made = Comparison(Simulation("stack"))
    made.apply_command(Comparison.compare_with, ("soft_steps",), {})
    made.apply_command(commands.set_gravity, ((0.0, 0.0, -3.0),), {})
    made.apply_command(commands.set_option, ("iterations", 7), {})
    made.apply_command(Comparison.set_follower_option, (0, "substeps", 3), {})
    made.apply_command(commands.undo, (2,), {})
    follower = made.followers[0].simulation
    assert follower.world.gravity[2] == made.leader.world.gravity[2] == -9.81
    assert follower.world.solver.options.substeps == 3


def test_a_reset_keeps_the_members_settings_and_another_scene_ends_the_fan():
    made = fan("incline", "friction", (0.1, 0.6, 1.0), 5)
    run(made, 5)
    made.apply_command(Simulation.reset, (), {})
    made.apply_command(commands.set_parameter, ("angle", 30.0), {})
    assert [member.simulation.world.steps for member in made.members] == [0, 0, 0]
    assert [set(member.simulation.world.shapes["friction"][1:].tolist()) for member in made.members] == [{0.1}, {0.6}, {1.0}]
    made.apply_command(Simulation.load, ("stack",), {})
    assert made.members == ()


def test_members_slide_as_far_as_the_law_says():
    """From rest on 25 degrees, friction mu for box and bench: s = g (sin - mu cos) t^2 / 2, and none where mu > tan."""
    values = (0.0, 0.2, 0.4, 0.6)
    made = fan("incline", "friction", values)
    box = made.leader.world.body("box 3")
    starts = [member.simulation.world.bodies["pos"][box].copy() for member in made.members]
    run(made, 120)
    theta, t = math.radians(25.0), made.leader.world.time
    for member, mu, start in zip(made.members, values, starts):
        law = max(0.0, 0.5 * 9.81 * (math.sin(theta) - mu * math.cos(theta)) * t * t)
        slid = np.linalg.norm(member.simulation.world.bodies["pos"][box] - start)
        assert slid == pytest.approx(law, abs=0.005 * max(law, 0.02)), mu


def test_bad_fans_are_refused_in_one_sentence():
    made = Comparison(Simulation("stack"))
    for arguments, word in ((("colour", (1.0, 2.0, 3.0)), "available"), (("friction", (0.1, 0.2)), "3 to 9"),
                            (("friction", (0.1, 0.1, 0.2)), "3 to 9"), (("friction", (0.1, math.nan, 0.2)), "out of range"),
                            (("dt", (0.1, 0.0, 0.2)), "out of range"),
                            (("solver", ("soft_steps", "magic", "joint_space")), "magic"),
                            (("friction", tuple(k / 10 for k in range(10))), "3 to 9")):
        with pytest.raises(BadInput, match=word):
            made.apply_command(Comparison.start_fan, arguments, {})
    assert made.members == ()


def test_commands_that_a_member_keeps_to_itself_are_edits():
    from app.engine.variation import VARIABLES

    unshared = set(itertools.chain.from_iterable(variable.unshared for variable in VARIABLES.values()))
    assert unshared <= set(COMMANDS.values())
