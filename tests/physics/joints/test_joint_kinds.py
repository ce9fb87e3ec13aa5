"""Every kind of joint without friction: it holds, conserves energy and momentum, and obeys its own law."""

import math

import numpy as np
import pytest

from physics import Box, Sphere, World, joints, step
from physics.dynamics import measure
from tests.tools.joint_tools import DT, energy, firm, read

MESHING = "gear", "rack"
"""Kinds that need bearings: test_gears.py."""
KINDS = [n for n in joints.kinds() if n not in ("drag", *MESHING)]
HOLDING = [n for n, k in joints.kinds().items() if k.constraint and n not in MESHING]


def pair(kind: str) -> World:
    """Two bricks joined in free space, moving against one another as the joint allows, and tumbling."""
    world = firm()
    a = world.add_body(Box((0.3, 0.1, 0.05)), mass=1.0, omega=(1.0, 2.0, 3.0), vel=(0.1, 0.2, 0.0))
    b = world.add_body(Box((0.3, 0.1, 0.08)), mass=2.0, pos=(0.8, 0.0, 0.0), omega=(1.0, 2.5, -3.0), vel=(0.0, 0.5, -0.4))
    more = {"anchor_b": (0.6, 0.1, 0.0)} if joints.kinds()[kind].anchors == 2 else {}
    more |= {"lead": 0.2} if kind == "screw" else {}
    world.add_joint(kind, a, b, anchor=(0.35, 0.0, 0.0), axis=(0.2, 0.3, 1.0), name="joint", **more)
    step(world, DT)
    return world


@pytest.mark.parametrize("kind", KINDS)
def test_a_tumbling_pair_keeps_energy_and_momentum(kind):
    """5 s at 240 Hz: energy within 1 %, momentum to round-off, joints closed to 1e-7."""
    world = pair(kind)
    spring = "spring" in kind
    before = energy(world) + (stored(world) if spring else 0.0)
    linear, angular = (np.array(v) for v in measure.momentum(world.bodies))
    worst = 0.0
    for _ in range(1200):
        report = step(world, DT)
        worst = max(worst, report.joint_error)
    assert worst < (2e-3 if kind == "rope" else 2e-7)
    after = energy(world) + (stored(world) if spring else 0.0)
    assert after <= before * (1.005 if spring else 1.001)
    if kind != "rope":     # its jerk is inelastic
        assert after == pytest.approx(before, rel=0.01)
    assert np.array(measure.momentum(world.bodies)[0]) == pytest.approx(linear, abs=1e-10)
    assert np.array(measure.momentum(world.bodies)[1]) == pytest.approx(angular, rel=2e-3, abs=2e-3)


def stored(world: World) -> float:
    """Energy of a spring [J], as it was when the velocities were: these lag behind the poses by `since`."""
    joint = world.joints[0]
    stretch = read(world, "joint:joint.angle") - world.bodies["velocity_lag"].max() * read(world, "joint:joint.rate")
    return 0.5 * joint["motor_stiffness"][0] * (stretch - joint["motor_target"][0]) ** 2


@pytest.mark.parametrize("kind", HOLDING)
def test_a_mechanism_under_gravity_stays_closed(kind):
    """A body hung on the world, one hung on it: 5 s, errors below 1e-7."""
    world = firm((0.0, 0.0, -9.81))
    one = world.add_body(Box((0.3, 0.1, 0.1)), pos=(0.3, 0.0, 0.0), mass=1.0)
    two = world.add_body(Box((0.3, 0.1, 0.1)), pos=(0.9, 0.0, 0.0), mass=1.0)
    for a, b, x in ((0, one, 0.0), (one, two, 0.6)):
        more = {"anchor_b": (x + 0.1, 0.0, 0.0)} if joints.kinds()[kind].anchors == 2 else {}
        world.add_joint(kind, a, b, anchor=(x, 0.0, 0.0), axis=(0.1, 1.0, 0.0), **more)
    errors = [step(world, DT).joint_error for _ in range(1200)]
    assert max(errors) < 2e-7


def test_a_screw_moves_by_its_lead_for_each_turn():
    world = firm()
    nut = world.add_body(Box((0.1, 0.1, 0.05)), mass=1.0, omega=(0.0, 0.0, 7.0), vel=(0.0, 0.0, 7.0 * 0.03 / (2.0 * math.pi)))
    world.add_joint("screw", 0, nut, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), lead=0.03, name="thread")
    for _ in range(1200):
        step(world, DT)
    turns = read(world, "joint:thread.angle") / (2.0 * math.pi)
    assert turns == pytest.approx(5.0 * 7.0 / (2.0 * math.pi), rel=1e-6)
    assert world.bodies["pos"][nut, 2] == pytest.approx(0.03 * turns, abs=1e-9)


@pytest.mark.parametrize("solver", ["sequential_impulses", "stewart_trinkle", "joint_space", "event_driven", "subsystems"])
def test_a_lead_that_is_changed_acts_at_once(solver):
    """Those in joint coordinates keep the tree of a mechanism from step to step, in which the lead is."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver)
    nut = world.add_body(Box((0.1, 0.1, 0.1)))
    screw = world.add_joint("screw", 0, nut, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), lead=0.1)
    world.set_velocity(nut, (0.0, 0.0, 0.1 * 10.0 / math.tau), (0.0, 0.0, 10.0))
    for lead in (0.1, 0.4):
        world.set_joint_param(screw, lead=lead)
        for _ in range(10):
            step(world, DT)
        assert world.bodies["vel"][nut, 2] == pytest.approx(lead / math.tau * world.bodies["omega"][nut, 2], rel=1e-9)
        _, qd = world.joint_coordinates(screw)
        assert qd[0] == pytest.approx(world.bodies["omega"][nut, 2], rel=1e-9)


def test_a_screw_under_its_load_turns():
    """g m lead / 2 pi against I + m (lead / 2 pi)^2: the nut's acceleration in closed form."""
    world = firm((0.0, 0.0, -9.81))
    nut = world.add_body(Box((0.1, 0.1, 0.05)), mass=2.0)
    world.add_joint("screw", 0, nut, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), lead=0.3, name="thread")
    for _ in range(240):
        step(world, DT)
    r, inertia = 0.3 / (2.0 * math.pi), world.bodies["inertia"][nut, 2, 2]
    rate = read(world, "joint:thread.rate") / (1.0 - 0.5 * DT)      # that of the middle of the last step
    assert rate == pytest.approx(-2.0 * 9.81 * r / (inertia + 2.0 * r * r), rel=1e-6)


def test_a_universal_joint_turns_unevenly():
    """omega_2 / omega_1 = cos beta / (1 - sin^2 beta sin^2 theta), theta from where the driver's pin lies across both shafts."""
    beta = math.radians(35.0)
    world = firm()
    driver = world.add_body(Sphere(0.2), mass=1.0, pos=(-0.5, 0.0, 0.0))
    along = np.array([math.cos(beta), math.sin(beta), 0.0])
    driven = world.add_body(Sphere(0.2), mass=1e-3, pos=tuple(0.5 * along))
    world.add_joint("revolute", 0, driver, anchor=(-0.5, 0.0, 0.0), axis=(1.0, 0.0, 0.0), name="in")
    world.add_joint("revolute", 0, driven, anchor=tuple(0.5 * along), axis=tuple(along), name="out")
    # pins: the first across the bend, in the driver; the second across the driven shaft and the first
    world.add_joint("universal", driver, driven, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                    across=(-math.sin(beta), math.cos(beta), 0.0))
    world.set_velocity(driver, (0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    step(world, DT)
    ratios = []
    for _ in range(800):
        theta = read(world, "joint:in.angle")
        step(world, DT)
        theta = 0.5 * (theta + read(world, "joint:in.angle"))
        law = math.cos(beta) / (1.0 - math.sin(beta) ** 2 * math.sin(theta) ** 2)
        ratios.append((read(world, "joint:out.rate") / read(world, "joint:in.rate"), law))
    ours, law = np.array(ratios).T
    assert np.max(np.abs(ours / law - 1.0)) < 5e-4
    assert law.max() == pytest.approx(1.0 / math.cos(beta), rel=1e-2) and law.min() == pytest.approx(math.cos(beta), rel=1e-2)


def test_a_slack_rope_does_nothing_and_a_taut_one_holds():
    world = firm((0.0, 0.0, -9.81))
    ball = world.add_body(Sphere(0.1), mass=2.0, pos=(0.0, 0.0, -0.5))
    world.add_joint("rope", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(0.0, 0.0, -0.5), length=1.0, name="rope")
    speeds = []
    while world.time < 0.3:
        step(world, DT)
        speeds.append(world.bodies["vel"][ball, 2])
    assert speeds == pytest.approx(-9.81 * DT * (np.arange(len(speeds)) + 0.5), rel=1e-12)
    assert read(world, "joint:rope.limit") == 0.0
    while world.time < 3.0:
        step(world, DT)
        assert world.bodies["pos"][ball, 2] > -1.0 - 1e-3
    assert world.bodies["pos"][ball, 2] == pytest.approx(-1.0, abs=1e-6)
    assert read(world, "joint:rope.reaction") == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert read(world, "joint:rope.limit") == pytest.approx(-2.0 * 9.81, rel=1e-6)


def test_a_mathematical_pendulum_on_a_rod():
    """Period for small angles 2 pi sqrt(l / g) (1 + a^2 / 16); the amplitude stays."""
    world = firm((0.0, 0.0, -9.81))
    start = 0.2
    ball = world.add_body(mass=1.0, inertia=(1e-6, 1e-6, 1e-6), pos=(math.sin(start), 0.0, -math.cos(start)))
    world.add_joint("rod", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(math.sin(start), 0.0, -math.cos(start)), name="rod")
    x = []
    for _ in range(2400):
        step(world, DT)
        x.append(world.bodies["pos"][ball, 0])
    x = np.array(x)
    crossings = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    period = DT * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(2.0 * math.pi / math.sqrt(9.81) * (1.0 + start**2 / 16.0), rel=2e-3)
    assert np.max(x[-480:]) == pytest.approx(math.sin(start), rel=1e-3)


@pytest.mark.parametrize(("kind", "stiffness"), [("spring", 500.0), ("torsion_spring", 2.0)])
def test_a_spring_swings_at_its_frequency(kind, stiffness):
    world = firm()
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, pos=(1.0, 0.0, 0.0))
    if kind == "spring":
        world.add_joint("spring", 0, body, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0, 0.0, 0.0), stiffness=stiffness, name="s")
        world.set_velocity(body, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
        inertia, start = 2.0, 1.0
    else:
        world.add_joint("torsion_spring", 0, body, anchor=(1.0, 0.0, 0.0), stiffness=stiffness, name="s")
        world.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.3))
        inertia, start = world.bodies["inertia"][body, 2, 2], 0.0
    values = []
    for _ in range(4000):
        step(world, 1.0 / 2000.0)
        values.append(read(world, "joint:s.angle") - start)
    values = np.array(values)
    crossings = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) / 2000.0
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(inertia / stiffness), rel=5e-3)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 1000])
def test_a_very_stiff_spring_is_stable(dt):
    """k = 1e8 N/m on a kilogram: 1600 periods in a thirtieth of a second."""
    world = firm()
    body = world.add_body(Sphere(0.1), mass=1.0, pos=(1.0, 0.0, 0.0), vel=(1.0, 0.2, 0.0))
    world.add_joint("spring", 0, body, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0, 0.0, 0.0), stiffness=1e8, name="s")
    for _ in range(200):
        step(world, dt)
        assert energy(world) < 0.55
    assert read(world, "joint:s.angle") == pytest.approx(1.0, abs=1e-3)


def test_six_locked_axes_are_a_weld_and_five_a_hinge():
    for free in ("", "rz", "ry", "x"):
        world = pair("fixed")
        world.remove_joint(0)
        limits = {axis.name: (0.0, 0.0) for axis in joints.kinds()["six_dof"].axes if axis.name != free}
        world.add_joint("six_dof", 1, 2, anchor=(0.35, 0.0, 0.0), axis=(0.2, 0.3, 1.0), limits=limits, name="joint")
        step(world, DT)
        before = energy(world)
        errors = [step(world, DT).joint_error for _ in range(1200)]
        assert max(errors) < 5e-7, free
        assert energy(world) == pytest.approx(before, rel=0.01), free


def test_a_joint_without_rows_has_room_for_its_sums():
    """A mouse without force has no row; its impulses of the step are still added up."""
    world = firm()
    body = world.add_body(Sphere(0.2), mass=1.0)
    world.add_joint("drag", 0, body, anchor=(0.0, 0.0, 0.0))
    step(world, DT)
    system = world.layout.joint_system
    assert len(system.rows) == 0 and len(system.total) > system.layout.joints.max()
