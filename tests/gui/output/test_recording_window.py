"""Recordings in the real window: record, open, loop, compare."""

import numpy as np
import pytest
from pyglet.window import key

from app.engine import commands
from app.engine.recording import file
from app.engine.simulation import Simulation
from app.files import folders
from app.gui.controls import widgets
from app.panels._timeline_bar import describe
from tests.helpers import rewritten


@pytest.fixture
def folder(person, tmp_path, monkeypatch):
    """Where recordings go, and a short pendulum at the window."""
    monkeypatch.setattr(folders, "documents", lambda: tmp_path)
    person.load("pendulum")
    person.session.post(commands.set_time_share, 0.0)
    person.session.post(Simulation.set_speed, 1.0)
    person.window.gui.panels.open("recordings")
    yield tmp_path / "Recordings"
    person.session.post(commands.set_loop, 0.0, 0.0)
    person.window.gui.panels.all["recordings"].open = False


def steps(person, count):
    person.session.post(Simulation.single_step, count)
    last = person.session.frame.step + count
    assert person.wait(lambda: person.session.frame.step == last)


def recorded(person, folder, count=60):
    """The file of a recording made with the keys."""
    person.hit(key.F7)
    assert person.wait(lambda: person.session.simulation.recorder.since >= 0)
    steps(person, count)
    person.hit(key.F7)
    assert person.wait(lambda: folder.is_dir() and list(folder.glob("*.stiction")))
    assert person.wait(lambda: person.session.simulation.recorder.since < 0)
    return next(folder.glob("*.stiction"))


def test_a_recording_is_made_opened_played_and_compared(person, folder):
    session = person.session
    path = recorded(person, folder)
    end = session.frame.bodies["pos"].copy()
    person.load("pyramid")
    person.look(90)
    person.wait(lambda: "recordings/entry 0" in _spots(person), 5.0)
    person.click("recordings/entry 0")
    assert person.wait(lambda: session.frame.scene == "pendulum" and session.frame.step == 0 and session.frame.paused)
    assert session.frame.past.last == 60
    person.click("top/run")
    assert person.wait(lambda: session.frame.paused and session.frame.step == 60)
    np.testing.assert_array_equal(session.frame.bodies["pos"], end)
    assert session.simulation.recorder.divergence is None and "recordings/same" in _spots(person)
    person.click("top/play past")
    assert person.wait(lambda: 0 < session.frame.step < 60 and not session.frame.paused)
    person.click("top/play past")
    assert person.wait(lambda: session.frame.paused) and session.frame.past.last == 60
    assert file.read(path).scene == "pendulum"


def test_the_button_begins_and_ends_a_recording(person, folder):
    person.click("top/record")
    assert person.wait(lambda: person.session.simulation.recorder.since >= 0)
    steps(person, 10)
    person.click("top/record")
    assert person.wait(lambda: folder.is_dir() and list(folder.glob("*.stiction")))
    assert person.wait(lambda: person.session.simulation.recorder.since < 0)


def test_the_loop_is_set_by_its_handles(person, folder):
    session = person.session
    steps(person, 120)
    person.hit(key.F6)
    assert person.wait(lambda: session.simulation.player.loop is not None)
    for end, share in (("begin", 0.25), ("end", 0.5)):
        x0, y = person.spot("top/past", 0.0 if end == "begin" else 1.0)
        x, _ = person.spot("top/past", share)
        person.press(x0 + (1 if end == "begin" else -1), y)
        person.send("on_mouse_drag", x, y, x - x0, 0, 1, 0)
        person.look(2)
        person.release(x, y)
    assert person.wait(lambda: abs(session.simulation.player.loop.last - 60) <= 1)
    assert abs(session.simulation.player.loop.first - 30) <= 1 and session.frame.step == 120, "time stays where it is"
    person.hit(key.F8)
    loop, seen = session.simulation.player.loop, set()
    assert person.wait(lambda: seen.add(session.frame.step) or (len(seen) > 12 and session.frame.step < max(seen - {120})))
    assert seen - {120} <= set(range(loop.first, loop.last + 1)) and session.frame.past.last == 120
    person.hit(key.F8)
    person.hit(key.F6)
    assert person.wait(lambda: session.simulation.player.loop is None and session.frame.paused)


def test_the_first_divergence_is_marked_and_reported(person, folder):
    session = person.session
    path = recorded(person, folder)

    def wrong(text, arrays):
        arrays["checks"][40] += np.uint64(1)
        arrays["each"][sum(arrays["bodies"][:40]) + 1] += 1
    path.write_bytes(rewritten(path.read_bytes(), wrong))
    session.post(commands.open_recording, str(path))
    session.post(Simulation.run)
    assert person.wait(lambda: session.simulation.recorder.divergence is not None)
    assert person.wait(lambda: session.frame.paused)
    assert session.simulation.recorder.divergence.step == 40 and "recordings/divergence" in _spots(person)
    assert any("differs from the recording from step 40" in message.text for message in session.messages)
    told = describe(session.frame.past, None, session.simulation.recorder.divergence)
    assert "The replay differs from the recording from step 40" in told


def _spots(person):
    widgets.clickable_areas.clear()
    person.look(2)
    return set(widgets.clickable_areas)
