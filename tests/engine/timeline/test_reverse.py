"""Backward playback: every shown step is exact to the bit and recomputed about once."""

import pytest
from pyglet.window import key

from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.engine.timeline import history, reverse
from physics import BadInput
from tests.helpers import lived, meddle, opened, packed, samples, state, without_clock

FEW = ("pyramid", "chain", "door", "joint_gallery")


def seen_backwards(simulation):
    """Step by step as the thread does it, to where it stops: {step: (state, samples)}."""
    seen = {}
    commands.play_back(simulation)
    for _ in range(100_000):
        if simulation.paused:
            return seen
        assert simulation.step()
        if simulation.world.steps < simulation.history.last:    # else the first stretch is being made
            seen[simulation.world.steps] = state(simulation), samples(simulation)
    raise AssertionError("it does not stop")


def counted(monkeypatch):
    """Steps that are made, by whomever."""
    made = []
    real = Simulation.compute_step
    monkeypatch.setattr(Simulation, "compute_step", lambda self: made.append(1) or real(self))
    return made


def past_of(scene, count=70, doing=meddle):
    simulation = Simulation(scene)
    without_clock(simulation)
    return simulation, *lived(simulation, count, doing)


@pytest.mark.parametrize("spacing", [1e9, 1e-3], ids=["one keyframe", "many keyframes"])
@pytest.mark.parametrize("scene", FEW)
def test_backward_playback_shows_every_step_exactly(scene, spacing, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", spacing)
    simulation, states, traces = past_of(scene)
    seen = seen_backwards(simulation)
    assert list(seen) == [*range(69, -1, -1)] and simulation.world.steps == 0
    for step, (was, plotted) in seen.items():
        assert was == states[step] and plotted == traces[step], step
    assert not simulation.player.playing and simulation.paused and simulation.history.last == 70
    with pytest.raises(BadInput, match="oldest stored step"):
        commands.play_back(simulation)
    commands.go_to_step(simulation, 70)
    simulation.timeline.go_to_goal()
    assert state(simulation) == states[70], "the present was kept"


@pytest.mark.parametrize(("most", "passes"), [(240, 1.02), (40, 2.1), (8, 4.0)])
def test_long_sections_are_divided_and_steps_recomputed_few_times(most, passes, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    monkeypatch.setattr(reverse, "MAX_STATES", most)
    simulation, states, _ = past_of("pendulum", 230, lambda simulation, step: None)
    made, kept = counted(monkeypatch), []
    real = Simulation.moment
    monkeypatch.setattr(Simulation, "moment", lambda self, done: kept.append(1) or real(self, done))
    seen = seen_backwards(simulation)
    assert all(was == states[step] for step, (was, _) in seen.items()) and len(seen) == 230
    assert len(made) <= passes * 230 and len(kept) <= 1.5 * 230


def test_the_next_section_is_prepared_in_time(monkeypatch):
    """No step of the simulation makes more than a few of the reel's, but for the first stretch."""
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    simulation = Simulation("pendulum")
    without_clock(simulation)
    for step in range(1, 121):
        assert simulation.step()
        if step % 20 == 0:
            simulation.history.store_keyframe(simulation.moment)
    made, most = counted(monkeypatch), []
    monkeypatch.setattr(reverse.ReversePlayback.before, "__defaults__", (60.0,))
    commands.play_back(simulation)
    while not simulation.paused:
        before = len(made)
        simulation.step()
        most.append(len(made) - before)
    assert most[0] >= 19 and max(most[1:]) <= 2 and sum(most) <= 120


def test_playback_stays_responsive_while_a_long_section_is_prepared(monkeypatch):
    """The replica works for a slice of time; meanwhile the step stays, and commands go through."""
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 1e9)
    simulation, states, _ = past_of("pyramid", 60, lambda simulation, step: None)
    monkeypatch.setattr(reverse.ReversePlayback.before, "__defaults__", (0.0,))
    commands.play_back(simulation)
    stood = 0
    while simulation.world.steps == 60:
        simulation.step()
        stood += 1
        assert state(simulation) == states[60] or simulation.world.steps == 59
    assert stood == 61 and state(simulation) == states[59]


def test_pausing_reversing_and_jumping(monkeypatch):
    simulation, states, _ = past_of("pyramid")
    commands.play_back(simulation)
    for wanted in (60, 47):
        while simulation.world.steps > wanted:
            simulation.step()
    simulation.pause()
    assert state(simulation) == states[47] and not simulation.player.is_reversed
    simulation.single_step()
    simulation.timeline.go_to_goal()
    assert state(simulation) == states[48]
    commands.go_to_step(simulation, 20)
    simulation.timeline.go_to_goal()
    commands.play_back(simulation)
    while simulation.world.steps > 15:
        simulation.step()
    commands.replay(simulation)
    assert simulation.player.playing and not simulation.player.is_reversed
    while simulation.world.steps < 30:
        simulation.step()
    assert state(simulation) == states[30]
    commands.play_back(simulation)
    while simulation.world.steps > 25:
        simulation.step()
    commands.play_back(simulation)
    assert simulation.paused and state(simulation) == states[25], "once more is a pause"


def test_an_edit_branches_from_the_shown_step():
    simulation, states, _ = past_of("pyramid")
    commands.play_back(simulation)
    while simulation.world.steps > 40:
        simulation.step()
    commands.throw(simulation, (-2.0, 0.0, 1.0), (6.0, 0.0, 0.0))
    assert simulation.history.last == 40 and not simulation.player.playing
    simulation.pause()
    simulation.run()
    later = {40: state(simulation)}
    for step in range(41, 71):
        assert simulation.step()
        later[step] = state(simulation)
    simulation.pause()
    seen = seen_backwards(simulation)
    assert all(was == (later if step >= 40 else states)[step] for step, (was, _) in seen.items())
    assert later[70] != states[70]


def test_budget_cut_steps_are_skipped(monkeypatch):
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.02)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    states, _ = lived(simulation, 40)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    assert simulation.history.unrepeatable_steps
    seen = seen_backwards(simulation)
    assert 0 in seen and all(was == states[step] for step, (was, _) in seen.items())
    assert list(seen) == sorted(seen, reverse=True)


def test_a_loop_plays_backwards():
    simulation, states, _ = past_of("pendulum", 20, lambda simulation, step: None)
    times = list(simulation.history.times)
    commands.set_loop(simulation, times[5], times[9])
    commands.play_back(simulation)
    seen = []
    for _ in range(3000):       # on a busy machine a section is not ready each time
        simulation.step()
        simulation.timeline.go_to_goal()
        if simulation.world.steps < 20 and (not seen or simulation.world.steps != seen[-1]):
            seen.append(simulation.world.steps)
            assert state(simulation) == states[seen[-1]]
        if len(seen) > 24:
            break
    assert seen == [*range(19, 4, -1), *2 * [9, 8, 7, 6, 5]]


def test_a_recording_is_played_backwards(tmp_path):
    simulation, states, _ = past_of("pyramid")
    replay = opened(packed(simulation), tmp_path / "a.stiction")
    commands.go_to_step(replay, 70)
    replay.timeline.go_to_goal()
    seen = seen_backwards(replay)
    assert all(was == states[step] for step, (was, _) in seen.items()) and len(seen) == 70
    replay.run()
    assert replay.player.playing and not replay.player.is_reversed, "Run shows it forwards again"


def test_compared_solvers_play_backwards_together():
    leader = Simulation("pendulum")
    without_clock(leader)
    made = Comparison(leader)
    made.apply_command(Comparison.compare_with, ("soft_steps",), {})
    states = []
    for _ in range(15):
        states.append([state(simulation) for simulation in made.simulations])
        made.step()
    made.apply_command(commands.play_back, (), {})
    while not leader.paused:
        made.step()
        while made.is_seeking:
            made.catch_up()
        if leader.world.steps < 15:
            assert [state(simulation) for simulation in made.simulations] == states[leader.world.steps]
    assert leader.world.steps == 0


def test_slow_motion_applies_backwards():
    """Of the thread's own pace: it waits between steps as long as forwards."""
    simulation = Simulation("pendulum")
    without_clock(simulation)
    for _ in range(10):
        simulation.step()
    thread = PhysicsThread(simulation)
    simulation.set_speed(0.25)
    thread.post(commands.play_back)
    thread.run_commands()
    assert simulation.player.is_reversed
    thread.advance(5.0, 5.0)
    assert thread.advance(6.0, 6.0) == pytest.approx(6.0 + 4.0 * simulation.dt)


def test_backward_playback_by_key_and_button(person):
    """What is drawn at a pause is the very step that was shown on the way there."""
    session = person.session
    person.load("pyramid")
    session.post(commands.set_time_share, 0.0)
    session.post(Simulation.set_speed, 1.0)
    was = {}
    for step in range(1, 61):
        session.post(Simulation.single_step)
        assert person.wait(lambda step=step: session.frame.step == step)
        was[step] = session.frame.bodies.tobytes(), session.frame.contacts.tobytes()
    session.post(Simulation.set_speed, 0.125)
    person.hit(key.COMMA, key.MOD_SHIFT)
    assert person.wait(lambda: session.frame.step < 50 and not session.frame.paused)
    person.hit(key.SPACE)
    assert person.wait(lambda: session.frame.paused)
    here = session.frame.step
    assert 0 < here < 50 and (session.frame.bodies.tobytes(), session.frame.contacts.tobytes()) == was[here]
    person.click("top/play back")
    assert person.wait(lambda: session.frame.step < here)
    person.click("top/play back")
    assert person.wait(lambda: session.frame.paused)
    here = session.frame.step
    assert here == 0 or session.frame.bodies.tobytes() == was[here][0]
    session.post(Simulation.set_speed, 4.0)
    person.hit(key.F8, key.MOD_SHIFT)
    assert person.wait(lambda: session.frame.paused and session.frame.step == 0)
    assert session.frame.past.last == 60
    session.post(Simulation.set_speed, 1.0)
