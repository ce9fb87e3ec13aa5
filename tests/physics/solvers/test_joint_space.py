"""Time stepping in joint coordinates: exact joints, energy, other solvers, closed loops, limits, friction; random trees."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import scenes
from physics import BadInput, Box, Capsule, Ellipsoid, Material, Motor, Plane, Sphere, World, set_option, step
from physics.dynamics import measure
from physics.observe.audit.verdict import ACCOUNT, MOVED
from scenes import gripper
from tests.helpers import long_run
from tests.tools.each_value import each_value

G = 9.81
WAYS = "sequential_impulses", "joint_space"


def energy(world: World) -> float:
    return float(sum(measure.energy(world.bodies, world.gravity)))


def chain(links: int, **joint) -> World:
    """Links on hinges that alternate between y and x, level at first."""
    world, last = World(), 0
    for i in range(links):
        body = world.add_body(Box((0.2, 0.03, 0.03)), pos=(0.2 + 0.4 * i, 0.0, 3.0), mass=1.0, friction=0.0)
        world.add_joint("revolute", last, body, anchor=(0.4 * i, 0.0, 3.0), axis=(0.0, 1.0, 0.3 * i), name=f"pin {i}", **joint)
        last = body
    return world


def run(world: World, solver: str, seconds: float, dt: float) -> World:
    world.use_solver(solver)
    for _ in range(round(seconds / dt)):
        report = step(world, dt)
        assert not report.audit.findings, report.audit.findings
    return world


@pytest.mark.parametrize("dt", [1.0 / 120.0, 1.0 / 480.0])
def test_energy_of_a_chain_stays_bounded_and_its_joints_exact(dt):
    world = chain(4)
    before = energy(world)
    lowest = before - measure.energy(world.bodies, world.gravity)[1]
    run(world, "joint_space", 2.0, dt)
    moved = measure.energy(world.bodies, world.gravity)[0]
    world.joint_space()
    assert abs(energy(world) - before - lowest) < 40.0 * dt * max(moved, 1.0)      # velocities lag by half a step
    assert world.joints["error"].max() < 1e-14


def test_it_moves_chains_as_maximal_coordinates_do():
    """Both conserve momenta in the same step, one along the motions that joints allow, one with impulses that close them; later
    they divide their steps, not at the same time."""
    for dt in (1.0 / 200.0, 1.0 / 400.0):
        ends = [run(chain(3), solver, 0.35, dt).bodies["pos"][3].copy() for solver in WAYS]
        assert np.abs(ends[1] - ends[0]).max() < 1e-9


def ring(links: int, mass: float) -> World:
    """Thin capsules of 0.3 m in a regular ring on ball joints, hung up at a corner, every second of that mass [kg]; thrown."""
    world, corners = World(), []
    radius = 0.15 / math.sin(math.pi / links)
    for k in range(links + 1):
        corners.append(np.array([radius * math.cos(2 * math.pi * k / links), radius * math.sin(2 * math.pi * k / links), 0.0]))
    for k in range(links):
        way = (corners[k + 1] - corners[k]) / 0.3
        half = np.array([0.0, 0.0, 1.0]) + way
        world.add_body(Capsule(0.015, 0.13), pos=0.5 * (corners[k] + corners[k + 1]), mass=mass if k % 2 else 1.0, mask=0,
                       quat=(0.0, *(half / np.linalg.norm(half))))
    for k in range(1, links):
        world.add_joint("spherical", k, k + 1, anchor=corners[k])
    world.add_joint("spherical", links, 1, anchor=corners[0], name="last")
    world.add_joint("spherical", 0, 1, anchor=corners[0])
    world.bodies["vel"][links // 2] = 0.0, 0.0, 3.0
    return world


@pytest.mark.parametrize(("links", "mass"), [(5, 1.0), (6, 5.0), pytest.param(9, 0.2, marks=long_run)])
def test_rings_stay_closed_and_keep_their_energy(links, mass):
    """Where the cut joint is, by the poses; while its impulses were those of linear equations it opened by 1e-3."""
    world, opened = ring(links, mass), []
    world.use_solver("joint_space")
    step(world, 1.0 / 240.0)
    before, moved = energy(world), []
    for _ in range(720):
        step(world, 1.0 / 240.0)
        ends = []
        for side in "ab":
            joint = world.joints[links - 1]
            body = world.bodies[joint[f"body_{side}"]]
            turned = 2.0 * np.cross(body["quat"][1:], joint[f"anchor_{side}"])
            ends.append(body["pos"] + joint[f"anchor_{side}"] + body["quat"][0] * turned + np.cross(body["quat"][1:], turned))
        opened.append(np.abs(ends[1] - ends[0]).max())
        moved.append(world.report.energy["kinetic"])
    assert max(opened) < 1e-9
    assert abs(energy(world) - before) < 0.02 * max(moved)


def test_a_shaft_follows_one_that_is_turned_by_hand():
    """The cut joint leads to a body that moves in the step: its error at the end is not that where the step began."""
    ends = [run(scenes.make_world(scenes.find("truth.universal")), solver, 0.5, 1.0 / 240.0) for solver in WAYS]
    assert np.abs(ends[1].bodies["quat"] - ends[0].bodies["quat"]).max() < 1e-3


def test_a_body_on_a_rod_keeps_its_energy():
    """It is the only joint of the body, which is cut: 8 % of the energy came from nowhere in 5 s."""
    world = World()
    ball = world.add_body(Capsule(0.02, 0.15), pos=(0.3, 0.1, 0.0), mass=1.0, omega=(0.0, 2.0, 1.0))
    world.add_joint("rod", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(0.3, 0.1, 0.1))
    world.use_solver("joint_space")
    step(world, 1.0 / 60.0)
    before, moved = energy(world), []
    for _ in range(300):
        moved.append(step(world, 1.0 / 60.0).energy["kinetic"])
    assert abs(energy(world) - before) < 0.01 * max(moved)


def sliding_balls(solver: str, **options) -> np.ndarray:
    """Positions of three hinged balls of large inertia that slide askew on a floor, one contact each, after 0.2 s."""
    world, balls = World(), []
    world.add_body(Plane(), kind="static", friction=0.4)
    for k in range(3):
        balls.append(world.add_body(Sphere(0.05), pos=(0.4 * k, 0.0, 0.05), vel=(1.0, 1.5 - 0.5 * k, 0.0), mass=1.0,
                                    inertia=(0.02, 0.02, 0.02), friction=0.4))
        if k:
            world.add_joint("revolute", balls[-2], balls[-1], anchor=(0.4 * k - 0.2, 0.0, 0.05), axis=(0.0, 0.0, 1.0))
    world.use_solver(solver)
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    for _ in range(48):
        step(world, 1.0 / 240.0)
    return world.bodies["pos"][balls]


def test_a_round_cone_opposes_the_slip_in_every_direction():
    """A box that slides at 1 rad to the first corner keeps its course; hinged bodies slide as in maximal coordinates."""
    way = np.array([math.cos(1.0), math.sin(1.0), 0.0])
    for cone, askew in (("polygon", False), ("circle", True)):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5)
        box = world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), vel=tuple(2.0 * way), friction=0.5)
        world.use_solver("joint_space")
        set_option(world.solver.options, "cone", cone)
        for _ in range(24):
            step(world, 1.0 / 240.0)
        velocity = world.bodies["vel"][box]
        assert (np.linalg.norm(velocity - (velocity @ way) * way) < 1e-12) == askew
    reference = sliding_balls("stewart_trinkle", cone="circle")
    assert np.abs(sliding_balls("joint_space", cone="circle") - reference).max() < 1e-4
    assert np.abs(sliding_balls("joint_space") - reference).max() > 2e-3


def test_a_round_cone_settles_where_many_contacts_share_a_load():
    """Four hinged boxes on four corners each; from round to round alone it took 4305 pivots, and directions were left askew."""
    world, last = World(), 0
    world.add_body(Plane(), kind="static", friction=0.3)
    for k in range(4):
        box = world.add_body(Box((0.1, 0.03, 0.03)), pos=(0.25 * k, 0.0, 0.03), mass=3.0**k, friction=0.3)
        if k:
            world.add_joint("revolute", last, box, anchor=(0.25 * k - 0.125, 0.0, 0.03), axis=(0.0, 0.0, 1.0))
        last = box
    world.set_velocity(2, (0.5, 1.0, 0.0), (0.0, 0.0, 3.0))
    world.use_solver("joint_space")
    set_option(world.solver.options, "cone", "circle")
    reports = [step(world, 1.0 / 240.0) for _ in range(8)]
    assert max(report.iterations for report in reports) < 1500 and max(report.residual for report in reports) < 1e-3


@pytest.mark.parametrize("dt", [1.0 / 100.0, 1.0 / 400.0])
def test_a_pendulum_has_its_period(dt):
    """Of a rod from 90 degrees: 4 sqrt(I / m g L) K(1/2); counted by the time of the first return to rest."""
    world = World()
    rod = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 2.0), mass=1.0)
    world.add_joint("revolute", 0, rod, anchor=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0))
    world.use_solver("joint_space")
    inertia = world.bodies["inertia"][rod, 1, 1] + 0.25
    half = 2.0 * math.sqrt(inertia / (G * 0.5)) * 1.8540746773013719
    rates, times = [], []
    while world.time < half + 0.1:
        step(world, dt)
        rates.append(world.bodies["omega"][rod, 1])
        times.append(world.time - world.bodies["velocity_lag"][rod])
    k = next(i for i in range(1, len(rates)) if rates[i - 1] > 0.0 >= rates[i])
    assert times[k - 1] + dt * rates[k - 1] / (rates[k - 1] - rates[k]) == pytest.approx(half, abs=0.6 * dt**2 + 1e-6)


@pytest.mark.parametrize("mass", [0.1, 1000.0])
def test_a_block_on_a_slope_sticks_and_slips_as_coulomb_says(mass):
    for mu, moves in ((0.55, True), (0.6, False)):      # tan 30 degrees = 0.577
        world = World(gravity=(G * 0.5, 0.0, -G * math.cos(math.pi / 6.0)))
        world.add_body(Plane(), kind="static", friction=mu)
        block = world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), mass=mass, friction=mu)
        run(world, "joint_space", 0.5, 0.01)
        way = world.bodies["pos"][block, 0]
        expected = 0.5 * (0.5 - mu * math.cos(math.pi / 6.0)) * G * 0.25
        assert way == pytest.approx(expected, rel=1e-6) if moves else abs(way) < 1e-9


@pytest.mark.parametrize("name", ["door", "incline", "rod_and_table"])
def test_scenes_keep_their_laws(name):
    scene = scenes.find(name)
    world = scenes.without_clock(scenes.make_world(scene))
    world.use_solver("joint_space")
    scene.check(*scenes.run(scene, world=world))
    assert not world.energy_totals.failures_by_rule


def test_a_closed_loop_is_cut_and_held():
    """A parallelogram of four bars swings like the pendulum of its bars; its cut joint stays closed."""
    world, drift = World(), 0.0
    left = world.add_body(Box((0.02, 0.02, 0.5)), pos=(0.0, 0.0, 1.5), mass=1.0)
    right = world.add_body(Box((0.02, 0.02, 0.5)), pos=(1.0, 0.0, 1.5), mass=1.0)
    bar = world.add_body(Box((0.5, 0.02, 0.02)), pos=(0.5, 0.0, 1.0), mass=1.0)
    for a, b, x, z in ((0, left, 0.0, 2.0), (0, right, 1.0, 2.0), (left, bar, 0.0, 1.0), (right, bar, 1.0, 1.0)):
        world.add_joint("revolute", a, b, anchor=(x, 0.0, z), axis=(0.0, 1.0, 0.0))
    for body in (left, right):
        world.bodies["omega"][body], world.bodies["vel"][body] = (0.0, 1.0, 0.0), (-0.5, 0.0, 0.0)
    world.bodies["vel"][bar] = -1.0, 0.0, 0.0
    world.use_solver("joint_space")
    assert len(world.joint_space().tree.loops) == 1
    for _ in range(240):
        step(world, 1.0 / 240.0)
        drift = max(drift, world.joints["error"].max())
    assert drift < 1e-4
    turned = [2.0 * math.atan2(world.bodies["quat"][b, 2], world.bodies["quat"][b, 0]) for b in (left, right)]
    assert turned[0] == pytest.approx(turned[1], abs=1e-4) and abs(turned[0]) > 0.01


def test_limits_drives_and_friction_of_joints():
    """A motor turns an arm against its limit; dry friction holds what it can."""
    world = World()
    arm = world.add_body(Box((0.2, 0.02, 0.02)), pos=(0.2, 0.0, 1.0), mass=1.0)
    world.add_joint("revolute", 0, arm, anchor=(0.0, 0.0, 1.0), axis=(0.0, 0.0, 1.0), limits=(-1.0, 0.4),
                    motor=Motor("velocity", 1.0, 5.0))
    held = world.add_body(Box((0.2, 0.02, 0.02)), pos=(0.2, 2.0, 1.0), mass=1.0)
    world.add_joint("revolute", 0, held, anchor=(0.0, 2.0, 1.0), axis=(0.0, 1.0, 0.0), max_friction=2.0)
    run(world, "joint_space", 1.0, 0.01)
    assert world.joints["coordinate"][0, 0] == pytest.approx(0.4, abs=1e-9)
    assert world.joints["limit_impulse"][0, 0] / world.last_dt == pytest.approx(-5.0, rel=1e-6)
    assert np.abs(world.bodies["omega"][held]).max() < 1e-9
    assert abs(world.joints["friction_impulse"][1, 0]) / world.last_dt == pytest.approx(G * 0.2, rel=1e-6)


def test_random_trees_follow_maximal_coordinates():
    """Trees of all kinds of joints, floating and fixed, for a tenth of a second."""
    for seed in range(6):
        ends = []
        for solver in WAYS:
            random, world = np.random.default_rng(seed), World()
            bodies = [0] if seed % 2 else [world.add_body(Box((0.1, 0.2, 0.3)), omega=random.normal(size=3))]
            for _ in range(5):
                parent, place = int(random.choice(bodies)), random.normal(size=3)
                bodies.append(world.add_body(Box(tuple(random.uniform(0.1, 0.3, 3))), pos=place, mask=0))
                world.add_joint(str(random.choice(["revolute", "prismatic", "spherical", "universal", "cylindrical", "planar",
                                                   "fixed", "screw"])), parent, bodies[-1], anchor=place + random.normal(size=3),
                                axis=random.normal(size=3))
            ends.append(run(world, solver, 0.1, 1e-3).bodies["pos"].copy())
        assert np.abs(ends[1] - ends[0]).max() < 2e-5, seed


def test_solvers_are_exchanged_while_it_runs():
    world = chain(3)
    run(world, "sequential_impulses", 0.2, 0.005)
    before = energy(world)
    run(world, "joint_space", 0.2, 0.005)
    run(world, "sequential_impulses", 0.1, 0.005)
    assert abs(energy(world) - before) < 0.02 * measure.energy(world.bodies, world.gravity)[0]


def test_what_it_cannot_do_is_said_by_name():
    world = chain(2)
    joint = world.add_body(Sphere(0.1), pos=(5.0, 0.0, 0.0))
    world.add_joint("spherical", 0, joint, anchor=(4.8, 0.0, 0.0), anchor_b=(4.9, 0.0, 0.0), name="open one")
    with pytest.raises(BadInput, match="'open one' was made open"):
        world.use_solver("joint_space")


@pytest.mark.parametrize("solver", ["joint_space", "event_driven"])
def test_a_body_almost_without_inertia_is_refused_by_name(solver):
    for inertia, fits in ((1e-300, False), (1e-30, True)):
        world = World()
        grain = world.add_body(Sphere(0.1), pos=(0.2, 0.0, 1.0), mass=1.0, inertia=(inertia,) * 3, name="grain")
        world.add_joint("revolute", 0, grain, anchor=(0.2, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
        if fits:
            run(world, solver, 0.1, 0.01)
            continue
        with pytest.raises(BadInput, match=r"'grain' has a moment of inertia of 1e-300 kg m\^2.* at least 1e-30 kg m\^2; omit"):
            world.use_solver(solver)
        assert world.solver.name == World().solver.name


def thrown(mechanism: str, masses: tuple[float, float], solver: str, dt: float) -> np.ndarray:
    """Positions after half a second of two bodies on a hinge that fly and tumble, free, or with one on a rod or spring."""
    world = World()
    for x, mass in zip((0.0, 0.4), masses):
        world.add_body(Box((0.15, 0.06, 0.04)), pos=(x, 0.0, 0.0), mass=mass, mask=0, friction=0.0)
    world.add_joint("revolute", 1, 2, anchor=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
    if mechanism == "free":
        world.set_velocity(2, (0.5, 0.2, 0.0), (2.0, 4.0, 1.0))
    else:
        world.add_joint(mechanism, 0, 1, anchor=(0.0, 0.0, 0.3), anchor_b=(-0.1, 0.0, 0.0),
                        **({"stiffness": 200.0, "damping": 1.0} if mechanism == "spring" else {}))
    world.use_solver(solver)
    for _ in range(round(0.5 / dt)):
        audit = step(world, dt).audit
        assert audit.ok, audit.worst
    return world.bodies["pos"][1:].copy()


@each_value()
@pytest.mark.parametrize("masses", [(3.0, 1.0), (2.0, 2.0)])
@pytest.mark.parametrize("mechanism", ["free", "rod", "spring"])
def test_what_flies_and_what_is_cut_converge_with_second_order(mechanism, masses):
    """The reference is a Runge-Kutta method of order 4 with other equations. Longer steps are divided where the hinge turns
    over."""
    exact = thrown(mechanism, masses, "subsystems", 1.0 / 1000.0)
    coarse, fine = (np.abs(thrown(mechanism, masses, "joint_space", dt) - exact).max() for dt in (1.0 / 500.0, 1.0 / 1000.0))
    assert fine < 4e-3 and (coarse > 2.2 * fine or fine < 5e-5)


@pytest.mark.parametrize("mass, dt", [(0.3, 1.0 / 60.0), (8.0, 1.0 / 240.0)])
@pytest.mark.parametrize("solver", ["joint_space", "event_driven"])
def test_a_joint_that_holds_nothing_lets_its_body_fly(solver, mass, dt):
    """A torque turns it ever faster about a point beside its joint; the centre of mass falls all the same."""
    world = World()
    box = world.add_body(Box((0.25, 0.06, 0.04)), pos=(0.3, 0.0, 0.0), mass=mass, mask=0, friction=0.0)
    world.add_joint("six_dof", 0, box, anchor=(0.05, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
    world.use_solver(solver)
    for _ in range(round(0.5 / dt)):
        world.apply_torque(box, (0.3 * mass, 0.1 * mass, 0.25 * mass))
        assert step(world, dt).audit.ok
    assert np.allclose(world.bodies["pos"][box], (0.3, 0.0, -0.5 * G * 0.25), atol=1e-9)


@pytest.mark.parametrize("dt, rate, mass", [(1.0 / 60.0, 10.0, 0.2), (1.0 / 240.0, 12.0, 5.0)])
@pytest.mark.parametrize("kind", ["spherical", "revolute", "planar"])
def test_energy_and_momentum_of_what_tumbles_are_those_of_one_moment(kind, dt, rate, mass):
    """Nothing rubs: the auditor, who knows no joint coordinates, finds no loss and no gain, and every body's momentum right."""
    world, last = World(), 0
    if kind == "planar":
        last = world.add_body(Box((0.3, 0.3, 0.1)), mass=3.0 * mass, mask=0, friction=0.0, vel=(0.1, 0.0, 1.0))
    for x in (0.2, 0.6):
        body = world.add_body(Box((0.1, 0.05, 0.02)), pos=(x, 0.0, 0.0), mass=mass, mask=0, friction=0.0)
        world.add_joint(kind if x > 0.2 or kind == "planar" else "spherical", last, body, anchor=(x - 0.2, 0.0, 0.0),
                        **({} if kind == "spherical" else {"axis": (0.3, 1.0, 0.2)}))
        last = body
    world.set_velocity(last, (0.0, 0.0, 0.0), (rate, 0.7 * rate, 0.3 * rate))
    world.use_solver("joint_space")
    for _ in range(round(1.0 / dt)):
        audit = step(world, dt).audit
        assert audit.ok, audit.worst


@pytest.mark.parametrize("dt, mass, mu, share, release", [(1.0 / 60.0, 4.0, 0.4, 1.5, 40.0), (1.0 / 60.0, 2.0, 0.7, 1.5, 40.0),
                                                          (1.0 / 240.0, 2.0, 0.4, 1.3, 20.0)])
def test_a_gripper_holds_with_all_corners_until_statics_lets_go(dt, mass, mu, share, release):
    """Of many solutions the even one: on a single corner of each pad the box turns and slips early."""
    needed = gripper.needed(gripper.Parameters(mass=mass, mu=mu))
    parameters = gripper.Parameters(mass=mass, mu=mu, grip=share * needed, release=release)
    world = scenes.without_clock(scenes.make_world(scenes.find("gripper"), parameters))
    world.use_solver("joint_space")
    set_option(world.solver.options, "cone", "circle")
    speeds = {name: list(world.body_names).index(name) for name in ("pad 1", "box")}
    trace = {"time": [], **{f"body:{name}.vz": [] for name in speeds}}
    while parameters.grip - release * world.time > 0.8 * needed:
        step(world, dt)
        trace["time"].append(world.time)
        for name, body in speeds.items():
            trace[f"body:{name}.vz"].append(world.bodies["vel"][body, 2])
        held = world.contacts["impulse"][world.contacts["impulse"] > 0.0]
        if parameters.grip - release * world.time > 1.005 * needed:
            assert len(held) >= 8 and held.min() > 0.99 * held.max()
    found = gripper.slipped(parameters, {key: np.array(values) for key, values in trace.items()})
    assert abs(found - needed) < 1e-3 * needed


@pytest.mark.parametrize("dt, books, mass, hand, thick", [(1.0 / 60.0, 3, 100.0, 0.5, 0.02), (1.0 / 240.0, 2, 0.3, 0.5, 0.02),
                                                          (1.0 / 240.0, 6, 0.3, 0.01, 0.02), (1.0 / 960.0, 3, 0.02, 0.1, 0.002)])
@pytest.mark.parametrize("share", [0.8, 2.0])
def test_books_between_two_hands_hang_or_fall_as_coulomb_says(dt, books, mass, hand, thick, share):
    """A force F of each hand holds the weight W of all books if 2 mu F > W, and else they fall with g (1 - 2 mu F / W); all
    corners of a face press alike. Books touch one another though no free motion closes them: corners were left out by chance, and
    those that hung turned about the others."""
    world, weight, side = World(), books * mass * G, 7.5 * thick
    world.use_solver("joint_space")
    materials = [Material(friction=mu, mixing={"friction": "product"}) for mu in (1.0, 0.5)]
    row = [world.add_body(Box((thick, 0.7 * side, side)), pos=(2.0 * thick * k, 0.0, 0.0), mass=mass, material=materials[0])
           for k in range(books)]
    hands = {}
    for x, force in ((-2.0 * thick, share * weight), (2.0 * thick * books, -share * weight)):
        body = world.add_body(Box((thick, 0.7 * side, side)), pos=(x, 0.0, 0.0), mass=hand, material=materials[1])
        world.add_joint("prismatic", 0, body, anchor=(x, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
        hands[body] = force
    for n in range(12):
        for body, force in hands.items():
            world.apply_force(body, (force, 0.0, 0.0))
        report = step(world, dt)
        assert report.end == "converged" and report.audit.ok, report.audit.worst
        loads = world.contacts["impulse"] / dt
        if n:
            assert len(loads) == 4 * (books + 1) and loads.min() > 0.6 * loads.max()      # torques of friction tilt them
            assert abs(loads.sum() - (books + 1) * share * weight) < 1e-9 * weight
    fall = 0.5 * max(0.0, 1.0 - share) * G * (12.0 * dt) ** 2
    assert np.abs(world.bodies["pos"][row, 2] + fall).max() < 1e-9 + 1e-6 * fall
    assert np.abs(world.bodies["omega"][row]).max() < 1e-9


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
def test_a_step_is_divided_where_light_rods_that_carry_a_load_swing_fast(dt):
    """The swings have omega^2 = 12 F / (m l), h omega = 4 and more in a whole step, with which it diverges."""
    world, last, at, angles = World(), 0, np.zeros(3), (0.5, 0.5, 0.55)
    for k, angle in enumerate(angles):
        along = 0.5 * np.array([math.sin(angle), 0.0, -math.cos(angle)])
        rod = world.add_body(Box((0.02, 0.02, 0.25)), pos=tuple(at + 0.5 * along), mass=0.02, inertia=(4e-4, 4e-4, 2e-5), mask=0,
                             quat=(math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0))
        world.add_joint("revolute", last, rod, anchor=tuple(at), axis=(0.0, 1.0, 0.0), name=f"pin {k}")
        at, last = at + along, rod
    ball = world.add_body(Sphere(0.1), pos=tuple(at), mass=100.0, mask=0)
    world.add_joint("fixed", last, ball, anchor=tuple(at))
    world.use_solver("joint_space")
    step(world, dt)
    before, moved = energy(world), 100.0 * G * 1.5 * (1.0 - math.cos(0.5))
    for _ in range(round(0.3 / dt)):
        report = step(world, dt)
        assert not report.audit.findings
    assert report.substeps > 1 and abs(energy(world) - before) < 2e-4 * moved


def test_a_light_bracket_welded_to_an_arm_does_not_divide_the_step():
    """It turns with the arm: alone it would swing at 600 rad/s under the arm's weight."""
    world = World()
    upper = world.add_body(Box((0.3, 0.03, 0.03)), pos=(0.3, 0.0, 2.0), mass=2.0)
    bracket = world.add_body(Box((0.01, 0.01, 0.01)), pos=(0.61, 0.0, 2.0), mass=0.01, mask=0)
    arm = world.add_body(Box((0.3, 0.03, 0.03)), pos=(0.92, 0.0, 2.0), mass=5.0, mask=0)
    world.add_joint("revolute", 0, upper, anchor=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("revolute", upper, bracket, anchor=(0.6, 0.0, 2.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("fixed", bracket, arm, anchor=(0.62, 0.0, 2.0))
    world.use_solver("joint_space")
    before = energy(world)
    for _ in range(24):
        report = step(world, 1.0 / 240.0)
        assert report.substeps == 1 and not report.audit.findings
    assert abs(energy(world) - before) < 1e-2 * measure.energy(world.bodies, world.gravity)[0]


# ---- tops

INERTIA, ARM, SPIN = np.array([0.002, 0.004, 0.005]), np.array([0.03, 0.02, 0.2]), (3.0, 10.0, 30.0)


def heavy_top(order: int, dt: float) -> np.ndarray:
    """Orientation after half a second of a body of 1 kg and three different moments on a ball joint beside its axes."""
    world = World()
    body = world.add_body(Box((0.1, 0.06, 0.02)), pos=tuple(ARM), mass=1.0, inertia=tuple(INERTIA), omega=SPIN,
                          vel=tuple(np.cross(SPIN, ARM)))
    world.add_joint("spherical", *((0, body) if order else (body, 0)), anchor=(0.0, 0.0, 0.0))
    return run(world, "joint_space", 0.5, dt).bodies["quat"][body].copy()


@pytest.mark.parametrize("order", [0, 1])
def test_an_asymmetric_heavy_top_follows_eulers_equations(order):
    """About the fixed point, integrated in the body's frame: I w' = r x R^T m g - w x I w."""
    about = np.diag(INERTIA) + ARM @ ARM * np.eye(3) - np.outer(ARM, ARM)

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        weight = np.array([2.0 * (q[1] * q[3] - q[0] * q[2]), 2.0 * (q[2] * q[3] + q[0] * q[1]), 1.0 - 2.0 * (q[1]**2 + q[2]**2)])
        turning = np.linalg.solve(about, np.cross(ARM, -G * weight) - np.cross(w, about @ w))
        return np.concatenate([0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))]), turning])

    exact = solve_ivp(rate, (0.0, 0.5), [1.0, 0.0, 0.0, 0.0, *SPIN], rtol=1e-11, atol=1e-11).y[:4, -1]
    coarse, fine = (np.linalg.norm(q * np.sign(q @ exact) - exact) for q in (heavy_top(order, 1.0 / 240.0),
                                                                             heavy_top(order, 1.0 / 960.0)))
    assert coarse < 3e-4 and coarse == pytest.approx(16.0 * fine, rel=0.1)


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
@pytest.mark.parametrize("own, other", [(0.003, 0.005), (0.005, 0.003), (0.0055, 0.003)])
def test_a_runner_of_a_mill_presses_on_its_floor_as_its_spin_turns(dt, own, other):
    """A ball of other inertia about its arm that rolls about a pivot: N L + F R = m g L + I3 W^2 L^2 / R, F along the arm. Its
    friction is near its bound, and takes no energy."""
    world, radius, length, rate = World(), 0.1, 0.3, 4.0
    world.add_body(Plane(), kind="static", friction=0.8)
    ball = world.add_body(Sphere(radius), pos=(length, 0.0, radius), mass=1.0, inertia=(own, other, other), friction=0.8,
                          vel=(0.0, rate * length, 0.0), omega=(-rate * length / radius, 0.0, rate))
    world.add_joint("spherical", 0, ball, anchor=(0.0, 0.0, radius))
    world.use_solver("joint_space")
    turned = 0.0
    for _ in range(round(0.5 / dt)):
        before = world.bodies["pos"][ball].copy()
        assert step(world, dt).audit.ok
        after, contact = world.bodies["pos"][ball], world.contacts[0]
        turned += math.atan2(before[0] * after[1] - before[1] * after[0], before[:2] @ after[:2])
    force = (contact["impulse"] * length + radius * contact["friction_impulse"] @ (after - (0.0, 0.0, radius)) / length) / dt
    assert turned == pytest.approx(0.5 * rate, abs=1e-5)
    assert abs(world.audit.memory[ball, ACCOUNT]) < 1e-4 * world.audit.memory[ball, MOVED]
    assert force == pytest.approx(G * length + own * rate**2 * length / radius, abs=1e-3)


def test_a_fast_top_takes_few_parts():
    """It precesses by m g l / (I3 w3): with a phase of its own spin it would need parts of a tenth of a millisecond."""
    world = World()
    body = world.add_body(Sphere(0.05), pos=(0.2, 0.0, 0.0), mass=1.0, inertia=(0.005, 0.003, 0.003), omega=(400.0, 0.0, 0.981),
                          vel=(0.0, 0.1962, 0.0), mask=0)
    world.add_joint("spherical", 0, body, anchor=(0.0, 0.0, 0.0))
    world.use_solver("joint_space")
    parts = sum(step(world, 1.0 / 60.0).substeps for _ in range(60))
    assert parts == 240
    assert math.atan2(*world.bodies["pos"][body, 1::-1]) == pytest.approx(0.981, abs=1e-4)


@pytest.mark.parametrize("shape, height", [(Ellipsoid((0.2, 0.1, 0.1)), 0.1), (Capsule(0.1, 0.1), 0.2)])
def test_a_contact_turns_with_its_body_also_after_an_impact(shape, height):
    """After a step with an impact there are no impulses to start from; what rolls on rolls as after any other step."""
    world = World()
    world.use_solver("joint_space")
    world.add_body(Plane(), kind="static", friction=1.0)
    world.add_body(shape, pos=(0.0, 0.0, height), vel=(0.3, 0.0, 0.0), omega=(0.0, 3.0, 0.5), friction=1.0)
    for _ in range(30):
        step(world, 1.0 / 240.0)
    before, found = world.snapshot(), []
    for has_start in (1, 0):
        world.restore(before)
        world.awake_contacts["warm_startable"] = has_start
        step(world, 1.0 / 240.0)
        found.append(np.hstack((world.bodies["vel"][2], world.bodies["omega"][2])))
    assert len(world.contacts) == 1 and found[1] == pytest.approx(found[0], abs=1e-12)
