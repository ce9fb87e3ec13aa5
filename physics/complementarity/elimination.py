"""Reduction of a mixed complementarity problem to a pure one by elimination of the free variables.

    (1) 0 = g + A u + C z                        u free: joints
    (2) 0 <= z  _|_  w = q + C^T u + B z >= 0    contacts, limits, friction

A is symmetric and positive semi-definite, like J M^-1 J^T. If it is regular, (1) gives u and (2) becomes LCP(q', M'):

    (3) u  = -A^-1 g - X z        X = A^-1 C
    (4) M' = B - C^T X            q' = q - X^T g

(Cottle, Pang, Stone, "The Linear Complementarity Problem", section 1.5.) Linearly dependent rows of A (redundant joints) are
found by a factorisation with diagonal pivoting and dropped, with their u zero:

    (5) P A P^T = L D L^T         each pivot the one whose diagonal has kept the largest fraction of its original value

(Golub, Van Loan, "Matrix Computations", section 4.2.8.) Dropped rows are satisfied unless they contradict the others; `misfit`
measures that, row by row.

Call factor, then schur, carry (eq 4), an algorithm for LCP(q', M'), and recover (eq 3):

    rank = factor(A, 1e-10, order, L);  u[:] = g;  solve(L, order, rank, u);  schur(L, order, rank, C, M, X)
    carry(X, g, q);  lemke(M, q, ..., z, ...);  recover(X, z, u)
"""

import numpy as np

from physics.complementarity import vectors
from physics.core.dense import assign
from physics.core.jit import kernel


@kernel
def factor(A, tolerance, order, L):
    """Eq 5: write L and D to the strict lower part and the diagonal of L (m, m), by pivots; order (m,): row of each pivot.

    Returns the rank. Rows order[rank:] depend on the others: their remaining diagonal is at most `tolerance` of the original.
    """
    m = len(A)
    rest = np.empty(m)
    for i in range(m):
        order[i], rest[i] = i, A[i, i]
    work = np.empty(m)
    for k in range(m):
        best, share = -1, tolerance
        for i in range(k, m):
            whole = A[order[i], order[i]]
            if whole > 0.0 and rest[i] > share * whole:
                best, share = i, rest[i] / whole
        if best < 0:
            return k
        order[k], order[best] = order[best], order[k]
        rest[k], rest[best] = rest[best], rest[k]
        for j in range(k):
            L[k, j], L[best, j] = L[best, j], L[k, j]
            work[j] = L[k, j] * L[j, j]
        L[k, k] = rest[k]
        for i in range(k + 1, m):
            L[i, k] = (A[order[i], order[k]] - vectors.dot(L[i], work, k)) / rest[k]
            rest[i] -= L[i, k] * L[i, k] * rest[k]
    return m


@kernel
def solve(L, order, rank, x):
    """x = A^-1 x in place, x (m,); dropped entries become zero."""
    y = np.empty(rank)
    for k in range(rank):
        y[k] = x[order[k]] - vectors.dot(L[k], y, k)
    for k in range(rank):
        y[k] /= L[k, k]
    for k in range(rank - 1, -1, -1):
        for j in range(k):
            y[j] -= L[k, j] * y[k]
    x[:] = 0.0
    for k in range(rank):
        x[order[k]] = y[k]


@kernel
def misfit(A, g, order, rank, u, errors):
    """errors (m,) = residual of A u + g = 0 in the dropped rows, zero in the others. Returns the largest."""
    worst = 0.0
    errors[:] = 0.0
    for k in range(rank, len(A)):
        i = order[k]
        errors[i] = g[i] + vectors.dot(A[i], u, len(A))
        worst = max(worst, abs(errors[i]))
    return worst


@kernel
def schur(L, order, rank, C, B, X):
    """Eqs 3 and 4: B -= C^T A^-1 C in place, B (n, n), C (m, n); X (m, n) = A^-1 C."""
    n = len(B)
    Y = np.empty((rank, n))
    for k in range(rank):
        assign(Y[k], C[order[k]])
        for j in range(k):
            if L[k, j] != 0.0:
                vectors.add(-L[k, j], Y[j], Y[k], n)
    for i in range(n):
        for k in range(rank):
            f = Y[k, i] / L[k, k]
            if f != 0.0:
                vectors.add(-f, Y[k], B[i], n)
    X[:] = 0.0
    for k in range(rank):
        row = Y[k]
        for i in range(n):
            row[i] /= L[k, k]
    for k in range(rank - 1, -1, -1):
        for j in range(k):
            if L[k, j] != 0.0:
                vectors.add(-L[k, j], Y[k], Y[j], n)
        assign(X[order[k]], Y[k])


@kernel
def carry(X, g, q):
    """Eq 4: q -= X^T g in place."""
    for i in range(len(g)):
        vectors.add(-g[i], X[i], q, len(q))


@kernel
def recover(X, z, u):
    """Eq 3: u, which holds A^-1 g, becomes -A^-1 g - X z."""
    for i in range(len(u)):
        u[i] = -u[i] - vectors.dot(X[i], z, len(z))
