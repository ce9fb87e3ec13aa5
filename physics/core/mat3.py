"""3 x 3 matrices for kernels: any m[i, j] in, never tuples of 3-tuples; results are written to the first argument."""

from physics.core.jit import inline, routine


@inline
def apply(m, v):
    """m v."""
    return (m[0, 0] * v[0] + m[0, 1] * v[1] + m[0, 2] * v[2],
            m[1, 0] * v[0] + m[1, 1] * v[1] + m[1, 2] * v[2],
            m[2, 0] * v[0] + m[2, 1] * v[1] + m[2, 2] * v[2])


@inline
def apply_transposed(m, v):
    """m^T v: with a rotation matrix, world to body."""
    return (m[0, 0] * v[0] + m[1, 0] * v[1] + m[2, 0] * v[2],
            m[0, 1] * v[0] + m[1, 1] * v[1] + m[2, 1] * v[2],
            m[0, 2] * v[0] + m[1, 2] * v[1] + m[2, 2] * v[2])


@inline
def column(m, j):
    return (m[0, j], m[1, j], m[2, j])


@inline
def copy(out, m):
    """out = m. (out[:] = m also compiles the error message for unequal shapes, with its numbers: two seconds.)"""
    for k in range(9):
        out[k // 3, k % 3] = m[k // 3, k % 3]


@routine
def rotate_tensor(out, r, m):
    """out = r m r^T: a body-frame tensor in the world frame."""
    for i in range(3):
        x = m[0, 0] * r[i, 0] + m[0, 1] * r[i, 1] + m[0, 2] * r[i, 2]
        y = m[1, 0] * r[i, 0] + m[1, 1] * r[i, 1] + m[1, 2] * r[i, 2]
        z = m[2, 0] * r[i, 0] + m[2, 1] * r[i, 1] + m[2, 2] * r[i, 2]
        for j in range(3):
            out[i, j] = x * r[j, 0] + y * r[j, 1] + z * r[j, 2]


@inline
def solve(a00, a01, a02, a10, a11, a12, a20, a21, a22, b):
    """x with A x = b by Cramer's rule; det(A) = 0 gives non-finite numbers."""
    c0 = a11 * a22 - a12 * a21
    c1 = a12 * a20 - a10 * a22
    c2 = a10 * a21 - a11 * a20
    inv = 1.0 / (a00 * c0 + a01 * c1 + a02 * c2)
    x = (b[0] * c0 + b[1] * (a02 * a21 - a01 * a22) + b[2] * (a01 * a12 - a02 * a11)) * inv
    y = (b[0] * c1 + b[1] * (a00 * a22 - a02 * a20) + b[2] * (a02 * a10 - a00 * a12)) * inv
    z = (b[0] * c2 + b[1] * (a01 * a20 - a00 * a21) + b[2] * (a00 * a11 - a01 * a10)) * inv
    return (x, y, z)
