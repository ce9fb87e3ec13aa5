"""Lemke's algorithm: examples of the literature, cycling, degeneracy, random problems with solutions and without."""

import itertools
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics import BadInput
from physics.complementarity import judge, lemke
from physics.complementarity.problem import Status
from tests.tools import stewart_trinkle_problems as problems

CLOSE = 1e-10


def solved(M, q, **more):
    """The solution, after a look at z >= 0, w >= 0 and z.w = 0."""
    M, q = np.asarray(M, float), np.asarray(q, float)
    solution = lemke.solve(M, q, **more)
    assert solution.status == Status.SOLVED
    z, w, size = solution.z, q + M @ solution.z, 1.0 + np.abs(q).max(initial=0.0)
    assert z.min(initial=0.0) >= 0.0 and w.min(initial=0.0) >= -CLOSE * size
    assert np.abs(np.minimum(z, w)).max(initial=0.0) <= CLOSE * size
    assert abs(z @ w) <= CLOSE * size * (1.0 + np.abs(z).max(initial=0.0))
    assert np.allclose(solution.w, w, rtol=0.0, atol=CLOSE * size)
    return solution


def all_solutions(M, q):
    """Every z that solves LCP(q, M) with a regular basis, by trying all 2^n: independent of any pivoting."""
    n = len(q)
    for basic in itertools.product((False, True), repeat=n):
        a = np.flatnonzero(basic)
        z = np.zeros(n)
        if len(a):
            block = M[np.ix_(a, a)]
            if abs(np.linalg.det(block)) < 1e-12:
                continue
            z[a] = np.linalg.solve(block, -q[a])
        if z.min(initial=0.0) >= -1e-12 and (q + M @ z).min(initial=0.0) >= -1e-12:
            yield z


def test_Murty_example_2_8():
    """Murty 1988, "Linear Complementarity, Linear and Nonlinear Programming", example 2.8."""
    M = [[1, -1, -1, -1], [-1, 1, -1, -1], [1, 1, 2, 0], [1, 1, 0, 2]]
    solution = solved(M, [3, 5, -9, -5])
    assert np.allclose(solution.z, [2, 1, 3, 1], atol=1e-12)


def test_Murty_example_2_9_ends_in_a_ray():
    """Murty 1988, example 2.9: no solution is found though the matrix is not copositive plus."""
    M = [[-1, 0, -3], [1, -2, -5], [-2, -1, -2]]
    assert lemke.solve(M, [-3, -2, -1]).status == Status.RAY


def test_Murty_example_2_11_depends_on_the_covering_vector():
    """Murty 1988, example 2.11: d = (5, 16) leads to a ray, d = e to a solution."""
    M, q = [[-1.5, 2.0], [-4.0, 4.0]], [-5.0, 17.0]
    assert lemke.solve(M, q, d=[5.0, 16.0]).status == Status.RAY
    solved(M, q)


@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_Murty_exponential_example(n):
    """Murty 1978: a P-matrix, ones on the diagonal and twos on one side of it, on which d = e takes 2^n pivots."""
    M = np.eye(n) + 2.0 * np.tril(np.ones((n, n)), -1)
    solution = solved(M, 2.0 ** np.arange(n, 0, -1) - 2.0 ** (n + 1))
    assert solution.pivots == 2**n
    assert np.allclose(solution.z, 2.0**n * (np.arange(n) == 0), atol=1e-12)


@pytest.mark.parametrize("M, q", [([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1]),
                                  ([[1, -1, 3], [2, -1, 3], [-1, -2, 0]], [-1, -1, -1])])
def test_Kostreva_cycling_examples(M, q):
    """Kostreva 1979: cycles unless ties are broken with care. The second has no solution on Lemke's path."""
    solution = lemke.solve(M, q, limit=100)
    assert solution.pivots < 20
    found = list(all_solutions(np.array(M, float), np.array(q, float)))
    if solution.status == Status.SOLVED:
        assert solved(M, q).residual < 1e-12 and any(np.allclose(solution.z, z) for z in found)
    else:
        assert solution.status == Status.RAY and M[2][2] == 0


@pytest.mark.parametrize("contacts", [1, 3, 7, 20])
@pytest.mark.parametrize("k", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_contacts_of_Stewart_and_Trinkle(contacts, k, seed):
    """ST96 section 3.2: a solution exists and Lemke's algorithm finds one, for any mu."""
    for mu in (0.0, 0.3, 2.0):
        solved(*problems.random_contacts(contacts, k, seed=seed, mu=mu, spread=2.0))


@pytest.mark.parametrize("height, stacks", [(1, 1), (3, 1), (5, 1), (2, 2)])
def test_stacks_of_boxes_with_redundant_corners(height, stacks):
    """The normal impulses between two boxes carry the weight above, whatever the basis."""
    M, q = problems.box_stacks(height, stacks)
    solution = solved(M, q)
    n = height * stacks * 4
    carried = solution.z[8 * n:9 * n].reshape(stacks, height, 4).sum(2)
    assert np.allclose(carried, 9.81 / 60.0 * np.arange(height, 0, -1), rtol=1e-9)


@pytest.mark.parametrize("noise", [1e-15, 1e-12, 1e-9, 1e-7, 1e-4])
def test_stacks_with_nearly_redundant_corners(noise):
    """A matrix that is singular but for the noise: pivots on the noise must not be taken for real ones."""
    for height in (1, 2, 4, 8):
        solved(*problems.box_stacks(height, noise=noise))


@pytest.mark.parametrize("spread", [4.0, 6.0])
def test_masses_from_grams_to_tonnes(spread):
    """Masses that differ by a factor of 10^spread: digits are lost on the way, and found again."""
    for seed in range(40):
        solved(*problems.random_contacts(7, seed=seed, spread=spread))


def test_the_last_digits_are_right():
    """Residuals of a few units of the last place: the fresh factorisation and its refinement at the end."""
    for M, q in [problems.random_contacts(50), *(problems.random_contacts(20, seed=seed, spread=5.0) for seed in range(4))]:
        assert solved(M, q).residual < 2e-15 * np.abs(q).max()


@pytest.mark.parametrize("rank", [5, 20, 60])
def test_large_semidefinite_problems_of_whole_numbers(rank):
    """A hundred variables of which most are tied most of the time."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        A = random.integers(-2, 3, (100, rank)).astype(float)
        solved(A @ A.T, random.integers(0, 2, 100) - A @ (A.T @ random.integers(0, 3, 100)))


def test_a_feasible_start_needs_no_pivot():
    solution = solved(np.eye(3), [1.0, 0.0, 2.0])
    assert solution.pivots == 0 and not solution.z.any()
    assert solved(np.zeros((0, 0)), np.zeros(0)).pivots == 0


def test_no_solution_is_a_ray():
    assert lemke.solve([[0.0, 0.0], [0.0, 0.0]], [-1.0, 1.0]).status == Status.RAY
    assert lemke.solve(-np.eye(2), [-1.0, -1.0]).status == Status.RAY


def test_the_limit_of_pivots_and_what_it_leaves():
    M, q = problems.random_contacts(7, seed=1)
    needed = solved(M, q).pivots
    assert lemke.solve(M, q, limit=needed - 1).status == Status.LIMIT
    assert lemke.solve(M, q, limit=needed).status == Status.SOLVED
    stopped = lemke.solve(M, q, limit=5)
    assert stopped.pivots == 5 and np.isfinite(stopped.z).all() and stopped.z.min() >= 0.0


def test_cancelled_before_and_from_another_thread():
    M, q = problems.random_contacts(7, seed=1)
    z, none = np.empty(70), np.zeros(70, np.uint8)
    trail = np.empty((0, 2), np.int32)
    halt = np.ones(1, np.int32)
    assert lemke.lemke(M, q, np.ones(70), none, 1000, halt, z, trail) == (Status.CANCELLED, 0)

    M, q = problems.random_contacts(150, seed=1)
    n, halt = len(q), np.zeros(1, np.int32)
    threading.Timer(0.01, lambda: halt.fill(1)).start()
    status, _ = lemke.lemke(M, q, np.ones(n), np.zeros(n, np.uint8), 10**6, halt, np.empty(n), trail)
    assert status == Status.CANCELLED


def test_the_trail_replays_the_pivots():
    """Entering is the complement of what left; the covering variable (2n) enters first and leaves last; the basis is z > 0."""
    M, q = problems.random_contacts(7, seed=3)
    n, solution = len(q), solved(M, q, trail=True)
    assert len(solution.trail) == solution.pivots
    entering, leaving = solution.trail.T
    assert entering[0] == leaving[-1] == 2 * n
    assert np.array_equal(entering[1:], (leaving[:-1] + n) % (2 * n))
    basis = set(range(n, 2 * n))
    for enters, leaves in solution.trail:
        basis.remove(leaves)
        basis.add(enters)
    assert {i for i in basis if i < n} == set(np.flatnonzero(solution.basic))
    assert np.all(solution.basic[solution.z > 0.0])
    assert sum(i < n for i in basis) + sum(i >= n for i in basis) == n


def test_a_warm_start_from_the_solution_needs_no_pivot_and_from_nearby_few():
    M, q = problems.random_contacts(20, seed=2)
    cold = solved(M, q)
    warm = solved(M, q, start=cold.basic)
    assert warm.pivots == 0 and np.allclose(warm.z, cold.z, atol=1e-12)
    near = solved(*problems.random_contacts(20, seed=2, nudge=1e-3), start=cold.basic)
    assert near.pivots < cold.pivots / 2


def test_a_warm_start_with_a_singular_basis_or_a_ray_falls_back():
    M, q = np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([-1.0, 2.0])
    assert np.allclose(solved(M, q, start=[1, 0]).z, solved(M, q).z)
    M, q = np.array([[1.0, 2.0, 2.0], [1.0, 3.0, 2.0], [2.0, 1.0, 1.0]]), np.array([-1.0, -2.0, -1.0])
    assert np.allclose(solved(M, q, start=[1, 0, 1]).z, solved(M, q).z), "this one ends in a ray"
    for seed in range(5):
        M, q = problems.random_contacts(5, seed=seed)
        random = np.random.default_rng(seed)
        for _ in range(20):
            solved(M, q, start=random.random(len(q)) < 0.3)


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_P_matrices_have_one_solution(seed, n):
    """Samelson, Thrall, Wesler 1958: one solution for every q, so all that try all bases find the same one."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, n))
    M = A @ A.T + 0.1 * np.eye(n) + 3.0 * (A - A.T)
    q = random.normal(size=n)
    found = list(all_solutions(M, q))
    solution = solved(M, q)
    assert all(np.allclose(solution.z, z, atol=1e-8) for z in found) and found


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12))
def test_semidefinite_matrices_are_solved_where_a_solution_exists(seed, n, rank):
    """q = M x + y with x, y >= 0 and small whole numbers: feasible, so solvable, and as degenerate as can be."""
    random = np.random.default_rng(seed)
    A = random.integers(-2, 3, (n, rank)).astype(float)
    M = A @ A.T
    x, y = random.integers(0, 3, n), random.integers(0, 2, n)
    solved(M, y - M @ x)


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_small_whole_numbers_never_cycle(seed, n):
    """Any matrix: the path ends; where it ends in a solution, that is one."""
    random = np.random.default_rng(seed)
    M, q = random.integers(-1, 2, (n, n)).astype(float), -random.integers(0, 2, n).astype(float)
    solution = lemke.solve(M, q)
    assert solution.status in (Status.SOLVED, Status.RAY)
    if solution.status == Status.SOLVED:
        solved(M, q)


def exact_trail(M, q):
    """Cottle, Pang, Stone, algorithm 4.4.1 with the whole tableau in fractions: columns z, w, z_0, right side."""
    n = len(q)
    rows = [[Fraction(x) for x in [*(-m for m in M[i]), *(int(i == j) for j in range(n)), -1, q[i]]] for i in range(n)]
    basis, trail = list(range(n, 2 * n)), []

    def lexicographic(i):
        return [rows[i][-1], *rows[i][n:2 * n]]

    def pivot(r, entering):
        trail.append((entering, basis[r]))
        rows[r] = [x / rows[r][entering] for x in rows[r]]
        for i in range(n):
            if i != r:
                rows[i] = [x - rows[i][entering] * y for x, y in zip(rows[i], rows[r])]
        left, basis[r] = basis[r], entering
        return left

    if min(q) >= 0:
        return trail
    left = pivot(min(range(n), key=lexicographic), 2 * n)
    while left != 2 * n:
        entering = (left + n) % (2 * n)
        falling = [i for i in range(n) if rows[i][entering] > 0]
        if not falling:
            return trail
        ratios = {i: [x / rows[i][entering] for x in lexicographic(i)] for i in falling}
        r = min(falling, key=ratios.get)
        last = [i for i in falling if basis[i] == 2 * n and ratios[i][0] == ratios[r][0]]
        left = pivot(last[0] if last else r, entering)
    return trail


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_every_pivot_is_that_of_exact_arithmetic(seed, n):
    """Small whole numbers, where ties are the rule."""
    random = np.random.default_rng(seed)
    M, q = random.integers(-1, 3, (n, n)), -random.integers(0, 2, n)
    trail = lemke.solve(M, q, trail=True).trail
    assert [tuple(pair) for pair in trail.tolist()] == exact_trail(M.tolist(), q.tolist())


def test_the_path_is_that_of_quantecon():
    """QuantEcon's `lcp_lemke`, independent code with the same rule: the same number of pivots to the same z."""
    optimize = pytest.importorskip("quantecon.optimize")
    random = np.random.default_rng(1)
    for n in (5, 20, 60):
        A = random.normal(size=(n, n))
        M, q = A @ A.T + 0.1 * np.eye(n), random.normal(size=n)
        other, ours = optimize.lcp_lemke(M, q), solved(M, q)
        assert other.success and np.allclose(ours.z, other.z, atol=1e-9) and ours.pivots == other.num_iter


def test_bad_input_is_one_sentence():
    with pytest.raises(BadInput, match=r"M has the shape \(2, 3\); it must be square"):
        lemke.solve(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(BadInput, match=r"q has the shape \(3,\); beside M"):
        lemke.solve(np.eye(2), np.zeros(3))
    with pytest.raises(BadInput, match=r"M\[0, 1\] = nan must be finite"):
        lemke.solve([[1.0, np.nan], [0.0, 1.0]], np.zeros(2))
    with pytest.raises(BadInput, match=r"d\[1\] = 0.0 is not allowed"):
        lemke.solve(np.eye(2), np.zeros(2), d=[1.0, 0.0])
    with pytest.raises(BadInput, match="limit = -1 must be an integer"):
        lemke.solve(np.eye(2), np.zeros(2), limit=-1)
    with pytest.raises(BadInput, match=r"start has the shape \(3,\)"):
        lemke.solve(np.eye(2), np.zeros(2), start=[1, 0, 1])


def test_the_judges_agree_on_solutions_and_only_there():
    M, q = problems.random_contacts(7, seed=4)
    z, w = solved(M, q).z, np.empty(70)
    for judged in (judge.natural, judge.fischer_burmeister, judge.gap):
        assert judged(M, q, z, w) < 1e-12 < 1e-3 < judged(M, q, z + 0.1, w)
