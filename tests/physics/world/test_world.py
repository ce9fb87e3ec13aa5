"""Tables of a world: accepted and refused input, snapshots."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Capsule, Diverged, Plane, Sphere, World, set_option, step
from physics.core.records import Kind
from tests.helpers import digest_of


def pile() -> World:
    """A few of everything, moving, with fixed sweeps."""
    world = World()
    world.add_body(Plane(), kind="static", restitution=0.3)
    for i in range(4):
        world.add_body(Box((0.3, 0.2, 0.1)), pos=(0.1 * i, 0.0, 0.5 + 0.5 * i), omega=(1.0, 2.0, 3.0))
        world.add_body(Sphere(0.2), pos=(0.1, 0.3 * i, 3.0 + i))
        world.add_body(Capsule(0.1, 0.2), pos=(-0.2 * i, 0.2, 4.0 + i), vel=(1.0, 0.0, 0.0))
    link = world.add_body(Box((0.1, 0.1, 0.4)), pos=(2.0, 0.0, 2.0), omega=(0.0, 3.0, 1.0))
    world.add_joint("spherical", 0, link, anchor=(2.0, 0.0, 2.4), max_friction=0.3)
    set_option(world.solver.options, "budget", 0.0)
    set_option(world.solver.options, "iterations", 20)
    return world


def test_repeats_are_bit_identical():
    """The same scene with fixed sweeps gives the same bits."""
    one, two = pile(), pile()
    for _ in range(300):
        step(one, 1 / 240)
        step(two, 1 / 240)
    assert digest_of(one) == digest_of(two)


def test_restore_continues_bit_for_bit():
    """Snapshot, run, restore, run again: the same bits, warm-start impulses included."""
    world = pile()
    for _ in range(150):
        step(world, 1 / 240)
    kept, before = world.snapshot(), digest_of(world)
    for _ in range(150):
        step(world, 1 / 240)
    after = digest_of(world)
    world.restore(kept)
    assert digest_of(world) == before
    for _ in range(150):
        step(world, 1 / 240)
    assert digest_of(world) == after


def test_restore_into_another_world_and_over_removed_bodies():
    """A snapshot is whole: another world, with other bodies, continues from it."""
    world = pile()
    for _ in range(60):
        step(world, 1 / 240)
    kept = world.snapshot()
    world.remove_body(3)
    other = World()
    other.restore(kept)
    world.restore(kept)
    for _ in range(60):
        step(world, 1 / 240)
        step(other, 1 / 240)
    assert digest_of(world) == digest_of(other)


def test_recorded_sweeps_replay_a_budgeted_run():
    """A run under a wall-clock budget is replayed bit for bit from the numbers of sweeps that each part of its steps used."""
    world, twin, used = pile(), pile(), []
    move, move_again = world.solver.step, twin.solver.step

    def record(*given):
        report = move(*given)
        assert report.substeps == 1, "a sum over substeps could not be replayed"
        used.append(report.iterations)
        return report

    def replay(*given):
        set_option(twin.solver.options, "iterations", used.pop(0))
        return move_again(*given)

    world.solver.step, twin.solver.step = record, replay
    for one in (world, twin):
        set_option(one.solver.options, "substeps", 1)
        one.audit.options.reject_above = 1.0        # only the last try would be recorded
    set_option(world.solver.options, "iterations", 10_000)
    set_option(world.solver.options, "budget", 0.02)
    parts = 0
    for _ in range(150):
        step(world, 1 / 240)
        parts += len(used)
        step(twin, 1 / 240)
        assert not used
    assert parts > 150, "impacts cut steps"
    for field in ("pos", "quat", "vel", "omega"):
        assert np.array_equal(world.bodies[field], twin.bodies[field])


def test_slots_of_removed_bodies_are_used_again():
    """Removing leaves the other indices alone; the next addition takes the lowest free slot."""
    world = pile()
    step(world, 1 / 240)
    count = len(world.bodies)
    world.remove_body(2)
    assert world.bodies["kind"][2] == Kind.FREE
    assert world.add_body(Sphere(0.1), name="new") == 2
    assert len(world.bodies) == count
    assert world.body("new") == 2
    step(world, 1 / 240)


def test_mass_properties_of_shapes():
    """Volume and inertia against numerical integration over random points."""
    rng = np.random.default_rng(1)
    for shape, half in ((Sphere(0.7), 0.7), (Box((0.3, 0.5, 0.8)), 0.8), (Capsule(0.3, 0.6), 0.9)):
        points = rng.uniform(-half, half, (400_000, 3))
        if shape.kind == "sphere":
            solid = points[np.linalg.norm(points, axis=1) < 0.7]
        elif shape.kind == "box":
            solid = points[(np.abs(points) < shape.half).all(axis=1)]
        else:
            z = np.clip(points[:, 2], -0.6, 0.6)
            solid = points[np.hypot(np.hypot(points[:, 0], points[:, 1]), points[:, 2] - z) < 0.3]
        assert len(solid) / 400_000 * (2 * half) ** 3 == pytest.approx(shape.volume(), rel=0.02)
        squares = (solid**2).mean(axis=0)
        assert squares.sum() - squares == pytest.approx(shape.inertia(1.0), rel=0.02)


def test_a_free_asymmetric_body_keeps_energy_and_angular_momentum():
    """Gyroscopic torque: 60 s of tumbling about the middle axis keep energy and angular momentum within 1 %."""
    from physics.dynamics import measure

    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(mass=1.0, inertia=(1.0, 2.0, 2.9), omega=(0.01, 6.0, 0.02))
    energy = measure.energy(world.bodies, world.gravity)[0]
    momentum = np.array(measure.momentum(world.bodies)[1])
    lowest = 1.0
    for _ in range(60 * 240):
        step(world, 1 / 240)
        _, x, _, z = world.bodies["quat"][1]
        lowest = min(lowest, 1.0 - 2.0 * (x * x + z * z))
        assert measure.energy(world.bodies, world.gravity)[0] == pytest.approx(energy, rel=1e-2)
    assert np.array(measure.momentum(world.bodies)[1]) == pytest.approx(momentum, rel=1e-2, abs=0.01 * 12.0)
    assert lowest < -0.9, "the middle axis must turn over"


def test_without_gyroscopic_torque_a_body_keeps_its_spin():
    """The switch turns the wobble off."""
    world = World(gravity=(0.0, 0.0, 0.0))
    set_option(world.solver.options, "gyroscopic", False)
    body = world.add_body(mass=1.0, inertia=(1.0, 2.0, 2.9), omega=(0.01, 6.0, 0.02))
    for _ in range(480):
        step(world, 1 / 240)
    assert world.bodies["omega"][body] == pytest.approx((0.01, 6.0, 0.02), abs=1e-12)


@pytest.mark.parametrize("shapes, tolerance", [
    ((Sphere(0.3), Sphere(0.25), Sphere(0.2)), 1e-12),
    ((Box((0.3, 0.2, 0.1)), Capsule(0.2, 0.3), Sphere(0.2)), 0.02),
])
def test_momentum_is_kept_in_a_collision(shapes, tolerance):
    """Impulses come in opposite pairs: linear momentum to round-off, angular too where I omega is measured exactly (balls)."""
    from physics.dynamics import measure

    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(shapes[0], pos=(0.0, 0.0, 0.0), vel=(1.0, 0.2, 0.0), restitution=0.5)
    world.add_body(shapes[1], pos=(1.5, 0.1, 0.1), vel=(-2.0, 0.0, 0.1), restitution=0.5)
    world.add_body(shapes[2], pos=(0.7, 1.0, 0.0), vel=(0.0, -3.0, 0.0))
    linear, angular = map(np.array, measure.momentum(world.bodies))
    touched = 0
    for _ in range(480):
        step(world, 1 / 240)
        touched += int((world.contacts["impulse"] > 0.0).any())
    assert touched >= 2
    assert np.array(measure.momentum(world.bodies)[0]) == pytest.approx(linear, abs=1e-12 * np.linalg.norm(linear))
    assert np.array(measure.momentum(world.bodies)[1]) == pytest.approx(angular, abs=tolerance * np.linalg.norm(angular))


@pytest.mark.parametrize("call, says", [
    (lambda w: w.add_body(Box((0.1, 0.1, 0.1)), mass=0.0), "mass"),
    (lambda w: w.add_body(Box((0.1, 0.1, 0.1)), mass=-1.0), "mass"),
    (lambda w: w.add_body(Box((0.1, 0.1, 0.1)), mass=math.nan), "mass"),
    (lambda w: w.add_body(Box((0.1, 0.1, 0.1)), density=0.0), "density"),
    (lambda w: w.add_body(Box((0.1, -0.1, 0.1))), "dimension"),
    (lambda w: w.add_body(Sphere(math.nan)), "dimension"),
    (lambda w: w.add_body(Sphere(0.1), pos=(0.0, math.inf, 0.0)), "pos"),
    (lambda w: w.add_body(Sphere(0.1), pos=(0.0, 0.0)), "three"),
    (lambda w: w.add_body(Sphere(0.1), quat=(0.0, 0.0, 0.0, 0.0)), "quat"),
    (lambda w: w.add_body(Sphere(0.1), friction=-0.1), "friction"),
    (lambda w: w.add_body(Sphere(0.1), restitution=1.1), "restitution"),
    (lambda w: w.add_body(Sphere(0.1), inertia=(1.0, 1.0, -1.0)), "positive definite"),
    (lambda w: w.add_body(Sphere(0.1), inertia=(1.0, 1.0, 3.0)), "sum to"),
    (lambda w: w.add_body(Sphere(0.1), inertia=[[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), "symmetric"),
    (lambda w: w.add_body(Sphere(0.1), kind="ghost"), "ghost"),
    (lambda w: w.add_body(Plane()), "static"),
    (lambda w: w.add_body(), "mass and inertia"),
    (lambda w: w.add_body(Sphere(0.1), name="world"), "taken"),
    (lambda w: w.add_joint("hinge", 0, 1, anchor=(0, 0, 0)), "hinge"),
    (lambda w: w.add_joint("revolute", 1, 1, anchor=(0, 0, 0)), "itself"),
    (lambda w: w.add_joint("revolute", 0, 99, anchor=(0, 0, 0)), "99"),
    (lambda w: w.add_joint("revolute", 0, 2, anchor=(0, 0, 0)), "neither"),
    (lambda w: w.add_joint("revolute", 0, 1, anchor=(0, 0, 0), axis=(0, 0, 0)), "axis"),
    (lambda w: w.add_joint("revolute", 0, 1, anchor=(0, 0, 0), max_friction=-1.0), "max_friction"),
    (lambda w: w.add_joint("drag", 0, 1, anchor=(0, 0, 0), springiness=2.0), "springiness"),
    (lambda w: w.remove_body(0), "world"),
    (lambda w: w.remove_body(3), "'hinge'"),
    (lambda w: w.remove_body(77), "77"),
    (lambda w: w.remove_joint(5), "5"),
    (lambda w: w.set_friction(math.nan), "friction"),
    (lambda w: w.set_gravity((0.0, 0.0, math.inf)), "gravity"),
    (lambda w: w.set_mass(2, 1.0), "not dynamic"),
    (lambda w: w.use_solver("magic"), "magic"),
    (lambda w: step(w, 0.0), "dt"),
    (lambda w: step(w, -0.01), "dt"),
    (lambda w: step(w, math.nan), "dt"),
    (lambda w: step(w, 1.01), "dt"),
    (lambda w: set_option(w.solver.options, "facets", 2), "facets"),
    (lambda w: set_option(w.solver.options, "facets", 3.5), "integer"),
    (lambda w: set_option(w.solver.options, "cone", "square"), "square"),
    (lambda w: set_option(w.solver.options, "warm_start", 1), "true or false"),
    (lambda w: set_option(w.solver.options, "budget", math.nan), "budget"),
    (lambda w: set_option(w.solver.options, "bugdet", 1.0), "bugdet"),
])
def test_bad_input_is_refused_in_one_sentence_and_nothing_is_lost(call, says):
    """BadInput names what is wrong; the world is bit for bit as before."""
    world = World()
    world.add_body(Sphere(0.2), pos=(0.0, 0.0, 1.0), name="ball")
    world.add_body(Plane(), kind="static", name="ground")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(2.0, 0.0, 1.0), name="box")
    world.add_joint("revolute", 0, 3, anchor=(2.0, 0.0, 1.0), name="hinge")
    step(world, 1 / 240)
    before, revision = digest_of(world), world.revision
    with pytest.raises(BadInput) as caught:
        call(world)
    sentence = str(caught.value)
    assert says in sentence and "\n" not in sentence and len(sentence) < 250
    assert digest_of(world) == before and world.revision == revision


@pytest.mark.parametrize("field", ["pos", "vel", "omega", "quat", "force", "torque"])
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
def test_a_scene_that_blows_up_names_the_body_and_keeps_the_others(field, value):
    """A non-finite number in one body is caught in the same step; every other body is as it was."""
    world = pile()
    for _ in range(30):
        step(world, 1 / 240)
    victim = world.body("body 6")
    others = np.arange(len(world.bodies)) != victim
    world.bodies[victim][field][0] = value
    before = world.bodies[others].copy()
    time, steps = world.time, world.steps
    with pytest.raises(Diverged) as caught:
        step(world, 1 / 240)
    assert "body 6" in str(caught.value) and caught.value.body == victim
    for name in ("pos", "quat", "vel", "omega"):
        assert np.array_equal(world.bodies[others][name], before[name])
    assert (world.time, world.steps) == (time, steps)


def test_control_inputs_belong_to_the_state():
    """A driver reads them; a snapshot brings them back; a step that raises leaves them as they were."""
    world = World()
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0), mass=1.0)
    world.set_gravity((0.0, 0.0, 0.0))
    world.set_input("push", 2.0)
    world.drivers.append(lambda world: world.apply_force(ball, (world.inputs["push"], 0.0, 0.0)))
    before = world.snapshot()
    step(world, 0.01)
    fast = world.bodies["vel"][ball, 0]
    world.set_input("push", -1.0)
    step(world, 0.01)
    assert world.bodies["vel"][ball, 0] < fast and before.inputs == {"push": 2.0}
    world.restore(before)
    step(world, 0.01)
    assert world.bodies["vel"][ball, 0] == fast and world.inputs == {"push": 2.0}

    def raises(world):
        world.set_input("push", 9.0)
        raise RuntimeError("out of order")
    world.drivers.append(raises)
    with pytest.raises(RuntimeError):
        step(world, 0.01)
    assert world.inputs == {"push": 2.0}


@pytest.mark.parametrize(("name", "value"), [("", 1.0), (3, 1.0), ("push", math.nan), ("push", "fast"), ("push", math.inf)])
def test_bad_control_inputs_are_refused(name, value):
    world = World()
    with pytest.raises(BadInput):
        world.set_input(name, value)
    assert world.inputs == {}
