"""Worlds go through scene files and come back bit for bit: every gallery scene, random worlds, worlds in the middle of a run."""

import os
import runpy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scenes
from app.engine.scene_files import describe, python_export, scene_file, state
from app.engine.scene_files.scene_file import SceneContext
from physics import Box, Compound, Friction, Material, Motor, Plane, Sphere, World, set_option, step
from physics.core.records import Kind
from tests import golden

STEPS = 150 if os.environ.get("STICTION_ALL_TESTS") else 10
"""Of a scene and of what its file gives, from the start and from the middle."""
MIDDLE = 30
"""Steps to the middle of a scene's run."""


def through_file(world, dt=1.0 / 240.0, **around):
    """(the world that the file of a world gives, the file's text)."""
    text, notes = scene_file.text_of(world, dt, SceneContext(**around))
    found, mistakes = scene_file.examined(text.encode(), "test.toml")
    assert not mistakes and not notes and not found.notes and found.dt == dt
    return found.world, text


def same_future(world, other, steps, dt):
    for _ in range(steps):
        step(world, dt)
        step(other, dt)
    return golden.state(world) == golden.state(other) and state.same(world, other)


@pytest.mark.parametrize("name", sorted(scenes.all_scenes()))
def test_every_scene_goes_through_a_file(name):
    """From its start, and from the middle: the same bits ever after. STICTION_ALL_TESTS: 150 steps of each instead of 10."""
    scene = scenes.find(name)
    around = {"title": scene.title, "scene": name, "parameters": scene.parameters()}
    world = scenes.without_clock(scenes.make_world(scene))
    first, _ = through_file(world, scene.dt, **around)
    assert state.same(first, world) and same_future(world, first, STEPS, scene.dt)
    for _ in range(MIDDLE - STEPS):
        step(world, scene.dt)
    middle, _ = through_file(world, scene.dt, **around)
    assert state.same(middle, world) and same_future(world, middle, STEPS, scene.dt)
    assert len(world.drivers) == len(middle.drivers)


@pytest.mark.parametrize("name", ["heap of convex shapes", "height field and mesh", "uncommon materials",
                                  "joints with friction and motors", "dominoes that fall asleep"])
def test_worlds_of_everything_go_through_a_file(name):
    world, made = World(), golden.SCENES[name]
    made.build(world) if callable(made.build) else scenes.find(made.build).build(world, scenes.find(made.build).parameters(
        **made.parameters))
    for option, value in made.sleeping.items():
        set_option(world.sleeping, option, value)
    for _ in range(45):
        step(world, golden.SCENES[name].dt)
    again, text = through_file(world)
    assert "[state]" in text and state.same(again, world) and same_future(world, again, 30, golden.SCENES[name].dt)


def random_world(seed):
    """Bodies, compounds, materials, filters, joints of many kinds, things removed, settings: from a number."""
    rng = np.random.default_rng(seed)
    world = World(gravity=rng.normal(size=3) * 5.0, margin=float(rng.uniform(0.0, 0.1)))
    world.add_body(Plane(), kind="static", friction=rng.uniform(0.0, 1.0))
    rubber = Material(friction=rng.uniform(0.5, 1.0), kinetic_friction=0.3, rolling=0.01, name="rubber",
                      mixing={"friction": "maximum"})
    ice = Material(friction=0.05, anisotropy=rng.uniform(0.5, 2.0), axis=tuple(rng.normal(size=3)))
    for n in range(int(rng.integers(1, 12))):
        shape = golden.SHAPES[rng.integers(len(golden.SHAPES))]
        if rng.random() < 0.2:
            block = Box(tuple(rng.uniform(0.1, 0.3, 3)))
            shape = Compound((shape, rng.normal(size=3)), (block, rng.normal(size=3), rng.normal(size=4)))
        kind = rng.choice(["dynamic", "dynamic", "static", "kinematic"])
        moves = {} if kind == "static" else {"vel": rng.normal(size=3), "omega": rng.normal(size=3)}
        world.add_body(shape, kind=kind, pos=rng.normal(size=3) * 3.0 + (0.0, 0.0, 4.0), quat=rng.normal(size=4), **moves,
                       density=rng.uniform(100.0, 8000.0), friction=rng.uniform(0.0, 2.0), restitution=rng.uniform(0.0, 1.0),
                       material=(None, rubber, ice)[rng.integers(3)], category=int(rng.integers(1, 2**32)),
                       mask=int(rng.integers(0, 2**32)), group=int(rng.integers(-3, 4)), sensor=bool(rng.random() < 0.1),
                       name=rng.choice(["box", "ящик", "箱子", 'a "b" \\ c', "x.y [z]"]) + f" {n}")
    bodies = np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC)
    for n, b in enumerate(rng.permutation(bodies)[:4]):
        kind = rng.choice(["revolute", "prismatic", "spherical", "cylindrical", "universal", "six_dof", "fixed", "spring",
                           "rope"])
        one = kind in ("revolute", "prismatic")
        two = {"anchor_b": rng.normal(size=3)} if kind in ("spring", "rope") else {}
        more = {"limits": (-1.0, rng.uniform(0.0, 1.0)), "motor": Motor("spring", 0.3, stiffness=rng.uniform(0.0, 9.0)),
                "friction": Friction(2.0, 1.0, 0.1, 0.2, 0.3, 0.02)} if one else {}
        world.add_joint(kind, 0, int(b), anchor=rng.normal(size=3), axis=rng.normal(size=3), name=f"joint {n}",
                        break_force=float(rng.choice([np.inf, 1e5])), collide=bool(rng.random() < 0.5), **two, **more)
    if len(bodies) > 2:
        world.remove_body(int(bodies[0]), with_joints=True)
    set_option(world.sleeping, "enabled", bool(rng.random() < 0.5))
    set_option(world.solver.options, "iterations", int(rng.integers(1, 50)))
    if rng.random() < 0.5 and any(m.name for m in world.materials.items):
        world.set_pair("rubber", world.materials.items[0], friction=float(rng.uniform(0.0, 1.0)))
    return world


def test_a_friction_polygon_goes_through_a_file_and_through_python(tmp_path):
    world = World()
    world.use_solver("stewart_trinkle")
    body = world.add_body(Box((0.1, 0.1, 0.1)), vel=(0.0, 0.0, 1.0), omega=(0.0, 0.0, 3.0), name="cube")
    j = world.add_joint("cylindrical", 0, body, anchor=(0.0, 0.0, 0.0), name="shaft")
    world.set_joint_friction_polygon(j, [(-3.0, 0.0), (0.0, -0.1), (5.0, 0.0), (0.0, 0.1)])
    again, text = through_file(world)
    assert "friction_polygon" in text and again.joints["corner_count"][j] == 4 and state.same(again, world)
    (path := tmp_path / "exported.py").write_text(python_export.text_of(world, 1.0 / 240.0, SceneContext()))
    made = scenes.make_world(runpy.run_path(str(path))["SCENE"])
    assert made.joints["corners"].tobytes() == world.joints["corners"].tobytes() and made.solver.name == world.solver.name
    assert same_future(world, again, 5, 1.0 / 240.0)


def test_a_solver_that_supports_the_world_only_with_its_options_goes_through_a_file(tmp_path):
    """Event-driven simulation with friction left out: by its default it would refuse a rough floor."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.3), friction=0.5, restitution=0.5, name="ball")
    world.use_solver("event_driven", friction="left out", impact_law="Poisson")
    again, text = through_file(world)
    assert again.solver.options == world.solver.options and 'friction = "left out"' in text
    (path := tmp_path / "exported.py").write_text(python_export.text_of(world, 1.0 / 240.0, SceneContext()))
    made = scenes.make_world(runpy.run_path(str(path))["SCENE"])
    assert made.solver.options == world.solver.options
    assert same_future(world, again, 60, 1.0 / 240.0)


@given(st.integers(0, 2**32), st.integers(0, 6))
@settings(max_examples=20)
def test_random_worlds_go_through_a_file(seed, steps):
    world = random_world(seed)
    for _ in range(steps):
        step(world, 1e-3)
    again, text = through_file(world, 1e-3)
    assert state.same(again, world) and world.body_names == again.body_names
    assert describe.first_difference(describe.world_tables(again, 1e-3), describe.world_tables(world, 1e-3)) is None
    assert through_file(again, 1e-3)[1] == text, "written again it is the same text"


def test_the_tables_alone_give_the_authored_world():
    """Without [state], as after an edit by hand: every authored number of every gallery scene in motion, to rounding."""
    for name in ("playground", "joint_gallery", "bowl", "planetary_gear", "rimless_wheel"):
        scene = scenes.find(name)
        world = scenes.without_clock(scenes.make_world(scene))
        for _ in range(20):
            step(world, scene.dt)
        text, _ = scene_file.text_of(world, scene.dt, SceneContext())
        bare = text[:text.index("[state]")]
        found, mistakes = scene_file.examined(bare.encode(), "x")
        assert not mistakes
        told = describe.world_tables(world, scene.dt)
        assert describe.first_difference(describe.world_tables(found.world, scene.dt), told) is None
        assert np.array_equal(found.world.bodies["pos"], world.bodies["pos"])
        assert np.array_equal(found.world.bodies["inertia"], world.bodies["inertia"])
        assert not state.same(found.world, world), "contact impulses are only in [state]"


def test_slots_stay_where_drivers_expect_them():
    world = World()
    for n in range(6):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(n, 0.0, 1.0), name=f"b{n}")
    world.add_joint("fixed", 0, 2, anchor=(1, 0, 1), name="gone")
    world.add_joint("fixed", 0, 3, anchor=(2, 0, 1), name="kept")
    world.remove_joint(0)
    for i in (1, 4):
        world.remove_body(i)
    text, _ = scene_file.text_of(world, 0.01, SceneContext())
    found, _ = scene_file.examined(text[:text.index("[state]")].encode() if "[state]" in text else text.encode(), "x")
    assert [found.world.body(f"b{n}") for n in (1, 2, 4, 5)] == [2, 3, 5, 6] and found.world.joint("kept") == 1
    assert found.world.add_body(Box((0.1, 0.1, 0.1)), pos=(9, 9, 9)) == 1, "a new body takes the lowest empty slot, as there"


def test_drivers_of_the_scene_act_and_others_are_told():
    scene = scenes.find("door")
    world = scenes.without_clock(scenes.make_world(scene))
    text, notes = scene_file.text_of(world, scene.dt, SceneContext(scene="door", parameters=scene.parameters()))
    assert 'drivers = ["hand"]' in text and not notes
    world.drivers.append(lambda world: None)
    text, notes = scene_file.text_of(world, scene.dt, SceneContext())
    assert notes == ["hand, <lambda>: Python functions that drive the world cannot be in a file and are left out"]
    text = text.replace("format = 1", 'format = 1\nscene = "pendulum"\ndrivers = ["hand"]')
    found, mistakes = scene_file.examined(text.encode(), "x")
    assert not mistakes and not found.world.drivers
    assert found.notes == ("what drives it, hand, is not in the scene 'pendulum' and is left out",)


def test_an_edit_by_hand_counts_and_the_state_does_not():
    """The packed state is used only while the tables say the same."""
    scene = scenes.find("stack")
    world = scenes.without_clock(scenes.make_world(scene))
    for _ in range(30):
        step(world, scene.dt)
    text, _ = scene_file.text_of(world, scene.dt, SceneContext())
    line = next(line for line in text.splitlines() if line.startswith("mass"))
    found, mistakes = scene_file.examined(text.replace(line, "mass = 3.25", 1).encode(), "x")
    assert not mistakes and 3.25 in found.world.bodies["mass"] and len(found.world.awake_contacts) == 0
    assert len(found.notes) == 1 and "was edited since it was saved: contact forces start from zero" in found.notes[0]


def test_the_report_is_not_needed_to_go_on():
    world = golden.make("exact solver, a few shapes")
    for _ in range(10):
        step(world, 1.0 / 240.0)
    other = World()
    other.restore(replace(world.snapshot(), report=None, step_start=None))
    assert same_future(world, other, 20, 1.0 / 240.0)
