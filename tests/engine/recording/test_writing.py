"""Recordings are written while steps go on; what goes wrong is told once; a window that closes waits, but not for ever."""

import logging
import threading

import pytest

from app.engine import commands
from app.engine.recording import file
from app.engine.recording.file_writer import FileWriter
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.files.atomic_write import write
from tests.helpers import state, wait, without_clock


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


def steps(thread):
    return thread.simulation.world.steps


def test_steps_continue_while_a_recording_is_packed(running, tmp_path, monkeypatch):
    """The file is held back until steps, a throw and a way back through the past have changed all that it is made of."""
    simulation, real, gate, begun = running.simulation, file.pack, threading.Event(), threading.Event()

    def slow(piece):
        begun.set()
        assert gate.wait(60.0)
        return real(piece)
    monkeypatch.setattr(file, "pack", slow)
    assert wait(lambda: steps(running) > 40)
    ends = []
    running.post(commands.export_state, lambda _: ends.append((simulation.world.steps, state(simulation))))
    running.post(commands.save_recording, tmp_path / "a.stiction", write, whole=True)
    assert begun.wait(30.0)
    (last, was), = ends
    assert wait(lambda: steps(running) >= last + 100)
    assert not list(tmp_path.iterdir()) and running.writer.writing == ("a.stiction",)
    running.post(commands.go_to_step, 20)
    running.post(commands.throw, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    running.post(commands.set_gravity, (0.0, 0.0, -2.0))
    running.post(Simulation.run)
    assert wait(lambda: simulation.history.past().last > 30 and simulation.history.commands[-1].command == "set_gravity")
    gate.set()
    assert wait(lambda: any("saved" in text for text in simulation.messages))
    assert running.writer.writing == ()
    replay = Simulation()
    commands.open_recording(replay, tmp_path / "a.stiction")
    assert replay.history.last == last
    while replay.world.steps < last:
        assert replay.player.recompute_next()
    assert state(replay) == was and replay.recorder.divergence is None


def test_a_full_disk_is_reported_once_and_recording_continues(running, tmp_path):
    simulation = running.simulation

    def full(path, data):
        raise OSError(28, "No space left on device")
    running.post(commands.start_recording)
    assert wait(lambda: simulation.recorder.since >= 0)
    since = simulation.recorder.since
    assert wait(lambda: steps(running) > since + 10)
    running.post(commands.save_recording, tmp_path / "a.stiction", full)
    assert wait(lambda: any("no data is lost: No space" in text for text in simulation.messages))
    assert sum("No space" in text for text in simulation.messages) == 1
    assert wait(lambda: simulation.recorder.since == since)
    running.post(commands.save_recording, tmp_path / "a.stiction", write)
    assert wait((tmp_path / "a.stiction").exists)
    assert file.read(tmp_path / "a.stiction").history.first <= since


def test_an_error_is_one_sentence_and_the_next_file_is_written(running):
    simulation, said = running.simulation, []

    def broken():
        raise RuntimeError("no such thing")
    running.writer.submit("a", broken, said.append)
    running.writer.submit("b", lambda: "b is there", said.append)
    assert wait(lambda: len(said) == 2)
    assert said == ["could not create a: RuntimeError: no such thing", "b is there"]
    assert simulation.recorder.since < 0


def test_closing_waits_for_the_file(tmp_path):
    thread = PhysicsThread(Simulation("pendulum"))
    thread.start()
    late = threading.Event()

    def slowly(path, data):
        assert late.wait(30.0)
        write(path, data)
    assert wait(lambda: steps(thread) > 5)
    thread.post(commands.save_recording, tmp_path / "a.stiction", slowly, whole=True)
    assert wait(lambda: thread.writer.writing)
    threading.Timer(0.2, late.set).start()
    thread.stop()
    assert file.read(tmp_path / "a.stiction").scene == "pendulum"


def test_closing_waits_for_a_limited_time(caplog):
    writer, never = FileWriter(lambda *args: None), threading.Event()
    writer.submit("huge.stiction", lambda: str(never.wait(60.0)), lambda text: None)
    with caplog.at_level(logging.ERROR):
        assert not writer.close(0.05)
    assert "not finished within 0.05 s and discarded: huge.stiction" in caplog.text
    never.set()
    assert FileWriter(lambda *args: None).close()
