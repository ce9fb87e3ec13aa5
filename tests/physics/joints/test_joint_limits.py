"""Limits and motors of joints: holding, restitution, driving, saturation, locks, breaking."""

import itertools
import math

import numpy as np
import pytest

from physics import BadInput, Box, Motor, Plane, Sphere, World, joints, set_option, step
from physics.core import quat
from physics.observe import quantities
from tests.tools.each_value import each_value
from tests.tools.joint_tools import DT, energy, firm, read

G = 9.81


def arm(gravity=(0.0, 0.0, -G), **more) -> World:
    """An arm on a hinge about y: 2 kg, centre 0.5 m out, level at the start; it falls to a positive angle."""
    world = firm(gravity)
    body = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 0.0), mass=2.0, name="arm")
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge", **more)
    return world


def inertia_of(world: World) -> float:
    return world.bodies["inertia"][1, 1, 1] + 2.0 * 0.25


def run(world: World, seconds: float, *keys: str) -> np.ndarray:
    """Samples of the keys after each step, (steps, keys)."""
    found = [quantities.find(world, key).read for key in keys]
    rows = []
    for _ in range(round(seconds / DT)):
        step(world, DT)
        rows.append([f(world) for f in found])
    return np.array(rows)


@pytest.mark.parametrize("limit", [0.4, 1.2])
def test_a_hinge_limit_holds_without_jitter(limit):
    """The arm falls on it and lies still: nothing beyond 1e-6 rad, and no motion at all after a second."""
    world = arm(limits=(-1.0, limit))
    values = run(world, 10.0, "joint:hinge.angle", "joint:hinge.limit")
    assert values[:, 0].max() < limit + 1e-6
    assert np.ptp(values[480:, 0]) < 1e-10
    assert values[-1, 1] == pytest.approx(-2.0 * G * 0.5 * math.cos(limit), rel=1e-4)
    assert values[-1, 0] == pytest.approx(limit, abs=1e-6)


def test_limits_of_more_than_a_turn_count_turns():
    world = arm((0.0, 0.0, 0.0), limits=(-1.0, 20.0))
    world.set_velocity(1, (0.0, 0.0, -2.0), (0.0, 4.0, 0.0))
    values = run(world, 8.0, "joint:hinge.angle")
    assert values[-1, 0] == pytest.approx(20.0, abs=1e-6)
    assert values[240, 0] == pytest.approx(4.0, rel=0.01)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_limit_rebounds_with_its_restitution(e):
    world = firm()
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, vel=(2.0, 0.0, 0.0))
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), limits=(-0.5, 0.5), restitution=e,
                    name="rail")
    values = run(world, 0.4, "joint:rail.angle", "joint:rail.rate")
    assert values[-1, 1] == pytest.approx(-2.0 * e, abs=1e-9)
    assert values[:, 0].max() < 0.5 + 1e-9


SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space", "event_driven")


@each_value()
@pytest.mark.parametrize("hertz", [60, 240, 1000])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_falling_rod_rebounds_from_its_stop_to_the_share_e2_of_its_drop(solver, hertz):
    """From the horizontal to a stop 45 degrees below, where the strike falls in the middle of a step."""
    world, e = World(), 0.5
    rod = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 0.0), mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), mask=0)
    world.add_joint("revolute", 0, rod, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), limits=(-1.0, math.pi / 4), restitution=e)
    world.use_solver(solver)
    drop, heights = 0.5 * math.sin(math.pi / 4), []
    for _ in range(int(0.9 * hertz)):
        step(world, 1.0 / hertz)
        heights.append(world.bodies["pos"][rod, 2] + drop)
    assert max(heights[int(0.42 * hertz):]) == pytest.approx(e * e * drop, rel=0.005)
    assert not list(world.warnings.pop_new()), "the auditor has nothing to tell"


@each_value()
@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("hertz", [60, 240])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_compact_bob_strikes_its_stop_beyond_the_lowest_point(solver, hertz, e):
    """Nearly all inertia is m r^2, so the hinge carries most of the blow. After it the bob has the share e^2 of its energy and
    swings back through the lowest point to the height that this reaches on the other side."""
    world, arm, stop = World(), 0.5, 2.0
    bob = world.add_body(Sphere(0.05), pos=(arm, 0.0, 0.0), mass=1.0, inertia=(0.01, 0.01, 0.01), mask=0)
    world.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), limits=(-stop, stop), restitution=e)
    world.use_solver(solver)
    rises = []
    for _ in range(int(1.5 * hertz)):
        step(world, 1.0 / hertz)
        x, _, z = world.bodies["pos"][bob]
        rises.append(z if x > 0.0 else -arm)
    height = (e * e - 1.0) * arm * math.sin(stop)
    assert max(rises[int(0.6 * hertz):]) == pytest.approx(height, abs=0.6 / hertz)
    assert not list(world.warnings.pop_new()), "the auditor has nothing to tell"


@each_value()
@pytest.mark.parametrize("hertz", [60, 240])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_slider_between_two_stops_keeps_its_time(solver, hertz):
    """Elastic stops at -0.5 and 0.5 m, 2 m/s: a triangle wave, whatever the step; four strikes in 2 s."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, vel=(2.0, 0.0, 0.0))
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), limits=(-0.5, 0.5), restitution=1.0)
    world.use_solver(solver)
    for n in range(1, 2 * hertz + 1):
        step(world, 1.0 / hertz)
        way = (2.0 * n / hertz + 0.5) % 2.0
        assert world.bodies["pos"][body, 0] == pytest.approx(min(way, 2.0 - way) - 0.5, abs=5e-5)


@pytest.mark.parametrize("solver", SOLVERS[:3])
def test_a_limit_and_a_contact_strike_at_once(solver):
    """A slider meets its stop while a ball lands elsewhere: each rebounds by its own law."""
    world = World()
    body = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 2.0), mass=1.0, vel=(2.0, 0.0, 0.0))
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 2.0), axis=(1.0, 0.0, 0.0), limits=(-1.0, 0.21), restitution=0.5)
    world.add_body(Plane(), kind="static", restitution=0.8)
    ball = world.add_body(Sphere(0.1), pos=(3.0, 0.0, 0.1 + 0.205 + 0.5 * G * 0.1025 ** 2), vel=(0.0, 0.0, -2.0), restitution=0.8)
    world.use_solver(solver)
    for _ in range(9):
        step(world, 1.0 / 60.0)
    assert world.bodies["vel"][body, 0] == pytest.approx(-1.0, abs=1e-6)
    assert world.bodies["pos"][body, 0] == pytest.approx(0.21 - (0.15 - 0.105), abs=1e-5)
    assert world.bodies["vel"][ball, 2] > 0.0


def tumbling_pair(world, kind, height=0.0, restitution=0.0):
    """Two bodies that tumble at the ends of a taut rope or a rod."""
    a = world.add_body(Box((0.3, 0.1, 0.05)), pos=(0.0, 0.0, height), quat=(0.9, 0.1, 0.3, -0.2), mass=1.0,
                       omega=(0.3, 4.0, -1.0), restitution=restitution)
    b = world.add_body(Box((0.2, 0.2, 0.1)), pos=(1.0, 0.0, height + 0.3), mass=2.0, omega=(1.0, -2.0, 3.0), vel=(0.0, 1.5, 0.0),
                       restitution=restitution)
    world.add_joint(kind, a, b, anchor=(0.1, 0.02, height), anchor_b=(0.95, 0.0, height + 0.3))
    return a, b


def angular_momentum(world, bodies):
    """About the centre of mass (3,) [kg m^2/s]."""
    table = world.bodies[list(bodies)]
    centre = np.average(table["pos"], axis=0, weights=table["mass"])
    total = np.zeros(3)
    for body in table:
        turn = np.array([quat.rotate(tuple(body["quat"]), axis) for axis in np.eye(3)]).T
        total += turn @ body["inertia"] @ turn.T @ body["omega"] + np.cross(body["pos"] - centre, body["mass"] * body["vel"])
    return total


@pytest.mark.parametrize("kind", ("rope", "rod"))
@pytest.mark.parametrize("hertz", (60, 240))
def test_a_taut_rope_keeps_angular_momentum_as_a_rod_does(kind, hertz):
    """Velocities lead to its length; shifted positions would change it by 1e-4 of itself a step."""
    world = World(gravity=(0.0, 0.0, 0.0))
    pair = tumbling_pair(world, kind)
    before = angular_momentum(world, pair)
    for _ in range(2 * hertz):
        assert not step(world, 1.0 / hertz).audit.findings
    assert angular_momentum(world, pair) == pytest.approx(before, rel=1e-9)


def test_a_rod_does_so_beside_a_heap_that_the_sweeps_do_not_solve():
    """A step that ends at the limit of sweeps leads the joints that touch nothing to where they close, too."""
    world, chance = World(), np.random.default_rng(3)
    world.add_body(Plane(), kind="static", friction=0.5)
    pair = tumbling_pair(world, "rod", height=100.0)
    for n in range(12):
        world.add_body(Box((0.2, 0.2, 0.2)), pos=(5.0 + 0.5 * (n % 3), 0.45 * (n // 3), 0.3 + 0.5 * (n % 2)), friction=0.7,
                       omega=3.0 * chance.normal(size=3))
    before, unsolved = angular_momentum(world, pair), 0
    for _ in range(240):
        unsolved += step(world, 1.0 / 120.0).end != "converged"
    assert unsolved > 10
    assert angular_momentum(world, pair) == pytest.approx(before, rel=2e-6)


@pytest.mark.parametrize("sweeps", (2, 10))
@pytest.mark.parametrize("hertz", (60, 240))
def test_joints_with_friction_that_the_sweeps_do_not_solve_keep_angular_momentum(sweeps, hertz):
    """Three tumbling boxes on ball joints that rub: few sweeps do not tell which sticks, but joints act in pairs."""
    world = World(gravity=(0.0, 0.0, 0.0))
    set_option(world.solver.options, "iterations", sweeps)
    bodies = [world.add_body(Box((0.3, 0.1, 0.05)), pos=(0.7 * n, 0.0, 0.0), mass=1.0 + n,
                             omega=(0.3, 4.0 * (1 - n), 2.0 * n - 1.0)) for n in range(3)]
    for a, b in itertools.pairwise(bodies):
        world.add_joint("spherical", a, b, anchor=(0.7 * (a - 1) + 0.35, 0.05, 0.0), max_friction=2.0)
    step(world, 1.0 / hertz)        # joints that the velocities do not allow: an impact
    before, unsolved = angular_momentum(world, bodies), 0
    for _ in range(hertz):
        report = step(world, 1.0 / hertz)
        unsolved += report.end != "converged"
        assert not report.audit.findings
    assert unsolved > hertz / 10
    assert angular_momentum(world, bodies) == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("height", (0.3, 0.7))
@pytest.mark.parametrize("hertz", (60, 240))
def test_a_rope_pulls_while_a_body_on_it_rebounds(height, hertz):
    """The velocity that the curving path asks for is no rebound of the rope, which energy would limit."""
    world = World()
    world.add_body(Plane(), kind="static")
    tumbling_pair(world, "rope", height, restitution=0.6)
    for _ in range(hertz):
        assert not step(world, 1.0 / hertz).audit.findings


@pytest.mark.parametrize(("kind", "axis", "lo", "hi"), [
    ("prismatic", "travel", -0.3, 0.2), ("cylindrical", "travel", -0.3, 0.2), ("cylindrical", "angle", -0.5, 0.7),
    ("planar", "x", -0.2, 0.2), ("planar", "y", -0.2, 0.3), ("planar", "angle", -1.0, 0.5), ("universal", "first", -0.5, 0.5),
    ("universal", "second", -0.4, 0.6), ("spherical", "twist", -0.5, 0.5), ("spherical", "swing", None, 0.6),
    ("screw", "angle", -1.5, 1.5), ("spring", "length", 0.85, 1.15), ("torsion_spring", "angle", -0.15, 0.15),
    ("six_dof", "x", -0.2, 0.2), ("six_dof", "z", -0.2, 0.2), ("six_dof", "ry", -0.6, 0.6)])
def test_every_axis_stays_within_its_limits(kind, axis, lo, hi):
    """Two bodies thrown about for 4 s; beyond a limit by at most 1e-3, and the limit is really reached."""
    world = firm()
    a = world.add_body(Box((0.3, 0.1, 0.05)), mass=1.0, omega=(1.0, -2.0, 1.5))
    b = world.add_body(Box((0.3, 0.1, 0.08)), mass=2.0, pos=(0.8, 0.0, 0.0), omega=(2.0, 1.5, -2.0), vel=(0.3, 0.5, -0.4))
    more = {"anchor_b": (1.0, 0.0, 0.0)} if joints.kinds()[kind].anchors == 2 else {}
    more |= {"stiffness": 5.0} if "spring" in kind else {}
    world.add_joint(kind, a, b, anchor=(0.0 if kind == "spring" else 0.4, 0.0, 0.0), axis=(0.0, 0.3, 1.0),
                    limits={axis: (lo, hi)}, name="joint", **more)
    before = energy(world)
    key = f"joint:joint.{axis}" if len(joints.kinds()[kind].axes) > 1 else "joint:joint.angle"
    values = run(world, 4.0, key)[:, 0]
    low = -math.inf if lo is None else lo
    assert values.max() < hi + 1e-3 and values.min() > low - 1e-3
    assert values.max() > hi - 5e-3 or values.min() < low + 5e-3
    assert energy(world) < before * 1.001


def test_equal_limits_lock_an_axis():
    world = arm(limits=(0.0, 0.0))
    values = run(world, 2.0, "joint:hinge.angle", "joint:hinge.error")
    assert np.abs(values).max() < 1e-7
    world.set_joint_limits(0, None, None)
    assert run(world, 0.5, "joint:hinge.angle")[-1, 0] > 0.5
    world.set_joint_limits(0, 1.0, 1.0)
    assert run(world, 0.5, "joint:hinge.angle")[-1, 0] == pytest.approx(1.0, abs=1e-6)


# ---- motors


def test_a_velocity_motor_reaches_its_speed_and_not_more():
    world = arm((0.0, 0.0, 0.0), motor=Motor(target=2.0, force=5.0))
    values = run(world, 2.0, "joint:hinge.rate", "joint:hinge.motor")
    up = 5.0 / inertia_of(world) * DT
    assert values[:60, 0] == pytest.approx(np.minimum(2.0, up * (np.arange(60) + 0.5)), rel=1e-4)
    assert values[1:30, 1] == pytest.approx(5.0, rel=1e-9), "the first kick lasts half a step"
    assert values[-1, 0] == pytest.approx(2.0, rel=1e-9) and values[-1, 1] == pytest.approx(0.0, abs=1e-6)


def test_a_motor_saturates_against_a_load():
    """5 N m lift no arm of 9.81 N m; 15 N m do."""
    world = arm(motor=Motor(target=-1.0, force=5.0))
    values = run(world, 0.2, "joint:hinge.rate", "joint:hinge.motor")
    assert values[5:, 0].min() > 0.0 and values[1:, 1] == pytest.approx(-5.0, rel=1e-9)
    world = arm(motor=Motor(target=-1.0, force=15.0))
    values = run(world, 0.5, "joint:hinge.rate")
    assert values[-1, 0] == pytest.approx(-1.0, rel=1e-9)


def test_a_position_motor_reaches_its_target_and_stays():
    world = arm(motor=Motor(mode="position", target=-0.8, force=50.0, speed=1.5))
    values = run(world, 4.0, "joint:hinge.angle", "joint:hinge.rate")
    assert values[:, 1].min() == pytest.approx(-1.5, rel=1e-6)
    assert values[-1, 0] == pytest.approx(-0.8, abs=1e-6)
    assert values[:, 0].min() > -0.8 - 1e-6


def test_a_spring_motor_finds_its_equilibrium():
    """k (rest - q) = m g l cos q."""
    world = arm(motor=Motor(mode="spring", target=0.0, stiffness=40.0, damping=4.0))
    angle = run(world, 10.0, "joint:hinge.angle")[-1, 0]
    assert 40.0 * angle == pytest.approx(2.0 * G * 0.5 * math.cos(angle), rel=1e-6)


def test_a_motor_against_friction_uses_the_difference():
    world = arm((0.0, 0.0, 0.0), max_friction=2.0, motor=Motor(target=10.0, force=5.0))
    values = run(world, 0.2, "joint:hinge.rate", "joint:hinge.friction")
    assert values[-1, 0] == pytest.approx(3.0 / inertia_of(world) * (0.2 - DT / 2), rel=1e-5)
    assert values[-1, 1] == pytest.approx(-2.0, rel=1e-9)


def test_a_motor_between_two_bodies_keeps_their_angular_momentum():
    world = firm()
    a = world.add_body(Box((0.3, 0.1, 0.05)), mass=1.0)
    b = world.add_body(Box((0.3, 0.1, 0.05)), mass=2.0, pos=(0.0, 0.0, 0.2))
    world.add_joint("revolute", a, b, anchor=(0.0, 0.0, 0.1), motor=Motor(target=5.0, force=3.0), name="m")
    run(world, 2.0, "joint:m.rate")
    assert read(world, "joint:m.rate") == pytest.approx(5.0, rel=1e-9)
    assert read(world, "world.angular_momentum_z") == pytest.approx(0.0, abs=1e-9)


def test_a_motor_on_one_axis_of_many():
    world = firm()
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0)
    world.add_joint("six_dof", 0, body, anchor=(0.0, 0.0, 0.0), name="stage", limits={"rx": (0, 0), "ry": (0, 0), "rz": (0, 0)},
                    motor={"x": Motor(target=0.5, force=10.0), "y": Motor("position", 0.2, 10.0), "z": Motor("spring", 0.0, 1e3,
                           stiffness=100.0, damping=20.0)})
    run(world, 3.0)
    assert world.bodies["pos"][body] == pytest.approx((0.5 * (3.0 - 0.5 * 0.05), 0.2, 0.0), abs=2e-3)
    world.set_joint_motor(0, None, "x")
    world.set_joint_motor(0, Motor("position", 0.0, 10.0), "x")
    run(world, 4.0)
    assert world.bodies["pos"][body] == pytest.approx((0.0, 0.2, 0.0), abs=1e-3)


# ---- what breaks


def test_a_joint_breaks_at_its_force():
    """A ball on a weld: 20 N of weight hold at 21 N and break 19 N; the ball falls."""
    for most, holds in ((21.0, True), (19.0, False)):
        world = firm((0.0, 0.0, -10.0))
        ball = world.add_body(Sphere(0.1), mass=2.0, pos=(0.0, 0.0, 1.0))
        world.add_joint("fixed", 0, ball, anchor=(0.0, 0.0, 1.0), break_force=most, name="weld")
        step(world, DT)
        assert [broken.name for broken in world.broken] == ([] if holds else ["weld"])
        step(world, DT)
        assert not world.broken
        run(world, 0.5)
        assert (world.bodies["pos"][ball, 2] > 0.999) == holds
        assert ("weld" in world.joint_names) == holds


def test_a_joint_breaks_at_its_torque():
    for most, holds in ((10.0, True), (9.7, False)):
        world = arm(limits=(0.0, 0.0), break_torque=most)
        step(world, DT)
        assert bool(world.broken) == (not holds)
        if not holds:
            assert "torque of 9.81 N m" in world.broken[0].text


def test_a_snapshot_restores_a_broken_joint():
    world = arm(break_force=4.0)
    before = world.snapshot()
    run(world, 0.1)
    assert not (world.joints["kind"] >= 0).any()
    world.restore(before)
    assert world.joint("hinge") == 0


# ---- bad input


@pytest.mark.parametrize(("more", "words"), [
    ({"limits": (1.0, -1.0)}, "exceeds the upper"), ({"limits": (math.nan, 1.0)}, "lower limit"),
    ({"limits": {"angel": (0, 1)}}, "angle"),
    ({"limits": 3.0}, "lo, hi"), ({"motor": 3.0}, "Motor"), ({"motor": Motor(force=-1.0)}, "force"),
    ({"motor": Motor(mode="fast")}, "mode"), ({"motor": {"x": Motor()}}, "axis"), ({"break_force": -1.0}, "break_force"),
    ({"break_force": math.nan}, "break_force"), ({"restitution": 2.0}, "restitution"), ({"max_friction": -1.0}, "friction"),
    ({"axis": (0, 0, 0)}, "axis"), ({"axis": (0, math.nan, 1)}, "axis"), ({"anchor_b": (math.inf, 0, 0)}, "anchor_b"),
    ({"across": (0, 1, 0)}, "across"), ({"length": 1.0}, "parameter")])
def test_bad_joints_are_refused_and_nothing_is_added(more, words):
    world = firm()
    body = world.add_body(Box((0.5, 0.05, 0.05)), mass=2.0)
    with pytest.raises(BadInput, match=words):
        world.add_joint("revolute", 0, body, **{"anchor": (0, 0, 0), "axis": (0, 1, 0), **more})
    assert len(world.joints) == 0 and not world.joint_names


def test_a_joint_needs_two_bodies_one_of_which_moves():
    world = firm()
    body = world.add_body(Box((0.5, 0.05, 0.05)), mass=2.0)
    wall = world.add_body(Box((0.5, 0.05, 0.05)), kind="static")
    for a, b, words in ((body, body, "itself"), (0, wall, "neither of which can move"), (0, 99, "no body")):
        with pytest.raises(BadInput, match=words):
            world.add_joint("revolute", a, b, anchor=(0, 0, 0))


def test_kinds_without_friction_refuse_a_bound():
    world = firm()
    body = world.add_body(Box((0.5, 0.05, 0.05)), mass=2.0)
    with pytest.raises(BadInput, match="no friction"):
        world.add_joint("fixed", 0, body, anchor=(0, 0, 0), max_friction=1.0)
    with pytest.raises(BadInput, match="cone"):
        world.add_joint("spherical", 0, body, anchor=(0, 0, 0), limits={"swing": (0.0, 0.0)})


def test_an_axis_of_any_length_is_the_same_axis():
    angles = []
    for axis in ((0.0, 1.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 250.0, 0.0)):
        world = arm()
        world.remove_joint(0)
        world.add_joint("revolute", 0, 1, anchor=(0, 0, 0), axis=axis, name="hinge")
        angles.append(run(world, 0.5, "joint:hinge.angle")[-1, 0])
    assert angles[0] == angles[1] == angles[2]


def test_an_unbounded_motor_gets_the_largest_force_with_a_warning():
    world = arm(motor=Motor(target=1.0, force=math.inf))
    assert world.joints["motor_force"][0, 0] == 1e9
    assert any("1e+09" in sentence for sentence in world.warnings)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "planar", "screw", "fixed", "universal"])
def test_a_joint_made_with_turned_axes_turns_its_body_slowly(kind):
    """0.3 rad between the two axes: closed after half a second, without the blow that one step would give."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.2, 0.1, 0.1)), mass=1.0, mask=0)
    world.add_joint(kind, 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), axis_b=(0.0, 0.3, 1.0))
    for _ in range(240):
        report = step(world, DT)
        assert report.audit.ok and report.energy["kinetic"] < 0.05
    assert world.joints["error"][0] < 1e-7


def test_anchors_apart_are_pulled_together_gently():
    """1 m apart: a warning, no speed above 8 m/s, closed after half a second and still after."""
    world = firm()
    a = world.add_body(Sphere(0.1), mass=1.0)
    b = world.add_body(Sphere(0.1), mass=1.0, pos=(3.0, 0.0, 0.0))
    world.add_joint("spherical", a, b, anchor=(1.0, 0.0, 0.0), anchor_b=(2.0, 0.0, 0.0), name="socket")
    assert any("1 m apart" in sentence for sentence in world.warnings)
    speeds, gaps = [], []
    for _ in range(240):
        step(world, DT)
        speeds.append(np.abs(world.bodies["vel"]).max())
        gaps.append(world.bodies["pos"][b, 0] - world.bodies["pos"][a, 0])
    assert max(speeds) < 2.5 and np.all(np.diff(gaps) < 1e-9)
    assert gaps[119] == pytest.approx(2.0, abs=1e-6) and gaps[-1] == pytest.approx(2.0, abs=1e-9)
    assert speeds[-1] < 1e-6


def test_changing_a_joint_checks_first():
    world = arm(limits=(-1.0, 1.0))
    before = world.joints.copy()
    for change in (lambda: world.set_joint_limits(0, 2.0, 1.0), lambda: world.set_joint_motor(0, Motor(force=-1.0)),
                   lambda: world.set_joint_strength(0, force=-1.0), lambda: world.set_joint_param(0, ratio=1.0),
                   lambda: world.set_joint_limits(0, 0.0, 1.0, "x"), lambda: world.set_joint_friction(-1.0, 0)):
        with pytest.raises(BadInput):
            change()
    assert np.array_equal(world.joints, before)


def test_limits_and_motors_need_no_time_budget():
    world = arm(limits=(-1.0, 1.0))
    set_option(world.solver.options, "iterations", 30)
    assert run(world, 2.0, "joint:hinge.angle").max() < 1.0 + 1e-6
