"""The first minute: a simple window, the way to all instruments and back, hints that go away when they are followed, a status bar
in words, and the tour: six stops, each at the real control, in every language."""

from dataclasses import replace

import pytest
from imgui_bundle import imgui
from pyglet.window import key

from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell import first_minute, messages_overlay
from app.gui.shell.first_minute import HINTS, SIMPLE_PANELS, Hints, Instruments
from app.gui.shell.panel_host import Panels
from app.gui.shell.settings import Settings, SettingsStore, load
from app.gui.shell.tour import TOUR_STOPS, Tour, place_beside
from app.i18n import translate
from app.render.scene.labels import PlacedLabel, ScaleBar
from physics.observe.audit.findings import Audit, Finding
from physics.observe.audit.worst_places import Rule
from tests.tools.person import fresh_spots, some_body

BUTTON = "MainMenuBar/instruments"


@pytest.fixture
def beginner(person, tmp_path):
    """Someone at a window that starts without settings; they are kept in `store`."""
    if person.session.frame.scene != "incline":
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
    person.store.save(person.window)
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


def test_the_title_leads_to_the_other_scenes(beginner):
    beginner.click("MainMenuBar/title")
    beginner.look(3)
    assert beginner.window.gui.panels.all["picker"].open
    beginner.hit(key.ESCAPE)
    beginner.look(3)
    assert not beginner.window.gui.panels.all["picker"].open


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


def test_a_hint_can_be_closed(beginner):
    beginner.click("hints/close throw")
    assert beginner.session.state(Hints).waiting == ["drag", "tilt"]
    assert restarted(beginner).hints == {"drag": True, "throw": False, "tilt": True}
    beginner.load("pyramid")
    assert "hints" not in drawn(beginner), "they are of the first scene"


def test_hints_do_not_cover_what_an_audience_sees(beginner):
    assert {f"hints/{name}" for name in HINTS} <= set(fresh_spots(beginner))
    beginner.hit(key.F11)
    beginner.look(3)
    assert "hints" not in drawn(beginner)
    beginner.hit(key.F11)
    beginner.look(3)
    assert {f"hints/{name}" for name in HINTS} <= set(fresh_spots(beginner))


@pytest.mark.parametrize("width", [600, 1200])
def test_hints_do_not_cover_the_legend_of_forces(beginner, monkeypatch, width):
    legend, arrows = ScaleBar(60.0, 200.0, (("normal force", (0.3, 0.8, 0.7)), ("friction force", (1.0, 0.5, 0.3)))), []
    beginner.window.renderer.draw = lambda *args, **kwargs: PlacedLabel(scale_bar=legend)
    monkeypatch.setattr(messages_overlay, "_arrow", lambda draw_list, ends, y, colour: arrows.append((*ends, y)))
    try:
        beginner.window.set_size(width, 800)
        beginner.wait(lambda: beginner.window.get_size()[0] == width, 10.0)
        beginner.look(6)
        arrows.clear()
        beginner.look()
        hints = imgui.internal.find_window_by_name("##hints")
        assert len(arrows) == 3, "two colours and the scale"
        assert all(left > hints.pos.x + hints.size.x or y < hints.pos.y for left, _, y in arrows)
    finally:
        beginner.window.set_size(1200, 800)
        beginner.wait(lambda: beginner.window.get_size()[0] == 1200, 10.0)


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


# ---- the status bar


def test_an_auditors_sentence_is_drawn_in_a_narrow_window_too(person, monkeypatch):
    person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.report is not None and person.session.frame.paused)
    finding = Finding(Rule.GAINED, 3.0, 5.0, 1, 1, -1, -1, -1, 12.0, "'box'", "")
    failed = replace(person.session.frame.report, audit=Audit((finding,)))
    monkeypatch.setattr(person.session, "frame", replace(person.session.frame, report=failed))
    monkeypatch.setattr(type(person.session), "update", lambda session, now: None)
    try:
        person.window.set_size(700, 800)
        person.wait(lambda: person.window.get_size()[0] == 700, 10.0)
        spots = fresh_spots(person)
        assert spots["status/Unexplained"][2] < spots["status/numbers"][0] < spots["status/numbers"][2] <= 700
    finally:
        person.window.set_size(1200, 800)
        person.wait(lambda: person.window.get_size()[0] == 1200, 10.0)


def test_the_solvers_numbers_are_behind_a_click(person):
    person.load("pyramid")
    person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.report is not None)
    assert "status/residual" not in fresh_spots(person) and "status/exact" in fresh_spots(person)
    person.click("status/numbers")
    assert {"status/residual", "status/step", "status/exact"} <= set(fresh_spots(person))
    person.click("status/numbers")
    assert "status/residual" not in fresh_spots(person) and not person.session.state(Instruments).numbers


# ---- the tour


@pytest.fixture
def tourist(person):
    """Someone at the tilted bench who starts the tour from the menu Help."""
    if person.session.frame.scene != "incline":
        person.load("incline")
    person.click("MainMenuBar/Help")
    person.click(next(spot for spot in fresh_spots(person) if spot.endswith("/tour")))
    yield person
    person.hit(key.ESCAPE)
    translate.set_language("en")


def around(person):
    """The rectangle that the tour points at: x0, y0, x1, y1."""
    x, y, width, height = person.session.state(Tour).target
    return x, y, x + width, y + height


def test_six_stops_point_at_their_controls_in_every_language(tourist):
    tour, wanted = tourist.session.state(Tour), ("", "top/run", "lesson/angle", "lesson/first numbers", "", BUTTON)
    assert len(TOUR_STOPS) == len(wanted) == 6
    for language in translate.LANGUAGES:
        translate.set_language(language)
        tour.go(0)
        for number, (stop, control) in enumerate(zip(TOUR_STOPS, wanted)):
            tourist.look(4)
            spots = fresh_spots(tourist)
            assert tour.at == number and all(map(translate.translated, (stop.head, stop.text)))
            assert {"tour/next", "tour/back", "tour/close"} <= set(spots)
            if control:
                x0, y0, x1, y1 = spots[control]
                assert around(tourist) == pytest.approx((x0, y0, x1, y1), abs=5.0), "it points at where the control is drawn"
                (left, _, _, low), (_, top, right, _) = spots["tour/next"], spots["tour/close"]
                assert left > x1 or right < x0 or top > y1 or low < y0, "its text does not cover the control"
                if control == "lesson/first numbers":
                    heads = [area for spot, area in spots.items() if spot.startswith("lesson/head ")]
                    assert len(heads) == 3
                    assert all(x0 <= a and y0 <= b and c <= x1 + 1.0 and d < y1 for a, b, c, d in heads), "what it is about"
            tourist.click("tour/next") if language == "en" else tourist.hit(key.RETURN)
        tourist.look(2)
        assert tour.at == -1 and "tour/next" not in fresh_spots(tourist)


def test_keys_and_back(tourist):
    tour = tourist.session.state(Tour)
    tourist.hit(key.RETURN)
    tourist.hit(key.RETURN)
    assert tour.at == 2
    tourist.click("tour/back")
    assert tour.at == 1
    tourist.click("top/run")
    assert tourist.wait(lambda: not tourist.session.frame.paused), "what it points at can be used"
    tourist.hit(key.SPACE)
    tourist.hit(key.ESCAPE)
    assert tour.at == -1
    tourist.look(2)
    assert not widgets.sought and "tour/next" not in fresh_spots(tourist)


def test_closed_panels_are_opened_and_scrolled_to(tourist):
    panels, gui = tourist.window.gui.panels, tourist.window.gui
    panels.all["lesson"].open, panels.hidden = False, True
    gui.zoom_to(1.6)
    try:
        tourist.session.state(Tour).go(3)
        tourist.look(3)
        assert tourist.wait(lambda: around(tourist)[3] < 800.0 and around(tourist)[3] - around(tourist)[1] < 200.0, 5.0)
        assert panels.all["lesson"].open and not panels.hidden
        assert around(tourist) == pytest.approx(fresh_spots(tourist)["lesson/first numbers"], abs=8.0)
    finally:
        gui.zoom(0)
        tourist.look(6)


def test_its_text_stays_in_the_window(tourist):
    for target in ((0.0, 0.0, 1200.0, 800.0), (1100.0, 0.0, 100.0, 20.0), (0.0, 700.0, 300.0, 100.0), (0.0, 0.0, 300.0, 800.0),
                   (400.0, 300.0, 10.0, 10.0)):
        x, y = place_beside(target, (350.0, 150.0))
        assert 0.0 <= x <= 850.0 and 0.0 <= y <= 650.0, target


@pytest.mark.parametrize(("size", "most"), [((320, 240), 0), ((640, 480), 1), ((1200, 800), 3)])
def test_hints_leave_a_small_window_its_scene(beginner, size, most):
    kept = beginner.window.get_size()
    beginner.window.set_size(*size)
    try:
        beginner.look(8)
        height = beginner.window.gui.panels.centre[3]
        shown = [spot for spot in fresh_spots(beginner) if spot.startswith("hints/close")]
        assert len(shown) <= most and bool(shown) == bool(most)
        window = imgui.internal.find_window_by_name("##hints")
        assert not shown or window.size.y < 0.4 * height
    finally:
        beginner.window.set_size(*kept)
        beginner.look(8)
