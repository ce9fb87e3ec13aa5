"""Contacts at acceleration level: three statements of one law agree, and the laws bound forces that they leave open."""

import math

import numpy as np
import pytest
from scipy import optimize

from physics import Box, Plane, Sphere, World, step
from physics.articulated import contact
from physics.core.records import CONTACT
from tests.tools.random_trees import moved, random_world


def random_problem(seed, repeated):
    """Contacts between random bodies of a random mechanism; some twice, so that their normals depend on one another."""
    rng = np.random.default_rng(seed)
    space = moved(random_world(rng, int(rng.integers(2, 9))), rng)
    contacts = np.zeros(int(rng.integers(1, 7)), CONTACT)
    for c in contacts:
        c["body_a"], c["body_b"] = rng.choice(len(space.tree.of_body), 2, replace=False)
        c["pos"], n = rng.normal(size=3), rng.normal(size=3)
        c["normal"], c["tangent"] = n / np.linalg.norm(n), (1.0, 0.0, 0.0)
    T = contact.directions(space, contacts)[:, 0].T
    T = T[:, np.linalg.norm(T, axis=0) > 1e-9]
    turning = rng.normal(size=T.shape[1])
    if repeated:
        T, turning = np.hstack([T, T[:, :1], 0.5 * (T[:, :1] + T[:, -1:])]), np.concatenate(
            [turning, turning[:1], 0.5 * (turning[:1] + turning[-1:])])
    return space, contact.contact_problem(space, T, turning, rng.normal(size=space.tree.size))


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_lcp_and_both_quadratic_programs_agree(seed, repeated):
    space, problem = random_problem(seed, repeated)
    if not problem.T.shape[1]:
        pytest.skip("these bodies cannot move against one another")
    by_lcp, by_qp, by_gauss = contact.solve_lcp(problem), contact.solve_qp(problem), contact.solve_gauss(problem)
    if by_lcp is None:
        assert by_qp is None and by_gauss is None
        return
    size = max(1.0, np.abs(problem.free).max())
    answer = problem.acceleration(by_lcp)
    assert np.allclose(problem.acceleration(by_qp), answer, rtol=0.0, atol=1e-10 * size)
    assert np.allclose(by_gauss, answer, rtol=0.0, atol=1e-10 * size)
    for forces in (by_lcp, by_qp):
        separation = problem.M @ forces + problem.d
        scale = max(1.0, np.abs(problem.d).max())
        assert forces.min() >= 0.0 and separation.min() > -1e-10 * scale and abs(forces @ separation) < 1e-9 * scale**2
    assert np.allclose(problem.T @ by_qp, problem.T @ by_lcp, atol=1e-9 * max(1.0, np.abs(problem.T @ by_lcp).max()))
    assert np.allclose(space.H @ (answer - problem.free), problem.T @ by_lcp, atol=1e-9 * size)


@pytest.mark.parametrize("seed", range(30))
def test_nonnegative_least_squares_is_scipys(seed):
    rng = np.random.default_rng(seed)
    E, f = rng.normal(size=(8, 12 if seed % 2 else 5)), rng.normal(size=8)
    u, norm = optimize.nnls(E, f)
    found = contact.nonnegative_least_squares(E, f)
    assert found.min() >= 0.0 and np.linalg.norm(E @ found - f) == pytest.approx(norm, abs=1e-10)
    assert np.allclose(E @ found, E @ u, atol=1e-9)


def on_walls(closing):
    """A disc between two walls (F11 example 11.1): n2 = -n1, and T_dot^T qd, by which the slot narrows on it."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Sphere(0.1), mass=1.0)
    space = world.joint_space()
    walls = np.zeros(2, CONTACT)
    walls["body_b"], walls["normal"], walls["tangent"] = 1, [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)], (0.0, 1.0, 0.0)
    return contact.contact_problem(space, contact.directions(space, walls)[:, 0].T, np.array(closing))


def test_no_force_holds_a_disc_in_a_slot_that_narrows():
    """M = ((1, -1), (-1, 1)) / m: a solution needs d1 + d2 >= 0."""
    assert all(solve(on_walls((-1.0, 0.5))) is None for solve in (contact.solve_lcp, contact.solve_qp, contact.solve_gauss))
    problem = on_walls((-1.0, 1.0))
    for solve in (contact.solve_lcp, contact.solve_qp):
        forces = solve(problem)
        assert np.allclose(problem.T @ forces, (1.0, 0, 0, 0, 0, 0), atol=1e-12), "lambda1 - lambda2 is unique"
    assert np.allclose(contact.solve_gauss(problem), (1.0, 0, 0, 0, 0, 0), atol=1e-12)


def test_forces_of_one_contact_are_those_of_newton():
    """A ball on level ground: m g; on a plane at an angle: m g cos; F11 (11.8) to (11.10)."""
    for angle in (0.0, 0.4, 1.2):
        world = World()
        world.add_body(Sphere(0.1), mass=2.0)
        c = np.zeros(1, CONTACT)
        c["body_b"], c["normal"] = 1, (math.sin(angle), 0.0, math.cos(angle))
        c["pos"] = -0.1 * c["normal"]
        space = world.joint_space()
        problem = contact.contact_problem(space, contact.directions(space, c)[:, 0].T, np.zeros(1))
        assert float(problem.M[0, 0]) == pytest.approx(0.5) and float(problem.d[0]) == pytest.approx(-9.81 * math.cos(angle))
        assert contact.solve_qp(problem) == pytest.approx(2.0 * 9.81 * math.cos(angle))


# ---- what the laws leave open


def table(mu, mass=4.0):
    """A table of four legs at rest on the floor: contact rows, cones and the sum of the forces."""
    world = World()
    world.add_body(Plane(), kind="static", friction=mu)
    world.add_body(Box((0.4, 0.3, 0.05)), pos=(0.0, 0.0, 0.05), mass=mass, friction=mu)
    for _ in range(20):
        step(world, 1.0 / 60.0)
    space, contacts = world.joint_space(), world.contacts
    rows = contact.directions(space, contacts)
    ways = contacts["tangent"], np.cross(contacts["normal"], contacts["tangent"])
    friction = [(contacts["friction_impulse"] * way).sum(axis=1) for way in ways]
    forces = np.column_stack([contacts["impulse"], *friction]) * 60.0
    return rows, np.einsum("ckn,ck->n", rows, forces), len(contacts)


def test_a_table_leg_bears_between_zero_and_half_the_weight():
    """Without friction: n1 + .. + n4 = m g and no moment, so opposite legs bear the same, neighbours m g / 2 together."""
    rows, total, count = table(0.5)
    assert count == 4
    G, owner = contact.cone_edges(rows, np.zeros(4), np.zeros((4, 2)))
    weight = 4.0 * 9.81
    for i in range(4):
        assert contact.force_range(G, owner, total, i) == pytest.approx((0.0, 0.5 * weight), abs=1e-6 * weight)
    G, owner = contact.cone_edges(rows, np.full(4, 0.5), np.zeros((4, 2)))
    wide = contact.force_range(G, owner, total, 0)
    assert wide.least == pytest.approx(0.0, abs=1e-6) and 0.5 * weight - 1e-6 < wide.greatest < weight, "friction may brace it"
    by_scipy = [optimize.linprog(sign * (owner == 0), A_eq=G, b_eq=total, bounds=(0, None)).fun * sign for sign in (1, -1)]
    assert tuple(wide) == pytest.approx(by_scipy, abs=1e-5 * weight)


def test_three_points_are_determinate_and_a_jammed_disc_is_unbounded():
    world = World()
    world.add_body(Box((0.1, 0.1, 0.1)), mass=3.0)
    legs = np.zeros(3, CONTACT)
    legs["body_b"], legs["normal"], legs["tangent"] = 1, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    legs["pos"] = [(0.1, 0.0, -0.1), (-0.1, 0.1, -0.1), (-0.1, -0.1, -0.1)]
    rows = contact.directions(world.joint_space(), legs)
    G, owner = contact.cone_edges(rows, np.zeros(3), np.zeros((3, 2)))
    share = 3.0 * 9.81 * np.array([0.5, 0.25, 0.25])
    for i in range(3):
        assert contact.force_range(G, owner, G @ share, i) == pytest.approx((share[i], share[i]), rel=1e-9)
    assert contact.force_range(G, owner, -G @ share, 0) is None
    jaws = on_walls((0.0, 0.0)).T
    assert contact.force_range(jaws, np.arange(2), jaws @ (5.0, 2.0), 0) == (pytest.approx(3.0), math.inf)


@pytest.mark.parametrize("seed", range(200))
def test_minimal_contact_sets_are_those_of_nonnegative_least_squares(seed):
    """Each contact left out is a nonnegative combination of the kept ones, and no kept one is of the other kept ones."""
    rng = np.random.default_rng(seed)
    n, free = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    T = rng.normal(size=(n, free))
    T = np.hstack([T, T @ rng.uniform(0.0, 1.0, (free, int(rng.integers(0, 6))))])
    T = T[:, rng.permutation(T.shape[1])] * rng.uniform(0.1, 10.0)
    kept = contact.minimal_contact_set(T)
    for i in range(T.shape[1]):
        others = kept[kept != i]
        distance = optimize.nnls(T[:, others], T[:, i])[1] / np.linalg.norm(T[:, i]) if len(others) else 1.0
        assert distance > 1e-8 if i in kept else distance < 1e-8


def test_four_corners_hold_a_block_and_points_between_them_are_left_out():
    """Corners, middles of the sides and the centre of its lower face: four of nine; of corners given twice one of each."""
    world = World()
    world.add_body(Box((0.3, 0.2, 0.1)), mass=2.0)
    places = [(x, y, -0.1) for x in (-0.3, 0.0, 0.3) for y in (-0.2, 0.0, 0.2)]
    corners = {i for i, (x, y, _) in enumerate(places) if x and y}
    points = np.zeros(13, CONTACT)
    points["body_b"], points["normal"], points["tangent"] = 1, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    points["pos"] = places + [places[i] for i in sorted(corners)]
    T = contact.directions(world.joint_space(), points)[:, 0].T
    assert set(contact.minimal_contact_set(T[:, :9]).tolist()) == corners
    kept = contact.minimal_contact_set(T)
    assert len(kept) == 4 and {tuple(points["pos"][i]) for i in kept} == {places[i] for i in corners}
