"""Every scene, found by listing: it has a description, builds, runs and passes its own check."""

import dataclasses
import math
import os

import numpy as np
import pytest

import scenes
from physics import BadInput, World, fields, set_option, step
from physics.core.records import Case, Kind
from physics.observe import quantities
from scenes import door, star_burst
from tests.helpers import digest_of
from tests.tools import scene_runs
from tests.tools.scene_runs import CONVERGED, fixed_iterations

NAMES = sorted(scenes.all_scenes())
@pytest.fixture
def whole_run():
    """(name, iterations or None: the scene's own) -> (world, trace) of scene_runs.whole_run; nobody changes the world."""
    looked = []

    def of(name: str, iterations: int | None = None) -> tuple[World, scenes.Trace]:
        looked.append((name, *scene_runs.whole_run(name, iterations)))
        return looked[-1][1:3]

    yield of
    for name, world, _, digest in looked:
        assert digest_of(world) == digest, f"the world of {name} was changed"


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_is_described(name):
    scene = scenes.find(name)
    assert scene.title and scene.category and scene.law and scene.law_text
    assert scene.look_for.count(". ") >= 1 and len(scene.look_for) > 80
    assert scene.look_for.endswith(".") and scene.look_for.isascii() and scene.law_text.isascii()
    assert scene.plots, "a scene shows something from the start"
    assert scene.check is not None and scene.check_time > 0.0
    assert scene.law.count("{") == scene.law.count("}")
    for option in fields(scene.parameters):
        assert option.metadata["help"].endswith("."), option.name
        assert option.metadata["choices"] or None not in (option.metadata["lo"], option.metadata["hi"]), option.name


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_builds_with_its_plots_and_colours(name):
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    for key in (*scene.plots, *(curve.key for curve in scene.curves)):
        quantities.find(world, key)
    assert {key for pairs in scene.paths for pair in pairs for key in pair} <= set(scene.plots), "what a path needs is recorded"
    moving = world.bodies["kind"] == Kind.DYNAMIC
    assert moving.any()
    assert np.all(world.bodies["group"][moving] > 0), "what moves has a colour"
    assert np.all(world.bodies["group"][~moving] == 0), "what does not move is grey"
    centre = world.bodies["pos"][moving].mean(axis=0)
    assert np.linalg.norm(centre - scene.view.target) < scene.view.distance, "the camera looks at what moves"


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_does_not_begin_with_a_warning(name):
    """But for those that it expects; those of the clock are the machine's."""
    scene = scenes.find(name)
    world = scenes.without_clock(scenes.make_world(scene))
    for _ in range(5):
        step(world, scene.dt)
    assert [str(said) for said in world.warnings if not str(said).startswith(scene.expected_warnings)] == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_overlaps_at_the_start(name):
    scene = scenes.find(name)
    world = fixed_iterations(scene)
    report = step(world, 1e-6)
    assert report.penetration < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_passes_its_check(name, whole_run):
    scenes.find(name).check(*whole_run(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_passes_its_check_with_fixed_iterations(name, whole_run):
    scenes.find(name).check(*whole_run(name, CONVERGED))


@pytest.mark.parametrize("name", NAMES)
def test_the_auditor_finds_nothing_or_the_scene_says_why(name, whole_run):
    world, _ = whole_run(name)
    assert not world.energy_totals.failures_by_rule or scenes.find(name).violations


@pytest.mark.parametrize("name", [n for n in NAMES if scenes.find(n).predict])
def test_predictions_come_true(name, whole_run):
    """Each closed form against its measurement, within the tolerance that the scene names."""
    scene = scenes.find(name)
    world, trace = whole_run(name, CONVERGED)
    for prediction, got in scenes.predicted_and_measured(scene, scene.parameters(), world, trace):
        assert got is not None, f"{prediction.name} was not measured within check_time"
        assert prediction.holds(got), f"{prediction.name}: {got}, not {prediction.value}"


@pytest.mark.parametrize("name", [n for n in NAMES if scenes.find(n).predict])
def test_predictions_are_nan_until_measurable(name):
    """On the first sample a measurement is a number or None, never an error or NaN."""
    scene = scenes.find(name)
    world, trace = scenes.run(scene, seconds=0.0)
    for prediction in scene.predict(scene.parameters()):
        got = prediction.measure(world, trace)
        assert got is None or math.isfinite(got)


@pytest.mark.parametrize(("name", "option", "value"), [
    (name, option.name, value) for name in NAMES for option in fields(scenes.find(name).parameters)
    for value in (option.metadata["choices"] or (option.metadata["lo"], option.metadata["hi"]))])
def test_a_scene_survives_the_ends_of_its_parameters(name, option, value):
    scene = scenes.find(name)
    parameters = dataclasses.replace(scene.parameters(), **{option: value})
    world = fixed_iterations(scene, parameters, iterations=20)
    for _ in range(5):
        step(world, scene.dt)
    assert np.all(np.isfinite(world.bodies["pos"]))
    if scene.predict:
        for prediction in scene.predict(parameters):
            assert math.isfinite(prediction.value)


def test_find_names_near_scenes():
    with pytest.raises(BadInput, match="door"):
        scenes.find("dor")


def test_a_run_can_be_continued():
    """Two halves of a run give the same bits as one."""
    scene = scenes.find("slider")
    whole, _ = scenes.run(scene, world=fixed_iterations(scene), seconds=1.0)
    half, _ = scenes.run(scene, world=fixed_iterations(scene), seconds=0.5)
    half, trace = scenes.run(scene, world=half, seconds=0.5)
    assert np.array_equal(whole.bodies["pos"], half.bodies["pos"])
    assert trace["time"][0] == pytest.approx(0.5) and trace["time"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize("substeps", [0, 4, 8])
def test_nothing_in_the_playground_is_unexplained(substeps):
    """A heap of mixed bodies falls beside a wall of which one brick tips over: no momentum without an impulse, no energy from
    nowhere, no friction below its bound. Nearest points of capsules run from end to end, faces take turns as the reference of
    a contact's features, and an impact reverses the slip of a contact beside it."""
    world = fixed_iterations(scenes.find("playground"), iterations=50)
    set_option(world.solver.options, "substeps", substeps)
    for _ in range(300):
        assert not [finding.text for finding in step(world, 1.0 / 240.0).audit.findings]


# ---- standing still


@pytest.mark.parametrize(("name", "sideways", "down", "kinetic"), [("stack", 1e-3, 1e-3, 1e-12), ("pyramid", 2e-4, 2e-4, 1e-11)])
@pytest.mark.parametrize("iterations", [30, 200])
def test_a_stack_stands_still(name, sideways, down, kinetic, iterations):
    """At 240 Hz: total drift [m] from the built place, and from the tenth second on none: a micrometre in 50 s, in the first
    quarter of them a quarter. kinetic [J]: sweeps over the 400 contacts of the pyramid end at 1e-7 m/s."""
    scene = scenes.find(name)
    world = fixed_iterations(scene, iterations=iterations)
    built = world.bodies["pos"].copy()
    scenes.run(scene, world=world, seconds=10.0, keys=())
    settled, turned = world.bodies["pos"].copy(), world.bodies["quat"].copy()
    scenes.run(scene, world=world, seconds=12.5, keys=())
    drift = np.abs(world.bodies["pos"] - built)
    assert np.max(drift[:, :2]) < sideways and np.max(drift[:, 2]) < down
    assert np.max(np.abs(world.bodies["pos"] - settled)) < 0.25e-6
    assert np.max(np.abs(world.bodies["quat"] - turned)) < 0.25e-6
    assert world.report.energy["kinetic"] < kinetic


# ---- the door of MS16


def test_the_door_agrees_with_the_paper():
    rows = door.papers()
    assert len(rows) >= 4
    for row in rows:
        assert row.ok, f"{row.figure} {row.quantity}: {row.measured} {row.unit}, published {row.published}"
        assert row.source == "MS16" and row.conventions


def test_pushing_the_door_later_does_not_change_the_stopping_time():
    time = np.arange(0.0, 3.0, 0.01)
    rate = np.where((time < door.T2) | (time > 2.0), 1.0, 0.0)
    trace = {"time": time, "joint:hinge.rate": rate, "joint:hinge.angle": np.cumsum(0.01 * rate)}
    predictions = door.predict(door.Parameters())
    assert predictions[0].measure(None, trace) == pytest.approx(door.T2, abs=0.011)
    assert predictions[1].measure(None, trace) == pytest.approx(door.T2, abs=0.011)     # with 1 rad/s


def test_the_doors_inertia_and_push_follow_from_the_published_numbers():
    assert pytest.approx(8.06, abs=0.005) == door.INERTIA
    assert pytest.approx(1.34, abs=0.001) == door.OMEGA1
    assert door.pushed(door.T2)[0] == pytest.approx(math.radians(37.62), rel=1e-12)
    assert door.pushed(door.T1)[1] == pytest.approx(door.OMEGA1, rel=1e-12) and door.pushed(door.T2)[1] == 0.0
    for curve in door.CURVES:
        assert len(curve.times) == len(curve.values) > 20


def test_the_door_follows_the_published_curve(whole_run):
    """omega(t) of figure 6 and the angle of figure 7, as the paper's numbers imply them, within 1.5 % of their maximum."""
    world, trace = whole_run("door")
    assert world.bodies["inertia"][world.body("door"), 2, 2] + door.MASS * (0.5 * door.WIDTH) ** 2 == pytest.approx(
        door.INERTIA, rel=1e-12)
    for curve in door.CURVES:
        ours = np.interp(curve.times, trace["time"], trace[curve.key])
        assert np.max(np.abs(ours - curve.values)) < 0.015 * max(curve.values), curve.label


@pytest.mark.parametrize("bound", [12.0, 16.0, 20.0])
def test_the_door_stops_by_the_closed_form_for_other_frictions(bound):
    parameters = door.Parameters(max_friction=bound)
    stop, angle = door.expected(parameters)
    _, trace = scenes.run(door.SCENE, parameters, seconds=stop + 0.2)
    found = door.motion(trace)
    assert found[0] == pytest.approx(stop, abs=0.015) and found[1] == pytest.approx(angle, rel=3e-3)


# ---- the star burst on polygons


@pytest.mark.parametrize("facets", [3, 4, 5, 8, 64])
def test_the_star_burst_stops_on_the_polygon(facets):
    scene = star_burst.SCENE
    world = fixed_iterations(scene)
    set_option(world.solver.options, "cone", "polygon")
    set_option(world.solver.options, "facets", facets)
    world, trace = scenes.run(scene, world=world, seconds=3.0)
    assert trace["world.kinetic"][-1] < 1e-9
    reach = star_burst.reach(world)
    assert reach == pytest.approx(star_burst.distance(star_burst.Parameters()), rel=0.01)
    lengths = np.linalg.norm(star_burst.displacements(world), axis=1)
    assert np.max(lengths) / np.min(lengths) == pytest.approx(1.0 / math.cos(math.pi / facets), rel=0.05)


def test_more_friction_holds_more_lanes():
    """The share of sticking boxes on the bench grows with mu."""
    scene, held = scenes.find("incline"), []
    for mu in (0.1, 0.35, 0.5, 1.5):
        world = fixed_iterations(scene, scene.parameters(mu=mu))
        for _ in range(60):
            step(world, scene.dt)
        held.append(len(set(world.contacts["body_b"][world.contacts["case"] == Case.STICK])
                        | set(world.contacts["body_a"][world.contacts["case"] == Case.STICK])))
    assert held == sorted(held) and held[0] == 0 and held[-1] >= 5


def test_scenes_use_no_random_numbers_and_no_clock():
    """A scene is the same in every run: its file imports neither."""
    folder = os.path.dirname(scenes.__file__)
    for file in os.listdir(folder):
        if file.endswith(".py"):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                source = text.read()
            assert "random" not in source and "import time" not in source, file


def test_the_hand_of_the_gripper_stops_in_the_picture():
    """It went on rising after the box had dropped out."""
    _, trace = scenes.run(scenes.find("gripper"), seconds=4.0, keys=("body:hand.z", "body:hand.vz", "body:box.z"))
    assert trace["body:box.z"][-1] < 0.31 and trace["body:hand.z"][-1] < 2.0 and abs(trace["body:hand.vz"][-1]) < 1e-6
