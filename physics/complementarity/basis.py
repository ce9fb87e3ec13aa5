"""Solution z of a given basis, from a fresh factorisation.

    (1) z_A = -M_AA^-1 q_A       A: the basic z; one step of iterative refinement, with z = 0 elsewhere
"""

from physics.complementarity import dense, vectors
from physics.core.dense import assign
from physics.core.jit import routine


@routine
def solve(columns, q, rows, m, work, swaps, x, w, rest):
    """x (m,) = z_A of eq 1 for A = rows[:m], w (n,) = q + M z; columns: M^T. False if M_AA is singular: then x = 0, w = q.

    work (>= m, >= m), swaps and rest (>= m,) are overwritten.
    """
    n = len(q)
    x[:m] = 0.0
    assign(w, q)
    for b in range(m):
        for a in range(m):
            work[a, b] = columns[rows[b], rows[a]]
    if not dense.factor(work, swaps, m):
        return False
    for _ in range(2):
        for a in range(m):
            rest[a] = -w[rows[a]]
        dense.solve(work, swaps, rest, m)
        for a in range(m):
            x[a] += rest[a]
        assign(w, q)
        vectors.combine(columns, rows, x, w, m, n)
    return True
