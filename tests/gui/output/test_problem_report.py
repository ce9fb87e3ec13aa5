"""Problem report: contents of the zip, anonymity, and the way to it in the real window."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyglet

from app.console import console
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.output import problem_report
from tests.tools.person import fresh_spots


def test_user_names_and_folders_are_left_out(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    monkeypatch.setattr(problem_report.getpass, "getuser", lambda: "ada")
    text = "loaded /home/ada/scenes/x.py and C:\\Users\\ada\\y.py, /Users/ada/z; the lambada stays"
    assert problem_report.anonymous(text) == "loaded ~/scenes/x.py and C:~\\y.py, ~/z; the lambada stays"


def test_the_menu_creates_a_complete_report(person, tmp_path, monkeypatch):
    monkeypatch.setattr(problem_report, "documents", lambda: tmp_path)
    person.see()
    person.load("pyramid")
    session = person.session
    session.post(Simulation.single_step, 5)
    session.post(commands.set_friction, 0.44)
    assert person.wait(lambda: session.frame.step >= 5 and session.simulation.edits.done)
    console().add("error", f"could not open {Path.home()}/secret/file", "test")
    person.click("MainMenuBar/Tools")
    item = next(name for name in fresh_spots(person) if name.endswith("/report"))
    person.click(item)
    pyglet.clock.tick()     # the window's loop does it
    assert person.wait(lambda: list(tmp_path.glob("problem-pyramid-*.zip")), 20.0)
    assert person.wait(lambda: any("report saved" in m.text for m in session.messages))
    (path,) = tmp_path.glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert list(parts) == list(problem_report.CONTENTS)
    told = json.loads(parts["scene.json"])
    assert told["scene"] == "pyramid" and told["parameters"]["width"] == 10 and told["edits"] == [
        edit.text for edit in session.simulation.edits.done]
    assert "iterations" in told["options"] and json.loads(parts["reports.json"])[-1]["contacts"] == len(session.frame.contacts)
    with np.load(io.BytesIO(parts["state.npz"]), allow_pickle=False) as state:
        np.testing.assert_array_equal(state["bodies"]["pos"], session.frame.bodies["pos"])
        assert tuple(state["body_names"]) == session.frame.body_names and len(state["contacts"]) == len(session.frame.contacts)
    assert parts["screenshot.png"].startswith(b"\x89PNG") and len(parts["screenshot.png"]) > 5000
    words = parts["versions.txt"].decode()
    assert all(f"{name}: " in words for name in ("stiction", "python", "OpenGL", "platform", *problem_report.REPORTED_PACKAGES))
    assert "~/secret/file" in parts["console.txt"].decode()
    for name, data in parts.items():
        assert name.endswith((".png", ".npz")) or str(Path.home()).encode() + b"/" not in data


def test_an_unwritable_folder_is_reported(person, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(problem_report, "documents", lambda: tmp_path / "file")
    path = problem_report.save(person.window)
    assert person.wait(lambda: any("could not save" in message.text for message in person.session.messages))
    assert not path.exists()
