"""The subsystem method: accelerations against articulated bodies, orders, drift, friction that sticks and lets go, bad input."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physics import BadInput, Box, Motor, Plane, Sphere, World, step
from physics.articulated.subsystems import partition, reduction
from physics.articulated.subsystems.mechanism import Mechanism
from physics.core.quaternions import rotate
from scenes import four_bars, make_world, pendulum, run, slider_crank
from tests.tools.random_trees import moved, random_world


def shape_of(subsystem: partition.Subsystem) -> list:
    return [shape_of(child) for child in subsystem.children] or subsystem.bodies[0]


def mechanism_of(world: World, **how) -> Mechanism:
    mechanism = Mechanism(world, **how)
    mechanism.read(world)
    return mechanism


def accelerations(mechanism: Mechanism) -> np.ndarray:
    return mechanism.moment(mechanism.q, mechanism.v, 0.0, frozenset(), {}).v_dot


# ---- the elimination


@pytest.mark.parametrize("seed", range(12))
def test_accelerations_of_trees_are_those_of_articulated_bodies(seed):
    """ABA (RBDA 7.1) eliminates nothing; 14 bodies on joints of all kinds, turning, pushed."""
    rng = np.random.default_rng(seed)
    world = random_world(rng, 14)
    space = moved(world, rng)
    expected = space.forward_dynamics()
    for most in (1, 3, 14):
        found = accelerations(mechanism_of(world, most=most))
        assert np.abs(found - expected).max() < 1e-9 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_of_loops_are_those_of_constrained_joint_space(seed):
    """Two more joints close loops; a linear solve for all multipliers at once is the reference."""
    rng = np.random.default_rng(100 + seed)
    world = random_world(rng, 8)
    for _ in range(2):
        a, b = rng.choice(np.arange(1, 9), 2, replace=False)
        world.add_joint("spherical", int(a), int(b), anchor=rng.normal(size=3))
    # the velocities of the loops are not closed: accelerations are defined all the same
    for i in range(1, 9):
        world.set_velocity(i, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        world.apply_force(i, rng.normal(size=3))
    expected = world.joint_space().forward_dynamics()
    for groups in (None, (("body 1", "body 2", "body 3"), (("body 4", "body 5"), "body 6", "body 7"))):
        found = accelerations(mechanism_of(world, groups=groups, most=2))
        assert np.abs(found - expected).max() < 1e-8 * (1.0 + np.abs(expected).max())


def test_reactions_hold_whatever_the_tree_of_subsystems():
    world = make_world(four_bars.SCENE)
    found = []
    for groups in (("bar 1", "bar 2", "bar 3", "bar 4"), (("bar 1", "bar 2"), ("bar 3", "bar 4")),
                   (("bar 1", ("bar 2", ("bar 3", "bar 4"))),)):
        mechanism = mechanism_of(world, groups=groups)
        moment = mechanism.moment(mechanism.q, mechanism.v, 0.0, frozenset(), {})
        found.append(moment.v_dot)
    assert np.abs(found[1] - found[0]).max() < 1e-12 and np.abs(found[2] - found[0]).max() < 1e-12


def test_dependent_rows_are_dropped():
    rng = np.random.default_rng(3)
    some = rng.normal(size=(4, 9))
    G = np.vstack([some, some[0] - 2.0 * some[3], some[1]])
    factor, kept = reduction.factorised(G @ G.T)
    assert len(kept) == 4
    right = G @ rng.normal(size=9)
    answer = G[kept].T @ reduction.solved(factor, right[kept])
    assert np.allclose(G @ answer, right, atol=1e-12), "rows that were dropped hold, too"


def test_halves_are_cut_where_few_joints_are():
    ladder = [(k, k + 1) for k in range(1, 12)]
    groups = partition.automatic(range(1, 13), ladder, 3)
    assert len(groups) == 2 and sorted(np.ravel(groups[0])) in ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12])
    world = make_world(four_bars.SCENE)
    root = mechanism_of(world, most=2).root
    assert len(root.children) == 2 and all(len(child.joints) == 1 for child in root.children) and len(root.joints) == 3
    assert [len(one.outer) for one in root.children] == [2, 2] and root.outer == ()


# ---- the step


def test_orders_of_the_integrators():
    """A double pendulum on hinges; differences of halved steps fall by 4 and by 16."""
    def end(method: str, dt: float) -> np.ndarray:
        world, last = World(), 0
        for k in range(2):
            bar = world.add_body(Box((0.02, 0.02, 0.5)), pos=(0.5 + k, 0.0, 0.0), quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0),
                                 mass=1.0, mask=0)
            world.add_joint("revolute", last, bar, anchor=(float(k), 0.0, 0.0), axis=(0.0, 1.0, 0.0))
            last = bar
        world.use_solver("subsystems")
        world.solver.options.integrator = method
        for _ in range(round(0.4 / dt)):
            step(world, dt)
        return world.bodies["pos"][1:3].copy()
    for method, order, dt in (("RK2", 2.0, 0.01), ("RK4", 4.0, 0.005)):
        one, two, four = (end(method, dt / n) for n in (1, 2, 4))
        measured = math.log2(np.abs(one - two).max() / np.abs(two - four).max())
        assert abs(measured - order) < 0.3, f"{method}: order {measured:.2f}"


def test_the_published_loop_stays_closed_through_its_collinear_pose():
    drift, pos = four_bars.drift(make_world(four_bars.SCENE), 2, 2)
    assert drift <= 5e-15
    known = four_bars.reference(math.radians(45.0), 2)
    world = make_world(four_bars.SCENE)
    found = four_bars.angles(pos[:, [world.body("bar 1"), world.body("bar 4")]])
    assert np.abs(found - known).max() < 1e-3
    assert 1e-12 < four_bars.drift(four_bars.linkage(), 0, 1)[0] < 1e-3, "without stabilisation it drifts"


def test_a_free_top_and_a_ball_joint_keep_energy_and_momentum():
    """Quaternions as coordinates; RK4 at 1 kHz keeps a torque-free top to its order."""
    world = World(gravity=(0.0, 0.0, 0.0))
    top = world.add_body(Box((0.3, 0.2, 0.1)), mass=2.0, omega=(1.0, 8.0, 0.5))
    world.use_solver("subsystems")
    world.solver.options.integrator = "RK4"

    def momentum() -> np.ndarray:
        b = world.bodies[top]
        turn = np.column_stack([rotate(b["quat"], axis) for axis in np.eye(3)])
        return turn @ b["inertia"] @ turn.T @ b["omega"]
    before, energy = momentum(), None
    for _ in range(1000):
        report = step(world, 1e-3)
        energy = energy or report.energy["kinetic"]
        assert not report.audit.findings
    assert np.allclose(momentum(), before, rtol=0.0, atol=1e-8 * np.linalg.norm(before))
    assert report.energy["kinetic"] == pytest.approx(energy, rel=1e-9)


# ---- friction


@pytest.mark.parametrize("dt", [0.01, 1.0 / 240.0])
def test_a_wheel_is_stopped_by_dry_friction_and_stays(dt):
    """I w' = -F: it turns by I w0^2 / (2 F) and stops at I w0 / F, between two steps."""
    world = World(gravity=(0.0, 0.0, 0.0))
    wheel = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.01, 0.01, 0.01), omega=(0.0, 0.0, 5.0), mask=0)
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=0.1, name="axle")
    world.use_solver("subsystems")
    for _ in range(math.ceil(0.7 / dt)):
        report = step(world, dt)
        assert not report.audit.findings
    assert world.joints["coordinate"][0, 0] == pytest.approx(0.01 * 25.0 / 0.2, abs=1e-9)
    assert np.abs(world.bodies["omega"][wheel]).max() < 1e-9
    held = world.joints["coordinate"][0, 0]
    for _ in range(20):
        step(world, dt)
    assert world.joints["coordinate"][0, 0] == pytest.approx(held, abs=1e-12)


def test_a_hinge_lets_go_where_the_torque_exceeds_the_bound():
    world = World(gravity=(0.0, 0.0, 0.0))
    wheel = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.01, 0.01, 0.01), mask=0)
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=0.1)
    world.use_solver("subsystems")
    for n in range(100):
        torque = 0.002 * (n + 1)
        world.apply_torque(wheel, (0.0, 0.0, torque))
        step(world, 0.01)
        if torque <= 0.1:
            assert abs(world.bodies["omega"][wheel, 2]) < 1e-15
            assert world.joints["friction_impulse"][0, 0] == pytest.approx(-0.01 * torque, rel=1e-9)
    assert world.bodies["omega"][wheel, 2] == pytest.approx(sum(0.002 * (n + 1) - 0.1 for n in range(50, 100)) * 0.01 / 0.01)


def test_swings_of_a_pendulum_with_dry_friction_follow_the_energy_balance():
    world = make_world(pendulum.SCENE)
    world.use_solver("subsystems")
    _, trace = run(pendulum.SCENE, seconds=6.0, world=world, keys=("joint:hinge.angle", "joint:hinge.rate"))
    found = pendulum.turning_points(trace)
    for measured, expected in zip(found, pendulum.turns(pendulum.Parameters(), 5), strict=False):
        assert measured == pytest.approx(expected, rel=2e-3)
    assert len(found) >= 5


def test_a_motor_drives_up_to_its_force_and_a_spring_swings():
    world = World(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        world.add_body(Sphere(0.1), pos=(float(k), 0.0, 0.0), mass=1.0, inertia=(0.01, 0.01, 0.01), mask=0)
    world.add_joint("revolute", 0, 1, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="driven")
    world.add_joint("prismatic", 0, 2, anchor=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), name="sprung")
    world.set_joint_motor(world.joint("driven"), Motor("velocity", 3.0, 0.05))
    world.set_joint_motor(world.joint("sprung"), Motor("spring", 0.1, stiffness=100.0))
    world.use_solver("subsystems")
    for n in range(200):
        step(world, 0.005)
        expected = min(3.0, 5.0 * 0.005 * (n + 1))
        assert world.bodies["omega"][1, 2] == pytest.approx(expected, abs=1e-9)
    assert world.joints["coordinate"][1, 0] == pytest.approx(0.1 - 0.1 * math.cos(10.0 * 1.0), abs=2e-3)


# ---- what it refuses


def test_bad_input_is_one_sentence():
    world = make_world(four_bars.SCENE)
    for groups, part in (((("bar 1", "bar 9"),), "'bar 9' is none"), ((("bar 1",), ("bar 1",)), "in two subsystems"),
                         (((),), "is empty"), ((("bearing",),), "'bearing' is none")):
        world.solver.groups = groups
        with pytest.raises(BadInput, match=part):
            step(world, 0.01)


def test_contacts_and_limits_are_refused_by_name():
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.11), name="box")
    world.use_solver("subsystems")
    before = None
    with pytest.raises(BadInput, match=r"'box' and 'floor' touch, and it has no contacts; use another solver"):
        for _ in range(100):
            before = world.bodies["pos"].copy()
            step(world, 0.01)
    assert np.array_equal(before, world.bodies["pos"]), "the step did not happen"
    world = make_world(four_bars.SCENE)
    world.set_joint_limits(world.joint("hinge 1"), -1.0, 1.0)
    assert "'hinge 1' has a limit" in world.solver.unsupported(world)


def test_a_restored_state_goes_on_with_the_same_bits():
    world = make_world(four_bars.SCENE, four_bars.Parameters(friction=1.0))
    for _ in range(30):
        step(world, 0.01)
    saved = world.snapshot()
    def holds_mechanism(solver):
        return any(isinstance(value, tuple) for value in vars(solver).values())

    assert holds_mechanism(world.solver) and not holds_mechanism(saved.solver), "its copy took 30 ms a snapshot"
    ends = []
    for _ in range(2):
        for _ in range(40):
            step(world, 0.01)
        ends.append(world.bodies["pos"].tobytes())
        world.restore(saved)
    assert ends[0] == ends[1]


def test_a_world_without_moving_bodies_stands_still():
    world = World()
    world.add_body(Plane(), kind="static")
    world.use_solver("subsystems")
    assert step(world, 0.01).joint_error == 0.0


# ---- kinematic bodies, and velocities that were set


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_a_pendulum_on_a_driven_arm_follows_its_equation(dt):
    """The arm turns about its pin and shakes along x; scipy integrates the pendulum's angle.

    With the pin at p(t):  th'' = -(g sin th + p_x'' cos th + p_z'' sin th) / l  for a point mass on a rod of length l.
    """
    arm, length, turning, shaking, rate = 0.4, 0.8, 2.0, 1.5, 5.0
    world = World()
    carrier = world.add_body(Box((arm, 0.05, 0.05)), kind="kinematic", mask=0)
    bob = world.add_body(Sphere(0.05), pos=(arm, 0.0, -length), mass=2.0, inertia=(1e-9, 1e-9, 1e-9), mask=0,
                         vel=(0.0, 0.0, -arm * turning), omega=(0.0, shaking / length, 0.0))
    world.add_joint("revolute", carrier, bob, anchor=(arm, 0.0, 0.0), axis=(0.0, 1.0, 0.0))

    def drive(world: World) -> None:
        along = shaking * math.cos(rate * (world.time + 0.5 * world.driver_dt))
        world.set_velocity(carrier, (along, 0.0, 0.0), (0.0, turning, 0.0))
    world.drivers.append(drive)
    drive(world)
    world.use_solver("subsystems")

    def rates(t: float, y: np.ndarray) -> list[float]:
        a, th = turning * t, y[0]
        along, up = (-arm * turning**2 * math.cos(a) - shaking * rate * math.sin(rate * t), arm * turning**2 * math.sin(a))
        return [y[1], -((9.81 + up) * math.sin(th) + along * math.cos(th)) / length]
    # the bob starts with the pin upwards, and at rest along x
    known = solve_ivp(rates, (0.0, 2.0), (0.0, -shaking / length), rtol=1e-10, atol=1e-10, dense_output=True)
    worst = 0.0
    for _ in range(round(2.0 / dt)):
        step(world, dt)
        t, x = world.time, world.bodies["pos"][bob]
        pin = world.bodies["pos"][carrier] + arm * np.array([math.cos(turning * t), 0.0, -math.sin(turning * t)])
        worst = max(worst, abs(math.atan2(x[0] - pin[0], pin[2] - x[2]) - known.sol(t)[0]))
    assert worst < 8.0 * dt**2, f"{worst:.2e} rad"


def test_a_velocity_that_joints_do_not_allow_is_joined_by_impulses():
    """A bar on a hinge, pushed at its middle across and along: only w = m l v / (I + m l^2) is left, I about its middle."""
    world = World(gravity=(0.0, 0.0, 0.0))
    bar = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 0.0), mass=3.0, inertia=(0.3, 0.2, 0.4), vel=(2.0, 1.5, 0.7),
                         mask=0)
    world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    world.use_solver("subsystems")
    report = step(world, 1e-4)
    assert world.bodies["omega"][bar] == pytest.approx((0.0, 0.0, 3.0 * 0.5 * 1.5 / (0.4 + 3.0 * 0.25)), abs=1e-12)
    assert not report.audit.findings


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 120.0])
def test_a_strong_motor_holds_its_speed_round_after_round(dt):
    """The motor of slider_crank has a bound of 1e9 N m; a speed that was off by rounding once let it slip with all of that."""
    world = make_world(slider_crank.SCENE)
    world.use_solver("subsystems")
    for _ in range(round(3.0 / dt)):
        assert not step(world, dt).audit.findings
    assert world.bodies["omega"][world.body("crank"), 1] == pytest.approx(4.0, abs=1e-7)
    assert world.joints["error"].max() < 1e-12


def test_the_smallest_change_is_that_of_the_pseudoinverse():
    """Against numpy's, by singular values; of 30 rows 13 are independent, one of them by 1e-6 only."""
    rng = np.random.default_rng(5)
    some = rng.normal(size=(13, 20))
    some[12] = some[3] - 0.5 * some[7] + 1e-6 * some[12]
    G = np.vstack([some, rng.normal(size=(17, 13)) @ some])
    wanted, found = G @ rng.normal(size=(20, 2)), np.zeros((20, 2))
    reduction.smallest_change(G, wanted, 1e-9, found)
    assert np.abs(found - np.linalg.pinv(G, rcond=1e-9) @ wanted).max() < 1e-8
    assert np.abs(G @ found - wanted).max() < 1e-13
