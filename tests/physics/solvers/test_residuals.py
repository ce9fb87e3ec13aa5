"""Residuals of contacts and joints: the solver's own, zero where the law holds, largest at the violating contact or joint."""

import numpy as np
import pytest

import scenes
from app.analysis.forces import tables
from app.analysis.forces.contact_lens import facets_of
from physics import Box, Friction, Plane, Sphere, World, set_option, step
from physics.contact.friction_cone import polygon, project
from physics.core.records import BLOCK, CONTACT, JOINT, ROW, Bound, Owner, Role
from physics.dynamics import measure
from physics.observe import quantities
from tests.golden import coated, mechanisms
from tests.helpers import frame_of
from tests.tools import residual_by_hand
from tests.tools.each_value import each_value

DT = 1.0 / 240.0
SOLVERS = "sequential_impulses", "soft_steps", "stewart_trinkle"


def made(build, solver: str, **options) -> World:
    """A scene by name, or a world that is built, under a solver without a clock."""
    world = World()
    if isinstance(build, str):
        scene = scenes.find(build)
        world = scenes.make_world(scene, scene.parameters())
    else:
        build(world)
    world.use_solver(solver)
    for name, value in {**({"budget": 0.0} if hasattr(world.solver.options, "budget") else {}), **options}.items():
        set_option(world.solver.options, name, value)
    return world


def largest(world: World) -> float:
    """Of all contacts and joints."""
    return max(world.awake_contacts["residual"].max(initial=0.0), world.joints["residual"].max(initial=0.0))


def hinged(world: World) -> None:
    """Boxes on hinges that rub, with limits, a motor and a rope, thrown onto a floor."""
    world.add_body(Plane(), kind="static", friction=0.4)
    last = 0
    for n in range(5):
        box = world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.5 * n, 0.0, 0.3), vel=(0.5, 0.0, -0.5 * n), friction=0.4,
                             restitution=0.3)
        if last:
            world.add_joint("revolute", last, box, anchor=(0.5 * n - 0.25, 0.0, 0.3), axis=(0.0, 1.0, 0.0), limits=(-0.1, 0.1),
                            friction=Friction(static=0.3, viscous=0.01))
        last = box
    ball = world.add_body(Sphere(0.1), pos=(0.0, 1.0, 2.0), restitution=0.6)
    world.add_joint("rope", 0, ball, anchor=(0.0, 0.0, 2.0), anchor_b=(0.0, 1.0, 2.0), length=1.0)


def thrown(world: World) -> None:
    """A box, a ball and a stack that rebound, slide and strike one another."""
    world.add_body(Plane(), kind="static", friction=0.4, restitution=0.5)
    for n in range(3):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.1 * n, 0.0, 0.12 + 0.22 * n), vel=(1.0, 0.2 * n, -2.0), omega=(0.3, 0.0, n),
                       friction=0.4, restitution=0.5)
    world.add_body(Sphere(0.1), pos=(-0.6, 0.0, 0.3), vel=(3.0, 0.0, -3.0), omega=(0.0, -20.0, 5.0), friction=0.4,
                   restitution=0.7)


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("build", ["pyramid", "four_balls", "rolling_shapes", mechanisms, coated, hinged, thrown])
def test_the_largest_residual_equals_that_of_the_step(build, solver):
    """In any number of substeps, with rebounds, rolling friction, limits and motors."""
    if build is coated and solver != "sequential_impulses":
        pytest.skip("the solver has no such materials")
    world = made(build, solver)
    if solver == "sequential_impulses":
        world.solver.options.iterations, world.solver.options.substeps = 4, 3
    for _ in range(25 if solver == "stewart_trinkle" else 80):
        report = step(world, DT)
        assert largest(world) == report.residual


@pytest.mark.parametrize("law", ["Newton", "Poisson"])
def test_the_exact_solver_leaves_no_residual(law):
    """Poisson's second problem, too: friction is within what was known and what came, normals are complementary in what came."""
    world = made(thrown, "stewart_trinkle", impact_law=law, rounds=1)
    phases = set()
    for _ in range(100):
        report = step(world, DT)
        phases |= {problem.phase for problem in report.solved.problems}
        if report.end == "converged":
            assert world.awake_contacts["residual"].max(initial=0.0) < 1e-9
    assert ("decompression" in phases) == (law == "Poisson")


@pytest.mark.parametrize(("build", "options"), [
    ("pyramid", {"iterations": 3000, "tolerance": 1e-12}), (hinged, {"iterations": 3000, "tolerance": 1e-12, "substeps": 2}),
    (mechanisms, {"iterations": 3000, "tolerance": 1e-12}), (coated, {"iterations": 3000, "tolerance": 1e-12})])
def test_converged_sequential_impulses_leave_no_residual(build, options):
    world, converged = made(build, "sequential_impulses", **options), 0
    for _ in range(40):
        report = step(world, DT)
        if report.end == "converged":
            converged += 1
            assert world.awake_contacts["residual"].max(initial=0.0) < 1e-8 and world.joints["residual"].max(initial=0.0) < 1e-8
    assert converged > 20


def test_many_relaxations_of_soft_steps_leave_no_residual():
    """A box on four contacts; a rebound is one of the things that it leaves nothing of."""
    world = made(thrown, "soft_steps", relax_sweeps=100, substeps=1, max_correction_speed=0.0)
    for body in (2, 3, 4):
        world.set_pose(body, (3.0 * body, 0.0, 0.12), (1.0, 0.0, 0.0, 0.0))
    found = []
    for _ in range(100):
        step(world, DT)
        found.append(world.awake_contacts["residual"].max(initial=0.0))
    assert np.median(found) < 1e-8, sorted(found)


@pytest.mark.parametrize("solver", SOLVERS[:2])
@pytest.mark.parametrize("name", ["pyramid", "domino", "incline", "star_burst", "anisotropic_skate"])
def test_numpy_finds_the_same_worst_contact_with_few_sweeps(name, solver):
    world = made(name, solver, substeps=1, gyroscopic=False, **({"iterations": 2} if solver == "sequential_impulses" else {}))
    compared = 0
    for _ in range(12):
        world.awake_contacts["arm_a"] = world.awake_contacts["arm_b"] = 0.0     # no bend
        step(world, DT)
        contacts = world.awake_contacts
        if not len(contacts) or world.report.substeps > 1 or (solver == "soft_steps" and (contacts["warm_startable"] == 0).any()):
            continue
        by_hand = residual_by_hand.residuals(frame_of(world), facets_of(world.solver), solver == "soft_steps")
        np.testing.assert_allclose(contacts["residual"][:, :2], by_hand, rtol=1e-6, atol=1e-11)
        if by_hand.max() > 1e-9:
            compared += 1
            assert np.argmax(by_hand.max(axis=1)) == np.argmax(tables.contacts(frame_of(world)).columns["residual"])
    assert compared > 2


@pytest.mark.parametrize("facets", [0, 2, 3, 4, 8, 17])
def test_the_projection_by_hand_is_that_of_the_solvers(facets):
    choose = np.random.default_rng(facets)
    points, radius = choose.normal(size=(300, 2)), choose.uniform(0.0, 1.5, 300)
    wanted = [project(polygon(facets), r, *p) for p, r in zip(points, radius)]
    np.testing.assert_allclose(residual_by_hand.project(points, radius, facets), wanted, atol=1e-12)


@pytest.mark.parametrize(("what", "part"), [("normal", 0), ("friction", 1)])
def test_a_disturbed_contact_is_the_worst(what, part):
    """Impulses and velocities that satisfy the law but for one impulse, which they do not feel."""
    count, chosen, velocity = 5, 3, np.zeros((6, 6))
    table, blocks = np.zeros(3 * count, ROW), np.zeros(2 * count, BLOCK)
    contacts, joints = np.zeros(count, CONTACT), np.zeros(0, JOINT)
    for n in range(count):
        for axis in range(3):
            table["lin_b"][3 * n + axis] = np.eye(3)[(axis + 2) % 3]
        table["impulse"][3 * n : 3 * n + 3] = 1.0, 0.1, -0.1
        for k, bound in enumerate((Bound.ONE_SIDED, Bound.CONE)):
            block = blocks[2 * n + k]
            block["b"], block["first"], block["count"], block["bound"] = n + 1, 3 * n + k, 1 + k, bound
            block["owner"], block["index"], block["normal"] = Owner.CONTACT, n, 3 * n
            block["mu"], block["gradient_step"] = 0.5, 2.0
    parts = table, blocks, velocity, polygon(0), contacts, joints
    assert measure.store_residuals(*parts) == 0.0 and not contacts["residual"].any()
    if what == "normal":
        velocity[chosen + 1, 2] = 1e-3
    else:
        table["impulse"][3 * chosen + 1] = 0.9
    found = measure.store_residuals(*parts)
    assert contacts["residual"].max() == found > 1e-4
    assert np.unravel_index(contacts["residual"].argmax(), contacts["residual"].shape) == (chosen, part)
    measure.clear_residuals(contacts, joints, np.zeros(0, np.int64))
    assert not contacts["residual"].any()


def test_joint_residuals_are_by_law():
    """A cold sweep over a loaded chain leaves its constraint; roles that a joint does not have stay at zero."""
    world = made("chain", "sequential_impulses", iterations=1, warm_start=False, joints="one by one")
    step(world, DT)
    told = world.joints["residual"]
    assert told[:, Role.CONSTRAINT].max() > 1e-3 and not told[:, [Role.LOWER, Role.UPPER, Role.MOTOR]].any()
    seen = tables.joints(frame_of(world))
    assert seen.columns["residual"].max() == world.report.residual
    assert tables.ROLES[int(seen.columns["law"][np.argmax(seen.columns["residual"])])] == "constraint"


def test_residual_quantities_by_name():
    world = made(hinged, "sequential_impulses", iterations=2)
    for _ in range(80):
        step(world, DT)
    keys = [key for key in quantities.all_keys(world) if key.startswith(("contact:", "joint:")) and key.endswith(".residual")]
    values = [quantities.find(world, key).read(world) for key in keys]
    assert any(key.startswith("contact:") for key in keys) and max(values) == world.report.residual


def test_sleeping_contacts_keep_their_residual():
    world = made("stack", "sequential_impulses", iterations=3)
    world.sleeping.enabled = True
    for name, value in (("delay", 0.0), ("speed", 1.0), ("spin", 1.0), ("drift", 0.1), ("residual", 1.0)):
        set_option(world.sleeping, name, value)
    for _ in range(3):
        step(world, DT)
    before = world.contacts["residual"].copy()
    assert world.report.asleep == 10 and before.max() > 0.0 and not len(world.awake_contacts)
    step(world, DT)
    np.testing.assert_array_equal(world.contacts["residual"], before)


@pytest.mark.parametrize("iterations", [2, 5])
def test_a_mechanism_that_too_few_sweeps_solve_gains_no_energy(iterations):
    """Its joints must not be closed at the expense of contacts that have not converged."""
    world = made(hinged, "sequential_impulses", iterations=iterations)
    energy = [sum(step(world, DT).energy.values()) for _ in range(150)]
    assert max(energy[1:]) < 1.001 * energy[0] and np.linalg.norm(world.bodies["vel"], axis=1).max() < 5.0
