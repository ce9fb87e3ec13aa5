"""Sleeping and waking: conditions, reasons, and no effect on the motion."""

import numpy as np
import pytest

from physics import BadInput, Box, Diverged, Plane, Sphere, World, fields, set_option, step
from physics.core.records import SleepReason, WakeReason
from physics.world.events import Event
from tests.helpers import digest_of
from tests.tools.each_value import each_value

DT = 1 / 240
FLOOR, LOW, HIGH, OTHER = 1, 2, 3, 4
"""Bodies of `asleep()`: a stack of two boxes, another box 5 m away."""


def world_of(on=True):
    world = World()
    world.sleeping.enabled = on
    set_option(world.solver.options, "budget", 0.0)
    set_option(world.solver.options, "iterations", 50)
    return world


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        step(world, DT)


def asleep(on=True):
    """A stack of two and a single box on a floor, at rest; all asleep if sleeping is on."""
    world = world_of(on)
    assert world.add_body(Box((10, 10, 0.5)), kind="static", pos=(0, 0, -0.5)) == FLOOR
    for x, z in ((0, 0.25), (0, 0.75), (5, 0.25)):
        world.add_body(Box((0.25, 0.25, 0.25)), pos=(x, 0, z), mass=2.0)
    run(world, 1.0)
    assert (world.bodies["asleep"][LOW:] != 0).all() == on
    return world


def test_sleeping_is_off_by_default():
    """A laboratory shows stillness that is computed; every option describes itself for the window."""
    assert not World().sleeping.enabled
    assert all(f.metadata["help"] for f in fields(World().sleeping)) and len(fields(World().sleeping)) == 6
    world = asleep(on=False)
    assert world.report.asleep == 0 and (world.bodies["sleep_reason"] == SleepReason.NOT_TRACKED).all()


def test_sleeping_bodies_cost_nothing_and_keep_their_contacts():
    """Asleep after the delay, not before; then no pair, no contact, no row, no bit of change; contacts are still shown."""
    world = asleep()
    assert world.report.asleep == 3
    assert world.bodies["asleep"].tolist() == [0, 0, LOW, LOW, OTHER]
    assert (world.bodies["sleep_reason"][LOW:] == SleepReason.ASLEEP).all()
    before = world.bodies.tobytes()
    report = step(world, DT)
    assert (report.contacts, report.rows) == (0, 0) and len(world.awake_contacts) == 0
    assert world.bodies.tobytes() == before
    assert len(world.contacts) == 12
    assert world.contacts["impulse"].sum() / DT == pytest.approx(2.0 * 9.81 * 4, rel=1e-3)
    early = asleep(on=False)
    early.sleeping.enabled = True
    run(early, 0.49)
    assert early.report.asleep == 0 and (early.bodies["sleep_reason"][LOW:] == SleepReason.RESTING).all()
    run(early, 0.02)
    assert early.report.asleep == 3


def test_each_island_waits_for_its_own_delay():
    """A box that was pushed later falls asleep later than one that rested all the time."""
    world = asleep(on=False)
    world.sleeping.enabled = True
    run(world, 0.3)
    world.set_velocity(OTHER, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    run(world, 0.3)
    assert world.bodies["asleep"].tolist()[LOW:] == [LOW, LOW, 0]
    run(world, 0.6)
    assert world.bodies["asleep"][OTHER] == OTHER


def test_moving_ground_wakes_bodies_sleeping_on_it():
    world = asleep()
    world.wake(OTHER)
    step(world, DT)
    assert world.bodies["asleep"].tolist()[LOW:] == [LOW, LOW, 0]
    assert set().union(*world.sleep.on_ground.values()) == {LOW}
    world.set_pose(FLOOR, (0.0, 0.0, -0.501), (1.0, 0.0, 0.0, 0.0))
    step(world, DT)
    b = world.bodies
    assert not b["asleep"].any() and b["wake_reason"][LOW] == WakeReason.MOVED_BODY
    assert b["wake_reason"][OTHER] == WakeReason.REQUESTED, "it was awake"


def strike(world):
    return world.add_body(Sphere(0.2), pos=(-0.8, 0, 0.75), vel=(4, 0, 0))


def joined(world):
    return world.add_joint("revolute", LOW, 0, anchor=(0, 0, 0.25))


CAUSES = {
    WakeReason.FORCE: lambda w: w.apply_force(HIGH, (1.0, 0, 0)),
    WakeReason.VELOCITY: lambda w: w.set_velocity(HIGH, (0, 0, 0), (0, 0, 0.1)),
    WakeReason.POSE: lambda w: w.bodies["pos"].__setitem__(HIGH, (0.0, 0.0, 0.76)),
    WakeReason.MASS: lambda w: w.set_mass(HIGH, 3.0),
    WakeReason.MATERIAL: lambda w: w.set_friction(0.1, HIGH),
    WakeReason.REQUESTED: lambda w: w.wake(HIGH),
    WakeReason.TOUCHED: lambda w: w.add_body(Sphere(0.1), pos=(0, 0, 1.105)),
    WakeReason.JOINT: lambda w: w.add_joint("spherical", HIGH, 0, anchor=(0, 0, 0.75)),
}


@pytest.mark.parametrize("reason", CAUSES, ids=WakeReason.name_of)
def test_waking_a_body_wakes_only_its_island(reason):
    """The one concerned knows the reason, the others of its island name it; the other island sleeps on."""
    world = asleep()
    cause = CAUSES[reason](world)
    step(world, DT)
    b = world.bodies
    assert b["asleep"].tolist()[: OTHER + 1] == [0, 0, 0, 0, OTHER]
    assert (b["wake_reason"][HIGH], b["wake_reason"][LOW], b["wake_cause"][LOW]) == (reason, WakeReason.ISLAND, HIGH)
    assert b["wake_cause"][HIGH] == (HIGH if cause is None else cause)
    assert len(world.awake_contacts) >= 8 and len(world.contacts) == len(world.awake_contacts) + 4
    assert world.report.asleep == 1


@pytest.mark.parametrize("change, reason", [
    (lambda w: w.set_gravity((0, 0, -5.0)), WakeReason.GRAVITY),
    (lambda w: w.set_friction(0.3), WakeReason.MATERIAL),
    (lambda w: w.set_friction(0.3, FLOOR), WakeReason.MATERIAL),
    (lambda w: w.set_restitution(0.3, FLOOR), WakeReason.MATERIAL),
    (lambda w: w.set_filter(mask=1), WakeReason.MATERIAL),
    (lambda w: set_option(w.solver.options, "facets", 5), WakeReason.SOLVER),
    (lambda w: setattr(w.sleeping, "enabled", False), WakeReason.REQUESTED),
    (lambda w: w.wake(), WakeReason.REQUESTED),
    (lambda w: w.set_pose(FLOOR, (0, 0, -5.0), (1, 0, 0, 0)), WakeReason.MOVED_BODY),
    (lambda w: w.set_pose(FLOOR, (0, 0, -0.501), (1, 0, 0, 0)), WakeReason.MOVED_BODY),
    (lambda w: w.remove_body(FLOOR), WakeReason.SUPPORT),
], ids=range(11))
def test_global_changes_wake_all_bodies(change, reason):
    """Gravity, the solver, the floor's material, the floor moved away by a little or a lot, the floor gone."""
    world = asleep()
    change(world)
    step(world, DT)
    assert (world.bodies["asleep"] == 0).all() and world.report.asleep == 0
    assert set(world.bodies["wake_reason"][LOW:].tolist()) <= {reason, WakeReason.ISLAND}
    assert world.bodies["wake_reason"][OTHER] == reason
    if reason in (WakeReason.MOVED_BODY, WakeReason.SUPPORT):
        assert world.bodies["wake_cause"][OTHER] == FLOOR
        assert world.bodies["vel"][OTHER, 2] < -1e-3


def test_removing_a_body_wakes_those_on_it():
    world = asleep()
    world.remove_body(LOW)
    assert world.bodies["asleep"].tolist() == [0, 0, 0, 0, OTHER]
    assert world.bodies["wake_reason"][HIGH] == WakeReason.ISLAND and world.bodies["wake_cause"][HIGH] == LOW
    run(world, 0.5)
    assert world.bodies["pos"][HIGH, 2] == pytest.approx(0.25, abs=0.01)


def test_a_kinematic_body_wakes_those_it_approaches_and_carries():
    """A kinematic body at rest lets others sleep on it; when it sets off they wake, and stay awake while it creeps."""
    world = world_of()
    lift = world.add_body(Box((1, 1, 0.1)), kind="kinematic")
    box = world.add_body(Box((0.25, 0.25, 0.25)), pos=(0, 0, 0.35))
    run(world, 1.0)
    assert world.report.asleep == 1
    world.set_velocity(lift, (0, 0, 5e-5), (0, 0, 0))
    run(world, 2.0)
    assert world.report.asleep == 0 and world.bodies["sleep_reason"][box] == SleepReason.ISLAND
    assert (world.bodies["wake_reason"][box], world.bodies["wake_cause"][box]) == (WakeReason.MOVED_BODY, lift)
    assert world.bodies["pos"][box, 2] == pytest.approx(0.35 + 1e-4, abs=2e-5)


@pytest.mark.parametrize("change", [
    lambda w, j: w.set_joint_friction(0.0, j),
    lambda w, j: w.joints["anchor_a"].__setitem__(j, w.joints["anchor_a"][j] + (0.1, 0, 0)),
    lambda w, j: w.remove_joint(j),
])
def test_a_changed_joint_wakes_its_bodies(change):
    """A pendulum held askew by friction sleeps; less friction, another anchor, no joint: it moves at once."""
    world = world_of()
    bob = world.add_body(Sphere(0.1), pos=(0.6, 0, -0.8), mass=1.0)
    joint = world.add_joint("spherical", 0, bob, anchor=(0, 0, 0), max_friction=20.0)
    run(world, 1.0)
    assert world.report.asleep == 1 and world.layout.joints.rows == 0
    run(world, 0.5)
    assert world.report.asleep == 1, "nothing woke it"
    before = world.bodies["pos"][bob].copy()
    change(world, joint)
    step(world, DT)
    assert (world.bodies["wake_reason"][bob], world.bodies["wake_cause"][bob]) == (WakeReason.JOINT, joint)
    run(world, 0.1)
    assert np.linalg.norm(world.bodies["pos"][bob] - before) > 0.002


def test_slow_motion_is_not_rest():
    """Below the speed limit and still awake: a body that drifts at half of it, a pendulum that swings by 2 mm."""
    world = world_of()
    world.set_gravity((0, 0, 0))
    body = world.add_body(Sphere(0.1), vel=(0.5 * world.sleeping.speed, 0, 0))
    run(world, 5.0)
    assert world.bodies["pos"][body, 0] == pytest.approx(2.5 * world.sleeping.speed, rel=1e-9)
    world = world_of()
    bob = world.add_body(Sphere(0.05), pos=(0.002, 0, -1.0))
    world.add_joint("spherical", 0, bob, anchor=(0, 0, 0))
    fastest = 0.0
    for _ in range(1200):
        assert step(world, DT).asleep == 0
        fastest = max(fastest, np.linalg.norm(world.bodies["vel"][bob]))
    assert 0.004 < fastest < world.sleeping.speed


def test_a_large_residual_keeps_bodies_awake():
    """Nothing falls asleep while the solver has not converged."""
    world = asleep()
    world.wake()
    world.sleeping.residual = 0.0
    run(world, 1.0)
    assert world.report.asleep == 0
    world.sleeping.residual = 0.01
    run(world, 0.1)
    assert world.report.asleep == 3


def test_waking_adds_no_velocity():
    """Woken for nothing, a stack carries on: the impulses of before, no velocity to speak of."""
    world = asleep()
    world.wake()
    step(world, DT)
    assert (world.bodies["asleep"] == 0).all()
    assert np.abs(world.bodies["vel"]).max() < 1e-6 and np.abs(world.bodies["omega"]).max() < 1e-6
    c = world.contacts
    floor = c[(c["body_a"] == FLOOR) | (c["body_b"] == FLOOR)]
    assert floor["impulse"].sum() / DT == pytest.approx(3 * 2.0 * 9.81, rel=1e-6)


def test_a_sleeping_pile_is_hit_like_an_awake_one():
    """A ball strikes the stack: the same paths as without sleeping, from the first touch; then all come to rest and sleep."""
    paths = {}
    for on in (True, False):
        world = asleep(on)
        ball = strike(world)
        places = []
        for _ in range(120):
            step(world, DT)
            places.append(world.bodies["pos"][[LOW, HIGH, ball]].copy())
        paths[on] = np.array(places)
        if on:
            assert world.bodies["asleep"].tolist() == [0, 0, 0, 0, OTHER, 0]
            assert (world.bodies["wake_reason"][HIGH], world.bodies["wake_cause"][HIGH]) == (WakeReason.TOUCHED, ball)
    assert np.abs(paths[True][:, 1, 0]).max() > 0.1, "the stack must be moved"
    assert paths[True][:72] == pytest.approx(paths[False][:72], abs=1e-5), "each later touch multiplies what rounding began"
    assert paths[True] == pytest.approx(paths[False], abs=1e-3)


def test_falling_asleep_makes_no_energy():
    """Over the step in which they fall asleep the energy does not grow, and afterwards it does not change by a bit."""
    world = asleep(on=False)
    world.sleeping.enabled = True
    last, count = sum(step(world, DT).energy.values()), 0
    for _ in range(240):
        report = step(world, DT)
        energy = sum(report.energy.values())
        assert energy <= last + 1e-9
        if count == 3:
            assert energy == last
        last, count = energy, report.asleep
    assert count == 3


def test_restore_continues_bit_for_bit_with_sleepers():
    """A snapshot holds who sleeps, for how long others have been calm, and their contacts: in this world and in another."""
    world = asleep()
    strike(world)
    run(world, 0.2)
    kept, before = world.snapshot(), digest_of(world)
    assert 0 < world.report.asleep < 3
    run(world, 3.0)
    after, asleep_then = digest_of(world), world.bodies["asleep"].tolist()
    world.restore(kept)
    assert digest_of(world) == before
    other = World()
    other.restore(kept)
    for w in (world, other):
        run(w, 3.0)
        assert digest_of(w) == after and w.bodies["asleep"].tolist() == asleep_then


def test_a_failed_step_leaves_a_usable_world():
    """A blown-up step is undone; whoever slept sleeps, nobody is lost, and contacts are all there."""
    world = asleep()
    sleepers = world.sleep.count
    ball = strike(world)
    world.bodies["vel"][ball] = 1e9
    with pytest.raises(Diverged):
        step(world, DT)
    world.set_velocity(ball, (0, 0, 0), (0, 0, 0))
    assert len(world.contacts) == 12 and world.sleep.count == np.count_nonzero(world.bodies["asleep"]) == sleepers > 0
    run(world, 2.0)
    assert world.report.asleep >= 3


def test_a_sensor_keeps_reporting_sleeping_bodies():
    """Falling asleep in a sensor is no end, waking in it no beginning."""
    world = world_of()
    world.watch.touching = True
    world.add_body(Plane(), kind="static")
    world.add_body(Box((1, 1, 1)), kind="static", sensor=True)
    box = world.add_body(Box((0.25, 0.25, 0.25)), pos=(0, 0, 0.25))
    seen = []
    for k in range(480):
        if k == 300:
            assert world.report.asleep == 1
            world.wake(box)
        step(world, DT)
        seen += world.events["what"].tolist()
    assert seen == [Event.SENSOR_BEGIN, Event.TOUCH_BEGIN]
    with pytest.raises(BadInput):
        world.wake(17)


HELD = {"spring": {"stiffness": 200.0, "damping": 20.0, "length": 1.0, "anchor_b": (0.0, 0.0, 2.0)},
        "rope": {"length": 1.0, "anchor_b": (0.0, 0.0, 2.0)}, "rod": {"anchor_b": (0.0, 0.0, 2.0)}, "spherical": {}, "fixed": {},
        "revolute": {"axis": (0.0, 1.0, 0.0)}, "prismatic": {"axis": (1.0, 0.0, 0.0)}}


@each_value()
@pytest.mark.parametrize("how", ["velocity", "pose", "static"])
@pytest.mark.parametrize("kind", list(HELD))
def test_a_body_that_moves_wakes_what_joints_hold_to_it(kind, how):
    """It stayed where it slept, half a metre from its joint, of which nothing was told: 0 m of error."""
    world = World()
    world.sleeping.enabled = True
    support = world.add_body(Box((0.1, 0.1, 0.1)), kind="static" if how == "static" else "kinematic", pos=(0.0, 0.0, 3.0))
    body = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 2.0), mass=1.0)
    world.add_joint(kind, support, body, anchor=(0.0, 0.0, 3.0), **HELD[kind])
    for _ in range(600):
        step(world, 1.0 / 120.0)
    assert body.asleep
    height = body.pos[2]
    for n in range(1, 121):
        if how == "velocity":
            support.vel = (0.0, 0.0, 0.5)
        else:
            support.pos = (0.0, 0.0, 3.0 + 0.5 * n / 120.0)
        step(world, 1.0 / 120.0)
    assert not body.asleep
    support.vel = (0.0, 0.0, 0.0)
    for _ in range(360):
        step(world, 1.0 / 120.0)
    assert body.pos[2] == pytest.approx(height + 0.5, abs=1e-3)
    assert body.asleep


def test_a_body_does_not_fall_asleep_while_what_holds_it_creeps():
    """An anchor of 0.3 mm/s left it behind, further and further."""
    world = World()
    world.sleeping.enabled = True
    support = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic", pos=(0.0, 0.0, 3.0), vel=(0.0, 0.0, 3e-4))
    body = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 2.0), mass=1.0)
    world.add_joint("fixed", support, body, anchor=(0.0, 0.0, 3.0))
    for _ in range(1200):
        step(world, 1.0 / 60.0)
    assert body.pos[2] == pytest.approx(2.0 + 20.0 * 3e-4, abs=1e-6)
