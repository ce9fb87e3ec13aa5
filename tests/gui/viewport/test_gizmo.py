"""Transform handles with the mouse: move, turn, size; time stops, and a drag is one edit."""

import numpy as np
import pytest
from pyglet.window import key

from app.analysis.editing import shape_sizes
from app.engine.simulation import Simulation
from app.gui.viewport.transform_tools import Tool
from app.session import Selection
from physics.core.quaternions import from_matrix, to_matrix
from physics.core.records import Kind
from tests.tools.person import drag_handle, some_body


@pytest.fixture
def placed(person):
    """A body in front, selected, with the tools away."""
    person.load("pyramid")
    tool = person.session.state(Tool)
    tool.mode, tool.local, tool.using = "", False, False
    body = some_body(person.session)
    person.session.selection = Selection(body=body)
    person.look(3)
    return person, body


def settle(person):
    """Until all that was posted has been done and seen."""
    assert person.wait(lambda: not person.session.thread.has_commands)
    seen = person.session.frame
    person.session.post(Simulation.pause)
    assert person.wait(lambda: person.session.frame is not seen)


def test_a_body_is_moved_along_an_axis_and_it_is_one_edit(placed):
    person, body = placed
    before = person.session.frame.bodies["pos"][body].copy()
    count = len(person.session.simulation.edits.done)
    person.hit(key.G)
    end = drag_handle(person, body, (0.0, 0.0, 1.0), 60.0)
    person.release(*end)
    assert person.wait(lambda: person.session.frame.bodies["pos"][body][2] > before[2] + 0.1)
    settle(person)
    now = person.session.frame.bodies["pos"][body].copy()
    assert np.allclose(now[:2], before[:2], atol=1e-6) and not person.session.state(Tool).using
    assert len(person.session.simulation.edits.done) == count + 1 and "place of" in person.session.simulation.edits.done[-1].text
    assert person.session.selection.body == body, "the handles are no click into the scene"
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: np.array_equal(person.session.frame.bodies["pos"][body], before))
    person.hit(key.Y, key.MOD_CTRL)
    assert person.wait(lambda: np.array_equal(person.session.frame.bodies["pos"][body], now))


def test_time_stops_while_a_handle_is_held(placed):
    person, body = placed
    person.hit(key.G)
    person.session.post(Simulation.run)
    assert person.wait(lambda: not person.session.frame.paused)
    end = drag_handle(person, body, (0.0, 0.0, 1.0), 40.0)
    assert person.wait(lambda: person.session.frame.paused)
    settle(person)
    step, place = person.session.frame.step, person.session.frame.bodies["pos"][body].copy()
    person.look(10)
    assert person.session.frame.step == step and np.array_equal(person.session.frame.bodies["pos"][body], place)
    assert not np.any(person.session.frame.bodies["vel"][body])
    person.release(*end)
    assert person.wait(lambda: person.session.frame.step > step)
    person.session.post(Simulation.pause)


def test_the_mouse_sizes_a_box_along_one_axis_and_its_mass_follows(placed):
    person, body = placed
    dims = shape_sizes.own_shape(person.session.frame, body)[1].copy()
    mass = float(person.session.frame.bodies["mass"][body])
    person.hit(key.Z)
    end = drag_handle(person, body, (0.0, 0.0, 1.0), 40.0)
    person.release(*end)
    assert person.wait(lambda: shape_sizes.own_shape(person.session.frame, body)[1][2] > 1.1 * dims[2])
    now = shape_sizes.own_shape(person.session.frame, body)[1]
    assert np.allclose(now[:2], dims[:2], rtol=1e-6)
    assert person.session.frame.bodies["mass"][body] == pytest.approx(mass * now[2] / dims[2])


def test_control_snaps_to_tenths_of_a_metre(placed):
    person, body = placed
    before = person.session.frame.bodies["pos"][body].copy()
    person.hit(key.G)
    end = drag_handle(person, body, (0.0, 0.0, 1.0), 80.0, hold=key.LCTRL)
    person.release(*end)
    person.send("on_key_release", key.LCTRL, 0)
    assert person.wait(lambda: person.session.frame.bodies["pos"][body][2] != before[2])
    way = float(person.session.frame.bodies["pos"][body][2] - before[2])
    assert way > 0.05 and abs(way / 0.1 - round(way / 0.1)) < 1e-4


def test_a_body_without_sizes_is_refused_in_one_sentence(placed):
    person, _ = placed
    person.session.messages.clear()
    floor = int(np.flatnonzero(person.session.frame.bodies["kind"] == Kind.STATIC)[-1])
    person.session.selection = Selection(body=floor)
    person.hit(key.Z)
    texts = [message.text for message in person.session.messages]
    assert len(texts) == 1 and "cannot be resized" in texts[0]
    person.session.selection = Selection()
    person.hit(key.Z)
    person.hit(key.T)
    assert "select a body to turn: click it" in person.session.messages[-1].text


def test_a_matrix_becomes_its_quaternion():
    choose = np.random.default_rng(3)
    for _ in range(200):
        q = choose.normal(size=4) * choose.choice([1.0, 1e-3], 4)
        q /= np.linalg.norm(q)
        assert abs(abs(from_matrix(to_matrix(q) * choose.uniform(0.5, 2.0, 3)) @ q) - 1.0) < 1e-9


@pytest.mark.parametrize("kind", shape_sizes.known())
def test_stretching_keeps_round_shapes_round(kind):
    dims = np.array(shape_sizes.NewShape(kind, 0.4).shape().dims)
    factors = np.array([1.0, 2.0, 1.5])
    new = np.array(shape_sizes.scaled(kind, dims, factors))
    expected = {"box": dims * factors, "ellipsoid": dims * factors, "sphere": dims * 2.0}.get(kind, dims * [2.0, 1.5, 1.0])
    assert np.allclose(new, expected)
