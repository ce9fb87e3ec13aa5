"""Materials by name: what a handbook says of a pair is what the contacts have, and what it does not say is mixed."""

import math

import pytest

from app.analysis.editing.material_pairs import pair_lines
from app.engine import commands
from app.engine.frame import RealTimePace, capture, poses
from app.engine.material_library import LIBRARY, NEWTON, PAIR_FRICTION, YOUNG, assign, source_of, tabulated
from app.engine.simulation import Simulation
from physics import BadInput, Box, Plane, Sphere, World, step

G = 9.81


def on_a_floor(floor, name, shape=None, **more):
    """(world, body) of a block, or another shape, of a material on a floor of one."""
    world = World()
    ground = world.add_body(Plane(), kind="static")
    body = world.add_body(shape or Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), **more)
    assign(world, int(ground), floor)
    assign(world, int(body), name)
    return world, int(body)


def run(world, seconds):
    for _ in range(round(240 * seconds)):
        step(world, 1.0 / 240.0)
    return world


def test_the_table_is_sorted_and_in_the_range_of_physics():
    for (a, b), pair in PAIR_FRICTION.items():
        assert a <= b and {a, b} <= LIBRARY.keys() and pair.source
        assert 0.0 < (pair.kinetic or 0.01) <= pair.friction <= 1.5 and bool(pair.restitution) == bool(pair.restitution_source)
    for name, own in LIBRARY.items():
        same = tabulated(name, name)
        assert same is None or (own.friction, own.kinetic) == (same.friction, same.kinetic or same.friction)


@pytest.mark.parametrize(("floor", "block"), [("wood", "steel"), ("steel", "ice"), ("concrete", "rubber"), ("ice", "ice")])
def test_a_sliding_block_is_slowed_by_the_tabulated_kinetic_friction(floor, block):
    world, body = on_a_floor(floor, block, vel=(3.0, 0.0, 0.0))
    before = float(run(world, 0.1).bodies["vel"][body, 0])
    assert before - run(world, 0.1).bodies["vel"][body, 0] == pytest.approx(0.1 * tabulated(floor, block).kinetic * G, rel=1e-3)


def test_a_block_at_rest_holds_to_the_tabulated_static_friction():
    for share, moves in ((0.97, False), (1.03, True)):
        world, body = on_a_floor("wood", "steel")
        angle = math.atan(share * tabulated("wood", "steel").friction)
        world.gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
        assert (run(world, 0.3).bodies["vel"][body, 0] > 1e-3) == moves


def test_glass_rebounds_from_glass_as_newton_measured():
    world, body = on_a_floor("glass", "glass", Sphere(0.1), vel=(0.0, 0.0, -2.0))
    world.gravity = (0.0, 0.0, 0.0)
    run(world, 0.05)
    assert world.bodies["vel"][body, 2] == pytest.approx(2.0 * 15.0 / 16.0, rel=1e-6)


def test_a_pair_without_a_handbook_value_is_mixed_and_says_so():
    world, body = on_a_floor("ice", "wood")
    run(world, 0.1)
    assert tabulated("ice", "wood") is None
    assert world.contacts["friction"] == pytest.approx([math.sqrt(0.1 * 0.5)] * 4)
    assert source_of("ice", "wood", "friction", 0.2) == ""
    assert source_of("steel", "steel", "friction", 0.74) == YOUNG and source_of("steel", "steel", "restitution", 0.55) == NEWTON
    assert source_of("steel", "steel", "friction", 0.7) is None and source_of("steel", "cheese", "friction", 0.7) is None
    frame = capture(world, scene="", dt=1.0 / 240.0, paused=True, before=poses(world), pace=RealTimePace())
    assert pair_lines(frame, body) == ["on ice: no handbook value, mixed by the rule"]
    assign(world, body, "steel")
    frame = capture(run(world, 0.1), scene="", dt=1.0 / 240.0, paused=True, before=poses(world), pace=RealTimePace())
    assert pair_lines(frame, body) == ["on ice: static 0.4, kinetic 0.02 (OpenStax, University Physics 1, table 6.1)"]


def test_what_a_person_set_for_a_pair_stays_and_unknown_names_are_refused():
    world, body = on_a_floor("wood", "steel")
    world.set_pair("steel", "wood", friction=0.9)
    assign(world, body, "steel")
    assert world.materials.given[tuple(sorted(map(world.materials.index, ("steel", "wood"))))]["friction"] == 0.9
    with pytest.raises(BadInput, match="no material 'cheese'"):
        assign(world, body, "cheese")


def test_a_material_is_one_edit_that_can_be_undone():
    simulation = Simulation("stack")
    materials, shapes = simulation.world.materials, simulation.world.shapes.copy()
    commands.use_material(simulation, 2, "ice")
    assert simulation.world.materials.items[simulation.world.shapes["material"][1]].name == "ice"
    commands.undo(simulation)
    assert simulation.world.materials.items[: len(materials.items)] == materials.items
    for name in ("friction", "restitution", "material"):
        assert (simulation.world.shapes[name] == shapes[name]).all()
