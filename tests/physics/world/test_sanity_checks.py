"""Sanity checks of bodies and joints: refused, capped or warned of (reliability.md, section 4: items 16 - 21, 46, 47, 49, 50)."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Plane, Sphere, World, set_option, step
from physics.world.sanity_checks import SPEED_CAP
from tests.helpers import digest_of

DT = 1 / 240
TURNED = (math.cos(math.pi / 4), 0.0, math.sin(math.pi / 4), 0.0)


def said(world):
    """The world's sentences after a step, without those of the auditor, who tells of an overlap by himself."""
    world.audit.options.enabled = False
    set_option(world.solver.options, "iterations", 4)
    step(world, DT)
    return list(world.warnings)


@pytest.mark.parametrize("inertia, words", [
    ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
    ((1.0, 1.0, -1.0), "positive"),
    ((0.0, 1.0, 1.0), "positive"),
    ((1.0, 1.0, 2.1), "sum to"),
])
def test_an_impossible_inertia_is_refused_with_the_remedy(inertia, words):
    """16: as MuJoCo does; the sentence says that leaving it out computes it."""
    world = World()
    with pytest.raises(BadInput, match=f"{words}.*omit it"):
        world.add_body(Sphere(0.1), inertia=inertia)
    assert len(world.bodies) == 1 and not world.warnings


@pytest.mark.parametrize("factor, doubtful", [(1.0, False), (1e5, False), (1e-5, False), (2e6, True), (5e-7, True)])
def test_an_implausible_inertia_is_warned_of(factor, doubtful):
    """17: millimetres for metres."""
    world = World()
    world.add_body(Sphere(0.1), mass=2.0, inertia=factor * Sphere(0.1).inertia(2.0))
    assert bool(world.warnings) == doubtful
    if doubtful:
        assert "times that of its shape and mass" in next(iter(world.warnings))


def test_deep_overlaps_are_warned_of_and_separated_slowly():
    """18: one sentence with the pairs; nobody is thrown."""
    world = World(gravity=(0, 0, 0))
    for i, x in enumerate((0.0, 0.7, 1.55, 3.0)):
        world.add_body(Box((0.5, 0.5, 0.5)), pos=(x, 0, 0), name=f"box {i}")
    (sentence,) = said(world)
    assert "above 20 %" in sentence and "'box 0' and 'box 1'" in sentence and "box 2" not in sentence
    for _ in range(240):
        step(world, DT)
        assert np.abs(world.bodies["vel"]).max() < 0.5
    assert list(world.warnings) == [sentence]


def test_many_overlaps_are_one_warning():
    world = World(gravity=(0, 0, 0))
    for i in range(8):
        world.add_body(Sphere(0.5), pos=(0.3 * i, 0, 0))
    (sentence,) = said(world)
    assert "and 13 more pairs" in sentence or "more pairs" in sentence


@pytest.mark.parametrize("shape", [Sphere(0.3), Box((0.3, 0.3, 0.3))])
def test_coincident_bodies_are_warned_of_and_separate_deterministically(shape):
    """19: a warning of its own, and a normal that is no accident."""
    ends = []
    for _ in range(2):
        world = World(gravity=(0, 0, 0))
        world.add_body(shape, name="one")
        world.add_body(shape, name="other")
        (sentence,) = said(world)
        assert sentence.startswith("coincident bodies") and "'one' and 'other'" in sentence
        for _ in range(240):
            step(world, DT)
        ends.append(world.bodies["pos"].copy())
    assert np.array_equal(*ends)
    assert np.isfinite(ends[0]).all() and np.linalg.norm(ends[0][1] - ends[0][2]) > 0.1


@pytest.mark.parametrize("pos", [(1.1e5, 0, 0), (0, 0, -1e6), (math.nan, 0, 0), (0, math.inf, 0)])
def test_a_position_too_far_away_is_refused(pos):
    """20: there a float64 has no room for contacts; nothing is added or moved."""
    world = World()
    with pytest.raises(BadInput, match="pos"):
        world.add_body(Sphere(0.1), pos=pos)
    body = world.add_body(Sphere(0.1), pos=(9.9e4, 0, 0))
    with pytest.raises(BadInput, match="100000"):
        world.set_pose(body, pos, (1, 0, 0, 0))
    assert world.bodies["pos"][body, 0] == 9.9e4 and len(world.bodies) == 2


def test_an_excessive_speed_is_capped_with_a_warning():
    """21: speed to the cap at once; any spin is let be, for a free body turns exactly."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Sphere(0.1), vel=(0, 2e4, 0), omega=(0, 0, 5000.0), name="top")
    assert world.bodies["vel"][body] == pytest.approx((0, SPEED_CAP, 0))
    step(world, DT)
    assert world.bodies["omega"][body] == pytest.approx((0, 0, 5000.0))
    (speed,) = world.warnings
    assert "'top'" in speed and "20000 m/s" in speed
    world.set_velocity(body, (0, 0, -3e4), (900.0, 0, 0))
    assert world.bodies["vel"][body] == pytest.approx((0, 0, -SPEED_CAP))


def four_bar(last):
    """A parallelogram of three bars and the world."""
    world = World()
    left = world.add_body(Box((0.05, 0.02, 0.5)), pos=(0, 0, 0.5))
    right = world.add_body(Box((0.05, 0.02, 0.5)), pos=(2, 0, 0.5))
    top = world.add_body(Box((0.02, 0.02, 1.0)), pos=(1, 0, 1), quat=TURNED)
    for k, (a, b, x, z) in enumerate(((0, left, 0, 0), (left, top, 0, 1), (top, right, 2, 1), (right, 0, 2, 0))):
        world.add_joint("revolute" if k < 3 else last, a, b, anchor=(x, 0, z), axis=(0, 1, 0), name=f"pin {k}")
    return world


def test_redundant_constraints_run_with_a_warning():
    """46: a plane loop of four hinges has three constraints too many; with one ball joint it has one less of each kind."""
    (sentence,) = said(four_bar("revolute"))
    assert "'pin 0', 'pin 1', 'pin 2', 'pin 3'" in sentence and "3 redundant" in sentence
    assert "1 redundant" in said(four_bar("spherical"))[0]
    world = four_bar("revolute")
    world.remove_joint(3)
    assert not said(world)
    world = World()
    one = world.add_body(Box((0.5, 0.1, 0.1)))
    world.add_joint("spherical", 0, one, anchor=(-0.5, 0, 0))
    world.add_joint("spherical", 0, one, anchor=(0.5, 0, 0))
    assert "1 redundant" in said(world)[0]


def coupled(kind, last, along, height=0):
    """Two wheels, the first on a hinge; the second on a joint `last`, at a height."""
    world = World(gravity=(0, 0, 0))
    wheels = [world.add_body(Sphere(0.1), pos=(x, 0, 0), name=f"wheel {x}") for x in (0, 1)]
    ends = {} if kind == "torsion_spring" else {"anchor_b": (1, 0, 0), "axis_b": along}
    world.add_joint(kind, *wheels, anchor=(0, 0, 0), axis=(0, 1, 0), **ends)
    world.add_joint("revolute", 0, wheels[0], anchor=(0, 0, 0), axis=(0, 1, 0))
    world.add_joint(last, 0, wheels[1], anchor=(1, 0, height), axis=along)
    return world


@pytest.mark.parametrize(("kind", "loose", "held"), [("gear", "spherical", "revolute"), ("rack", "spherical", "prismatic"),
                                                     ("torsion_spring", "rod", "spherical")])
def test_a_coupling_without_a_bearing_is_warned_of(kind, loose, held):
    """Both bodies need one, and not any joint is one."""
    along = (1, 0, 0) if kind == "rack" else (0, 1, 0)
    sentences = said(coupled(kind, loose, along, height=int(loose == "rod")))
    assert [one for one in sentences if f"'wheel 1' is coupled by a {kind} and has no bearing" in one]
    assert not [one for one in said(coupled(kind, held, along)) if "bearing" in one]


def test_checking_for_loops_changes_nothing():
    """A world looked at again after a restore goes on bit for bit."""
    world = four_bar("revolute")
    set_option(world.solver.options, "budget", 0.0)
    for _ in range(5):
        step(world, DT)
    kept = world.snapshot()
    ends = []
    for _ in range(2):
        for _ in range(5):
            step(world, DT)
        ends.append(digest_of(world))
        world.restore(kept)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("mass, doubtful", [(900.0, False), (1100.0, True)])
def test_large_mass_ratios_are_warned_of(mass, doubtful):
    """47: across a joint, and in a stack, with advice."""
    world = World()
    one = world.add_body(Sphere(0.1), mass=1.0, name="light")
    two = world.add_body(Sphere(0.1), pos=(1, 0, 0), mass=mass, name="heavy")
    world.add_joint("spherical", one, two, anchor=(0.5, 0, 0))
    assert bool(said(world)) == doubtful
    stack = World()
    stack.add_body(Box((1, 1, 0.1)), kind="static", pos=(0, 0, -0.1))
    stack.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 0.1), mass=1.0, name="light")
    stack.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 0.3), mass=mass, name="heavy")
    assert bool(said(stack)) == doubtful
    for sentence in [*world.warnings, *stack.warnings]:
        assert "'light'" in sentence and "'heavy'" in sentence and "1.1e+03 times" in sentence and "substeps" in sentence


@pytest.mark.parametrize("dt", [0.0, -0.01, math.nan, math.inf, 1.01, "fast", None, True])
def test_a_bad_step_is_refused(dt):
    """49."""
    world = World()
    with pytest.raises(BadInput, match="step size dt"):
        step(world, dt)
    assert world.steps == 0


@pytest.mark.parametrize("name, value", [("iterations", 0), ("iterations", 1.5), ("iterations", 10**9), ("budget", -1.0),
                                         ("budget", 1e4), ("budget", math.nan)])
def test_bad_solver_settings_are_refused(name, value):
    """50: one iteration at least, a budget within its range."""
    world = World()
    before = getattr(world.solver.options, name)
    with pytest.raises(BadInput, match=name):
        set_option(world.solver.options, name, value)
    assert getattr(world.solver.options, name) == before


@pytest.mark.parametrize("name", ["joint_gallery", "planetary_gear"])
def test_expected_warnings_of_a_scene_are_silent_and_others_are_not(name):
    from app.engine.simulation import Simulation

    simulation = Simulation(name)
    simulation.step()
    assert not simulation.messages and len(simulation.world.warnings) == 1
    doubled = Simulation(name)
    bodies = sorted(set(doubled.world.joints["body_b"][:1].tolist()))
    doubled.world.add_joint("revolute", 0, bodies[0], anchor=doubled.world.bodies["pos"][bodies[0]], axis=(0.0, 1.0, 0.0),
                            name="once more")
    doubled.step()
    assert any("redundant" in message for message in doubled.messages)


def hanging(substeps, load, links=10):
    """A chain of 1 kg links held out level, with a load at its end."""
    world, last = World(), 0
    world.solver.options.substeps = substeps
    for k in range(links):
        link = world.add_body(Sphere(0.02), pos=(0.2 * k + 0.1, 0.0, 0.0), mass=1.0, inertia=(0.003, 0.003, 0.003))
        world.add_joint("spherical", last, link, anchor=(0.2 * k, 0.0, 0.0))
        last = link
    end = world.add_body(Sphere(0.1), pos=(0.2 * links + 0.1, 0.0, 0.0), mass=load)
    world.add_joint("spherical", last, end, anchor=(0.2 * links, 0.0, 0.0))
    return world


@pytest.mark.parametrize("load", [10.0, 100.0])
def test_too_few_substeps_for_loaded_joints_are_warned_of_once(load):
    """One substep of 1/60 s opens such a chain by 3 cm to 6 m; of their own choice there are enough, and nothing is said."""
    for substeps, warned in ((1, 1), (0, 0), (16, 0)):
        world, said, worst = hanging(substeps, load), [], 0.0
        for _ in range(60):
            worst = max(worst, step(world, 1.0 / 60.0).joint_error)
            said += [sentence for sentence in world.warnings.pop_new() if "substeps" in sentence and "oscillation" in sentence]
        assert len(said) == warned and (warned or worst < 1e-4)


def test_a_sufficient_single_substep_gives_no_warning():
    world = World()
    world.solver.options.substeps = 1
    bob = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0))
    world.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 0.0), axis=(0, 1, 0))
    world.add_body(Plane(), kind="static", pos=(0, 0, -3))
    for k in range(5):
        world.add_body(Box((0.2, 0.2, 0.2)), pos=(5.0, 0.0, -2.8 + 0.4 * k))
    for _ in range(60):
        step(world, 1.0 / 60.0)
    assert not world.warnings.pop_new()


def test_a_body_that_becomes_dynamic_says_its_mass():
    """It had 1 kg when it was dynamic before, which is not kept."""
    world = World()
    ball = world.add_body(Sphere(0.01), mass=1.0)
    world.set_kind(ball, "kinematic")
    world.set_kind(ball, "dynamic")
    assert ball.mass == pytest.approx(1000.0 * 4.0 / 3.0 * np.pi * 0.01**3)
    assert any("becomes dynamic with 0.004189 kg" in sentence for sentence in world.warnings.pop_new())
    world.set_kind(ball, "static")
    world.set_kind(ball, "dynamic", density=7800.0)
    assert not world.warnings.pop_new()


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "joint_space", "stewart_trinkle"])
@pytest.mark.parametrize("before", ["static", "kinematic"])
def test_a_body_that_becomes_dynamic_falls_from_where_it_is(before, solver):
    """The lag of what was moved before let gravity act for half a step too long."""
    world, rate = World(), 60
    world.use_solver(solver)
    body = world.add_body(Sphere(0.1), kind=before, pos=(0.0, 0.0, 10.0))
    if before == "kinematic":
        body.vel = (0.0, 0.0, 1.0)
    for _ in range(30):
        step(world, 1.0 / rate)
    start = body.pos[2]
    world.set_kind(body, "dynamic", density=1000.0)
    body.vel = (0.0, 0.0, 1.0) if before == "kinematic" else (0.0, 0.0, 0.0)
    for _ in range(30):
        step(world, 1.0 / rate)
    assert body.pos[2] - start == pytest.approx((0.5 if before == "kinematic" else 0.0) - 0.125 * 9.81, abs=1e-9)
