"""Compiled steps in joint space (compiled_joint_step.py, articulated/plain_step.py) are the long ones, bit for bit."""

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, compiled_joint_step, step, step_many
from physics.articulated.plain_step import MADE, REFUSED
from physics.compiled_joint_step import CompiledJointStep
from physics.solvers.joint_space import StepLayout
from physics.world.joints import set_joint_friction
from tests.tools.same_bits import assert_same, told

DT = 1.0 / 240.0


@pytest.fixture
def compiled(monkeypatch):
    """Counts the steps that were compiled, and the attempts that were refused: [made, refused]."""
    counts, advance = [0, 0], CompiledJointStep.advance

    def counted(self, dt, count):
        before = self._world.steps
        report = advance(self, dt, count)
        counts[0] += self._world.steps - before
        counts[1] += report is None
        return report

    monkeypatch.setattr(CompiledJointStep, "advance", counted)
    monkeypatch.setattr(compiled_joint_step, "is_ready", lambda: True)
    return counts


def long_way(world: World, steps: int, dt: float = DT) -> list:
    """Make the steps kernel by kernel; their reports."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledJointStep, "fits", lambda self, dt: False)
        patch.setattr(StepLayout, "make_plain_step", lambda self, world, dt: REFUSED)
        return [step(world, dt) for _ in range(steps)]


def chain(kind: str, links: int, spin: float = 0.0, floor: float = -9.0) -> World:
    """Links along x on joints about y and z in turn, over a floor at that height [m]; spin: of each against the last [rad/s]."""
    world, last = World(), 0
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, floor))
    for i in range(links):
        body = world.add_body(Box((0.2, 0.03, 0.04)), pos=((i + 0.5) * 0.4, 0.0, 0.0), mass=1.0 if i < 5 else 0.2,
                              omega=(0.0, spin * (i + 1), 0.0))
        axis = (0.0, 1.0, 0.0) if i % 2 == 0 or spin else (0.0, 0.0, 1.0)
        world.add_joint(kind, last, body, anchor=(i * 0.4, 0.0, 0.0), axis=axis)
        last = body
    world.use_solver("joint_space")
    return world


def loaded() -> World:
    """Six rods of 0.1 kg that carry 100 kg."""
    world, last = World(), 0
    for i in range(6):
        rod = world.add_body(Box((0.02, 0.02, 0.1)), pos=(0.0, 0.0, -0.1 - 0.2 * i), mass=0.1 if i < 5 else 100.0)
        world.add_joint("revolute", last, rod, anchor=(0.0, 0.0, -0.2 * i), axis=(0.0, 1.0, 0.0))
        last = rod
    world.bodies["vel"][last] = 1.0, 0.0, 0.0
    world.use_solver("joint_space")
    return world


def top() -> World:
    world = World()
    top = world.add_body(Box((0.1, 0.1, 0.02)), pos=(0.0, 0.0, 0.3), omega=(0.5, 0.0, 30.0))
    world.add_joint("spherical", 0, top, anchor=(0.0, 0.0, 0.0))
    world.use_solver("joint_space")
    return world


@pytest.mark.parametrize(("make", "steps", "least"), [
    (lambda: chain("revolute", 10), 529, 400),
    (lambda: chain("revolute", 6, 9.0), 400, 250),
    (lambda: chain("spherical", 3), 300, 250),
    (lambda: chain("universal", 4), 300, 250),
    (lambda: chain("cylindrical", 2), 200, 100),
    (lambda: chain("revolute", 4, floor=-0.9), 400, 50),
    (top, 300, 250)], ids=["chain", "whip", "balls", "universal", "slides", "floor", "top"])
def test_mechanisms_move_bit_for_bit_as_the_long_way(make, steps, least, compiled):
    """With steps in parts, folded chains that touch themselves or the floor, tops."""
    a, b = make(), make()
    reports = [step(a, DT) for _ in range(steps)]
    assert [told(one) for one in reports] == [told(one) for one in long_way(b, steps)]
    assert_same(a, b)
    assert compiled[0] > least


def test_steps_in_parts_are_among_them(compiled):
    """Light links that carry a load divide every step."""
    a, b = loaded(), loaded()
    reports = [step(a, DT) for _ in range(100)]
    assert [told(one) for one in reports] == [told(one) for one in long_way(b, 100)]
    assert_same(a, b)
    assert compiled[0] > 90 and min(one.substeps for one in reports[5:]) > 1


@pytest.mark.parametrize("dt", [DT, 1.0 / 60.0])
def test_parts_of_steps_are_compiled_where_whole_ones_are_not(dt, monkeypatch):
    """Steps of 1/60 s have four parts of their own (option `longest_part`)."""
    monkeypatch.setattr(CompiledJointStep, "fits", lambda self, dt: False)
    made, make = [], StepLayout.make_plain_step
    monkeypatch.setattr(StepLayout, "make_plain_step", lambda self, world, dt: made.append(make(self, world, dt)) or made[-1])
    a, b = chain("revolute", 5), chain("revolute", 5)
    for _ in range(100):
        step(a, dt)
    assert made.count(MADE) > 90
    long_way(b, 100, dt)
    assert_same(a, b)


def test_many_steps_at_once_are_as_many_single_ones(compiled):
    a, b = chain("revolute", 10), chain("revolute", 10)
    assert told(step_many(a, 300, DT)) == told(long_way(b, 300)[-1])
    assert_same(a, b)
    assert compiled[0] > 250


def test_what_is_changed_between_steps_acts(compiled):
    """A velocity, a force, gravity, a snapshot, the margin, friction of joints, a body, a ledger: each in the middle of steps."""
    def edits(world):
        yield lambda: None
        yield lambda: world.bodies["omega"].__setitem__(2, (0.0, 3.0, 0.0))
        yield lambda: world.apply_force(2, (3.0, 0.0, 20.0))
        yield lambda: world.set_gravity((0.5, 0.0, -9.0))
        yield lambda: world.restore(world.snapshot())
        yield lambda: setattr(world, "margin", 0.05)
        yield lambda: set_joint_friction(world, 0.1)
        yield lambda: set_joint_friction(world, 0.0)
        yield lambda: world.add_body(Sphere(0.1), pos=(9.0, 0.0, 9.0))
        yield lambda: setattr(world, "records_energy", True)

    worlds = chain("revolute", 5), chain("revolute", 5)
    for one, other in zip(edits(worlds[0]), edits(worlds[1]), strict=True):
        one()
        other()
        for _ in range(20):
            step(worlds[0], DT)
        long_way(worlds[1], 20)
        assert_same(*worlds)
    assert compiled[0] > 80


def test_a_refused_step_leaves_no_trace(compiled):
    """The chain is about to touch the floor: the attempt writes tables, and puts them back."""
    twin, world = (chain("revolute", 4, floor=-0.9) for _ in range(2))
    while not len(twin.awake_contacts):
        long_way(twin, 1)
    long_way(world, twin.steps - 2)
    made = CompiledJointStep(world)
    made.advance(DT, 1)
    long_way(as_long := chain("revolute", 4, floor=-0.9), twin.steps - 1)
    assert_same(world, as_long)
    assert made.advance(DT, 5) is None and compiled == [1, 1]
    assert_same(world, as_long)


@pytest.mark.parametrize(("kind", "friction"), [("revolute", 0.0), ("revolute", 0.3), ("spherical", 0.0), ("universal", 0.0)])
def test_constraint_impulses_carry_the_reaction(kind, friction):
    """The first three rows of each of these joints hold a point, along the axes of the world or of a body: their impulses are as
    large as the force of the joint, but for what its axis turns in a step."""
    world = chain(kind, 4)
    if friction:
        set_joint_friction(world, friction)
    long_way(world, 30)
    for joint in world.joints:
        force = np.linalg.norm(joint["reaction"][:3])
        assert force > 0.01 and np.linalg.norm(joint["impulse"][:3]) == pytest.approx(force, rel=1e-5)
