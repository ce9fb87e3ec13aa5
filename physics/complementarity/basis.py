"""What z is in a basis, from a fresh factorisation.

    (1) z_A = -M_AA^-1 q_A       A: where z is basic; one step of iterative refinement, with z = 0 elsewhere
"""

import numpy as np

from physics.complementarity import dense
from physics.core.jit import routine


@routine
def solve(M, q, rows, m, work, swaps, x, w):
    """x (n,) = z of eq 1 for A = rows[:m], w (n,) = q + M x. False if M_AA is singular; x and w are zero and q then.

    work (>= m, >= m) and swaps (>= m,) are overwritten.
    """
    n = len(q)
    x[:] = 0.0
    w[:] = q
    for a in range(m):
        for b in range(m):
            work[a, b] = M[rows[a], rows[b]]
    if not dense.factor(work, swaps, m):
        return False
    rest = np.empty(m)
    for _ in range(2):
        for a in range(m):
            rest[a] = -w[rows[a]]
        dense.solve(work, swaps, rest, m)
        for a in range(m):
            x[rows[a]] += rest[a]
        for i in range(n):
            total = q[i]
            for a in range(m):
                total += M[i, rows[a]] * x[rows[a]]
            w[i] = total
    return True
