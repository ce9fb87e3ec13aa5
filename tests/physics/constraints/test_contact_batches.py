"""Contact batches: every contact once, no body twice in a batch, and the same results as rows."""

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, set_option, step
from physics.collide import bounds, broad, narrow
from physics.constraints import contact_batches
from physics.contact import targets
from physics.contact.friction_cone import polygon
from physics.core.records import Case, Kind
from tests.tools import row_table

DT = 1.0 / 240.0


def heap(n: int = 30, seed: int = 3) -> World:
    """Boxes and balls thrown together over a floor."""
    rng = np.random.default_rng(seed)
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    world.add_body(Plane(), kind="static")
    for i in range(n):
        shape = Box((0.2, 0.15, 0.1)) if i % 2 else Sphere(0.15)
        world.add_body(shape, pos=rng.uniform((-0.7, -0.7, 0.2), (0.7, 0.7, 1.2)), vel=rng.normal(size=3), friction=0.3)
    return world


def contacts_of(world: World) -> np.ndarray:
    """The contacts that the next step would find, with the targets of bodies that do not accelerate."""
    bounds.update(world.bodies, world.shapes, world.layout.shapes, world.margin, DT, world.gravity, world.pool.arrays)
    pairs = broad.find_pairs(world.bodies, world.shapes, world.layout.excluded)
    return narrow.find_contacts(world.shapes, pairs, world.contacts, world.pool.arrays)


@pytest.fixture(scope="module")
def fallen() -> World:
    world = heap()
    for _ in range(60):
        step(world, DT)
    return world


def on_surfaces(world, contacts):
    """Arms end there where one of the bodies does not move; contacts tell of the middle between them."""
    both = (world.bodies["kind"][contacts["body_a"]] == Kind.DYNAMIC) & (world.bodies["kind"][contacts["body_b"]] == Kind.DYNAMIC)
    way = np.where(both, 0.0, contacts["gap"])[:, None] * contacts["normal"]
    contacts["pos"] -= 0.5 * way
    contacts["shift"] += way


def test_every_contact_is_in_one_batch_and_no_batch_repeats_a_body(fallen):
    contacts = contacts_of(fallen)
    p = contact_batches.build(contacts, fallen.bodies, fallen.materials.pairs, 0.0, True)
    assert sorted(p.contact[p.contact >= 0].tolist()) == list(range(len(contacts)))
    moves = fallen.bodies["kind"] == Kind.DYNAMIC
    for a, b in zip(p.a, p.b, strict=True):
        held = [i for i in [*a, *b] if moves[i]]
        assert len(held) == len(set(held))
    assert (p.contact >= 0).sum() > 0.5 * p.contact.size, "most lanes are in use"


def test_effective_masses_are_those_of_the_rows(fallen):
    contacts = contacts_of(fallen)
    still = np.zeros((len(fallen.bodies), 6))
    spread = contacts.copy()
    on_surfaces(fallen, spread)
    table = row_table.build(fallen, spread, still, still, DT, 0.1)
    p = contact_batches.build(contacts, fallen.bodies, fallen.materials.pairs, 0.0, True)
    for point in range(len(p.contact)):
        for lane in range(4):
            i = p.contact[point, lane]
            values = p.points[point, :, lane]
            if i < 0:
                assert not values[[contact_batches.INVERSE_N, contact_batches.INVERSE_11, contact_batches.INVERSE_22,
                                   contact_batches.RATE]].any()
                continue
            normal, tangent = table.blocks[2 * i], table.blocks[2 * i + 1]
            assert values[contact_batches.INVERSE_N] == pytest.approx(table.inverses[normal["inverse"]], rel=1e-12)
            inverse = table.inverses[tangent["inverse"]: tangent["inverse"] + 4]
            assert values[[contact_batches.INVERSE_11, contact_batches.INVERSE_12, contact_batches.INVERSE_12,
                           contact_batches.INVERSE_22]] == pytest.approx(
                inverse, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("turn", "pressing", "free"), [(1e-7, False, False), (1e-5, True, False), (1e-3, True, True),
                                                         (0.2, True, False)])
def test_arms_turn_with_bodies_where_that_is_neither_noise_nor_a_tumble(fallen, turn, pressing, free):
    """Turn of the bodies in the last step [rad]: whether contacts that pressed in it, and those that did not, get the rates of
    their arms. Below 1e-4 they would keep a pyramid at rest from settling, and in a tumble they are another point's."""
    contacts, bodies = contacts_of(fallen), fallen.bodies.copy()
    moves = bodies["kind"] == Kind.DYNAMIC
    bodies["omega"][moves] = (turn / DT, 0.0, 0.0)
    for name, body in (("arm_a", "body_a"), ("arm_b", "body_b")):     # as the bodies have turned since
        arm = contacts["pos"] - bodies["pos"][contacts[body]]
        contacts[name] = arm - turn * np.cross((1.0, 0.0, 0.0), arm)
    contacts["shift"], contacts["normal_change"], contacts["gap"] = 0.0, 0.0, 0.0
    contacts["impulse"] = np.arange(len(contacts)) % 2
    p = contact_batches.build(contacts, bodies, fallen.materials.pairs, DT, True)
    got = {0: False, 1: False}
    for point, lane in zip(*np.nonzero(p.contact >= 0), strict=True):
        sweeps = p.points[point, contact_batches.SWEEP_A:contact_batches.SWEEP_A + 6, lane]
        got[int(contacts["impulse"][p.contact[point, lane]])] |= bool(sweeps.any())
    assert (got[1], got[0]) == (pressing, free)


@pytest.mark.parametrize("facets", [0, 3, 8])
@pytest.mark.parametrize("acceleration", [False, True])
def test_the_converged_state_satisfies_every_law_in_the_table_of_rows(fallen, facets, acceleration):
    """An independent judge: residual of the rows, from the impulses and velocities that the batches left."""
    world = World()
    world.restore(fallen.snapshot())
    for name, value in (("iterations", 20000), ("tolerance", 1e-11), ("substeps", 1), ("acceleration", acceleration),
                        ("cone", "circle" if facets == 0 else "polygon"), ("facets", max(facets, 3)), ("position_iterations", 0),
                        ("gyroscopic", False)):
        set_option(world.solver.options, name, value)
    before = np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1)
    twin = world.snapshot()
    for arm in ("arm_a", "arm_b"):
        world.awake_contacts[arm] = 0.0     # the rows know of no bend
    report = step(world, DT)
    contacts = world.contacts.copy()
    after = np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1)
    world.restore(twin)
    on_surfaces(world, contacts)
    table = row_table.build(world, contacts, before, before, DT, 10.0)
    table.rows["target"][0::3] = contacts["target"][:, 0]
    assert report.end == "converged" and report.residual < 1e-8
    assert row_table.natural_map(table, after, polygon(facets)) < 1e-8
    assert {int(k) for k in contacts["case"]} >= {Case.STICK, Case.SLIP}


def test_accelerated_sweeps_settle_in_another_heap():
    world = heap(seed=4)
    for _ in range(60):
        step(world, DT)
    for name, value in (("iterations", 2000), ("tolerance", 1e-11), ("position_iterations", 0), ("gyroscopic", False)):
        set_option(world.solver.options, name, value)
    for arm in ("arm_a", "arm_b"):
        world.awake_contacts[arm] = 0.0
    assert step(world, DT).end == "converged"


def test_substeps_follow_the_gaps():
    """A ball that falls past the first substep's gap lands on the floor, not in it, and touches in the right substep."""
    world = World()
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.15), vel=(0.0, 0.0, -6.0))
    set_option(world.solver.options, "substeps", 8)
    step(world, 1.0 / 60.0)
    assert world.bodies["pos"][ball, 2] == pytest.approx(0.1, abs=1e-9)
    impulse = float(world.contacts["impulse"][0])
    assert impulse == pytest.approx(world.bodies["mass"][ball] * (6.0 + 9.81 * (1.0 / 60.0 - 0.5 / 480.0)), rel=1e-9)


def test_targets_of_contacts():
    assert targets.target_velocity(0.5 * targets.TOUCH_GAP, 0.0, 0.0, 0.0, DT, 0.1, 0.0) == (0.0, False, 0.0)
    assert targets.target_velocity(1e-3, -1.0, -1.0, 0.0, DT, 0.1, 0.0) == (-1e-3 / DT, False, 0.0)
    speed, rebounds, pending = targets.target_velocity(1e-3, -1.0, -1.0, 0.5, DT, 0.1, 0.0)
    assert rebounds and speed == pytest.approx(0.5) and pending == 0.0
    # an apex below the gap: close it now, rebound from the speed at the surface in the next step
    speed, rebounds, pending = targets.target_velocity(3e-3, -1.0, -1.04, 0.1, DT, 0.1, 0.0)
    assert not rebounds and speed == pytest.approx(-3e-3 / DT) and pending == pytest.approx(1.04, abs=0.02)
    speed, rebounds, _ = targets.target_velocity(0.0, -0.72, -0.76, 0.1, DT, 0.1, pending)
    assert rebounds and speed == pytest.approx(0.1 * pending, abs=0.03)


def test_substeps_start_from_the_mean_force_of_the_last_step():
    """A pile at rest converges at once, in every substep, also after a step of another length."""
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    set_option(world.solver.options, "tolerance", 1e-8)
    world.add_body(Plane(), kind="static")
    for k in range(3):
        world.add_body(Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5 + k))
    for parts, dt in [(4, 1.0 / 60.0)] * 40 + [(2, 1.0 / 120.0), (4, 1.0 / 60.0)]:
        set_option(world.solver.options, "substeps", parts)
        report = step(world, dt)
    assert report.iterations <= 2 * 4
