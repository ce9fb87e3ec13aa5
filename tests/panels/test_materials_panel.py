"""Materials panel: the table shows the values of contacts; edits of a pair; the panel in the real window."""

import math

import numpy as np
import pytest
from pyglet.window import key

from app.analysis.editing.material_pairs import Surfaces, material_of
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.fields.pair_fields import PAIR_LABELS, Pairs, updated
from app.i18n.imgui_translated import imgui
from app.number_format import rounded
from app.session import Selection
from physics import BadInput, Box, Material, Plane, World, step
from physics.contact.material import RULES
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


def resting(**materials: Material) -> World:
    """A box of each material on a floor of ice, side by side."""
    world = World()
    world.add_body(Plane(), kind="static", material=Material(friction=0.2, restitution=0.1, name="ice"), name="floor")
    for k, (name, material) in enumerate(materials.items()):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(k, 0.0, 0.1), material=material, name=name)
    return world


def seen(world: World) -> Surfaces:
    from app.engine.frame import capture

    frame = capture(world, scene="pairs", dt=DT, paused=True, before=(world.bodies["pos"], world.bodies["quat"]), pace=None)
    return Surfaces().update(frame, world.materials)


@pytest.mark.parametrize("rule", RULES)
def test_the_table_shows_the_values_of_contacts_and_their_rule(rule):
    world = resting(pad=Material(friction=0.8, kinetic_friction=0.6, restitution=0.5, mixing={"friction": rule}, name="rubber"))
    surfaces = seen(world)
    ice, rubber = surfaces.items
    step(world, DT)
    wanted = {"arithmetic mean": 0.5, "geometric mean": 0.4, "minimum": 0.2, "product": 0.16, "maximum": 0.8}[rule]
    number = surfaces.number("friction", rubber, ice)
    assert number.lo == pytest.approx(wanted, rel=1e-12) and number.lo == number.hi and not number.own and number.rule == rule
    assert len(world.contacts) and np.all(world.contacts["friction"] == number.lo)
    assert np.all(world.contacts["restitution"] == surfaces.number("restitution", ice, rubber).lo)
    spelled = number.formula.replace("\u00d7", "*").replace("sqrt", "math.sqrt")
    assert eval(spelled, {"math": math, "min": min, "max": max}) == pytest.approx(wanted)


def test_bodies_of_one_material_may_differ():
    world = resting(a=Material(friction=0.5), b=Material(friction=0.8))
    ice, plain = sorted(seen(world).items, key=lambda s: s.title)
    assert (ice.title, plain.title, plain.friction) == ("ice", "plain", (0.5, 0.8))
    number = seen(world).number("friction", ice, plain)
    assert (number.lo, number.hi) == (pytest.approx(math.sqrt(0.1)), pytest.approx(0.4)) and "\u2013" in number.text


def mu(simulation: Simulation, a: str, b: str) -> set[float]:
    world, names = simulation.world, {a, b}
    simulation.single_step()
    return {round(float(c["friction"]), 12) for c in world.contacts
            if {world.body_names[c["body_a"]], world.body_names[c["body_b"]]} == names}


@pytest.fixture
def two_boxes():
    simulation = Simulation()
    simulation.world = resting(left=Material(friction=0.5), right=Material(friction=0.5))
    simulation.paused = True
    simulation.timeline.begin()
    return simulation


def test_friction_of_one_body_pair_is_set_undone_and_redone(two_boxes):
    simulation, rule = two_boxes, round(math.sqrt(0.1), 12)
    before = simulation.world.materials
    left, floor = (simulation.world.body(name) for name in ("left", "floor"))
    assert mu(simulation, "left", "floor") == {rule} == mu(simulation, "right", "floor")
    commands.set_body_pair(simulation, left, floor, {"friction": 0.9})
    assert mu(simulation, "left", "floor") == {0.9} and mu(simulation, "right", "floor") == {rule}
    assert [m.name for m in simulation.world.materials.items] == ["", "ice", "left"], "the floor has its own material already"
    assert simulation.edits.done[-1].text == "friction of ice and left: by the rule -> 0.9"
    commands.undo(simulation)
    assert mu(simulation, "left", "floor") == {rule} and simulation.world.materials is before
    commands.redo(simulation)
    assert mu(simulation, "left", "floor") == {0.9}
    commands.set_body_pair(simulation, left, floor, {"friction": None})
    assert mu(simulation, "left", "floor") == {rule}


def test_a_copy_keeps_the_pairs_of_its_material(two_boxes):
    simulation = two_boxes
    commands.set_pair(simulation, 0, 1, {"friction": 0.7})
    assert mu(simulation, "left", "floor") == mu(simulation, "right", "floor") == {0.7}
    left, right, floor = (simulation.world.body(name) for name in ("left", "right", "floor"))
    commands.set_body_pair(simulation, left, right, {"restitution": 0.4})
    assert mu(simulation, "left", "floor") == mu(simulation, "right", "floor") == {0.7}
    commands.set_body_pair(simulation, right, floor, {"friction": 0.1})
    assert mu(simulation, "left", "floor") == {0.7} and mu(simulation, "right", "floor") == {0.1}


def test_a_refused_value_changes_nothing(two_boxes):
    simulation = two_boxes
    before, coated = simulation.world.materials, simulation.world.shapes["material"].copy()
    for command, *args in ((commands.set_body_pair, 1, 2, {"friction": -1.0}), (commands.set_pair, 0, 9, {}),
                           (commands.set_body_pair, 0, 1, {"friction": 0.1}), (commands.set_pair, 0, 1, {"glue": 1.0}),
                           (commands.set_surface, 0, {"rolling": 0.1}), (commands.set_surface, 7, {"friction": 0.1})):
        with pytest.raises(BadInput):
            command(simulation, *args)
        assert simulation.world.materials is before and np.array_equal(simulation.world.shapes["material"], coated)
    assert not simulation.edits.done


def test_pair_values_survive_a_reset():
    simulation = Simulation("stack")
    simulation.paused = True
    simulation.world.solver.options.budget = 0.0
    simulation.single_step()
    world, contact = simulation.world, simulation.world.contacts[0]
    ground, lowest = (world.body_names[contact[side]] for side in ("body_a", "body_b"))
    commands.set_body_pair(simulation, world.body(ground), world.body(lowest), {"friction": 0.123})
    simulation.reset()
    assert mu(simulation, ground, lowest) == {0.123}
    commands.restore_materials(simulation)
    assert mu(simulation, ground, lowest) != {0.123} and not simulation.pairs
    simulation.reset()
    assert mu(simulation, ground, lowest) != {0.123}


def test_numbers_of_a_surface_reach_all_its_bodies(two_boxes):
    simulation = two_boxes
    commands.set_surface(simulation, 0, {"friction": 0.8})
    assert mu(simulation, "left", "floor") == mu(simulation, "right", "floor") == {0.4}
    commands.set_surface(simulation, 1, {"friction": 0.05})
    assert mu(simulation, "left", "floor") == {0.2}
    assert [e.text for e in simulation.edits.done] == ["friction of 2 bodies: 0.5 -> 0.8", "friction of floor: 0.2 -> 0.05"]


# ---- the real window


def test_friction_of_one_pair_is_found_at_the_contact_typed_reset_and_in_the_table(person):
    person.load("stack")
    session = person.session
    session.post(Simulation.single_step)
    assert person.wait(lambda: len(session.frame.contacts) > 0)
    contact = session.frame.contacts[0]
    a, b = int(contact["body_a"]), int(contact["body_b"])
    session.selection = Selection(contact=0)
    session.window.show_panel("inspector")
    person.look(6)
    person.type_into("inspector/pair \u03bc", "0.77")
    assert person.wait(lambda: material_of(session.frame, b) > 0)
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.frame.contacts["friction"][session.selection.contact] == 0.77)
    assert np.count_nonzero(session.frame.contacts["friction"] == 0.77) < len(session.frame.contacts)
    person.type_into("inspector/pair \u03bc", "-3")
    session.post(Simulation.single_step)
    person.look(10)
    assert session.frame.contacts["friction"][session.selection.contact] == 0.77, "refused, and told so in place"
    person.click("inspector/pair \u03bc reset")
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.frame.contacts["friction"][session.selection.contact] != 0.77)
    person.click("inspector/pair ...")
    person.look(6)
    assert set(session.state(Pairs).pair) == {material_of(session.frame, a), material_of(session.frame, b)}
    assert "materials/friction \u03bc" in fresh_spots(person)
    first, second = (session.state(Pairs).surfaces.items[session.state(Pairs).surfaces.place(i)]
                     for i in session.state(Pairs).pair)
    cell = next(name for name in (f"materials/{p.title} on {q.title}" for p, q in ((first, second), (second, first)))
                if name in fresh_spots(person))
    person.type_into(cell, "0.31")
    assert person.wait(lambda: updated(session).surfaces.number("friction", first, second).lo == 0.31)
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: updated(session).surfaces.number("friction", first, second).lo != 0.31)
    person.hit(key.Y, key.MOD_CTRL)
    assert person.wait(lambda: updated(session).surfaces.is_set(first, second))
    person.click("materials/pair by rules")
    assert person.wait(lambda: not updated(session).surfaces.is_set(first, second))


def test_numbers_that_differ_between_bodies_are_shown_as_a_range(person, monkeypatch):
    """The least of them was shown as if it were that of all."""
    person.load("stopping_distance")
    state, shown, number = person.session.state(Pairs), {}, widgets.number
    person.window.gui.panels.open("materials")
    person.look(6)
    surface = next(one for one in state.surfaces.items if one.friction[0] < one.friction[1])
    state.pair = surface.index, surface.index
    monkeypatch.setattr(widgets, "number", lambda label, value, **more: (
        shown.setdefault(str(label), set()).add(more.get("instead", "")), number(label, value, **more))[1])
    monkeypatch.setattr(imgui, "collapsing_header", lambda *label: True)
    person.look(4)
    pair = state.surfaces.number("friction", surface, surface)
    assert pair.lo < pair.hi and pair.text in shown[PAIR_LABELS["friction"]]
    assert shown[f"own {PAIR_LABELS['friction']}"] == {"\u2013".join(map(rounded, surface.friction))}
