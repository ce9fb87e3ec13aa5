"""Preview of throws: a parabola from the eye, and where it hits."""

import numpy as np
import pytest
from pyglet.window import key

from app.analysis.lessons.classroom_lock import Lock
from app.engine.simulation import Simulation
from app.gui.fields.new_body import Throwing
from app.render import overlays
from app.render.scene.overlay_context import OverlayContext, PreviewGhost
from app.render.scene.theme import DARK
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions

DASHED = 2


@pytest.fixture
def thrower(person):
    person.load("pyramid")
    person.forget(Throwing)
    person.session.throw_speed = 9.0
    yield person
    person.window.gui.panels.all["throwing"].open = False
    person.session.throw_speed = 12.0


def point_at(person, across, up):
    left, top, width, height = person.window.gui.panels.centre
    person.move(round(left + across * width), round(person.window.get_size()[1] - top - height + up * height))
    person.look(2)


def coming(session):
    return [one for one in session.ghosts if isinstance(one, PreviewGhost)]


def open_panel(person):
    person.window.gui.panels.open("throwing")
    person.look(6)


@pytest.mark.parametrize(("across", "up"), [(0.15, 0.75), (0.5, 0.85)], ids=["floor", "box"])
def test_a_throw_follows_its_preview(thrower, across, up):
    person, session = thrower, thrower.session
    open_panel(person)
    point_at(person, across, up)
    (shown,) = coming(session)
    path = np.array(shown.path)
    step, count = np.diff(path, axis=0), len(session.frame.bodies)
    fall = np.diff(step, axis=0)
    assert np.allclose(fall, fall[0], atol=1e-9) and np.allclose(fall[0, :2], 0.0, atol=1e-9) and fall[0, 2] < 0.0
    dt = np.sqrt(-fall[0, 2] / 9.81)
    start = step[0] / dt + 0.5 * dt * np.array([0.0, 0.0, 9.81])
    assert np.linalg.norm(start) == pytest.approx(9.0, rel=1e-6), "with the speed of the panel"
    person.hit(key.B)
    assert person.wait(lambda: len(session.frame.bodies) > count)
    ball = len(session.frame.bodies) - 1
    shape = session.state(Throwing).new_shape.shape()
    for step in range(1, 2000):
        session.post(Simulation.single_step)
        assert person.wait(lambda step=step: session.frame.step == step)
        contacts = session.frame.contacts
        if (contacts["body_b"] == ball).any() or (contacts["body_a"] == ball).any():
            break
        t = session.frame.time
        way = path[0] + start * t + np.array([0.0, 0.0, -0.5 * 9.81 * t * t])
        assert np.allclose(session.frame.bodies["pos"][ball], way, atol=0.5 * shape.radius)
    assert np.linalg.norm(session.frame.bodies["pos"][ball] - shown.pos) < 2.0 * shape.radius + 9.0 * 2.0 * session.frame.dt


def test_a_throw_from_below_the_ground_starts_where_it_comes_out_or_not_at_all(thrower):
    """By dragging on empty space the camera goes below the floor: a ball inside the ground would be pushed out of it."""
    person, session = thrower, thrower.session
    kept = session.camera.target.copy(), session.camera.elevation
    count, session.camera.elevation = len(session.frame.bodies), -35.0
    person.look(30)
    assert session.camera.eye[2] < -1.0
    point_at(person, 0.5, 0.6)
    person.hit(key.B)
    assert person.wait(lambda: len(session.frame.bodies) > count)
    ball = session.frame.bodies[-1]
    assert ball["pos"][2] >= 0.149 and ball["vel"][2] > 0.0
    session.camera.target, session.camera.elevation = session.camera.target - np.array([0.0, 0.0, 30.0]), 20.0
    person.look(60)
    point_at(person, 0.5, 0.4)
    session.messages.clear()
    person.hit(key.B)
    person.look(5)
    assert len(session.frame.bodies) == count + 1 and any("inside the ground" in one.text for one in session.messages)
    session.camera.target, session.camera.elevation = kept


def test_the_throw_preview_is_drawn_with_the_panel_or_shift(thrower):
    person, session = thrower, thrower.session
    point_at(person, 0.2, 0.7)
    assert not coming(session)
    person.send("on_key_press", key.LSHIFT, key.MOD_SHIFT)
    assert not coming(session), "whoever types Shift+H does not mean it"
    assert person.wait(lambda: coming(session), 2.0)
    session.state(Lock).on = True
    person.look(2)
    assert not coming(session)
    session.state(Lock).on = False
    person.send("on_key_release", key.LSHIFT, 0)
    person.look(2)
    assert not coming(session)
    open_panel(person)
    session.state(Throwing).new_shape.kind = "cone"
    person.look(2)
    assert coming(session)[0].kind == "cone"
    person.window.gui.panels.all["throwing"].open = False
    person.look(3)
    assert not coming(session)


def test_a_throw_without_a_hit_is_drawn_dashed(thrower):
    person, session = thrower, thrower.session
    session.throw_speed = 200.0
    open_panel(person)
    point_at(person, 0.5, 0.98)
    (shown,) = coming(session)
    assert np.allclose(shown.pos, shown.path[-1]) and np.linalg.norm(np.array(shown.pos) - shown.path[0]) > 400.0
    frame = session.frame
    off = {name: False for name, value in vars(ViewOptions()).items() if isinstance(value, bool)}
    plain = overlays.draw(OverlayContext(frame, BodyTransforms(frame), ViewOptions(**off), DARK))
    drawn = overlays.draw(OverlayContext(frame, BodyTransforms(frame), ViewOptions(**off), DARK, ghosts=(shown,)))
    assert len(drawn.array("lines")) - len(plain.array("lines")) == len(shown.path) // DASHED
