"""Block principal pivoting, projected Gauss-Seidel, elimination of free variables; against Lemke's algorithm and numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics.complementarity import elimination, judge, lemke
from physics.complementarity.gauss_seidel import gauss_seidel
from physics.complementarity.principal import principal
from physics.complementarity.problem import Status
from tests.tools import stewart_trinkle_problems as problems

GO = np.zeros(1, np.int32)
STOP = np.ones(1, np.int32)


def definite(n, seed, condition=10.0):
    """A symmetric positive definite matrix and a vector."""
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.normal(size=(n, n)))[0]
    return np.ascontiguousarray(Q * np.geomspace(1.0, condition, n) @ Q.T), random.normal(size=n)


def residual(M, q, z):
    return judge.natural(M, q, z, np.empty(len(q)))


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_block_principal_pivoting_finds_what_Lemke_finds(seed, n):
    """On P-matrices, symmetric or not: one solution."""
    random = np.random.default_rng(seed)
    M, q = definite(n, seed)
    skew = random.normal(size=(n, n))
    M += 3.0 * (skew - skew.T)
    z = np.empty(n)
    status, _ = principal(M, q, 1000, GO, z)
    assert status == Status.SOLVED and residual(M, q, z) < 1e-10
    assert np.allclose(z, lemke.solve(M, q).z, atol=1e-9)


def test_block_principal_pivoting_ends_where_blocks_alone_cycle():
    """The identity and a skew matrix, so z.Mz = z.z: exchanging all wrong variables at once comes back to the same bases for ever
    (found by trial); Murty's least index ends it."""
    M = np.array([[1.0, -2.0, 0.0, -2.0], [2.0, 1.0, 5.0, -1.0], [0.0, -5.0, 1.0, 5.0], [2.0, 1.0, -5.0, 1.0]])
    q, z = np.array([-3.0, 3.0, 3.0, -1.0]), np.empty(4)
    status, rounds = principal(M, q, 1000, GO, z)
    assert status == Status.SOLVED and rounds > 10 and residual(M, q, z) < 1e-12


@pytest.mark.parametrize("n", [3, 8])
def test_block_principal_pivoting_on_Murtys_matrix(n):
    """Ones on the diagonal, twos above it."""
    z, M = np.empty(n), np.eye(n) + 2.0 * np.triu(np.ones((n, n)), 1)
    assert principal(M, -np.ones(n), 4 * 2**n, GO, z)[0] == Status.SOLVED and residual(M, -np.ones(n), z) < 1e-12


def test_block_principal_pivoting_takes_few_rounds():
    """Judice and Pires 1994: hardly more for a larger problem, where Lemke takes a pivot for each variable."""
    for n in (50, 200):
        M, q = definite(n, 1)
        z = np.empty(n)
        status, rounds = principal(M, q, 1000, GO, z)
        assert status == Status.SOLVED and rounds < 10 < n / 4 < lemke.solve(M, q).pivots


def test_block_principal_pivoting_reports_why_it_stops():
    z = np.empty(2)
    assert principal(np.zeros((2, 2)), -np.ones(2), 10, GO, z) == (Status.RAY, 1)
    assert principal(np.eye(2), -np.ones(2), 0, GO, z) == (Status.LIMIT, 0)
    assert principal(np.eye(2), -np.ones(2), 10, STOP, z) == (Status.CANCELLED, 0)
    assert principal(np.eye(2), np.ones(2), 0, STOP, z) == (Status.SOLVED, 0) and not z.any()


@pytest.mark.parametrize("omega", [0.8, 1.0, 1.4])
def test_gauss_seidel_converges_on_definite_matrices(omega):
    """Cryer 1971: for every 0 < omega < 2."""
    M, q = definite(30, 3)
    z, w = np.zeros(30), np.empty(30)
    status, sweeps = gauss_seidel(M, q, omega, 2000, 1e-12, GO, z, w)
    assert status == Status.SOLVED and sweeps > 3
    assert np.allclose(z, lemke.solve(M, q).z, atol=1e-10)
    assert gauss_seidel(M, q, omega, 2000, 1e-11, GO, z, w) == (Status.SOLVED, 0)


def test_gauss_seidel_reports_why_it_stops():
    M, q = definite(10, 1)
    z, w = np.zeros(10), np.empty(10)
    assert gauss_seidel(M, q, 1.0, 3, 1e-12, GO, z, w) == (Status.LIMIT, 3)
    assert gauss_seidel(M, q, 1.0, 3, 1e-12, STOP, z, w) == (Status.CANCELLED, 0)
    M, q = problems.random_contacts(1)
    assert gauss_seidel(M, q, 1.0, 9, 1e-12, GO, np.zeros(10), np.empty(10)) == (Status.RAY, 0), "lambda has no diagonal"


def factored(A, tolerance=1e-10):
    m = len(A)
    order, L = np.empty(m, np.int64), np.empty((m, m))
    return order, L, elimination.factor(A, tolerance, order, L)


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(0, 8), st.floats(-6.0, 6.0))
def test_dependent_rows_are_found_at_any_scale(seed, independent, copies, power):
    """J M^-1 J^T where some rows of J are sums of others, and rows have unlike units: its rank is that of J."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(independent, independent + 3))
    J = np.concatenate([J, random.integers(-1, 2, (copies, independent)) @ J])
    J = random.permutation(J) * 10.0 ** (power * random.uniform(-1.0, 1.0, (independent + copies, 1)))
    A = J @ J.T
    order, L, rank = factored(A)
    assert rank == independent and sorted(order) == list(range(len(A)))
    b = A @ random.normal(size=len(A))
    x = b.copy()
    elimination.solve(L, order, rank, x)
    scale = np.sqrt(np.diag(A)) + 1e-300
    assert not x[order[rank:]].any()
    assert np.abs((A @ x - b) / scale).max() <= 1e-8 * np.abs(b / scale).max() + 1e-300
    errors = np.empty(len(A))
    elimination.misfit(A, -b, order, rank, x, errors)
    assert np.abs(errors / scale).max() <= 1e-8 * np.abs(b / scale).max() + 1e-300, "consistent"


def test_rows_without_inertia_are_dropped():
    """Both bodies static: the row is zero."""
    order, L, rank = factored(np.diag([0.0, 2.0, 0.0]))
    x = np.array([1.0, 4.0, 0.0])
    elimination.solve(L, order, rank, x)
    assert rank == 1 and np.array_equal(x, [0.0, 2.0, 0.0])


def test_contradictory_rows_are_named_with_their_error():
    """Two equations u_0 + u_1 = 1 and 3: one is dropped and missed by 2; the one beside them is not touched."""
    A = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    g = np.array([-1.0, -3.0, -5.0])
    order, L, rank = factored(A)
    u, errors = -g, np.empty(3)
    elimination.solve(L, order, rank, u)
    assert rank == 2
    assert elimination.misfit(A, g, order, rank, u, errors) == 2.0
    assert sorted(np.abs(errors)) == [0.0, 0.0, 2.0] and errors[2] == 0.0


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.integers(0, 3))
def test_a_mixed_problem_is_solved_by_elimination(seed, free, bounded, copies):
    """A, B, C from one J, as from bodies; with redundant free rows. Both lines of the mixed problem hold in the end."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(free, free + bounded))
    J = np.concatenate([J, random.integers(-1, 2, (copies, free)) @ J])
    N, v = random.normal(size=(bounded, free + bounded)), random.normal(size=free + bounded)
    A, B, C, g, q = J @ J.T, N @ N.T, np.ascontiguousarray(J @ N.T), J @ v, N @ v
    order, L, rank = factored(A)
    X, M, b, u = np.empty_like(C), B.copy(), q.copy(), g.copy()
    elimination.solve(L, order, rank, u)
    elimination.schur(L, order, rank, C, M, X)
    elimination.carry(X, g, b)
    solution = lemke.solve(M, b)
    elimination.recover(X, solution.z, u)
    assert rank == free and solution.status == Status.SOLVED
    size = 1.0 + np.abs(u).max() * np.abs(A).max()
    assert np.abs(g + A @ u + C @ solution.z).max() < 1e-10 * size
    w = q + C.T @ u + B @ solution.z
    assert np.abs(np.minimum(w, solution.z)).max() < 1e-10 * size


def test_the_Schur_complement_is_that_of_numpy():
    A, _ = definite(40, 1)
    random = np.random.default_rng(2)
    C, B = random.normal(size=(40, 25)), random.normal(size=(25, 25))
    order, L, rank = factored(A)
    M, X = B.copy(), np.empty_like(C)
    elimination.schur(L, order, rank, C, M, X)
    assert np.allclose(X, np.linalg.solve(A, C), atol=1e-12) and np.allclose(M, B - C.T @ np.linalg.solve(A, C), atol=1e-12)
