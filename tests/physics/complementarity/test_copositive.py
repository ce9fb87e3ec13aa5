"""Copositivity (ST96 eq 18, 19): known matrices, the friction problem's own proof, witnesses that can be checked by hand."""

import numpy as np
import pytest

from physics import BadInput
from physics.complementarity import copositive
from physics.complementarity.copositive import Verdict, judge

HORN = np.array([[1, -1, 1, 1, -1], [-1, 1, -1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, 1, -1], [-1, 1, 1, -1, 1]], float)
"""Copositive, and no sum of a semidefinite and a nonnegative matrix (A. Horn)."""


def friction_problem(contacts: int, facets: int, mu: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """N and b of ST96 (17) for contacts of one body with a random mass matrix."""
    random = np.random.default_rng(seed)
    inverse = (root := random.normal(size=(6, 6))) @ root.T + np.eye(6)
    n, t1, t2 = random.normal(size=(3, contacts, 6))
    turns = 2.0 * np.pi * np.arange(facets) / facets
    D = np.vstack([np.cos(a) * x + np.sin(a) * y for x, y in zip(t1, t2) for a in turns])
    J, E = np.vstack([D, n]), np.kron(np.eye(contacts), np.ones((facets, 1)))
    size = len(J) + contacts
    N = np.zeros((size, size))
    N[: len(J), : len(J)] = J @ inverse @ J.T
    N[: len(D), len(J):], N[len(J):, : len(D)] = E, -E.T
    N[len(J):, len(D) : len(J)] = mu * np.eye(contacts)
    return N, np.concatenate([J @ random.normal(size=6), np.zeros(contacts)])


@pytest.mark.parametrize(("contacts", "facets"), [(1, 2), (1, 8), (4, 8), (7, 8)])
def test_a_friction_problem_is_copositive_and_not_copositive_plus(contacts, facets):
    N, b = friction_problem(contacts, facets, 0.6, 3)
    found = judge(N, b)
    assert found.verdict is Verdict.COPOSITIVE and found.proved
    z = found.witness
    assert z @ N @ z == 0.0 and np.abs((N + N.T) @ z).max() == pytest.approx(0.6), "the witness against copositive plus"
    assert found.against == 0.0, "eq 19"
    draws = np.random.default_rng(1).exponential(size=(2000, len(N)))
    assert np.einsum("ki,ij,kj->k", draws, N, draws).min() >= 0.0


def test_without_friction_coefficient_nothing_speaks_against_copositive_plus():
    assert not len(judge(*friction_problem(2, 4, 0.0, 1)).witness)


@pytest.mark.parametrize("seed", range(6))
def test_a_negative_friction_coefficient_is_found_out(seed):
    N, b = friction_problem(1, 4, -0.5, seed)
    found = judge(N, b)
    assert found.verdict is Verdict.NOT and found.witness.min() >= 0.0
    assert found.witness @ N @ found.witness == pytest.approx(found.value, rel=1e-9) and found.value < 0.0


def test_horns_matrix_is_copositive_although_no_sum_proves_it():
    found = judge(HORN, np.zeros(5))
    assert found.verdict is Verdict.COPOSITIVE and not found.proved
    worse = HORN - 0.01 * np.eye(5)
    found = judge(worse, np.zeros(5))
    assert found.verdict is Verdict.NOT and found.witness @ worse @ found.witness < 0.0


@pytest.mark.parametrize("seed", range(8))
def test_small_matrices_against_a_search_on_a_grid(seed):
    M = np.random.default_rng(seed).normal(size=(3, 3)) + 0.6 * np.eye(3)
    grid = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60.0
    least = np.einsum("ki,ij,kj->k", grid, M, grid).min()
    if abs(least) > 5e-3:
        assert (judge(M, np.zeros(3)).verdict is Verdict.NOT) == (least < 0.0)


def test_a_large_matrix_without_a_proof_is_unknown():
    size = copositive.MAX_EXHAUSTIVE + 1
    assert judge(-np.eye(size), np.zeros(size)).verdict is Verdict.UNKNOWN
    with pytest.raises(BadInput, match="must be square"):
        judge(np.ones((2, 3)), np.zeros(2))
