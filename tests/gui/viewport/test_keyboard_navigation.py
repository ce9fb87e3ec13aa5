"""Keyboard navigation of panels: entering, moving between controls, leaving."""

import pytest

from app.engine import commands
from app.engine.simulation import Simulation

pytest.importorskip("pyglet")

from imgui_bundle import imgui
from pyglet.window import key

from app.gui.viewport import keyboard_navigation
from tests.tools.person import fresh_spots


@pytest.fixture
def someone(person):
    person.load("incline")
    yield person
    keyboard_navigation.leave()
    person.session.post(Simulation.load, "pyramid")
    person.session.post(Simulation.pause)
    person.look(4)


def into(person, panel):
    """Ctrl+Tab, and on with Ctrl held until the panel is reached."""
    person.hit(key.TAB, key.MOD_CTRL)
    person.look(2)
    window = person.window.gui.panels.all[panel].window
    for taps in range(20):
        focused = imgui.get_current_context().nav_window
        if focused is not None and focused.root_window.name == window:
            return
        person.send("on_key_press", key.LCTRL, 0)
        for _ in range(taps):
            person.send("on_key_press", key.TAB, key.MOD_CTRL)
            person.send("on_key_release", key.TAB, key.MOD_CTRL)
        person.send("on_key_release", key.LCTRL, 0)
        person.look(3)
    raise AssertionError(f"{panel} is not reached")


def steer(person, *symbols):
    for symbol in symbols:
        person.hit(symbol)
        person.look(2)


def test_a_scene_is_chosen_by_keys(someone):
    session = someone.session
    into(someone, "scenes")
    assert keyboard_navigation.in_panels() and "Esc returns to the scene" in session.messages[-1].text
    steer(someone, key.DOWN, key.DOWN, key.DOWN, key.SPACE)
    assert someone.wait(lambda: session.frame.scene != "incline"), "Space presses what has the frame"
    assert session.frame.paused, "Space did not run the scene"
    steer(someone, key.ESCAPE)
    assert not keyboard_navigation.in_panels()
    steer(someone, key.SPACE)
    assert someone.wait(lambda: not session.frame.paused), "the scene has the keyboard again"


def type_by_keys(person, number):
    """Enter, the number, Enter."""
    steer(person, key.RETURN)
    assert imgui.get_io().want_text_input
    person.send("on_key_press", key.A, key.MOD_CTRL)
    person.send("on_key_release", key.A, 0)
    person.write(number)
    steer(person, key.RETURN)


def test_a_number_is_typed_and_reset_by_keys(someone):
    session = someone.session
    into(someone, "lesson")
    type_by_keys(someone, "31")
    assert someone.wait(lambda: session.parameters.angle == 31.0)
    steer(someone, key.TAB, key.SPACE)      # the sign for "back to the default" beside it, which is gone then
    assert someone.wait(lambda: session.parameters.angle == 25.0)
    someone.look(3)
    steer(someone, key.TAB, key.TAB)
    assert imgui.get_current_context().nav_id_is_alive
    into(someone, "scenes")
    into(someone, "lesson")


def test_shortcuts_work_during_keyboard_navigation(someone):
    session = someone.session
    session.post(commands.set_friction, 0.1)
    assert someone.wait(lambda: session.simulation.edits.done)
    into(someone, "physics")
    someone.hit(key.Z, key.MOD_CTRL)
    assert someone.wait(lambda: not session.simulation.edits.done)
    assert not someone.window.gui.panels.hidden
    steer(someone, key.TAB)
    assert not someone.window.gui.panels.hidden, "Tab goes on and hides nothing"


def test_a_click_on_the_scene_returns_the_keyboard(someone):
    into(someone, "physics")
    left, top, width, height = someone.window.gui.panels.centre
    x, y = round(left + 0.5 * width), round(someone.window.get_size()[1] - top - 0.9 * height)
    someone.press(x, y)
    someone.release(x, y)
    assert not keyboard_navigation.in_panels()
    assert "top/run" in fresh_spots(someone)
