"""Inspector: numbers with units; fields are typed, refused in place, reset, undone."""

import numpy as np
import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.fields import joint_fields
from app.panels.inspector import angles, turned
from app.session import Selection
from physics import Friction
from tests.tools.person import fresh_spots, some_body


@pytest.fixture
def chosen(person):
    person.load("pyramid")
    body = some_body(person.session)
    person.session.selection = Selection(body=body)
    person.session.window.show_panel("inspector")
    person.look(6)
    return person, body


def test_angles_and_quaternions_are_inverse():
    choose = np.random.default_rng(1)
    for _ in range(100):
        given = choose.uniform(-1.0, 1.0, 3) * (3.1, 1.5, 3.1)
        assert np.allclose(angles(turned(given)), given, atol=1e-9)


def test_a_number_is_typed_refused_in_place_reset_and_undone(chosen):
    person, body = chosen
    own = person.session.frame.shapes["friction"][person.session.frame.shapes["body"] == body][0]

    def now():
        return person.session.frame.shapes["friction"][person.session.frame.shapes["body"] == body][0]

    person.type_into("inspector/friction \u03bc", "0.75")
    assert person.wait(lambda: now() == 0.75)
    person.type_into("inspector/friction \u03bc", "7")
    person.look(20)
    assert now() == 0.75 and "7 is out of range" in widgets.refusal()
    person.click("inspector/friction \u03bc reset")
    assert person.wait(lambda: now() == own)
    assert "inspector/friction \u03bc reset" not in fresh_spots(person)
    person.session.post(commands.undo)
    assert person.wait(lambda: now() == 0.75)


def test_a_dragged_slider_is_one_edit(chosen):
    person, _ = chosen
    count = len(person.session.simulation.edits.done)
    x, y = person.spot("inspector/restitution e", 0.1)
    person.press(x, y)
    for k in range(8):
        person.send("on_mouse_drag", x + 8 * k, y, 8, 0, 1, 0)
    person.release(x + 56, y)
    person.look(3)
    assert person.wait(lambda: len(person.session.simulation.edits.done) > count)
    person.look(5)
    assert len(person.session.simulation.edits.done) == count + 1


def test_the_place_and_the_name_of_a_body_are_typed(chosen):
    person, body = chosen
    person.type_into("inspector/position x", "1.25")
    assert person.wait(lambda: person.session.frame.bodies["pos"][body][0] == 1.25)
    person.click("inspector/kind")
    person.click("Combo_00/kind=static")
    assert person.wait(lambda: person.session.frame.bodies["mass"][body] == 0.0)
    person.session.post(commands.undo, 2)
    assert person.wait(lambda: person.session.frame.bodies["pos"][body][0] != 1.25)


@pytest.mark.parametrize("scene", ["joint_gallery", "door", "pendulum", "belt", "tumbling_t", "anisotropic_skate"])
def test_every_item_of_a_scene_can_be_inspected(person, scene):
    """No body, joint or contact closes the panel."""
    person.load(scene)
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step >= 3)
    frame = person.session.frame
    for body in range(min(12, len(frame.bodies))):
        person.session.selection = Selection(body=body)
        person.look()
    for joint in range(len(frame.joints)):
        person.session.selection = Selection(joint=joint)
        person.look()
    for contact in range(min(4, len(frame.contacts))):
        person.session.selection = Selection(contact=contact)
        person.look()
    assert not person.window.gui.panels.all["inspector"].error


def test_kinetic_friction_of_a_joint_is_never_above_the_static_one():
    law = joint_fields.lowered(Friction(static=5.0, kinetic=4.0), "static", 3.0)
    assert (law.static, law.kinetic) == (3.0, 3.0)
    law = joint_fields.lowered(Friction(static=5.0, kinetic=4.0), "kinetic", 7.0)
    assert (law.static, law.kinetic) == (7.0, 7.0)
    assert joint_fields.lowered(Friction(static=5.0, kinetic=4.0), "viscous", 2.0).kinetic == 4.0


def test_the_friction_of_a_joint_becomes_a_polygon_and_is_typed(person):
    """Switched on, given other facets, stretched, refused where it would not be convex, undone; others solvers say no."""
    person.load("joint_gallery")
    session = person.session
    session.post(commands.use_solver, "joint_space")
    j = session.simulation.world.joint("cylindrical")
    session.selection = Selection(joint=j)
    session.window.show_panel("inspector")
    person.click("inspector/Friction polygon")

    def reach(label):
        """Scroll the panel until a control is in the middle of it, and return its name."""
        x, low = person.spot("inspector/name")
        for _ in range(20):
            y = person.spot(label)[1]
            if 80 < y < low - 40:
                break
            person.move(x, 150)
            person.send("on_mouse_scroll", x, 150, 0, -1 if y <= 80 else 1)
            person.look(8)
        return label

    def corners():
        joint = session.frame.joints[j]
        return joint["corners"][: joint["corner_count"]]

    person.click(reach("inspector/polygon"))
    assert person.wait(lambda: len(corners()) == 8)
    person.type_into(reach("inspector/facets"), "4")
    assert person.wait(lambda: len(corners()) == 4)
    person.type_into(reach("inspector/reach: turn"), "0.5")
    assert person.wait(lambda: len(corners()) and np.allclose(corners(), [(1.0, 0.0), (0.0, 0.5), (-1.0, 0.0), (0.0, -0.5)]))
    person.click(reach("inspector/Corners of the polygon"))
    person.type_into(reach("inspector/corner 1: slide"), "-0.5")
    assert person.wait(lambda: any("convex polygon" in str(text) for text in session.messages))
    assert corners()[0, 0] == 1.0
    session.post(commands.use_solver, "sequential_impulses")
    assert person.wait(lambda: any("only the exact solver and joint space" in str(text) for text in session.messages))
    session.post(commands.undo)
    assert person.wait(lambda: np.allclose(corners()[1], (0.0, 1.0)))
