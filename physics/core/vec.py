"""3-vectors for kernels: any 3-sequence in, a tuple out; `assign` and `add_scaled` change their first argument.

NumPy expressions on 3-vectors allocate and cost 46 times more inside a kernel.
"""

import math

from physics.core.jit import inline


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


@inline
def madd(a, b, s):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inline
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def unit(a):
    """a / |a|; the z axis if a = 0."""
    n = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if n == 0.0:
        return (0.0, 0.0, 1.0)
    return (a[0] / n, a[1] / n, a[2] / n)


@inline
def copy(a):
    return (a[0], a[1], a[2])


@inline
def of_lane(table, first, lane):
    """The vector in three successive fields of a lane (contact_batches.py)."""
    return (table[first, lane], table[first + 1, lane], table[first + 2, lane])


@inline
def assign(target, a):
    """target[:] = a."""
    target[0] = a[0]
    target[1] = a[1]
    target[2] = a[2]


@inline
def add_scaled(target, a, s):
    """target += s a."""
    target[0] += s * a[0]
    target[1] += s * a[1]
    target[2] += s * a[2]


@inline
def tangents(n):
    """Two unit vectors t1, t2 orthogonal to n, with t1 x t2 = n: the axes of the friction cone.

    t1 = n x up normalised (ST96, section 3); for (almost) vertical n, t1 is the world x axis made orthogonal to n,
    so every contact on level ground has the same polygon.
    """
    if n[2] > 0.999 or n[2] < -0.999:
        t = unit((1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]))
    else:
        t = unit((n[1], -n[0], 0.0))
    return t, cross(n, t)
