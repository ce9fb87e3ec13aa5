"""Files dropped on the window: a recording reaches the simulation, anything else gets one sentence and changes nothing."""

import pytest
from pyglet.window import key

from app.engine.simulation import Simulation
from app.gui import dropping
from app.insight.lock import Lock


@pytest.fixture
def opened(monkeypatch):
    """Paths that the simulation was asked to open."""
    paths = []
    monkeypatch.setattr(Simulation, "open_recording", lambda self, path: paths.append(path), raising=False)
    return paths


def drop(person, *paths):
    person.send("on_file_drop", 100, 100, [str(path) for path in paths])


@pytest.mark.parametrize("name", ["a.stiction", "B with spaces é.STICTION"])
def test_a_recording_is_opened(person, opened, tmp_path, name):
    (tmp_path / name).write_bytes(b"recorded")
    drop(person, tmp_path / name)
    assert person.wait(lambda: opened == [str(tmp_path / name)], 10.0)
    assert not person.session.messages


def test_anything_else_gets_one_sentence(person, opened, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    frame = person.session.frame
    for paths, told in (([tmp_path / "notes.txt"], "notes.txt cannot be opened: the window takes recordings (.stiction)"),
                        ([tmp_path], "is a folder"), ([tmp_path / "gone.stiction"], "cannot be read from here"),
                        ([tmp_path / "a.stiction", tmp_path / "b.stiction"], "2 files were dropped: drop one at a time")):
        person.session.messages.clear()
        drop(person, *paths)
        assert len(person.session.messages) == 1 and told in person.session.messages[0].text
    assert not opened and person.session.frame.scene == frame.scene


def test_what_the_simulation_cannot_open_is_not_promised(person, monkeypatch, tmp_path):
    (tmp_path / "a.stiction").write_text("x")
    monkeypatch.setattr(dropping, "OPENERS", {".stiction": ("open_nothing", "recordings")})
    drop(person, tmp_path / "a.stiction")
    assert "no kind of file can be, yet" in person.session.messages[-1].text


def test_a_window_that_is_locked_for_a_class_takes_nothing(person, opened, tmp_path):
    (tmp_path / "a.stiction").write_text("x")
    lock = person.session.memory(Lock)
    lock.close("code")
    try:
        drop(person, tmp_path / "a.stiction", tmp_path / "b.stiction")
        drop(person, tmp_path / "a.stiction")
        person.hit(key.P, key.MOD_CTRL)
        person.look(3)
        assert not opened and not person.session.messages and not person.window.gui.panels.all["palette"].open
    finally:
        assert lock.open("code")


def test_the_window_asks_for_files(window):
    assert window._file_drops
