"""The tour: six stops, each at the real control, in every language, with Next, Back and Esc."""

import pytest
from pyglet.window import key

from app.gui.controls import widgets
from app.gui.shell.tour import STOPS, Tour, place_beside
from app.i18n import translate
from tests.tools.person import fresh_spots


@pytest.fixture
def tourist(person):
    """Someone at the tilted bench who starts the tour from the menu Help."""
    person.load("incline")
    person.click("MainMenuBar/Help")
    person.click(next(spot for spot in fresh_spots(person) if spot.endswith("/tour")))
    person.look(3)
    yield person
    person.hit(key.ESCAPE)
    translate.set_language("en")


def around(person):
    """The rectangle that the tour points at: x0, y0, x1, y1."""
    x, y, width, height = person.session.state(Tour).target
    return x, y, x + width, y + height


@pytest.mark.parametrize("language", list(translate.LANGUAGES))
def test_six_stops_point_at_their_controls(tourist, language):
    translate.set_language(language)
    wanted = ("", "top/run", "lesson/angle", "lesson/head measured", "", "MainMenuBar/instruments")
    assert len(STOPS) == len(wanted) == 6
    for number, (stop, control) in enumerate(zip(STOPS, wanted)):
        assert tourist.wait(lambda n=number: tourist.session.state(Tour).at == n, 5.0)
        tourist.look(4)
        assert all(map(translate.translated, (stop.head, stop.text)))
        spots = fresh_spots(tourist)
        assert {"tour/next", "tour/back", "tour/close"} <= set(spots)
        if control:
            x0, y0, x1, y1 = spots[control]
            assert around(tourist) == pytest.approx((x0, y0, x1, y1), abs=5.0), "it points at where the control is drawn"
            box = spots["tour/next"]
            assert box[0] > x1 or box[2] < x0 or box[1] > y1 or box[3] < y0, "its text does not cover the control"
            assert 0.0 <= x0 < x1 <= 1200.0 and 0.0 <= y0 < y1 <= 800.0
        tourist.click("tour/next")
    assert tourist.session.state(Tour).at == -1 and "tour/next" not in fresh_spots(tourist)


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
        assert tourist.wait(lambda: around(tourist)[3] < 800.0 and around(tourist)[3] - around(tourist)[1] < 60.0, 5.0)
        assert panels.all["lesson"].open and not panels.hidden
        assert around(tourist) == pytest.approx(fresh_spots(tourist)["lesson/head measured"], abs=8.0)
    finally:
        gui.zoom(0)
        tourist.look(6)


def test_its_text_stays_in_the_window(tourist):
    for target in ((0.0, 0.0, 1200.0, 800.0), (1100.0, 0.0, 100.0, 20.0), (0.0, 700.0, 300.0, 100.0), (0.0, 0.0, 300.0, 800.0),
                   (400.0, 300.0, 10.0, 10.0)):
        x, y = place_beside(target, (350.0, 150.0))
        assert 0.0 <= x <= 850.0 and 0.0 <= y <= 650.0, target
