"""A journal holds what is needed to go on where a killed process was, bit for bit, however its file ends."""

import os
import time

import numpy as np
import pytest
from test_history import state, without_clock

from app.engine import journal, journal_file
from app.engine.journal import Journal, abandoned
from app.engine.simulation import Simulation
from physics import BadInput


@pytest.fixture
def kept(tmp_path):
    """(simulation, journal) of a pyramid, and a function that leaves it as a crash does and restores it elsewhere."""
    simulation = Simulation("pyramid")
    without_clock(simulation)
    made = begun(tmp_path, simulation)

    def after_a_crash():
        made.close(ended=False)
        again = Simulation()
        again.recover(made.path)
        again.settle()
        return again
    yield simulation, made, after_a_crash
    made.close()


def begun(folder, simulation):
    """A journal of it from now on."""
    made = Journal(folder, simulation)
    simulation.history.listener = made
    made.began(simulation._moment(len(simulation.history.deeds)))
    return made


def steps(simulation, count):
    for _ in range(count):
        assert simulation.step()


def lived(simulation):
    """A person's doings of all kinds."""
    steps(simulation, 30)
    simulation.throw((-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    steps(simulation, 10)
    simulation.touch(7)
    for mu in (0.2, 0.3, 0.4):
        simulation.set_friction(mu)
        steps(simulation, 2)
    simulation.touch(0)
    simulation.drag_begin(5, tuple(simulation.world.bodies["pos"][5]))
    steps(simulation, 5)
    simulation.drag_move((0.0, 0.0, 3.0))
    steps(simulation, 5)
    simulation.drag_end()
    simulation.undo()
    simulation.redo()
    simulation.remove_body(3)
    steps(simulation, 20)


def same(one, other):
    assert one.world.steps == other.world.steps and state(one) == state(other)
    assert [edit.text for edit in one.edits.done] == [edit.text for edit in other.edits.done]
    assert [edit.text for edit in one.edits.undone] == [edit.text for edit in other.edits.undone]


def test_all_that_was_done_is_there_again_and_can_be_undone(kept):
    simulation, _, after_a_crash = kept
    lived(simulation)
    again = after_a_crash()
    same(simulation, again)
    assert again.paused and len(again.edits.done) == 3
    for one in (simulation, again):
        one.undo(2)
        steps(one, 10)
    same(simulation, again)
    for one in (simulation, again):
        one.go_to_step(35)
        one.settle()
    assert state(simulation) == state(again), "the past, too"


def test_a_future_that_was_forgotten_does_not_come_back(kept):
    simulation, _, after_a_crash = kept
    lived(simulation)
    simulation.go_to_step(33)
    simulation.settle()
    simulation.set_gravity((0.0, 0.0, -2.0))
    steps(simulation, 15)
    same(simulation, after_a_crash())


def test_going_on_from_before_the_journal_began(tmp_path):
    simulation = Simulation("pyramid")
    without_clock(simulation)
    steps(simulation, 50)
    made = begun(tmp_path, simulation)
    steps(simulation, 10)
    simulation.go_to_step(20)
    simulation.set_friction(0.1)
    steps(simulation, 10)
    made.close(ended=False)
    again = Simulation()
    again.recover(made.path)
    same(simulation, again)


def test_the_place_in_the_past_is_kept(kept):
    simulation, _, after_a_crash = kept
    steps(simulation, 60)
    simulation.go_to_step(40)
    simulation.settle()
    again = after_a_crash()
    assert again.world.steps == 40 and again.history.last == 60 and state(again) == state(simulation)


@pytest.mark.parametrize("anew", [
    lambda s: s.reset(), lambda s: s.set_parameter("width", 4), lambda s: (s.set_friction(0.1), s.reset(), s.undo()),
    lambda s: s.load("incline"), lambda s: (s.keep_state(), steps(s, 5), s.return_to_state())])
def test_what_builds_the_scene_anew(kept, anew):
    simulation, _, after_a_crash = kept
    lived(simulation)
    anew(simulation)
    steps(simulation, 7)
    simulation.set_restitution(0.5)
    steps(simulation, 3)
    again = after_a_crash()
    assert state(again) == state(simulation)
    assert [e.text for e in again.edits.done] == [e.text for e in simulation.edits.done][-len(again.edits.done):]
    assert again.edits.done[-1].command == "set_restitution"


def test_steps_that_the_clock_cut_short_come_back_with_the_next_whole_state(kept, monkeypatch):
    simulation, _, after_a_crash = kept
    monkeypatch.setattr(journal, "CUT", 0.0)
    monkeypatch.setattr(journal, "SHARE", 0.0)
    simulation.world.use_solver("sequential_impulses")
    simulation.set_option("budget", 1e-9)
    steps(simulation, 60)
    assert len(simulation.history.cuts) > 30
    simulation.history.keep(simulation._moment)
    same(simulation, after_a_crash())


def test_a_long_run_has_whole_states_and_new_files(kept, monkeypatch):
    simulation, made, after_a_crash = kept
    monkeypatch.setattr(journal, "REPLAY", 0.01)
    monkeypatch.setattr(journal, "SHARE", 0.0)
    monkeypatch.setattr(journal_file, "LARGEST", 300_000)
    monkeypatch.setattr(journal_file, "STATES", 3)
    largest, files = 0, set()
    for k in range(40):
        steps(simulation, 10)
        simulation.set_friction(0.3 + 0.01 * k)
        made.wait()
        files.add(made.path.stat().st_ino)
        largest = max(largest, made.path.stat().st_size)
    assert len(files) > 1 and largest < 600_000
    again = after_a_crash()
    same(simulation, again)
    assert len(again.edits.done) == 40


def test_the_longest_whole_part_counts(kept, tmp_path):
    simulation, made, _ = kept
    states, ends = {}, []
    for k in range(6):
        steps(simulation, 5)
        simulation.set_friction(0.3 + 0.1 * k)
        states[simulation.world.steps, len(simulation.edits.done)] = state(simulation)
        made.wait()
        ends.append(made.path.stat().st_size)
    made.close(ended=False)
    data, seen = made.path.read_bytes(), set()
    for cut in (*ends, *(np.linspace(0, len(data) - 1, 40).astype(int)), *(end - 1 for end in ends)):
        path = tmp_path / "cut.journal"
        path.write_bytes(data[:cut])
        again = Simulation()
        try:
            again.recover(path)
        except BadInput as error:
            assert cut < ends[0] and "cannot be restored" in str(error)
            continue
        key = again.world.steps, len(again.edits.done)
        if key in states:
            assert state(again) == states[key]
            seen.add(key)
    assert seen == states.keys()


def test_bits_that_flip_never_do_more_than_shorten_it(kept, tmp_path):
    simulation, made, _ = kept
    lived(simulation)
    made.close(ended=False)
    data, random = made.path.read_bytes(), np.random.default_rng(1)
    for _ in range(60):
        wrong = bytearray(data)
        wrong[random.integers(len(wrong))] ^= 1 << random.integers(8)
        path = tmp_path / "wrong.journal"
        path.write_bytes(wrong)
        again = Simulation()
        try:
            again.recover(path)
        except BadInput as error:
            assert "cannot be restored" in str(error)
        else:
            assert again.history.last <= simulation.history.last
            assert not any("differs" in text for text in again.messages)


def test_what_ended_in_order_is_not_offered_and_what_did_not_is_once(tmp_path):
    simulation = Simulation("pyramid")
    made = begun(tmp_path, simulation)
    steps(simulation, 3)
    made.wait()
    assert abandoned(tmp_path) == [], "its process lives"
    made.close()
    assert list(tmp_path.iterdir()) == []
    made = begun(tmp_path, simulation)
    simulation.set_friction(0.1)
    made.close(ended=False)
    (left,) = abandoned(tmp_path)
    assert (left.seen.scene, left.seen.edits, left.seen.place) == ("pyramid", 1, 3) and abs(left.seen.clock - time.time()) < 60.0
    assert abandoned(tmp_path) == [], "one window asks, not two"
    left.leave()
    (left,) = abandoned(tmp_path)
    left.remove()
    assert list(tmp_path.iterdir()) == [] and abandoned(tmp_path) == []


def test_where_nothing_was_done_there_is_nothing_to_offer(tmp_path):
    made = begun(tmp_path, Simulation("pyramid"))
    made.close(ended=False)
    assert journal_file.glance(made.path).fresh
    (tmp_path / "1-1.lock").touch()
    (tmp_path / "1-1.journal").write_bytes(b"nonsense")
    assert abandoned(tmp_path) == [] and list(tmp_path.iterdir()) == []


def test_what_was_undone_or_reset_is_something_that_was_done(tmp_path):
    for doing in (lambda s: (s.set_friction(0.1), s.undo()), lambda s: s.reset(), lambda s: s.load("incline")):
        simulation = Simulation("pyramid")
        made = begun(tmp_path, simulation)
        doing(simulation)
        made.close(ended=False)
        (left,) = abandoned(tmp_path)
        left.remove()


def test_a_disk_that_is_full_is_told_once_and_tried_again(kept, monkeypatch):
    simulation, _, after_a_crash = kept
    monkeypatch.setattr(journal, "AGAIN", 0.0)
    real = os.fsync

    def full(handle):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(journal, "SYNC", 0.0)
    monkeypatch.setattr(os, "fsync", full)
    for _ in range(3):
        steps(simulation, 5)
        time.sleep(0.25)
    assert sum("not kept" in text and "No space left" in text for text in simulation.messages) == 1
    monkeypatch.setattr(os, "fsync", real)
    steps(simulation, 5)
    simulation.history.keep(simulation._moment)
    simulation.set_friction(0.2)
    same(simulation, after_a_crash())


def test_a_recording_that_was_opened_and_left_behind(kept, tmp_path):
    from app.whole_files import write

    simulation, _, after_a_crash = kept
    lived(simulation)
    simulation.save_recording(tmp_path / "a.stiction", write, whole=True)
    simulation.open_recording(tmp_path / "a.stiction")
    simulation.go_to_step(40)
    simulation.settle()
    simulation.set_friction(0.9)
    steps(simulation, 9)
    again = after_a_crash()
    assert state(again) == state(simulation)
