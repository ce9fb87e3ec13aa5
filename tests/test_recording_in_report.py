"""The report of a problem holds a recording: who opens it sees how it came about, to the bit of the state that is reported."""

import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyglet
import pytest
from test_history import lived, meddle, state, without_clock

from app.cli import main
from app.commands import view
from app.engine import handing, history, recording
from app.engine.simulation import Simulation
from app.gui.output import bundle
from app.gui.settings import Settings
from physics import BadInput


def handed(simulation):
    taken = []
    simulation.hand_recent(taken.append)
    return taken[0]


def replayed(data, path):
    """The replay of a recording, at its end."""
    path.write_bytes(data)
    replay = Simulation()
    replay.open_recording(path)
    while replay.world.steps < replay.history.last:
        assert replay.make_next()
    return replay


def often(monkeypatch):
    monkeypatch.setattr(history, "SPACING", 0.0)
    monkeypatch.setattr(history, "SHARE", 0.0)


@pytest.mark.parametrize("back", [0, 1, 25])
def test_it_ends_with_what_is_shown(back, tmp_path, monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    without_clock(simulation)
    states, _ = lived(simulation, 70, meddle)
    simulation.set_gravity((0.0, 0.1, -9.0))    # after the last step: it belongs to the moment
    states[70] = state(simulation)
    simulation.step_back(back)
    simulation.settle()
    recent = handed(simulation)
    replay = replayed(recording.pack(recent.piece), tmp_path / "a.stiction")
    assert replay.history.first == 0 and replay.history.last == 70 - back == recent.frame.step
    assert state(replay) == states[70 - back] and replay.divergence is None
    np.testing.assert_array_equal(recent.frame.bodies.view(np.ndarray), np.array(replay.world.bodies))


def test_steps_that_the_clock_cut_just_now_are_in_it(tmp_path, monkeypatch):
    """The moment after them is kept only when there is time for it: the file must have it all the same."""
    simulation = Simulation("pyramid")
    without_clock(simulation)
    for _ in range(20):
        simulation.step()
    monkeypatch.setattr(history, "SHARE", 1e9)
    simulation.set_option("budget", 0.02)
    simulation.throw((-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(6):
        simulation.step()
    assert simulation.history.cuts and simulation.history.moments[-1].step < simulation.world.steps
    last = simulation.world.bodies.tobytes()
    replay = replayed(recording.pack(handed(simulation).piece), tmp_path / "a.stiction")
    assert replay.world.bodies.tobytes() == last and replay.divergence is None
    simulation.start_recording()
    simulation.since = 0
    simulation.save_recording(tmp_path / "b.stiction", lambda path, data: path.write_bytes(data))
    assert replayed((tmp_path / "b.stiction").read_bytes(), tmp_path / "b.stiction").world.bodies.tobytes() == last


def test_it_goes_back_some_seconds_and_stays_within_its_room(tmp_path, monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    without_clock(simulation)
    states, _ = lived(simulation, 60)
    end, of_step = simulation._moment(0), 16 + 2 * len(simulation.world.bodies)
    wanted = {m.step: end.size + m.size + (60 - m.step) * of_step for m in simulation.history.moments if m.step < 60}
    assert len(wanted) == 60
    for room in sorted(wanted.values())[5::11]:
        first = recording.affordable(simulation.history, end, 1e9, room)
        assert all(wanted[step] <= room for step in range(first, 60)), "it stays within its room"
        assert first == 0 or wanted[first - 1] > room, "and has as much as finds room"
    assert recording.affordable(simulation.history, end, 1e9, end.size) == 60, "not even one step"
    assert recording.affordable(simulation.history, end, 0.11, 10**9) == 60 - 27, "26.4 steps are 0.11 s"

    monkeypatch.setattr(handing, "ROOM", wanted[30])
    piece = handed(simulation).piece
    unpacked = sum(moment.size for moment in piece.moments) + sum(16 + len(check.each) for check in piece.checks)
    assert piece.moments[0].step > 0 and unpacked <= 1.25 * handing.ROOM + 2 * end.size
    assert state(replayed(recording.pack(piece), tmp_path / "a.stiction")) == states[60]
    monkeypatch.setattr(handing, "ROOM", 1000)
    recent = handed(simulation)
    assert recent.piece is None and "take" in recent.why and recent.frame.step == 60


def test_whole_states_after_cut_steps_count_too(monkeypatch):
    often(monkeypatch)
    simulation = Simulation("pyramid")
    simulation.set_option("budget", 1e-6)
    simulation.throw((-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(60):
        simulation.step()
    assert len(simulation.history.cuts) > 30
    end, size = simulation._moment(1), simulation.history.moments[-1].size
    first = recording.affordable(simulation.history, end, 1e9, 10 * size)
    assert 45 < first < 60


def test_a_scene_that_has_not_begun_has_none():
    recent = handed(Simulation("door"))
    assert recent.piece is None and recent.why == "there was no step before it"


def test_a_zip_without_one_and_a_bad_one_say_so(tmp_path):
    for name, parts, words in (("a.zip", {"x.txt": b"hello"}, "neither a recording nor the report of a problem"),
                               ("b.zip", {recording.IN_REPORT: b"hello"}, "damaged")):
        (tmp_path / name).write_bytes(zipped(parts))
        with pytest.raises(BadInput, match=words):
            recording.read(tmp_path / name)
    deep = zipped({"recording.json": b"{}"})
    for _ in range(3):
        deep = zipped({recording.IN_REPORT: deep})
    with pytest.raises(BadInput):
        recording.unpack(deep)


def zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_report_of_the_window_is_replayed(person, tmp_path, monkeypatch, capsys):
    """While it runs, so that the window's picture is of another moment than the physics."""
    monkeypatch.setattr(bundle, "documents", lambda: tmp_path)
    person.load("pendulum")
    session = person.session
    session.post("set_time_share", 0.0)
    session.post("throw", (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    session.post("run")
    assert person.wait(lambda: session.frame.step >= 60)
    session.request("do:report")
    person.look(2)
    pyglet.clock.tick()
    assert person.wait(lambda: list(tmp_path.glob("problem-pendulum-*.zip")))
    session.post("pause")
    assert person.wait(lambda: any("before as a recording" in message.text for message in session.messages))
    (path,) = tmp_path.glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(parts["scene.json"])
    assert "drop this zip" in parts["contents.txt"].decode() and told["step"] >= 60

    with zipfile.ZipFile(io.BytesIO(parts[recording.IN_REPORT])) as inner:
        assert str(Path.home()) not in inner.read("recording.json").decode()
    capsys.readouterr()
    assert main(["replay", str(path), "--headless"]) == 0
    assert f"all {told['step']} steps came out bit for bit" in capsys.readouterr().out

    person.load("door")
    person.send("on_file_drop", 100, 100, [str(path)])
    assert person.wait(lambda: session.frame.scene == "pendulum" and session.frame.step == 0 and session.frame.paused)
    session.post("go_to_step", told["step"])
    assert person.wait(lambda: session.frame.step == told["step"])
    assert session.frame.past.last == told["step"] and session.simulation.divergence is None
    with np.load(io.BytesIO(parts["state.npz"]), allow_pickle=False) as reported:
        for table in ("bodies", "joints", "contacts"):
            for field in reported[table].dtype.names:
                np.testing.assert_array_equal(reported[table][field], getattr(session.frame, table)[field], f"{table}.{field}")


def test_a_long_step_is_not_waited_for(person, tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "documents", lambda: tmp_path)
    monkeypatch.setattr(bundle, "PATIENCE", 0.02)
    person.load("pendulum")
    monkeypatch.setattr(person.session, "post", lambda *args, **kwargs: None)
    path = bundle.save(person.window)
    assert person.wait(path.is_file)
    assert person.wait(lambda: any("no recording (the physics did not answer" in m.text for m in person.session.messages))
    with zipfile.ZipFile(path) as archive:
        assert recording.IN_REPORT not in archive.namelist()
        assert "left out: the physics did not answer" in archive.read("contents.txt").decode()


def test_the_command_line_opens_a_report_in_a_window(tmp_path):
    simulation = Simulation("slider")
    without_clock(simulation)
    for _ in range(20):
        simulation.step()
    path = tmp_path / "problem.zip"
    path.write_bytes(zipped({recording.IN_REPORT: recording.pack(handed(simulation).piece)}))
    session = view.open_session(SimpleNamespace(scene=str(path), dt=None, paused=False, locked=False, code=""), Settings())
    session.thread._obey()
    opened = session.simulation
    assert opened.scene_name == "slider" and opened.paused and opened.world.steps == 0 and opened.history.last == 20
