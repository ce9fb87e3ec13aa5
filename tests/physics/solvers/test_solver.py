"""Sequential impulses: reasons of ending, residual, options, forces, kinematic bodies; all solvers as plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest

from physics import BadInput, Box, Plane, Sphere, World, fields, set_option, solvers, step
from physics.contact.friction_cone import polygon
from physics.core.records import Case
from physics.dynamics import integrate
from physics.observe import quantities
from tests.tools import row_table


def stack(boxes: int, **options: object) -> World:
    """A stack of 1 kg boxes on a plane, no budget unless given."""
    world = World()
    world.add_body(Plane(), kind="static")
    for i in range(boxes):
        world.add_body(Box((0.5, 0.5, 0.5)), pos=(0.02 * (i % 2), 0.0, 0.5 + i), mass=1.0)
    for name, value in {"budget": 0.0, **options}.items():
        set_option(world.solver.options, name, value)
    return world


def test_the_report_gives_the_reason_why_sweeps_ended():
    """Converged, at the iteration limit, or out of time, whichever comes first."""
    assert step(stack(1), 1 / 240).end == "converged"
    limited = step(stack(10, iterations=3), 1 / 240)
    assert (limited.end, limited.iterations) == ("iteration limit", 3)
    late = step(stack(10, iterations=100_000, tolerance=0.0, budget=0.05), 1 / 240)
    assert late.end == "budget" and 1 <= late.iterations < 100_000


@pytest.mark.parametrize("limit", [0, 1, 3, 50])
def test_position_passes_have_no_more_sweeps_than_the_option_says(limit):
    """Two boxes that overlap by a millimetre: at least four sweeps if they may be, and no more than the velocities had."""
    world = stack(2, position_iterations=limit, substeps=1, iterations=30, tolerance=0.0)
    world.set_pose(2, (0.0, 0.0, 1.499), (1.0, 0.0, 0.0, 0.0))
    done = step(world, 1 / 240).position_iterations
    assert (done == limit) if limit <= 3 else 4 <= done <= 30


def test_phases_of_a_step_add_up():
    world, shares = stack(30), []
    for _ in range(20):
        report = step(world, 1 / 240)
        whole = report.times.pop("step")
        assert set(report.times) == {"broad", "narrow", "solve", "integrate"} and min(report.times.values()) > 0.0
        shares.append(sum(report.times.values()) / whole)
    assert max(shares) < 1.0 and np.median(shares) > 0.5, "the rest is the auditor and what Python does"


def test_skipping_a_negligible_gyroscopic_term_matches_the_full_law():
    """Just below and just above the limit: a brick's spin changes by less than the limit's share of it, and not by a jump."""
    dt, after = 1 / 240, []
    for share in (0.99, 1.01):
        world = World(gravity=(0.0, 0.0, 0.0))
        spin = share * integrate.NEGLIGIBLE_TURN / dt / np.sqrt(3.0) * np.ones(3)
        world.add_body(Box((0.1, 0.3, 0.7)), omega=spin)
        set_option(world.solver.options, "substeps", 1)
        step(world, dt)
        after.append(np.linalg.norm(world.bodies[1]["omega"] - spin) / np.linalg.norm(spin))
    assert after[0] == 0.0 and 0.0 < after[1] < integrate.NEGLIGIBLE_TURN


def test_a_larger_budget_gives_more_sweeps_and_a_smaller_residual():
    """Budget against accuracy; the clock inside the kernel is read at least to the budget."""
    reports = {}
    for ms in (0.05, 5.0):
        world = stack(20, iterations=100_000, tolerance=0.0, budget=ms)
        for _ in range(3):
            reports[ms] = step(world, 1 / 240)
        assert reports[ms].end == "budget" and reports[ms].times["solve"] + reports[ms].times["integrate"] >= 1e-3 * ms
    assert reports[5.0].iterations > 3 * reports[0.05].iterations
    assert reports[5.0].residual < reports[0.05].residual


def test_more_sweeps_converge_to_the_law():
    """At convergence: no approach, no pull, friction inside its cone, and both sides of each law exclude one another."""
    world = stack(5, tolerance=1e-13, iterations=100_000)
    for _ in range(20):
        report = step(world, 1 / 240)
    assert report.end == "converged" and report.residual < 1e-10
    for c in world.contacts:
        assert c["impulse"] >= 0.0
        assert np.linalg.norm(c["friction_impulse"]) <= c["friction"] * c["impulse"] * (1.0 + 1e-9)
        if c["case"] == Case.STICK:
            assert np.linalg.norm(c["slip"]) < 1e-10


def test_the_residual_detects_every_kind_of_violation():
    """The natural map is zero for a solution and as large as the velocity error put in."""
    world = stack(1)
    for _ in range(5):
        step(world, 1 / 240)
    size = len(world.bodies)
    still, moving = np.zeros((size, 6)), np.zeros((size, 6))
    table = row_table.build(world, world.contacts, still, still, 1 / 240, 0.1)
    assert row_table.natural_map(table, still, polygon(8)) < 1e-9
    moving[2, 2] = -0.01
    assert row_table.natural_map(table, moving, polygon(8)) == pytest.approx(0.01, rel=1e-6)
    moving[2, 2] = 0.0
    moving[2, 0] = 1e-4
    assert row_table.natural_map(table, moving, polygon(8)) == pytest.approx(1e-4, rel=1e-6)
    table.rows["impulse"][0] = -1.0
    assert row_table.natural_map(table, still, polygon(8)) > 0.1


def test_warm_start_saves_sweeps():
    """A stack at rest needs one sweep a step with it, many without."""
    counts = {}
    for warm in (True, False):
        world = stack(5, warm_start=warm, iterations=2000)
        for _ in range(60):
            report = step(world, 1 / 240)
        counts[warm] = report.iterations
    assert counts[True] <= 2 and counts[False] > 20


def test_every_option_has_unit_range_and_help():
    """What the GUI draws its controls from."""
    for solver in solvers.available().values():
        assert solver.name and len(solver.doc) > 40
        for field in fields(solver().options):
            meta = field.metadata
            assert len(meta["help"]) > 20, field.name
            numeric = isinstance(field.default, int | float) and not isinstance(field.default, bool)
            assert not numeric or (meta["lo"] is not None and meta["hi"] is not None), field.name


@pytest.mark.parametrize("name, value", [("iterations", 0), ("iterations", 2.5), ("facets", 65), ("budget", -1.0),
                                         ("slop", np.inf)])
def test_options_out_of_range_are_refused(name, value):
    """With the allowed range in the sentence; the old value stays."""
    world = stack(1)
    before = getattr(world.solver.options, name)
    with pytest.raises(BadInput, match=r"allowed"):
        set_option(world.solver.options, name, value)
    assert getattr(world.solver.options, name) == before


def test_forces_and_torques_act_for_one_step():
    """Semi-implicit Euler: v = F dt / m, omega = I^-1 T dt, then nothing more."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Sphere(0.5), mass=2.0)
    world.apply_force(body, (4.0, 0.0, 0.0))
    world.apply_force(body, (0.0, 3.0, 0.0), point=(1.0, 0.0, 0.0))
    world.apply_torque(body, (0.0, 0.0, 1.0))
    for _ in range(2):
        step(world, 0.01)
    assert world.bodies["vel"][body] == pytest.approx((0.02, 0.015, 0.0), rel=1e-12)
    assert world.bodies["omega"][body] == pytest.approx((0.0, 0.0, 4.0 * 0.01 / (0.4 * 2.0 * 0.25)), rel=1e-12)


def test_a_kinematic_platform_carries_a_box_and_is_not_pushed():
    """Its velocity is given; the box on it is dragged along by friction until it sticks."""
    world = World()
    platform = world.add_body(Box((3.0, 1.0, 0.1)), kind="kinematic", pos=(0.0, 0.0, 0.0), vel=(0.5, 0.0, 0.0))
    box = world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.3), mass=50.0)
    times = []
    for _ in range(240):
        step(world, 1 / 240)
        times.append(world.bodies["vel"][box, 0])
    assert world.bodies["vel"][platform] == pytest.approx((0.5, 0.0, 0.0), abs=0.0)
    assert world.bodies["pos"][platform, 0] == pytest.approx(0.5, rel=1e-12)
    assert times[-1] == pytest.approx(0.5, abs=1e-9)
    stuck = next(i for i, v in enumerate(times) if v > 0.4999)
    assert (stuck + 1) / 240 == pytest.approx(0.5 / (0.5 * 9.81), abs=2 / 240)


def test_bodies_are_added_and_removed_while_running():
    """Adding on top of a stack, removing its foot: the rest falls and comes to rest again."""
    world = stack(4)
    for _ in range(60):
        step(world, 1 / 240)
    world.remove_body(2)
    top = world.add_body(Sphere(0.2), pos=(0.0, 0.0, 5.0))
    for _ in range(960):
        step(world, 1 / 240)
    assert np.sort(world.bodies["pos"][[3, 4, 5], 2]) == pytest.approx((0.5, 1.5, 2.5), abs=2e-3)
    assert top == 2 and world.bodies["pos"][top, 2] > 0.19


def test_position_correction_keeps_joint_impulses():
    """Elsewhere in the world a box sinks into the ground: the position pass must not wipe what the joint has carried."""
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    world.add_body(Plane(), kind="static")
    sunk = world.add_body(Box((1.0, 1.0, 1.0)), pos=(5.0, 0.0, 0.49))
    hung = world.add_body(Box((1.0, 1.0, 1.0)), pos=(0.0, 0.0, 5.0), mass=10.0)
    world.add_joint("fixed", 0, hung, anchor=(0.0, 0.0, 5.0), name="hook")
    step(world, 1.0 / 240.0)    # the first step of a body has half its weight
    for _ in range(5):
        report = step(world, 1.0 / 240.0)
        assert report.position_iterations > 0
        assert quantities.find(world, "joint:hook.reaction").read(world) == pytest.approx(10.0 * 9.81, rel=1e-9)
    assert world.bodies["pos"][sunk, 2] > 0.49


def test_every_solver_steps_as_plain_python() -> None:
    """NUMBA_DISABLE_JIT=1, for a debugger."""
    program = ("from physics import Plane, Sphere, World, solvers, step\n"
               "for name in solvers.available():\n"
               "    world = World()\n"
               "    world.add_body(Plane(), kind='static', friction=0.0)\n"
               "    ball = world.add_body(Sphere(0.1), pos=(0, 0, 1.0), friction=0.0)\n"
               "    world.use_solver(name)\n"
               "    step(world, 1 / 240)\n"
               "    assert ball.vel[2] < 0.0, name\n")
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr[-600:]
