"""Friction problems in local form against closed forms, brute force over cases and scipy; solutions satisfy the law."""

import sys
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from physics import BadInput
from physics.complementarity import friction_problem, solve_friction
from physics.complementarity.friction_residual import residual
from tests.tools import friction_problems as problems

GOOD = 1e-8


def law(W, q, mu, r, dim=3):
    """The largest part of Coulomb's law that r misses, contact by contact and in plain words, over |q|."""
    u, p = (np.asarray(W @ r).ravel() + q).reshape(-1, dim), r.reshape(-1, dim)
    worst = 0.0
    for v, f, m in zip(u, p, np.broadcast_to(mu, len(p))):
        slip, pull = np.linalg.norm(v[1:]), np.linalg.norm(f[1:])
        worst = max(worst, -v[0], -f[0], pull - m * f[0], min(f[0], v[0]))
        worst = max(worst, min(slip, m * f[0] - pull))                          # slides only where friction is all there is
        worst = max(worst, min(slip, pull) * (1.0 + v[1:] @ f[1:] / (slip * pull)) if slip * pull > 0.0 else 0.0)
    return worst / np.linalg.norm(q)


def one_contact(seed, condition=10.0):
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return Q * np.geomspace(1.0, condition, 3) @ Q.T, random.normal(size=3)


def hyperstatic(seed, contacts, dim=3, rank=None):
    """W = J J^T of less than full rank, q in its range, all approaching on the whole; some contacts twice."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(contacts * dim, rank or max(dim, contacts * dim // 2)))
    if contacts > 2:
        J[-dim:] = J[:dim]
    return J @ J.T, J @ random.normal(size=J.shape[1]), random.choice([0.0, 0.05, 0.3, 0.7, 1.0, 1.5], contacts)


def test_an_open_contact_has_no_impulse():
    r, missed = solve_friction(np.eye(3), [1.0, 5.0, -3.0], 0.5)
    assert np.array_equal(r, np.zeros(3)) and missed == 0.0


def test_a_point_sticks_inside_the_cone_and_slides_on_it():
    """W = 1/m: sticks up to |q_t| = mu |q_n| and slides beyond, with friction mu r_n against q_t."""
    stick = solve_friction(2.0 * np.eye(3), [-1.0, 0.3, 0.39], 0.5).impulses
    assert np.allclose(stick, [0.5, -0.15, -0.195], atol=1e-12)
    slide = solve_friction(2.0 * np.eye(3), [-1.0, 3.0, 4.0], 0.5).impulses
    assert np.allclose(slide, [0.5, -0.15, -0.2], atol=1e-12)


@pytest.mark.parametrize("method", ["auto", "sweeps", "newton", "interior"])
@pytest.mark.parametrize("seed", range(12))
def test_one_contact_is_where_scipy_finds_the_angle_of_sliding(seed, method):
    """Slipping: the angle of friction is the root of u_t x d, found by brentq on a fine grid."""
    W, q = one_contact(seed, 3.0)
    q[0], mu = -abs(q[0]), 0.4
    found = solve_friction(W, q, mu, method=method, tolerance=1e-11)
    assert found.residual < GOOD
    stick = -np.linalg.solve(W, q)
    if np.hypot(*stick[1:]) <= mu * stick[0]:
        assert np.allclose(found.impulses, stick, atol=1e-7)
        return

    def at(angle):
        d = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
        return -q[0] / (W[0] @ d) * d

    def turn(angle):
        u = W @ at(angle) + q
        return u[1] * np.sin(angle) - u[2] * np.cos(angle)

    grid = np.linspace(0.0, 2.0 * np.pi, 721)
    roots = [scipy.optimize.brentq(turn, a, b, xtol=1e-14) for a, b in pairwise(grid) if turn(a) * turn(b) < 0.0]
    solutions = [at(a) for a in roots if (W @ at(a) + q)[1:] @ at(a)[1:] <= 0.0]
    assert min(np.abs(found.impulses - r).max() for r in solutions) < 1e-7


@pytest.mark.parametrize("method", ["auto", "sweeps"])
def test_one_contact_of_a_thin_body_with_much_friction_is_solved(method):
    """Directions of friction along which a normal impulse would press the surfaces together (Painleve)."""
    for seed in range(60):
        W, q = one_contact(seed, 100.0)
        q[0] = -abs(q[0])
        assert solve_friction(W, q, 1.5, method=method).residual <= GOOD


def cases_of_a_plane(W, q, mu):
    """All solutions in a plane: every contact open, sticking, sliding one way or the other."""
    n = len(mu)
    for cases in product("o+-s", repeat=n):
        A, b = np.eye(2 * n), np.zeros(2 * n)
        for i, case in enumerate(cases):
            if case != "o":
                A[2 * i], b[2 * i] = W[2 * i], -q[2 * i]
                if case == "s":
                    A[2 * i + 1], b[2 * i + 1] = W[2 * i + 1], -q[2 * i + 1]
                else:
                    A[2 * i + 1, 2 * i] = mu[i] if case == "-" else -mu[i]
        r = np.linalg.solve(A, b)
        if law(W, q, mu, r, 2) < 1e-10:
            yield r


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("method", ["auto", "lemke", "interior"])
def test_two_contacts_in_a_plane_are_one_of_all_solutions_there_are(seed, method):
    random = np.random.default_rng(seed)
    J = random.normal(size=(4, 6))
    W, q, mu = J @ J.T, random.normal(size=4), random.uniform(0.1, 1.0, 2)
    found = solve_friction(W, q, mu, 2, method=method, tolerance=1e-11)
    solutions = list(cases_of_a_plane(W, q, mu))
    assert solutions and min(np.abs(found.impulses - r).max() for r in solutions) < 1e-6


def test_without_friction_it_is_a_quadratic_program():
    """scipy's non-negative least squares on W = J J^T: the velocities are unique, the impulses need not be."""
    random = np.random.default_rng(3)
    J = random.normal(size=(20, 12))
    W, q = np.zeros((60, 60)), np.zeros(60)
    W[np.ix_(range(0, 60, 3), range(0, 60, 3))] = J @ J.T
    W[np.ix_(range(1, 60, 3), range(1, 60, 3))] = np.eye(20)
    W[np.ix_(range(2, 60, 3), range(2, 60, 3))] = np.eye(20)
    v = random.normal(size=12)
    q[::3], q[1::3] = J @ v, random.normal(size=20)
    found = solve_friction(W, q, 0.0)
    p = scipy.optimize.nnls(J.T, -v)[0]
    assert found.residual < GOOD and np.allclose(J @ J.T @ found.impulses[::3], J @ (J.T @ p), atol=1e-6)
    assert not found.impulses[1::3].any()


@pytest.mark.parametrize("method", ["auto", "sweeps", "interior"])
def test_solutions_satisfy_the_friction_law(method):
    p = problems.of_world("pyramid", problems.pyramid(4))
    found = solve_friction(p.W, p.q, p.mu, method=method)
    assert found.residual < GOOD and law(p.W, p.q, p.mu, found.impulses) < 1e-7


def test_a_box_at_rest_is_carried_and_a_pushed_one_slides():
    """Sums of impulses are unique where single ones are not: m g dt, and mu m g dt against the slide."""
    world = problems.stack(1, mu=0.5)
    p, mass = problems.of_world("box", world), world.bodies["mass"][2]
    assert solve_friction(p.W, p.q, p.mu).impulses[::3].sum() == pytest.approx(mass * 9.81 / 240, rel=1e-6)
    world.set_velocity(2, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    p = problems.of_world("box", world)
    r = solve_friction(p.W, p.q, p.mu).impulses.reshape(-1, 3)
    assert np.linalg.norm(r[:, 1:].sum(axis=0)) == pytest.approx(0.5 * mass * 9.81 / 240, rel=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([2, 3]))
@settings(max_examples=60)
def test_hyperstatic_problems_are_solved(seed, contacts, dim):
    """W singular, q in its range, contacts there twice, mu from 0 to 1.5: there is a solution (Acary and Cadoux)."""
    W, q, mu = hyperstatic(seed, contacts, dim)
    found = solve_friction(W, q, mu, dim)
    assert found.residual <= GOOD and residual(W, q, mu, found.impulses, dim) == found.residual
    assert law(W, q, mu, found.impulses, dim) <= 1e-6


@given(st.integers(0, 10**6), st.integers(-10, 10), st.integers(-20, 20))
@settings(max_examples=25)
def test_units_do_not_matter(seed, power, speed):
    """W in other units of mass, q in other units of velocity: the same velocities in theirs."""
    W, q, mu = hyperstatic(seed, 4, rank=12)
    a, b = 4.0**power, 2.0**speed
    plain, other = solve_friction(W, q, mu, tolerance=1e-14), solve_friction(a * W, b * q, mu, tolerance=1e-14)
    assert solve_friction(a * W, b * q, mu).residual <= GOOD
    if plain.residual <= 1e-12 and other.residual <= 1e-12 and plain.method == other.method:
        assert np.allclose(W @ plain.impulses, a * W @ other.impulses / b, atol=1e-8 * np.linalg.norm(q))


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_mass_ratios_of_ten_thousand_are_solved(seed):
    random = np.random.default_rng(seed)
    J = random.normal(size=(18, 12)) * np.repeat(10.0 ** random.uniform(-2.0, 2.0, 2), 6)
    W, q = J @ J.T, J @ random.normal(size=12)
    assert solve_friction(W, q, 0.5).residual <= GOOD


@given(st.integers(0, 10**6), st.integers(1, 6))
@settings(max_examples=20)
def test_friction_takes_energy_and_never_gives_it(seed, contacts):
    """r . (q + W r / 2) is the change of the kinetic energy."""
    W, q, mu = hyperstatic(seed, contacts)
    r = solve_friction(W, q, mu).impulses
    assert r @ (q + 0.5 * W @ r) <= 1e-7 * np.linalg.norm(q) * (np.linalg.norm(r) + 1.0)


def test_the_order_of_contacts_and_the_frame_of_tangents_do_not_matter():
    """Little friction and W regular: one solution."""
    random = np.random.default_rng(5)
    J = random.normal(size=(15, 30))
    W, q, mu = J @ J.T, random.normal(size=15), np.linspace(0.0, 0.1, 5)
    u = W @ solve_friction(W, q, mu, tolerance=1e-12).impulses + q
    turn = np.kron(np.eye(5)[[3, 1, 4, 0, 2]], [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, -0.8, 0.6]])
    other = solve_friction(turn @ W @ turn.T, turn @ q, mu[[3, 1, 4, 0, 2]], tolerance=1e-12)
    assert np.allclose(turn.T @ (turn @ W @ turn.T @ other.impulses + turn @ q), u, atol=1e-6)


def test_sparse_and_dense_are_the_same_problem_and_q_keeps_its_shape():
    p = problems.of_world("stack", problems.stack(3))
    sparse, dense = solve_friction(p.W, p.q, p.mu), solve_friction(p.W.toarray(), p.q.reshape(-1, 3), p.mu)
    assert dense.impulses.shape == (12, 3) and np.allclose(dense.impulses.ravel(), sparse.impulses, atol=1e-12)
    for kind in (scipy.sparse.csc_matrix, scipy.sparse.coo_matrix, scipy.sparse.bsr_array):
        assert solve_friction(kind(p.W), p.q, p.mu).impulses == pytest.approx(sparse.impulses, abs=1e-12)


def test_empty_problems():
    assert solve_friction(np.eye(6), np.zeros(6), 0.5) == (pytest.approx(np.zeros(6)), 0.0)
    assert solve_friction(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).residual == 0.0


def test_without_a_solution_the_best_iterate_and_its_residual_are_returned():
    """Two static bodies that approach: no impulse helps."""
    r, missed = solve_friction(np.zeros((3, 3)), [-1.0, 0.0, 0.0], 0.5)
    assert np.all(np.isfinite(r)) and missed == pytest.approx(1.0)


@pytest.mark.parametrize("make", [lambda: problems.stack(10, ratio=1e4), lambda: problems.stack(10, 0.3, kick=1.0),
                                  lambda: problems.wall(3, 3), lambda: problems.heap(20, 1.0, 1, spread=4.0),
                                  lambda: problems.wedges(4, 1.5), lambda: problems.cards(4), lambda: problems.arch(11, 0.2),
                                  lambda: problems.gripper(4, 0.1)])
def test_problems_of_worlds_are_solved(make):
    p = problems.of_world("world", make())
    assert len(p.mu) > 5 and solve_friction(p.W, p.q, p.mu).residual <= GOOD


def test_facets_come_near_the_round_cone():
    W, q = one_contact(4, 2.0)
    q[0] = -abs(q[0])
    exact = solve_friction(W, q, 0.3).impulses
    far = [np.abs(solve_friction(W, q, 0.3, method="lemke", facets=k).impulses - exact).max() for k in (8, 32, 128)]
    assert far[0] < 0.1 and far[2] < 2e-3


def test_a_wrong_impulse_has_a_residual():
    """The judge: what is not a solution has a residual of the size of the error."""
    W, q, mu = hyperstatic(1, 4, rank=12)
    r = solve_friction(W, q, mu).impulses
    for size in (1e-6, 1e-3, 1.0):
        assert residual(W, q, mu, r + size * np.eye(12)[0], 3) > 1e-3 * size / np.linalg.norm(q)
    assert residual(np.eye(3), np.array([-1.0, 0.0, 0.0]), np.array([0.5]), np.array([1.0, 0.5, 0.0]), 3) > 0.1


@pytest.mark.parametrize("arguments, sentence", [
    ((np.eye(3), np.zeros(3), 0.5, 4), "dim = 4"), ((np.eye(3), np.zeros(3), 0.5, True), "dim = True"),
    ((np.zeros((3, 6)), np.zeros(3), 0.5), "square"), ((np.eye(4), np.zeros(4), 0.5), "4 rows"),
    ((np.eye(3), np.zeros(6), 0.5), "q has the shape"), ((np.eye(6), np.zeros(6), [0.5] * 3), "mu has the shape"),
    ((np.eye(3), [0.0, np.nan, 0.0], 0.5), "q[1] = nan"), ((np.eye(3), np.zeros(3), -0.1), "mu[0] = -0.1"),
    ((np.eye(3), np.zeros(3), np.inf), "mu[0] = inf"), ((np.diag([1.0, np.inf, 1.0]), np.zeros(3), 0.5), "W[1, 1] = inf"),
    ((scipy.sparse.csr_matrix(np.diag([1.0, np.nan, 1.0])), np.zeros(3), 0.5), "W's numbers[1] = nan"),
    (("W", np.zeros(3), 0.5), "W must be an array"), ((np.eye(3), "q", 0.5), "q must be an array")])
def test_bad_input_is_one_sentence(arguments, sentence):
    with pytest.raises(BadInput) as told:
        solve_friction(*arguments)
    assert sentence in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("options, sentence", [({"method": "magic"}, "method = 'magic'"), ({"tolerance": 0.0}, "tolerance = 0.0"),
                                               ({"facets": 2}, "facets = 2")])
def test_bad_options_are_one_sentence(options, sentence):
    with pytest.raises(BadInput, match=sentence):
        solve_friction(np.eye(3), np.zeros(3), 0.5, **options)


def test_it_works_without_scipy(monkeypatch):
    """scipy factors a matrix once where numpy does it twice, and is not needed."""
    for name in [m for m in sys.modules if m.split(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    W, q, mu = hyperstatic(2, 4)
    assert solve_friction(W, q, mu, method="interior").residual < GOOD


def test_every_method_is_named():
    W, q, mu = hyperstatic(3, 3, rank=9)
    for method in friction_problem.METHODS[1:-1]:
        assert solve_friction(W, q, mu, method=method).method == method
