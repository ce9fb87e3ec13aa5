"""Classroom lock: what stays accessible, what is ignored, and how it is opened."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.tools.person import fresh_spots

pytest.importorskip("pyglet")

import pyglet
from pyglet.window import key

from app.analysis.lessons.classroom_lock import ACTIONS, MAX_CODE_LENGTH, UNLOCKED_PANELS, Lock
from app.gui.commands.actions import actions
from app.gui.viewport import keyboard_navigation
from app.panels.lock import LockState
from app.session import Selection
from scenes.lessons import lesson_of


@pytest.fixture
def locked(person):
    person.load("incline")
    lock = person.session.state(Lock)
    lock.close("1234")
    person.look(6)
    yield person
    lock.on, lock.code = False, ""
    person.window.gui.panels.all["lock"].open = False
    person.look(6)


def test_only_the_code_opens_it():
    lock = Lock()
    lock.close("1234")
    assert lock.on and not lock.open("") and not lock.open("12345") and lock.on
    assert lock.open("1234") and not lock.on
    lock.close()
    assert lock.open("")
    lock.close("a" * 100)
    assert lock.open("a" * MAX_CODE_LENGTH)
    lock.close("\u00fc")
    assert not lock.open("u") and lock.open("\u00fc")


def test_panels_and_actions_of_the_lock_exist():
    from app.gui.shell.panel_host import Panels

    assert set(actions()) >= ACTIONS
    assert set(Panels.discover().all) >= UNLOCKED_PANELS


def test_an_open_window_allows_everything():
    lock = Lock()
    assert lock.allows_action("throw") and lock.allows_panel("physics", None)
    assert lock.hidden_parameters(("angle",), lesson_of("incline")) == ()


def test_panels_opened_by_the_lesson_stay_visible():
    lock = Lock()
    lock.close()
    assert lock.allows_panel("joint_lens", lesson_of("door")) and not lock.allows_panel("joint_lens", lesson_of("incline"))
    assert not lock.allows_panel("physics", lesson_of("door")) and not lock.allows_action("throw")
    assert lock.hidden_parameters(("links", "friction"), lesson_of("chain")) == ()
    assert lock.hidden_parameters(("speed", "mu", "colour"), lesson_of("star_burst")) == ("colour",)


def test_a_locked_window_shows_the_lesson_and_nothing_else(locked):
    seen = {label.partition("/")[0] for label in fresh_spots(locked)}
    assert {"top", "status", "plot"} <= seen and seen & {"lesson", "exercises"}
    assert not seen & {"scenes", "physics", "view", "inspector", "joints", "MainMenuBar"}


def test_other_keys_are_ignored(locked):
    session = locked.session
    before, shown, bodies = session.frame.scene, session.view.contacts, len(session.frame.bodies)
    for symbol, modifiers in ((key.BRACKETRIGHT, 0), (key.C, 0), (key.B, 0), (key.TAB, 0), (key.F1, 0), (key.P, key.MOD_CTRL),
                              (key.O, key.MOD_CTRL), (key.DELETE, 0)):
        locked.hit(symbol, modifiers)
    locked.look(20)
    assert session.frame.scene == before and session.view.contacts == shown and len(session.frame.bodies) == bodies
    assert not locked.window.gui.panels.hidden and not locked.window.gui.panels.all["help"].open
    locked.hit(key.SPACE)
    assert locked.wait(lambda: not session.frame.paused), "time stays within reach"
    locked.hit(key.SPACE)
    assert locked.wait(lambda: session.frame.paused)


def test_requests_of_panels_are_refused(locked, monkeypatch):
    asked, panels, saved = locked.session.window, locked.window.gui.panels, []
    for name in ("save_picture", "save_scene_picture", "save_panel_picture"):
        monkeypatch.setattr(locked.window, name, lambda path, name=name: saved.append(name))
    bodies, scale = len(locked.session.frame.bodies), locked.window.gui.scale
    opened = {name: panel.open for name, panel in panels.all.items()}
    for ask in (asked.hide_or_show_panels, asked.focus_panels, asked.reset_layout, asked.save_screenshot,
                asked.save_scene_picture, asked.toggle_video, partial(asked.save_panel_picture, Path("plot.png")),
                partial(asked.toggle_panel, "help"), partial(asked.open_panel, "physics"), partial(asked.run_action, "throw")):
        ask()
    locked.look(4)
    pyglet.clock.tick()
    locked.look(10)
    assert {name: panel.open for name, panel in panels.all.items()} == opened and not panels.hidden and not saved
    assert len(locked.session.frame.bodies) == bodies and locked.window.recorder.writer is None
    assert not keyboard_navigation.in_panels()
    asked.open_panel("lock")
    asked.zoom(1)
    locked.look(4)
    assert panels.all["lock"].open and locked.window.gui.scale > scale, "what the class needs is done"
    asked.zoom(0)
    locked.look(4)


def test_bodies_cannot_be_dragged(locked):
    session = locked.session
    body = session.simulation.world.body("box 3")
    x, y = locked.body_at(body)
    azimuth = session.camera.azimuth
    locked.press(x, y)
    assert locked.window.hands.grab is None
    locked.send("on_mouse_drag", x + 60, y, 60, 0, 1, 0)
    locked.release(x + 60, y)
    assert session.camera.azimuth != azimuth, "the view turns"
    locked.press(x, y, modifiers=key.MOD_SHIFT)
    locked.release(x, y, modifiers=key.MOD_SHIFT)
    locked.look(10)
    assert session.selection == Selection() and np.count_nonzero(session.frame.bodies["kind"]) == len(session.frame.bodies)


def test_the_teacher_opens_it_with_the_code(locked):
    lock = locked.session.state(Lock)
    locked.click("status/locked")
    locked.look(6)
    for text, open_after in (("999", False), ("1234", True)):
        locked.click("lock/code")
        for letter in text:
            locked.send("on_text", letter)
        locked.click("lock/unlock")
        locked.look(4)
        assert lock.on != open_after
    assert "MainMenuBar/View" in fresh_spots(locked)


def test_the_command_line_locks(monkeypatch):
    import argparse

    from app.cli import Usage
    from app.commands import view
    from app.gui.shell.settings import Settings

    parser = argparse.ArgumentParser()
    view.arguments(parser)
    session = view.open_session(parser.parse_args(["incline", "--locked", "--code", "7"]), Settings())
    assert session.state(Lock).on and session.state(Lock).open("7")
    with pytest.raises(Usage, match="--locked"):
        view.run(parser.parse_args(["incline", "--code", "7"]))


def test_the_code_can_be_typed_at_once(person):
    person.load("incline")
    person.session.window.open_panel("lock")
    person.look(5)
    person.write("77")
    assert person.session.state(LockState).code == "77"
    person.hit(key.ESCAPE)
    person.hit(key.ESCAPE)
    person.session.state(LockState).code = ""
