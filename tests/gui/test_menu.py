"""Menu bar: entries of the table of actions; bars fit into a narrow window."""

import pytest
from pyglet.window import key

from app.gui.commands import actions
from app.gui.viewport import camera_commands
from app.panels.menu import PANEL_GROUPS
from tests.tools.person import fresh_spots

BAR = "MainMenuBar"


def open_menu(person, topic):
    person.click(f"{BAR}/{topic}")
    spots = fresh_spots(person)
    return {spot.rpartition("/")[2]: spot for spot in spots if spot.startswith("Menu_")}


@pytest.mark.parametrize("topic", actions.TOPICS)
def test_every_menu_has_its_actions(person, topic):
    person.load("pyramid")
    entries = open_menu(person, topic)
    named = {action.name for action in actions.of_topic(topic)}
    elsewhere = {name for name in named if name.startswith(("language_", "view_")) and topic == "View"}
    alike = {action.name: action.many for action in actions.of_topic(topic) if action.many}
    assert named - elsewhere - set(alike) <= set(entries) and not elsewhere & set(entries), "the View panel has its toggles"
    assert set(alike.values()) <= set(entries) and not set(alike) & set(entries), "actions of one kind are in a submenu"
    assert ("Language" in entries) == any(name.startswith("language_") for name in named)   # house/test_language.py opens it
    person.hit(key.ESCAPE)


def test_saved_views_are_in_submenus_and_every_menu_fits_a_small_window(person):
    person.load("pyramid")
    width, height = person.window.get_size()
    try:
        person.window.set_size(1000, 700)
        assert person.wait(lambda: person.window.get_size() == (1000, 700), 10.0)
        for topic in actions.TOPICS:
            entries = open_menu(person, topic)
            assert max(fresh_spots(person)[spot][3] for spot in entries.values()) < 650, topic
            person.hit(key.ESCAPE)
        for menu, action in (("Save a view", "keep_view_3"), ("Go to a saved view", "view_3")):
            person.move(*person.spot(open_menu(person, "Camera")[menu]))
            assert person.wait(lambda action=action: any(spot.endswith(f"/{action}") for spot in fresh_spots(person)), 5.0)
            person.click(next(spot for spot in fresh_spots(person) if spot.endswith(f"/{action}")))
        assert camera_commands.has_view(person.session, 3)
    finally:
        person.window.set_size(width, height)
        person.wait(lambda: person.window.get_size() == (width, height), 10.0)


def test_a_toggle_in_the_menu(person):
    person.load("pyramid")
    before = person.session.camera.flat
    person.click(open_menu(person, "Camera")["flat"])
    assert person.session.camera.flat is not before
    person.hit(key.NUM_5)


def open_group(person, group):
    """Open a submenu of View."""
    person.move(*person.spot(open_menu(person, "View")[group]))
    assert person.wait(lambda: any(spot.rpartition("/")[2].startswith("panel ") for spot in fresh_spots(person)), 5.0)
    return {spot.rpartition("/")[2]: spot for spot in fresh_spots(person)}


def test_a_panel_is_closed_and_opened_again_in_the_menu(person):
    person.load("pyramid")
    assert person.window.gui.panels.all["plot"].open
    person.click(open_group(person, "Measure")["panel plot"])
    assert not person.window.gui.panels.all["plot"].open
    person.click(open_group(person, "Measure")["panel plot"])
    assert person.window.gui.panels.all["plot"].open


def test_every_panel_has_a_group_and_a_line(person):
    listed = [panel for panel in person.session.panels if panel.group]
    assert {panel.name for panel in listed} == {*person.window.gui.panels.opened(), "own_files", "restore"}
    assert {panel.group for panel in listed} == set(PANEL_GROUPS) - {"More"}
    assert [panel.name for panel in listed if not 5 < len(panel.about) < 50] == []


def test_unavailable_actions_are_grey(person):
    person.load("pyramid")
    entries = open_menu(person, "Time")
    person.click(entries["return"])     # nothing was kept
    person.look(3)
    assert not any("no bookmarked state" in message.text for message in person.session.messages)
    person.hit(key.ESCAPE)
    person.hit(key.F5)
    assert person.wait(lambda: person.session.simulation.bookmarked is not None)
    assert actions.actions()["return"].ready(person.session)


@pytest.mark.parametrize("width", [760, 1000, 1200])
def test_the_bars_fit(person, width):
    person.load("pyramid")
    height = person.window.get_size()[1]
    try:
        person.window.set_size(width, height)
        assert person.wait(lambda: person.window.get_size()[0] == width, 10.0)
        spots = fresh_spots(person)
        for name in ("run", "step back", "step", "reset", "past", "speed", "step size"):
            x0, _, x1, _ = spots[f"top/{name}"] if name != "run" else spots.get("top/run", spots.get("top/pause"))
            assert 0.0 <= x0 < x1 <= width, name
        assert all(spots[f"{BAR}/{topic}"][2] <= width for topic in actions.TOPICS)
    finally:
        person.window.set_size(1200, height)
        person.wait(lambda: person.window.get_size()[0] == 1200, 10.0)
