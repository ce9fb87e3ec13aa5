"""Hidden bodies: neither drawn nor picked, without effect on the physics."""

import dataclasses

import numpy as np
import pytest
from pyglet.window import key

from app.gui.viewport import hidden_bodies
from app.gui.viewport.hidden_bodies import Hidden, visible
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.picking import pick
from app.render.scene.theme import theme
from app.render.scene.transforms import BodyTransforms
from app.session import Selection
from tests.tools.person import click, fresh_spots, top


@pytest.fixture
def scene(person):
    person.load("pyramid")
    person.forget(Hidden)
    person.session.selection = Selection()
    person.look(3)
    yield person
    hidden_bodies.show_all(person.session)
    person.session.selection = Selection()


def test_keys_hide_what_is_selected_and_show_it_again(scene):
    person, session = scene, scene.session
    a, b = top(session, 2)
    session.selection = Selection.of((a, b))
    before = session.frame.bodies.tobytes()
    person.hit(key.H, key.MOD_SHIFT)
    assert set(session.state(Hidden).bodies) == {a, b} and session.selection.bodies == ()
    assert session.frame.bodies.tobytes() == before and not session.simulation.edits.done, "drawing only"
    assert "Alt+H" in session.messages[-1].text and "2 bodies" in session.messages[-1].text
    assert not np.isin(visible(session).shapes["body"], (a, b)).any() and np.isin(session.frame.shapes["body"], (a, b)).any()
    person.hit(key.H, key.MOD_ALT)
    assert visible(session) is session.frame


def test_the_mouse_picks_bodies_behind_hidden_ones(scene):
    person, session = scene, scene.session
    body = top(session, 1)[0]
    click(person, body)
    assert session.selection.body == body
    person.hit(key.H, key.MOD_SHIFT)
    person.look(3)
    click(person, body)
    assert session.selection.body != body
    person.press(*person.body_at(body))
    person.send("on_mouse_drag", *(at + 30 for at in person.body_at(body)), 30, 30, 1, 0)
    assert session.simulation.dragged == -1
    person.release(*person.body_at(body))
    person.hit(key.A, key.MOD_CTRL)
    assert body not in session.selection.bodies and len(session.selection.bodies) > 10


def test_the_outliner_has_a_visibility_switch_for_each_body(scene):
    person, session = scene, scene.session
    body = top(session, 1)[0]
    session.window.show_panel("outliner")
    session.selection = Selection(body=body)
    person.look(6)
    eye = f"outliner/eye {session.frame.body_names[body]}"
    person.click(eye)
    assert body in session.state(Hidden).bodies and session.selection.bodies == ()
    assert "outliner/eye world" not in fresh_spots(person)
    person.click(eye)
    assert not session.state(Hidden).bodies


def test_a_hidden_body_leaves_the_picture_with_its_shadow_and_marks(scene):
    person, window, session = scene, scene.window, scene.session
    person.see()
    body = top(session, 1)[0]
    session.view.names = False
    person.look(3)
    x, y = person.body_at(body)
    height, plain = window.get_size()[1], window.picture().astype(int)
    hidden_bodies.hide(session, (body,))
    person.look(3)
    frame = window.hands.pane.frame
    assert pick(frame, *session.camera.ray(*session.camera.project(frame.bodies["pos"][body], 800, 600)[0][:2], 800, 600)) is None
    changed = np.abs(window.picture().astype(int) - plain).sum(axis=2) > 60
    assert changed[height - y - 8 : height - y + 8, x - 8 : x + 8].all(), "what is behind it is seen"
    context = OverlayContext(frame, BodyTransforms(frame), session.view, theme("dark"))
    assert body not in context.moving, "no name and no arrow"


def test_a_new_body_in_a_hidden_slot_is_visible_and_renaming_keeps_it_hidden(scene):
    session = scene.session
    body, hidden, frame = top(session, 1)[0], Hidden(), session.frame
    hidden.without_hidden(frame)
    hidden.bodies[body] = frame.body_names[body]
    assert hidden.without_hidden(frame).hidden == (body,) and hidden.without_hidden(frame) is hidden.without_hidden(frame)

    def named(name, revision):
        names = (*frame.body_names[:body], name, *frame.body_names[body + 1 :])
        return dataclasses.replace(frame, body_names=names, revision=revision)

    assert hidden.without_hidden(named("renamed", frame.revision)).hidden == (body,)
    other = named("another one", frame.revision + 2)
    assert hidden.without_hidden(other) is other
    hidden.bodies[body] = "another one"
    gone = named("", frame.revision + 3)
    assert hidden.without_hidden(gone) is gone and hidden.without_hidden(other) is other
    hidden.bodies[body] = "another one"
    elsewhere = dataclasses.replace(other, scene="door")
    assert hidden.without_hidden(elsewhere) is elsewhere and not hidden.bodies
