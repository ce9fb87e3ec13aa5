"""Whether z'Mz >= 0 for all z >= 0: M is copositive, so that Lemke's algorithm finds a solution (ST96 3.2, eq 18 and 19).

    S = (M + M') / 2,   z'Mz = z'Sz                                                                       (1)
    proof:    S = A + B,  A positive semidefinite,  B >= 0, here the rows of S without a diagonal        (2)
    witness:  S is not copositive if and only if a principal submatrix S_aa has an eigenvector v > 0 with a negative
              eigenvalue; then z_a = v, z = 0 elsewhere has z'Mz < 0                                     (3)

Of a friction problem the rows without a diagonal are those of lambda: A holds J M^-1 J', B the friction coefficients, so that
z'Nz = (n c_n + D beta)' M^-1 (n c_n + D beta) + mu c_n lambda (eq 18). It is not copositive plus: z = (0, 0, lambda) has z'Nz = 0
and (N + N')z = mu lambda > 0 for c_n. Solutions need z'b = 0 for these z, eq 19.
W. Kaplan, "A test for copositive matrices", Linear Algebra and its Applications 313 (2000), for (3).
"""

from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from physics.complementarity import problem

MAX_EXHAUSTIVE = 12
"""Unknowns up to which all principal submatrices are tried where (2) proves nothing: 4095 eigenvalue problems."""
SIGN_TOLERANCE = 1e-10
"""Values above minus this fraction of the largest entry count as nonnegative: what the elimination of joints leaves."""


class Verdict(Enum):
    """COPOSITIVE, by (2) or because (3) finds nothing; NOT: there is a witness; UNKNOWN: (2) fails, too large for (3)."""

    COPOSITIVE = "copositive"
    NOT = "not copositive"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Copositivity:
    """verdict: see there. proved: by (2). least: the smallest eigenvalue of A. witness: (n,) z >= 0 of length 1: with the least
    z'Mz that (3) found if it is not copositive, else with z'Mz = 0 and (M + M')z != 0, so that it is not copositive plus; empty
    if there is none. value: z'Mz of the witness. against: q.z of that, 0 or more where eq 19 holds."""

    verdict: Verdict
    proved: bool
    least: float
    witness: np.ndarray
    value: float = 0.0
    against: float = 0.0


def judge(M: np.ndarray, q: np.ndarray) -> Copositivity:
    """Judge M (n, n) of LCP(q, M), q (n,).

    Raises:
        BadInput: shapes that do not fit, or a number that is not finite.
    """
    M, q = problem.problem(M, q)
    S = 0.5 * (M + M.T)
    noise = SIGN_TOLERANCE * max(float(np.abs(S).max(initial=0.0)), 1e-300)
    flat = np.abs(np.diag(S)) <= noise
    A, B = S.copy(), np.zeros_like(S)
    B[flat], B[:, flat] = S[flat], S[:, flat]
    A[flat], A[:, flat] = 0.0, 0.0
    least = float(np.linalg.eigvalsh(A).min(initial=0.0))
    if B.min(initial=0.0) >= -noise and least >= -noise * len(S):
        return _with_flat_direction(S, q, flat, noise, True, least)
    if len(S) > MAX_EXHAUSTIVE:
        return Copositivity(Verdict.UNKNOWN, False, least, np.zeros(0))
    witness, value = negative_direction(S, noise)
    if len(witness):
        return Copositivity(Verdict.NOT, False, least, witness, value, float(q @ witness))
    return _with_flat_direction(S, q, flat, noise, False, least)


def negative_direction(S: np.ndarray, noise: float) -> tuple[np.ndarray, float]:
    """(z, z'Sz) by (3), the smallest value of all principal submatrices; (empty, 0) where none is negative."""
    best, value = np.zeros(0), 0.0
    for size in range(1, len(S) + 1):
        for rows in combinations(range(len(S)), size):
            sizes, vectors = np.linalg.eigh(S[np.ix_(rows, rows)])
            for k in range(int(np.count_nonzero(sizes < min(-noise, value)))):
                v = vectors[:, k] * np.sign(vectors[:, k].sum())
                if (v > 0.0).all():
                    best, value = np.zeros(len(S)), float(sizes[k])
                    best[list(rows)] = v
                    break
    return best, value


def _with_flat_direction(S: np.ndarray, q: np.ndarray, flat: np.ndarray, noise: float, proved: bool,
                         least: float) -> Copositivity:
    """Copositive, with a unit vector that shows that it is not copositive plus, if there is one."""
    bent = flat & (np.abs(S).max(axis=1, initial=0.0) > noise)
    witness = np.zeros(0)
    if bent.any():
        witness = np.zeros(len(S))
        witness[int(np.argmax(bent))] = 1.0
    return Copositivity(Verdict.COPOSITIVE, proved, least, witness, 0.0, float(q @ witness) if len(witness) else 0.0)
