"""Recording in a problem report: it reproduces the reported state bit for bit."""

import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyglet
import pytest

from app.cli import main
from app.commands import view
from app.engine import commands
from app.engine.commands import observation
from app.engine.recording import file
from app.engine.simulation import Simulation
from app.engine.timeline import history
from app.gui.output import problem_report
from app.gui.shell.settings import Settings
from physics import BadInput
from tests.helpers import lived, meddle, state, without_clock


def handed(simulation):
    taken = []
    commands.export_recent(simulation, taken.append)
    return taken[0]


def replayed(data, path):
    """The replay of a recording, at its end."""
    path.write_bytes(data)
    replay = Simulation()
    commands.open_recording(replay, path)
    while replay.world.steps < replay.history.last:
        assert replay.player.recompute_next()
    return replay


def often(monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", 0.0)
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 0.0)


@pytest.mark.parametrize("back", [0, 1, 25])
def test_the_recording_ends_with_the_shown_step(back, tmp_path, monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    without_clock(simulation)
    states, _ = lived(simulation, 70, meddle)
    commands.set_gravity(simulation, (0.0, 0.1, -9.0))    # after the last step: it belongs to the moment
    states[70] = state(simulation)
    commands.step_back(simulation, back)
    simulation.timeline.go_to_goal()
    recent = handed(simulation)
    replay = replayed(file.pack(recent.piece), tmp_path / "a.stiction")
    assert replay.history.first == 0 and replay.history.last == 70 - back == recent.frame.step
    assert state(replay) == states[70 - back] and replay.recorder.divergence is None
    np.testing.assert_array_equal(recent.frame.bodies.view(np.ndarray), np.array(replay.world.bodies))


def test_the_recording_contains_recent_budget_cut_steps(tmp_path, monkeypatch):
    """The moment after them is kept only when there is time for it: the file must have it all the same."""
    simulation = Simulation("pyramid")
    without_clock(simulation)
    for _ in range(20):
        simulation.step()
    monkeypatch.setattr(history, "KEYFRAME_COST_FACTOR", 1e9)
    commands.set_option(simulation, "budget", 0.02)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(6):
        simulation.step()
    assert simulation.history.unrepeatable_steps and simulation.history.moments[-1].step < simulation.world.steps
    last = simulation.world.bodies.tobytes()
    replay = replayed(file.pack(handed(simulation).piece), tmp_path / "a.stiction")
    assert replay.world.bodies.tobytes() == last and replay.recorder.divergence is None
    commands.start_recording(simulation)
    simulation.recorder.since = 0
    commands.save_recording(simulation, tmp_path / "b.stiction", lambda path, data: path.write_bytes(data))
    assert replayed((tmp_path / "b.stiction").read_bytes(), tmp_path / "b.stiction").world.bodies.tobytes() == last


def test_the_recording_covers_some_seconds_within_its_limit(tmp_path, monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    without_clock(simulation)
    states, _ = lived(simulation, 60)
    end, of_step = simulation.moment(0), 16 + 2 * len(simulation.world.bodies)
    wanted = {m.step: end.size + m.size + (60 - m.step) * of_step for m in simulation.history.moments if m.step < 60}
    assert len(wanted) == 60
    for room in sorted(wanted.values())[5::11]:
        first = file.first_affordable_step(simulation.history, end, 1e9, room)
        assert all(wanted[step] <= room for step in range(first, 60)), "it stays within its room"
        assert first == 0 or wanted[first - 1] > room, "and has as much as finds room"
    assert file.first_affordable_step(simulation.history, end, 1e9, end.size) == 60, "not even one step"
    assert file.first_affordable_step(simulation.history, end, 0.11, 10**9) == 60 - 27, "26.4 steps are 0.11 s"

    monkeypatch.setattr(observation, "MAX_EXPORT_BYTES", wanted[30])
    piece = handed(simulation).piece
    unpacked = sum(moment.size for moment in piece.moments) + sum(16 + len(check.each) for check in piece.checks)
    assert piece.moments[0].step > 0 and unpacked <= 1.25 * observation.MAX_EXPORT_BYTES + 2 * end.size
    assert state(replayed(file.pack(piece), tmp_path / "a.stiction")) == states[60]
    monkeypatch.setattr(observation, "MAX_EXPORT_BYTES", 1000)
    recent = handed(simulation)
    assert recent.piece is None and "exceed" in recent.why and recent.frame.step == 60


def test_keyframes_after_budget_cut_steps_count_towards_the_limit(monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 1e-6)
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(60):
        simulation.step()
    assert len(simulation.history.unrepeatable_steps) > 30
    end, size = simulation.moment(1), simulation.history.moments[-1].size
    first = file.first_affordable_step(simulation.history, end, 1e9, 10 * size)
    assert 45 < first < 60


def test_a_scene_before_its_first_step_has_no_recording():
    recent = handed(Simulation("door"))
    assert recent.piece is None and recent.why == "no step precedes it"


def test_a_report_without_a_valid_recording_is_refused(tmp_path):
    for name, parts, words in (("a.zip", {"x.txt": b"hello"}, "neither a recording nor a problem report"),
                               ("b.zip", {file.REPORT_RECORDING: b"hello"}, "damaged")):
        (tmp_path / name).write_bytes(zipped(parts))
        with pytest.raises(BadInput, match=words):
            file.read(tmp_path / name)
    deep = zipped({"recording.json": b"{}"})
    for _ in range(3):
        deep = zipped({file.REPORT_RECORDING: deep})
    with pytest.raises(BadInput):
        file.unpack(deep)


def zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_report_of_the_window_is_replayed(person, tmp_path, monkeypatch, capsys):
    """While it runs, so that the window's picture is of another moment than the physics."""
    monkeypatch.setattr(problem_report, "documents", lambda: tmp_path)
    person.load("pendulum")
    session = person.session
    session.post(commands.set_time_share, 0.0)
    session.post(commands.throw, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    session.post(Simulation.run)
    assert person.wait(lambda: session.frame.step >= 60)
    session.window.run_action("report")
    person.look(2)
    pyglet.clock.tick()
    assert person.wait(lambda: list(tmp_path.glob("problem-pendulum-*.zip")))
    session.post(Simulation.pause)
    assert person.wait(lambda: any("s as a recording" in message.text for message in session.messages))
    (path,) = tmp_path.glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(parts["scene.json"])
    assert "drop this zip" in parts["contents.txt"].decode() and told["step"] >= 60

    with zipfile.ZipFile(io.BytesIO(parts[file.REPORT_RECORDING])) as inner:
        assert str(Path.home()) not in inner.read("recording.json").decode()
    capsys.readouterr()
    assert main(["replay", str(path), "--headless"]) == 0
    assert f"all {told['step']} steps match the recording bit for bit" in capsys.readouterr().out

    person.load("door")
    person.send("on_file_drop", 100, 100, [str(path)])
    assert person.wait(lambda: session.frame.scene == "pendulum" and session.frame.step == 0 and session.frame.paused)
    session.post(commands.go_to_step, told["step"])
    assert person.wait(lambda: session.frame.step == told["step"])
    assert session.frame.past.last == told["step"] and session.simulation.recorder.divergence is None
    with np.load(io.BytesIO(parts["state.npz"]), allow_pickle=False) as reported:
        for table in ("bodies", "joints", "contacts"):
            for field in reported[table].dtype.names:
                np.testing.assert_array_equal(reported[table][field], getattr(session.frame, table)[field], f"{table}.{field}")


def test_the_report_does_not_wait_for_a_long_step(person, tmp_path, monkeypatch):
    monkeypatch.setattr(problem_report, "documents", lambda: tmp_path)
    monkeypatch.setattr(problem_report, "MAX_WAIT", 0.02)
    person.load("pendulum")
    monkeypatch.setattr(person.session, "post", lambda *args, **kwargs: None)
    path = problem_report.save(person.window)
    assert person.wait(path.is_file)
    assert person.wait(lambda: any("no recording (the physics did not respond" in m.text for m in person.session.messages))
    with zipfile.ZipFile(path) as archive:
        assert file.REPORT_RECORDING not in archive.namelist()
        assert "left out: the physics did not respond" in archive.read("contents.txt").decode()


def test_the_command_line_opens_a_report_in_a_window(tmp_path):
    simulation = Simulation("slider")
    without_clock(simulation)
    for _ in range(20):
        simulation.step()
    path = tmp_path / "problem.zip"
    path.write_bytes(zipped({file.REPORT_RECORDING: file.pack(handed(simulation).piece)}))
    session = view.open_session(SimpleNamespace(scene=str(path), dt=None, paused=False, locked=False, code="", solver=None,
                                                option=[]), Settings())
    session.thread.run_commands()
    opened = session.simulation
    assert opened.scene_name == "slider" and opened.paused and opened.world.steps == 0 and opened.history.last == 20
