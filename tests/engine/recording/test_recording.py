"""Recordings: what is replayed from a file is what was, to the bit; what is not is found at the step where it begins."""

from array import array
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cli import main
from app.commands import check
from app.engine import commands
from app.engine.breakpoints.kinds import WatchExpression
from app.engine.comparison import Comparison
from app.engine.recording import file as recording
from app.engine.recording.codec import Decoder, Encoder, from_stored, to_stored
from app.engine.simulation import Simulation
from app.engine.timeline import history
from app.files.atomic_write import write
from physics import BadInput, Box, Hull, Material
from physics.core.records import CONTACT, JOINT, record
from physics.observe.audit import auditor
from tests.helpers import lived, meddle, opened, packed, rewritten, state, texts, without_clock

FEW = ("pyramid", "chain", "door")


def lived_in(scene, count=70, doing=meddle):
    simulation = Simulation(scene)
    without_clock(simulation)
    states, _ = lived(simulation, count, doing)
    return simulation, states


@pytest.fixture(scope="module")
def short():
    """A recording of 20 steps of a pendulum, with a ball thrown; all its moments are in the file."""
    simulation = Simulation("pendulum")
    without_clock(simulation)
    for step in range(20):
        simulation.step()
        simulation.history.store_keyframe(simulation.moment)
        if step == 9:
            commands.throw(simulation, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    return packed(simulation)


@pytest.mark.parametrize("scene", FEW)
def test_a_replay_equals_the_run_bit_for_bit(scene, tmp_path):
    simulation, states = lived_in(scene)
    replay = opened(packed(simulation), tmp_path / "a.stiction")
    assert replay.world.steps == 0 and replay.paused and replay.timeline.in_past
    for step in range(71):
        replay.timeline.repeat_commands()
        assert state(replay) == states[step], step
        assert step == 70 or replay.player.recompute_next()
    assert replay.recorder.divergence is None and len(replay.history.checks) == 71
    commands.go_to_step(replay, 33)
    replay.timeline.go_to_goal()
    assert state(replay) == states[33], "the transport bar goes about in it"


def edited(simulation, step):
    """Edits taken back and done again, among throws, a shape and laws that a file must hold."""
    body = int(np.flatnonzero(simulation.world.bodies["mass"] > 0.0)[-1])
    if step == 4:
        commands.throw(simulation, (-2.0, 0.0, 1.0), (6.0, 0.0, 0.0), shape=Box((0.1, 0.1, 0.2)), friction=0.9)
    if step == 8:
        commands.set_friction(simulation, 0.2)
        commands.spawn(simulation, Hull(np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]])), (0.0, 0.0, 4.0))
    if step == 12:
        commands.remove_body(simulation, body)
        commands.set_material(simulation, 1, Material(friction=0.7, rolling=0.01, name="felt"))
    if step in (15, 16, 17):
        commands.undo(simulation)
    if step == 20:
        commands.redo(simulation)
        commands.set_sleeping(simulation, "enabled", True)
        commands.set_sleeping(simulation, "delay", 0.05)
    if step == 30:
        commands.use_solver(simulation, "soft_steps")


@pytest.mark.parametrize("first", [0, 14])
def test_edits_and_undo_are_replayed_and_their_list_is_not_in_the_file(first, tmp_path, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 0.0)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    simulation, states = lived_in("pyramid", 40, edited)
    assert simulation.edits.done
    replay = opened(packed(simulation, first), tmp_path / "a.stiction")
    assert replay.world.steps == first
    while replay.world.steps < 40:
        assert replay.player.recompute_next()
        assert state(replay) == states[replay.world.steps]
    assert replay.recorder.divergence is None and not replay.edits.done
    assert not any("edits" in str(m) for m in texts(packed(simulation))["moments"])
    commands.set_gravity(replay, (0.0, 0.0, -3.0))
    commands.undo(replay)
    commands.go_to_step(replay, first + 2)
    replay.timeline.go_to_goal()
    assert not replay.edits.done and tuple(replay.world.gravity) == tuple(simulation.world.gravity)


@pytest.mark.parametrize(("scene", "told"), [("superball", lambda report: report.impact_records),
                                             ("concave_ramp_events", lambda report: report.events.events)])
def test_a_keyframe_at_an_impact_can_be_read(scene, told, tmp_path):
    """Its report holds what happened: the records of an impact, the events of an event-driven step."""
    simulation = Simulation(scene)
    without_clock(simulation)
    while not simulation.world.steps or told(simulation.world.report) is None or not len(told(simulation.world.report)):
        assert simulation.step() and simulation.world.steps < 500
    simulation.history.store_keyframe(simulation.moment)
    again = opened(packed(simulation), tmp_path / "a.stiction")
    commands.go_to_step(again, simulation.world.steps)
    again.timeline.go_to_goal()
    assert state(again) == state(simulation)
    assert repr(told(again.world.report)) == repr(told(simulation.world.report))


def test_a_recording_can_begin_at_any_step(tmp_path):
    simulation, states = lived_in("pyramid")
    commands.go_to_step(simulation, 45)
    simulation.timeline.go_to_goal()
    replay = opened(packed(simulation, 30), tmp_path / "a.stiction")
    assert replay.world.steps <= 30
    while replay.world.steps < 70:
        assert replay.player.recompute_next()
    assert state(replay) == states[70] and replay.recorder.divergence is None


def test_budget_cut_steps_are_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.02)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(40):
        simulation.step()
    assert len(simulation.history.unrepeatable_steps) > 3
    last = simulation.world.bodies.tobytes()
    replay = opened(packed(simulation), tmp_path / "a.stiction")
    while replay.world.steps < 40:
        assert replay.player.recompute_next()
    assert replay.world.bodies.tobytes() == last and replay.recorder.divergence is None


def moments(count, size=1000, every=7):
    return [history.Keyframe(SimpleNamespace(steps=every * k), {}, 0, size) for k in range(count)]


@pytest.mark.parametrize("count", [1, 39, 40, 41, 60, 79, 80, 81, 137, 1000])
def test_a_file_has_the_first_keyframe_and_at_most_forty_evenly_spaced(count):
    kept = recording.choose_keyframes(all_of := moments(count), array("q"))
    assert kept[0] is all_of[0] and len(kept) <= recording.MAX_KEYFRAMES
    assert len(kept) >= min(count, recording.MAX_KEYFRAMES // 2)
    apart = {b.step - a.step for a, b in pairwise(kept)}
    assert len(apart) <= 1, "a place in the file costs the same everywhere"
    assert count > recording.MAX_KEYFRAMES or kept == all_of


@pytest.mark.parametrize("size", [1_000_000, 3_000_000, 30_000_000])
def test_large_keyframes_stay_within_their_limit(size):
    kept = recording.choose_keyframes(moments(100, size), array("q"))
    assert sum(moment.size for moment in kept[1:]) <= recording.MAX_REPORT_BYTES


def test_the_keyframe_after_a_budget_cut_step_is_always_in_the_file():
    """Also where keeping one had to wait for a later step, and however many moments there are."""
    all_of = moments(100)
    cuts = array("q", [7 * 11, 7 * 19 + 3, 7 * 19 + 5, 7 * 57 - 6, 7 * 99 + 2])
    kept = recording.choose_keyframes(all_of, cuts)
    for place in (11, 20, 57):
        assert all_of[place] in kept
    others = [moment for moment in kept if moment.step not in (7 * 11, 7 * 20)]     # 57 is a third one as it is
    assert others == recording.choose_keyframes(all_of, array("q")) and len(kept) == len(others) + 2


def test_divergence_is_found_at_its_exact_step(short, tmp_path, capsys):
    def wrong(text, arrays):
        arrays["checks"][13] += 1
    replay = opened(rewritten(short, wrong), tmp_path / "wrong.stiction")
    commands.replay(replay)
    while not replay.paused:
        replay.step()
    assert replay.recorder.divergence.step == 13 and "from step 13" in replay.recorder.divergence.text
    assert main(["replay", str(tmp_path / "wrong.stiction"), "--headless"]) == 1
    assert "step 13" in capsys.readouterr().out


def test_a_changed_command_shows_in_the_next_step_with_body_and_size(short, tmp_path):
    def harder(text, arrays):
        text["deeds"][-1]["args"]["tuple"][1]["tuple"][2] = 1.5
    replay = opened(rewritten(short, harder), tmp_path / "harder.stiction")
    while replay.world.steps < 20:
        replay.player.recompute_next()
    assert replay.recorder.divergence.step == 11
    text = replay.recorder.divergence.text
    assert "from step 11 (t = " in text and "on: 'thrown ball 1'" in text
    assert "at step 11 the largest deviation is 'thrown ball 1', 0.00208 m and 0.5 m/s" in text
    assert replay.recorder.divergence.measured


def test_the_first_divergence_is_kept_in_any_order_of_seeking(short, tmp_path):
    def wrong(text, arrays):
        arrays["checks"][[7, 13]] += np.uint64(1)
        arrays["each"][sum(arrays["bodies"][:7]) + 1] += 1
    replay = opened(rewritten(short, wrong), tmp_path / "wrong.stiction")
    commands.go_to_step(replay, replay.history.moment_after(8).step)
    replay.timeline.go_to_goal()
    for _ in range(20 - replay.world.steps):
        replay.player.recompute_next()
    late = replay.recorder.divergence
    commands.go_to_step(replay, 0)
    replay.timeline.go_to_goal()
    for _ in range(10):
        replay.player.recompute_next()
    assert replay.recorder.divergence.step == 7 and f"'{replay.world.body_names[1]}'" in replay.recorder.divergence.text
    assert late is None or late.step == 13
    commands.set_gravity(replay, (0.0, 0.0, -1.0))
    last = replay.world.bodies.tobytes()
    assert replay.recorder.divergence is None and replay.history.last == 10
    replay.step()
    commands.go_to_step(replay, 10)
    replay.timeline.go_to_goal()
    assert replay.world.bodies.tobytes() == last, "what went on from a replay that differs is its own past"


def test_a_branched_replay_leaves_the_recording_unchanged(short, tmp_path):
    def harder(text, arrays):
        text["deeds"][-1]["args"]["tuple"][1]["tuple"][2] = 1.5
    replay = opened(rewritten(short, harder), tmp_path / "harder.stiction")
    recorded = replay.history.moments[-1]
    assert recorded.snapshot.tables[0].storage.dtype.isalignedstruct, "records are those that kernels are compiled for"
    while replay.world.steps < 20:
        replay.player.recompute_next()
    assert replay.recorder.divergence.step == 11
    commands.go_to_step(replay, 0)
    replay.timeline.go_to_goal()
    assert replay.history.moments[-1] is recorded
    for _ in range(11):
        replay.player.recompute_next()
    commands.set_gravity(replay, (0.0, 0.0, -1.0))
    last = replay.world.bodies.tobytes()
    replay.step()
    commands.go_to_step(replay, 11)
    replay.timeline.go_to_goal()
    assert replay.world.bodies.tobytes() == last


def test_breakpoints_stop_playback_at_the_same_steps(short, tmp_path):
    replay = opened(short, tmp_path / "a.stiction")
    index = next(i for i, one in enumerate(replay.breakpoints.items) if isinstance(one, WatchExpression))
    commands.set_breakpoint(replay, index, "expression", "time > 0.03")
    commands.set_breakpoint(replay, index, "on", True)
    replay.run()
    while not replay.paused:
        replay.step()
    assert replay.breakpoints.hit.step == replay.world.steps == 8 and replay.player.playing and replay.history.last == 20
    replay.run()
    while not replay.paused:
        replay.step()
    assert replay.world.steps == 20 and not replay.player.playing


def test_a_changed_keyframe_is_found(short):
    def moved(text, arrays):
        for value in arrays.values():
            if value.dtype.names and "pos" in value.dtype.names and "vel" in value.dtype.names:
                value["pos"] += 1e-12
    with pytest.raises(BadInput, match="keyframe of step 0"):
        recording.unpack(rewritten(short, moved))


def without_joints(text, arrays):
    for value in arrays.values():
        if value.dtype.names and "motor_mode" in value.dtype.names:
            value["kind"] = -6685


@pytest.mark.parametrize(("change", "words"), [
    (lambda text, arrays: text.update(format=99), "newer"),
    (lambda text, arrays: text.update(scene="nowhere"), "unknown scene 'nowhere'"),
    (lambda text, arrays: text.update(moments=[]), "start is missing"), (lambda text, arrays: text.pop("deeds"), "damaged"),
    (lambda text, arrays: arrays.pop("times"), "column 'times' is missing"), (without_joints, "names 'hinge', which is not"),
    (lambda text, arrays: arrays.update(each=arrays["each"][:9]), "step checksums"),
    (lambda text, arrays: text["moments"][0]["snapshot"].update({"class": "subprocess:Popen"}), "must not hold"),
    (lambda text, arrays: text["moments"][0]["snapshot"].update({"class": "physics.step:step"}), "must not hold")])
def test_an_unreplayable_run_gives_the_reason(short, change, words):
    with pytest.raises(BadInput, match=words):
        recording.unpack(rewritten(short, change))


@settings(max_examples=60)
@given(st.data())
def test_damaged_files_give_one_sentence(short, data):
    damaged = bytearray(short)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    damaged = bytes(damaged[: data.draw(st.integers(0, len(damaged)))]) if data.draw(st.booleans()) else bytes(damaged)
    try:
        recording.unpack(damaged)
    except BadInput as refused:
        assert "cannot be replayed" in str(refused) and "\n" not in str(refused)


def test_an_invalid_command_is_refused_and_nothing_is_lost(short, tmp_path):
    simulation = Simulation("door")
    simulation.step()
    (tmp_path / "evil.stiction").write_bytes(rewritten(short, lambda text, arrays: text["deeds"][0].update(command="load")))
    with pytest.raises(BadInput, match="it contains 'load'"):
        commands.open_recording(simulation, tmp_path / "evil.stiction")
    assert simulation.scene_name == "door" and simulation.world.steps == 1


def test_older_tables_get_fields_added_since():
    for table in (CONTACT, JOINT):
        now = np.zeros(3, table)
        now["impulse"] = 1.5
        old = np.zeros(3, record([(name, table[name]) for name in table.names if name != "residual"]))
        for name in old.dtype.names:
            old[name] = now[name]
        grown = from_stored(to_stored(old))
        assert grown.dtype == table and grown.tobytes() == now.tobytes()
        assert from_stored(now) is now
    other = np.zeros(2, record([("pos", "f8", 3), ("size", "f8")]))
    assert from_stored(other) is other and from_stored(np.arange(3)).sum() == 3


def test_older_objects_get_fields_added_since():
    made = Encoder(()).encode(auditor.AuditOptions(overlap=0.3))
    del made["fields"]["reject_above"]
    assert Decoder({}, ()).decode(made) == auditor.AuditOptions(overlap=0.3)
    made["fields"]["other"] = 1.0
    with pytest.raises(BadInput, match="its format of AuditOptions is not supported"):
        Decoder({}, ()).decode(made)


def test_foreign_files_are_refused_and_nothing_changes(tmp_path):
    simulation = Simulation("pendulum")
    (tmp_path / "a.stiction").write_bytes(b"hello")
    for path in ("a.stiction", "missing.stiction", "."):
        with pytest.raises(BadInput):
            commands.open_recording(simulation, tmp_path / path)
    assert simulation.scene_name == "pendulum" and simulation.recorder.recording is None


def test_looped_playback_does_not_branch(short, tmp_path):
    replay = opened(short, tmp_path / "a.stiction")
    times = list(replay.history.times)
    commands.set_loop(replay, times[5], times[9])
    commands.replay(replay)
    seen = []
    for _ in range(16):
        assert replay.step()
        replay.timeline.go_to_goal()
        seen.append(replay.world.steps)
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6]
    commands.set_loop(replay, 0.0, 0.0)
    while not replay.paused:
        replay.step()
    assert replay.world.steps == replay.history.last == 20
    commands.go_to_step(replay, 10)
    replay.timeline.go_to_goal()
    replay.run()
    assert replay.player.playing, "Run replays a recording"
    commands.set_gravity(replay, (0.0, 0.0, -1.0))
    assert not replay.player.playing and replay.history.last == 10, "whoever changes something goes on from there"


def test_recording_from_a_step_on_and_the_command_line(tmp_path, capsys):
    simulation = Simulation("pendulum")
    with pytest.raises(BadInput, match="no recording is running"):
        commands.save_recording(simulation, tmp_path / "b.stiction", write)
    commands.start_recording(simulation)
    for _ in range(5):
        simulation.step()
    commands.save_recording(simulation, tmp_path / "b.stiction", write)
    assert "saved" in simulation.messages[-1] and simulation.recorder.since == -1
    path = str(tmp_path / "c.stiction")
    assert main(["record", "pendulum", "--seconds", "0.1", "--out", path]) == 0
    assert main(["replay", path, "--headless"]) == 0
    said = capsys.readouterr().out
    assert "all 24 steps match the recording bit for bit" in said and "press" not in said, "there is no window"
    assert main(["replay", str(tmp_path / "nothing"), "--headless"]) == 2


def test_one_step_and_one_command_of_a_recording_are_singular(tmp_path):
    """It had "1 commands"."""
    simulation = Simulation("pendulum")
    commands.start_recording(simulation)
    commands.set_gravity(simulation, (0.0, 0.0, -3.0))
    simulation.step()
    commands.save_recording(simulation, tmp_path / "one.stiction", write)
    said = check.recording(tmp_path / "one.stiction")
    assert " in 1 step, " in said and said.endswith(", 1 command")


def test_a_reset_restarts_the_recording_and_a_full_disk_loses_nothing(tmp_path):
    simulation = Simulation("pendulum")
    simulation.step()
    commands.start_recording(simulation)
    simulation.step()
    simulation.reset()
    assert simulation.recorder.since == 0 and "recording restarts" in simulation.messages[-1]
    simulation.step()

    def full(path, data):
        raise OSError(28, "No space left on device")
    with pytest.raises(BadInput, match="no data is lost: No space"):
        commands.save_recording(simulation, tmp_path / "a.stiction", full)
    commands.save_recording(simulation, tmp_path / "a.stiction", write)
    assert recording.read(tmp_path / "a.stiction").history.last == 1


def test_compared_solvers_play_back_and_end_when_a_recording_opens(short, tmp_path):
    leader = Simulation("pendulum")
    without_clock(leader)
    made = Comparison(leader)
    made.apply_command(Comparison.compare_with, ("soft_steps",), {})
    states = []
    for _ in range(12):
        states.append([state(simulation) for simulation in made.simulations])
        made.step()
    made.apply_command(commands.go_to_step, (3,), {})
    made.apply_command(commands.replay, (), {})
    for step in range(4, 9):
        assert made.step()
        while made.is_seeking:
            made.catch_up()
        assert [state(simulation) for simulation in made.simulations] == states[step]
    assert leader.history.last == 12
    taken = []
    made.apply_command(commands.export_state, (taken.append,), {})
    assert len(taken) == 1, "only the leader's"
    (tmp_path / "a.stiction").write_bytes(short)
    with pytest.raises(BadInput):
        made.apply_command(commands.open_recording, (str(tmp_path / "gone.stiction"),), {})
    assert len(made.followers) == 1
    made.apply_command(commands.open_recording, (str(tmp_path / "a.stiction"),), {})
    assert not made.followers and "comparison with" in leader.messages[-1]
    with pytest.raises(BadInput, match="contains one solver"):
        made.apply_command(Comparison.compare_with, ("soft_steps",), {})
