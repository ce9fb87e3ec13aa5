"""Undo and redo of edits: exact to the bit, without reverting time, also in recomputed steps."""

import gc
import math
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import commands
from app.engine.assemblies import ASSEMBLIES
from app.engine.material_library import LIBRARY
from app.engine.simulation import Simulation
from app.engine.undo import difference, edit_list
from physics import BadInput, Box, Capsule, Friction, Material, Motor, Sphere, World


def authored(simulation):
    """What people set, as bytes, by slot in use."""
    state = difference.state_of(simulation)
    rows = {(table, name): state.tables[table][name][state.alive[table]].tobytes()
            for table, names in difference.AUTHORED_FIELDS.items() for name in names}
    names = [tuple(np.array(state.names[table], object)[state.alive[table]]) for table in ("bodies", "joints")]
    values = {name: repr(value) for name, value in state.values.items() if name != "materials"}
    return rows, names, values, repr(simulation.parameters)


def living(simulation):
    return np.flatnonzero(simulation.world.bodies["kind"] > 0)[1:].tolist()


def joints(simulation):
    return np.flatnonzero(simulation.world.joints["kind"] >= 0).tolist()


def quiet(scene="door"):
    simulation = Simulation(scene)
    if hasattr(simulation.world.solver.options, "budget"):
        commands.set_option(simulation, "budget", 0.0)
    simulation.edits = edit_list.EditList()
    simulation.timeline.begin()
    return simulation


def some(items, choice):
    return items[choice % len(items)] if items else 0


EDITS = {
    "friction of all": lambda s, n, x: commands.set_friction(s, x),
    "friction of one": lambda s, n, x: commands.set_friction(s, x, some(living(s), n)),
    "restitution": lambda s, n, x: commands.set_restitution(s, x, some(living(s), n)),
    "mass": lambda s, n, x: commands.set_mass(s, some(living(s), n), 0.1 + x),
    "pose": lambda s, n, x: commands.set_pose(s, some(living(s), n), (x, 5.0 + n, 3.0), (1.0, x, 0.0, 0.3)),
    "velocity": lambda s, n, x: commands.set_velocity(s, some(living(s), n), (x, 0.0, 1.0), (0.0, x, 0.0)),
    "spawn": lambda s, n, x: commands.spawn(s, (Sphere, lambda r: Box((r, r, 0.1)),
                                                lambda r: Capsule(r, r))[n % 3](0.05 + 0.1 * x),
                                     (10.0 + n, 10.0 * x, 2.0)),
    "assembly": lambda s, n, x: commands.assemble(s, list(ASSEMBLIES)[n % len(ASSEMBLIES)], (20.0 + 3.0 * n, 20.0 * x, 0.0),
                                                  0.5 + x),
    "throw": lambda s, n, x: commands.throw(s, (-3.0 - n, 20.0, 1.0), (x, 0.0, 0.0)),
    "duplicate": lambda s, n, x: commands.duplicate(s, some(living(s), n), (3.0 * x, 20.0 + n, 8.0)),
    "delete": lambda s, n, x: commands.remove_body(s, some(living(s), n)),
    "delete a joint": lambda s, n, x: commands.remove_joint(s, some(joints(s), n)),
    "size": lambda s, n, x: commands.resize(s, some(living(s), n), (0.1 + x, 0.2, 0.1)),
    "kind": lambda s, n, x: commands.set_kind(s, some(living(s), n), ("static", "kinematic", "dynamic")[int(2.99 * x)]),
    "name": lambda s, n, x: commands.rename_body(s, some(living(s), n), f"thing {x:.3f}"),
    "material": lambda s, n, x: commands.set_material(s, some(living(s), n),
                                                          Material(friction=x, rolling=0.01, name=f"m{n}{x:.2f}")),
    "material of the library": lambda s, n, x: commands.use_material(s, some(living(s), n), list(LIBRARY)[n % len(LIBRARY)]),
    "joint": lambda s, n, x: commands.join(s, "revolute", 0, some(living(s), n), (x, 0.0, 1.0)),
    "joint friction": lambda s, n, x: commands.set_joint_friction(s, 10.0 * x),
    "law": lambda s, n, x: commands.set_joint_law(s, some(joints(s), n), "turn", Friction(static=x, viscous=1.0)),
    "limits": lambda s, n, x: commands.set_joint_limits(s, some(joints(s), n), "angle", -1.0 - x, 2.0),
    "motor": lambda s, n, x: commands.set_joint_motor(s, some(joints(s), n), "angle", Motor(target=x, force=1.0)),
    "strength": lambda s, n, x: commands.set_joint_strength(s, some(joints(s), n), 1e6 + x, math.inf),
    "gravity": lambda s, n, x: commands.set_gravity(s, (0.0, x, -9.0)),
    "step size": lambda s, n, x: commands.set_dt(s, 0.001 + 0.005 * x),
    "option": lambda s, n, x: commands.set_option(s, "facets", 4 + n),
    "sleeping": lambda s, n, x: commands.set_sleeping(s, "delay", x),
    "solver": lambda s, n, x: commands.use_solver(s, ("sequential_impulses", "soft_steps")[n % 2]),
    "reset": lambda s, n, x: s.reset(),
}


@settings(max_examples=12)
@given(st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 9), st.floats(0.0, 1.0)), min_size=1, max_size=14))
def test_any_edits_are_undone_and_redone_bit_for_bit(given):
    simulation, states = quiet(), []
    states.append(authored(simulation))
    for name, n, x in given:
        count = len(simulation.edits.done)
        try:
            EDITS[name](simulation, n, x)
        except BadInput:
            assert authored(simulation) == states[-1], f"{name} was refused and changed something"
        if len(simulation.edits.done) > count:
            states.append(authored(simulation))
        assert authored(simulation) == states[-1]
    assert len(simulation.edits.done) == len(states) - 1
    for state in states[-2::-1]:
        commands.undo(simulation)
        assert authored(simulation) == state
    for state in states[1:]:
        commands.redo(simulation)
        assert authored(simulation) == state
    commands.undo(simulation, len(states) - 1)
    assert authored(simulation) == states[0]


@pytest.mark.parametrize("name", sorted(EDITS))
def test_every_edit_has_a_description(name):
    simulation = quiet()
    commands.set_sleeping(simulation, "enabled", True)
    commands.use_solver(simulation, "soft_steps" if name == "solver" else "sequential_impulses")
    simulation.edits = edit_list.EditList()
    if name in ("size", "kind"):
        commands.spawn(simulation, Sphere(0.1), (4.0, 4.0, 1.0))
    moving = [n for n, i in enumerate(living(simulation)) if simulation.world.bodies["mass"][i] > 0.0]
    body = moving[-1]
    count = len(simulation.edits.done)
    EDITS[name](simulation, body if name != "solver" else 0, 0.4)
    assert len(simulation.edits.done) == count + 1
    text = simulation.edits.done[-1].text
    assert text and text != "settings" and "array" not in text and "Options" not in text, text


def test_description_of_an_edit():
    simulation = quiet("pyramid")
    name = simulation.world.body_names[3]
    commands.set_friction(simulation, 0.7, 3)
    commands.set_dt(simulation, 0.002)
    commands.set_gravity(simulation, (0.0, 0.0, -1.62))
    commands.remove_body(simulation, 3)
    commands.set_parameter(simulation, "width", 4)
    texts = [edit.text for edit in simulation.edits.done]
    assert texts[0] == f"friction of {name}: 0.5 -> 0.7"
    assert texts[1] == "step size: 4.167 -> 2 ms"
    assert texts[2] == "gravity: 9.81 -> 1.62 m/s\u00b2"
    assert texts[3] == f"deleted {name}" and "width of the scene" in texts[4] and texts[4].endswith("-> 4")


def test_undo_reverts_an_edit_and_not_time():
    simulation = quiet("pyramid")
    own = simulation.world.shapes["friction"].copy()
    commands.set_friction(simulation, 0.1)
    for _ in range(20):
        simulation.step()
    now, poses = simulation.world.time, simulation.world.bodies["pos"].copy()
    commands.undo(simulation)
    assert simulation.world.time == now and np.array_equal(simulation.world.bodies["pos"], poses)
    assert np.array_equal(simulation.world.shapes["friction"], own)


def test_undo_restores_a_deleted_body_with_its_joints():
    simulation = quiet("chain")
    body = living(simulation)[3]
    before = authored(simulation)
    commands.remove_body(simulation, body)
    mid = simulation.world.bodies["pos"][body].copy()
    for _ in range(5):
        assert simulation.step()
    commands.undo(simulation)
    rows, names, *_ = authored(simulation)
    assert names == before[1] and rows["joints", "anchor_a"] == before[0]["joints", "anchor_a"]
    assert not np.array_equal(simulation.world.bodies["pos"][body], mid)
    assert all(simulation.step() for _ in range(30)) and np.isfinite(simulation.world.bodies["pos"]).all()


def test_a_held_control_makes_one_edit():
    simulation = quiet("pyramid")
    own = authored(simulation)
    commands.set_gesture(simulation, 1)
    for mu in (0.51, 0.6, 0.8):
        commands.set_friction(simulation, mu, 2)
    commands.set_gesture(simulation, 2)
    commands.set_friction(simulation, 0.9, 2)
    commands.set_gesture(simulation, 3)
    for width in (4, 5, 6):
        commands.set_parameter(simulation, "width", width)
    commands.set_gesture(simulation, 0)
    commands.set_gravity(simulation, (0.0, 0.0, -1.0))
    commands.set_gravity(simulation, (0.0, 0.0, -2.0))
    texts = [edit.text for edit in simulation.edits.done]
    assert len(texts) == 5 and texts[0].endswith("0.5 -> 0.8") and texts[1].endswith("0.8 -> 0.9") and texts[2].endswith("-> 6")
    commands.undo(simulation, 5)
    assert authored(simulation) == own


def test_a_merged_edit_covers_bodies_changed_later():
    """Merging must know for each body what it was at first."""
    simulation = quiet("pyramid")
    commands.set_friction(simulation, 0.3, 2)
    own = authored(simulation)
    commands.set_gesture(simulation, 7)
    commands.set_friction(simulation, 0.3)
    commands.set_friction(simulation, 0.6)
    commands.undo(simulation)
    assert authored(simulation) == own


def test_undo_is_a_command_and_the_list_belongs_to_the_step():
    """Steps made again make the edits and their undoing again, and show the list as it was then."""
    simulation, states = quiet("pyramid"), []
    doing = {5: lambda: commands.set_friction(simulation, 0.2),
             10: lambda: commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0)),
             20: lambda: commands.undo(simulation), 25: lambda: commands.remove_body(simulation, 3),
             30: lambda: commands.undo(simulation), 35: lambda: commands.undo(simulation), 40: lambda: commands.redo(simulation)}
    for step in range(50):
        doing.get(step, lambda: None)()
        states.append((authored(simulation), [edit.text for edit in simulation.edits.done], simulation.world.bodies.tobytes()))
        assert simulation.step()
    for step in (7, 49, 12, 22, 27, 32, 37, 45, 3, 38):
        commands.go_to_step(simulation, step)
        simulation.timeline.go_to_goal()
        found = authored(simulation), [edit.text for edit in simulation.edits.done], simulation.world.bodies.tobytes()
        assert found == states[step], step
    commands.go_to_step(simulation, 12)
    commands.undo(simulation)
    assert [edit.text for edit in simulation.edits.done] == ["friction of all bodies: 0.5 -> 0.2"]
    assert simulation.history.last == 12, "going on from the past forgets the other future"


def test_undo_of_a_rebuild_restores_its_time():
    simulation = quiet("pyramid")
    commands.throw(simulation, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    for _ in range(10):
        simulation.step()
    world, now, edits_then = simulation.world.bodies.tobytes(), simulation.world.time, len(simulation.edits.done)
    simulation.reset()
    assert simulation.world.time == 0.0
    commands.undo(simulation)
    assert simulation.world.time == now and simulation.world.bodies.tobytes() == world
    assert len(simulation.edits.done) == edits_then
    commands.undo(simulation)
    assert "thrown ball 1" not in simulation.world.body_names
    commands.redo(simulation, 2)
    assert simulation.world.time == 0.0
    assert all(simulation.step() for _ in range(5))


def test_the_list_is_bounded(monkeypatch):
    monkeypatch.setattr(edit_list, "MAX_UNDO_STEPS", 5)
    simulation = quiet("pyramid")
    for k in range(9):
        commands.set_friction(simulation, 0.1 + 0.01 * k, 2)
    assert len(simulation.edits.done) == 5
    monkeypatch.setattr(edit_list, "MAX_UNDO_BYTES", 2 * simulation.edits.done[0].change.size)
    commands.set_friction(simulation, 0.9, 2)
    assert len(simulation.edits.done) == 2
    commands.undo(simulation, 2)
    with pytest.raises(BadInput, match="nothing to undo"):
        commands.undo(simulation)
    commands.redo(simulation)
    commands.set_friction(simulation, 0.4, 2)
    with pytest.raises(BadInput, match="nothing to redo"):
        commands.redo(simulation)


def test_whole_states_are_fewer_than_other_edits(monkeypatch):
    """Older edits go with them: what was before a scene that cannot come back is no more."""
    monkeypatch.setattr(edit_list, "MAX_WHOLE_STATES", 2)
    simulation = quiet("pyramid")
    for name in ("pyramid", "pendulum", "pyramid"):
        simulation.load(name)
        commands.set_friction(simulation, 0.4, 2)
    assert [edit.command for edit in simulation.edits.done] == ["set_friction", "load", "set_friction", "load", "set_friction"]
    commands.undo(simulation, 5)
    with pytest.raises(BadInput, match="nothing to undo"):
        commands.undo(simulation)


def test_edits_beyond_the_limit_are_freed(monkeypatch):
    """What the oldest edits replaced was kept for ever: by the settings of the next ones, and by their documents."""
    monkeypatch.setattr(edit_list, "MAX_UNDO_STEPS", 2)
    simulation = quiet("pendulum")
    replaced = []
    for _ in range(5):
        simulation.load("pendulum")
        replaced.append(weakref.ref(simulation.edits.done[-1].change))
    gc.collect()
    assert [kept() is not None for kept in replaced] == [False, False, False, True, True]
    commands.undo(simulation, 2)
    assert simulation.scene_name == "pendulum" and not simulation.edits.done and len(simulation.edits.undone) == 2


def test_loading_another_scene_is_an_edit():
    """Undone, the former scene is there as it was, with its own past edits; redone, the other one."""
    simulation = quiet("pyramid")
    commands.set_friction(simulation, 0.3, 2)
    for _ in range(20):
        simulation.step()
    before, keys = simulation.world.bodies.tobytes(), simulation.traces.keys
    simulation.load("door")
    assert [edit.command for edit in simulation.edits.done] == ["set_friction", "load"]
    commands.undo(simulation)
    assert simulation.scene_name == "pyramid" and simulation.scene.title == "Pyramid" and simulation.traces.keys == keys
    assert simulation.world.bodies.tobytes() == before
    simulation.step()
    commands.redo(simulation)
    assert simulation.scene_name == "door" and len(simulation.world.drivers) == 1
    commands.undo(simulation, 2)
    assert simulation.scene_name == "pyramid" and not simulation.edits.done
    simulation.reset()
    assert simulation.scene_name == "pyramid" and simulation.world.steps == 0


def test_dragging_is_no_edit_and_ends_at_undo():
    simulation = quiet("pyramid")
    commands.set_friction(simulation, 0.2)
    commands.drag_begin(simulation, 3, tuple(simulation.world.bodies["pos"][3]))
    commands.drag_move(simulation, (0.0, 0.0, 3.0))
    assert len(simulation.edits.done) == 1
    commands.undo(simulation)
    assert simulation.dragged < 0 and not joints(simulation)


def test_undo_does_not_restore_a_broken_joint():
    simulation = quiet("door")
    j = joints(simulation)[0]
    commands.set_joint_friction(simulation, 7.0, j)
    simulation.world.remove_joint(j)
    commands.undo(simulation)
    assert not joints(simulation)


def test_resizing_keeps_density_and_set_kind_keeps_joints():
    world = World()
    ball = world.add_body(Sphere(0.1), density=500.0, pos=(0.0, 0.0, 1.0))
    world.set_shape(ball, Box((0.1, 0.2, 0.3)))
    assert world.bodies["mass"][ball] == pytest.approx(500.0 * 0.048)
    assert world.bodies["inertia"][ball, 0, 0] == pytest.approx(500.0 * 0.048 / 3.0 * 0.13)
    world.add_joint("revolute", 0, ball, anchor=(0.0, 0.0, 1.0), name="pin")
    with pytest.raises(BadInput, match="'pin' would connect two immovable bodies"):
        world.set_kind(ball, "static")
    with pytest.raises(BadInput, match="cannot be changed"):
        world.set_kind(0, "dynamic")
    with pytest.raises(BadInput, match="is taken"):
        world.rename_body(ball, "world")


def test_a_solver_that_supports_the_scene_only_with_its_options_comes_back():
    simulation = quiet("stack")
    simulation.world.use_solver("event_driven", friction="left out", impact_law="Stronge")
    chosen = simulation.world.solver.options
    commands.use_solver(simulation, "sequential_impulses")
    commands.undo_edit(simulation, simulation.edits.done[-1])
    assert simulation.world.solver.options == chosen
