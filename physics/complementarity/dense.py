"""Dense square systems of any size with partial pivoting, in plain loops: L U = P A and the inverse.

    (1) P A = L U              Doolittle by rows; P swaps in the largest pivot
    (2) A^-1 in place          Gauss-Jordan exchange; the row swaps are undone on the columns of the inverse

Golub, Van Loan, "Matrix Computations", section 3.4.
"""

import numpy as np

from physics.complementarity import vectors
from physics.core.jit import inline, routine
from physics.core.records import borrow

SINGULAR_PIVOT = 1e-14
"""A pivot below this fraction of the largest entry of the matrix counts as zero."""


@inline
def largest(A, n):
    """max |A_ij| of the leading n x n part."""
    size = 0.0
    for i in range(n):
        for j in range(n):
            size = max(size, abs(A[i, j]))
    return size


@inline
def swap_in(A, k, n):
    """Swap the row with the largest entry of column k, from row k on, into row k; returns its index."""
    best = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[best, k]):
            best = i
    if best != k:
        for j in range(n):
            A[k, j], A[best, j] = A[best, j], A[k, j]
    return best


@routine
def factor(A, swaps, n):
    """Overwrite the leading n x n part of A with L and U, eq 1. False if A is singular."""
    A, least = borrow(A), SINGULAR_PIVOT * largest(A, n)
    for k in range(n):
        swaps[k] = swap_in(A, k, n)
        if abs(A[k, k]) <= least:
            return False
        inverse, right = 1.0 / A[k, k], A[k, k + 1:n]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                A[i, k] *= inverse
                vectors.add(-A[i, k], right, A[i, k + 1:n], len(right))
    return True


@routine
def solve(A, swaps, x, n):
    """x = A^-1 x in place, A from `factor`."""
    A, x = borrow(A), borrow(x)
    for k in range(n):
        x[k], x[swaps[k]] = x[swaps[k]], x[k]
    for i in range(n):
        x[i] -= vectors.dot(A[i], x, i)
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - vectors.dot(A[i, i + 1:n], x[i + 1:n], n - i - 1)) / A[i, i]


@routine
def invert(A, n):
    """Overwrite the leading n x n part of A with its inverse, eq 2. If it is singular, False, and A is destroyed."""
    swaps = np.empty(n, np.int64)
    A, least = borrow(A), SINGULAR_PIVOT * largest(A, n)
    for k in range(n):
        swaps[k] = swap_in(A, k, n)
        if abs(A[k, k]) <= least:
            return False
        pivot = A[k, :n]
        inverse = 1.0 / pivot[k]
        pivot[k] = 1.0
        for j in range(n):
            pivot[j] *= inverse
        for i in range(n):
            if i != k and A[i, k] != 0.0:
                f = A[i, k]
                A[i, k] = 0.0
                vectors.add(-f, pivot, A[i], n)
    for k in range(n - 1, -1, -1):
        if swaps[k] != k:
            for i in range(n):
                A[i, k], A[i, swaps[k]] = A[i, swaps[k]], A[i, k]
    return True
