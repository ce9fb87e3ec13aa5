"""The first minute: a simple window, the way to all instruments and back, hints that go away when they are followed."""

import pytest
from pyglet.window import key

from app.gui.shell import first_minute
from app.gui.shell.first_minute import HINTS, SIMPLE_PANELS, Hints, Instruments
from app.gui.shell.panel_host import Panels
from app.gui.shell.settings import Settings, SettingsStore, load
from tests.tools.person import fresh_spots, some_body

BUTTON = "MainMenuBar/instruments"


@pytest.fixture
def beginner(person, tmp_path):
    """Someone at a window that starts without settings; they are kept in `store`."""
    person.load("incline")
    settings, trouble = load(tmp_path / "settings.toml")
    assert not trouble
    person.store = SettingsStore(settings, tmp_path / "settings.toml")
    person.store.apply(person.window)
    person.look(6)
    yield person
    SettingsStore(Settings(), None).apply(person.window)
    person.look(6)


def drawn(person):
    """Windows that are drawn."""
    return {spot.partition("/")[0] for spot in fresh_spots(person)}


def restarted(person):
    """The same window as after a start with the kept settings."""
    person.store.keep(person.window)
    settings, trouble = load(person.store.path)
    assert not trouble
    SettingsStore(settings, None).apply(person.window)
    person.look(6)
    return settings


def test_the_first_start_is_simple_and_one_button_brings_everything_and_back(beginner):
    docked, panels = set(Panels.discover().opened()), beginner.window.gui.panels
    shown = drawn(beginner)
    assert shown & docked == {"lesson", "plot"} and {"top", "status", "MainMenuBar", "hints"} <= shown
    assert {"lesson/angle", "lesson/friction \u03bc", "lesson/head measured"} <= set(fresh_spots(beginner))
    assert "top/record" not in fresh_spots(beginner)
    beginner.click(BUTTON)
    beginner.look(6)
    assert {"scenes", "lesson", "physics", "plot"} <= drawn(beginner), "the first tab of each dock is in front"
    assert panels.opened() == {name: getattr(panels.all[name].module, "OPEN", True) for name in docked}
    assert "top/record" in fresh_spots(beginner)
    assert not restarted(beginner).simple and "physics" in drawn(beginner)
    beginner.session.window.run_action("instruments")       # as menu and palette do
    beginner.look(6)
    assert drawn(beginner) & docked == {"lesson", "plot"} and restarted(beginner).simple
    assert {name for name, is_open in panels.opened().items() if is_open} == set(SIMPLE_PANELS)


def test_each_window_keeps_the_panels_opened_in_it(beginner):
    session, panels = beginner.session, beginner.window.gui.panels
    session.window.open_panel("joint_lens")     # as a lesson does
    beginner.look(4)
    beginner.click(BUTTON)
    session.window.toggle_panel("energy")
    beginner.look(4)
    beginner.click(BUTTON)
    restarted(beginner)
    assert panels.all["joint_lens"].open and not panels.all["physics"].open
    beginner.click(BUTTON)
    assert not panels.all["energy"].open and panels.all["physics"].open
    session.window.reset_layout()
    beginner.look(6)
    assert panels.all["energy"].open


def test_older_settings_keep_the_whole_window(person, tmp_path):
    (tmp_path / "settings.toml").write_text('theme = "light"\n[panels]\nenergy = false\n')
    settings, trouble = load(tmp_path / "settings.toml")
    SettingsStore(settings, None).apply(person.window)
    person.look(4)
    panels = person.window.gui.panels
    assert not trouble and not person.session.state(Instruments).simple and not person.session.state(Hints).waiting
    assert panels.all["physics"].open and not panels.all["energy"].open
    SettingsStore(Settings(), None).apply(person.window)


def test_hints_go_when_they_are_followed(beginner, monkeypatch):
    monkeypatch.setattr(first_minute, "THANKED", 0.3)
    session, hints = beginner.session, beginner.session.state(Hints)
    assert {f"hints/{name}" for name in HINTS} <= set(fresh_spots(beginner))
    x, y = beginner.body_at(some_body(session))
    beginner.press(x, y)
    beginner.send("on_mouse_drag", x + 30, y + 30, 30, 30, 1, 0)
    session.post(type(session.simulation).run)
    assert beginner.wait(lambda: "drag" not in hints.waiting)
    beginner.release(x + 30, y + 30)
    beginner.hit(key.B)
    assert beginner.wait(lambda: "throw" not in hints.waiting)
    beginner.type_into("lesson/angle", "30")
    assert beginner.wait(lambda: not hints.waiting)
    assert beginner.wait(lambda: "hints" not in drawn(beginner)), "a followed hint is ticked and goes"
    assert not any(restarted(beginner).hints.values())


def test_a_hint_can_be_closed(beginner):
    beginner.click("hints/close throw")
    assert beginner.session.state(Hints).waiting == ["drag", "tilt"]
    assert restarted(beginner).hints == {"drag": True, "throw": False, "tilt": True}
    beginner.load("pyramid")
    assert "hints" not in drawn(beginner), "they are of the first scene"
