"""Files dropped on the window: recordings are opened, other files get one sentence and change nothing."""

import argparse

import pytest
from pyglet.window import key

from app.analysis.friction_fit.plan import OpenedData
from app.analysis.lessons.classroom_lock import Lock
from app.commands import check
from app.engine import file_kinds
from app.engine.simulation import Simulation
from app.gui.shell import file_drop


@pytest.fixture
def opened(monkeypatch):
    """Paths that the simulation was asked to open."""
    paths = []
    monkeypatch.setitem(file_drop.OPENERS, "recordings", lambda simulation, path: paths.append(path))
    return paths


def drop(person, *paths):
    person.send("on_file_drop", 100, 100, [str(path) for path in paths])


@pytest.mark.parametrize("name", ["a.stiction", "B with spaces é.STICTION"])
def test_a_recording_is_opened(person, opened, tmp_path, name):
    (tmp_path / name).write_bytes(b"recorded")
    drop(person, tmp_path / name)
    assert person.wait(lambda: opened == [str(tmp_path / name)], 10.0)
    assert not person.session.messages


def test_other_files_get_one_sentence(person, opened, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    frame = person.session.frame
    for paths, told in (([tmp_path / "notes.txt"], "notes.txt cannot be opened: supported files: recordings (.stiction)"),
                        ([tmp_path], "is a folder"), ([tmp_path / "gone.stiction"], "cannot be read: copy it"),
                        ([tmp_path / "a.stiction", tmp_path / "b.stiction"], "2 files were dropped: drop one file at a time")):
        person.session.messages.clear()
        drop(person, *paths)
        assert len(person.session.messages) == 1 and told in person.session.messages[0].text
    assert not opened and person.session.frame.scene == frame.scene


def test_every_kind_of_file_is_opened_and_checked():
    """All but two are opened by a command; the help of `stiction check` names each ending."""
    parser = argparse.ArgumentParser()
    check.arguments(parser)
    for kind, endings in file_kinds.FILE_SUFFIXES.items():
        assert (kind in file_drop.OPENERS) is (kind not in ("measured runs", "own scenes"))
        for ending in endings:
            assert file_kinds.kind_of(f"a{ending.upper()}") == kind
            assert ending in parser.format_help() or kind == "measured runs"


def test_unsupported_files_are_not_offered(person, monkeypatch, tmp_path):
    (tmp_path / "a.stiction").write_text("x")
    monkeypatch.setattr(file_drop, "OPENERS", {})
    drop(person, tmp_path / "a.stiction")
    assert ".stiction)" not in person.session.messages[-1].text and "measured runs (.csv)" in person.session.messages[-1].text


def test_a_measured_run_is_opened_in_its_panel(person, tmp_path):
    (tmp_path / "a.csv").write_text("time [s],angle [deg]\n" + "".join(f"{0.1 * k},{k}\n" for k in range(9)))
    (tmp_path / "b.csv").write_text("angle [deg],speed [deg/s]\n" + "1,2\n" * 9)
    drop(person, tmp_path / "a.csv")
    person.look(4)
    data = person.session.state(OpenedData)
    assert person.window.gui.panels.all["fit"].open and len(data.measured.times) == 9 and not person.session.messages
    drop(person, tmp_path / "b.csv")
    assert "not time" in person.session.messages[-1].text and data.measured.path.endswith("a.csv")


def test_a_locked_window_ignores_dropped_files(person, opened, tmp_path):
    (tmp_path / "a.stiction").write_text("x")
    lock = person.session.state(Lock)
    lock.close("code")
    try:
        drop(person, tmp_path / "a.stiction", tmp_path / "b.stiction")
        drop(person, tmp_path / "a.stiction")
        person.hit(key.P, key.MOD_CTRL)
        person.look(3)
        assert not opened and not person.session.messages and not person.window.gui.panels.all["palette"].open
    finally:
        assert lock.open("code")


def test_the_window_accepts_file_drops(window):
    assert window._file_drops


def test_a_robot_is_opened_and_a_bad_one_changes_nothing(person, tmp_path):
    link = '<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    (tmp_path / "good.urdf").write_text(f'<robot name="good">{link}</robot>')
    (tmp_path / "bad.urdf").write_text(f'<robot name="bad">{link}{link}</robot>')
    before = person.session.simulation.scene_name
    drop(person, tmp_path / "good.urdf")
    assert person.wait(lambda: person.session.frame.scene.endswith("good.urdf"), 10.0)
    person.session.messages.clear()
    drop(person, tmp_path / "bad.urdf")
    assert person.wait(lambda: any("is taken by line 1" in one.text for one in person.session.messages), 10.0)
    assert person.session.frame.scene.endswith("good.urdf")
    person.session.post(Simulation.load, before)
    assert person.wait(lambda: person.session.frame.scene == before, 10.0)
