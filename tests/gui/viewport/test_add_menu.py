"""Adding bodies by the context menu, and throwing bodies with chosen shape, speed and surface."""

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.analysis.editing import shape_sizes
from app.gui.fields.new_body import Adding, Throwing, pose_on_surface
from app.session import Selection
from tests.tools.person import fresh_spots, label, living, menu_at, on_the_ground, some_body


@pytest.fixture
def scene(person):
    person.load("pyramid")
    person.forget(Adding, Throwing)
    person.look(3)
    yield person
    person.window.gui.close_popup()
    person.look(2)


def test_a_body_added_on_the_ground_rests_there(scene):
    person, session = scene, scene.session
    before = set(living(session).tolist())
    menu_at(person, *on_the_ground(person))
    person.click(label(person, "add"))
    assert person.wait(lambda: len(living(session)) == len(before) + 1)
    new = (set(living(session).tolist()) - before).pop()
    row, point = session.frame.bodies[new], session.state(Adding).point
    assert row["pos"][2] == pytest.approx(0.15, abs=0.01) and np.allclose(row["pos"][:2], point[:2], atol=1e-6)
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: len(living(session)) == len(before))


def test_a_body_of_steel_has_its_density_and_its_pairs(scene):
    person, session = scene, scene.session
    before = set(living(session).tolist())
    menu_at(person, *on_the_ground(person))
    person.click(label(person, "material"))
    person.click(label(person, "material=steel"))
    person.click(label(person, "add"))
    assert person.wait(lambda: len(living(session)) == len(before) + 1)
    new = (set(living(session).tolist()) - before).pop()
    frame = session.frame
    assert frame.materials.items[frame.shapes["material"][frame.shapes["body"] == new][0]].name == "steel"
    assert frame.bodies["mass"][new] == pytest.approx(7850.0 * 0.3**3, rel=1e-6)
    session.selection = Selection(body=new)
    person.look(3)
    person.click("inspector/material")
    person.click(label(person, "material=glass"))
    assert person.wait(lambda: session.frame.materials.items[-1].name == "glass")
    assert session.frame.materials.given, "steel on steel, at least"
    for _ in range(2):
        person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: len(living(session)) == len(before))


def test_a_pulley_is_added_and_undone_as_one(scene):
    person, session = scene, scene.session
    before = set(living(session).tolist())
    menu_at(person, *on_the_ground(person))
    point = session.state(Adding).point
    person.click(label(person, "pulley"))
    assert person.wait(lambda: len(living(session)) == len(before) + 4)
    wheel = session.frame.body_names.index("pulley wheel")
    assert session.frame.bodies["pos"][wheel] == pytest.approx(np.add(point, (0.0, 0.0, 1.4)), abs=1e-6) and session.view.joints
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: set(living(session).tolist()) == before)


def test_the_menu_of_a_body_selects_it_and_deletes_it(scene):
    person, session = scene, scene.session
    body = some_body(session)
    menu_at(person, *person.body_at(body))
    assert session.selection.body == body
    person.click(label(person, "Delete"))
    assert person.wait(lambda: session.frame.bodies["kind"][body] == 0)
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: session.frame.bodies["kind"][body] > 0)


def test_turning_the_view_with_the_right_button_opens_no_menu(scene):
    person = scene
    x, y = on_the_ground(person)
    person.press(x, y, mouse.RIGHT)
    person.send("on_mouse_drag", x + 40, y, 40, 0, mouse.RIGHT, 0)
    person.release(x + 40, y, mouse.RIGHT)
    person.look(3)
    assert not any(spot.endswith("/add") for spot in fresh_spots(person))


def test_shift_a_opens_the_menu_and_a_flies(scene):
    person = scene
    person.move(*on_the_ground(person))
    person.hit(key.A)
    assert not any(spot.endswith("/add") for spot in fresh_spots(person))
    person.hit(key.A, key.MOD_SHIFT)
    person.look(3)
    assert label(person, "add")


def test_thrown_bodies_have_the_chosen_shape_surface_and_speed(scene):
    person, session = scene, scene.session
    throwing = session.state(Throwing)
    throwing.new_shape.kind, throwing.friction, session.throw_speed = "capsule", 0.05, 20.0
    left, top, width, height = person.window.gui.panels.centre
    person.move(round(left + 0.5 * width), round(person.window.get_size()[1] - top - 0.5 * height))
    before = set(living(session).tolist())
    person.hit(key.B)
    assert person.wait(lambda: len(living(session)) == len(before) + 1)
    new = (set(living(session).tolist()) - before).pop()
    shape = session.frame.shapes[np.flatnonzero(session.frame.shapes["body"] == new)[0]]
    assert session.frame.shape_kinds[shape["kind"]] == "capsule" and shape["friction"] == 0.05
    assert np.linalg.norm(session.frame.bodies["vel"][new]) == pytest.approx(20.0)
    session.throw_speed = 12.0


@pytest.mark.parametrize("kind", shape_sizes.known())
def test_a_new_body_stands_on_a_surface_without_overlap(kind):
    new_shape = shape_sizes.NewShape(kind, 0.4)
    for normal in ((0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0)):
        pos = pose_on_surface(new_shape, np.array([1.0, 2.0, 3.0]), np.array(normal))
        depth = (pos - [1.0, 2.0, 3.0]) @ normal
        assert 0.05 < depth < 0.5 and np.allclose(np.cross(pos - [1.0, 2.0, 3.0], normal), 0.0)
    assert pose_on_surface(shape_sizes.NewShape("box", 0.4), np.zeros(3),
                           np.array([0.0, 0.0, 1.0]))[2] == pytest.approx(0.2, abs=0.006)
