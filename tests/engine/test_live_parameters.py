"""Live parameters: they act on the running world, are part of its state, are undone, recorded, replayed and in scene files."""

import dataclasses
import math

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.engine.breakpoints.expression import Condition
from app.engine.breakpoints.kinds import WatchExpression
from app.engine.simulation import Simulation
from app.engine.undo.edit_list import EditList
from physics import BadInput, Sphere, fields
from physics.core.records import Kind
from scenes._parts import SETTLED, TILTS
from scenes.incline import RATIOS, name
from tests.helpers import authored, opened, packed, state

LIVE = [(scene, parameter) for scene, found in scenes.all_scenes().items() for parameter in found.live]
DRIVEN = {("compliant_slope", "angle"), ("diagonal_push", "push"), ("door", "push"), ("drawer", "force"), ("gripper", "lift"),
          ("gripper", "grip"), ("gripper", "release"), ("incline", "angle"), ("rolling_shapes", "angle"), ("spool", "force"),
          ("vibration_ratchet", "speed"), ("books", "rate"), ("capstan", "rate"), ("card_house", "rate"),
          ("masonry_arch", "rate"), ("kapitza", "amplitude"), ("kapitza", "frequency"), ("vibration_ratchet", "period"),
          ("tipping_or_sliding", "low_push_height"), ("tipping_or_sliding", "high_push_height"), ("key_in_lock", "torque"),
          ("key_in_lock", "rate"), ("bumpy_road", "speed"), ("brazil_nut", "gamma"), ("growing_push", "rate"),
          ("squealing_brake", "force")}
"""Parameters that drivers read."""
VIEW = {"target": [0.0, 0.0, 0.5], "distance": 6.0, "azimuth": 35.0, "elevation": 20.0, "flat": False, "plots": [],
        "breakpoints": [], "solvers": []}


def running(scene: str, steps: int = 3) -> Simulation:
    simulation = Simulation(scene)
    scenes.without_clock(simulation.world)
    for _ in range(steps):
        assert simulation.step()
    return simulation


def other_value(simulation: Simulation, parameter: str) -> float:
    option = next(f for f in fields(simulation.parameters) if f.name == parameter)
    lo, hi = option.metadata["lo"], option.metadata["hi"]
    return lo + 0.3 * (hi - lo) if abs(lo + 0.3 * (hi - lo) - option.default) > 1e-3 * (hi - lo) else lo + 0.6 * (hi - lo)


def angle_of(simulation: Simulation) -> float:
    """Tilt of the bench [deg]."""
    w, _, y, _ = simulation.world.bodies["quat"][simulation.world.body("lane 1")]
    return 2.0 * math.degrees(math.atan2(y, w))


@pytest.mark.parametrize("scene", sorted({scene for scene, _ in LIVE}))
def test_surfaces_masses_and_joints_become_those_of_a_new_build(scene):
    """Of each live parameter: every other one stays, bodies stay where they are, and what a build would set is set."""
    for parameter in scenes.find(scene).live:
        simulation = running(scene, 1)
        world, value = simulation.world, other_value(simulation, parameter)
        pos = world.bodies["pos"].copy()
        commands.set_live_parameter(simulation, parameter, value)
        expected = dataclasses.replace(simulation.parameters, **{parameter: value})
        assert simulation.present_parameters == expected and simulation.world is world
        fresh = scenes.make_world(simulation.scene, expected)
        moved = fresh.bodies["kind"] == Kind.KINEMATIC
        same = [(f, getattr(world, t)[f], getattr(fresh, t)[f]) for t, names in
                (("shapes", ("friction", "restitution")), ("bodies", ("mass", "inertia")),
                 ("joints", ("param", "max_friction", "kinetic", "stribeck", "viscous"))) for f in names]
        assert all(np.array_equal(now, built) for _, now, built in same), [f for f, now, built in same if np.any(now != built)]
        assert np.array_equal(world.bodies["pos"], pos)
        assert np.array_equal(world.bodies["omega"][moved], fresh.bodies["omega"][moved])
        change = simulation.edits.done[-1].change
        assert (scene, parameter) in DRIVEN or change.fields or set(change.values) - {f"input {parameter}"}


def test_parameters_that_drivers_read_move_what_they_drive():
    """At its least value the parameter pushes or moves otherwise than at its own."""
    for scene, parameter in sorted(DRIVEN):
        ends = []
        for change in (False, True):
            simulation = running(scene, 20)
            if change:
                least = next(f for f in fields(simulation.parameters) if f.name == parameter).metadata["lo"]
                commands.set_live_parameter(simulation, parameter, least)
            for _ in range(40):
                assert simulation.step()
            ends.append((simulation.world.bodies["pos"].tobytes(), simulation.world.contacts.tobytes()))
        assert ends[1] != ends[0], (scene, parameter)


def test_names_of_control_inputs_are_no_parameters():
    """`present` takes a control input of a parameter's name for its value."""
    for found in scenes.all_scenes().values():
        world = scenes.make_world(found)
        names = {f.name for f in fields(found.parameters())} if found.parameters is not scenes.NoParameters else set()
        assert set(world.inputs) & names == set(found.live), found.title


@pytest.fixture(scope="module")
def tilted():
    """The bench, tilted from 10 to 40 degrees while it runs: (simulation, tilt [deg] at which each lane let go)."""
    simulation = Simulation("incline")
    scenes.without_clock(simulation.world)
    commands.set_parameter(simulation, "angle", 10.0)
    for _ in range(10):
        simulation.step()
    commands.set_live_parameter(simulation, "angle", 40.0)
    went, world = {}, simulation.world
    pairs = [(ratio, world.body(name(ratio)), world.body(f"lane {k}")) for k, ratio in enumerate(RATIOS, 1)]
    start = [world.bodies["pos"][box] - world.bodies["pos"][lane] for _, box, lane in pairs]
    while world.inputs.get(SETTLED, world.time) >= world.time - 0.3:
        assert simulation.step()
        for (ratio, box, lane), apart in zip(pairs, start):
            now = world.bodies["pos"][box] - world.bodies["pos"][lane]
            if ratio not in went and abs(np.linalg.norm(now) - np.linalg.norm(apart)) > 1e-3:
                went[ratio] = angle_of(simulation)
    return simulation, went


def test_the_bench_tilts_under_the_boxes_and_lane_after_lane_lets_go(tilted):
    simulation, went = tilted
    assert angle_of(simulation) == pytest.approx(40.0, abs=1e-6)
    assert list(went) == list(RATIOS), "in the order of friction"
    for ratio, angle in went.items():
        assert 0.0 < angle - math.degrees(math.atan(0.5 * ratio)) < 1.5, (ratio, angle)     # 1 mm later
    assert not [text for text in simulation.messages if "nexplained" in text]


def test_predictions_of_a_tilted_bench_are_those_of_the_angle_now(tilted):
    simulation, _ = tilted
    trace = simulation.traces.table()
    rows = [(p, p.measure(simulation.world, trace)) for p in simulation.scene.predict(simulation.present_parameters)]
    last = rows[-1]     # the others have left the bench
    assert last[1] == pytest.approx(last[0].value, rel=0.02) and last[0].value > 0.5


def test_a_rewind_brings_the_parameter_back_and_a_replay_is_bit_exact(tmp_path):
    simulation = running("incline", 40)
    commands.set_live_parameter(simulation, "angle", 33.0)
    commands.set_live_parameter(simulation, "mu", 0.7)
    for _ in range(60):
        assert simulation.step()
    there, inputs = state(simulation), dict(simulation.world.inputs)
    for step, expected in ((35, (25.0, 0.5)), (100, (33.0, 0.7)), (39, (25.0, 0.5)), (100, (33.0, 0.7))):
        commands.go_to_step(simulation, step)
        simulation.timeline.go_to_goal()
        assert dataclasses.astuple(simulation.present_parameters) == expected
        assert (scenes.CHANGED in simulation.world.inputs) == (step == 100)
    assert state(simulation) == there and simulation.world.inputs == inputs
    again = opened(packed(simulation, 20), tmp_path / "tilt.stiction")
    for step, angle in ((100, 33.0), (30, 25.0), (100, 33.0)):
        commands.go_to_step(again, step)
        again.timeline.go_to_goal()
        assert again.present_parameters.angle == angle and again.recorder.divergence is None
    assert state(again)[:5] == there[:5]


def test_it_is_an_edit_that_can_be_undone_while_the_scene_runs():
    simulation = running("belt", 5)
    simulation.edits = EditList()
    before, speed = authored(simulation), simulation.world.materials
    commands.set_friction(simulation, 0.6)
    commands.set_live_parameter(simulation, "mu", 0.2)
    commands.set_live_parameter(simulation, "speed", 0.5)
    assert [edit.text for edit in simulation.edits.done[1:]] == ["mu of the scene: 0.3 -> 0.2", "speed of the scene: 0.1 -> 0.5"]
    assert simulation.friction is None, "the parameter sets the friction now"
    for _ in range(5):
        assert simulation.step()
    velocity = [item.surface_velocity[0] for item in simulation.world.materials.items if item.name.startswith("belt")]
    assert velocity == [0.5, 0.5]
    time = simulation.world.time
    commands.undo(simulation, 3)
    assert simulation.present_parameters == simulation.parameters and simulation.world.time == time
    assert {key: value for key, value in authored(simulation).items() if key[0] != "bodies"} \
        == {key: value for key, value in before.items() if key[0] != "bodies"}
    assert simulation.world.materials == speed
    commands.redo(simulation, 3)
    assert (simulation.present_parameters.mu, simulation.present_parameters.speed) == (0.2, 0.5)


def test_a_reset_and_a_rebuild_start_with_the_live_values():
    simulation = running("incline", 5)
    commands.set_live_parameter(simulation, "angle", 15.0)
    commands.set_parameter(simulation, "mu", 0.8)
    assert (simulation.parameters.angle, simulation.parameters.mu) == (15.0, 0.8) and simulation.world.time == 0.0
    assert angle_of(simulation) == pytest.approx(15.0)
    simulation.step()
    commands.set_live_parameter(simulation, "angle", 30.0)
    simulation.reset()
    assert angle_of(simulation) == pytest.approx(30.0) and scenes.CHANGED not in simulation.world.inputs


def test_what_was_deleted_or_added_meanwhile_stays_as_it_is():
    simulation = running("stack", 2)
    world = simulation.world
    commands.remove_body(simulation, world.body("box 3"))
    commands.spawn(simulation, Sphere(0.1), (3.0, 0.0, 1.0))
    ball = next(i for i, found in enumerate(world.body_names) if "sphere" in found)
    commands.set_friction(simulation, 0.9, ball)
    commands.set_live_parameter(simulation, "mu", 0.2)
    own = {world.body_names[shape["body"]]: shape["friction"] for shape in world.shapes if shape["body"] > 0}
    assert own.pop(world.body_names[ball]) == 0.9 and set(own.values()) == {0.2}


def test_scene_files_keep_live_values(tmp_path):
    simulation = running("incline", 5)
    commands.set_live_parameter(simulation, "angle", 31.0)
    for _ in range(20):
        assert simulation.step()
    path = tmp_path / "bench.scene.toml"
    commands.save_scene_file(simulation, path, VIEW, (), lambda path, data: path.write_bytes(data))
    again = Simulation(str(path))
    assert again.present_parameters.angle == 31.0 and state(again)[:5] == state(simulation)[:5]
    for _ in range(20):
        assert again.step() and simulation.step()
    assert np.array_equal(again.world.bodies["quat"], simulation.world.bodies["quat"]), "and go on to tilt"
    commands.set_live_parameter(again, "mu", 0.9)
    assert again.present_parameters.mu == 0.9


def test_refusals_change_nothing():
    simulation = running("incline", 2)
    before, edits = state(simulation), simulation.edits
    for parameter, value, said in (("angle", 400.0, "45"), ("angle", math.nan, "angle"), ("count", 3.0, "angle, mu")):
        with pytest.raises(BadInput, match=said):
            commands.set_live_parameter(simulation, parameter, value)
    with pytest.raises(BadInput, match="none"):
        commands.set_live_parameter(Simulation("eulers_disc"), "radius", 0.2)
    assert state(simulation) == before and simulation.edits is edits


def test_a_vibration_goes_on_where_it_is_when_its_period_is_changed():
    """The plate's velocity has no jump, and its later period is the new one."""
    simulation = running("vibration_ratchet", 1)
    world, dt = simulation.world, simulation.dt
    plate, speeds = world.body("plate"), []
    for k in range(600):
        if k == 140:
            commands.set_live_parameter(simulation, "period", 0.8)
        assert simulation.step()
        speeds.append(world.bodies["vel"][plate, 0])
    steepest = 2.0 * 0.6 / (0.2 * 0.5)      # in the jerk of the shorter period [m/s^2]
    assert np.abs(np.diff(speeds)).max() < 1.05 * steepest * dt
    up = np.flatnonzero((np.array(speeds[:-1]) < 0.0) & (np.array(speeds[1:]) >= 0.0))
    assert np.diff(up[up > 140]) * dt == pytest.approx(0.8, abs=2.0 * dt)


def test_live_parameters_are_plotted_and_recorded_like_other_quantities(tmp_path):
    simulation = running("incline", 3)
    keys = scenes.QuantityKeys(simulation.world, simulation.scene)
    assert list(keys[:2]) == ["input:angle", "input:mu"] and keys[2] == "world.kinetic"
    commands.follow(simulation, "input:angle")
    assert simulation.step() and simulation.traces.label("input:angle") == "angle [deg]"
    before = simulation.world.time
    commands.follow(simulation, "input:mu")
    commands.set_live_parameter(simulation, "angle", 26.0)
    commands.set_live_parameter(simulation, "mu", 0.6)
    actual = scenes.find_quantity(simulation.world, "input:angle", simulation.scene)
    while abs(actual.read(simulation.world) - 26.0) > 1e-9:
        assert simulation.step() and simulation.world.time < before + 2.0
    time, angle = simulation.traces.read("input:angle")
    first = int(np.searchsorted(time, before))
    assert np.isnan(angle[:first]).all() and angle[first] == pytest.approx(25.0, abs=1e-9)
    ramp = angle[first + 1:]
    assert ((ramp > 25.0) & (ramp < 26.005)).all() and (np.diff(ramp[ramp < 25.99]) > 0.0).all(), "the bench, not the slider"
    assert time[-1] - before == pytest.approx(2.0 * math.sqrt(math.radians(1.0) / TILTS[1]), rel=0.05)
    assert ramp[-1] == pytest.approx(26.0)
    assert simulation.traces.read("input:mu")[1][first + 1:].tolist() == [0.6] * len(ramp), "which acts at once"
    assert scenes.CHANGED in simulation.world.inputs and scenes.QuantityKeys(simulation.world, simulation.scene)[:3] == keys[:3]
    path = tmp_path / "bench.scene.toml"
    commands.save_scene_file(simulation, path, {**VIEW, "plots": list(simulation.traces.keys)}, (),
                             lambda path, data: path.write_bytes(data))
    again = Simulation(str(path))
    assert again.step() and again.traces.label("input:angle") == "angle [deg]"
    assert again.traces.read("input:angle")[1][-1] == pytest.approx(26.0)
    assert scenes.run(scenes.find(str(path)), seconds=0.01)[1]["input:angle"].tolist() == pytest.approx([26.0] * 3)
    with pytest.raises(BadInput, match="input:tilt"):
        commands.follow(simulation, "input:tilt")


def test_a_condition_stops_at_a_live_parameter():
    simulation = running("incline", 3)
    of_friction, of_tilt = Condition("input:mu > 0.7"), WatchExpression(expression="input:angle > 25.5")
    of_friction.find(simulation.world, simulation.scene)
    of_tilt.check(simulation.world, simulation.scene)
    assert not of_friction(simulation.world) and not of_tilt.condition(simulation.world)
    commands.set_live_parameter(simulation, "mu", 0.8)
    commands.set_live_parameter(simulation, "angle", 26.0)
    assert of_friction(simulation.world) and not of_tilt.condition(simulation.world), "the bench has yet to turn"
    while not of_tilt.condition(simulation.world):
        assert simulation.step() and simulation.world.time < 2.0


@pytest.mark.parametrize("name", [name for name, scene in scenes.all_scenes().items() if scene.actual])
def test_what_is_approached_slowly_starts_at_the_value_that_was_set(name):
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    for parameter in scene.actual:
        assert parameter in scene.live
        read = scenes.find_quantity(world, f"input:{parameter}", scene).read
        assert read(world) == pytest.approx(getattr(scene.parameters(), parameter), abs=1e-12)
