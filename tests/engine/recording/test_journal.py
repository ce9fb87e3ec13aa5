"""A journal holds what is needed to go on where a killed process was, bit for bit, however its file ends."""

import os
import struct
import time
import zlib

import numpy as np
import pytest

import scenes
from app.camera import Camera
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.recording import journal, journal_file, view_state
from app.engine.recording.journal import abandoned
from app.engine.simulation import Simulation
from app.engine.timeline import history
from app.files.atomic_write import write
from app.gui.output.crash_recovery import describe_session
from physics import BadInput, Box
from tests.helpers import begun, state, without_clock


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody waits for the fifth of a second at which a journal is written."""
    monkeypatch.setattr(journal, "WRITE_INTERVAL", 0.01)


@pytest.fixture
def kept(tmp_path):
    """(simulation, journal) of ten boxes, and a function that leaves it as a crash does and restores it elsewhere."""
    simulation = Simulation()
    simulation.load("pyramid", scenes.find("pyramid").parameters(width=4))
    without_clock(simulation)
    made = begun(tmp_path, simulation)

    def after_a_crash():
        made.close(ended=False)
        again = Simulation()
        commands.recover(again, made.path)
        again.timeline.go_to_goal()
        return again
    yield simulation, made, after_a_crash
    made.close()


def steps(simulation, count):
    for _ in range(count):
        assert simulation.step()


def lived(simulation):
    """A person's doings of all kinds."""
    steps(simulation, 30)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    steps(simulation, 10)
    commands.set_gesture(simulation, 7)
    for mu in (0.2, 0.3, 0.4):
        commands.set_friction(simulation, mu)
        steps(simulation, 2)
    commands.set_gesture(simulation, 0)
    commands.drag_begin(simulation, 5, tuple(simulation.world.bodies["pos"][5]))
    steps(simulation, 5)
    commands.drag_move(simulation, (0.0, 0.0, 3.0))
    steps(simulation, 5)
    commands.drag_end(simulation)
    commands.undo(simulation)
    commands.redo(simulation)
    commands.remove_body(simulation, 3)
    steps(simulation, 20)


def same(one, other):
    assert one.world.steps == other.world.steps and state(one) == state(other)
    assert [edit.text for edit in one.edits.done] == [edit.text for edit in other.edits.done]
    assert [edit.text for edit in one.edits.undone] == [edit.text for edit in other.edits.undone]


def test_recovery_restores_all_edits_and_their_undo(kept):
    simulation, _, after_a_crash = kept
    lived(simulation)
    again = after_a_crash()
    same(simulation, again)
    assert again.paused and len(again.edits.done) == 3
    for one in (simulation, again):
        commands.undo(one, 2)
        steps(one, 10)
    same(simulation, again)
    for one in (simulation, again):
        commands.go_to_step(one, 35)
        one.timeline.go_to_goal()
    assert state(simulation) == state(again), "the past, too"


def test_a_discarded_future_is_not_recovered(kept):
    simulation, _, after_a_crash = kept
    lived(simulation)
    commands.go_to_step(simulation, 33)
    simulation.timeline.go_to_goal()
    commands.set_gravity(simulation, (0.0, 0.0, -2.0))
    steps(simulation, 15)
    again = after_a_crash()
    same(simulation, again)
    assert again.history.first == simulation.history.first == 0, "the past before it is there, too"
    for one in (simulation, again):
        commands.go_to_step(one, 20)
        one.timeline.go_to_goal()
    assert state(simulation) == state(again)


def test_continuing_from_before_the_journal_began(tmp_path):
    simulation = Simulation("pyramid")
    without_clock(simulation)
    steps(simulation, 50)
    made = begun(tmp_path, simulation)
    steps(simulation, 10)
    commands.go_to_step(simulation, 20)
    commands.set_friction(simulation, 0.1)
    steps(simulation, 10)
    made.close(ended=False)
    again = Simulation()
    commands.recover(again, made.path)
    same(simulation, again)


def test_the_shown_step_is_recovered(kept):
    simulation, _, after_a_crash = kept
    steps(simulation, 60)
    commands.go_to_step(simulation, 40)
    simulation.timeline.go_to_goal()
    again = after_a_crash()
    assert again.world.steps == 40 and again.history.last == 60 and state(again) == state(simulation)


@pytest.mark.parametrize("anew", [
    lambda s: s.reset(), lambda s: commands.set_parameter(s, "width", 3),
    lambda s: (commands.set_friction(s, 0.1), s.reset(), commands.undo(s)),
    lambda s: s.load("incline"), lambda s: (commands.bookmark_state(s), steps(s, 5), commands.return_to_state(s))])
def test_edits_that_rebuild_the_scene(kept, anew):
    simulation, _, after_a_crash = kept
    lived(simulation)
    anew(simulation)
    steps(simulation, 7)
    commands.set_restitution(simulation, 0.5)
    steps(simulation, 3)
    again = after_a_crash()
    assert state(again) == state(simulation)
    assert [e.text for e in again.edits.done] == [e.text for e in simulation.edits.done][-len(again.edits.done):]
    assert again.edits.done[-1].command == "set_restitution"


def test_budget_cut_steps_are_recovered_from_the_next_keyframe(kept, monkeypatch):
    simulation, _, after_a_crash = kept
    monkeypatch.setattr(journal, "STATE_INTERVAL_AFTER_CUT", 0.0)
    monkeypatch.setattr(journal, "STATE_COST_FACTOR", 0.0)
    simulation.world.use_solver("sequential_impulses")
    commands.set_option(simulation, "budget", 1e-9)
    steps(simulation, 60)
    assert len(simulation.history.unrepeatable_steps) > 30
    simulation.history.store_keyframe(simulation.moment)
    same(simulation, after_a_crash())


def test_a_long_run_has_keyframes_and_new_files(kept, monkeypatch):
    """Whatever a step costs: a keyframe after each."""
    simulation, made, after_a_crash = kept
    for module, name, value in ((history, "KEYFRAME_INTERVAL", 0.0), (history, "KEYFRAME_COST_FACTOR", 0.0),
                                (journal, "MAX_REPLAY_TIME", 0.0), (journal, "STATE_COST_FACTOR", 0.0),
                                (journal_file, "LARGEST", 40_000), (journal_file, "KEYFRAMES_PER_START", 3)):
        monkeypatch.setattr(module, name, value)
    largest, files, write = 0, [], journal_file.write
    monkeypatch.setattr(journal_file, "write", lambda *what, **how: (files.append(what), write(*what, **how)))
    for k in range(20):
        steps(simulation, 10)
        commands.set_friction(simulation, 0.3 + 0.01 * k)
        made.wait()
        largest = max(largest, made.path.stat().st_size)
    assert len(files) > 1 and largest < 100_000
    again = after_a_crash()
    same(simulation, again)
    assert len(again.edits.done) == 20


def test_the_longest_valid_part_is_read(kept, tmp_path):
    simulation, made, _ = kept
    states, ends = {}, []
    for k in range(6):
        steps(simulation, 5)
        commands.set_friction(simulation, 0.3 + 0.1 * k)
        states[simulation.world.steps, len(simulation.edits.done)] = state(simulation)
        made.wait()
        ends.append(made.path.stat().st_size)
    made.close(ended=False)
    data, seen = made.path.read_bytes(), set()
    for cut in (*ends, *(np.linspace(0, len(data) - 1, 20).astype(int)), *(end - 1 for end in ends)):
        path = tmp_path / "cut.journal"
        path.write_bytes(data[:cut])
        again = Simulation()
        try:
            commands.recover(again, path)
        except BadInput as error:
            assert cut < ends[0] and "cannot be restored" in str(error)
            continue
        key = again.world.steps, len(again.edits.done)
        if key in states:
            assert state(again) == states[key]
            seen.add(key)
    assert seen == states.keys()


def test_flipped_bits_only_shorten_the_journal(kept, tmp_path):
    simulation, made, _ = kept
    lived(simulation)
    made.close(ended=False)
    data, random = made.path.read_bytes(), np.random.default_rng(1)
    for _ in range(40):
        wrong = bytearray(data)
        wrong[random.integers(len(wrong))] ^= 1 << random.integers(8)
        path = tmp_path / "wrong.journal"
        path.write_bytes(wrong)
        again = Simulation()
        try:
            commands.recover(again, path)
        except BadInput as error:
            assert "cannot be restored" in str(error)
        else:
            assert again.history.last <= simulation.history.last
            assert not any("differs" in text for text in again.messages)


def test_only_abandoned_journals_are_offered_once(tmp_path):
    simulation = Simulation("pyramid")
    made = begun(tmp_path, simulation)
    steps(simulation, 3)
    made.wait()
    assert abandoned(tmp_path) == [], "its process lives"
    made.close()
    assert list(tmp_path.iterdir()) == []
    made = begun(tmp_path, simulation)
    commands.set_friction(simulation, 0.1)
    made.close(ended=False)
    (left,) = abandoned(tmp_path)
    summary = left.summary
    assert (summary.scene, summary.edits, summary.place) == ("pyramid", 1, 3) and abs(summary.clock - time.time()) < 60.0
    assert abandoned(tmp_path) == [], "one window asks, not two"
    left.release()
    (left,) = abandoned(tmp_path)
    left.remove()
    assert list(tmp_path.iterdir()) == [] and abandoned(tmp_path) == []


def test_a_journal_without_changes_is_not_offered(tmp_path):
    made = begun(tmp_path, Simulation("pyramid"))
    made.close(ended=False)
    assert journal_file.glance(made.path).is_untouched
    (tmp_path / "1-1.lock").touch()
    (tmp_path / "1-1.journal").write_bytes(b"nonsense")
    assert abandoned(tmp_path) == [] and list(tmp_path.iterdir()) == []


def rewritten(path, kind, contents):
    """The journal with the contents of its records of a kind replaced."""
    data, at, out = path.read_bytes(), len(journal_file.JOURNAL_MAGIC), [journal_file.JOURNAL_MAGIC]
    while at < len(data):
        length, _, found = journal_file.RECORD_HEADER.unpack_from(data, at)
        held = data[at + journal_file.RECORD_HEADER.size:at + journal_file.RECORD_HEADER.size + length]
        out.append(journal_file.framed(found, contents if found == kind else held))
        at += journal_file.RECORD_HEADER.size + length
    path.write_bytes(b"".join(out))


def packed(text):
    return zlib.compress(struct.pack("<I", len(text)) + text)


@pytest.mark.parametrize("kind, contents", [
    (journal_file.START, b"no zlib"), (journal_file.START, packed(b"[]")), (journal_file.START, packed(b"{}")),
    (journal_file.START, packed(b"[" * 100_000)), (journal_file.START, zlib.compress(b"\xff\xff\xff\xff")),
    (journal_file.WHERE, b"[]"), (journal_file.WHERE, b'{"place": []}'), (journal_file.WHERE, b"\xff"),
    (journal_file.WHERE, b'{"place": 1e999}'), (journal_file.WHERE, b'{"clock": "x"}')])
def test_a_journal_that_cannot_be_is_not_offered(tmp_path, kind, contents):
    """Whole records with right sums, and nonsense in them."""
    simulation = Simulation("pyramid")
    made = begun(tmp_path, simulation)
    commands.set_friction(simulation, 0.1)
    made.close(ended=False)
    rewritten(made.path, kind, contents)
    with pytest.raises(BadInput, match="damaged"):
        journal_file.glance(made.path)
    assert abandoned(tmp_path) == []


@pytest.mark.parametrize("clock", ["NaN", "1e300", "-1e300", "Infinity", "0"])
def test_a_time_that_cannot_be_is_that_of_the_file(tmp_path, clock):
    simulation = Simulation("pyramid")
    made = begun(tmp_path, simulation)
    commands.set_friction(simulation, 0.1)
    made.close(ended=False)
    rewritten(made.path, journal_file.WHERE, b'{"acts": 1, "edits": 1, "clock": %s}' % clock.encode())
    (left,) = abandoned(tmp_path)
    assert abs(left.summary.clock - time.time()) < 60.0 and "1 edit" in describe_session(left)
    left.remove()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders")
def test_a_pipe_among_the_journals_stops_nothing(tmp_path):
    os.mkfifo(tmp_path / "1-1.lock")
    assert abandoned(tmp_path) == []


def test_undo_and_reset_count_as_changes(tmp_path):
    for doing in (lambda s: (commands.set_friction(s, 0.1), commands.undo(s)), lambda s: s.reset(), lambda s: s.load("incline")):
        simulation = Simulation("pyramid")
        made = begun(tmp_path, simulation)
        doing(simulation)
        made.close(ended=False)
        (left,) = abandoned(tmp_path)
        left.remove()


def test_a_full_disk_is_reported_once_and_retried(kept, monkeypatch):
    simulation, _, after_a_crash = kept
    monkeypatch.setattr(journal, "RETRY_INTERVAL", 0.0)
    real = os.fsync

    def full(handle):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(journal, "SYNC", 0.0)
    monkeypatch.setattr(os, "fsync", full)
    for _ in range(3):
        steps(simulation, 5)
        time.sleep(5.0 * journal.WRITE_INTERVAL)
    assert sum("crash recovery is not available" in text and "No space left" in text for text in simulation.messages) == 1
    monkeypatch.setattr(os, "fsync", real)
    steps(simulation, 5)
    simulation.history.store_keyframe(simulation.moment)
    commands.set_friction(simulation, 0.2)
    same(simulation, after_a_crash())


def test_a_recording_that_was_opened_and_branched_from(kept, tmp_path):
    from app.files.atomic_write import write

    simulation, _, after_a_crash = kept
    lived(simulation)
    commands.save_recording(simulation, tmp_path / "a.stiction", write, whole=True)
    commands.open_recording(simulation, tmp_path / "a.stiction")
    commands.go_to_step(simulation, 40)
    simulation.timeline.go_to_goal()
    commands.set_friction(simulation, 0.9)
    steps(simulation, 9)
    again = after_a_crash()
    assert state(again) == state(simulation)


# ---- how it was looked at


@pytest.fixture
def looked(kept):
    """A run that is compared, plotted, watched and looked at, with its journal; what a crash leaves, restored."""
    simulation, made, _ = kept
    comparison, camera = Comparison(simulation), Camera(distance=3.5, azimuth=-20.0, flat=True)
    made.view_state = lambda: view_state.as_json(comparison, camera)
    steps(simulation, 5)
    comparison.apply_command(Comparison.compare_with, ("soft_steps",), {})
    comparison.apply_command(Comparison.set_follower_option, (0, "substeps", 7), {})
    commands.follow(simulation, "world.kinetic")
    commands.set_breakpoint(simulation, 0, "on", True)
    commands.add_breakpoint(simulation, "WatchExpression")
    last = max(i for i, one in enumerate(simulation.breakpoints.items) if type(one).__name__ == "WatchExpression")
    commands.set_breakpoint(simulation, last, "expression", "world.kinetic > 1e9")
    return simulation, made, comparison


def again(made):
    """(comparison, its leader) restored from that journal."""
    made.close(ended=False)
    comparison = Comparison(Simulation())
    comparison.apply_command(commands.recover, (made.path,), {})
    return comparison, comparison.leader


def test_solvers_plots_breakpoints_and_camera_come_back(looked, monkeypatch):
    simulation, made, _ = looked
    monkeypatch.setattr(journal, "SYNC", 0.0)
    made.wait()
    time.sleep(3.0 * journal.WRITE_INTERVAL)
    restored, leader = again(made)
    (follower,) = restored.followers
    assert type(follower.solver).__name__ == "SoftSteps" and follower.simulation.world.solver.options.substeps == 7
    assert leader.traces.keys == simulation.traces.keys and "world.kinetic" in leader.traces.keys
    assert leader.breakpoints.watch_list() == simulation.breakpoints.watch_list() and leader.breakpoints.watch_list()
    camera = Camera()
    leader.recorder.view_state.restore_camera(camera)
    assert (camera.distance, camera.azimuth, camera.flat) == (3.5, -20.0, True)
    same(simulation, leader)


def test_the_view_state_follows_each_start_and_is_written_only_when_changed(looked, monkeypatch):
    simulation, made, _ = looked
    monkeypatch.setattr(journal, "SYNC", 0.0)
    made.wait()
    time.sleep(3.0 * journal.WRITE_INTERVAL)
    simulation.reset()
    made.wait()
    time.sleep(3.0 * journal.WRITE_INTERVAL)
    records, _ = journal_file.records_in(made.path)
    count = sum(kind == journal_file.VIEW_STATE for kind, _ in records)
    assert count == 1, "since the reset"
    time.sleep(3.0 * journal.WRITE_INTERVAL)
    assert sum(kind == journal_file.VIEW_STATE for kind, _ in journal_file.records_in(made.path)[0]) == count


@pytest.mark.parametrize(("name", "value"), [
    ("breakpoints", [["__import__", {}]]), ("breakpoints", [["WatchExpression", {"expression": ["a"]}]]),
    ("breakpoints", [["WatchExpression"]]), ("breakpoints", [["WatchExpression", {}]] * 51),
    ("solvers", [["soft_steps", {}]] * 4), ("solvers", {}), ("plots", ["a"] * 101),
    ("plots", ["a" * 501]), ("target", [0.0, 0.0]), ("target", [0.0, 0.0, 1e300]), ("distance", 0.0), ("distance", "1"),
    ("azimuth", 1e999), ("elevation", True), ("flat", 1), ("scene", None)])
def test_an_invalid_view_state_is_left_out(looked, tmp_path, name, value):
    import json

    simulation, made, comparison = looked
    made.view_state = None
    made.wait()
    text = json.loads(view_state.as_json(comparison, Camera())) | {name: value}
    with pytest.raises(BadInput):
        view_state.parsed(json.dumps(text).encode())
    made.close(ended=False)
    with open(made.path, "ab") as stream:
        stream.write(journal_file.framed(journal_file.VIEW_STATE, json.dumps(text).encode()))
    restored, leader = again(made)
    assert not restored.followers and leader.recorder.view_state is None
    same(simulation, leader)


def test_view_state_of_missing_quantities_and_solvers_is_left_out(kept):
    simulation, *_ = kept
    seen = view_state.ViewState("pyramid", ("body:nobody.x", "world.kinetic"),
                                (("WatchExpression", {"nothing": 1, "expression": "1 +", "on": True}),),
                                (("no_solver", {}), ("soft_steps", {"substeps": 1e9, "nothing": 2})))
    seen.restore(simulation)
    comparison = Comparison(simulation)
    seen.compare(comparison)
    assert simulation.traces.keys == ("world.kinetic",) and len(comparison.followers) == 1
    assert [one.on for one in simulation.breakpoints.items] == [True]


def test_a_journal_without_a_view_state_opens(kept):
    simulation, made, _ = kept
    steps(simulation, 3)
    made.wait()
    restored, leader = again(made)
    assert leader.recorder.view_state is None and not restored.followers and leader.traces.keys == simulation.traces.keys


def test_the_scene_file_comes_back(kept, tmp_path, monkeypatch):
    """After a crash a save goes to the same file, a reset to its state, and the work since is unsaved."""
    simulation, made, _ = kept
    comparison, camera = Comparison(simulation), Camera()
    made.view_state = lambda: view_state.as_json(comparison, camera)
    monkeypatch.setattr(journal, "SYNC", 0.0)
    commands.spawn(simulation, Box((0.1, 0.1, 0.1)), (3.0, 0.0, 0.1), name="mine")
    steps(simulation, 3)
    commands.save_scene_file(simulation, tmp_path / "mine.toml", view_state.values(comparison, camera), (), write)
    assert not simulation.document.has_unsaved(simulation.edits)
    commands.set_friction(simulation, 0.3)
    steps(simulation, 4)
    made.wait()
    time.sleep(3.0 * journal.WRITE_INTERVAL)
    _, leader = again(made)
    assert leader.document.path == str(tmp_path / "mine.toml") and leader.document.has_unsaved(leader.edits)
    assert leader.world.steps == 7 and leader.scene_name == "pyramid"
    leader.reset()
    assert leader.world.steps == 3 and "mine" in leader.world.body_names
