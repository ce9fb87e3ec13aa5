"""Keyboards without Latin letters: a key acts by its position, in the scene and in text fields."""

import pytest
from pyglet import compat_platform
from pyglet.window import key

from app.gui.commands.key_positions import latin
from app.gui.output.scene_documents import FileList

pytestmark = pytest.mark.skipif(not compat_platform.startswith("linux"), reason="elsewhere pyglet itself counts positions")

R, P, S, A, COMMA_KEY = (key.user_key(code) for code in (27, 33, 39, 38, 59))
"""Keys as pyglet gives them where X11 says Cyrillic_ka, _ze, _yeru, _ef, _be."""


def test_positions_are_those_of_a_us_keyboard():
    assert [latin(symbol) for symbol in (R, P, S, A, COMMA_KEY)] == [key.R, key.P, key.S, key.A, key.COMMA]
    assert latin(key.user_key(10)) == key._1 and latin(key.user_key(61)) == key.SLASH
    assert latin(key.SPACE) == key.SPACE and latin(key.user_key(200)) == key.user_key(200)


def test_a_cyrillic_key_acts_by_its_position(person):
    person.load("pyramid")
    person.hit(P)
    assert person.wait(lambda: not person.session.frame.paused and person.session.frame.step > 2)
    person.hit(P)
    assert person.wait(lambda: person.session.frame.paused)
    person.hit(R)
    assert person.wait(lambda: person.session.frame.step == 0)
    person.hit(P, key.MOD_CTRL)
    person.look(3)
    assert person.window.gui.panels.all["palette"].open
    person.hit(key.ESCAPE)


def test_ctrl_with_a_cyrillic_key_serves_a_text_field(person):
    person.load("pyramid")
    person.hit(S, key.MOD_CTRL)
    person.look(5)
    state = person.session.state(FileList)
    assert state.typed
    person.hit(A, key.MOD_CTRL)
    person.write("other")
    person.look(2)
    assert state.typed == "other", "all was selected, so that typing replaced it"
    person.hit(key.ESCAPE)
    person.hit(key.ESCAPE)
