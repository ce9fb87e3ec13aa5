"""Soft steps: stacks stand, chains hold, boxes stick and slip at the right angle, rebounds gain nothing; determinism; switching.

Where softness shows, the tolerance is the load's depth w g / omega^2 (head of soft_steps.py), not zero.
"""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import scenes
from physics import Box, Capsule, Ellipsoid, Plane, Sphere, World, set_option, step
from physics.core.records import Case
from physics.dynamics import measure
from physics.solvers.soft_steps import CONTACT_FREQUENCY, softness
from tests.tools.each_value import each_value

G = 9.81


def soft_world(gravity=(0.0, 0.0, -G), **options: object) -> World:
    """An empty world under soft steps."""
    world = World(gravity=gravity)
    world.use_solver("soft_steps")
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    return world


def pyramid(n: int, **options: object) -> World:
    """n 1 kg boxes of 1 m in the lowest row, side gaps of 0.1 m; n = 1 is a box."""
    world = soft_world(**options)
    world.add_body(Plane(), kind="static")
    for level in range(n):
        for i in range(n - level):
            world.add_body(Box((0.5, 0.5, 0.5)), pos=((i - (n - level - 1) / 2) * 1.1, 0.0, 0.5 + level), mass=1.0)
    return world


def run(world: World, seconds: float, dt: float = 1.0 / 240.0) -> World:
    for _ in range(round(seconds / dt)):
        step(world, dt)
    return world


def test_the_spring_is_that_of_its_closed_form():
    """One substep of p' = scale (p - K^-1 (v + rate C)) is one step of implicit Euler of x'' = -omega^2 x - 2 zeta omega x'."""
    hertz, zeta, h = 7.0, 0.6, 1.0 / 240.0
    omega = 2.0 * math.pi * hertz
    rate, scale = softness(hertz, zeta, h)
    x, v = -0.3, 1.7
    soft = v - scale * (v + rate * x)
    implicit = (v - h * omega**2 * x) / (1.0 + h * 2.0 * zeta * omega + (h * omega) ** 2)
    assert soft == pytest.approx(implicit, rel=1e-12)


@pytest.mark.parametrize("hertz", [15.0, 30.0])
def test_a_box_sinks_in_by_its_weight(hertz):
    """Depth g / omega^2 of a resting box; contacts with the ground are twice as stiff."""
    world = run(pyramid(1, contact_hertz=hertz, contact_damping=1.0), 4.0)
    depth = 0.5 - world.bodies["pos"][2, 2]
    assert depth == pytest.approx(G / (2.0 * math.pi * 2.0 * hertz) ** 2, rel=0.02)
    assert world.report.energy["kinetic"] < 1e-12


def test_a_pyramid_stands_still():
    world = pyramid(6)
    built = world.bodies["pos"].copy()
    run(world, 5.0)
    settled = world.bodies["pos"].copy()
    run(world, 5.0)
    assert np.abs(world.bodies["pos"] - built)[:, :2].max() < 3e-3
    assert np.abs(world.bodies["pos"] - settled).max() < 1e-4
    assert world.report.energy["kinetic"] < 1e-5


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 16), (1 / 240, 4)])
def test_a_chain_holds(dt, substeps):
    """Ten links and a ball of a hundred times their mass, let go level: no gap above 5 mm, and no energy gained."""
    world = soft_world(substeps=substeps)
    before = 0
    for i in range(10):
        link = world.add_body(Capsule(0.02, 0.08), pos=(0.2 * (i + 0.5), 0.0, 0.0), quat=(0.5**0.5, 0.0, 0.5**0.5, 0.0), mass=0.1)
        world.add_joint("spherical", before, link, anchor=(0.2 * i, 0.0, 0.0))
        before = link
    ball = world.add_body(Sphere(0.15), pos=(2.15, 0.0, 0.0), mass=10.0)
    world.add_joint("spherical", before, ball, anchor=(2.0, 0.0, 0.0))
    worst, most = 0.0, -math.inf
    for _ in range(round(2.0 / dt)):
        report = step(world, dt)
        worst = max(worst, report.joint_error)
        most = max(most, report.energy["kinetic"] + report.energy["potential"])
    assert worst < 0.005
    assert most < 0.01 * 10.0 * G * 2.15
    assert world.bodies["pos"][ball, 2] < 0.0


def on_a_slope(share: float, mu: float = 0.5) -> tuple[float, float]:
    """Distance that a box on a slope of share * atan(mu) moves in 2 s after a second of settling, and that of the closed form."""
    theta = share * math.atan(mu)
    world = soft_world(gravity=(G * math.sin(theta), 0.0, -G * math.cos(theta)), cone="circle")
    world.add_body(Plane(), kind="static", friction=mu)
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), friction=mu)
    run(world, 1.0)
    x, v = world.bodies["pos"][box, 0], world.bodies["vel"][box, 0]
    run(world, 2.0)
    return world.bodies["pos"][box, 0] - x, 2.0 * v + 2.0 * max(0.0, G * (math.sin(theta) - mu * math.cos(theta)))


def test_a_box_sticks_below_the_angle_of_friction():
    """0.98 atan(mu): it creeps no more than 1e-6 m in 2 s once it has settled."""
    assert abs(on_a_slope(0.98)[0]) < 1e-6


def test_a_box_slides_above_the_angle_of_friction():
    """1.02 atan(mu): with g (sin - mu cos), within 1 %."""
    moved, expected = on_a_slope(1.02)
    assert moved == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("e", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_a_ball_rebounds_to_e2_h_and_never_higher(e, dt):
    world = soft_world()
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.1), restitution=e)
    z = []
    for _ in range(round(1.2 / dt)):
        step(world, dt)
        z.append(world.bodies["pos"][ball, 2] - 0.1)
    landed = int(np.flatnonzero(np.diff(z) > -1e-3 * dt)[0])
    rises = z[landed:landed + round(2.0 * e * math.sqrt(2.0 / G) / dt)]
    assert max(rises) == pytest.approx(e * e, rel=0.01, abs=G * dt**2)
    assert max(z) <= 1.0


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize("ahead", [0.05, 0.2])
@pytest.mark.parametrize(("radius", "speed"), [(0.1, 3.0), (0.02, 8.0)])
def test_speculative_contacts_do_not_act_early(radius, speed, ahead, dt):
    """A ball that comes down at that speed, without gravity, and meets the floor by a share of a step after the step's end."""
    world = soft_world(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static")
    height = radius + (1.0 + ahead) * speed * dt
    ball = world.add_body(Sphere(radius), pos=(0.0, 0.0, height), vel=(0.0, 0.0, -speed), restitution=1.0)
    step(world, dt)
    assert not world.contacts["impulse"].any() and world.bodies["vel"][ball, 2] == -speed
    step(world, dt)
    assert world.bodies["vel"][ball, 2] == pytest.approx(speed, rel=1e-12)
    assert world.bodies["pos"][ball, 2] - radius == pytest.approx((1.0 - ahead) * speed * dt, rel=1e-9)


@each_value()
@pytest.mark.parametrize("dt", [1 / 240, 1 / 960])
@pytest.mark.parametrize(("size", "mass", "spin"), [(1.0, 1.0, 5.0), (0.5, 0.2, 8.0), (3.0, 20.0, -3.0)])
def test_a_rattleback_gains_no_energy(size, mass, spin, dt):
    """It turns round by rocking, without restitution: nothing can gain. In 15 s less than a twentieth of its first motion at
    240 Hz, in 6 s less with shorter steps; without the bend of its contact it gains three times all of that."""
    axes, c, s = np.diag((2e-4, 1.6e-3, 1.7e-3)) * mass * size**2, math.cos(0.1), math.sin(0.1)
    skew = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    world = soft_world()
    world.add_body(Plane(), kind="static", friction=0.9)
    world.add_body(Ellipsoid((0.2 * size, 0.03 * size, 0.02 * size)), pos=(0.0, 0.0, 0.02 * size), mass=mass,
                   inertia=skew @ axes @ skew.T, omega=(0.0, 0.01, spin), friction=0.9)
    kinetic, potential = measure.energy(world.bodies, world.gravity)
    most = max(sum(step(world, dt).energy.values()) for _ in range(round((15.0 if dt > 2e-3 else 6.0) / dt)))
    assert most < kinetic + potential + 0.05 * 240.0 * dt * kinetic


def test_a_heap_gains_no_energy():
    """Boxes and balls thrown together, overlapping at first contact by what they fall in a step: energy never rises."""
    rng = np.random.default_rng(4)
    world = soft_world()
    world.add_body(Plane(), kind="static")
    for i in range(30):
        shape = Box((0.2, 0.15, 0.1)) if i % 2 else Sphere(0.15)
        x, y = 0.6 * (i % 5), 0.6 * ((i // 5) % 3)
        world.add_body(shape, pos=(x, y, 0.4 + 0.6 * (i // 15)), vel=rng.normal(size=3), friction=0.3)
    before = sum(measure.energy(world.bodies, world.gravity))
    drop = 30.0 * 1e3 * 0.02 * G
    for _ in range(480):
        energy = sum(step(world, 1.0 / 240.0).energy.values())
        assert energy < before + 1e-3 * drop
        before = min(before, energy)
    assert world.report.penetration < 2e-3


def test_friction_stays_in_its_cone_and_the_judge_is_that_of_all_solvers():
    world = run(pyramid(4), 0.5)
    assert 0.0 < world.report.residual < 1e-2
    assert world.report.iterations == 8
    for c in world.contacts:
        assert c["impulse"] >= 0.0
        assert np.linalg.norm(c["friction_impulse"]) <= c["friction"] * c["impulse"] * (1.0 + 1e-9)
    assert (world.contacts["case"] == Case.STICK).any()


def test_contacts_carry_the_weight():
    """The normal impulses of a step on the ground add up to the weight of all."""
    world = run(pyramid(4), 3.0)
    ground = world.contacts[world.contacts["body_a"] == 1] if (world.contacts["body_a"] == 1).any() else world.contacts[
        world.contacts["body_b"] == 1]
    assert ground["impulse"].sum() == pytest.approx(10.0 * G / 240.0, rel=1e-3)


def test_forces_act_through_all_substeps_and_for_one_step():
    world = soft_world(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Sphere(0.5), mass=2.0)
    world.apply_force(body, (4.0, 0.0, 0.0))
    world.apply_torque(body, (0.0, 0.0, 1.0))
    for _ in range(2):
        step(world, 0.01)
    assert world.bodies["vel"][body] == pytest.approx((0.02, 0.0, 0.0), rel=1e-9)
    assert world.bodies["omega"][body, 2] == pytest.approx(0.01 / (0.4 * 2.0 * 0.25), rel=1e-9)


@pytest.mark.parametrize("name", ["playground", "chain"])
def test_runs_are_deterministic_and_continue_from_a_snapshot(name):
    """Bit for bit."""
    runs = []
    for _ in range(2):
        world = scenes.make_world(scenes.find(name))
        world.use_solver("soft_steps")
        run(world, 0.2)
        middle = world.snapshot()
        run(world, 0.2)
        runs.append(world.bodies.copy())
    other = World()
    other.restore(middle)
    run(other, 0.2)
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[1], other.bodies)


@pytest.mark.parametrize("solvers", [("soft_steps", "sequential_impulses"), ("sequential_impulses", "soft_steps")])
def test_switching_the_solver_leaves_a_stack_standing(solvers):
    world = pyramid(4)
    for name in (*solvers, *solvers):
        world.use_solver(name)
        run(world, 0.5)
    assert np.abs(world.bodies["vel"]).max() < 0.01
    assert world.report.solver == world.solver.name
    assert world.bodies["pos"][-1, 2] == pytest.approx(3.5, abs=0.01)


def test_springs_are_never_stiffer_than_the_substeps_resolve():
    """Ten thousand hertz asked for: the box settles as with an eighth of the substep rate."""
    heights = []
    for hertz in (10_000.0, CONTACT_FREQUENCY * 960.0):
        world = run(pyramid(1, contact_hertz=hertz), 1.0)
        heights.append(world.bodies["pos"][2, 2])
    assert heights[0] == heights[1]


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), (0.2, 0.05), (4.0, 300.0)])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_the_impact_of_a_limit_opens_no_hinge(dt, length, mass, e):
    """A bar turns about its end, without gravity, and is thrown back by -e; its end stays where it is."""
    world, half = soft_world(gravity=(0.0, 0.0, 0.0)), 0.5 * length
    bar = world.add_body(Box((half, 0.02 * length, 0.02 * length)), pos=(half, 0.0, 0.0), mass=mass, vel=(0.0, 0.0, -2.0 * half),
                         omega=(0.0, 2.0, 0.0), mask=0)
    world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), limits=(-1.0, 0.5), restitution=e)
    worst = max(step(world, dt).joint_error for _ in range(round(0.4 / dt)))
    assert world.bodies["omega"][bar, 1] == pytest.approx(-2.0 * e, abs=1e-3)
    assert worst < 1e-4


@pytest.mark.parametrize(("dt", "within"), [(1 / 60, 0.05), (1 / 240, 0.02)])
@pytest.mark.parametrize("e", [0.5, 0.8])
def test_limits_of_joints_rebound(dt, within, e):
    """A bar on a hinge falls from the level to a stop 45 degrees below: it rises to e^2 of its drop, and the blow does not
    open the hinge."""
    world = soft_world()
    bar = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 0.0), mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), mask=0)
    world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), limits=(-1.0, math.pi / 4),
                    restitution=e)
    drop, heights = 0.5 * math.sin(0.25 * math.pi), []
    for _ in range(round(0.75 / dt)):
        assert step(world, dt).joint_error < 3e-3 * 240.0 * dt
        heights.append(world.bodies["pos"][bar, 2] + drop)
    struck = int(np.argmax(np.diff(heights) > 0.0))
    assert max(heights[struck:]) / drop == pytest.approx(e * e, rel=within)


@pytest.mark.parametrize("ratio", [1.0, 100.0])
def test_joints_of_a_chain_stay_closed_and_keep_its_energy(ratio):
    """Of twenty links and a heavy end that swing: one sweep over joints as springs left them a millimetre open."""
    world, last = soft_world(), 0
    for k in range(20):
        link = world.add_body(Capsule(0.02, 0.08), pos=(0.2 * k + 0.1, 0.0, 0.0), quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0),
                              mass=ratio if k == 19 else 1.0, mask=0)
        world.add_joint("spherical", last, link, anchor=(0.2 * k, 0.0, 0.0))
        last = link
    before = sum(measure.energy(world.bodies, world.gravity))
    worst, fall = 0.0, 0.0
    for _ in range(60):
        worst = max(worst, step(world, 1.0 / 60.0).joint_error)
        fall = max(fall, world.report.energy["kinetic"])
    assert worst < (1e-4 if ratio == 1.0 else 1e-6) and fall > 50.0     # without the heavy end it cracks like a whip
    assert abs(sum(measure.energy(world.bodies, world.gravity)) - before) < 1e-3 * fall


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
def test_a_landing_does_not_tear_joints_open(dt):
    world = soft_world()
    world.add_body(Plane(), kind="static", friction=0.6)
    tilted = np.array([0.9, 0.3, 0.2, 0.1]) / math.sqrt(0.95)
    first = world.add_body(Box((0.2, 0.15, 0.1)), pos=(0.0, 0.0, 0.8), quat=tilted, omega=(1.0, 3.0, 0.0))
    second = world.add_body(Box((0.1, 0.15, 0.3)), pos=(0.7, 0.0, 1.0), quat=tilted, vel=(0.0, 1.0, 0.0))
    third = world.add_body(Sphere(0.15), pos=(1.2, 0.0, 1.2))
    world.add_joint("revolute", first, second, anchor=(0.35, 0.0, 0.9))
    world.add_joint("spherical", second, third, anchor=(0.95, 0.0, 1.1))
    for _ in range(round(1.5 / dt)):
        report = step(world, dt)
        assert report.joint_error < 2e-4 and not report.audit.findings


def angular_momentum(world: World) -> np.ndarray:
    """About the origin [N m s]; shares nothing with measure.momentum."""
    total = np.zeros(3)
    for body in world.bodies[1:]:
        turn = Rotation.from_quat(np.roll(body["quat"], -1)).as_matrix()
        total += (body["mass"] * np.cross(body["pos"], body["vel"]) + turn @ body["inertia"] @ turn.T @ body["omega"])
    return total


@pytest.mark.parametrize("kind", ["spherical", "revolute", "prismatic", "fixed", "universal", "cylindrical", "planar", "screw",
                                  "rope"])
@pytest.mark.parametrize("rate", [60.0, 240.0])
def test_joined_bodies_keep_their_angular_momentum(rate, kind):
    """Struck by a ball, and tumbling after it: what relaxes joints acts where they are after the motion."""
    world = soft_world(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Box((0.3, 0.2, 0.1)), pos=(0.0, 0.0, 0.0), mass=2.0, restitution=0.8, friction=0.3)
    b = world.add_body(Box((0.2, 0.25, 0.1)), pos=(0.8, 0.0, 0.0), mass=1.0, restitution=0.8, friction=0.3)
    world.add_body(Sphere(0.2), pos=(-0.5, 1.0, 0.1), mass=1.5, vel=(2.0, -5.0, 0.3), omega=(1.0, 2.0, 3.0), restitution=0.8,
                   friction=0.3)
    ends = {"anchor": (0.1, 0.1, 0.0), "anchor_b": (0.7, 0.0, 0.0)} if kind == "rope" else {"anchor": (0.4, 0.0, 0.0)}
    world.add_joint(kind, a, b, axis=(0.3, 0.2, 1.0), **ends)
    given, impacts = angular_momentum(world), 0
    for _ in range(int(0.6 * rate)):
        report = step(world, 1.0 / rate)
        impacts += report.impacts
        assert report.audit.ok, report.audit.worst.text
        assert np.abs(angular_momentum(world) - given).max() < 1e-12 * np.abs(given).max()
    assert impacts > 0
