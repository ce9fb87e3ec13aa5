"""Solvers side by side in the real window: add, view, drag, remove."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from imgui_bundle import imgui

from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell.viewport_layout import panes
from app.panels import compare
from tests.tools.person import key, mouse


@pytest.fixture
def comparing(person):
    person.load("incline")
    person.session.post(Comparison.stop_comparing)
    assert person.wait(lambda: not person.session.frame.followers)
    person.window.gui.panels.open("compare")
    person.look(6)
    yield person
    person.session.post(Comparison.stop_comparing)
    person.wait(lambda: not person.session.frame.followers)


def add(person, file):
    count = len(person.session.frame.followers)
    person.click("compare/add solver")
    person.look(4)
    person.click(next(spot for spot in widgets.clickable_areas if spot.endswith(f"/with {file}")))
    assert person.wait(lambda: len(person.session.frame.followers) == count + 1)


def test_solvers_are_added_by_clicks_and_each_gets_a_pane(comparing):
    add(comparing, "stewart_trinkle")
    add(comparing, "soft_steps")
    comparing.look(4)
    shown = comparing.window.hands.panes
    assert [pane.frame.solver for pane in shown] == ["sequential impulses", "exact LCP (Stewart-Trinkle)", "soft steps"]
    _, _, width, height = comparing.window.gui.panels.centre
    area = sum(pane.box[2] * pane.box[3] for pane in shown)
    assert 0.97 * width * height < area <= width * height
    comparing.click("compare/remove 0")
    assert comparing.wait(lambda: len(comparing.session.frame.followers) == 1)
    assert comparing.session.frame.followers[0].solver == "soft steps"
    assert not comparing.window.gui.panels.all["compare"].error


def test_panes_cover_the_middle_without_overlap(comparing):
    frame = comparing.session.frame
    for count in (1, 2, 3, 4):
        shown = panes(replace(frame, followers=(frame,) * (count - 1)), (100.0, 50.0, 900.0, 500.0), True)
        assert len(shown) == count
        cover = np.zeros((500, 900), int)
        for pane in shown:
            x, y, width, height = (round(v) for v in pane.box)
            cover[y - 50 : y - 50 + height, x - 100 : x - 100 + width] += 1
        assert cover.max() == 1 and cover.mean() > 0.98
    assert len(panes(replace(frame, followers=(frame,)), (0.0, 0.0, 900.0, 500.0), False)) == 1


def test_dragging_in_a_followers_pane_moves_the_body_in_all(comparing):
    add(comparing, "soft_steps")
    comparing.look(4)
    session = comparing.session
    pane = comparing.window.hands.panes[1]
    left, top, width, height = pane.box
    seen = session.camera.project(pane.frame.bodies["pos"], width, height)[:, :2]
    inside = (np.abs(seen - (width / 2, height / 2)) < (0.4 * width, 0.4 * height)).all(axis=1)
    box = int(np.flatnonzero(inside & (pane.frame.bodies["mass"] > 0.0))[0])
    x, y = seen[box]
    place = round(left + x), round(comparing.window.get_size()[1] - top - height + y)
    before = session.frame.bodies.copy()
    comparing.press(*place)
    comparing.send("on_mouse_drag", place[0] + 60, place[1] + 60, 60, 60, mouse.LEFT, 0)
    simulations = session.thread.comparison.simulations
    assert comparing.wait(lambda: all(simulation.dragged >= 0 for simulation in simulations))
    session.post(Simulation.single_step, 30)
    assert comparing.wait(lambda: session.frame.step >= 30)
    comparing.release(place[0] + 60, place[1] + 60)
    held = [simulation.world.bodies["pos"] for simulation in simulations]
    lifted = [float(np.abs(pos - before["pos"]).max()) for pos in held]
    assert min(lifted) > 0.05 and abs(lifted[0] - lifted[1]) < 0.2 * lifted[0]


def test_the_table_shows_the_distance_between_solvers(comparing):
    add(comparing, "soft_steps")
    frame = comparing.session.frame
    assert compare.apart(frame, frame.followers[0]) == 0.0
    moving = int(np.flatnonzero(frame.bodies["mass"] > 0.0)[0])
    frame.followers[0].bodies["pos"][moving, 2] += 0.25
    assert compare.apart(frame, frame.followers[0]) == pytest.approx(0.25)
    assert compare.rows(frame)[0] == ("",) * 5 or compare.rows(frame)[0][-1] == ""


def test_long_numbers_of_the_table_stay_within_it_and_apart(comparing, monkeypatch):
    """Columns kept the widths of their first numbers: later ones were cut at the right end."""
    add(comparing, "soft_steps")
    comparing.look(6)
    long = ("27", "7.2\u00b710\u207b\u2075", "8.8\u00b710\u207b\u00b9\u00b3", "117", "0.037")
    monkeypatch.setattr(compare, "rows", lambda frame: [("1", "0", "0", "1", ""), long])
    widgets.clickable_areas.clear()
    comparing.look(3)
    cells = [next(box for spot, box in widgets.clickable_areas.items() if spot.endswith(f"/1 {text}")) for text in long]
    lines = [box for spot, box in widgets.clickable_areas.items() if spot.endswith("/add solver")]
    assert all(left[2] < right[0] for left, right in pairwise(cells))
    right = imgui.internal.find_window_by_name(comparing.window.gui.panels.all["compare"].window).content_region_rect.max.x
    assert lines and cells[-1][2] <= right + 0.5


def test_keys_apply_to_all_solvers(comparing):
    add(comparing, "soft_steps")
    comparing.hit(key.PERIOD)
    assert comparing.wait(lambda: comparing.session.frame.step == 1 and comparing.session.frame.followers[0].step == 1)
    comparing.hit(key.COMMA)
    assert comparing.wait(lambda: comparing.session.frame.step == 0 and comparing.session.frame.followers[0].step == 0)


def test_a_solver_that_supports_the_scene_with_other_options_alone_is_compared_with_them(comparing):
    comparing.click("compare/add solver")
    comparing.look(4)
    assert comparing.session.frame.followers == ()
    comparing.click(next(spot for spot in widgets.clickable_areas if spot.endswith("/with event_driven with friction")))
    assert comparing.wait(lambda: len(comparing.session.frame.followers) == 1)
    follower = comparing.session.frame.followers[0]
    assert follower.solver == "event-driven (Featherstone)" and follower.solver_state.options.friction == "left out"
    comparing.click("compare/lead 0")
    assert comparing.wait(lambda: comparing.session.frame.solver == "event-driven (Featherstone)")
    assert comparing.session.frame.solver_state.options.friction == "left out"
    comparing.session.post(commands.undo)


def test_rounding_errors_take_no_room_in_the_table():
    assert [compare.millimetres(length) for length in (0.0, 6.8e-13, 2e-6, float("nan"))] == ["0", "~0", "0.002", "nan"]
