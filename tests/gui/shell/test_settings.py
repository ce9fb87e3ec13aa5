"""Settings: round trip, and damaged files never prevent a start."""

import dataclasses
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import imgui
from pyglet.window import key

from app.files import folders
from app.gui.shell import settings
from app.gui.shell.settings import PERSONAL_TOGGLES, Settings, SettingsStore, as_toml, load
from app.sound import sound as sounds
from tests.tools.person import Person

MINE = Settings(theme="light", text_size=1.21, width=900, height=700, throw_speed=3.5, scene='odd "name" \\ é',
                view={"shadows": False}, panels={"plot": False, "a.b": True}, volume=0.3, sound={"on": True, "impacts": False})


def test_settings_round_trip(tmp_path):
    (tmp_path / "s.toml").write_text(as_toml(MINE), encoding="utf-8")
    got, trouble = load(tmp_path / "s.toml")
    assert got == MINE and not trouble


def test_without_a_file_defaults_apply_silently(tmp_path):
    assert load(tmp_path / "none.toml") == (Settings.first(), "")


@pytest.mark.parametrize(("text", "told"), [
    ('theme = "pink"', "theme = 'pink' is not one of: dark"), ("width = 3", "width = 3 is out of range"),
    ("text_size = nan", "text_size = nan is out of range"), ("text_size = true", "must be a number"),
    ("colour = 1", "'colour' is unknown"), ("scene = 3", "'scene' is unknown or has the wrong type"),
    ("panels = 3", "'panels' is unknown or has the wrong type"), ("[view]\nshadows = 2", "'shadows'"),
    ("[view]\nstars = true", "'stars'"),
    ("simple = 1", "must be true or false"), ("[hints]\nfly = true", "'fly'"),
    ("[sound]\ndrums = true", "'drums'"), ("volume = 2", "volume = 2 is out of range")])
def test_a_bad_entry_is_reported_and_the_others_apply(tmp_path, text, told):
    (tmp_path / "s.toml").write_text("throw_speed = 7.5\n" + text)
    got, trouble = load(tmp_path / "s.toml")
    assert told in trouble and "defaults are used" in trouble and got.throw_speed == 7.5
    good = dataclasses.replace(got, throw_speed=12.0, view={}, panels={}, sound={}, hints={}, simple=False)
    assert good == Settings() and got.simple == text.startswith("simple"), "what is refused is that of the first start"


def test_a_damaged_settings_file_is_kept(tmp_path):
    (tmp_path / "s.toml").write_bytes(b"theme = = \xff")
    got, trouble = load(tmp_path / "s.toml")
    assert got == Settings.first() and got.simple and "damaged" in trouble
    assert (tmp_path / "s.damaged").read_bytes() == b"theme = = \xff"


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "config").write_text("not a folder")
    got, trouble = load(tmp_path / "config" / "settings.toml")
    assert got == Settings.first() and "is a file" in trouble


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_file_can_raise(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "fuzz.toml"
    path.write_bytes(content)
    got, _ = load(path)
    assert tomllib.loads(as_toml(got))["theme"] in settings.THEME_NAMES


def test_the_settings_folder_can_be_set(monkeypatch, tmp_path):
    monkeypatch.setenv("STICTION_CONFIG_DIR", str(tmp_path))
    assert settings.place() == tmp_path / "settings.toml" and folders.config() == tmp_path


def test_the_window_is_restored_at_the_next_start(window, tmp_path):
    person, path = Person(window, window.session), tmp_path / "settings.toml"
    settings_store = SettingsStore(Settings(), path)
    person.look(4)
    window.session.view.theme, window.session.throw_speed = "light", 4.5
    window.session.view.shadows = True
    window.gui.panels.all["plot"].open = False
    person.hit(key.PLUS, key.MOD_CTRL)
    person.look(2)
    settings_store.save(window)
    got, trouble = load(path)
    assert not trouble and got.theme == "light" and got.throw_speed == 4.5 and got.panels["plot"] is False
    assert got.text_size == pytest.approx(1.1) and got.scene == "pyramid" and got.view["shadows"]
    assert {"shadows", "names"} <= set(PERSONAL_TOGGLES) and not {"contacts", "cones"} & set(PERSONAL_TOGGLES)
    stamp = path.stat().st_mtime_ns
    settings_store.save(window)
    assert path.stat().st_mtime_ns == stamp, "nothing changed, nothing is written"

    window.session.view.theme = "dark"
    window.gui.panels.all["plot"].open = True
    person.hit(key._0, key.MOD_CTRL)
    person.look(2)
    SettingsStore(got, path, "about the file").apply(window)
    assert not window.gui.panels.all["plot"].open and window.gui.scale == pytest.approx(1.1 * window.gui_scale)
    assert window.session.messages[-1].text == "about the file"
    window.gui.panels.all["plot"].open = True
    window.session.view.shadows = False
    window.gui.zoom(0)


def test_sizes_are_the_same_after_any_number_of_changes(window, person):
    """ImGui scales its sizes in place: one that is not set anew each time would end at 0, where ImGui gives up."""
    style = imgui.get_style()

    def sizes():
        found = {name: getattr(style, name) for name in dir(style) if not name.startswith("_")}
        return {name: (value.x, value.y) if isinstance(value, imgui.ImVec2) else value for name, value in found.items()
                if isinstance(value, float | imgui.ImVec2)}

    window.gui.zoom(0)
    before = sizes()
    for step in (*[key.MINUS] * 6, *[key.EQUAL] * 12):
        person.hit(step, key.MOD_CTRL)
        window.session.window.run_action("theme")
        person.look(2)
        assert style.window_border_hover_padding > 0.0
        assert style._main_scale == pytest.approx(max(1.0, window.gui.scale)), "crosses that close panels are drawn so thick"
    window.session.view.theme = "dark"
    person.hit(key._0, key.MOD_CTRL)
    person.look(2)
    assert sizes() == before


def test_an_unwritable_disk_is_reported_once(window, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    settings_store = SettingsStore(Settings(), tmp_path / "file" / "settings.toml")
    settings_store.save(window)
    settings_store.save(window)
    assert sum("could not save the settings" in record.message for record in caplog.records) == 1


def test_a_start_without_a_device_keeps_the_sound_setting(window, tmp_path, monkeypatch):
    def missing(make):
        raise sounds.NoSound("no sound device or driver was found")

    path, sound = tmp_path / "settings.toml", window.session.state(sounds.Sound)
    monkeypatch.setattr(sounds, "Speaker", missing)
    settings_store = SettingsStore(Settings(sound={"on": True}), path)
    settings_store.apply(window)
    settings_store.save(window)
    got, _ = load(path)
    assert got.sound["on"] and not sound.on
    monkeypatch.setattr(sounds, "Speaker", FakeDevice)
    SettingsStore(got, path).apply(window)
    assert sound.on, "with a device it sounds again"
    sound.switch(window.session, False)
    settings_store.save(window)
    assert not load(path)[0].sound["on"]


def test_all_throw_speeds_of_the_panel_are_read_back(window, tmp_path):
    path = tmp_path / "settings.toml"
    window.session.throw_speed, before = 500.0, window.session.throw_speed
    SettingsStore(Settings(), path).save(window)
    window.session.throw_speed = before
    assert load(path) == (load(path)[0], "") and load(path)[0].throw_speed == 500.0


class FakeDevice:
    def __init__(self, made_for):
        self.driver, self.controllers = "test", ()

    def close(self):
        pass


def test_sound_settings_are_restored(person, tmp_path, monkeypatch):
    monkeypatch.setattr(sounds, "Speaker", FakeDevice)
    monkeypatch.setattr(sounds, "Rumble", FakeDevice)
    window, path = person.window, tmp_path / "settings.toml"
    sound, settings_store = window.session.state(sounds.Sound), SettingsStore(Settings(), path)
    window.gui.panels.open("sound")
    person.look(4)
    for toggle in ("sound", "sliding", "rumble"):
        person.click(f"sound/{toggle}")
    sound.volume = 0.25
    settings_store.save(window)
    got, trouble = load(path)
    assert not trouble and got.volume == 0.25
    assert got.sound == {"on": True, "rumble": True, "impacts": True, "sliding": False, "joints": True}

    sound.recall(window.session, 0.7, dict.fromkeys(got.sound, False))
    assert not sound.on and sound.rumble is None and not any(sound.kinds.values())
    SettingsStore(got, path).apply(window)
    assert sound.switches() == got.sound and sound.volume == sound.synthesis.volume == 0.25
    assert not sound.synthesis.kinds["sliding"]
    assert person.wait(lambda: sound.step_sounds in window.session.simulation.observers.items, 5.0), "it is heard, not only shown"

    SettingsStore(Settings(), None).apply(window)      # a file that says nothing of sound
    assert sound.on and sound.volume == 0.7, "an older file switches nothing"
    sound.recall(window.session, 0.7, dict.fromkeys(sounds.SOUND_SWITCHES, True) | {"on": False, "rumble": False})
    window.gui.panels.all["sound"].open = False
