"""Exact solver: sticking and sliding, gaps at the end of steps, joints with friction, impacts, refusals.

Published figures of ST96 and T08 are in test_st96.py and test_t08.py, Lemke's algorithm in test_lemke.py.
"""

import math
import threading
import time
from functools import partial

import numpy as np
import pytest

from physics import BadInput, Box, Capsule, Diverged, Material, Motor, Plane, Sphere, World, joints, step
from physics.core.records import Case, Kind
from physics.joints._settings import Friction
from physics.solvers.lcp.assemble import directions
from physics.solvers.lcp.step import STALLED, has_stalled
from tests.helpers import world_under
from tests.tools.each_value import each_value

G = 9.81
DT = 1.0 / 240.0
exact_world = partial(world_under, "stewart_trinkle")


def run(world: World, seconds: float, dt: float = DT) -> list:
    """Step and return the reports."""
    return [step(world, dt) for _ in range(round(seconds / dt))]


def stack(width: int, **options: object) -> World:
    """A pyramid of 1 kg boxes of 1 m with gaps between them."""
    world = exact_world(**options)
    world.add_body(Plane(), kind="static")
    for level in range(width):
        for i in range(width - level):
            world.add_body(Box((0.5, 0.5, 0.5)), pos=((i - (width - level - 1) / 2) * 1.1, 0.0, 0.5 + level), mass=1.0)
    return world


# ---- contacts


@pytest.mark.parametrize("angle", [25.0, 26.5, 26.6, 30.0])
def test_a_block_sticks_below_the_angle_of_friction_and_slides_above(angle: float) -> None:
    """a = g (sin - mu cos), gravity turned along the first direction of the polygon; mu = 0.5, atan(mu) = 26.565 deg."""
    a = math.radians(angle)
    world = exact_world((G * math.sin(a), 0.0, -G * math.cos(a)))
    world.add_body(Plane(), kind="static")
    block = world.add_body(Box((0.5, 0.5, 0.2)), pos=(0.0, 0.0, 0.2), friction=0.5)
    run(world, 0.5)
    slides = max(0.0, G * (math.sin(a) - 0.5 * math.cos(a)))
    assert world.bodies["vel"][block, 0] == pytest.approx(slides * 0.5, rel=5e-3, abs=1e-13)   # the first step has half a kick
    assert {int(c["case"]) for c in world.contacts if c["impulse"] > 0.0} == {Case.SLIP if slides else Case.STICK}


def test_friction_off_the_polygons_corners_loses_what_the_polygon_does() -> None:
    """Sliding at half an angle between two directions: a = g (sin - mu cos(pi/k) cos) at least, and turned aside a little."""
    for facets in (4, 8, 16):
        world = exact_world((0.0, 0.0, -G), facets=facets, half_step_gravity=False)
        world.add_body(Plane(), kind="static", friction=0.5)
        turn = math.pi / facets
        ball = world.add_body(Box((0.5, 0.5, 0.1)), pos=(0.0, 0.0, 0.1), vel=(3.0 * math.cos(turn), 3.0 * math.sin(turn), 0.0),
                              inertia=(1e9, 1e9, 1e9), friction=0.5)
        run(world, 0.2)
        slowed = (3.0 - math.hypot(*world.bodies["vel"][ball, :2])) / 0.2
        assert 0.5 * G * math.cos(turn) * 0.99 <= slowed <= 0.5 * G * 1.01


@pytest.mark.parametrize("rounds, deepest", [(20, 1e-9), (1, 1e-2)])
def test_the_true_gap_is_zero_at_the_end_of_every_step_if_rounds_converge(rounds: int, deepest: float) -> None:
    """3.6: a capsule that tumbles over its end; the linearisation alone leaves overlaps."""
    world = exact_world(rounds=rounds)
    world.add_body(Plane(), kind="static", friction=0.3)
    rod = world.add_body(Capsule(0.05, 0.25), pos=(0.0, 0.0, 0.5), quat=(math.cos(0.5), 0.0, math.sin(0.5), 0.0),
                         omega=(0.3, -8.0, 0.2), mass=1.0)
    lowest = 0.0
    for _ in range(60):
        step(world, 1.0 / 60.0)
        _, x, y, _ = world.bodies["quat"][rod]
        axis_z = 1.0 - 2.0 * (x * x + y * y)
        lowest = min(lowest, world.bodies["pos"][rod, 2] - 0.25 * abs(axis_z) - 0.05)
    assert -deepest < lowest
    assert rounds > 1 or lowest < -2e-9       # steps are cut while it turns fast; else the test could not tell the two apart


def test_active_set_layer_and_all_contacts_have_the_same_answer() -> None:
    ends = []
    for choice in ("active set", "boundary layer", "all"):
        world = stack(3, contacts=choice)
        reports = run(world, 0.2)
        assert max(r.residual for r in reports) < 1e-9
        ends.append((world.bodies["pos"].copy(), max(r.solved.largest for r in reports)))
    assert np.abs(ends[0][0] - ends[2][0]).max() < 1e-10 and np.abs(ends[1][0] - ends[2][0]).max() < 1e-10


def test_the_active_set_leaves_out_contacts_that_nothing_closes() -> None:
    """Section 4: of two balls the one that flies away above the ground is no unknown."""
    sizes = {}
    for choice in ("active set", "all"):
        world = exact_world(contacts=choice)
        world.add_body(Plane(), kind="static")
        world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1))
        world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.305), vel=(0.0, 0.0, 1.0))
        sizes[choice] = step(world, DT).solved.largest
    assert sizes == {"active set": 10, "all": 20}


def test_rest_without_sleeping_is_exact() -> None:
    """A pyramid at rest: nothing moves by more than rounding, friction is zero where none is needed."""
    world = stack(3)
    run(world, 0.1)
    before = world.bodies["pos"].copy()
    reports = run(world, 0.5)
    assert np.abs(world.bodies["pos"] - before).max() < 1e-12
    assert all(r.end == "converged" and r.residual < 1e-10 and r.solved.rays == 0 for r in reports)


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_a_heavy_box_rests_on_a_light_one(ratio: float) -> None:
    """R11, without substeps or sweeps."""
    world = exact_world()
    world.add_body(Plane(), kind="static")
    for z, mass in ((0.25, 1.0), (0.75, ratio)):
        world.add_body(Box((0.25, 0.25, 0.25)), pos=(0.0, 0.0, z), mass=mass)
    run(world, 1.0)
    assert world.bodies["pos"][2:, 2] == pytest.approx([0.25, 0.75], abs=1e-5)


def test_deep_overlaps_are_corrected_at_the_set_speed() -> None:
    """By displacements: the velocity stays 0."""
    world, speed = exact_world((0.0, 0.0, 0.0), max_correction_speed=0.5), 0.5
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.05), mass=1.0)
    for n in range(1, 21):
        step(world, DT)
        assert world.bodies["pos"][ball, 2] == pytest.approx(min(0.05 + n * speed * DT, 0.1), abs=1e-9)
        assert not world.bodies["vel"][ball].any()


# ---- joints


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
def test_a_short_part_of_a_step_does_not_throw_out_what_overlaps(dt: float) -> None:
    """The other ball strikes at the start of the step, which is divided there."""
    world, overlap, speed = World(), 3e-4, 3.0
    world.use_solver("stewart_trinkle")
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 - overlap))
    world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.1 + 0.03 * speed * dt), vel=(0.0, 0.0, -speed), restitution=0.8)
    step(world, dt)
    assert 0.5 * overlap < world.bodies["pos"][ball][2] - (0.1 - overlap) < 1.001 * overlap
    assert np.linalg.norm(world.bodies["vel"][ball]) < overlap / dt


@each_value()
@pytest.mark.parametrize("kind", [k for k in joints.kinds() if k not in ("rod", "rope")])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_joints_of_every_kind_close_at_the_end_of_the_step(kind: str, friction: float) -> None:
    world = exact_world()
    one = world.add_body(Box((0.5, 0.1, 0.1)), pos=(0.5, 0.0, 2.0), omega=(0.1, 0.2, 0.3))
    two = world.add_body(Sphere(0.2), pos=(1.5, 0.0, 2.0))
    more = {"axis_b": (1.0, 0.0, 0.0)} if kind == "rack" else {}
    if friction and not joints.kinds()[kind].friction:
        pytest.skip("this kind has no friction")
    for a, b, x in ((0, one, 0.0), (one, two, 1.0)):
        world.add_joint(kind, a, b, anchor=(x, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=friction, **more)
    reports = run(world, 0.5)
    assert max(r.joint_error for r in reports[1:]) < 1e-8
    assert all(r.solved.rays == 0 and r.solved.limits == 0 for r in reports)


def test_a_frictionless_pendulum_keeps_its_energy() -> None:
    world = exact_world()
    bob = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 2.0), mass=1.0)
    world.add_joint("spherical", 0, bob, anchor=(0.0, 0.0, 2.0))
    energies = [sum(r.energy.values()) for r in run(world, 5.0)]
    assert max(energies) - min(energies) < 0.02 * G


def test_dry_friction_holds_a_hinge_below_its_bound_and_slows_it_above() -> None:
    """ST96 3.5 with two directions: I domega/dt = tau - F_max."""
    for torque, bound in ((1.9, 2.0), (3.0, 2.0)):      # both act for half of the first step
        world = exact_world((0.0, 0.0, 0.0))
        wheel = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.5, 0.5, 0.5))
        world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=bound)
        for _ in range(120):
            world.apply_torque(wheel, (0.0, 0.0, torque))
            step(world, DT)
        assert world.bodies["omega"][wheel, 2] == pytest.approx(max(0.0, torque - bound) / 0.5 * 119.5 / 240, abs=1e-12)


def test_viscous_friction_is_implicit() -> None:
    """I (w1 - w0) = -h c w1 - h F: the diagonal h c of the LCP."""
    world = exact_world((0.0, 0.0, 0.0))
    wheel = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.5, 0.5, 0.5), omega=(0.0, 0.0, 10.0))
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                    friction=Friction(static=0.4, viscous=3.0))
    omega = 10.0
    for n in range(50):
        step(world, DT)
        h = DT if n else 0.5 * DT       # half a kick at first
        omega = max(0.0, (0.5 * omega - h * 0.4) / (0.5 + h * 3.0))
        assert world.bodies["omega"][wheel, 2] == pytest.approx(omega, abs=1e-12)


@pytest.mark.parametrize("facets", [4, 8, 16])
def test_a_spherical_joint_rubs_within_its_polyhedron(facets: int) -> None:
    """The bound is the polyhedron's in the ball: between its inscribed radius and 1 times F_max."""
    table = directions(facets).table[2 + facets:]
    rng = np.random.default_rng(1)
    ways = rng.normal(size=(2000, 3))
    inscribed = (ways @ table.T).max(axis=1) / np.linalg.norm(ways, axis=1)
    assert np.abs(table + table[[np.abs(table + row).sum(1).argmin() for row in table]]).max() < 1e-15   # opposites (13)
    for axis in ways[:5] / np.linalg.norm(ways[:5], axis=1)[:, None]:
        world = exact_world((0.0, 0.0, 0.0), facets=facets)
        ball = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.5, 0.5, 0.5), omega=10.0 * axis)
        world.add_joint("spherical", 0, ball, anchor=(0.0, 0.0, 0.0), max_friction=2.0)
        run(world, 0.25)
        slowed = (10.0 - np.linalg.norm(world.bodies["omega"][ball])) * 0.5 / 0.25
        assert 2.0 * inscribed.min() ** 2 < slowed <= 2.0 + 1e-9


def test_a_motor_pushes_to_its_force_and_a_limit_stops_it() -> None:
    world = exact_world((0.0, 0.0, 0.0))
    slide = world.add_body(Sphere(0.1), mass=2.0)
    world.add_joint("prismatic", 0, slide, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), limits=(-1.0, 0.3),
                    motor=Motor(target=1.0, force=4.0))
    run(world, 0.25)
    assert world.bodies["vel"][slide, 0] == pytest.approx(0.5 - DT, abs=1e-12)     # F t / m, half a kick at first
    run(world, 1.0)
    assert world.bodies["pos"][slide, 0] == pytest.approx(0.3, abs=1e-9)
    assert world.joints["limit_impulse"][0].min() == pytest.approx(-4.0 * DT, rel=1e-9)


def test_an_unbounded_motor_is_an_equation() -> None:
    world = exact_world((0.0, 0.0, 0.0))
    wheel = world.add_body(Sphere(0.1), mass=2.0)
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), motor=Motor(target=3.0))
    assert step(world, DT).solved.largest == 0
    assert world.bodies["omega"][wheel, 2] == pytest.approx(3.0, abs=1e-12)


# ---- impacts


@each_value()
@pytest.mark.parametrize("form", ["Newton", "Poisson"])
@pytest.mark.parametrize("e", [0.0, 0.3, 0.7, 1.0])
def test_a_ball_rises_to_the_square_of_its_restitution(form: str, e: float) -> None:
    world = exact_world(impact_law=form)
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.1), mass=1.0, restitution=e)
    heights = []
    for _ in range(300):
        report = step(world, DT)
        heights.append(world.bodies["pos"][ball, 2] - 0.1)
        assert form == "Newton" or e == 0.0 or len(report.solved.problems) < 5 * report.solved.rounds
    bounce = int(np.argmin(heights[:130]))
    apex = max(heights[bounce:bounce + 150])
    assert apex <= e * e + 1e-3 and apex == pytest.approx(e * e, abs=0.01)


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_newton_and_poisson_agree_on_touching_balls(e: float) -> None:
    """Three equal balls, two in touch: v = (1 - 2e, 1 + e, 1 + e) / 3 by both, momentum kept, no energy gained; in a scheme that
    solves impacts within the step, by one problem or two."""
    for form in ("Newton", "Poisson", "Stronge"):
        world = exact_world((0.0, 0.0, 0.0), impact_law=form, rounds=1)
        for k, x in enumerate((0.0, 1.0, 1.2)):
            world.add_body(Sphere(0.1), pos=(x, 0.0, 0.0), vel=(1.0 if k == 0 else 0.0, 0.0, 0.0), mass=1.0, restitution=e,
                           friction=0.0)
        reports = run(world, 0.85)
        assert world.bodies["vel"][1:, 0] == pytest.approx([(1 - 2 * e) / 3, (1 + e) / 3, (1 + e) / 3], abs=1e-9)
        phases = {p.phase for r in reports for p in r.solved.problems}
        assert ("decompression" in phases) == (form != "Newton")


def test_an_impact_elsewhere_does_not_lift_resting_bodies() -> None:
    """Poisson's e multiplies the impulses of a blow in its own island only."""
    world = exact_world(impact_law="Poisson")
    world.add_body(Plane(), kind="static", restitution=0.8)
    rests = world.add_body(Box((0.1, 0.1, 0.1)), pos=(2.0, 0.0, 0.1), restitution=0.8)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.4), restitution=0.8)
    run(world, 0.5)
    assert world.bodies["pos"][rests, 2] == pytest.approx(0.1, abs=1e-9)


def test_poisson_and_newton_differ_with_friction() -> None:
    """A rod that strikes obliquely: by Newton's law its end leaves at e times its approach, by Poisson's with e times the impulse
    of the compression, in which friction had its share (Kane and Levinson's pendulum is the classical warning)."""
    ends = {}
    for form in ("Newton", "Poisson"):
        world = exact_world((0.0, 0.0, 0.0), impact_law=form)
        world.add_body(Plane(), kind="static", friction=0.4, restitution=0.6)
        world.add_body(Capsule(0.05, 0.25), pos=(0.0, 0.0, 0.4), quat=(math.cos(0.4), 0.0, math.sin(0.4), 0.0),
                       vel=(1.0, 0.0, -2.0), mass=1.0, friction=0.4, restitution=0.6)
        reports = run(world, 0.2)
        ends[form] = world.bodies["vel"][-1, 2]
        assert reports[-1].energy["kinetic"] <= reports[0].energy["kinetic"] + 1e-9
    assert abs(ends["Newton"] - ends["Poisson"]) > 1e-3


def test_the_ledger_adds_up_and_friction_takes_mu_times_the_load_times_the_way() -> None:
    world = exact_world()
    world.add_body(Plane(), kind="static", friction=0.5)
    block = world.add_body(Box((0.5, 0.5, 0.1)), pos=(0.0, 0.0, 0.1), vel=(2.0, 0.0, 0.0), mass=2.0, friction=0.5)
    before, way = 0.5 * 2.0 * 4.0, 0.0
    for report in run(world, 0.6):
        assert sum(report.ledger.values()) == pytest.approx(report.energy["kinetic"] - before, abs=1e-12)
        assert report.ledger["numerical"] == pytest.approx(-report.expected_loss, abs=1e-9)
        assert report.ledger["numerical"] <= 1e-12 and report.ledger["friction"] <= 1e-12
        before = report.energy["kinetic"]
        way += -report.ledger["friction"]
    assert way == pytest.approx(0.5 * 2.0 * G * world.bodies["pos"][block, 0], rel=0.02)


def test_an_impact_is_in_its_own_column() -> None:
    world = exact_world()
    world.add_body(Plane(), kind="static")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.6), mass=1.0)
    reports = run(world, 0.6)
    lost = -sum(r.ledger["impact"] for r in reports)
    assert lost == pytest.approx(G * 0.5, rel=0.03)
    first = (0.5 * G * DT) ** 2      # half a kick takes the body a whole step down
    assert sum(r.ledger["gravity"] for r in reports) == pytest.approx(G * 0.5 - first, rel=1e-9)


# ---- what it refuses, and what it does then


def test_odd_facets_are_rounded_up_with_a_message() -> None:
    world = stack(1, facets=7)
    step(world, DT)
    assert any("facets = 7" in sentence and "8 are used" in sentence for sentence in world.warnings.pop_new())
    assert world.solver.options.facets == 7


def test_contradictory_joints_are_named_and_the_state_is_kept() -> None:
    """A ball that two fixed rods of other lengths want at two places."""
    world = exact_world()
    ball = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0), vel=(0.0, 1.0, 0.0))
    world.add_joint("fixed", 0, ball, anchor=(0.0, 0.0, 0.0), name="left")
    mover = world.add_body(kind="kinematic", vel=(0.5, 0.0, 0.0), name="mover")
    world.add_joint("fixed", mover, ball, anchor=(0.0, 0.0, 0.0), name="right")
    before = world.bodies.copy()
    with pytest.raises(BadInput, match=r"joint '(left|right)' conflicts"):
        for _ in range(20):
            before = world.bodies.copy()
            step(world, DT)
    assert np.array_equal(world.bodies["pos"], before["pos"]) and np.array_equal(world.bodies["vel"], before["vel"])


def test_a_problem_without_a_solution_is_reported_and_softened() -> None:
    """F11 example 11.1: a ball between two walls that close on it. No impulses can keep both gaps open."""
    world = exact_world((0.0, 0.0, 0.0))
    for x, v in ((-0.2, 1.0), (0.2, -1.0)):
        world.add_body(Box((0.1, 1.0, 1.0)), kind="kinematic", pos=(x, 0.0, 0.0), vel=(v, 0.0, 0.0))
    world.add_body(Sphere(0.1), mass=1.0)
    report = step(world, DT)
    assert report.end == "gave way" and report.solved.rays >= 1 and world.energy_totals.ray_endings >= 1
    assert any("relaxed" in sentence for sentence in world.warnings.pop_new())
    assert np.isfinite(world.bodies["pos"]).all() and np.abs(world.bodies["pos"][-1]).max() < 1e-3


def test_the_pivot_limit_falls_back_to_sweeps() -> None:
    world = stack(2, pivots=0.03)
    report = step(world, DT)
    assert report.end == "swept" and report.solved.limits >= 1 and report.residual < 1e-6
    assert any("increase 'pivots'" in sentence for sentence in world.warnings.pop_new())


def test_a_nan_is_named_and_the_state_kept() -> None:
    world = stack(1)
    world.bodies["vel"][-1, 0] = math.nan
    with pytest.raises(Diverged, match="body 2"):
        step(world, DT)


def test_unsupported_materials_are_refused_with_a_reason() -> None:
    world = World()
    world.add_body(Sphere(0.1), material=Material(adhesion=0.01))
    with pytest.raises(BadInput, match="adhesion is not supported"):
        world.use_solver("stewart_trinkle")


def test_a_long_step_is_announced_and_can_be_cancelled() -> None:
    world = stack(7)
    before, ended = world.bodies["pos"].copy(), []
    solver = world.solver

    def work() -> None:
        try:
            for _ in range(1000):
                step(world, DT)
        except BadInput as error:
            ended.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    while solver.progress.unknowns < 500 and thread.is_alive():
        time.sleep(0.001)
    while thread.is_alive():
        solver.cancel()
        time.sleep(0.01)
    thread.join()
    assert ended and "cancelled" in ended[0] and solver.progress.unknowns > 500
    assert world.steps > 0 or np.array_equal(world.bodies["pos"], before)


# ---- determinism


def test_runs_repeat_bit_for_bit_also_from_a_snapshot() -> None:
    ends = []
    for k in range(3):
        world = stack(2)
        world.set_velocity(len(world.bodies) - 1, (1.0, 0.3, 0.0), (0.0, 0.0, 1.0))
        run(world, 0.1)
        if k == 2:
            snapshot = world.snapshot()
            run(world, 0.1)
            world.restore(snapshot)
        run(world, 0.1)
        ends.append(world.bodies["pos"].tobytes() + world.bodies["vel"].tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_switching_solvers_keeps_a_pyramid_standing() -> None:
    world = stack(3)
    before = world.bodies["pos"].copy()
    for solver in ("sequential_impulses", "stewart_trinkle", "soft_steps", "stewart_trinkle"):
        world.use_solver(solver)
        run(world, 0.1)
    assert np.abs(world.bodies["pos"] - before)[world.bodies["kind"] == Kind.DYNAMIC].max() < 1e-3


@pytest.mark.parametrize(("factor", "stalled"), [(0.49, False), (0.51, True)])
def test_rounds_stall_where_the_motion_does_not_halve_in_half_of_them(factor, stalled):
    """Motions that fall evenly, by `factor` in STALLED / 2 rounds; fewer rounds than STALLED tell nothing."""
    moves = [factor ** (k / (STALLED // 2)) for k in range(2 * STALLED)]
    assert [has_stalled(moves[:count]) for count in (STALLED - 1, STALLED, 2 * STALLED)] == [False, stalled, stalled]


@pytest.mark.parametrize("solver", ["stewart_trinkle", "joint_space"])
def test_a_pile_that_overlaps_is_not_thrown_up(solver: str) -> None:
    """Compliant contacts had let one sink by up to 37 mm a contact; velocities that removed that threw it up by 2 m."""
    world, half, count = World(), 0.2, 10
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.5)
    boxes = [world.add_body(Box((half, half, half)), mass=50.0, friction=0.5, pos=(0.0, 0.0, half + (2.0 * half - 0.01) * k))
             for k in range(count)]
    for _ in range(30):
        step(world, 1.0 / 60.0)
        assert max(abs(box.vel[2]) for box in boxes) < 1e-6
    assert boxes[-1].pos[2] == pytest.approx((2 * count - 1) * half, abs=1e-6)


def test_the_ledger_has_the_impacts_without_being_asked_for() -> None:
    world, e = World(), 0.6
    world.use_solver("stewart_trinkle")
    world.add_body(Plane(), kind="static", restitution=e)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.1), mass=2.0, restitution=e)
    lost = 0.0
    for _ in range(50):
        lost += step(world, 1.0 / 60.0).ledger["impact"]
    assert lost == pytest.approx(-(1.0 - e * e) * 2.0 * 9.81, rel=1e-6)
    assert ball.pos[2] < 1.1
