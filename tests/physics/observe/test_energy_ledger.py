"""Energy ledger of every solver: it closes in every step, and each column against a closed form."""

import math

import numpy as np
import pytest

import scenes
from physics import Box, Material, Motor, Plane, Sphere, World, step
from physics.dynamics import measure
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from scenes import door

DT, G = 1.0 / 240.0, 9.81
QUICK = ("sequential_impulses", "soft_steps")
SOLVERS = (*QUICK, "stewart_trinkle")


def use(world: World, solver: str) -> World:
    world.use_solver(solver)
    world.records_energy = True
    if hasattr(world.solver.options, "budget"):
        world.solver.options.budget = 0.0
    return world


def run(world: World, seconds: float, dt: float = DT) -> dict[str, float]:
    """What was added up."""
    for _ in range(round(seconds / dt)):
        step(world, dt)
    return world.energy_totals.ledger


def only(ledger: dict[str, float], *names: str, within: float) -> None:
    """All other columns are nothing."""
    assert {name: value for name, value in ledger.items() if name not in names and abs(value) > within} == {}


def kinetic(world: World) -> float:
    return measure.energy(world.bodies, world.gravity)[0]


@pytest.mark.parametrize("solver", QUICK)
@pytest.mark.parametrize("name", ("bowl", "joint_gallery", "belt"))
def test_the_columns_of_every_step_add_up_to_the_change_of_the_kinetic_energy(solver, name):
    world = use(scenes.make_world(scenes.find(name)), solver)
    for _ in range(40):
        before = kinetic(world)
        ledger = step(world, DT).ledger
        assert tuple(ledger) == LEDGER_COLUMNS
        assert sum(ledger.values()) == pytest.approx(kinetic(world) - before, abs=1e-12 * (1.0 + before))
    assert world.energy_totals.steps == 40 and world.energy_totals.unexplained(kinetic(world)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", QUICK)
@pytest.mark.parametrize("name", ("pyramid", "chain", "bouncing_balls"))
def test_keeping_the_ledger_does_not_change_the_motion(solver, name):
    states = []
    for asked in (False, True):
        world = use(scenes.make_world(scenes.find(name)), solver)
        world.records_energy = asked
        told = [bool(step(world, DT).ledger) for _ in range(25)]
        assert all(told) if asked else not any(told)
        states.append(world.bodies.tobytes() + world.joints.tobytes() + world.contacts.tobytes())
    assert states[0] == states[1]


@pytest.mark.parametrize("solver", QUICK)
def test_a_falling_ball_has_gravity_alone(solver):
    world = use(World(), solver)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 100.0), mass=2.0)
    ledger = run(world, 1.0)
    only(ledger, "gravity", within=1e-9)
    assert ledger["gravity"] == pytest.approx(0.5 * 2.0 * G * G, rel=0.01)


def test_the_exact_solver_loses_half_the_square_of_the_kick_in_a_fall():
    world = use(World(), "stewart_trinkle")
    world.solver.options.half_step_gravity = False
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 100.0), mass=2.0)
    ledger = run(world, 0.25)
    only(ledger, "gravity", "numerical", within=1e-9)
    assert ledger["numerical"] == pytest.approx(-0.5 * 2.0 * (G * DT) ** 2 * 60, rel=1e-6), "ST96 eq 24"


@pytest.mark.parametrize("solver", SOLVERS)
def test_friction_takes_all_of_a_sliding_block(solver):
    world = use(World(), solver)
    world.add_body(Plane(), kind="static", friction=0.4)
    world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), vel=(1.0, 0.0, 0.0), mass=2.0, friction=0.4)
    ledger = run(world, 0.5)
    assert kinetic(world) < 1e-6
    assert ledger["friction"] == pytest.approx(-0.5 * 2.0, rel=0.02)
    only(ledger, "friction", "numerical", within=0.01)
    assert abs(ledger["numerical"]) < 0.02


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_bounce_takes_the_share_of_its_restitution(solver):
    """Two bounces of a ball with e: the first takes (1 - e^2) m g H, the second e^2 times as much."""
    e, height, mass = 0.7, 0.5, 2.0
    world = use(World(), solver)
    world.add_body(Plane(), kind="static", friction=0.0, restitution=e)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 + height), mass=mass, friction=0.0, restitution=e)
    fall = math.sqrt(2.0 * height / G)
    first = (1.0 - e * e) * mass * G * height
    assert run(world, fall * (1.0 + e))["impact"] == pytest.approx(-first, rel=0.05)
    ledger = run(world, fall * (e + e * e))
    assert ledger["impact"] == pytest.approx(-first * (1.0 + e * e), rel=0.05)
    only(ledger, "gravity", "impact", "numerical", within=1e-3)
    if solver == "sequential_impulses":
        assert abs(ledger["numerical"]) < 1e-3 * first, "rebounds aim at the apex"


@pytest.mark.parametrize("solver", QUICK)
def test_the_friction_of_the_door_is_its_bound_times_the_angle(solver):
    scene = scenes.find("door")
    world = use(scenes.make_world(scene), solver)
    ledger = run(world, scene.check_time, scene.dt)
    assert ledger["joint friction"] == pytest.approx(-door.F_MAX * door.ANGLE, rel=0.02)
    assert sum(ledger.values()) == pytest.approx(kinetic(world), abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_motor_gives_its_torque_times_the_angle(solver):
    world = use(World(gravity=(0.0, 0.0, 0.0)), solver)
    bar = world.add_body(Box((0.5, 0.05, 0.05)), mass=3.0)
    world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), motor=Motor(target=100.0, force=0.4))
    ledger = run(world, 0.5)
    angle = 2.0 * math.atan2(world.bodies["quat"][bar, 3], world.bodies["quat"][bar, 0])
    assert ledger["drives"] == pytest.approx(0.4 * angle, rel=0.02) and angle > 0.1
    only(ledger, "drives", "numerical", within=1e-9)
    if solver in QUICK:
        assert ledger["drives"] == pytest.approx(kinetic(world), rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_mouse_and_applied_force_have_separate_columns(solver):
    world = use(World(gravity=(0.0, 0.0, 0.0)), solver)
    ball = world.add_body(Sphere(0.1), mass=2.0)
    world.drivers.append(lambda world: world.apply_force(ball, (0.0, 3.0, 0.0)))
    run(world, 0.5)
    way = float(world.bodies["pos"][ball, 1])
    assert world.energy_totals.ledger["applied"] == pytest.approx(3.0 * way, rel=0.02)
    only(world.energy_totals.ledger, "applied", "numerical", within=1e-9)
    world.drivers.clear()
    step(world, DT)     # what the force owes since its first step
    hand = world.add_joint("drag", 0, ball, anchor=world.bodies["pos"][ball], mass=2.0, frequency=15.0, max_friction=300.0)
    world.joints[hand]["anchor_a"] = (1.0, 0.0, 0.0)
    before, applied = kinetic(world), world.energy_totals.ledger["applied"]
    ledger = run(world, 0.1)
    assert ledger["applied"] == applied and abs(ledger["drag"]) > 0.1
    assert ledger["drag"] == pytest.approx(kinetic(world) - before, rel=1e-9 if solver in QUICK else 0.2)
    assert ledger["joint friction"] == ledger["drives"] == 0.0


@pytest.mark.parametrize("solver", QUICK)
def test_a_pendulum_only_exchanges(solver):
    world = use(World(), solver)
    ball = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0), mass=2.0)
    world.add_joint("spherical", 0, ball, anchor=(0.0, 0.0, 0.0))
    most = 0.0
    for _ in range(240):
        step(world, DT)
        most = max(most, kinetic(world))
    assert most > 15.0
    only(world.energy_totals.ledger, "gravity", within=(2e-3 if solver == "sequential_impulses" else 0.02) * most)


def test_a_pyramid_at_rest_has_an_empty_ledger():
    world = use(scenes.make_world(scenes.find("pyramid")), "sequential_impulses")
    world.solver.options.tolerance, world.solver.options.iterations = 1e-12, 1000
    run(world, 0.5)
    for _ in range(20):
        only(step(world, DT).ledger, within=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_belt_gives_and_friction_only_takes(solver):
    """A box put on a belt is brought to its speed: half of what the belt gives is heat."""
    world = use(World(), solver)
    world.add_body(Plane(), kind="static", material=Material(friction=0.5, surface_velocity=(1.0, 0.0, 0.0)))
    world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), mass=2.0, friction=0.5)
    ledger = run(world, 0.5)
    assert kinetic(world) == pytest.approx(1.0, rel=0.01)
    assert ledger["movers"] == pytest.approx(2.0, rel=0.03) and ledger["friction"] == pytest.approx(-1.0, rel=0.05)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wall_that_moves_gives_and_the_impact_only_takes(solver):
    """A heavy wall at 1 m/s meets a ball at rest, e = 0.5: it leaves with 1.5 m/s; the wall gives p u, the impact the rest."""
    world = use(World(gravity=(0.0, 0.0, 0.0)), solver)
    world.add_body(Box((0.1, 1.0, 1.0)), kind="kinematic", pos=(-0.3, 0.0, 0.0), vel=(1.0, 0.0, 0.0), friction=0.0,
                   restitution=0.5)
    world.add_body(Sphere(0.1), mass=2.0, friction=0.0, restitution=0.5)
    ledger = run(world, 0.3)
    assert kinetic(world) == pytest.approx(2.25, rel=0.01)
    assert ledger["movers"] == pytest.approx(3.0, rel=0.01)
    assert ledger["impact"] + ledger["numerical"] == pytest.approx(-0.75, rel=0.01)


@pytest.mark.parametrize("solver", QUICK)
def test_impulses_and_exact_solver_agree_on_the_ledger(solver):
    """A box thrown onto the floor and sliding: the same causes, within the discretisation."""
    told = {}
    for name in (solver, "stewart_trinkle"):
        world = use(World(), name)
        world.add_body(Plane(), kind="static", friction=0.3)
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.2), vel=(2.0, 0.0, -1.0), mass=2.0, friction=0.3)
        told[name] = run(world, 0.4)
    quick, exact = told[solver], told["stewart_trinkle"]
    for column in ("gravity", "friction"):
        assert quick[column] == pytest.approx(exact[column], rel=0.05, abs=0.05)
    whole = sum(abs(exact[name]) for name in ("impact", "contact", "numerical"))
    assert quick["impact"] + quick["numerical"] + quick["contact"] == pytest.approx(-whole, rel=0.1, abs=0.1)


def test_equal_balls_in_a_row_transfer_momentum():
    """A whole pile is struck at once: what one contact passes to the next is no gain of "contact" and no loss of "impact"."""
    world = use(World(gravity=(0.0, 0.0, 0.0)), "sequential_impulses")
    for x, speed in ((-0.25, 2.0), (0.0, 0.0), (0.2, 0.0)):
        world.add_body(Sphere(0.1), pos=(x, 0.0, 0.0), vel=(speed, 0.0, 0.0), mass=1.0, friction=0.0, restitution=0.0)
    ledger = run(world, 0.2)
    only(ledger, "impact", within=1e-6)
    assert ledger["impact"] == pytest.approx(kinetic(world) - 2.0, abs=1e-6) and np.isclose(kinetic(world), 2.0 / 3.0, rtol=0.01)
