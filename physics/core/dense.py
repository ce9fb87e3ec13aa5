"""Assignment of arrays; inverse and eigenvalues of small dense matrices, up to 6 x 6."""

import math

from physics.core.jit import inline, routine

MAX_JACOBI_SWEEPS = 12
"""Maximum sweeps of `eigen`; convergence is quadratic, so five or six suffice."""


@inline
def assign(target, a):
    """target <- a, arrays of one shape that do not overlap. Kernels use it instead of `target[:] = a`, with which numba compiles
    a search for overlap and the text of an error about shapes, in some functions more than all the rest."""
    into, source = target.flat, a.flat
    for i in range(a.size):
        into[i] = source[i]


@routine
def invert(matrix, inverse, n):
    """Inverse of the leading n x n part of a symmetric positive definite matrix (Gauss-Jordan; matrix is destroyed)."""
    for i in range(n):
        for j in range(n):
            inverse[i, j] = 1.0 if i == j else 0.0
    for i in range(n):
        pivot = 1.0 / matrix[i, i]
        for j in range(n):
            matrix[i, j] *= pivot
            inverse[i, j] *= pivot
        for m in range(n):
            if m != i:
                factor = matrix[m, i]
                for j in range(n):
                    matrix[m, j] -= factor * matrix[i, j]
                    inverse[m, j] -= factor * inverse[i, j]


@routine
def eigen(matrix, vectors, n):
    """Eigenvalues of the leading n x n part of a symmetric matrix, left on its diagonal, and its eigenvectors, the columns of
    `vectors`, by Jacobi rotations (G. Golub and C. Van Loan, Matrix computations, 2013, section 8.5)."""
    for i in range(n):
        for j in range(n):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(MAX_JACOBI_SWEEPS):
        off = 0.0
        for i in range(n):
            for j in range(i):
                off = max(off, abs(matrix[i, j]))
        if off == 0.0:
            return
        for p in range(n - 1):
            for q in range(p + 1, n):
                _rotate(matrix, vectors, p, q, n)


@routine
def _rotate(matrix, vectors, p, q, n):
    """Apply the rotation that makes matrix[p, q] zero."""
    x = matrix[p, q]
    if abs(x) <= 1e-17 * (abs(matrix[p, p]) + abs(matrix[q, q])):
        matrix[p, q], matrix[q, p] = 0.0, 0.0
        return
    half = (matrix[q, q] - matrix[p, p]) / (2.0 * x)
    t = (1.0 if half >= 0.0 else -1.0) / (abs(half) + math.sqrt(half * half + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(n):
        u, v = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = c * u - s * v, s * u + c * v
    for k in range(n):
        u, v = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = c * u - s * v, s * u + c * v
        u, v = vectors[k, p], vectors[k, q]
        vectors[k, p], vectors[k, q] = c * u - s * v, s * u + c * v
    matrix[p, q], matrix[q, p] = 0.0, 0.0
