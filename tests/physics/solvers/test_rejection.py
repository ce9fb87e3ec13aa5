"""Steps that gain energy or diverge are repeated in shorter pieces."""

import numpy as np
import pytest

from physics import Box, Cone, Diverged, Ellipsoid, Plane, Sphere, World, solvers, step
from physics.observe.report import BUDGET_SPENT
from physics.stepping import rejection

SEQUENTIAL = solvers.available()["sequential_impulses"]


class Faulty(SEQUENTIAL):
    """Gives every body a push from nowhere in motions longer than `good` [s]."""

    good = 0.0
    factor = 1.5
    made = 0
    cut = False

    def step(self, world, contacts, dt):
        report = super().step(world, contacts, dt)
        self.made += 1
        if dt > self.good:
            world.bodies["vel"] *= self.factor
            report.end = BUDGET_SPENT if self.cut else report.end
        return report


def thrown(good, factor=1.5):
    """A ball in free flight under the faulty solver."""
    world = World()
    ball = world.add_body(Sphere(0.1), vel=(3.0, 0.0, 0.0), name="ball")
    world.solver = Faulty()
    world.solver.good, world.solver.factor = good, factor
    return world, ball


def test_a_step_that_gains_energy_is_repeated_in_pieces():
    world, ball = thrown(good=0.0015)
    for _ in range(3):
        report = step(world, 1 / 60)
        assert report.audit.ok, report.audit.findings
    np.testing.assert_allclose(world.bodies["vel"][ball, 0], 3.0, rtol=1e-12)
    np.testing.assert_allclose(world.bodies["pos"][ball, 0], 3.0 * world.time, rtol=1e-12)
    np.testing.assert_allclose(world.time, 3 / 60)
    assert world.solver.made == 3 * 16 + 1 + 4 + 4 + 4
    assert world.step_control.pieces == 4       # one size before the good one


@pytest.mark.parametrize(("factor", "cut"), [(1.5, True), (1e6, False)])
def test_a_step_that_the_clock_spoiled_is_made_again_and_counts_as_cut(factor, cut):
    """The clock ended the try that gained energy, or may have ended the one that diverged: no replay finds that way again."""
    world, ball = thrown(good=0.0015, factor=factor)
    world.solver.cut, world.solver.allowance = cut, 1.0
    for _ in range(2):
        report = step(world, 1 / 60)
        assert report.end == BUDGET_SPENT and report.audit.ok, report.audit.findings
    np.testing.assert_allclose(world.bodies["vel"][ball, 0], 3.0, rtol=1e-12)
    world.solver.good = 1.0
    assert [step(world, 1 / 60).end for _ in range(2)] == ["converged", "converged"]
    assert world.energy_totals.budget_ended_steps == 2


def test_pieces_are_dropped_when_no_longer_needed():
    world, _ = thrown(good=0.0015)
    step(world, 1 / 60)
    world.solver.good = 1.0
    for _ in range(3):
        step(world, 1 / 60)
    assert world.step_control == rejection.DEFAULT_CONTROL
    made = world.solver.made
    step(world, 1 / 60)
    assert world.solver.made == made + 1


def test_a_diverged_step_is_repeated_in_pieces():
    world, ball = thrown(good=0.005, factor=1e6)
    step(world, 1 / 60)
    np.testing.assert_allclose(world.bodies["vel"][ball, 0], 3.0, rtol=1e-12)
    world.solver.good = 0.0
    before = world.bodies.copy()
    with pytest.raises(Diverged, match=r"'ball' diverged.*step size below 0\.0166667 s"):
        step(world, 1 / 60)
    assert np.array_equal(world.bodies, before)


def test_a_persistent_gain_keeps_the_best_attempt_at_bounded_cost():
    world, _ = thrown(good=0.0, factor=1.05)
    report = step(world, 1 / 60)
    assert not report.audit.ok
    tried = world.solver.made
    assert tried == 1 + 4 + 16 + 64 + 1
    world.solver.made = 0
    for _ in range(200):
        world.bodies["vel"][1] = (3.0, 0.0, 0.0)
        report = step(world, 1 / 60)
        assert not report.audit.ok
    assert world.solver.made < 200 + 8 * tried


def test_rejection_is_an_option_of_the_auditor():
    for name, value in (("reject_above", 1.0), ("enabled", False)):
        world, ball = thrown(good=0.0015)
        setattr(world.audit.options, name, value)
        step(world, 1 / 60)
        assert world.solver.made == 1
        assert world.bodies["vel"][ball, 0] > 4.0


def test_a_restored_world_continues_bit_for_bit():
    world, _ = thrown(good=0.0015)
    step(world, 1 / 60)
    moment = world.snapshot()
    after = []
    for _ in range(2):
        world.restore(moment)
        for _ in range(4):
            step(world, 1 / 60)
        after.append((world.bodies.tobytes(), world.step_control, world.solver.made - moment.solver.made))
    assert after[0] == after[1]


def test_far_bodies_on_a_plane_keep_their_energy():
    """They swing round one another metres apart: at 1/60 a step gained seven percent."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5, restitution=0.9)
    a = world.add_body(Ellipsoid((0.209, 0.2154, 0.2142)), friction=1.0, pos=(0.0, -4.8, 2.842),
                       quat=(-0.3138860323478025, 0.09696469018463791, -0.05229955891466365, -0.9430472754277397),
                       vel=(2.748, 0.0023, 0.8149), omega=(1.436, 1.2062, -4.0955))
    b = world.add_body(Sphere(0.2091), friction=0.5, restitution=0.9, pos=(0.0, 0.0, 26.0), vel=(1.9252, -1.9216, -0.1558),
                       omega=(3.0935, 4.3047, -2.4529))
    world.add_joint("planar", b, a, anchor=(0.0, -2.4, 14.421), axis=(0.2329, 0.3576, -0.5843))
    least = np.inf
    for _ in range(300):
        total = sum(step(world, 1 / 60).energy.values())
        assert total < least * 1.01
        least = min(least, total)


@pytest.mark.parametrize("shape", [Cone(0.1, 0.4), Box((0.1, 0.2, 0.8)), Ellipsoid((0.1, 0.2, 0.5))], ids=lambda s: s.kind)
@pytest.mark.parametrize("spin", [(-48.0, -129.0, -5.0), (60.0, 20.0, 0.0)])
def test_fast_rotation_within_a_step_does_not_sink(shape, spin):
    """It spins fast in its fall: the point next to the floor goes up while another comes down."""
    for height in np.linspace(0.9, 1.3, 6):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5, restitution=0.5)
        world.add_body(shape, pos=(0.0, 0.0, height), vel=(2.0, -1.0, -12.8), omega=spin, restitution=0.5)
        deepest = max(step(world, 1 / 60).penetration for _ in range(20))
        assert deepest < 0.03, height
