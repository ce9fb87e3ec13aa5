"""Tables of contacts and joints: residuals of the step, closed forms of shares, sorting, and the real window."""

import dataclasses
import time

import numpy as np
import pytest

from app.analysis.forces import tables
from app.analysis.forces.contact_lens import contact_state
from app.engine.simulation import Simulation
from app.gui.controls import style
from app.panels import contact_lens
from app.panels import contacts as contact_panel
from app.panels import joint_table as joint_panel
from app.session import Selection
from physics import Box, Friction, Plane, World, step
from tests.helpers import frame_of
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


def test_shares_forces_and_order_of_contacts():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5, name="floor")
    still = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0, friction=0.5, name="still")
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(2.0, 0.0, 0.1), vel=(3.0, 0.0, 0.0), mass=4.0, friction=0.5, name="sliding")
    world.solver.options.budget = 0.0
    for _ in range(30):
        world.apply_force(still, (0.25 * 0.5 * 2.0 * 9.81, 0.0, 0.0))
        step(world, DT)
    frame = frame_of(world)
    seen = tables.contacts(frame)
    c = seen.columns
    slides = c["case"] == 2
    assert len(slides) == 8 and slides.sum() == 4
    assert c["normal"][~slides].sum() == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert c["friction"][slides].sum() == pytest.approx(0.5 * 4.0 * 9.81, rel=1e-6)
    np.testing.assert_allclose(c["use"][slides], 1.0, rtol=1e-9)
    assert np.all(c["use"][~slides] < 1.0)
    np.testing.assert_allclose(c["use"] * frame.contacts["friction"] * c["normal"], c["friction"], rtol=1e-12)
    for column in c:
        for down in (True, False):
            order = seen.order(column, down)
            assert sorted(order) == list(range(8))
            assert np.all(np.diff(c[column][order]) * (-1.0 if down else 1.0) >= 0.0)
    own = tables.contacts(frame, still)
    assert set(frame.contacts["body_b"][own.index]) | set(frame.contacts["body_a"][own.index]) == {1, still}
    np.testing.assert_array_equal(own.columns["residual"], c["residual"][own.index])


def test_friction_of_joints_against_its_bound():
    world = World(gravity=(0.0, 0.0, 0.0))
    for k, torque in enumerate((1.5, 9.0)):
        bar = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.0, 0.0, k + 1.0), mass=3.0)
        world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, k + 1.0), axis=(0.0, 0.0, 1.0), friction=Friction(static=6.0))
        world.apply_torque(bar, (0.0, 0.0, torque))
    bare = world.add_body(Box((0.1, 0.1, 0.1)), pos=(3.0, 0.0, 0.0))
    world.add_joint("fixed", 0, bare, anchor=(3.0, 0.0, 0.0))
    step(world, DT)     # its kick lasts half a step
    for bar, torque in ((1, 1.5), (2, 9.0)):
        world.apply_torque(bar, (0.0, 0.0, torque))
    step(world, DT)
    seen = tables.joints(frame_of(world))
    np.testing.assert_allclose(seen.columns["use"][:2], (0.25, 1.0), rtol=1e-6)
    assert np.isnan(seen.columns["use"][2]) and seen.order("use", True)[-1] == 2 == seen.order("use", False)[-1]
    assert len(tables.joints(frame_of(world), bare).index) == 1


def test_a_torque_that_is_rounding_beside_the_force_says_so():
    """A beam held at its centre: the joint bears its weight, and what is left of its torque is 1e-15 of that."""
    world = World()
    beam = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.0, 0.0, 1.0), mass=3.0)
    world.add_joint("fixed", 0, beam, anchor=(0.0, 0.0, 1.0))
    for _ in range(2):
        step(world, DT)
    frame, texts = frame_of(world), {column.key: column.text for column in joint_panel.JOINT_COLUMNS}
    assert texts["torque"](frame, 0, 2.2e-14) == "~0" and texts["torque"](frame, 0, 0.5) == "0.5"
    assert texts["force"](frame, 0, 3.0 * 9.81) == "29.4"


# ---- the real window


def test_rows_are_sorted_clicked_and_filtered(person):
    person.load("pyramid")
    session = person.session
    session.post(Simulation.single_step, 5)
    assert person.wait(lambda: session.frame.step >= 5)
    session.window.open_panel("contacts")
    person.look(6)
    heads = fresh_spots(person)     # in a narrow dock it scrolls sideways: names of bodies stay readable
    assert heads["contacts/head state"][0] - heads["contacts/head between"][0] > 100.0
    person.window.set_size(1700, 800)
    person.look(6)
    table = session.state(contact_panel.ContactsState).table
    person.click("contacts/head overlap [mm]")
    assert table.column == "overlap" and table.down
    worst = int(np.argmax(-session.frame.contacts["gap"]))
    top = int(table.rows.index[table.order[0]])
    assert session.frame.contacts["gap"][top] == session.frame.contacts["gap"][worst]
    person.click("contacts/head overlap [mm]")
    assert not table.down
    person.click("contacts/head between")
    first = int(table.rows.index[table.order[0]])
    before = session.camera.target.copy()
    person.click(f"contacts/contact {first}")
    assert session.selection.contact == first and np.allclose(session.camera.target, before)
    x, y = person.spot(f"contacts/contact {first}")
    person.look(30)
    for _ in range(2):
        person.press(x, y)
        person.release(x, y)
    person.look(2)
    assert np.allclose(session.camera.target, session.frame.contacts["pos"][first])
    body = int(session.frame.contacts["body_b"][first])
    session.selection = Selection(body=body)
    person.click("contacts/of the selected body")
    person.look(3)
    touching = (session.frame.contacts["body_a"] == body) | (session.frame.contacts["body_b"] == body)
    assert len(table.rows.index) == touching.sum() < len(session.frame.contacts)
    session.post(Simulation.single_step)
    person.look(10)
    assert not person.window.gui.panels.all["contacts"].error


def test_joints_have_rows(person):
    person.load("joint_gallery")
    session = person.session
    session.post(Simulation.single_step, 3)
    assert person.wait(lambda: session.frame.step >= 3)
    session.window.open_panel("joint_table")
    person.look(6)
    person.click("joint_table/head force [N]")
    row = next(name for name in fresh_spots(person) if name.startswith("joint_table/joint "))
    person.click(row)
    assert session.selection.joint == int(row.split()[-1])


def test_thousands_of_rows_are_drawn_quickly(person):
    """The numbers of 3000 contacts, not every picture; and a picture of them."""
    person.load("pyramid")
    person.session.post(Simulation.single_step, 2)
    assert person.wait(lambda: len(person.session.frame.contacts) > 0 and person.session.frame.step_start is not None)
    frame = person.session.frame
    many = frame.contacts[np.resize(np.arange(len(frame.contacts)), 3000)]
    large = dataclasses.replace(frame, contacts=many)
    took = []
    for _ in range(5):
        begin = time.process_time()
        seen = tables.contacts(large)
        took.append(time.process_time() - begin)
    assert len(seen.index) == 3000 and min(took) < 0.02, took


def test_a_contact_at_rest_without_friction_does_not_slip(person):
    """The solver reports slip, for friction has reached its bound of zero."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), friction=0.0)
    for _ in range(30):
        step(world, 1.0 / 240.0)
    frame = frame_of(world)
    found = tables.contacts(frame).columns["case"]
    assert len(found) == 4 and {tables.CONTACT_CASES[int(case)] for case in found} == {"no friction"}
    seen = contact_state(frame, 0, 0)
    assert seen.state == "no friction" and style.of_state(seen.state) not in (style.palette().slip, style.palette().warn)
    person.load("table_legs")
    person.session.post(Simulation.single_step, 20)
    assert person.wait(lambda: person.session.frame.step == 20)
    person.session.selection = Selection(contact=0)
    for name in ("inspector", "contacts", "contact_lens"):
        person.window.gui.panels.open(name)
    person.look(6)
    assert not any(person.window.gui.panels.all[name].error for name in ("inspector", "contacts", "contact_lens"))
    assert set(contact_lens.STATE_MEANINGS) == set(contact_lens.CONTACT_STATES)
