"""Compiled steps (physics/compiled_step.py) are the steps of step.py, bit for bit, and leave no trace where one is refused."""

import math

import numpy as np
import pytest

import scenes
from benchmarks.peers import scenes as peers_scenes
from benchmarks.peers.adapters.ours import Ours
from physics import BadInput, Box, Diverged, Plane, Sphere, World, compiled_step, step, step_many, step_worlds
from physics.compiled_step import CompiledStep
from tests.reliability.mechanics import random_world
from tests.tools.same_bits import assert_same, state, told

SCENES = ("belt", "billiards", "bouncing_balls", "cradle", "eulers_disc", "polyhedra_ramp", "ragdoll", "slider_crank", "stack",
          "stopping_distance", "two_ball_drop", "growing_push", "vibration_ratchet")


@pytest.fixture
def compiled(monkeypatch):
    """Counts the steps that were compiled, and the attempts that were refused: [made, refused]."""
    counts, advance = [0, 0], CompiledStep.advance

    def counted(self, dt, count):
        before = self._world.steps
        report = advance(self, dt, count)
        counts[0] += self._world.steps - before
        counts[1] += report is None
        return report

    monkeypatch.setattr(CompiledStep, "advance", counted)
    monkeypatch.setattr(compiled_step, "is_ready", lambda: True)
    return counts


def in_python(world: World, steps: int, dt: float) -> list:
    """Make the steps without compiled ones; their reports."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledStep, "fits", lambda self, dt: False)
        return [step(world, dt) for _ in range(steps)]


# ---- the same bits


@pytest.mark.parametrize("seed", range(7000, 7012))
def test_random_scenes_move_bit_for_bit_as_in_python(seed, compiled):
    """With impacts, joints, and findings of the auditor; every other one with an energy ledger."""
    (a, dt), (b, _) = random_world(seed), random_world(seed)
    a.records_energy = b.records_energy = seed % 2 == 0
    reports = [step(a, dt) for _ in range(120)]
    assert [told(one) for one in reports] == [told(one) for one in in_python(b, 120, dt)]
    assert_same(a, b)
    assert compiled[0] > 0 or a.solver.name != "sequential impulses"


@pytest.mark.parametrize("name", SCENES)
def test_scenes_move_bit_for_bit_as_in_python(name, compiled):
    """Belts, rolling, impacts, loops of joints, limits, drivers, also of motors."""
    scene = scenes.find(name)
    a, b = scenes.make_world(scene), scenes.make_world(scene)
    reports = [step(a, scene.dt) for _ in range(150)]
    assert [told(one) for one in reports] == [told(one) for one in in_python(b, 150, scene.dt)]
    assert_same(a, b)
    assert compiled[0] > 50


@pytest.mark.parametrize(("scene", "size"), [("stacks", 100), ("pyramid", 12), ("ballpit", 120)])
def test_worlds_of_more_than_a_hundred_shapes_move_bit_for_bit_as_in_python(scene, size, compiled):
    """Piles of the benchmarks."""
    a, b = (Ours("default"), Ours("default"))
    for engine in (a, b):
        engine.build(peers_scenes.make(scene, size), 1.0 / 60.0)
    reports = [step(a.world, 1.0 / 60.0) for _ in range(90)]
    assert [told(one) for one in reports] == [told(one) for one in in_python(b.world, 90, 1.0 / 60.0)]
    assert_same(a.world, b.world)
    assert 64 < len(a.world.shapes) <= compiled_step.MAX_SHAPES and compiled[0] > 20


def test_a_fast_body_that_nothing_stops_is_compiled_and_one_that_is_stopped_is_not(compiled):
    """A ball that rolls by more than half its radius a step, first freely and then against a wall."""
    worlds = []
    for _ in range(2):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5)
        world.add_body(Box((0.05, 1.0, 0.5)), kind="static", pos=(8.0, 0.0, 0.5), restitution=0.0)
        world.add_body(Sphere(0.05), pos=(0.0, 0.0, 0.05), vel=(6.0, 0.0, 0.0), omega=(0.0, 120.0, 0.0))
        worlds.append(world)
    reports = [step(worlds[0], 1.0 / 60.0) for _ in range(90)]
    assert [told(one) for one in reports] == [told(one) for one in in_python(worlds[1], 90, 1.0 / 60.0)]
    assert_same(*worlds)
    assert compiled[0] > 60 and worlds[0].bodies["pos"][-1, 0] < 8.0


def test_steps_in_which_a_driver_sets_a_velocity_are_compiled(compiled):
    """Of a kinematic plate that shakes a box."""
    worlds = []
    for _ in range(2):
        world = World()
        plate = world.add_body(Box((1.0, 1.0, 0.1)), kind="kinematic", pos=(0.0, 0.0, 0.1), friction=0.5)
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.3), friction=0.5)
        world.drivers.append(lambda world, plate=plate: world.set_velocity(
            plate, (math.sin(20.0 * world.time), 0.0, 0.0), (0.0, 0.0, 0.0)))
        worlds.append(world)
    reports = [step(worlds[0], 1.0 / 240.0) for _ in range(100)]
    assert [told(one) for one in reports] == [told(one) for one in in_python(worlds[1], 100, 1.0 / 240.0)]
    assert_same(*worlds)
    assert compiled[0] > 90


def test_many_steps_at_once_are_as_many_single_ones(compiled):
    a, b = (scenes.make_world(scenes.find("bouncing_balls")) for _ in range(2))
    report = step_many(a, 700, 1.0 / 240.0)
    assert told(report) == told(in_python(b, 700, 1.0 / 240.0)[-1])
    assert_same(a, b)
    assert 600 < compiled[0] < 700


@pytest.mark.parametrize("seed", [1, 5, 7])
def test_many_steps_with_refused_ones_among_them_are_as_many_single_ones(seed, compiled):
    """Boxes fall and tumble: impacts, and fast turns, refuse steps that have other contacts than those before."""
    worlds = []
    for _ in range(2):
        draw, world = np.random.default_rng(seed), World()
        world.add_body(Plane(), kind="static", friction=0.5)
        for k in range(8):
            quat = draw.normal(size=4)
            world.add_body(Box(tuple(draw.uniform(0.1, 0.3, 3))), pos=(*draw.uniform(-0.6, 0.6, 2), 0.3 + 0.5 * k),
                           quat=quat / np.linalg.norm(quat), friction=0.5, restitution=0.2)
        worlds.append(world)
    step_many(worlds[0], 400, 1.0 / 240.0)
    assert 100 < compiled[0] < 300
    for _ in range(400):
        step(worlds[1], 1.0 / 240.0)
    assert_same(*worlds)


def test_what_is_changed_between_steps_acts(compiled):
    """A pose, a force, gravity, an option, a material, a snapshot: each in the middle of compiled steps."""
    def edits(world, box):
        yield lambda: world.set_pose(box, (0.0, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0))
        yield lambda: world.apply_force(box, (3.0, 0.0, 0.0))
        yield lambda: world.set_gravity((0.5, 0.0, -9.0))
        yield lambda: world.solver.set(cone="polygon", facets=4)
        yield lambda: world.set_friction(0.1, box)
        yield lambda: world.restore(world.snapshot())
        yield lambda: world.audit.options.__setattr__("energy", 0.5)
        yield lambda: setattr(world, "margin", 0.05)
        yield lambda: world.add_body(Sphere(0.1), pos=(0.5, 0.0, 0.2))

    worlds = [World(), World()]
    for world in worlds:
        world.add_body(Plane(), kind="static")
        box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.2, 0.0))
    for one, other in zip(edits(worlds[0], box), edits(worlds[1], box), strict=True):
        one()
        other()
        step_many(worlds[0], 20, 1.0 / 240.0)
        in_python(worlds[1], 20, 1.0 / 240.0)
        assert_same(*worlds)
    assert compiled[0] > 100


# ---- refused steps


def test_a_refused_step_leaves_no_trace():
    """A ball that will rebound in this step: the attempt writes tables, and puts them back."""
    world = World()
    world.add_body(Plane(), kind="static", restitution=0.5)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1005), vel=(0.0, 0.0, -0.01), restitution=0.5)
    step(world, 1.0 / 240.0)
    world.bodies["vel"][2] = 0.3, 0.0, -1.0
    before = state(world)
    made = world.compiled_step
    assert made.fits(1.0 / 240.0) and made.advance(1.0 / 240.0, 5) is None
    after = state(world)
    assert [name for name in before if before[name] != after[name]] == []


def test_an_interrupt_leaves_whole_steps(monkeypatch):
    """From the keyboard, after the tables have changed and before the world has its time."""
    def interrupted(*fields):
        monkeypatch.undo()
        raise KeyboardInterrupt

    a, b = (scenes.make_world(scenes.find("stack")) for _ in range(2))
    step(a, 1.0 / 240.0)
    made = a.compiled_step
    monkeypatch.setattr(compiled_step, "StepStart", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.advance(1.0 / 240.0, 7)
    in_python(b, 8, 1.0 / 240.0)
    assert_same(a, b)


def test_a_body_that_blows_up_is_named_as_ever():
    world = World()
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 3.0), name="ball")
    step_many(world, 5, 1.0 / 240.0)
    world.bodies["vel"][ball, 0] = math.nan
    before = world.bodies.tobytes()
    with pytest.raises(Diverged, match="'ball'"):
        step(world, 1.0 / 240.0)
    assert world.bodies.tobytes() == before


# ---- many worlds


def towers() -> list[World]:
    """Equal towers, but for their friction."""
    made = []
    for k in range(6):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.1 * k)
        for row in range(3):
            world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.02 * row, 0.0, 0.1 + 0.2 * row), vel=(0.5, 0.0, 0.0))
        made.append(world)
    return made


def test_worlds_do_not_depend_on_the_number_of_threads():
    alone, together = towers(), towers()
    for world in alone:
        in_python(world, 100, 1.0 / 240.0)
    reports = step_worlds(together, 100, 1.0 / 240.0, threads=3)
    assert [report.contacts for report in reports] == [world.report.contacts for world in alone]
    for one, other in zip(alone, together, strict=True):
        assert_same(one, other)
    assert len({world.bodies["pos"].tobytes() for world in together}) == len(together)


def test_a_world_that_fails_stops_no_other():
    made = towers()[:3]
    made[1].bodies["vel"][2, 0] = math.inf
    with pytest.raises(Diverged, match="body 2"):
        step_worlds(made, 10, 1.0 / 240.0)
    assert [world.steps for world in made] == [10, 0, 10]


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda w: step_many(w, 0, 0.01), "steps = 0 must be an integer from 1 to"),
    (lambda w: step_many(w, 2.5, 0.01), "steps = 2.5 must be an integer"),
    (lambda w: step_many(w, 3, 0.0), "step size dt"),
    (lambda w: step_many("w", 3, 0.01), "expects a World"),
    (lambda w: step_worlds([w, w], 3, 0.01), "occurs twice"),
    (lambda w: step_worlds([w], 10**9 + 1, 0.01), "steps = 1000000001 must be an integer"),
    (lambda w: step_worlds([w], 10**9 + 5, 0.01), "steps = 1000000005 must be an integer"),
    (lambda w: step_worlds([w], 3, 0.01, threads=-1), "threads = -1 must be an integer")])
def test_wrong_numbers_are_refused_and_nothing_moves(call, sentence):
    world = World()
    with pytest.raises(BadInput, match=sentence):
        call(world)
    assert world.steps == 0 and np.array_equal(world.bodies["pos"], np.zeros((1, 3)))
