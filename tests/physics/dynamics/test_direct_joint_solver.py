"""Direct joint solver: against dense algebra, in chains with heavy ends, in loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics import Box, Capsule, Sphere, World, set_option, step
from physics.core.records import Bound, Kind
from physics.dynamics import direct_joint_solver
from tests.tools import row_table

G = 9.81


def hang(links: int, ratio: float, tilt: float = 0.5) -> World:
    """Links of 0.1 kg on ball joints, a ball of ratio times that at the end, let go at an angle."""
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    down = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    last, quat = 0, (math.cos(0.5 * tilt), 0.0, -math.sin(0.5 * tilt), 0.0)
    for i in range(links):
        body = world.add_body(Capsule(0.02, 0.08), pos=down * (0.2 * i + 0.1), quat=quat, mass=0.1)
        world.add_joint("spherical", last, body, anchor=down * 0.2 * i)
        last = body
    ball = world.add_body(Sphere(0.15), pos=down * (0.2 * links + 0.15), mass=0.1 * ratio, name="ball")
    world.add_joint("spherical", last, ball, anchor=down * 0.2 * links)
    return world


def net(seed: int, joints: int) -> World:
    """Boxes joined at random: trees, loops, several joints between two bodies."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, 0.0, 0.0))
    bodies = [0] + [world.add_body(Box((0.1, 0.2, 0.3)), pos=rng.normal(size=3), mass=float(rng.uniform(0.1, 10.0)))
                    for _ in range(5)]
    for _ in range(joints):
        a, b = rng.choice(bodies, 2, replace=False)
        world.add_joint(str(rng.choice(["spherical", "revolute", "fixed", "prismatic"])), int(a), int(b),
                        anchor=rng.normal(size=3), axis=rng.normal(size=3))
    return world


def dense(world: World, table) -> tuple[np.ndarray, np.ndarray]:
    """(J, M^-1) of the equality rows."""
    held = [r for k in table.blocks if k["bound"] == Bound.EQUALITY for r in range(k["first"], k["first"] + k["count"])]
    jacobian, inverse = np.zeros((len(held), 6 * len(world.bodies))), np.zeros((6 * len(world.bodies),) * 2)
    bodies = {r: (k["a"], k["b"]) for k in table.blocks for r in range(k["first"], k["first"] + k["count"])}
    for i, r in enumerate(held):
        for side, body in zip("ab", bodies[r], strict=True):
            jacobian[i, 6 * body: 6 * body + 6] += np.concatenate([table.rows[r][f"lin_{side}"], table.rows[r][f"ang_{side}"]])
    for i, body in enumerate(world.bodies):
        if body["kind"] == Kind.DYNAMIC:
            inverse[6 * i: 6 * i + 3, 6 * i: 6 * i + 3] = body["inv_mass"] * np.eye(3)
            inverse[6 * i + 3: 6 * i + 6, 6 * i + 3: 6 * i + 6] = body["inv_inertia_world"]
    return jacobian, inverse


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_one_solution_is_that_of_dense_algebra(seed, joints):
    world = net(seed, joints)
    step(world, 1e-4)
    still = np.zeros((len(world.bodies), 6))
    table, factors = row_table.build(world, world.contacts[:0], still, still, 1e-4, 0.0), world.layout.joint_system.factors
    direct_joint_solver.factor(table.rows, table.blocks, factors)
    velocity = np.random.default_rng(seed).normal(size=(len(world.bodies), 6))
    velocity[world.bodies["kind"] != Kind.DYNAMIC] = 0.0
    jacobian, inverse = dense(world, table)
    target, softness, carried = (np.concatenate([table.rows[name][k["first"]: k["first"] + k["count"]] for k in table.blocks])
                                 for name in ("target", "softness", "impulse"))
    before = velocity.copy()
    for _ in range(3):      # loops are regularised: the sweeps around them refine
        direct_joint_solver.solve_joints(table.rows, table.blocks, factors, velocity)
    wanted = before.reshape(-1) - inverse @ jacobian.T @ np.linalg.lstsq(
        jacobian @ inverse @ jacobian.T + np.diag(softness), jacobian @ before.reshape(-1) + softness * carried - target,
        rcond=1e-10)[0]
    assert velocity.reshape(-1) == pytest.approx(wanted, abs=1e-5 * np.abs(before).max())


def test_the_order_of_a_chain_makes_no_fill_and_of_a_star_neither():
    chain = hang(20, 1.0).layout.joint_system.factors
    assert len(chain.below) == 20 and len(chain.blocks) == 21
    ring = direct_joint_solver.elimination(np.array([1, 2, 3, 4]), np.array([2, 3, 4, 1]), np.ones(5, bool))
    assert len(ring.below) == 5, "a ring of four has one block of fill"


@pytest.mark.parametrize("ratio", [1.0, 100.0, 1000.0])
def test_long_chains_with_heavy_ends_hold_and_keep_their_energy(ratio):
    world = hang(30, ratio)
    step(world, 1e-6)
    first = sum(world.report.energy.values())
    size = 0.1 * (30 + ratio) * G * 6.0
    for _ in range(480):
        report = step(world, 1.0 / 240.0)
        assert report.joint_error < 1e-6
    assert abs(sum(world.report.energy.values()) - first) < 1e-3 * size


def test_a_redundantly_held_bar_rests():
    """Two hinges on one axis ask for five equations each, of which five say the same."""
    world = World()
    bar = world.add_body(Box((1.0, 0.1, 0.1)), pos=(1.0, 0.0, 0.0), mass=2.0)
    for y in (-0.1, 0.1):
        world.add_joint("revolute", 0, bar, anchor=(0.0, y, 0.0), axis=(0.0, 1.0, 0.0))
    for _ in range(240):
        report = step(world, 1.0 / 240.0)
    assert report.joint_error < 1e-6 and report.residual < 1e-6
    assert np.isfinite(world.joints["impulse"]).all() and np.abs(world.joints["impulse"]).max() < 10.0


def test_direct_and_iterative_joints_agree():
    results = []
    for how in ("direct", "one by one"):
        world = hang(4, 2.0)
        for name, value in (("joints", how), ("iterations", 20000), ("tolerance", 1e-12)):
            set_option(world.solver.options, name, value)
        for _ in range(60):
            step(world, 1.0 / 240.0)
        results.append(world.bodies["pos"].copy())
    assert results[0] == pytest.approx(results[1], abs=1e-5)


def rubbing(links: int, joints: str, friction: float) -> World:
    """A chain let go horizontally, with dry friction in all its joints."""
    world, before = World(), 0
    for name, value in {"budget": 0.0, "joints": joints, "iterations": 20_000, "tolerance": 1e-12}.items():
        set_option(world.solver.options, name, value)
    for i in range(links):
        link = world.add_body(Box((0.2, 0.05, 0.05)), pos=(0.2 + 0.4 * i, 0.0, 5.0), mass=1.0)
        world.add_joint("revolute" if i % 2 else "spherical", before, link, anchor=(0.4 * i, 0.0, 5.0), axis=(0.0, 1.0, 0.0),
                        max_friction=friction)
        before = link
    return world


@pytest.mark.parametrize("friction", [0.5, 5.0, 100.0])
def test_friction_that_sticks_is_solved_together_with_the_joints(friction):
    """The same motion as by sweeps alone, which need hundreds of them; here three or four for each of the rounds in which
    velocities are led to closed joints (nothing, some, all of it sticks)."""
    worlds = [rubbing(6, joints, friction) for joints in ("direct", "one by one")]
    sweeps = np.zeros(2)
    for _ in range(60):
        reports = [step(world, 1.0 / 240.0) for world in worlds]
        assert reports[0].end == "converged" and reports[0].residual < 1e-9
        sweeps += [report.iterations for report in reports]
    assert worlds[0].bodies["pos"] == pytest.approx(worlds[1].bodies["pos"], abs=1e-6)
    assert worlds[0].joints["case"].tolist() == worlds[1].joints["case"].tolist()
    assert worlds[0].joints["friction_impulse"] == pytest.approx(worlds[1].joints["friction_impulse"], abs=1e-5)
    assert sweeps[0] / 60 < 13.0 < 100.0 < sweeps[1] / 60


@pytest.mark.parametrize("n, h", [(10, 1 / 60), (20, 1 / 120), (20, 1 / 240)])
def test_a_redundantly_held_bridge_converges(n, h):
    """Both ends are fixed and all hinges have friction: impulses are not unique, but the motion is. Taut as it is, no number of
    substeps resolves how it swings: longer ones at longer steps come to rest or buzz at 5 um/s, as it happens."""
    world, before = World(), 0
    set_option(world.solver.options, "budget", 0.0)
    for i in range(n):
        plank = world.add_body(Box((0.25, 0.5, 0.05)), pos=(0.25 + 0.5 * i, 0.0, 5.0))
        world.add_joint("revolute", before, plank, anchor=(0.5 * i, 0.0, 5.0), axis=(0.0, 1.0, 0.0), max_friction=1.0)
        before = plank
    world.add_joint("revolute", before, 0, anchor=(0.5 * n, 0.0, 5.0), axis=(0.0, 1.0, 0.0), max_friction=1.0)
    reports = [step(world, h) for _ in range(60)]
    assert sum(report.end == "converged" and report.residual < 1e-9 for report in reports) >= 57
    report = reports[-1]
    assert report.joint_error < 2e-4, "loops give way a little"
    assert 4.8 < world.bodies["pos"][n // 2, 2] < 5.0


def energies_of_a_door(misaligned, small, width, rate):
    """Kinetic energy after each of 0.25 s of steps, by the given one, of a door at 20 rad/s: of a lower hinge and an upper one
    that is `small` [m] beside its axis, or turned by `small` / width; or of a ball joint and a screw of that lead."""
    speed, world = 20.0, World()
    door = world.add_body(Box((width, 0.02, 1.0)), pos=(width, 0.0, 0.0), mass=20.0, vel=(0.0, speed * width, 0.0),
                          omega=(0.0, 0.0, speed))
    screw = misaligned == "screw"
    world.add_joint("spherical" if screw else "revolute", 0, door, anchor=(0.0, 0.0, -0.8), axis=(0.0, 0.0, 1.0))
    if screw:
        world.add_joint("screw", 0, door, anchor=(0.0, 0.0, -0.8), axis=(0.0, 0.0, 1.0), lead=small)
    elif misaligned == "beside":
        world.add_joint("revolute", 0, door, anchor=(small, 0.0, 0.8), axis=(0.0, 0.0, 1.0))
    else:
        world.add_joint("revolute", 0, door, anchor=(0.0, 0.0, 0.8), axis=(small / width, 0.0, 1.0))
    given = 0.5 * 20.0 * speed**2 * (width**2 + (width**2 + 0.02**2) / 3.0)
    reports = [step(world, 1.0 / rate) for _ in range(rate // 4)]
    assert all(report.end == "converged" and report.joint_error < 1e-4 * width for report in reports)
    return np.array([report.energy["kinetic"] for report in reports]) / given


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("width", [0.5, 5.0])
@pytest.mark.parametrize("misaligned", ["beside", "turned", "screw"])
def test_joints_that_are_not_quite_in_line_hold_a_door_or_let_it_turn(misaligned, width, rate):
    """In exact arithmetic any misalignment holds the door; one of 1e-7 is round-off. In between no energy is gained."""
    held = []
    for share in (1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 1e-3, 1e-2):
        energies = energies_of_a_door(misaligned, share * width, width, rate)
        assert energies.max() < 1.001
        held.append(energies[3:].max() < 1e-6)
        assert held[-1] or energies.min() > 0.999
    assert not held[0] and all(held[4:])


@pytest.mark.xfail(strict=True, reason="at the edge of SINGULAR the warm start passes on impulses that no solution corrects")
def test_a_screw_that_hardly_holds_a_door_drives_it():
    assert energies_of_a_door("screw", 3e-5, 5.0, 240).max() < 1.001
