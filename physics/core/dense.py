"""Small dense matrices of any size up to six."""

from physics.core.jit import routine


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
