"""Backward search for breakpoints: it stops at the same steps for the same causes as forwards."""

import pytest
from pyglet.window import key

from app.engine import commands
from app.engine.breakpoints.base import BREAKPOINT_KINDS
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.engine.timeline import history, reverse
from physics import BadInput
from tests.helpers import lived, on, run, run_past, state, without_clock


def unhurried(scene):
    simulation = Simulation(scene)
    without_clock(simulation)
    return simulation


def hits_of(simulation, count):
    """Forwards: [(step, cause)], until so many fired."""
    hits = []
    for _ in range(count):
        hits.append((run(simulation), simulation.breakpoints.hit.cause))
    return hits


def played_back(simulation, most=20_000):
    """As the thread does: plays backwards to its next pause."""
    commands.play_back(simulation)
    for _ in range(most):
        simulation.step()
        if simulation.paused:
            return simulation.world.steps, simulation.breakpoints.hit and simulation.breakpoints.hit.cause
    raise AssertionError("it does not stop")


@pytest.mark.parametrize(("spacing", "most"), [(1e9, 240), (1e9, 16), (1e-3, 240), (0.0, 240)],
                         ids=["one keyframe", "divided", "many keyframes", "a keyframe a step"])
def test_backward_playback_stops_at_the_same_steps_for_the_same_causes(spacing, most, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", spacing)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", history.KEYFRAME_COST_FACTOR if spacing else 0.0)
    monkeypatch.setattr(reverse, "MAX_STATES", most)
    simulation = unhurried("bouncing_balls")
    on(simulation, "NextContact")
    on(simulation, "WatchExpression", expression="time > 0.7")
    hits = hits_of(simulation, 6)
    states = {step: None for step, _ in hits}
    for way in (played_back, lambda s: (commands.run_back_to_hit(s), run_past(s), (s.world.steps, s.breakpoints.hit.cause))[2]):
        commands.go_to_step(simulation, simulation.history.last)
        simulation.timeline.go_to_goal()
        for step, cause in hits[-2::-1]:
            assert way(simulation) == (step, cause)
            assert simulation.breakpoints.hit.step == step and simulation.timeline.in_past
            states[step] = states[step] or state(simulation)
            assert state(simulation) == states[step]
    assert simulation.history.last == hits[-1][0], "nothing was forgotten"


def test_breakpoints_stop_at_commands_and_budget_cut_steps():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.02)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    on(simulation, "Impact", impulse=5.0)
    hits = []
    while simulation.world.steps < 80:
        simulation.step()
        if simulation.paused:
            hits.append((simulation.world.steps, simulation.breakpoints.hit.cause))
            simulation.paused = False
        if simulation.world.steps == 50:
            commands.set_velocity(simulation, 3, (0.0, 0.0, 4.0), (0.0, 0.0, 0.0))
    assert len(hits) > 3 and simulation.history.unrepeatable_steps
    simulation.pause()
    found = []
    while simulation.world.steps > 0:
        step, cause = played_back(simulation)
        found.append((step, cause))
    assert found[-1][0] == 0 and [hit for hit in found[:-1] if hit not in hits] == []
    kept = {step for step, _ in hits if simulation.history.is_repeatable_from(step - 1, step)}
    assert kept <= {step for step, _ in found}


def test_breakpoints_switched_on_during_playback_count():
    simulation, _, _ = _past("bouncing_balls", 300)
    commands.play_back(simulation)
    while simulation.world.steps > 250:
        simulation.step()
    one = on(simulation, "NextContact", once=True)
    while not simulation.paused:
        simulation.step()
    assert 0 < simulation.world.steps < 250 and not one.on and one.count == 1
    assert "come into contact" in simulation.breakpoints.hit.cause.text
    there = simulation.world.steps
    assert played_back(simulation)[0] == 0, "it was to fire once"
    on(simulation, "NextContact", once=False)
    forwards = []
    while simulation.world.steps < there:
        commands.run_to_hit(simulation)
        forwards.append(run_past(simulation))
    assert forwards[-1] == there


def _past(scene, count):
    simulation = unhurried(scene)
    return simulation, *lived(simulation, count, lambda *_: None)


def test_without_a_hit_the_search_ends_at_the_oldest_step():
    simulation, _, _ = _past("pendulum", 30)
    with pytest.raises(BadInput, match="no breakpoint is enabled"):
        commands.run_back_to_hit(simulation)
    on(simulation, "Penetration", depth=900.0)
    commands.run_back_to_hit(simulation)
    assert run_past(simulation) == 0 and simulation.breakpoints.hit is None and "oldest stored step" in simulation.messages[-1]
    with pytest.raises(BadInput, match="oldest stored step"):
        commands.run_back_to_hit(simulation)


def test_a_pause_stops_the_search_backwards():
    simulation, _, _ = _past("bouncing_balls", 200)
    on(simulation, "Penetration", depth=900.0)
    commands.run_back_to_hit(simulation)
    assert simulation.timeline.goal is None or simulation.timeline.goal == 0
    simulation.pause()
    here = simulation.world.steps
    assert run_past(simulation) == here and simulation.paused


def test_compared_solvers_stop_at_the_same_step():
    leader = Simulation("bouncing_balls")
    without_clock(leader)
    made = Comparison(leader)
    made.apply_command(Comparison.compare_with, ("soft_steps",), {})
    made.apply_command(commands.set_breakpoint, (list(BREAKPOINT_KINDS).index("NextContact"), "on", True), {})
    while leader.breakpoints.hit is None:
        made.step()
    there = leader.world.steps
    leader.paused = False
    for _ in range(25):
        made.step()
        leader.paused = False
    made.apply_command(commands.run_back_to_hit, (), {})
    while made.is_seeking:
        made.catch_up()
    assert leader.breakpoints.hit.step == leader.world.steps >= there and made.followers[0].is_at(leader.world.steps)
    made.apply_command(commands.go_to_step, (0,), {})
    made.apply_command(commands.run_to_hit, (), {})
    while made.is_seeking:
        made.catch_up()
    assert leader.world.steps == there and made.followers[0].is_at(there)


def test_the_window_goes_back_to_a_hit(person):
    session = person.session
    person.load("bouncing_balls")
    session.post(commands.set_time_share, 0.0)
    person.window.gui.panels.show("breakpoints")
    person.look(4)
    person.click("breakpoints/0 Next contact")
    assert person.wait(lambda: session.simulation.breakpoints.items[0].on)
    person.click("breakpoints/run to hit")
    assert person.wait(lambda: session.simulation.breakpoints.hit is not None and session.frame.paused)
    there = session.frame.step
    for step in range(there + 1, there + 6):
        session.post(Simulation.single_step)
        assert person.wait(lambda step=step: session.frame.step == step)
    person.click("breakpoints/run back to hit")
    assert person.wait(lambda: session.frame.step == there and session.frame.paused)
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.frame.step == there + 1)
    person.hit(key.H, key.MOD_CTRL)
    assert person.wait(lambda: session.frame.step == there)
    session.post(commands.set_breakpoint, 0, "on", False)
