"""Presentation mode by a simulated user: what grows, what goes, and that it all comes back."""

import pytest
from imgui_bundle import imgui
from pyglet.window import key

from app.engine import commands
from app.gui.controls import widgets
from app.gui.shell.docks import front_tabs
from app.gui.shell.first_minute import SIMPLE_PANELS, Instruments
from app.gui.shell.settings import Settings, SettingsStore
from app.gui.viewport.presentation import LARGER, LEAVE, LONGER, Presentation
from tests.tools import person as person_tools
from tests.tools.person import fresh_spots

window = pytest.fixture(scope="module")(person_tools.opened)
person = pytest.fixture(person_tools.at)


@pytest.fixture(autouse=True)
def left(person):
    yield
    person.session.state(Presentation).on = False
    person.look(8)


def test_f11_enlarges_everything_and_takes_the_status_bar_away_and_back(person):
    drawn = []

    def draw(frame, camera, view, *args, **more):
        drawn.append((view, more))
        return person_tools.PlacedLabel()

    person.window.renderer.draw = draw
    person.look(2)
    text, before, spots = widgets.scaled(1.0), drawn[-1], set(fresh_spots(person))
    assert any(spot.startswith("status/") for spot in spots)
    person.hit(key.F11)
    person.look(3)
    assert widgets.scaled(1.0) == pytest.approx(LARGER * text)
    view, more = drawn[-1]
    assert view.force_scale == pytest.approx(LONGER * before[0].force_scale)
    assert more["density"] == pytest.approx(LARGER * before[1]["density"])
    assert not any(spot.startswith("status/") for spot in fresh_spots(person))
    assert person.window.gui.scale == pytest.approx(text), "which is what the settings keep"
    person.hit(key.F11)
    person.look(3)
    assert widgets.scaled(1.0) == text and drawn[-1][0] is person.session.view and set(fresh_spots(person)) == spots


def test_what_says_how_to_leave_it_goes_when_it_is_left(person):
    person.hit(key.F11)
    person.look(2)
    assert LEAVE in [message.text for message in person.session.messages]
    person.hit(key.F11)
    assert LEAVE not in [message.text for message in person.session.messages]


def test_the_presenter_tells_what_to_look_for(person, monkeypatch):
    """What is predicted and measured takes its place in the picture."""
    texts = []
    monkeypatch.setattr(widgets, "wrapped", lambda text, *more: texts.append(text))
    person.look(2)
    scene = person.session.scene
    assert {scene.title, scene.look_for} <= set(texts)
    person.hit(key.F11)
    person.look(3)
    texts.clear()
    person.look(2)
    assert scene.title in texts and scene.look_for not in texts


def test_a_mark_tells_the_audience_that_it_is_recorded(person):
    person.hit(key.F11)
    person.look(2)
    assert "recording/REC" not in fresh_spots(person)
    person.session.post(commands.start_recording)
    assert person.wait(lambda: person.session.simulation.recorder.since >= 0)
    assert "recording/REC" in fresh_spots(person)
    person.hit(key.F11)
    person.look(2)
    assert "recording/REC" not in fresh_spots(person), "outside, the transport bar tells it"


def test_the_scene_has_most_of_the_width_and_every_panel_comes_back_with_its_tab_in_front(person, tmp_path):
    panels = person.window.gui.panels
    panels.show("outliner")
    panels.show("energy")
    person.look(8)
    opened, before, spots = panels.opened(), panels.centre, set(fresh_spots(person))
    assert {"outliner", "energy"} <= front_tabs(panels.all)
    in_front = front_tabs(panels.all)
    person.hit(key.F11)
    person.look(8)
    assert panels.centre[2] > 0.6 * person.window.get_size()[0] and panels.centre[2] > before[2]
    assert {name for name, is_open in panels.opened().items() if is_open} == set(SIMPLE_PANELS)
    store = SettingsStore(Settings(), tmp_path / "settings.toml")
    store.save(person.window)
    assert not store.settings.simple and store.settings.panels == opened, "a window closed now opens as it was before"
    person.hit(key.F11)
    person.look(8)
    assert panels.opened() == opened and panels.centre == before
    assert front_tabs(panels.all) == in_front and set(fresh_spots(person)) == spots


def test_all_instruments_and_a_hidden_panel_stay_as_they_were_chosen(person):
    panels, instruments = person.window.gui.panels, person.session.state(Instruments)
    panels.hidden = True
    person.hit(key.F11)
    person.look(3)
    assert panels.hidden
    person.hit(key.F11)
    person.look(3)
    assert panels.hidden and not instruments.simple
    panels.hidden = False
    person.hit(key.F11)
    person.look(3)
    person.session.window.run_action("instruments")
    person.look(3)
    assert not instruments.simple
    person.hit(key.F11)
    person.look(3)
    assert not instruments.simple, "chosen while presenting"


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_all_instruments_leave_the_scene_its_width_before_an_audience(person, size, tmp_path):
    gui = person.window.gui
    panels = gui.panels
    person.session.window.reset_layout()
    person.window.set_size(*size)
    assert person.wait(lambda: person.window.get_size() == size, 10.0)
    person.look(8)
    panels.show("joints")
    panels.show("view")
    person.look(8)
    opened, centre, in_front = panels.opened(), panels.centre, front_tabs(panels.all)
    assert centre[2] < 0.6 * size[0] and {"joints", "view"} <= in_front
    person.hit(key.F11)
    person.look(8)
    person.session.window.run_action("instruments")
    person.look(8)
    assert panels.opened() == opened and panels.centre[2] > 0.65 * size[0], "the panels of the right are tabs on the left"
    panels.show("physics")
    person.look(8)
    assert "physics" in front_tabs(panels.all)
    gui.ini = tmp_path / "window.ini"
    imgui.get_io().want_save_ini_settings = True
    person.look()
    assert not gui.ini.exists(), "the layout is for this audience"
    panels.show("view")
    panels.show("joints")
    person.look(8)
    person.hit(key.F11)
    person.look(8)
    assert panels.opened() == opened and panels.centre == centre
    assert {"joints", "view"} <= front_tabs(panels.all)
    imgui.get_io().want_save_ini_settings = True
    person.look()
    assert gui.ini.exists()
    gui.ini = None
    person.window.set_size(1200, 800)
    assert person.wait(lambda: person.window.get_size() == (1200, 800), 10.0)
    person.look(8)
