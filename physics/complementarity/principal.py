"""Block principal pivoting: LCP(q, M) by exchanging all infeasible variables at once.

With A the indices of the basic z and B the others, M with positive principal minors (a P-matrix),

    (1) z_A = -M_AA^-1 q_A       z_B = 0       w_B = q_B + M_BA z_A       w_A = 0
    (2) H = {i in A: z_i < 0} and {i in B: w_i < 0};  done if H is empty, else exchange all of H

M. M. Kostreva 1978; J. J. Judice, F. M. Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear
complementarity problems", Computers and Operations Research 21 (1994). Eq 2 alone can cycle, so it is used only while H shrinks:
after MAX_STALLED_STEPS rounds without a new smallest H, one index at a time is exchanged,

    (3) the least of H

(K. G. Murty 1974: no basis recurs on a P-matrix), until H is smaller than ever. Usually a handful of rounds suffices, but every
round is a new factorisation, and friction problems have no P-matrices: a singular M_AA ends it without a solution.
"""

import numpy as np

from physics.complementarity import basis, vectors
from physics.complementarity.problem import Status
from physics.core.jit import kernel, routine

MAX_STALLED_STEPS = 10
SIGN_TOLERANCE = 1e-13
"""Values above minus this fraction of the largest of their kind count as nonnegative."""


@kernel
def principal(M, q, limit, halt, z):
    """Solve LCP(q, M) for a P-matrix; z is written. Returns (status, rounds).

    limit: maximum number of rounds. halt: (1,) int32, checked in every round: nonzero cancels. RAY: a principal submatrix is
    singular. If the status is not SOLVED, z is the last iterate.
    """
    n = len(q)
    inside = np.zeros(n, np.bool_)
    rows, swaps, work, x, w = np.empty(n, np.int64), np.empty(n, np.int64), np.empty((n, n)), np.empty(n), np.empty(n)
    wrong, rest = np.empty(n, np.int64), np.empty(n)
    columns = np.empty((n, n))
    vectors.transpose(M, columns, n, n)
    fewest, patience, rounds = n + 1, MAX_STALLED_STEPS, 0
    while True:
        m = 0
        for i in range(n):
            if inside[i]:
                rows[m] = i
                m += 1
        regular = basis.solve(columns, q, rows, m, work, swaps, x, w, rest)
        z[:] = 0.0
        for a in range(m):
            z[rows[a]] = max(x[a], 0.0)
        if not regular:
            return Status.RAY.value, rounds
        count = gather_wrong(inside, rows, x, m, w, wrong)
        if count == 0:
            return Status.SOLVED.value, rounds
        if halt[0] != 0:
            return Status.CANCELLED.value, rounds
        if rounds >= limit:
            return Status.LIMIT.value, rounds
        rounds += 1
        if count < fewest:
            fewest, patience = count, MAX_STALLED_STEPS
        elif patience > 0:
            patience -= 1
        else:
            count = 1                   # eq 3
        for h in range(count):
            inside[wrong[h]] = not inside[wrong[h]]


@routine
def gather_wrong(inside, rows, x, m, w, wrong):
    """The indices H of eq 2, those of w last, but the least index first; returns their number."""
    z_noise, w_noise, count = -SIGN_TOLERANCE * vectors.largest(x, m), 0.0, 0
    for i in range(len(w)):
        if not inside[i]:
            w_noise = min(w_noise, -SIGN_TOLERANCE * abs(w[i]))
    for a in range(m):
        if x[a] < z_noise:
            wrong[count] = rows[a]
            count += 1
    for i in range(len(w)):
        if not inside[i] and w[i] < w_noise:
            wrong[count] = i
            if i < wrong[0]:
                wrong[0], wrong[count] = i, wrong[0]
            count += 1
    return count
