"""Torsional and rolling friction under compliant contact against closed forms and a rigid solver.

Velocities are those of the middle of a substep; `time_of` is the time to which they belong.
"""

import math

import numpy as np
import pytest

from physics import Box, Material, Plane, Sphere, World, step
from tests.helpers import world_under
from tests.tools.each_value import each_value

G = 9.81
R = 0.1
STEPS = (1.0 / 60.0, 1.0 / 240.0, 1e-3)


def on_floor(material: Material, mass: float = 1.0, solver: str = "compliant_contact", gravity=(0.0, 0.0, -G),
             **motion: object) -> tuple[World, int]:
    """A ball that rests on the springs of a floor; the ledger is on."""
    world = world_under(solver, gravity)
    world.records_energy = True
    world.add_body(Plane(), kind="static", friction=0.5)
    sunk = mass * -gravity[2] / world.solver.options.stiffness if solver == "compliant_contact" else 0.0
    return world, world.add_body(Sphere(R), pos=(0.0, 0.0, R - sunk), mass=mass, material=material, **motion)


def run(world: World, seconds: float, dt: float) -> None:
    """Step; the auditor must find nothing."""
    for _ in range(round(seconds / dt)):
        assert [f.text for f in step(world, dt).audit.findings] == []


def time_of(world: World) -> float:
    return world.time - world.velocity_lag


def energy(world: World, ball: int) -> float:
    """Of motion, and in the springs of contacts beyond that of their load at the start [J]."""
    b = world.bodies[ball]
    return (0.5 * b["mass"] * b["vel"] @ b["vel"] + 0.5 * b["inertia"][2, 2] * b["omega"] @ b["omega"]
            - world.energy_totals.ledger.get("contact springs", 0.0))


# ---- torsion: I omega' = -c m g


@each_value()
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("mass", [0.3, 1.0, 20.0])
def test_a_spinning_ball_slows_by_c_g_over_its_gyration(dt, mass):
    c, spin = 0.002, 8.0
    world, ball = on_floor(Material(friction=0.5, torsional=c), mass, omega=(0.0, 0.0, spin))
    slowing = c * G / (0.4 * R * R)
    run(world, 0.5, dt)
    assert world.bodies["omega"][ball, 2] == pytest.approx(spin - slowing * time_of(world), abs=1e-9)
    assert world.contacts["spin_impulse"][0] == pytest.approx([0.0, 0.0, -c * mass * G * dt], rel=1e-9, abs=1e-15)
    end = spin / slowing
    while world.bodies["omega"][ball, 2] > 0.0:
        run(world, dt, dt)
    assert world.time == pytest.approx(end, abs=dt + 0.005)
    give = c * mass * G / (R * math.sqrt(0.4)) / math.sqrt(world.solver.options.tangential_stiffness * mass * 0.4 * R * R)
    run(world, 0.5, dt)     # it swings on its spring, as it does when it has slid
    assert abs(world.bodies["omega"][ball, 2]) <= give * math.exp(-25.0 * 0.5 / mass) + 1e-12


@each_value()
@pytest.mark.parametrize("mass", [0.3, 20.0])
@pytest.mark.parametrize("dt", STEPS)
def test_energy_of_motion_and_springs_never_grows(dt, mass):
    material = Material(friction=0.5, torsional=0.01, rolling=0.01)
    world, ball = on_floor(material, mass, omega=(3.0, -2.0, 5.0), vel=(0.5, 0.2, 0.0))
    last, first = math.inf, energy(world, ball)
    for _ in range(round(0.8 / dt)):
        run(world, dt, dt)
        assert energy(world, ball) <= last + 1e-9 * first
        last = energy(world, ball)
    ledger = world.energy_totals.ledger
    assert ledger["numerical"] == pytest.approx(0.0, abs=1e-9 * first)
    assert ledger["friction"] < -0.9 * first


@each_value()
@pytest.mark.parametrize("dt", [1.0 / 60.0, 1e-3])
@pytest.mark.parametrize(("ratio", "holds"), [(0.5, True), (0.99, True), (1.01, False)])
def test_a_torque_below_the_bound_turns_the_patch_and_no_more(dt, ratio, holds):
    """It gives way by x = m / (r K_t), and does not creep; above it turns with I omega' = m - c m g."""
    c, mass = 0.01, 2.0
    world, ball = on_floor(Material(friction=0.5, torsional=c), mass)
    world.drivers.append(lambda w: w.apply_torque(ball, (0.0, 0.0, min(1.0, w.time) * ratio * c * mass * G)))
    run(world, 2.5, dt)     # until it has swung out
    before = world.bodies["quat"][ball].copy()
    run(world, 0.5, dt)
    if holds:
        lever = R * math.sqrt(0.4)
        assert np.abs(world.bodies["quat"][ball] - before).max() < 1e-9
        turned = ratio * c * mass * G / (lever * world.solver.options.tangential_stiffness)
        assert world.contacts["patch_turn"][0] == pytest.approx([0.0, 0.0, turned], rel=1e-6, abs=1e-12)
        assert 2.0 * math.asin(world.bodies["quat"][ball, 3]) == pytest.approx(turned / lever, rel=1e-5)
    else:
        assert world.bodies["omega"][ball, 2] == pytest.approx((ratio - 1.0) * c * G / (0.4 * R * R) * 2.0, rel=0.02)


@pytest.mark.parametrize("dt", STEPS)
def test_torsion_and_rolling_are_those_of_sequential_impulses(dt):
    ends = []
    for solver in ("compliant_contact", "sequential_impulses"):
        world, ball = on_floor(Material(friction=0.5, torsional=0.004, rolling=0.005), solver=solver, vel=(0.6, -0.3, 0.0),
                               omega=(3.0, 6.0, 9.0))
        run(world, 0.5, dt)
        ends.append(np.concatenate([world.bodies["pos"][ball, :2], 1e-2 * world.bodies["omega"][ball]]))
    assert ends[0] == pytest.approx(ends[1], abs=0.3 * dt + 5e-5)


def test_corners_of_a_box_share_torsion():
    """I omega' = -c m g however the corners share the weight."""
    c, mass = 0.02, 2.0
    world = world_under("compliant_contact")
    world.add_body(Plane(), kind="static", friction=0.0)
    box = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05 - mass * G / 4e5), mass=mass, friction=0.0,
                         material=Material(torsional=c), omega=(0.0, 0.0, 5.0))
    run(world, 0.25, 1.0 / 240.0)
    slowing = c * mass * G / world.bodies["inertia"][box, 2, 2]
    assert world.bodies["omega"][box, 2] == pytest.approx(5.0 - slowing * time_of(world), abs=1e-9)


def test_between_two_free_balls_the_moments_are_opposite():
    world = world_under("compliant_contact", (0.0, 0.0, 0.0))
    soft = Material(torsional=0.01)
    a = world.add_body(Sphere(R), pos=(-R, 0.0, 0.0), omega=(3.0, 0.0, 0.0), material=soft, mass=1.0)
    b = world.add_body(Sphere(R), pos=(R, 0.0, 0.0), omega=(-1.0, 0.0, 0.0), material=soft, mass=3.0)
    world.drivers.append(lambda w: (w.apply_force(a, (20.0, 0.0, 0.0)), w.apply_force(b, (-20.0, 0.0, 0.0))))
    for _ in range(120):
        run(world, 1.0 / 240.0, 1.0 / 240.0)
        assert world.bodies["omega"][a, 0] + 3.0 * world.bodies["omega"][b, 0] == pytest.approx(0.0, abs=1e-12)
    assert world.bodies["omega"][[a, b], 0] == pytest.approx([0.0, 0.0], abs=1e-4)


@pytest.mark.parametrize("solver", ["compliant_contact", "sequential_impulses"])
def test_a_turntable_takes_a_ball_with_it(solver):
    """omega' = c g / (2/5 R^2); the work comes from the table, and the auditor knows."""
    c = 0.01
    world = world_under(solver)
    world.records_energy = True
    world.add_body(Box((1.0, 1.0, 0.1)), kind="kinematic", pos=(0.0, 0.0, -0.1), omega=(0.0, 0.0, 2.0), friction=1.0)
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, R), mass=1.0, material=Material(friction=1.0, torsional=c))
    run(world, 0.04, 1e-3)
    assert world.bodies["omega"][ball, 2] == pytest.approx(c * G / (0.4 * R * R) * time_of(world), rel=0.05)
    run(world, 0.3, 1e-3)
    assert world.bodies["omega"][ball, 2] == pytest.approx(2.0, rel=1e-3)
    assert world.energy_totals.ledger["movers"] == pytest.approx(0.4 * R * R * 4.0, rel=1e-3)


# ---- rolling: v' = -(5/7) g c / r


@each_value()
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("mass", [0.3, 1.0])
def test_a_rolling_ball_slows_by_five_sevenths_g_c_over_r(dt, mass):
    c, v, way = 0.01, 0.8, np.array([0.6, 0.8, 0.0])
    world, ball = on_floor(Material(friction=0.5, rolling=c), mass, vel=v * way, omega=(-v * way[1] / R, v * way[0] / R, 0.0))
    slowing = 5.0 / 7.0 * G * c / R
    run(world, 0.5, dt)
    assert world.bodies["vel"][ball] == pytest.approx((v - slowing * time_of(world)) * way, abs=1e-9)
    run(world, 2.0, dt)
    assert world.bodies["pos"][ball, :2] == pytest.approx(v * v / (2.0 * slowing) * way[:2], abs=1e-4)
    assert np.abs(world.bodies["vel"][ball]).max() < 1e-5


@pytest.mark.parametrize(("ratio", "rolls"), [(0.99, False), (1.01, True)])
def test_a_ball_holds_on_a_slope_up_to_c_over_r(ratio, rolls):
    c, dt = 0.02, 1.0 / 240.0
    angle = math.atan(ratio * c / R)
    world, ball = on_floor(Material(friction=0.5, rolling=c), gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    run(world, 1.0, dt)
    start, began = world.bodies["vel"][ball, 0], time_of(world)
    run(world, 1.0, dt)
    if rolls:
        expected = 5.0 / 7.0 * G * (math.sin(angle) - c / R * math.cos(angle)) * (time_of(world) - began)
        assert world.bodies["vel"][ball, 0] - start == pytest.approx(expected, rel=0.01)
    else:
        assert abs(world.bodies["vel"][ball, 0]) < 1e-6


# ---- impacts: what springs return


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
@pytest.mark.parametrize("share", [0.1, 0.2, 2.0 / 7.0])
def test_slip_and_spin_return_by_the_ratio_of_the_stiffnesses(share, dt):
    K, spin, slip = 1e5, 6.0, 0.5
    world = world_under("compliant_contact", (0.0, 0.0, 0.0), stiffness=K, damping=1e-3, tangential_stiffness=share * K,
                        tangential_damping=1e-3)
    world.add_body(Plane(), kind="static", friction=50.0)
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, R + 3e-4), vel=(slip, 0.0, -1.0), omega=(0.0, 0.0, spin), mass=1.0,
                          material=Material(friction=50.0, torsional=10.0))
    for _ in range(round(0.03 / dt)):
        step(world, dt)
    after = world.bodies["vel"][ball, 0] - R * world.bodies["omega"][ball, 1]
    assert after / slip == pytest.approx(math.cos(math.pi * math.sqrt(3.5 * share)), abs=0.02)
    assert world.bodies["omega"][ball, 2] / spin == pytest.approx(math.cos(math.pi * math.sqrt(share)), abs=0.02)


# ---- state


def test_turned_patches_belong_to_the_state():
    world, ball = on_floor(Material(friction=0.5, torsional=0.002, rolling=0.002), omega=(0.0, 1.0, 0.3), vel=(0.1, 0.0, 0.0))
    run(world, 0.1, 1e-2)
    assert np.abs(world.contacts["patch_turn"]).max() > 1e-6
    saved, ends = world.snapshot(), []
    for kept in (True, True, False):
        world.restore(saved)
        if not kept:
            world.awake_contacts["patch_turn"] = 0.0
        run(world, 0.1, 1e-2)
        ends.append(world.bodies[ball].tobytes())
    assert ends[0] == ends[1] != ends[2]
