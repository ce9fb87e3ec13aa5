"""Unit quaternions (w, x, y, z), body to world, for kernels. No libm: bits must agree between machines."""

import math

from physics.core.jit import inline, routine


@inline
def multiply(p, q):
    """Hamilton product: first q, then p."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


@inline
def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


@inline
def copy(q):
    return (q[0], q[1], q[2], q[3])


@inline
def rotate(q, v):
    """Rotate v by q."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
            v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
            v[2] + q[0] * tz + q[1] * ty - q[2] * tx)


@inline
def to_matrix(out, q):
    """out (3, 3) = rotation matrix of q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


SMALL_SQUARE = 1.0 / 256.0
"""Below this square of an angle the first terms of the series have full precision [rad^2]."""


@inline
def sinc(x2):
    """sin(x) / x from x^2; full precision for |x| <= pi / 2."""
    if x2 < SMALL_SQUARE:
        return 1.0 + x2 * (-1 / 6 + x2 * (1 / 120 + x2 * (-1 / 5040 + x2 * (1 / 362880 - x2 / 39916800))))
    return 1.0 + x2 * (-1 / 6 + x2 * (1 / 120 + x2 * (-1 / 5040 + x2 * (1 / 362880 + x2 * (
        -1 / 39916800 + x2 * (1 / 6227020800 + x2 * (-1 / 1307674368000 + x2 * (1 / 355687428096000 + x2 * (
            -1 / 121645100408832000 + x2 / 51090942171709440000.0)))))))))


@inline
def cosine(x2):
    """cos(x) from x^2; full precision for |x| <= pi / 2."""
    if x2 < SMALL_SQUARE:
        return 1.0 + x2 * (-1 / 2 + x2 * (1 / 24 + x2 * (-1 / 720 + x2 * (1 / 40320 - x2 / 3628800))))
    return 1.0 + x2 * (-1 / 2 + x2 * (1 / 24 + x2 * (-1 / 720 + x2 * (1 / 40320 + x2 * (
        -1 / 3628800 + x2 * (1 / 479001600 + x2 * (-1 / 87178291200 + x2 * (
            1 / 20922789888000 + x2 * (-1 / 6402373705728000 + x2 * (
                1 / 2432902008176640000 - x2 / 1124000727777607680000.0))))))))))


@routine
def turn(q, rx, ry, rz):
    """q rotated by the world rotation vector (rx, ry, rz) [rad], |r| <= pi, normalised."""
    x2 = 0.25 * (rx * rx + ry * ry + rz * rz)
    c, s = cosine(x2), 0.5 * sinc(x2)
    p = multiply((c, s * rx, s * ry, s * rz), q)
    n = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return (p[0] * n, p[1] * n, p[2] * n, p[3] * n)
