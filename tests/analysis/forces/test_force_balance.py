"""Force balance of a body: the sum is m a in every step; closed forms of gravity, friction, springs and hinges."""

import numpy as np
import pytest

import scenes
from app.analysis.forces import force_balance
from physics import Box, Capsule, Motor, Plane, Sphere, World, step
from physics.observe.quantities import find
from tests.helpers import frame_of

DT = 1.0 / 240.0
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")


def use(world: World, solver: str) -> World:
    world.use_solver(solver)
    if hasattr(world.solver.options, "budget"):
        world.solver.options.budget = 0.0
    return world


def by_source(balance: force_balance.ForceBalance) -> dict[str, np.ndarray]:
    sums: dict[str, np.ndarray] = {}
    for force in balance.forces:
        sums[force.source] = sums.get(force.source, np.zeros(3)) + force.force
    return sums


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ("pyramid", "chain", "bowl"))
def test_the_forces_on_every_body_add_up_to_its_mass_times_its_acceleration(solver, name):
    world = use(scenes.make_world(scenes.find(name)), solver)
    for _ in range(3 if solver == "stewart_trinkle" else 25):
        step(world, DT)
        frame, seen = frame_of(world), 0
        for body in np.flatnonzero(world.bodies["mass"] > 0.0)[:12].tolist():
            balance = force_balance.force_balance(frame, body)
            scale = 1.0 + max(float(np.abs(f.force).max()) for f in balance.forces)
            np.testing.assert_allclose(balance.total, balance.wanted, atol=1e-9 * scale, rtol=1e-9)
            seen += len(balance.forces)
        assert seen >= 5


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_sliding_box_is_slowed_by_friction_and_borne_by_the_floor(solver):
    world = use(World(), solver)
    world.add_body(Plane(), kind="static", friction=0.3, name="floor")
    box = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), vel=(2.0, 0.0, 0.0), mass=2.0, friction=0.3, name="box")
    assert force_balance.force_balance(frame_of(world), box) is None, "it has not moved yet"
    for _ in range(20):
        step(world, DT)
    frame = frame_of(world)
    balance, sums = force_balance.force_balance(frame, box), by_source(force_balance.force_balance(frame, box))
    np.testing.assert_allclose(sums["gravity"], (0.0, 0.0, -2.0 * 9.81), rtol=1e-12)
    np.testing.assert_allclose(sums["normal"], (0.0, 0.0, 2.0 * 9.81), rtol=0.02, atol=1e-6)
    np.testing.assert_allclose(sums["friction"], (-0.3 * 2.0 * 9.81, 0.0, 0.0), rtol=0.02, atol=5e-6)
    assert balance.forces[balance.driving].source == "friction", "friction is what nothing balances"
    assert balance.working == -1, "and nothing gives it energy"
    np.testing.assert_allclose(balance.total_torque, balance.wanted_torque, atol=1e-3)
    floor = force_balance.force_balance(frame, world.body("floor"))
    assert not floor.moves and not floor.wanted.any()
    np.testing.assert_allclose(floor.total, -(sums["normal"] + sums["friction"]), rtol=1e-12)
    assert balance.worst_error.name == "contact with floor" and balance.worst_residual.residual < 1e-3


def test_an_applied_force_and_torque_are_listed_and_turn_a_ball():
    world = use(World(gravity=(0.0, 0.0, 0.0)), "sequential_impulses")
    ball = world.add_body(Sphere(0.1), mass=2.0)
    step(world, DT)
    world.apply_force(ball, (3.0, 0.0, 0.0))
    world.apply_torque(ball, (0.0, 0.0, 0.5))
    step(world, DT)
    balance = force_balance.force_balance(frame_of(world), ball)
    assert [f.source for f in balance.forces] == ["applied"] and balance.driving == balance.turning == balance.working == 0
    np.testing.assert_allclose(balance.wanted, (3.0, 0.0, 0.0), rtol=1e-12)
    np.testing.assert_allclose(balance.wanted_torque, (0.0, 0.0, 0.5), rtol=1e-9, atol=1e-12)
    step(world, DT)
    still = force_balance.force_balance(frame_of(world), ball)
    assert still.forces == () and still.driving == -1 and still.worst_error is None


def test_the_first_step_of_a_fall_has_its_weight():
    """Gravity acts for half of it, and forces are means over that time, as in plots and lenses."""
    world = use(World(), "sequential_impulses")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 5.0), mass=2.0)
    for _ in range(2):
        step(world, DT)
        balance = force_balance.force_balance(frame_of(world), ball)
        np.testing.assert_allclose(balance.forces[0].force, (0.0, 0.0, -2.0 * 9.81), rtol=1e-12)
        np.testing.assert_allclose(balance.rest, 0.0, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_it_tells_the_contact_force_of_the_plots_in_an_impact_too(solver):
    """Of 2 kg at rest from the first step on, and where it bounces; times `world.impulse_duration` it is the impulse."""
    for height, e in ((0.1, 0.0), (0.3, 0.7)):
        world = use(World(), solver)
        world.add_body(Plane(), kind="static", restitution=e)
        ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, height), mass=2.0, restitution=e)
        pushed = total = 0.0
        for _ in range(60):
            step(world, DT)
            forces = force_balance.force_balance(frame_of(world), ball).forces
            normal = sum(float(force.force[2]) for force in forces if force.source == "normal")
            assert normal == pytest.approx(ball.contact_force[2], rel=1e-12)
            pushed, total = pushed + normal * find(world, "world.impulse_duration").read(world), total + normal * DT
        lag = float(world.bodies["velocity_lag"][ball])
        assert pushed == pytest.approx(2.0 * (ball.vel[2] + 9.81 * (60 * DT - lag)), abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_driven_hinge_turns_both_bodies_against_each_other(solver):
    """Free in space: what the joint does to the one it does to the other, and angular momentum is told right for both."""
    world = use(World(gravity=(0.0, 0.0, 0.0)), solver)
    left = world.add_body(Sphere(0.2), pos=(-0.3, 0.0, 0.0), mass=1.0)
    right = world.add_body(Sphere(0.2), pos=(0.3, 0.0, 0.0), mass=3.0)
    world.add_joint("revolute", left, right, anchor=(0.0, 0.0, 0.0), motor=Motor(target=4.0, force=0.2), name="hinge")
    for _ in range(10):
        step(world, DT)
    frame = frame_of(world)
    one, other = force_balance.force_balance(frame, left), force_balance.force_balance(frame, right)
    assert one.forces[0].name == "hinge" and one.forces[0].other == right and other.forces[0].other == left
    np.testing.assert_allclose(one.total, -other.total, rtol=1e-12)
    for balance in (one, other):
        np.testing.assert_allclose(balance.total, balance.wanted, atol=1e-9)
        np.testing.assert_allclose(balance.total_torque, balance.wanted_torque, rtol=0.01, atol=1e-3)


def test_the_mouse_is_listed_as_drag_and_an_open_joint_as_the_worst_error():
    world = use(World(), "sequential_impulses")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 2.0), mass=1.0)
    hand = world.add_joint("drag", 0, ball, anchor=(0.0, 0.0, 2.0), name="mouse", max_friction=300.0, mass=1.0, frequency=15.0)
    world.joints[hand]["anchor_a"] = (0.0, 0.5, 2.0)
    step(world, DT)
    balance = force_balance.force_balance(frame_of(world), ball)
    drag = balance.forces[1]
    assert drag.source == "drag" and drag.name == "mouse" and balance.driving == 1 and drag.force[1] > 0.0 and drag.power > 0.0
    table = np.array(world.joints)
    world.joints[hand]["error"] = 0.25
    assert force_balance.force_balance(frame_of(world), ball).worst_error.error == 0.25
    world.joints[hand]["residual"][4] = 0.125
    worst = force_balance.force_balance(frame_of(world), ball).worst_residual
    assert table is not world.joints and worst.joint and worst.name == "mouse" and worst.residual == 0.125


def test_nothing_remains_where_normals_turn_within_a_step():
    """A capsule that tumbles over another: the contacts have one normal, that of the last part of the step."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    bodies = [world.add_body(Capsule(0.08, 0.2), pos=(0.02 * k, 0.03 * k, 0.2 + 0.35 * k), quat=(0.8, 0.6 - 1.2 * k, 0.0, 0.0),
                             omega=(3.0, 5.0 * k, -4.0), friction=0.5) for k in range(2)]
    turned = 0
    for _ in range(120):
        step(world, 1.0 / 60.0)
        for body in bodies:
            balance = force_balance.force_balance(frame_of(world), body)
            turned += any(force.source == force_balance.TURNED for force in balance.forces)
            np.testing.assert_allclose(balance.rest, 0.0, atol=1e-6)
    assert turned > 3
