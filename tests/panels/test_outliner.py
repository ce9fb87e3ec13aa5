"""Outliner: all items of a scene, search, selection in both directions, cost for thousands."""

from dataclasses import replace

import numpy as np
import pytest
from pyglet.window import mouse

from app.analysis.editing.outline import Outline
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.viewport import context_menu
from app.panels.outliner import OutlinerState
from app.session import Selection
from physics import BadInput, Box, Material, World
from physics.observe import quantities
from tests.helpers import still_frame
from tests.tools.person import fresh_spots


def test_every_body_shape_joint_and_material_has_a_line():
    world = Simulation("door").world
    world.set_material(1, Material(name="ice"))
    outline = Outline()
    outline.opened = set(range(len(world.bodies)))
    lines = outline.update_rows(still_frame(world), world.materials.items)
    assert sum(line.kind == "body" for line in lines) == int((world.bodies["kind"] > 0).sum())
    assert sum(line.kind == "shape" for line in lines) == int((world.shapes["body"] >= 0).sum())
    hinge = world.joint("hinge")
    assert [line.depth for line in lines if line.key == ("joint", hinge)] == [2, 2, 1], "at both of its bodies and by itself"
    assert [line.label for line in lines if line.kind == "material"] == ["ice"]
    assert lines[outline.place(("body", 3))].label == world.body_names[3] and outline.place(("body", 999)) == -1


def test_search_finds_names_kinds_and_shapes():
    simulation = Simulation("chain")
    outline, frame, items = Outline(), still_frame(simulation.world), simulation.world.materials.items
    for search, expected in (("link 3", {"link 3"}), ("capsule 2", {"link 2"}), ("STATIC hook", {"hook"}), ("no such", set())):
        outline.search = search
        found = {line.label for line in outline.update_rows(frame, items) if line.kind == "body"}
        assert found == expected, search


def test_groups_close_and_bodies_open():
    simulation = Simulation("chain")
    outline, frame, items = Outline(), still_frame(simulation.world), simulation.world.materials.items
    whole = outline.update_rows(frame, items)
    body = next(line for line in whole if line.label == "link 3")
    outline.toggle(body)
    assert len(outline.update_rows(frame, items)) == len(whole) + 3, "its shape and two joints"
    outline.toggle(next(line for line in whole if line.kind == "group" and line.label.startswith("bodies")))
    assert not any(line.kind == "body" for line in outline.update_rows(frame, items))


def test_rows_are_rebuilt_only_after_changes():
    world = World()
    for k in range(3000):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.3 * k, 0.0, 1.0))
    outline, frame = Outline(), still_frame(world)
    first = outline.update_rows(frame, world.materials.items)
    assert outline.update_rows(frame, world.materials.items) is first
    assert outline.update_rows(replace(frame, step=1, time=0.01), world.materials.items) is first, "nothing of it has changed"
    world.rename_body(7, "seven")
    assert any(line.label == "seven" for line in outline.update_rows(still_frame(world), world.materials.items))


def test_quantities_of_the_menu_exist():
    world = Simulation("joint_gallery").world
    for kind, names in (("body", [n for n in world.body_names if n]), ("joint", [n for n in world.joint_names if n])):
        for field in context_menu.FOLLOWED[kind]:
            known = []
            for name in names:
                try:
                    known.append(quantities.find(world, f"{kind}:{name}.{field}"))
                except BadInput:
                    continue
            assert known, f"no {kind} has {field}"


@pytest.fixture
def outliner(person):
    person.load("chain")
    person.session.selection = Selection()
    person.session.state(OutlinerState).outline.search = ""
    person.session.window.show_panel("outliner")
    person.look(6)
    yield person
    person.session.window.show_panel("scenes")
    person.look(4)


def test_a_click_selects_and_the_scene_selects_here(outliner):
    person, names = outliner, outliner.session.frame.body_names
    body = names.index("link 0")
    person.click("outliner/body link 0")
    assert person.session.selection.body == body
    person.session.selection = Selection(body=names.index("link 7"))
    person.look(3)
    assert "outliner/body link 7" in fresh_spots(person), "it came into sight"


def test_a_double_click_frames_and_the_menu_duplicates_and_deletes(outliner):
    person = outliner
    body = person.session.frame.body_names.index("link 0")
    person.session.selection = Selection(body=body)     # scrolls there
    person.look(60)
    person.click("outliner/body link 0")
    person.click("outliner/body link 0")
    assert np.allclose(person.session.camera.target, person.session.frame.bodies["pos"][body], atol=1e-6)
    x, y = person.spot("outliner/body link 0")
    person.press(x, y, mouse.RIGHT)
    person.release(x, y, mouse.RIGHT)
    person.look(3)
    count = int((person.session.frame.bodies["kind"] > 0).sum())
    label = next(spot for spot in fresh_spots(person) if spot.endswith("/Duplicate"))
    person.click(label)
    assert person.wait(lambda: int((person.session.frame.bodies["kind"] > 0).sum()) == count + 1)
    person.session.post(commands.undo)
    assert person.wait(lambda: int((person.session.frame.bodies["kind"] > 0).sum()) == count)
