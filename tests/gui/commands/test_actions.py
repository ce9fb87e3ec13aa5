"""Table of actions: every key does what the table says, and no key has two meanings."""

import dataclasses

import pytest
from pyglet.window import key

from app.engine.simulation import Simulation
from app.gui.commands import actions, keys
from tests.tools.person import some_body


def named(name, text):
    return actions.Action(name, name, actions.post(Simulation.reset), text)


@pytest.mark.parametrize(("text", "expected"), [
    ("Space", [(key.SPACE, 0)]), ("Ctrl+Shift+Z", [(key.Z, keys.CTRL | keys.SHIFT)]), (",", [(key.COMMA, 0)]),
    ("Ctrl++", [(key.PLUS, keys.CTRL), (key.NUM_ADD, keys.CTRL)]), ("Alt+W", [(key.W, keys.ALT)]),
    ("0", [(key._0, 0)]), ("Ctrl+Num0", [(key.NUM_0, keys.CTRL)]), ("?", [(key.QUESTION, 0), (key.SLASH, keys.SHIFT)])])
def test_key_names_are_parsed(text, expected):
    assert keys.chords(text) == expected


@pytest.mark.parametrize("bad", ["Hyper", "Ctrl+Nothing"])
def test_a_key_that_does_not_exist_is_an_error(bad):
    with pytest.raises(ValueError, match="is not a key"):
        keys.chords(bad)


@pytest.mark.parametrize("text", ["Space", "W", "Shift+R R"])
def test_a_key_that_means_two_things_is_an_error(monkeypatch, text):
    table = {**actions.actions(), "own": named("own", text)}
    monkeypatch.setattr(keys, "actions", lambda: table)
    keys.bindings.cache_clear()
    try:
        with pytest.raises(ValueError, match="is already in use"):
            keys.bindings()
    finally:
        keys.bindings.cache_clear()


def test_every_action_has_a_topic_a_label_and_a_tip():
    for name, action in actions.actions().items():
        assert action.name == name and action.topic in actions.TOPICS and action.label[0].isupper(), name
        assert not action.label.endswith(".") and actions.tip(name), name


def test_every_key_reaches_its_action(person, monkeypatch):
    """Through the window: what the table says is pressed, and what was done is asked."""
    done = []
    table = {name: dataclasses.replace(action, do=lambda session, viewport, name=name: done.append(name))
             for name, action in actions.actions().items()}
    monkeypatch.setattr(keys, "actions", lambda: table)
    keys.bindings.cache_clear()
    masks = {keys.CTRL: key.MOD_CTRL, keys.ALT: key.MOD_ALT, keys.SHIFT: key.MOD_SHIFT}
    try:
        for (symbol, held), action in keys.bindings().items():
            person.hit(symbol, sum(mask for bit, mask in masks.items() if held & bit))
            assert done[-1:] == [action.name], action.shortcut
    finally:
        keys.bindings.cache_clear()


def test_window_requests_of_actions_are_handled(person):
    person.load("pyramid")
    body = some_body(person.session)
    person.session.selection.body = body
    person.session.window.run_action("deselect")
    person.look(2)
    assert person.session.selection.body == -1


@pytest.mark.parametrize(("lengths", "second"), [
    ([9, 5, 40], 2), ([9, 5, 12, 30, 8, 20], 3), ([40, 1, 1], 1), ([3], 1), ([10, 10], 1), ([9, 6, 30, 14, 20, 30, 12, 9], 4)])
def test_help_columns_are_balanced(lengths, second):
    from app.panels.help import middle

    assert middle(lengths) == second
