"""Driving a scene in the real window: keys, sliders, a gamepad, points, and the picture of the camera on the hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from imgui_bundle import imgui
from pyglet.window import key

from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.commands.driving import DEAD_ZONE, Driving, Gamepads
from app.gui.controls import widgets
from app.gui.shell.first_minute import Instruments
from app.gui.shell.viewport_layout import inset
from app.panels import controls
from tests.helpers import ControllerManager


def pad(**axes):
    return SimpleNamespace(**{"name": "pad", "leftx": 0.0, "lefty": 0.0, "rightx": 0.0, "righty": 0.0, "lefttrigger": 0.0,
                              "righttrigger": 0.0, "open": lambda: None, **axes})


@pytest.fixture
def driver(person):
    person.load("mf4_trainer")
    person.forget(Driving)
    person.look(6)
    yield person
    person.forget(Driving)


def steps(person, count):
    end = person.session.frame.step + count
    person.session.post(Simulation.single_step, count)
    assert person.wait(lambda: person.session.frame.step == end)


def test_the_panel_opens_with_a_scene_that_has_controls(driver):
    panel = driver.window.gui.panels.all["controls"]
    assert panel.open and not panel.error


def test_the_panel_goes_with_its_scene_unless_it_was_open_before(person):
    person.forget(Driving)
    panel = person.window.gui.panels.all["controls"]
    panel.open = False
    for kept in (False, True):
        person.load("pyramid")
        panel.open = kept
        person.look(3)
        person.load("mf4_trainer")
        assert panel.open
        person.load("pyramid")
        assert panel.open == kept
    panel.open = False


def test_the_panel_does_not_come_back_with_the_window_that_was_put_away(person):
    person.forget(Driving)
    panels = person.window.gui.panels
    person.load("pyramid")
    panels.all["controls"].open = False
    person.look(3)
    person.load("mf4_trainer")
    assert panels.all["controls"].open
    person.session.window.run_action("instruments")
    person.look(3)
    person.load("pyramid")
    person.session.window.run_action("instruments")
    person.look(3)
    assert not person.session.state(Instruments).simple and not panels.all["controls"].open


def test_a_joint_at_rest_shows_no_rounding_errors(driver, monkeypatch):
    shown, bar, text = [], widgets.bar, imgui.text
    monkeypatch.setattr(widgets, "bar", lambda share, label, colour: (shown.append(label), bar(share, label, colour))[1])
    monkeypatch.setattr(controls.imgui, "text", lambda label: (shown.append(label), text(label))[1])
    steps(driver, 60)
    shown.clear()
    driver.look(3)
    assert any(" / " in label for label in shown) and any(label.endswith(" deg") for label in shown)
    assert not [label for label in shown if "10\u207b" in label or label.startswith("-0.0 ")]


def test_keys_drive_only_while_the_keyboard_is_switched_over(driver):
    session = driver.session
    driver.send("on_key_press", key.W, 0)
    driver.look(3)
    assert session.frame.inputs["drive"] == 0.0
    driver.send("on_key_release", key.W, 0)
    driver.click("controls/drive by keyboard")
    driver.send("on_key_press", key.W, 0)
    assert driver.wait(lambda: session.frame.inputs["drive"] == 0.8)
    before = session.frame.bodies["pos"][session.frame.body_names.index("chassis")].copy()
    steps(driver, 120)
    assert session.frame.inputs["script"] == 0.0
    moved = session.frame.bodies["pos"][session.frame.body_names.index("chassis")] - before
    assert moved[1] > 0.05 and abs(moved[0]) < 0.02      # it looks along y
    assert not driver.window.hands.flying.get(key.W), "the key flies the camera, too"
    driver.send("on_key_release", key.W, 0)
    assert driver.wait(lambda: session.frame.inputs["drive"] == 0.0)


def test_both_keys_of_a_control_cancel_and_losing_the_window_releases_them(driver):
    session = driver.session
    driver.click("controls/drive by keyboard")
    driver.send("on_key_press", key.A, 0)
    assert driver.wait(lambda: session.frame.inputs["turn"] == 1.5)
    driver.send("on_key_press", key.D, 0)
    assert driver.wait(lambda: session.frame.inputs["turn"] == 0.0)
    driver.send("on_key_release", key.A, 0)
    assert driver.wait(lambda: session.frame.inputs["turn"] == -1.5)
    driver.send("on_deactivate")
    assert driver.wait(lambda: session.frame.inputs["turn"] == 0.0)


def test_keys_with_ctrl_keep_their_meaning(driver):
    driver.click("controls/drive by keyboard")
    driver.send("on_key_press", key.S, key.MOD_CTRL)
    driver.look(3)
    assert driver.session.frame.inputs["drive"] == 0.0


def test_a_gamepad_drives_comes_and_goes(driver):
    session, state = driver.session, driver.session.state(Driving)
    one = pad(lefty=0.5)
    manager = ControllerManager(one)
    state.gamepads = Gamepads(session.notify, lambda: manager)
    assert driver.wait(lambda: session.frame.inputs["drive"] == pytest.approx(0.4))
    one.lefty, one.rightx = 0.5 * DEAD_ZONE, -1.0
    assert driver.wait(lambda: session.frame.inputs["drive"] == 0.0 and session.frame.inputs["base"] == pytest.approx(0.8))
    manager.handlers["on_disconnect"](one)
    assert driver.wait(lambda: session.frame.inputs["base"] == 0.0) and state.gamepads.name == ""

    def broken():
        raise OSError("no such device")
    assert Gamepads(session.notify, broken).deflection("triggers") == 0.0


class LostPad:
    """A gamepad at full deflection that is unplugged: nothing of it can be read, and closing it fails."""

    name, lost = "pad 1", False
    rightx = righty = leftx = lefttrigger = righttrigger = 0.0

    def open(self):
        """It opens."""

    def close(self):
        raise OSError("no such device")

    @property
    def lefty(self):
        if self.lost:
            raise OSError("no such device")
        return 1.0


def pad_messages(session):
    """Without those of the physics, such as of a step that a busy machine cut short."""
    return [one.text for one in session.messages if one.text.startswith("gamepad")]


@pytest.mark.parametrize("told", [True, False])
def test_a_gamepad_that_goes_away_while_it_drives_is_said_and_the_run_goes_on(driver, told):
    """told: the system reports it; else it is found when its axes are read. Another one then drives."""
    session, state, lost = driver.session, driver.session.state(Driving), LostPad()
    manager = ControllerManager(lost)
    session.messages.clear()
    state.gamepads = Gamepads(session.notify, lambda: manager)
    session.post(Simulation.run)
    assert driver.wait(lambda: session.frame.inputs["drive"] == 0.8 and session.frame.step > 30)
    if told:
        manager.handlers["on_disconnect"](lost)
    else:
        lost.lost = True
    assert driver.wait(lambda: session.frame.inputs["drive"] == 0.0)
    assert pad_messages(session) == ["gamepad connected: pad 1", "gamepad disconnected: pad 1; its controls return to 0"]
    now = session.frame.step
    assert driver.wait(lambda: session.frame.step > now + 30) and not driver.window.gui.panels.all["controls"].error
    manager.handlers["on_connect"](pad(name="pad 2", lefty=-1.0))
    assert driver.wait(lambda: session.frame.inputs["drive"] == -0.8) and pad_messages(session)[-1] == "gamepad connected: pad 2"
    session.post(Simulation.pause)
    assert driver.wait(lambda: session.frame.paused)


def test_inputs_are_driving_and_no_edits_and_are_repeated_when_steps_are_recomputed(driver):
    session = driver.session
    steps(driver, 20)
    session.post(commands.set_input, "drive", 0.5)
    steps(driver, 60)
    assert not session.frame.authored.edits.done
    there, now = session.frame.bodies.copy(), session.frame.step
    session.post(commands.go_to_step, 10)
    assert driver.wait(lambda: session.frame.step == 10) and session.frame.inputs["drive"] == 0.0
    session.post(commands.go_to_step, now)
    assert driver.wait(lambda: session.frame.step == now) and session.frame.inputs["drive"] == 0.5
    assert session.frame.bodies.tobytes() == there.tobytes()


def test_unknown_inputs_and_bad_values_are_refused(driver):
    session = driver.session
    for name, value in (("wings", 1.0), ("drive", float("nan"))):
        driver.session.messages.clear()
        session.post(commands.set_input, name, value)
        assert driver.wait(lambda: session.messages)
        assert name in session.messages[-1].text
    assert session.frame.inputs["drive"] == 0.0


def test_the_camera_on_the_hand_looks_along_the_fingers(driver):
    session = driver.session
    centre = (0.0, 0.0, 900.0, 600.0)
    camera, box = inset(session, centre)
    palm = session.frame.bodies[session.frame.body_names.index("palm")]
    assert np.linalg.norm(camera.eye - palm["pos"]) < 0.15
    ahead = camera.target - camera.eye
    assert ahead[1] > 0.8 * np.linalg.norm(ahead)       # the robot looks along y
    assert box[0] >= 0.0 and box[1] + box[3] <= 600.0
    session.view.eye = False
    assert inset(session, centre) is None
    session.view.eye = True
    assert inset(session, (0.0, 0.0, 200.0, 600.0)) is None


def test_a_scene_without_controls_says_so(person):
    person.load("pyramid")
    person.window.gui.panels.open("controls")
    person.look(4)
    assert not person.window.gui.panels.all["controls"].error and not person.session.state(Driving).by_keyboard
