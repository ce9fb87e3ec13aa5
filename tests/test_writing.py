"""Recordings are written while steps go on; what goes wrong is told once; a window that closes waits, but not for ever."""

import logging
import threading
import time

import pytest
from test_history import state, without_clock

from app.engine import recording
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.engine.writing import Clerk
from app.whole_files import write


@pytest.fixture
def running():
    """A physics thread with a pyramid, as fast as it can."""
    simulation = Simulation("pyramid")
    without_clock(simulation)
    simulation.speed = 4.0
    thread = PhysicsThread(simulation)
    thread.start()
    yield thread
    thread.stop()


def until(condition, seconds=30.0):
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end, "it did not come"
        time.sleep(0.002)


def steps(thread):
    return thread.simulation.world.steps


def test_steps_go_on_while_a_recording_is_packed_and_what_it_holds_stays_what_it_was(running, tmp_path, monkeypatch):
    """The file is held back until steps, a throw and a way back through the past have changed all that it is made of."""
    simulation, real, gate, begun = running.simulation, recording.pack, threading.Event(), threading.Event()

    def slow(piece):
        begun.set()
        assert gate.wait(60.0)
        return real(piece)
    monkeypatch.setattr(recording, "pack", slow)
    until(lambda: steps(running) > 40)
    ends = []
    running.post("hand_state", lambda _: ends.append((simulation.world.steps, state(simulation))))
    running.post("save_recording", tmp_path / "a.stiction", write, whole=True)
    assert begun.wait(30.0)
    (last, was), = ends
    until(lambda: steps(running) >= last + 100)
    assert not list(tmp_path.iterdir()) and running.clerk.writing == ("a.stiction",)
    running.post("go_to_step", 20)
    running.post("throw", (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    running.post("set_gravity", (0.0, 0.0, -2.0))
    running.post("run")
    until(lambda: simulation.history.past().last > 30 and simulation.history.deeds[-1].command == "set_gravity")
    gate.set()
    until(lambda: any("saved" in text for text in simulation.messages))
    assert running.clerk.writing == ()
    replay = Simulation()
    replay.open_recording(tmp_path / "a.stiction")
    assert replay.history.last == last
    while replay.world.steps < last:
        assert replay.make_next()
    assert state(replay) == was and replay.divergence is None


def test_a_full_disk_is_told_once_and_the_recording_goes_on(running, tmp_path):
    simulation = running.simulation

    def full(path, data):
        raise OSError(28, "No space left on device")
    running.post("start_recording")
    until(lambda: simulation.since >= 0)
    since = simulation.since
    until(lambda: steps(running) > since + 10)
    running.post("save_recording", tmp_path / "a.stiction", full)
    until(lambda: any("nothing is lost: No space" in text for text in simulation.messages))
    assert sum("No space" in text for text in simulation.messages) == 1
    until(lambda: simulation.since == since)
    running.post("save_recording", tmp_path / "a.stiction", write)
    until((tmp_path / "a.stiction").exists)
    assert recording.read(tmp_path / "a.stiction").history.first <= since


def test_whatever_goes_wrong_is_one_sentence_and_the_next_file_is_written(running):
    simulation, said = running.simulation, []

    def broken():
        raise RuntimeError("no such thing")
    running.clerk.give("a", broken, said.append)
    running.clerk.give("b", lambda: "b is there", said.append)
    until(lambda: len(said) == 2)
    assert said == ["a could not be made: RuntimeError: no such thing", "b is there"]
    assert simulation.since < 0


def test_who_closes_waits_for_the_file(tmp_path):
    thread = PhysicsThread(Simulation("pendulum"))
    thread.start()
    late = threading.Event()

    def slowly(path, data):
        assert late.wait(30.0)
        write(path, data)
    until(lambda: steps(thread) > 5)
    thread.post("save_recording", tmp_path / "a.stiction", slowly, whole=True)
    until(lambda: thread.clerk.writing)
    threading.Timer(0.2, late.set).start()
    thread.stop()
    assert recording.read(tmp_path / "a.stiction").scene == "pendulum"


def test_but_not_for_ever(caplog):
    clerk, never = Clerk(lambda *args: None), threading.Event()
    clerk.give("huge.stiction", lambda: str(never.wait(60.0)), lambda text: None)
    with caplog.at_level(logging.ERROR):
        assert not clerk.close(0.05)
    assert "not finished within 0.05 s, and lost: huge.stiction" in caplog.text
    never.set()
    assert Clerk(lambda *args: None).close()
