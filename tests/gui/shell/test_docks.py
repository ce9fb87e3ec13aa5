"""Docks: scaling with text and window, shrinking and growing back, lists of tabs that do not fit."""

import re

import pytest

pytest.importorskip("pyglet")

from imgui_bundle import imgui

from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell import docks
from app.i18n import translate
from tests.tools.person import fresh_spots

IN_A_TABLE = re.compile("(contacts|joint_table|truth)/(head|joint|contact) ")
"""Heads and rows of wide tables, which scroll."""


@pytest.fixture
def sized(person):
    """(person, panels), in the default layout of a window of 1200 x 800, as before afterwards."""
    panels = person.window.gui.panels
    person.session.window.reset_layout()
    person.look(8)
    yield person, panels
    person.window.set_size(1200, 800)
    person.session.window.zoom(0)
    person.session.window.reset_layout()
    person.look(8)


def dock(panels, name):
    return imgui.internal.find_window_by_name(panels.all[name].window).dock_node


def width(panels, name):
    return dock(panels, name).size.x


def zoom(person, steps):
    for _ in range(abs(steps)):
        person.session.window.zoom(1 if steps > 0 else -1)
    person.look(8)


def lists_tabs(panels, name):
    return not dock(panels, name).local_flags & imgui.internal.DockNodeFlagsPrivate_.no_window_menu_button


def test_docks_scale_with_text_up_to_a_share_of_the_window(sized):
    person, panels = sized
    assert width(panels, "lesson") == pytest.approx(docks.DOCK_SIZES["left"], abs=1.0)
    assert width(panels, "physics") == pytest.approx(docks.DOCK_SIZES["right"], abs=1.0)
    zoom(person, -2)
    assert width(panels, "lesson") == pytest.approx(docks.DOCK_SIZES["left"] / 1.21, abs=2.0)
    zoom(person, 6)
    whole = imgui.get_main_viewport().work_size
    assert width(panels, "lesson") == pytest.approx(0.3 * whole.x, abs=2.0)
    assert dock(panels, "plot").size.y == pytest.approx(0.36 * whole.y, abs=2.0)
    assert panels.centre[2] > 0.38 * whole.x
    zoom(person, -4)
    assert width(panels, "lesson") == pytest.approx(docks.DOCK_SIZES["left"], abs=1.0)


def test_docks_shrink_in_a_narrow_window_and_grow_back(sized):
    person, panels = sized
    ident = dock(panels, "physics").parent_node.id_
    node = imgui.internal.dock_builder_get_node(ident)
    imgui.internal.dock_builder_set_node_size(ident, imgui.ImVec2(300.0, node.size.y))      # as dragging its edge does
    person.look(4)
    person.window.set_size(800, 600)
    person.look(8)
    assert width(panels, "physics") == pytest.approx(240.0, abs=2.0) == width(panels, "lesson")
    person.window.set_size(1200, 800)
    person.look(8)
    assert width(panels, "physics") == pytest.approx(300.0, abs=2.0)
    assert width(panels, "lesson") == pytest.approx(docks.DOCK_SIZES["left"], abs=1.0)


def test_a_low_window_has_an_undivided_left_dock(sized):
    person, panels = sized
    assert dock(panels, "lesson").id_ != dock(panels, "scenes").id_
    zoom(person, 4)
    person.look(8)
    assert dock(panels, "lesson").id_ == dock(panels, "scenes").id_
    assert dock(panels, "lesson").size.y > 0.9 * imgui.get_main_viewport().work_size.y - widgets.scaled(60.0)
    assert "lesson/friction \u03bc" in fresh(person)
    zoom(person, -4)
    person.look(8)
    assert dock(panels, "lesson").id_ != dock(panels, "scenes").id_


def test_wide_tables_are_whole_in_a_narrow_window(sized):
    person, panels = sized
    person.load("incline")
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step >= 3)
    person.window.set_size(1000, 700)
    assert person.wait(lambda: person.window.get_size() == (1000, 700), 10.0)
    person.look(8)
    for name in ("contacts", "truth"):
        panels.open(name)
        person.look(8)
        assert width(panels, name) == 1000.0
        assert person.wait(lambda name=name: any(spot.startswith(f"{name}/head ") for spot in fresh(person)), 10.0), name
        heads = {spot: area for spot, area in fresh(person).items() if spot.startswith(f"{name}/head ")}
        assert all(0.0 <= x0 < x1 <= 1000.0 for x0, _, x1, _ in heads.values()), heads
        panels.all[name].open = False
    for name, panel in panels.all.items():
        if panel.place.startswith("right"):
            panels.all[name].open = False
    person.look(8)
    assert width(panels, "plot") < 720.0, "the simple window keeps its whole left side"


def test_the_tabs_in_front_stay_there_when_the_layout_changes_with_the_size(sized):
    person, panels = sized
    panels.open("energy")
    panels.open("view")
    person.look(6)
    for size in ((1000, 700), (1200, 800)):
        person.window.set_size(*size)
        assert person.wait(lambda size=size: person.window.get_size() == size, 10.0)
        person.look(10)
        shown = {name for name, panel in panels.all.items() if docks.in_front(panel.window)}
        assert {"energy", "view", "inspector"} <= shown and not {"plot", "physics"} & shown


def test_a_user_layout_is_kept(sized):
    person, panels = sized
    imgui.internal.dock_builder_dock_window(panels.all["lesson"].window, dock(panels, "physics").id_)
    person.look(4)
    zoom(person, 4)
    person.look(8)
    assert dock(panels, "lesson").id_ == dock(panels, "physics").id_


def test_tabs_that_do_not_fit_are_listed(sized):
    person, panels = sized
    assert not lists_tabs(panels, "physics") and not lists_tabs(panels, "lesson")
    person.window.set_size(800, 700)
    person.look(8)
    assert lists_tabs(panels, "physics")
    person.window.set_size(1200, 800)
    person.look(8)
    assert not lists_tabs(panels, "physics")


def fresh(person):
    widgets.clickable_areas.clear()
    person.look(2)
    return widgets.clickable_areas


@pytest.mark.parametrize("language", translate.LANGUAGES)
def test_no_control_is_cut_at_the_edge_of_a_narrow_panel(sized, language):
    (person, panels), cut = sized, {}
    person.load("door")
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step >= 3)
    translate.set_language(language)
    try:
        person.window.set_size(1000, 700)
        assert person.wait(lambda: person.window.get_size() == (1000, 700), 10.0)
        for name in panels.opened():
            panels.open(name)
            person.look(6)
            shown, spots = imgui.internal.find_window_by_name(panels.all[name].window), fresh_spots(person)
            left, right = shown.pos.x - 1.0, shown.pos.x + shown.size.x + 1.0
            cut |= {spot: (x0, x1, left, right) for spot, (x0, _, x1, _) in spots.items() if spot.startswith(f"{name}/")
                    and not left <= x0 <= x1 <= right and not IN_A_TABLE.match(spot)}
        assert not cut
    finally:
        translate.set_language("en")
