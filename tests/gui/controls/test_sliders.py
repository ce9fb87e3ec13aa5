"""Sliders: drags take effect at once, clicks a moment later, a double-click opens the text field."""

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.engine.simulation import Simulation
from app.gui.controls.widgets import CLICK_DELAY


@pytest.fixture
def incline(person):
    person.load("incline")
    for _ in range(5):
        person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.time > 0.02)
    return person


def frictions(person):
    shapes = person.session.frame.shapes
    return shapes["friction"][shapes["body"] >= 0]


def double_click(person, label):
    x, y = person.spot(label, 0.9)
    person.look(40)
    for _ in range(2):
        person.press(x, y)
        person.release(x, y)
    person.look(3)


@pytest.mark.parametrize("label", ["lesson/friction μ", "lesson/angle", "physics/friction μ"])
def test_a_double_click_without_typing_changes_nothing(incline, label):
    """The first of the two clicks built the scene anew, its time and the lanes' own frictions were gone."""
    before, time = frictions(incline).copy(), incline.session.frame.time
    double_click(incline, label)
    incline.write("99")
    incline.hit(key.ESCAPE)
    incline.look(round(2.0 * CLICK_DELAY * 60.0))
    assert np.array_equal(frictions(incline), before) and np.ptp(before) > 0.1
    assert incline.session.frame.time == time and not incline.session.simulation.edits.done


def test_a_single_click_takes_effect_after_the_double_click_time(incline):
    incline.look(40)
    incline.click("physics/friction μ", 0.5)
    assert not incline.session.simulation.edits.done
    incline.look(round(1.2 * CLICK_DELAY * 60.0))
    assert incline.wait(lambda: np.allclose(frictions(incline), 1.0, atol=0.05))
    incline.hit(key.Z, key.MOD_CTRL)
    assert incline.wait(lambda: np.ptp(frictions(incline)) > 0.1)


def test_a_click_does_not_change_a_scene_opened_after_it(incline):
    incline.look(40)
    incline.click("physics/gravity", 0.05)
    incline.load("pyramid")
    incline.look(round(2.0 * CLICK_DELAY * 60.0))
    assert incline.session.frame.gravity[2] == -9.81 and not incline.session.simulation.edits.done


def test_a_drag_takes_effect_at_once_and_pending_clicks_are_kept(incline):
    incline.look(40)
    x, y = incline.spot("physics/gravity", 0.5)
    incline.press(x, y)
    incline.send("on_mouse_drag", x + 40, y, 40, 0, mouse.LEFT, 0)
    assert incline.wait(lambda: incline.session.frame.gravity[2] < -3.0, 1.0)
    incline.release(x + 40, y)
    incline.look(40)
    incline.click("physics/friction μ", 0.35)
    incline.click("physics/restitution e", 0.5)
    assert incline.wait(lambda: np.allclose(frictions(incline), 0.7, atol=0.05))
